(* The plan of the circulant graph's skips. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Factors Relabelled Turned Circulant Plans RowPlans SeatedPlans.
Import ListNotations.

Definition circulant_left_plan (p : nat) : plan := tree_turned p (Nat.log2_up p) (halved_skips p).
Definition circulant_plan (p : nat) : plan := relabelled_plan (opposite p) (opposite p) (circulant_left_plan p).

Theorem circulant_plans p : 0 < p -> plans (circulant_left p) (circulant_left_plan p) /\ plans (circulant p) (circulant_plan p).
Proof.
  intros P. assert (plans (circulant_left p) (circulant_left_plan p)) as L by (apply tree_turned_plans; now apply halved_valid).
  split; auto. apply relabelled_plans; auto. apply opposite_bijection.
Qed.
