(* The plans of what is done at another pace: a ring by turns, and bucket on several lanes. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Products Tori Relabelled Catalogue SwingAll Paced Tables Plans
  ProductPlans RowPlans SeatedPlans.
Import ListNotations.

Definition turns_plan (k : nat) (turn : rank -> nat) (s : plan) : plan :=
  Plan (plan_ranks s) (k * plan_steps s) (fun q x => match plan_sends s q x with Some (t, d) => Some (k * t + turn x, d) | None => None end).
Definition resting_plan (m : nat) (s : plan) : plan := Plan (plan_ranks s) m (plan_sends s).

Theorem turns_plans k turn f s : (forall x, x < ranks f -> turn x < k) -> plans f s -> plans (turns_factor k turn f) (turns_plan k turn s).
Proof.
  intros K P q Q. destruct (P q Q) as (R & S & [T D]). cbn [ranks turns_factor] in *. split; [auto|]. split; [cbn; now rewrite S|].
  cbn [ranks steps path plan_sends turns_factor turns_plan]. split.
  - intros x u d X. specialize (K x X). specialize (T x). destruct (plan_sends s q x) as [[v e]|]; [|discriminate].
    intros E. injection E as <- <-. specialize (T v e X eq_refl). nia.
  - intros t x L X. specialize (K x X). unfold by_turns. rewrite D; auto; [|apply Nat.div_lt_upper_bound; lia].
    pose proof (Nat.div_mod t k ltac:(lia)) as E. pose proof (Nat.mod_upper_bound t k ltac:(lia)).
    destruct (plan_sends s q x) as [[v e]|]; cbn [at_time]; [|now destruct (_ =? _)].
    destruct (Nat.eqb_spec (t mod k) (turn x)), (Nat.eqb_spec (t / k) v), (Nat.eqb_spec t (k * v + turn x)); auto; exfalso; nia.
Qed.

Theorem resting_plans m f s : steps f <= m -> plans f s -> plans (resting_factor m f) (resting_plan m s).
Proof.
  intros M P q Q. destruct (P q Q) as (R & S & [T D]). split; [auto|]. split; [auto|]. split.
  - intros x u d X E. specialize (T x u d X E). cbn in *. lia.
  - intros t x _ X. cbn [path resting_factor plan_sends resting_plan]. unfold resting. destruct (Nat.ltb_spec t (steps f)) as [L|L]; auto.
    specialize (T x). destruct (plan_sends s q x) as [[v e]|]; auto. cbn. specialize (T v e X eq_refl). destruct (Nat.eqb_spec t v); auto. lia.
Qed.

Definition ring_by_turns_plan (p : nat) : plan := turns_plan (ring_turns p) (ring_turn p) (ring_plan p).

Theorem ring_by_turns_plans p : 0 < p -> plans (ring_by_turns p) (ring_by_turns_plan p).
Proof. intros P. apply turns_plans; [|now apply ring_plans]. intros x _. apply ring_turn_below. Qed.

Definition ring_way_plan (mirrored : bool) (n : nat) : plan :=
  if mirrored then relabelled_plan (opposite n) (opposite n) (ring_plan n) else ring_plan n.
Definition bucket_lane_plan (sides : list nat) (l : nat) : plan :=
  torus_plan (map (fun n => resting_plan (phase sides) (ring_way_plan (length sides <=? l) n)) sides)
             (bucket_order sides (l mod length sides)).

Lemma bucket_lane_plans sides l : Forall (fun n => 0 < n) sides -> plans (bucket_lane sides l) (bucket_lane_plan sides l).
Proof.
  intros P. apply torus_plans; [apply bucket_order_interleaves|].
  apply mapped_plans. apply Forall_forall. intros n N.
  rewrite Forall_forall in P. apply resting_plans; [now apply ring_way_short|]. unfold ring_way, ring_way_plan.
  destruct (_ <=? l); [apply relabelled_plans; [apply opposite_bijection|]|]; now apply ring_plans, P.
Qed.

Section Bucket.
Variable sides : list nat.
Variable lanes : nat.
Definition quick_bucket_reduce_scatter : schedule := quick_laned_reduce_scatter (bucket_lane sides 0) lanes (bucket_lane_plan sides).
Definition quick_bucket_allgather : schedule := quick_laned_allgather (bucket_lane sides 0) lanes (bucket_lane_plan sides).
Definition quick_bucket_allreduce : schedule := quick_laned_allreduce (bucket_lane sides 0) lanes (bucket_lane_plan sides).

Theorem quick_bucket_same : Forall (fun n => 0 < n) sides ->
  quick_bucket_reduce_scatter = bucket_reduce_scatter sides lanes /\
  quick_bucket_allgather = bucket_allgather sides lanes /\
  quick_bucket_allreduce = bucket_allreduce sides lanes.
Proof.
  intros P. apply quick_lanes_same. intros l _. rewrite !bucket_lane_ranks, bucket_lane_steps. auto using bucket_lane_plans.
Qed.
End Bucket.
