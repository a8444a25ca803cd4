(* Folding with removed steps: when it needs no scratch. Then it is a schedule like all others. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge SwingAll Cells Copies Folding RemovedSteps RemovedOnce.
Import ListNotations.

Lemma well_formed_fewer p q blocks sch : Forall (Forall (fun t => src t < q /\ dst t < q)) sch -> forall s,
  well_formed p blocks s sch -> well_formed q blocks s sch.
Proof.
  induction 1 as [|st sch A _ IH]; intros s W; cbn in *; auto. destruct W as [[B C] W]. split; auto. split; auto.
  rewrite Forall_forall in *. intros t T. specialize (A t T). specialize (B t T). unfold allowed in *. tauto.
Qed.

Theorem scratch_unused c p blocks scratch sch : Forall (Forall (inside p blocks)) sch ->
  exactly_once_in_cells c p blocks scratch sch -> exactly_once_in_cells c p blocks 0 sch.
Proof.
  intros I (P & _ & W & D). unfold exactly_once_in_cells. rewrite Nat.add_0_r. split; auto. split; auto. split; auto.
  revert W. apply well_formed_fewer. unfold laid_out. rewrite Forall_map. eapply Forall_impl; [|exact I]. intros st S. rewrite Forall_map.
  eapply Forall_impl; [|exact S]. intros t (A & B & C & E). cbn. auto using cell_below.
Qed.

(* Ranks keep two sums where a target is needed as both: if more than one vector is to be complete, and an odd number is folded. *)
Definition keeps_two (factor : nat * nat) : bool := existsb (apart (fst factor) (snd factor)) (seq 0 (fst factor)).
Definition scratch_of (extents : list nat) (removed : nat) : nat :=
  if existsb keeps_two (shares extents removed) then extent extents else 0.

Definition no_copies (g : taking) : Prop := forall x b k y j o, g x b k = Some (y, j, o) -> j = false /\ k = false.

Lemma nothing_apart n removed inner x b : 0 < inner -> 0 < n -> keeps_two (n, removed) = false ->
  apart n removed (places inner n x b) = false.
Proof.
  intros I N K. apply not_true_iff_false. intros A. apply not_true_iff_false in K. apply K. apply existsb_exists.
  exists (places inner n x b). split; auto. apply in_below. now apply places_below.
Qed.

Lemma shortened_no_copies factors : Forall proper factors -> existsb keeps_two factors = false -> forall kept,
  Forall no_copies (shortened factors kept).
Proof.
  induction 1 as [|[n removed] rest [N R] F IH]; intros K kept; cbn [shortened]; [constructor|]. cbn [fst snd] in N, R.
  cbn [existsb] in K. apply orb_false_iff in K as [K K']. set (inner := extent (map fst rest)). assert (0 < inner) as I.
  { unfold inner, extent. clear - F. induction F as [|f fs [A _] _ IH]; cbn; [lia|]. nia. }
  rewrite !Forall_app. split; [unfold reduction; apply Forall_app; split|split]; auto.
  - rewrite Forall_map. apply Forall_forall. intros t _ x b k y j o. unfold folding_step, adds_to_copy.
    rewrite (nothing_apart n removed inner x b I N K), !andb_false_r. destruct (negb _); [discriminate|]. destruct k; [discriminate|].
    destruct (adds _ _ _ _); [|discriminate]. intros E. inversion E. auto.
  - unfold keeps_two in K. cbn [fst snd] in K. rewrite K. constructor.
  - unfold distribution. rewrite Forall_map. apply Forall_forall. intros t _ x b k y j o. unfold spreading_step.
    destruct k; [rewrite andb_false_r; discriminate|]. destruct (_ && _); [|discriminate]. intros E. inversion E. auto.
Qed.

(* The schedule with the scratch blocks that it needs: one for each block, or none *)
Theorem removed_steps_needed extents removed : Forall (fun n => 0 < n) extents ->
  exactly_once_in_cells Allreduce (extent extents) (extent extents) (scratch_of extents removed) (removed_steps extents removed).
Proof.
  intros S. pose proof (removed_steps_once extents removed S) as O. cbv zeta in O. unfold scratch_of.
  destruct (existsb keeps_two (shares extents removed)) eqn:K; auto. revert O. intros O. apply (scratch_unused _ _ _ (extent extents)); auto.
  destruct O as (_ & I & _). unfold removed_steps in *.
  pose proof (shortened_no_copies _ (shares_proper _ removed S) K (fun _ _ => true)) as C. rewrite Forall_map in *.
  rewrite Forall_forall in *. intros g G. specialize (I g G). specialize (C g G). rewrite Forall_forall in *.
  intros t T. specialize (I t T). destruct I as (A & B & _). apply in_taken in T as (x & b & k & y & j & o & X & L & E & ->).
  apply C in E as [-> ->]. unfold inside. cbn in *. auto.
Qed.

(* Powers of two need none, nor does any group if no steps are removed. *)
Lemma powers_even a : forall t more, t + more <= a -> first_odd (2 ^ a) t more = t + more.
Proof.
  assert (forall t, t <= a -> left (2 ^ a) t = 2 ^ (a - t)) as L.
  { induction t as [|t IH]; intros T; cbn [left]; [now rewrite Nat.sub_0_r|]. rewrite IH by lia. replace (a - t) with (S (a - S t)) by lia.
    rewrite Nat.pow_succ_r', Nat.mul_comm. rewrite Nat.div_add_l by lia. cbn. lia. }
  intros t more. revert t. induction more as [|k IH]; intros t T; cbn [first_odd]; [lia|]. rewrite L by lia.
  replace (a - t) with (S (a - S t)) by lia. rewrite Nat.pow_succ_r', Nat.even_mul. cbn [Nat.even orb]. rewrite IH by lia. lia.
Qed.

Theorem powers_keep_one a removed : keeps_two (2 ^ a, removed) = false.
Proof.
  unfold keeps_two. cbn [fst snd]. apply not_true_iff_false. intros E. apply existsb_exists in E as (m & _ & A).
  unfold apart in A. apply andb_true_iff in A as [_ A]. unfold moving, odd_step in A. apply andb_true_iff in A as [A _]. apply Nat.ltb_lt in A.
  assert (folds (2 ^ a) = a) as F by (apply Nat.log2_up_pow2; lia). rewrite F, powers_even in A by lia. lia.
Qed.

Theorem halves_keep_one n : 0 < n -> keeps_two (n, 0) = false.
Proof.
  intros N. unfold keeps_two. cbn [fst snd]. apply not_true_iff_false. intros E. apply existsb_exists in E as (m & _ & A).
  pose proof (left_one n 0 N ltac:(lia)) as L. unfold apart, resting, moving, targets in A. rewrite Nat.sub_0_r, L in A.
  rewrite !andb_true_iff, !Nat.ltb_lt, Nat.leb_le in A. destruct A as [M [_ A]]. replace m with 0 in A by lia. cbn [Nat.eqb] in A.
  pose proof (left_shrinks n 0 (S (odd_step n)) ltac:(lia)) as B. change (left n 0) with n in B. lia.
Qed.
