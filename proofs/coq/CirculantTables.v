(* The tables of blocks that the ranks of a circulant graph receive and send in each round of a phase, and Traeff's three conditions, for
   every number of ranks. Numbers below 0 are blocks of the phase before. *)
Require Import Arith Bool List Lia ZArith.
From Collectives Require Import Semantics CirculantRows CirculantBlocks.
Import ListNotations.
Local Open Scope nat_scope.

(* The block of round k, from the row of rank p + x; rank 0, the root, would get all of the phase before. *)
Definition named (q : nat) (r : nat * list (nat * nat)) (e : nat) : Z :=
  if e =? q then Z.of_nat (fst r) else (Z.of_nat e - Z.of_nat q)%Z.
Definition table_entry (q : nat) (r : nat * list (nat * nat)) (k : nat) : Z := named q r (nth k (map fst (snd r)) 0).

Definition rounds (p : nat) : nat := Nat.log2_up p.
Definition first_block (p : nat) (x : rank) : nat := fst (ring_row p x).
Definition received (p : nat) (x : rank) (k : nat) : Z := table_entry (rounds p) (ring_row p x) k.
Definition sent (p : nat) (x : rank) (k : nat) : Z := received p ((x + skip p k) mod p) k.

(* All ranks but the root receive each block once: in a phase their first block, and all others of the phase before. *)
Definition receives_each_once (p : nat) : Prop := forall x, 0 < x < p ->
  let all := map (received p x) (seq 0 (rounds p)) in let q := Z.of_nat (rounds p) in let b := Z.of_nat (first_block p x) in
  NoDup all /\ (0 <= b < q)%Z /\ forall m, In m all <-> m = b \/ ((- q <= m < 0)%Z /\ m <> (b - q)%Z).

(* What they send they have: their first block of the phase before, or what they received in an earlier round. Nobody sends to the root. *)
Definition sends_what_it_has (p : nat) : Prop := forall x k, 0 < x < p -> k < rounds p -> (x + skip p k) mod p <> 0 ->
  sent p x k = (Z.of_nat (first_block p x) - Z.of_nat (rounds p))%Z \/ exists j, j < k /\ sent p x k = received p x j.

(* The root sends a new block in each round. *)
Definition root_sends_all (p : nat) : Prop := forall k, k < rounds p -> sent p 0 k = Z.of_nat k.

