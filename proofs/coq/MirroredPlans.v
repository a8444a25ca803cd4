(* The plans of mirrored recursive doubling. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products Tori Relabelled Catalogue Mirrored Tables Plans ProductPlans RowPlans SeatedPlans.
Import ListNotations.

Definition doubling_torus_plan (bits : list nat) (first : nat) : plan :=
  torus_plan (map doubling_near_plan bits) (round_robin (map doubling_near bits) first).

Lemma doubling_torus_plans bits first : plans (doubling_torus bits first) (doubling_torus_plan bits first).
Proof.
  apply torus_plans; [apply round_robin_interleaves|]. apply mapped_plans. apply Forall_forall. intros a _. apply doubling_plans.
Qed.

Section Mirrored.
Variable bits : list nat.
Variable lanes : nat.
Let p : nat := product_of (mirrored_sides bits).
Let sends_of (plan_of : nat -> plan) (l : nat) (b : block) := plan_sends (plan_of l) b.
Let sends := sends_of (memo lanes (fun l => doubling_torus_plan bits (l mod length bits))).
Let seated_sends : block -> rank -> option (nat * rank) := seated_sends p p lanes sends (mirrored_seat bits) (mirrored_seat bits).
Definition quick_mirrored_reduce_scatter : schedule := quick_reduce_scatter p (lanes * p) (list_sum bits) seated_sends.
Definition quick_mirrored_allgather : schedule := quick_allgather p (lanes * p) (list_sum bits) seated_sends.
Definition quick_mirrored_doubling : schedule := quick_allreduce p (lanes * p) (list_sum bits) seated_sends.

Theorem quick_mirrored_same : quick_mirrored_reduce_scatter = mirrored_reduce_scatter bits lanes /\
  quick_mirrored_allgather = mirrored_allgather bits lanes /\ quick_mirrored_doubling = mirrored_doubling bits lanes.
Proof.
  assert (forall b, b < lanes * p -> planned p (list_sum bits) (mirrored_routes bits b) (seated_sends b)) as P.
  { intros b B. apply seated_planned; auto. clear b B. intros l b _ B.
    split; [intros x X; now apply (mirrored_seats bits l x)|]. unfold sends, sends_of. rewrite memo_same.
    destruct (doubling_torus_right bits (l mod length bits)) as (R & N & _).
    destruct (doubling_torus_plans bits (l mod length bits) b) as (_ & _ & D); [now rewrite R|]. now rewrite R, N in D. }
  split; [|split]; [now apply quick_reduce_scatter_same | now apply quick_allgather_same | now apply quick_allreduce_same].
Qed.
End Mirrored.
