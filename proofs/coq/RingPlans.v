(* The plans of rings along Hamiltonian cycles. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Relabelled Turned Cycles Rings Tables Plans RowPlans SeatedPlans.
Import ListNotations.

Definition ring_left_plan (p : nat) : plan := tree_turned p (p - 1) (chain p).
Definition ring_right_plan (p : nat) : plan := relabelled_plan (opposite p) (opposite p) (ring_left_plan p).

Theorem ring_ways_plans p : plans (ring_left p) (ring_left_plan p) /\ plans (ring_right p) (ring_right_plan p).
Proof.
  assert (plans (ring_left p) (ring_left_plan p)) as L by (apply tree_turned_plans, chain_valid).
  split; auto. apply relabelled_plans; auto. apply opposite_bijection.
Qed.

Section Rings.
Variable sides : list nat.
Variable lanes : nat.
Let p : nat := product_of sides.
Let sends_of (to_right to_left : plan) (l : nat) (b : block) :=
  plan_sends (if l <? length (cycles_of sides) then to_right else to_left) b.
Let sends := sends_of (ring_right_plan p) (ring_left_plan p).
Let ring_sends : block -> rank -> option (nat * rank) := seated_sends p p lanes sends (ring_seat sides) (ring_part sides).
Definition quick_rings_reduce_scatter : schedule := quick_reduce_scatter p (lanes * p) (p - 1) ring_sends.
Definition quick_rings_allgather : schedule := quick_allgather p (lanes * p) (p - 1) ring_sends.
Definition quick_rings_allreduce : schedule := quick_allreduce p (lanes * p) (p - 1) ring_sends.

Theorem quick_rings_same : has_cycles sides = true -> quick_rings_reduce_scatter = rings_reduce_scatter sides lanes /\
  quick_rings_allgather = rings_allgather sides lanes /\ quick_rings_allreduce = rings_allreduce sides lanes.
Proof.
  intros H. assert (forall b, b < lanes * p -> planned p (p - 1) (ring_routes sides b) (ring_sends b)) as P.
  { intros b B. apply seated_planned; auto. clear b B. intros l b _ B.
    split; [intros x X; now apply (ring_seats sides H l)|]. destruct (ring_ways_plans p) as [L R].
    unfold sends, sends_of, ring_lane. fold p. destruct (l <? length (cycles_of sides)); [apply R | apply L]; exact B. }
  split; [|split]; [now apply quick_reduce_scatter_same | now apply quick_allgather_same | now apply quick_allreduce_same].
Qed.
End Rings.
