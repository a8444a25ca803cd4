(* The plan of PAT. *)
Require Import Arith List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Turned Pat Tables Plans ProductPlans RowPlans.
Import ListNotations.

Definition pat_plan (near : bool) (p a : nat) : plan :=
  let levels := Nat.log2_up p in let top := Nat.min a levels in
  tree_turned p (pat_steps top (levels - top)) (pat_route top (levels - top) (times_of near (levels - top))).
Definition quick_pat_allgather (near : bool) (p a : nat) : schedule := filter busy (quick_allgather_of (pat_plan near p a)).
Definition quick_pat_reduce_scatter (near : bool) (p a : nat) : schedule := filter busy (quick_reduce_scatter_of (pat_plan near p a)).

Theorem quick_pat_same near p a : 0 < p ->
  quick_pat_allgather near p a = pat_allgather near p a /\ quick_pat_reduce_scatter near p a = pat_reduce_scatter near p a.
Proof.
  intros P. unfold quick_pat_allgather, quick_pat_reduce_scatter. destruct (quick_factor_same (pat near p a) (pat_plan near p a)) as (-> & -> & _).
  - exact P.
  - apply tree_turned_plans, pat_valid; [apply times_of_in | apply times_of_later|]. replace (_ + _) with (Nat.log2_up p) by lia. now apply enough_steps.
  - auto.
Qed.
