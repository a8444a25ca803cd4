(* The plans of Swing: one pass over the peers finds the sends to the owner 0; all other owners see the ranks turned or mirrored. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Products Tori SwingAll SwingTrees Turned Relabelled
  Tables Plans PeerPlans ProductPlans RowPlans.
Import ListNotations.

(* Swing: even owners see the ranks turned, odd ones turned and mirrored. *)
Definition swing_view (p : nat) (q x : rank) : rank := if Nat.even q then offset p q x else (q + (p - x)) mod p.

Section Whole.
Open Scope Z_scope.
Variable p : Z.
Hypothesis even : Z.even p = true.
Hypothesis some : 0 < p.

Definition whole_view (q x : Z) : Z := if Z.even q then (x - q) mod p else (q - x) mod p.

Lemma even_mod z : Z.even (z mod p) = Z.even z.
Proof. rewrite Z.mod_eq by lia. rewrite Z.even_sub, Z.even_mul, even. cbn. destruct (Z.even z); reflexivity. Qed.

Lemma whole_view_peer m q x t : whole_view q (whole_peer m p x t) = whole_peer m p (whole_view q x) t.
Proof.
  unfold whole_view, whole_peer. destruct (Z.even q) eqn:Q, (Z.even x) eqn:X, m; cbn [Bool.eqb];
    rewrite even_mod, Z.even_sub, Q, X; cbn [Bool.eqb];
    rewrite ?Zminus_mod_idemp_l, ?Zminus_mod_idemp_r, ?Zplus_mod_idemp_l; f_equal; ring.
Qed.
End Whole.

Lemma even_of_nat n : Z.even (Z.of_nat n) = Nat.even n.
Proof.
  destruct (Nat.even n) eqn:E.
  - apply Nat.even_spec in E as [k ->]. now rewrite Nat2Z.inj_mul, Z.even_mul.
  - rewrite <- Nat.negb_odd in E. apply negb_false_iff, Nat.odd_spec in E as [k ->].
    rewrite Nat2Z.inj_add, Nat2Z.inj_mul, Z.even_add, Z.even_mul. reflexivity.
Qed.

Lemma view_whole p q x : q <= p -> x <= p -> 0 < p ->
  Z.of_nat (swing_view p q x) = whole_view (Z.of_nat p) (Z.of_nat q) (Z.of_nat x).
Proof.
  intros Q X P. unfold swing_view, whole_view, offset. rewrite even_of_nat.
  destruct (Nat.even q); rewrite Nat2Z.inj_mod, Nat2Z.inj_add, Nat2Z.inj_sub by auto.
  - rewrite <- (Z.mod_add (_ - _) 1) by lia. f_equal. ring.
  - rewrite <- (Z.mod_add (_ - _) 1) by lia. f_equal. ring.
Qed.

Lemma swing_alike m p n : Nat.Even p -> 0 < p -> alike p n (swing_peer m p) (swing_view p).
Proof.
  intros E P q x Q X. split.
  - unfold swing_view. destruct (Nat.even q); [apply (shifted_alike p n (fun _ => 0) P q x Q X)|].
    destruct (Nat.eq_dec x q) as [->|N].
    + replace (q + (p - q)) with p by lia. rewrite Nat.mod_same by lia. tauto.
    + destruct (le_lt_dec q x).
      * rewrite Nat.mod_small by lia. lia.
      * replace (q + (p - x)) with ((q - x) + 1 * p) by lia. rewrite Nat.mod_add, Nat.mod_small by lia. lia.
  - intros t _. pose proof (peer_below m p P x t) as B. split; auto. apply Nat2Z.inj. rewrite view_whole by lia.
    unfold swing_peer in *. rewrite !Z2Nat.id by (apply whole_peer_range; lia).
    rewrite view_whole by lia. apply whole_view_peer; [now apply even_whole | lia].
Qed.

Definition swing_plan (mirrored : bool) (p : nat) : plan :=
  let even p := peers_plan p (Nat.log2_up p) (swing_peer mirrored p) (swing_view p) in
  if Nat.even p then even p
  else if p =? 1 then alone_plan
  else odd_plan (even (p - 1)) (half_turn (Nat.log2_up (p - 1)) (p - 1)).

Theorem swing_plans m p : 0 < p -> plans (swing m p) (swing_plan m p).
Proof.
  intros P. assert (forall n, Nat.even n = true -> 0 < n ->
    plans (swing_even m n) (peers_plan n (Nat.log2_up n) (swing_peer m n) (swing_view n))) as Even.
  { intros n E N. apply peers_plans, swing_alike; auto. now apply Nat.even_spec. }
  unfold swing, swing_plan. destruct (Nat.even p) eqn:E; auto. destruct (Nat.eqb_spec p 1); [apply alone_plans|].
  assert (Nat.even (p - 1) = true) as F by (rewrite Nat.even_sub, E by lia; reflexivity).
  intros q Q. apply odd_follows; auto.
  - intros x X. apply half_turn_in_time. cbn. apply Nat.log2_up_pos. apply Nat.even_spec in F as [k F]. lia.
  - intros L. apply Even; auto. lia.
Qed.

(* Swing on tori *)
Definition swing_lane_plan (sides : list nat) (l : nat) : plan :=
  let mirrored := length sides <=? l in
  torus_plan (map (swing_plan mirrored) sides) (round_robin (map (swing mirrored) sides) (l mod length sides)).

Lemma swing_lane_plans sides l : Forall (fun n => 0 < n) sides -> plans (swing_lane sides l) (swing_lane_plan sides l).
Proof.
  intros P. apply torus_plans; [apply round_robin_interleaves|]. apply mapped_plans. revert P. apply Forall_impl. auto using swing_plans.
Qed.

Section Torus.
Variable sides : list nat.
Variable lanes : nat.
Definition quick_torus_reduce_scatter : schedule := quick_laned_reduce_scatter (swing_lane sides 0) lanes (swing_lane_plan sides).
Definition quick_torus_allgather : schedule := quick_laned_allgather (swing_lane sides 0) lanes (swing_lane_plan sides).
Definition quick_torus_allreduce : schedule := quick_laned_allreduce (swing_lane sides 0) lanes (swing_lane_plan sides).

Theorem quick_torus_same : Forall (fun n => 0 < n) sides ->
  quick_torus_reduce_scatter = torus_reduce_scatter sides lanes /\
  quick_torus_allgather = torus_allgather sides lanes /\
  quick_torus_allreduce = torus_allreduce sides lanes.
Proof.
  intros P. apply quick_lanes_same. intros l _. rewrite !lane_ranks, lane_steps by auto. auto using swing_lane_plans.
Qed.
End Torus.

(* Swing's trees, of which only rank 0 is an owner *)
Definition tree_side_plan (mirrored : bool) (p : nat) : plan :=
  let even p := let n := Nat.log2_up p in tree_plan p n (reversed n (swing_peer mirrored p)) 0 in
  if Nat.even p then even p
  else if p =? 1 then alone_plan
  else odd_plan (even (p - 1)) (fun _ => 0).

Lemma tree_follows m p : 0 < p -> follows 0 (tree m p) (tree_side_plan m p).
Proof.
  intros P. unfold tree, tree_side_plan. destruct (Nat.even p) eqn:E; [apply tree_plan_follows|].
  destruct (Nat.eqb_spec p 1); [apply alone_plans; cbn; lia|]. apply odd_follows; auto; [|lia|].
  - intros x X. cbn. apply Nat.log2_up_pos. destruct p as [|[|[|p]]]; try discriminate; lia.
  - intros _. apply tree_plan_follows.
Qed.

Definition tree_lane_plan (sides : list nat) (l : nat) : plan :=
  let mirrored := length sides <=? l in
  torus_plan (map (tree_side_plan mirrored) sides) (rev (round_robin (map (tree mirrored) sides) (l mod length sides))).

Section Trees.
Variable sides : list nat.
Variable lanes : nat.
Let sends_of (plan_of : nat -> plan) (l : block) := plan_sends (plan_of l) 0.
Definition tree_sends : block -> rank -> option (nat * rank) := sends_of (memo lanes (tree_lane_plan sides)).

Theorem trees_planned : Forall (fun n => 0 < n) sides -> let n := steps (tree_lane sides 0) in
  n = plan_steps (tree_lane_plan sides 0) /\ forall l, planned (extent sides) n (tree_path sides l) (tree_sends l).
Proof.
  intros P. assert (forall l, follows 0 (tree_lane sides l) (tree_lane_plan sides l)) as F.
  { intros l. apply torus_follows.
    - apply rev_interleaves, round_robin_interleaves.
    - pose proof (tree_lane_ranks sides P l) as R. unfold tree_lane in R. rewrite torus_of_ranks in R. rewrite R. now apply extent_positive.
    - generalize (length sides <=? l). intros m. clear - P. induction P as [|n ns N P IH]; cbn [each_follows map]; auto.
      assert (fold_right Nat.mul 1 (map ranks (map (tree m) ns)) <> 0) as Z.
      { clear - P. induction P; cbn in *; auto. rewrite tree_ranks by auto. nia. }
      rewrite Nat.div_0_l, Nat.mod_0_l by auto. auto using tree_follows. }
  split; [apply F|]. intros l. unfold tree_sends, sends_of. rewrite memo_same. destruct (F l) as (_ & _ & Q).
  now rewrite tree_lane_ranks, tree_lane_steps in Q by auto.
Qed.
End Trees.
