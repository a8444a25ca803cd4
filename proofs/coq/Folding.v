(* Folding: of N partial sums the upper half is added to the lower one, until one is left, for every p. It makes the reduce-scatter
   and allgather of Kolmakov's and Zhang's algorithm with no steps removed, over cyclic groups and their products. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products Tori TreeRoute Catalogue Turned.
Import ListNotations.

(* How many are left of p after t steps *)
Fixpoint left (p t : nat) : nat := match t with O => p | S k => (left p k + 1) / 2 end.

(* Of N that are left, those from ceil(N/2) on go floor(N/2) places down. *)
Definition fold_route (p : nat) : route := fun t d =>
  if (left p (S t) <=? d) && (d <? left p t) then Some (d - left p t / 2) else None.

Definition folding (p : nat) : factor := turned_factor p (Nat.log2_up p) (fold_route p).

Lemma halves n : n / 2 + (n + 1) / 2 = n.
Proof.
  pose proof (Nat.div_mod n 2 ltac:(lia)). pose proof (Nat.mod_upper_bound n 2 ltac:(lia)).
  pose proof (Nat.div_mod (n + 1) 2 ltac:(lia)). pose proof (Nat.mod_upper_bound (n + 1) 2 ltac:(lia)). lia.
Qed.

Lemma half_up n : (n + 1) / 2 <= n /\ n <= 2 * ((n + 1) / 2).
Proof.
  pose proof (Nat.div_mod (n + 1) 2 ltac:(lia)). pose proof (Nat.mod_upper_bound (n + 1) 2 ltac:(lia)). lia.
Qed.

Lemma left_shrinks p t u : t <= u -> left p u <= left p t.
Proof. induction 1 as [|u _ IH]; [auto|]. cbn [left]. pose proof (half_up (left p u)). lia. Qed.

Lemma left_power p n t : p <= 2 ^ n -> t <= n -> left p t <= 2 ^ (n - t).
Proof.
  intros P. induction t as [|t IH]; intros T; [cbn [left]; now rewrite Nat.sub_0_r|]. specialize (IH ltac:(lia)). cbn [left].
  replace (n - t) with (S (n - S t)) in IH by lia. rewrite Nat.pow_succ_r' in IH.
  apply Nat.lt_succ_r, Nat.div_lt_upper_bound; lia.
Qed.

Lemma fold_some p t d e : fold_route p t d = Some e ->
  left p (S t) <= d < left p t /\ e = d - left p t / 2 /\ e < d /\ e < left p (S t).
Proof.
  unfold fold_route. destruct (Nat.leb_spec (left p (S t)) d), (Nat.ltb_spec d (left p t)); cbn [andb]; try discriminate.
  intros E. assert (e = d - left p t / 2) as -> by congruence. cbn [left] in *. pose proof (halves (left p t)). pose proof (half_up (left p t)). lia.
Qed.

Lemma fold_place p t x : x < p -> place (fold_route p) t x < left p t.
Proof.
  intros X. induction t as [|t IH]; [exact X|]. cbn [place]. generalize dependent (place (fold_route p) t x). intros y Y.
  destruct (fold_route p t y) as [d|] eqn:E; [now apply fold_some in E|].
  unfold fold_route in E. destruct (Nat.leb_spec (left p (S t)) y); auto. apply Nat.ltb_lt in Y. now rewrite Y in E.
Qed.

Theorem fold_valid p n : p <= 2 ^ n -> valid p n 0 (fold_route p).
Proof.
  intros P. split.
  - intros t x d T X H. apply fold_some in H. lia.
  - intros t u x U X H. destruct (fold_route p t x) eqn:E; [|congruence]. apply fold_some in E as (R & _).
    destruct (fold_route p u x) eqn:F; auto. apply fold_some in F as (S' & _). pose proof (left_shrinks p (S t) u ltac:(lia)). lia.
  - intros t u x y U X Y H G. destruct (fold_route p t x) eqn:E; [|congruence]. apply fold_some in E as (R & _).
    apply fold_some in G as (_ & _ & _ & S'). pose proof (left_shrinks p (S t) (S u) ltac:(lia)). lia.
  - intros x X. pose proof (fold_place p n x X). pose proof (left_power p n n P (le_n n)) as L.
    rewrite Nat.sub_diag in L. cbn in L. lia.
Qed.

Lemma folding_right p : 0 < p -> right (folding p).
Proof. intros P q Q. cbn in *. apply turned_valid; auto using fold_valid, enough_steps. Qed.

Theorem folding_once p : 0 < p -> all_once (folding p).
Proof. intros P. apply factor_once; auto using folding_right. Qed.

(* A product of cyclic groups: one folded after the other. The xor group is 2 x 2 x .. x 2. *)
Definition folding_group (extents : list nat) : factor :=
  let fs := map folding extents in torus_factor (torus_of fs (in_turn fs)).

Theorem folding_group_once extents : Forall (fun n => 0 < n) extents -> all_once (folding_group extents).
Proof.
  intros S. apply factor_once.
  - unfold folding_group. rewrite torus_of_ranks. induction S as [|n ns N _ IH]; cbn in *; nia.
  - apply torus_of_right; auto using in_turn_interleaves. apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N).
    rewrite Forall_forall in S. auto using folding_right.
Qed.
