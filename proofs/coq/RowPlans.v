(* The plans of the ring, of dissemination, doubling, Bruck, folding and bucket. `quick_factor_same` says that the schedules written
   from them are those of the theorems. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Products Tori TreeRoute Relabelled Catalogue Turned
  Carried Folding Tables Plans PeerPlans ProductPlans.
Import ListNotations.

(* Rotations. `offset p q` is q's view of the ranks (Turned.v). *)
Lemma shifted_alike p n f : 0 < p -> alike p n (shifted p f) (offset p).
Proof.
  intros P q x Q X. split.
  - split.
    + intros Z. destruct (offset_bijection p q Q x X) as (_ & _ & E & _). rewrite <- E, Z. unfold at_offset. now apply Nat.mod_small.
    + intros ->. unfold offset. replace (q + (p - q)) with p by lia. apply Nat.mod_same. lia.
  - intros t _. unfold shifted, offset. split; [apply Nat.mod_upper_bound; lia|].
    rewrite !Nat.add_mod_idemp_l by lia. f_equal. lia.
Qed.

Definition ring_plan (p : nat) : plan := peers_plan p (p - 1) (shifted p (fun _ => 1)) (offset p).
Definition dissemination_plan (p : nat) : plan := peers_plan p (Nat.log2_up p) (shifted p (fun s => 2 ^ s)) (offset p).

Theorem ring_plans p : 0 < p -> plans (ring p) (ring_plan p).
Proof. intros P. now apply peers_plans, shifted_alike. Qed.

Lemma dissemination_plans p : 0 < p -> plans (dissemination p) (dissemination_plan p).
Proof. intros P. now apply peers_plans, shifted_alike. Qed.

(* Recursive halving and doubling *)
Definition doubling_near_plan (a : nat) : plan := peers_plan (2 ^ a) a exchanged Nat.lxor.
Definition doubling_far_plan (a : nat) : plan := peers_plan (2 ^ a) a (reversed a exchanged) Nat.lxor.

Lemma exchanged_alike a n peer : (forall t, t < n -> exists s, s < a /\ forall x, peer x t = exchanged x s) ->
  alike (2 ^ a) n peer Nat.lxor.
Proof.
  intros E q x Q X. split; [rewrite Nat.lxor_eq_0_iff; split; auto|]. intros t T. destruct (E t T) as (s & S & P). rewrite !P.
  split; [now apply exchanged_below|]. unfold exchanged. now rewrite <- Nat.lxor_assoc, (Nat.lxor_comm q), Nat.lxor_assoc.
Qed.

Theorem doubling_plans a : plans (doubling_near a) (doubling_near_plan a) /\ plans (doubling_far a) (doubling_far_plan a).
Proof.
  split; apply peers_plans, exchanged_alike; intros t T; [exists t; auto|]. exists (a - S t). split; auto. lia.
Qed.

Lemma alone_plans : plans alone alone_plan.
Proof. intros q Q. split; [|split]; auto. split; [discriminate | reflexivity]. Qed.

(* Trees turned to every owner *)
Definition tree_turned (p n : nat) (h : route) : plan := turned_plan p n (memo p (scan h n 0)).

Lemma tree_turned_plans p n h : valid p n 0 h -> plans (turned_factor p n h) (tree_turned p n h).
Proof.
  intros V. apply turned_plans. apply (planned_same _ _ _ (scan h n 0)); [intros; apply memo_same|]. now apply (scan_planned _ _ 0).
Qed.

Definition bruck_near_plan (p : nat) : plan := let n := Nat.log2_up p in tree_turned p n (near n).
Definition bruck_far_plan (p : nat) : plan := tree_turned p (Nat.log2_up p) far.
Definition folding_plan (p : nat) : plan := tree_turned p (Nat.log2_up p) (fold_route p).
Definition pairwise_plan (p : nat) : plan := tree_turned p (p - 1) (straight_tree p).

Theorem turned_rows p : 0 < p ->
  plans (bruck_near p) (bruck_near_plan p) /\ plans (bruck_far p) (bruck_far_plan p) /\ plans (folding p) (folding_plan p).
Proof.
  intros P. split; [|split]; apply tree_turned_plans; auto using near_valid, far_valid, fold_valid, enough_steps.
Qed.

Theorem pairwise_plans p : plans (pairwise p) (pairwise_plan p).
Proof. apply tree_turned_plans, straight_valid. Qed.

(* Tori *)
Lemma mapped_plans {A} (f : A -> factor) (s : A -> plan) l : Forall (fun n => plans (f n) (s n)) l -> Forall2 plans (map f l) (map s l).
Proof. induction 1; cbn; auto. Qed.

Definition folding_group_plan (extents : list nat) : plan :=
  torus_plan (map folding_plan extents) (in_turn (map folding extents)).
Definition bucket_plan (sides order : list nat) : plan := torus_plan (map ring_plan sides) order.

Theorem folding_group_plans extents : Forall (fun n => 0 < n) extents -> plans (folding_group extents) (folding_group_plan extents).
Proof.
  intros P. apply torus_plans; [apply in_turn_interleaves|]. apply mapped_plans. revert P. apply Forall_impl. apply turned_rows.
Qed.

Theorem bucket_plans sides order : Forall (fun n => 0 < n) sides -> interleaves (map ring sides) order ->
  plans (bucket sides order) (bucket_plan sides order).
Proof. intros P I. apply torus_plans; auto. apply mapped_plans. revert P. apply Forall_impl. exact ring_plans. Qed.
