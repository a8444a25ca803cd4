(* The plan of 3-2 elimination on tori. *)
Require Import Arith List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Tori SwingAll Folded EliminationTori Tables Plans ProductPlans RowPlans.
Import ListNotations.

Definition eliminating_torus_plan (sides : list nat) : plan :=
  torus_plan (map (fun n => scanned (eliminating_side n)) sides) (eliminating_order sides).
Definition quick_elimination_torus (sides : list nat) : schedule :=
  let s := eliminating_torus_plan sides in
  quick_allreduce (extent sides) (inner_blocks sides) (plan_steps s) (fun b => plan_sends s (eliminated_rank sides b)).

Theorem quick_elimination_same sides : Forall (fun n => 0 < n) sides -> quick_elimination_torus sides = elimination_torus sides.
Proof.
  intros P. assert (plans (eliminating_torus sides) (eliminating_torus_plan sides)) as Q.
  { apply torus_plans; [apply eliminating_interleaves|]. apply mapped_plans. revert P. apply Forall_impl.
    intros n N. now apply scanned_plans, eliminating_side_right. }
  destruct (Q 0) as (_ & S & _); [rewrite eliminating_torus_ranks; now apply extent_positive|].
  unfold quick_elimination_torus, elimination_torus. cbv zeta. rewrite <- S. apply quick_allreduce_same. intros b B.
  destruct (Q (eliminated_rank sides b)) as (_ & _ & D); [rewrite eliminating_torus_ranks; now apply eliminated_rank_below|].
  now rewrite eliminating_torus_ranks in D.
Qed.
