(* The plans of any algorithm within nodes and any across them. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Tori TreeRoute SwingTrees Tables Plans ProductPlans Rooted RootedPlans Hierarchical.
Import ListNotations.

Definition clock_of (s : plan) : factor := Factor (plan_ranks s) (plan_steps s) (fun _ _ _ => None).
Definition nodes_plan (across within : plan) : plan :=
  torus_plan [across; within] (within_first (clock_of across) (clock_of within)).

Section Composed.
Variables across within : plan.
Variables j w : nat.

Let s : plan := nodes_plan across within.
Let sends_of (s : plan) (b : block) : sends := plan_sends s (node_owner (plan_ranks within) w b).
Definition quick_nodes_reduce_scatter : schedule := quick_reduce_scatter (plan_ranks s) (j * w) (plan_steps s) (sends_of s).
Definition quick_nodes_allgather : schedule := quick_allgather (plan_ranks s) (j * w) (plan_steps s) (sends_of s).
Definition quick_nodes_allreduce : schedule := quick_allreduce (plan_ranks s) (j * w) (plan_steps s) (sends_of s).
Definition quick_nodes_broadcast : rank -> schedule :=
  quick_rooted_broadcast [plan_ranks across; plan_ranks within] 1 (plan_steps s) (fun _ => plan_sends s 0).
Definition quick_nodes_reduce : rank -> schedule :=
  quick_rooted_reduce [plan_ranks across; plan_ranks within] 1 (plan_steps s) (fun _ => plan_sends s 0).

Variables f g : factor.
Hypothesis F : plans f across.
Hypothesis G : plans g within.
Hypothesis some : 0 < j <= ranks f.
Hypothesis some_within : 0 < w <= ranks g.

Lemma nodes_plans : plans (nodes_of f g) s.
Proof.
  destruct (F 0 ltac:(lia)) as (_ & SF & _), (G 0 ltac:(lia)) as (_ & SG & _).
  unfold s, nodes_plan. replace (within_first (clock_of across) (clock_of within)) with (within_first f g).
  - apply torus_plans; [apply rev_interleaves, in_turn_interleaves | auto].
  - unfold within_first, in_turn. cbn. now rewrite SF, SG.
Qed.

Theorem quick_nodes_same :
  quick_nodes_reduce_scatter = nodes_reduce_scatter f g j w /\ quick_nodes_allgather = nodes_allgather f g j w /\
  quick_nodes_allreduce = nodes_allreduce f g j w.
Proof.
  destruct (G 0 ltac:(lia)) as (RG & _ & _).
  assert (forall b, b < j * w -> follows (node_owner (ranks g) w b) (nodes_of f g) s) as B.
  { intros b B. apply nodes_plans. rewrite nodes_ranks. now apply (node_owner_below f g j w). }
  destruct (B 0 ltac:(nia)) as (R & S & _). rewrite nodes_ranks in R.
  unfold quick_nodes_reduce_scatter, quick_nodes_allgather, quick_nodes_allreduce, nodes_reduce_scatter, nodes_allgather, nodes_allreduce.
  rewrite <- R, <- S.
  assert (forall b, b < j * w -> planned (ranks f * ranks g) (steps (nodes_of f g)) (nodes_path f g w b) (sends_of s b)) as Q.
  { intros b L. destruct (B b L) as (_ & _ & D). rewrite nodes_ranks in D. unfold sends_of. now rewrite <- RG. }
  split; [|split]; [now apply quick_reduce_scatter_same | now apply quick_allgather_same | now apply quick_allreduce_same].
Qed.

Theorem quick_node_trees_same root : root < ranks f * ranks g -> let n := steps (nodes_of f g) in
  quick_nodes_broadcast root = rooted_broadcast [ranks f; ranks g] 1 n (nodes_tree f g) root /\
  quick_nodes_reduce root = rooted_reduce [ranks f; ranks g] 1 n (nodes_tree f g) root.
Proof.
  intros R. destruct (F 0 ltac:(lia)) as (RF & _ & _), (G 0 ltac:(lia)) as (RG & _ & _).
  destruct (nodes_plans 0) as (_ & S & D); [rewrite nodes_ranks; lia|]. rewrite nodes_ranks in D.
  unfold quick_nodes_broadcast, quick_nodes_reduce. cbv zeta. rewrite <- RF, <- RG, <- S.
  apply quick_rooted_same; cbn; rewrite Nat.mul_1_r; auto.
Qed.
End Composed.
