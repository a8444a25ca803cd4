(* Broadcasts and reduces of many blocks on a circulant graph, and the other collectives along the same trees, for every number of ranks
   and blocks. Rank x of p does what rank p + x of the line does (CirculantRows.v), where p is s q. Numbers in a row are blocks of the phase
   before, but for q: it stands for the rank's first block, of this phase.

   Blocks are counted from the last one, c = 0, and steps from the end of a broadcast, where a phase ends. The last block is the first one
   of its phase, and each rank gets it where it would get its own first one. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees TreeRoute Turned Folding Circulant Rooted CirculantRows.
Import ListNotations.

(* p, halved and rounded up until it is 1, from there on. Beyond p they double. *)
Definition skip (p : nat) : nat -> nat := let q := Nat.log2_up p in fun k => 2 ^ (k - q) * left p (q - k).

Lemma skip_first p : 0 < p -> skip p 0 = 1.
Proof.
  intros P. unfold skip. rewrite Nat.sub_0_l, Nat.sub_0_r. pose proof (left_some p (Nat.log2_up p) P).
  pose proof (left_power p _ _ (enough_steps p P) (le_n _)) as L. rewrite Nat.sub_diag in L. cbn in *. lia.
Qed.

Lemma left_covers p t : p <= 2 ^ t * left p t.
Proof. induction t as [|t IH]; [cbn; lia|]. cbn [left]. rewrite Nat.pow_succ_r'. pose proof (half_up (left p t)). nia. Qed.

Lemma skip_doubles p k : 2 * skip p k <= S (skip p (S k)) /\ skip p (S k) <= 2 * skip p k.
Proof.
  unfold skip. set (q := Nat.log2_up p). destruct (le_lt_dec q k) as [L|L].
  - replace (q - k) with 0 by lia. replace (q - S k) with 0 by lia. replace (S k - q) with (S (k - q)) by lia.
    rewrite Nat.pow_succ_r'. cbn [left]. lia.
  - replace (k - q) with 0 by lia. replace (S k - q) with 0 by lia. replace (q - k) with (S (q - S k)) by lia. cbn [left].
    rewrite !Nat.mul_1_l. pose proof (half_up (left p (q - S k))).
    pose proof (Nat.div_mod (left p (q - S k) + 1) 2 ltac:(lia)). cbn [Nat.pow]. lia.
Qed.

Lemma skip_second p : 0 < p -> skip p 1 = 2.
Proof.
  intros P. pose proof (skip_doubles p 0) as D. rewrite skip_first in D by auto. enough (skip p 1 <> 1) by lia. unfold skip.
  destruct (Nat.eq_dec p 1) as [->|N]; [cbn; lia|]. pose proof (Nat.log2_up_spec p ltac:(lia)) as [L _]. set (q := Nat.log2_up p) in *.
  assert (0 < q) by (apply Nat.log2_up_pos; lia). replace (1 - q) with 0 by lia. rewrite Nat.mul_1_l. intros E.
  pose proof (left_covers p (q - 1)) as C. rewrite E in C. replace (pred q) with (q - 1) in L by lia. lia.
Qed.

Lemma skip_last p : skip p (Nat.log2_up p) = p.
Proof. unfold skip. rewrite Nat.sub_diag. cbn. lia. Qed.

Lemma skip_twice p : skip p (S (Nat.log2_up p)) = 2 * p.
Proof.
  unfold skip. set (q := Nat.log2_up p). replace (S q - q) with 1 by lia. now replace (q - S q) with 0 by lia.
Qed.

(* The first place of a number in a list *)
Fixpoint index (e : nat) (l : list nat) : nat := match l with [] => 0 | x :: l => if x =? e then 0 else S (index e l) end.

Lemma index_nth e l : In e l -> nth_error l (index e l) = Some e.
Proof.
  induction l as [|x l IH]; [intros []|]. cbn [index]. intros I. destruct (Nat.eqb_spec x e) as [->|N]; [reflexivity|].
  destruct I as [|I]; [contradiction|]. now apply IH.
Qed.

Lemma index_below e l : In e l -> index e l < length l.
Proof. intros I. apply nth_error_Some. rewrite index_nth by auto. discriminate. Qed.

Lemma index_first j l : forall e, In e (firstn j l) -> index e l < j.
Proof.
  revert l. induction j as [|j IH]; intros l e I; [destruct I|]. destruct l as [|x l]; [destruct I|]. cbn in *.
  destruct (Nat.eqb_spec x e); [lia|]. destruct I as [|I]; [contradiction|]. specialize (IH l e I). lia.
Qed.

Lemma index_app e l m : In e l -> index e (l ++ m) = index e l.
Proof.
  induction l as [|x l IH]; [intros []|]. cbn [index app]. intros I. destruct (Nat.eqb_spec x e); auto.
  destruct I as [|I]; [contradiction|]. now rewrite IH.
Qed.

Lemma index_after e l m : ~ In e l -> index e (l ++ e :: m) = length l.
Proof.
  induction l as [|x l IH]; cbn [index app length]; intros N; [now rewrite Nat.eqb_refl|].
  destruct (Nat.eqb_spec x e) as [->|]; [exfalso; apply N; now left|]. rewrite IH; auto. intros I. apply N. now right.
Qed.

(* Which block of a phase is c before the last one, where phases have q blocks *)
Definition residue (q c : nat) : nat := (q - c mod q) mod q.

Lemma residue_below q c : 0 < q -> residue q c < q.
Proof. intros Q. apply Nat.mod_upper_bound. lia. Qed.

Lemma residue_fills q c : 0 < q -> 0 < c -> q <= c + residue q c.
Proof.
  intros Q C. unfold residue. pose proof (Nat.div_mod c q ltac:(lia)) as D. pose proof (Nat.mod_upper_bound c q ltac:(lia)).
  destruct (Nat.eq_dec (c mod q) 0) as [Z|N].
  - destruct (c / q) eqn:E; [lia|]. nia.
  - rewrite (Nat.mod_small (q - c mod q)) by lia. nia.
Qed.

(* A rank's round for that block, and the step, from the row of rank p + x *)
Definition begins_with (q c base : nat) : bool := (c =? 0) || (residue q c =? base).
Definition block_round (q c : nat) (r : nat * list (nat * nat)) : nat :=
  index (if begins_with q c (fst r) then q else residue q c) (map fst (snd r)).
Definition block_time (q c : nat) (r : nat * list (nat * nat)) : nat :=
  let j := block_round q c r in
  if c =? 0 then q - 1 - j else if residue q c =? fst r then c + residue q c + (q - 1 - j) else c + residue q c - 1 - j.

Section Ring.
Variable p : nat.
Let s := skip p.
Let q := Nat.log2_up p.

Definition ring_row (x : rank) : nat * list (nat * nat) := row_of s (p + x).
Definition block_parent (c : nat) (x : rank) : rank := (p + x - s (block_round q c (ring_row x))) mod p.
Definition block_tree (c : nat) : route := tree_route (block_parent c) (fun x => block_time q c (ring_row x)).

Hypothesis some : 0 < p.

Let first : s 0 = 1 := skip_first p some.
Let second : s 1 = 2 := skip_second p some.
Let doubles := skip_doubles p.
Let right y : 0 < y -> right_row s y := rows_right s first second doubles y.

Lemma at_q : s q = p.
Proof. apply skip_last. Qed.

Lemma ring_level x : x < p -> level s (p + x) = q.
Proof. intros X. apply (level_is s first second doubles). pose proof at_q. pose proof (skip_twice p : s (S q) = 2 * p). lia. Qed.

Lemma ring_rest x : x < p -> rest s (p + x) = x.
Proof. intros X. unfold rest. rewrite ring_level, at_q by auto. lia. Qed.

Lemma ring_base x : 0 < x < p -> fst (ring_row x) = base_of s x.
Proof.
  intros X. unfold ring_row. fold (base_of s (p + x)). rewrite (base_is s first second doubles) by lia. rewrite ring_rest by lia.
  destruct (Nat.eqb_spec x 0); [lia | auto].
Qed.

Lemma ring_gets x : 0 < x < p -> exists more, map fst (snd (ring_row x)) = gets s x ++ q :: more.
Proof.
  intros X. unfold ring_row. destruct (row_begins s first second doubles (p + x) ltac:(lia)) as (more & ->).
  rewrite ring_level, ring_rest by lia. unfold begun. destruct (Nat.eqb_spec x 0); [lia|]. exists (map fst more).
  rewrite !map_app, map_map, <- app_assoc. reflexivity.
Qed.

Lemma low x : 0 < x < p -> level s x < q.
Proof. intros X. apply (level_below s first second doubles); [lia|]. rewrite at_q. lia. Qed.

(* Block q comes first along the skips that sum up to x. *)
Lemma first_round x : 0 < x < p -> index q (map fst (snd (ring_row x))) = level s x.
Proof.
  intros X. destruct (ring_gets x X) as (more & ->). pose proof (right x ltac:(lia)) as R. pose proof (low x X).
  rewrite index_after; [unfold gets; rewrite map_length; apply (full s x R)|].
  intros I. assert (q <= level s x) by (apply (bounded s x R); now right). lia.
Qed.

Lemma base_low x : 0 < x < p -> fst (ring_row x) <= level s x.
Proof. intros X. rewrite ring_base by auto. apply (bounded s x (right x ltac:(lia))). now left. Qed.

(* A rank gets all other blocks. *)
Lemma gets_all x e : 0 < x < p -> e < q -> e <> fst (ring_row x) -> In e (map fst (snd (ring_row x))).
Proof.
  intros X E N. pose proof (right (p + x) ltac:(lia)) as R. unfold ring_row in *. fold (base_of s (p + x)) (gets s (p + x)) in *.
  assert (In e (base_of s (p + x) :: gets s (p + x))) as [I|I]; [|congruence | exact I].
  apply (NoDup_length_incl (distinct s _ R) (l' := seq 0 (S q))).
  - rewrite seq_length. cbn [length]. unfold gets. rewrite map_length, (full s _ R), ring_level; lia.
  - intros x' I. apply in_seq. apply (bounded s _ R) in I. rewrite ring_level in I; lia.
  - apply in_seq. lia.
Qed.

(* What rank x gets in round j, the other one has by then. *)
Lemma sender_has x j e : 0 < x < p -> nth_error (map fst (snd (ring_row x))) j = Some e ->
  let f := (p + x - s j) mod p in 0 < f -> e = fst (ring_row f) \/ index e (map fst (snd (ring_row f))) < j.
Proof.
  intros X E f F. pose proof (right (p + x) ltac:(lia)) as R. rewrite nth_error_map in E. unfold ring_row in E.
  destruct (nth_error (snd (row_of s (p + x))) j) as [u|] eqn:U; [|discriminate]. injection E as E.
  assert (j < q) as J. { rewrite <- (ring_level x), <- (full s _ R) by lia. apply nth_error_Some. congruence. }
  apply (offered s _ R) in U. pose proof (rises_on s first second doubles j q J) as B. rewrite at_q in B.
  pose proof (beyond s first second doubles j). set (z := p + x - s j) in *.
  assert (In e (base_of s z :: firstn j (gets s z))) as I.
  { destruct U as [<-|U]; [left; exact E | right]. unfold gets. rewrite firstn_map, <- E. now apply in_map. }
  destruct (le_lt_dec p z) as [L|L].
  - assert (f = z - p) as ->. { unfold f. replace z with (z - p + 1 * p) at 1 by lia. rewrite Nat.mod_add, Nat.mod_small; lia. }
    unfold ring_row. replace (p + (z - p)) with z by lia. destruct I as [I|I]; [left; auto | right]. now apply index_first.
  - assert (f = z) as -> by (unfold f; apply Nat.mod_small; lia). rewrite ring_base by lia. destruct I as [I|I]; [left; auto | right].
    destruct (ring_gets z ltac:(lia)) as (more & ->). rewrite index_app; [now apply index_first | now apply in_first in I].
Qed.

(* Block q comes from a rank that begins with the same block, and that gets it earlier. *)
Lemma first_sender x : 0 < x < p -> let f := (p + x - s (level s x)) mod p in
  f = 0 \/ (0 < f < p /\ fst (ring_row f) = fst (ring_row x) /\ level s f < level s x).
Proof.
  intros X. pose proof (rest_is s first second doubles x ltac:(lia)) as [E L]. pose proof (low x X).
  assert ((p + x - s (level s x)) mod p = rest s x) as ->.
  { replace (p + x - s (level s x)) with (rest s x + 1 * p) by lia. rewrite Nat.mod_add, Nat.mod_small; lia. }
  cbn zeta. destruct (Nat.eq_dec (rest s x) 0) as [|N]; [now left | right]. repeat split; try lia.
  - rewrite !ring_base, (base_is s first second doubles x) by lia. apply Nat.eqb_neq in N. now rewrite N.
  - apply (level_below s first second doubles); lia.
Qed.

Lemma block_time_below c n x : c < n -> 0 < x < p -> block_time q c (ring_row x) < n - 1 + q.
Proof.
  intros C X. pose proof (low x X) as L. pose proof (first_round x X) as Fx. pose proof (base_low x X) as B.
  unfold block_time, block_round, begins_with. destruct (Nat.eqb_spec c 0) as [->|N]; cbn [orb]; [lia|].
  pose proof (residue_below q c ltac:(lia)). destruct (Nat.eqb_spec (residue q c) (fst (ring_row x))) as [E|E]; [rewrite Fx; lia | lia].
Qed.

Theorem block_tree_valid c n : c < n -> valid p (n - 1 + q) 0 (block_tree c).
Proof.
  intros C. apply timed_tree_valid; intros x X; pose proof (low x X) as L.
  - apply Nat.mod_upper_bound. lia.
  - now apply block_time_below.
  - unfold block_parent, block_time, block_round, begins_with. pose proof (first_round x X) as Fx.
    pose proof (first_sender x X) as S. pose proof (residue_below q c ltac:(lia)) as Rq.
    destruct (Nat.eqb_spec c 0) as [->|N]; cbn [orb].
    { rewrite Fx. intros P. destruct S as [S|(Q & _ & S)]; [lia|]. rewrite (first_round _ Q). lia. }
    pose proof (residue_fills q c ltac:(lia) ltac:(lia)) as Fq. set (e := residue q c) in *.
    destruct (Nat.eqb_spec e (fst (ring_row x))) as [E|E].
    { rewrite Fx. intros P. destruct S as [S|(Q & A & S)]; [lia|]. rewrite A, <- E, Nat.eqb_refl, (first_round _ Q). lia. }
    pose proof (gets_all x e X Rq E) as I. set (j := index e (map fst (snd (ring_row x)))). intros P.
    pose proof (index_below _ _ I) as J. fold j in J.
    pose proof (sender_has x j e X (index_nth _ _ I) P) as H. cbn zeta in H. set (f := (p + x - s j) mod p) in *.
    assert (f < p) as Fp by (apply Nat.mod_upper_bound; lia).
    assert (j < q) as Jq.
    { unfold ring_row in J. rewrite map_length, (full s _ (right (p + x) ltac:(lia))), ring_level in J; lia. }
    destruct (Nat.eqb_spec e (fst (ring_row f))) as [|M]; [lia|]. destruct H as [H|H]; [contradiction|]. lia.
Qed.
End Ring.

(* n blocks from a root, or to it. One rank takes no steps. *)
Definition blocks_route (p n : nat) (b : block) : route := block_tree p (n - 1 - b).
Definition blocks_steps (p n : nat) : nat := if p =? 1 then 0 else n - 1 + Nat.log2_up p.

Theorem circulant_blocks_once p n : 0 < p -> 0 < n -> all_rooted [p] n (blocks_steps p n) (blocks_route p n).
Proof.
  intros P N. apply trees_rooted_once; auto. intros b B. cbn -[blocks_steps]. rewrite Nat.mul_1_r. unfold blocks_steps.
  destruct (Nat.eqb_spec p 1) as [->|]; [|apply block_tree_valid; auto; lia]. split; try lia. intros x X. cbn. lia.
Qed.

(* n blocks of each rank: block b is the (b / p)-th of rank b mod p. *)
Definition own_blocks_route (p n : nat) (b : block) : route := turned p (owner p b) (block_tree p (n - 1 - b / p)).

Theorem circulant_own_blocks_once p n : 0 < p -> 0 < n -> let steps := n - 1 + Nat.log2_up p in
  exactly_once (ReduceScatter (owner p)) p (n * p) (reduce_scatter p (n * p) steps (own_blocks_route p n)) /\
  exactly_once (Allgather (owner p)) p (n * p) (allgather p (n * p) steps (own_blocks_route p n)) /\
  exactly_once Allreduce p (n * p) (allreduce p (n * p) steps (own_blocks_route p n)).
Proof.
  intros P N steps. assert (owned p steps (n * p) (owner p) (own_blocks_route p n)) as O.
  { intros b B. pose proof (owner_in_range p b P) as Q. split; auto. apply turned_valid; auto. apply block_tree_valid; auto. lia. }
  assert (0 < n * p) as S by nia. split; [|split].
  - now apply reduce_scatter_once.
  - now apply allgather_once.
  - now apply allreduce_once with (q := owner p).
Qed.
