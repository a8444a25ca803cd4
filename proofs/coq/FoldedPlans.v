(* The plans of recursive halving and doubling on any torus, with ranks beyond a power of two folded. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Products Tori Relabelled SwingAll Catalogue Attached Folded
  Tables Plans PeerPlans ProductPlans RowPlans SeatedPlans.
Import ListNotations.

Definition folded_plan (s : plan) (n : nat) : plan :=
  let m := plan_ranks s in
  if n =? m then s
  else Plan n (S (plan_steps s)) (fun q x =>
    if q <? m then
      if x <? m then match plan_sends s q x with Some (t, d) => Some (S t, d) | None => None end else Some (0, x - m)
    else if x =? q then None else Some (0, q)).

Theorem folded_plans f s n : 0 < ranks f -> plans f s -> plans (folded f n) (folded_plan s n).
Proof.
  intros N P. destruct (P 0 N) as (R & S & _). unfold folded, folded_plan. rewrite <- R. destruct (Nat.eqb_spec n (ranks f)); auto.
  intros q _. split; [auto | split; [cbn; congruence|]]. cbn [ranks steps path plan_sends]. destruct (Nat.ltb_spec q (ranks f)) as [Q|Q].
  - destruct (P q Q) as (_ & _ & [T D]). split.
    + intros x u d _. destruct (Nat.ltb_spec x (ranks f)) as [X|X].
      * specialize (T x). destruct (plan_sends s q x) as [[v e]|]; [|discriminate]. intros E. injection E as <- _.
        specialize (T v e X eq_refl). lia.
      * intros E. injection E as <- _. lia.
    + intros t x L _. unfold attached. destruct (Nat.ltb_spec x (ranks f)) as [X|X].
      * destruct t as [|t]; cbn [later].
        -- destruct (plan_sends s q x) as [[v e]|]; reflexivity.
        -- rewrite D by (auto; lia). destruct (plan_sends s q x) as [[v e]|]; reflexivity.
      * cbn. destruct (t =? 0); reflexivity.
  - split.
    + intros x u d _. destruct (x =? q); [discriminate|]. intros E. injection E as <- _. lia.
    + intros t x L _. unfold to_owner. destruct (x =? q); cbn; [now rewrite andb_false_r|]. rewrite andb_true_r. reflexivity.
Qed.

Definition halving_side_plan (near : bool) (n : nat) : plan :=
  let a := Nat.log2 n in folded_plan (if near then doubling_near_plan a else doubling_far_plan a) n.

Lemma halving_side_plans near n : plans (halving_side near n) (halving_side_plan near n).
Proof.
  apply folded_plans.
  - rewrite (proj1 (halving_size near _)). pose proof (Nat.pow_nonzero 2 (Nat.log2 n)). lia.
  - destruct near; apply doubling_plans.
Qed.

Definition halving_torus_plan (near : bool) (sides : list nat) (first : nat) : plan :=
  torus_plan (map (halving_side_plan near) sides) (folds sides ++ inner_order sides first).

Theorem halving_torus_plans near sides first : plans (halving_torus near sides first) (halving_torus_plan near sides first).
Proof.
  apply torus_plans; [apply halving_interleaves|]. apply mapped_plans. apply Forall_forall. intros n _. apply halving_side_plans.
Qed.

Section Lanes.
Variable near : bool.
Variable sides : list nat.
Variables seat part : nat -> rank -> rank.
Variable lanes : nat.

Let m : nat := inner_blocks sides.
Let sends_of (plan_of : nat -> plan) (owner_of : block -> rank) (l : nat) (b : block) := plan_sends (plan_of l) (owner_of b).
Let sends := sends_of (memo lanes (fun l => halving_torus_plan near sides (l mod length sides))) (memo m (inner_rank sides)).
Definition quick_seated_rabenseifner : schedule :=
  quick_allreduce (extent sides) (lanes * m) (halving_steps sides) (seated_sends (extent sides) m lanes sends seat part).

Theorem quick_seated_same : Forall (fun n => 0 < n) sides -> (forall l, bijection (extent sides) (seat l) (part l)) ->
  quick_seated_rabenseifner = seated_rabenseifner near sides seat part lanes.
Proof.
  intros P F. apply quick_allreduce_same. intros b B. apply seated_planned; auto. clear b B. intros l b _ B.
  split; [intros x X; now apply (F l)|]. unfold sends, sends_of. rewrite !memo_same. unfold halving_lane.
  destruct (halving_torus_plans near sides (l mod length sides) (inner_rank sides b)) as (_ & _ & D).
  - rewrite halving_torus_ranks. now apply inner_rank_below.
  - now rewrite halving_torus_ranks, halving_torus_steps in D.
Qed.
End Lanes.

Definition quick_rabenseifner (near : bool) (sides : list nat) (lanes : nat) : schedule :=
  quick_seated_rabenseifner near sides (lane_seat sides) (lane_seat sides) lanes.
Definition quick_rabenseifner_beside (near : bool) (p : nat) : schedule :=
  quick_seated_rabenseifner near [p] (fun _ => beside p) (fun _ => beside_back p) 1.

Theorem quick_rabenseifner_same near sides lanes : Forall (fun n => 0 < n) sides ->
  quick_rabenseifner near sides lanes = rabenseifner near sides lanes.
Proof. intros P. apply quick_seated_same; auto using lane_seats. Qed.

Theorem quick_beside_same near p : 0 < p -> quick_rabenseifner_beside near p = rabenseifner_beside near p.
Proof.
  intros P. apply quick_seated_same; [auto|]. intros _. unfold extent. cbn [fold_right]. rewrite Nat.mul_1_r. apply beside_bijection.
Qed.
