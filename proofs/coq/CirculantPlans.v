(* The plan of the circulant graph's skips. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Factors Relabelled Turned Circulant Plans RowPlans SeatedPlans.
Import ListNotations.

Definition circulant_plan (p : nat) : plan :=
  relabelled_plan (opposite p) (opposite p) (tree_turned p (Nat.log2_up p) (halved_skips p)).

Theorem circulant_plans p : 0 < p -> plans (circulant p) (circulant_plan p).
Proof.
  intros P. apply relabelled_plans; [apply opposite_bijection|]. apply tree_turned_plans. now apply halved_valid.
Qed.
