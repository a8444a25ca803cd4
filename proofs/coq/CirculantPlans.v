(* The plans of the circulant graph's skips, and of its trees for many blocks. *)
Require Import Arith Bool List Lia ZArith.
From Collectives Require Import Semantics Tries Factors TreeRoute Relabelled Turned Circulant CirculantRows CirculantBlocks
  CirculantTables Rooted Plans RowPlans RootedPlans SeatedPlans.
Import ListNotations.
Local Open Scope nat_scope.

Definition circulant_left_plan (p : nat) : plan := tree_turned p (Nat.log2_up p) (halved_skips p).
Definition circulant_plan (p : nat) : plan := relabelled_plan (opposite p) (opposite p) (circulant_left_plan p).

Theorem circulant_plans p : 0 < p -> plans (circulant_left p) (circulant_left_plan p) /\ plans (circulant p) (circulant_plan p).
Proof.
  intros P. assert (plans (circulant_left p) (circulant_left_plan p)) as L by (apply tree_turned_plans; now apply halved_valid).
  split; auto. apply relabelled_plans; auto. apply opposite_bijection.
Qed.

(* All rows are made once, into a trie. *)
Definition row_in (t : trie (nat * list (nat * nat))) (y : nat) : nat * list (nat * nat) :=
  match get y t with Some r => r | None => (0, []) end.
Fixpoint trie_below (s : nat -> nat) (n : nat) : trie (nat * list (nat * nat)) :=
  match n with O => Empty | S m => let t := trie_below s m in put m (new_row s (row_in t) m) t end.
Definition quick_rows (p : nat) : nat -> nat * list (nat * nat) := row_in (trie_below (skip p) (2 * p)).

Section Rows.
Variable s : nat -> nat.
Variables f g : nat -> nat * list (nat * nat).
Hypothesis same : forall y, f y = g y.

Lemma grown_same y base n : forall got, grown s f y base n got = grown s g y base n got.
Proof. induction n as [|n IH]; intros got; cbn [grown]; auto. unfold next, offers. now rewrite same. Qed.

Lemma new_row_same y : new_row s f y = new_row s g y.
Proof. unfold new_row, begun. now rewrite grown_same, !same. Qed.
End Rows.

Lemma trie_same s n : forall y, row_in (trie_below s n) y = rows_below s n y.
Proof.
  induction n as [|n IH]; intros y; [reflexivity|]. cbn [trie_below rows_below]. unfold row_in at 1. rewrite get_put, Nat.eqb_sym.
  destruct (y =? n); [now apply new_row_same | apply IH].
Qed.

Lemma quick_row p x : x < p -> quick_rows p (p + x) = ring_row p x.
Proof. intros X. unfold quick_rows. rewrite trie_same. apply rows_same. lia. Qed.

Definition block_sends (s : nat -> nat) (rows : nat -> nat * list (nat * nat)) (p q c : nat) (x : rank) : option (nat * rank) :=
  if x =? 0 then None else let r := rows (p + x) in Some (block_time q c r, (p + x - s (block_round q c r)) mod p).
Definition blocks_plan (p n : nat) : block -> rank -> option (nat * rank) :=
  let s := skip p in let rows := quick_rows p in let q := Nat.log2_up p in fun b => block_sends s rows p q (n - 1 - b).
Definition quick_circulant_broadcast (p n : nat) : rank -> schedule := quick_rooted_broadcast [p] n (blocks_steps p n) (blocks_plan p n).
Definition quick_circulant_reduce (p n : nat) : rank -> schedule := quick_rooted_reduce [p] n (blocks_steps p n) (blocks_plan p n).

Lemma block_planned p n b : 0 < p -> b < n -> planned p (blocks_steps p n) (blocks_route p n b) (blocks_plan p n b).
Proof.
  intros P B. assert (forall x, 0 < x < p ->
    blocks_plan p n b x = Some (block_time (Nat.log2_up p) (n - 1 - b) (ring_row p x), block_parent p (n - 1 - b) x)) as E.
  { intros x X. unfold blocks_plan, block_sends. rewrite quick_row by lia. destruct (Nat.eqb_spec x 0); [lia | reflexivity]. }
  split.
  - intros x u d X S. destruct (Nat.eq_dec x 0) as [->|N]; [discriminate|]. rewrite E in S by lia. injection S as <- _.
    unfold blocks_steps. destruct (Nat.eqb_spec p 1); [lia|]. apply block_time_below; lia.
  - intros t x _ X. unfold blocks_route, block_tree, tree_route. destruct (Nat.ltb_spec 0 x); [|now replace x with 0 by lia].
    rewrite E by lia. cbn [andb at_time]. reflexivity.
Qed.

Theorem quick_circulant_same p n root : root < p ->
  quick_circulant_broadcast p n root = rooted_broadcast [p] n (blocks_steps p n) (blocks_route p n) root /\
  quick_circulant_reduce p n root = rooted_reduce [p] n (blocks_steps p n) (blocks_route p n) root.
Proof.
  intros R. assert (product_of [p] = p) as E by apply Nat.mul_1_r. apply quick_rooted_same; rewrite E; auto.
  intros b B. apply block_planned; auto. lia.
Qed.

(* A line of the tables: what a rank receives and sends in each round, plus the number of rounds, so that no number is below 0. *)
Definition raised (q : nat) (r : nat * list (nat * nat)) (k : nat) : nat :=
  let e := nth k (map fst (snd r)) 0 in if e =? q then q + fst r else e.
Definition quick_table (p : nat) : rank -> list (nat * nat) :=
  let s := skip p in let rows := quick_rows p in let q := rounds p in let ks := seq 0 q in fun x =>
  map (fun k => (raised q (rows (p + x)) k, raised q (rows (p + (x + s k) mod p)) k)) ks.

Theorem quick_table_same p x : x < p -> let lowered n := (Z.of_nat n - Z.of_nat (rounds p))%Z in
  map (fun e => (lowered (fst e), lowered (snd e))) (quick_table p x) = map (fun k => (received p x k, sent p x k)) (seq 0 (rounds p)).
Proof.
  intros X lowered. assert (forall r k, lowered (raised (rounds p) r k) = table_entry (rounds p) r k) as L.
  { intros r k. unfold lowered, raised, table_entry, named. destruct (nth k (map fst (snd r)) 0 =? rounds p); lia. }
  unfold quick_table. rewrite map_map. apply map_ext. intros k. cbn [fst snd].
  rewrite !L, !quick_row by (auto; apply Nat.mod_upper_bound; lia). reflexivity.
Qed.