Lemma nodup_map {A B} (f : A -> B) l : NoDup l -> (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup (map f l).
Proof.
  induction 1 as [|x l N D IH]; cbn [map]; intros I; constructor.
  - intros M. apply in_map_iff in M as (y & E & Y). apply N. rewrite (I x y); [exact Y | now left | now right | now symmetry].
  - apply IH. intros y z Y Z. apply I; now right.
Qed.

Lemma all_places (l : list nat) : map (fun k => nth k l 0) (seq 0 (length l)) = l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [length seq map nth]. f_equal. rewrite <- seq_shift, map_map. exact IH. Qed.

Lemma index_in e l : index e l < length l -> In e l.
Proof.
  induction l as [|x l IH]; cbn [index length]; [lia|]. destruct (Nat.eqb_spec x e) as [->|]; [now left|]. intros L. right. apply IH. lia.
Qed.

Section Tables.
Variable p : nat.
Hypothesis several : 1 < p.
Let q := rounds p.
Let some : 0 < p := Nat.lt_trans 0 1 p Nat.lt_0_1 several.
Let places (x : rank) : list nat := map fst (snd (ring_row p x)).

Lemma row_is_right x : right_row (skip p) (p + x).
Proof. apply rows_right; [now apply skip_first | now apply skip_second | apply skip_doubles | lia]. Qed.

Lemma places_length x : x < p -> length (places x) = q.
Proof. intros X. unfold places, ring_row. rewrite map_length, (full _ _ (row_is_right x)). now apply ring_level. Qed.

Lemma places_distinct x : NoDup (first_block p x :: places x).
Proof. apply (distinct _ _ (row_is_right x)). Qed.

Lemma places_bounded x e : x < p -> In e (first_block p x :: places x) -> e <= q.
Proof. intros X I. apply (bounded _ _ (row_is_right x)) in I. now rewrite ring_level in I. Qed.

Lemma places_has x k : x < p -> k < q -> In (nth k (places x) 0) (places x).
Proof. intros X K. apply nth_In. now rewrite places_length. Qed.

Lemma first_low x : 0 < x < p -> first_block p x < q.
Proof. intros X. pose proof (base_low p some x X). pose proof (low p some x X). unfold first_block, q, rounds. lia. Qed.

Theorem each_once : receives_each_once p.
Proof.
  intros x X. cbv zeta. fold q. pose proof (first_low x X) as F. set (b := first_block p x) in *.
  assert (map (received p x) (seq 0 q) = map (named q (ring_row p x)) (places x)) as ->.
  { rewrite <- (all_places (places x)) at 1. rewrite places_length, map_map by lia. reflexivity. }
  pose proof (places_distinct x) as D. apply NoDup_cons_iff in D as [N D]. fold b in N.
  assert (forall e, In e (places x) -> e <= q /\ e <> b) as P.
  { intros e E. split; [apply (places_bounded x); [lia | now right] | congruence]. }
  split; [|split; [lia|]].
  - apply nodup_map; auto. intros e f E G. apply P in E, G. unfold named. fold (first_block p x) b.
    destruct (Nat.eqb_spec e q), (Nat.eqb_spec f q); lia.
  - intros m. rewrite in_map_iff. unfold named. fold (first_block p x) b. split.
    + intros (e & E & I). apply P in I. destruct (Nat.eqb_spec e q); [left; lia | right; lia].
    + intros [M|M].
      * exists q. rewrite Nat.eqb_refl. split; auto. destruct (ring_gets p some x X) as (more & E). unfold places. rewrite E.
        apply in_or_app. right. now left.
      * exists (Z.to_nat (m + Z.of_nat q)). destruct (Nat.eqb_spec (Z.to_nat (m + Z.of_nat q)) q); [lia|]. split; [lia|].
        apply gets_all; auto; [|fold (first_block p x) b]; fold (rounds p) q; lia.
Qed.

Lemma nth_places x k : x < p -> k < q -> nth_error (places x) k = Some (nth k (places x) 0).
Proof. intros X K. apply nth_error_nth'. now rewrite places_length. Qed.

Lemma first_place x k : 0 < x < p -> k < q -> nth k (places x) 0 = q -> k = level (skip p) x.
Proof.
  intros X K E. pose proof (places_distinct x) as D. apply NoDup_cons_iff in D as [_ D].
  assert (level (skip p) x = index q (places x)) as -> by (symmetry; exact (first_round p some x X)).
  assert (In q (places x)) as I by (rewrite <- E; apply places_has; lia).
  apply (proj1 (NoDup_nth_error _) D); [rewrite places_length; lia|]. rewrite nth_places, index_nth by (auto; lia). congruence.
Qed.

Lemma receives_first x : 0 < x < p -> received p x (level (skip p) x) = Z.of_nat (first_block p x).
Proof.
  intros X. unfold received, table_entry, named. rewrite <- (first_round p some x X).
  destruct (ring_gets p some x X) as (more & E).
  assert (In (Nat.log2_up p) (map fst (snd (ring_row p x)))) as I by (rewrite E; apply in_or_app; right; now left).
  apply index_nth in I. rewrite (nth_error_nth _ _ 0 I). unfold rounds. now rewrite Nat.eqb_refl.
Qed.

Theorem has_sent : sends_what_it_has p.
Proof.
  intros x k X K Y0. unfold sent. set (y := (x + skip p k) mod p) in *. fold q in K |- *.
  assert (0 < y < p) as Y by (pose proof (Nat.mod_upper_bound (x + skip p k) p); lia).
  assert (skip p k < p) as S.
  { rewrite <- (skip_last p) at 2. apply rises_on; auto using skip_first, skip_second, skip_doubles. }
  assert ((p + y - skip p k) mod p = x) as B.
  { unfold y. destruct (le_lt_dec p (x + skip p k)) as [L|L].
    - replace ((x + skip p k) mod p) with (x + skip p k - p);
        [replace (p + (x + skip p k - p) - skip p k) with x by lia; apply Nat.mod_small; lia|].
      replace (x + skip p k) with (x + skip p k - p + 1 * p) at 2 by lia. rewrite Nat.mod_add, Nat.mod_small; lia.
    - rewrite (Nat.mod_small (x + skip p k)) by lia. replace (p + (x + skip p k) - skip p k) with (x + 1 * p) by lia.
      rewrite Nat.mod_add, Nat.mod_small; lia. }
  set (e := nth k (places y) 0). pose proof (places_has y k ltac:(lia) K) as I. fold e in I.
  assert (e <= q) as E by (apply (places_bounded y); [lia | now right]).
  assert (received p y k = named q (ring_row p y) e) as -> by reflexivity. unfold named.
  destruct (Nat.eqb_spec e q) as [Q|Q].
  - right. exists (level (skip p) x). pose proof (first_place y k Y K Q) as L. pose proof (first_sender p some y Y) as H. cbn zeta in H.
    rewrite <- L, B in H. destruct H as [H|(_ & A & H)]; [lia|]. split; [rewrite L; rewrite L in H; exact H|].
    rewrite receives_first by auto. unfold first_block. now rewrite A.
  - pose proof (sender_has p some y k e Y (nth_places y k ltac:(lia) K)) as H. cbn zeta in H. rewrite B in H.
    destruct H as [H|H]; [lia | left; unfold first_block; lia | right].
    exists (index e (places x)). split; auto. assert (In e (places x)) as M by (apply index_in; rewrite places_length; unfold places; lia).
    unfold received, table_entry, named. fold q (places x). rewrite (nth_error_nth _ _ 0 (index_nth e _ M)).
    destruct (Nat.eqb_spec e q); [contradiction | reflexivity].
Qed.

Theorem root_sends : root_sends_all p.
Proof.
  intros k K. unfold sent. fold q in K. cbn [plus]. assert (skip p k < p) as S.
  { rewrite <- (skip_last p) at 2. apply rises_on; auto using skip_first, skip_second, skip_doubles. }
  pose proof (beyond (skip p) (skip_first p some) (skip_second p some) (skip_doubles p) k) as B. rewrite Nat.mod_small by lia.
  assert (level (skip p) (skip p k) = k) as L.
  { apply level_is; auto using skip_first, skip_second, skip_doubles. split; auto.
    apply rises_on; auto using skip_first, skip_second, skip_doubles. }
  rewrite <- L at 2. rewrite receives_first by lia. f_equal. unfold first_block.
  rewrite ring_base, base_is by (auto using skip_first, skip_second, skip_doubles; lia). unfold rest. now rewrite L, Nat.sub_diag.
Qed.
End Tables.

Theorem circulant_tables p : 1 < p -> receives_each_once p /\ sends_what_it_has p /\ root_sends_all p.
Proof. intros P. split; [now apply each_once | split; [now apply has_sent | now apply root_sends]]. Qed.
