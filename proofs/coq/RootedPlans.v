(* The plans of trees with any root: those of the routes to rank 0, with other ranks in the seats *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Relabelled Turned SwingAll SwingTrees Tables Plans ProductPlans SwingPlans SeatedPlans Rooted.
Import ListNotations.

Section Rooted.
Variable sides : list nat.
Variables blocks n : nat.
Let p := product_of sides.

Definition moved_sends (root : rank) (s : block -> rank -> option (nat * rank)) (b : block) : rank -> option (nat * rank) :=
  fun x => match s b (part_around sides root x) with Some (t, d) => Some (t, seat_around sides root d) | None => None end.
Definition quick_rooted_broadcast (s : block -> rank -> option (nat * rank)) (root : rank) : schedule :=
  quick_allgather p blocks n (moved_sends root s).
Definition quick_rooted_reduce (s : block -> rank -> option (nat * rank)) (root : rank) : schedule :=
  quick_reduce_scatter p blocks n (moved_sends root s).

Theorem quick_rooted_same g s root : root < p -> (forall b, b < blocks -> planned p n (g b) (s b)) ->
  quick_rooted_broadcast s root = rooted_broadcast sides blocks n g root /\
  quick_rooted_reduce s root = rooted_reduce sides blocks n g root.
Proof.
  intros R P. assert (forall b, b < blocks -> planned p n (moved sides root g b) (moved_sends root s b)) as M.
  { intros b B. apply relabelled_planned; auto. intros x X. now apply (around_bijection sides root R x X). }
  split; [now apply quick_allgather_same | now apply quick_reduce_scatter_same].
Qed.
End Rooted.

(* One block on a line: every route that sends once *)
Definition line_broadcast (p n : nat) (h : route) : rank -> schedule := quick_rooted_broadcast [p] 1 n (fun _ => scan h n 0).
Definition line_reduce (p n : nat) (h : route) : rank -> schedule := quick_rooted_reduce [p] 1 n (fun _ => scan h n 0).

Theorem line_same p n h root : valid p n 0 h -> root < p ->
  line_broadcast p n h root = rooted_broadcast [p] 1 n (fun _ => h) root /\ line_reduce p n h root = rooted_reduce [p] 1 n (fun _ => h) root.
Proof.
  intros V R. assert (product_of [p] = p) as E by apply Nat.mul_1_r. apply quick_rooted_same; rewrite E; auto.
  intros b _. now apply scan_planned with 0.
Qed.

(* Swing's *)
Definition quick_swing_broadcast (sides : list nat) (lanes : nat) : rank -> schedule :=
  quick_rooted_broadcast sides lanes (plan_steps (tree_lane_plan sides 0)) (tree_sends sides lanes).
Definition quick_swing_reduce (sides : list nat) (lanes : nat) : rank -> schedule :=
  quick_rooted_reduce sides lanes (plan_steps (tree_lane_plan sides 0)) (tree_sends sides lanes).

Theorem quick_swing_trees_same sides lanes root : Forall (fun n => 0 < n) sides -> root < extent sides -> let n := steps (tree_lane sides 0) in
  quick_swing_broadcast sides lanes root = rooted_broadcast sides lanes n (tree_path sides) root /\
  quick_swing_reduce sides lanes root = rooted_reduce sides lanes n (tree_path sides) root.
Proof.
  intros P R. destruct (trees_planned sides lanes P) as [S Q]. unfold quick_swing_broadcast, quick_swing_reduce. cbv zeta. rewrite <- S.
  apply quick_rooted_same; auto.
Qed.
