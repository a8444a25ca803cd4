(* Recursive halving and doubling for every p and every torus: Rabenseifner's algorithm with the ranks beyond a power of two folded,
   and mirrored recursive doubling. On a side of n ranks, n' is the largest power of two within; coordinate n' + i gives its
   vector to coordinate i before the inner torus does its work, and gets the result back after it. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Products Tori Relabelled SwingAll Catalogue Attached.
Import ListNotations.

(* The ranks beyond those of a factor give it their vectors first. Blocks belong to the factor's ranks; were a block another rank's,
   all would send to that one directly, so that there is a right route to every owner. *)
Definition folded (f : factor) (n : nat) : factor :=
  if n =? ranks f then f
  else Factor n (S (steps f)) (fun q =>
    if q <? ranks f then attached (ranks f) (later (path f q)) (fun _ => 0) (fun i => i) else to_owner q).

Lemma folded_ranks f n : ranks (folded f n) = n.
Proof. unfold folded. destruct (Nat.eqb_spec n (ranks f)); auto. Qed.

Lemma folded_steps f n : steps (folded f n) = (if n =? ranks f then 0 else 1) + steps f.
Proof. unfold folded. destruct (n =? ranks f); reflexivity. Qed.

Theorem folded_right f n : right f -> ranks f <= n <= 2 * ranks f -> right (folded f n).
Proof.
  intros R N. unfold folded. destruct (Nat.eqb_spec n (ranks f)); auto. intros q Q. cbn [ranks steps path] in *.
  destruct (Nat.ltb_spec q (ranks f)) as [L|L]; [|apply to_owner_valid; lia].
  replace n with (ranks f + (n - ranks f)) by lia. apply attached_valid; try lia; [now apply later_valid, R|].
  intros i _ u U. now replace u with 0 by lia.
Qed.

(* The largest power of two that is at most n *)
Definition inner (n : nat) : nat := 2 ^ Nat.log2 n.

Lemma inner_within n : 0 < n -> inner n <= n <= 2 * inner n.
Proof. intros N. unfold inner. pose proof (Nat.log2_spec n N) as L. rewrite Nat.pow_succ_r' in L. lia. Qed.

Lemma inner_positive n : 0 < inner n.
Proof. unfold inner. pose proof (Nat.pow_nonzero 2 (Nat.log2 n)). lia. Qed.

Lemma inner_power a : inner (2 ^ a) = 2 ^ a.
Proof. unfold inner. rewrite Nat.log2_pow2; lia. Qed.

(* On a line of n ranks, of the first 2(n - n') the odd ones take part, and the even ones before them give their vectors to them. *)
Definition beside (n c : nat) : rank :=
  let m := inner n in let e := n - m in if c <? m then (if c <? e then 2 * c + 1 else c + e) else 2 * (c - m).
Definition beside_back (n x : nat) : nat :=
  let m := inner n in let e := n - m in if x <? 2 * e then (if Nat.odd x then x / 2 else m + x / 2) else x - e.

Lemma twice_half k : 2 * k / 2 = k.
Proof. rewrite Nat.mul_comm. now apply Nat.div_mul. Qed.

Lemma twice_half_odd k : (2 * k + 1) / 2 = k.
Proof. rewrite Nat.mul_comm, Nat.add_comm, Nat.div_add by lia. reflexivity. Qed.

Lemma odd_or_even x : exists k, (x = 2 * k /\ Nat.odd x = false) \/ (x = 2 * k + 1 /\ Nat.odd x = true).
Proof.
  destruct (Nat.odd x) eqn:O.
  - apply Nat.odd_spec in O as [k ->]. eauto.
  - exists (x / 2). left. split; auto. rewrite <- Nat.negb_even, negb_false_iff in O. apply Nat.even_spec in O as [k ->].
    now rewrite twice_half.
Qed.

Lemma beside_bijection n : bijection n (beside n) (beside_back n).
Proof.
  intros c C. pose proof (inner_within n ltac:(lia)) as [L U]. unfold beside, beside_back. set (m := inner n) in *.
  assert (forall k, Nat.odd (2 * k) = false) as E by (intros k; rewrite Nat.odd_mul; reflexivity).
  assert (forall k, Nat.odd (2 * k + 1) = true) as O by (intros k; rewrite Nat.odd_add, E; reflexivity).
  repeat split.
  - destruct (Nat.ltb_spec c m), (Nat.ltb_spec c (n - m)); lia.
  - destruct (odd_or_even c) as (k & [[-> ->]|[-> ->]]); rewrite ?twice_half, ?twice_half_odd.
    + destruct (Nat.ltb_spec (2 * k) (2 * (n - m))); lia.
    + destruct (Nat.ltb_spec (2 * k + 1) (2 * (n - m))); lia.
  - destruct (Nat.ltb_spec c (2 * (n - m))).
    + destruct (odd_or_even c) as (k & [[-> ->]|[-> ->]]); rewrite ?twice_half, ?twice_half_odd.
      * destruct (Nat.ltb_spec (m + k) m); lia.
      * destruct (Nat.ltb_spec k m), (Nat.ltb_spec k (n - m)); lia.
    + destruct (Nat.ltb_spec (c - (n - m)) m), (Nat.ltb_spec (c - (n - m)) (n - m)); lia.
  - destruct (Nat.ltb_spec c m); [destruct (Nat.ltb_spec c (n - m))|].
    + rewrite O, twice_half_odd. destruct (Nat.ltb_spec (2 * c + 1) (2 * (n - m))); lia.
    + destruct (Nat.ltb_spec (c + (n - m)) (2 * (n - m))); lia.
    + rewrite E, twice_half. destruct (Nat.ltb_spec (2 * (c - m)) (2 * (n - m))); lia.
Qed.

(* One side *)
Definition halving (near : bool) (a : nat) : factor := if near then doubling_near a else doubling_far a.
Definition halving_side (near : bool) (n : nat) : factor := folded (halving near (Nat.log2 n)) n.

Lemma halving_size near a : ranks (halving near a) = 2 ^ a /\ steps (halving near a) = a.
Proof. destruct near; auto. Qed.

Lemma halving_right near a : right (halving near a).
Proof. destruct near; apply peer_factor_right; auto using exchanged_covers, reversed_covers, exchanged_paired. Qed.

Lemma halving_side_steps near n : steps (halving_side near n) = (if n =? inner n then 0 else 1) + Nat.log2 n.
Proof. unfold halving_side. rewrite folded_steps. now destruct (halving_size near (Nat.log2 n)) as [-> ->]. Qed.

Lemma halving_side_right near n : 0 < n -> right (halving_side near n).
Proof. intros N. apply folded_right; [apply halving_right|]. rewrite (proj1 (halving_size _ _)). now apply inner_within. Qed.

(* The order of steps on a torus: the sides that fold one by one, then the inner torus, round-robin *)
Definition folds (sides : list nat) : list nat :=
  filter (fun w => negb (nth w sides 1 =? inner (nth w sides 1))) (seq 0 (length sides)).
Definition clock (n : nat) : factor := Factor 1 n (fun _ _ _ => None).
Definition inner_order (sides : list nat) (first : nat) : list nat := round_robin (map (fun n => clock (Nat.log2 n)) sides) first.

Lemma steps_of_side (F : nat -> factor) sides w : steps (F 1) = 0 -> steps (nth w (map F sides) alone) = steps (F (nth w sides 1)).
Proof.
  intros E. destruct (le_lt_dec (length sides) w) as [L|L].
  - rewrite !nth_overflow; auto. now rewrite map_length.
  - rewrite (nth_indep _ alone (F 1)) by (now rewrite map_length). now rewrite map_nth.
Qed.

Lemma count_folds sides w : count_occ Nat.eq_dec (folds sides) w = if nth w sides 1 =? inner (nth w sides 1) then 0 else 1.
Proof.
  unfold folds. rewrite count_filter, count_seq. cbn [plus Nat.leb andb].
  destruct (Nat.ltb_spec w (length sides)); [|rewrite nth_overflow by auto]; destruct (nth w sides 1 =? inner (nth w sides 1)); auto.
Qed.

Lemma count_inner_order sides first w : count_occ Nat.eq_dec (inner_order sides first) w = Nat.log2 (nth w sides 1).
Proof. unfold inner_order. rewrite round_robin_interleaves. now rewrite (steps_of_side (fun n => clock (Nat.log2 n))). Qed.

Definition halving_torus (near : bool) (sides : list nat) (first : nat) : factor :=
  torus_factor (torus_of (map (halving_side near) sides) (folds sides ++ inner_order sides first)).
Definition halving_steps (sides : list nat) : nat := steps (halving_torus true sides 0).

Lemma halving_torus_ranks near sides first : ranks (halving_torus near sides first) = extent sides.
Proof.
  unfold halving_torus, extent. rewrite torus_of_ranks, map_map. f_equal. rewrite <- (map_id sides) at 2. apply map_ext.
  intros n. apply folded_ranks.
Qed.

Lemma halving_torus_steps near sides first : steps (halving_torus near sides first) = halving_steps sides.
Proof.
  unfold halving_steps, halving_torus. rewrite !torus_of_steps, !map_map. f_equal. apply map_ext. intros n. now rewrite !halving_side_steps.
Qed.

Lemma halving_interleaves near sides first : interleaves (map (halving_side near) sides) (folds sides ++ inner_order sides first).
Proof.
  intros w. rewrite count_occ_app, count_folds, count_inner_order.
  rewrite steps_of_side by now rewrite halving_side_steps. now rewrite halving_side_steps.
Qed.

Lemma halving_torus_right near sides first : Forall (fun n => 0 < n) sides -> right (halving_torus near sides first).
Proof.
  intros S. apply torus_of_right; [|apply halving_interleaves].
  apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in S. auto using halving_side_right.
Qed.

(* The blocks of a lane are the ranks of the inner torus; block b belongs to the rank with the same coordinates. *)
Definition inner_blocks (sides : list nat) : nat := extent (map inner sides).
Fixpoint inner_rank (sides : list nat) (b : block) : rank :=
  match sides with
  | [] => 0
  | n :: rest => let w := inner_blocks rest in b / w * extent rest + inner_rank rest (b mod w)
  end.

Lemma inner_blocks_positive sides : 0 < inner_blocks sides.
Proof. unfold inner_blocks, extent. induction sides as [|n ns IH]; cbn; [lia|]. pose proof (inner_positive n). nia. Qed.

Lemma inner_rank_below sides : Forall (fun n => 0 < n) sides -> forall b, b < inner_blocks sides -> inner_rank sides b < extent sides.
Proof.
  intros P. induction P as [|n ns N P IH]; intros b B; cbn in *; [lia|]. fold (extent (map inner ns)) in *. fold (extent ns).
  pose proof (inner_blocks_positive ns) as W. unfold inner_blocks in *. set (w := extent (map inner ns)) in *.
  specialize (IH (b mod w) (Nat.mod_upper_bound b w ltac:(lia))). pose proof (inner_within n N).
  assert (b / w < inner n) as D by (apply Nat.div_lt_upper_bound; lia). nia.
Qed.

(* Lane l starts on dimension l mod D, and each lane may have seats of its own. *)
Section Lanes.
Variable near : bool.
Variable sides : list nat.
Variables seat part : nat -> rank -> rank.
Hypothesis some : Forall (fun n => 0 < n) sides.
Hypothesis fair : forall l, bijection (extent sides) (seat l) (part l).

Definition halving_lane (l : nat) (b : block) : route := path (halving_torus near sides (l mod length sides)) (inner_rank sides b).
Definition halving_owner : block -> rank := seated_owner (inner_blocks sides) (fun _ => inner_rank sides) seat.
Definition halving_path : block -> route := seated (inner_blocks sides) halving_lane seat part.

Lemma halving_owned lanes : owned (extent sides) (halving_steps sides) (lanes * inner_blocks sides) halving_owner halving_path.
Proof.
  apply seated_owned. intros l _. split; auto. intros b B. pose proof (inner_rank_below sides some b B) as Q. split; auto.
  pose proof (halving_torus_right near sides (l mod length sides) some) as R. unfold right in R.
  rewrite halving_torus_ranks, halving_torus_steps in R. now apply R.
Qed.

Definition seated_rabenseifner (lanes : nat) : schedule :=
  allreduce (extent sides) (lanes * inner_blocks sides) (halving_steps sides) halving_path.

Lemma seated_rabenseifner_once lanes : 0 < lanes ->
  exactly_once Allreduce (extent sides) (lanes * inner_blocks sides) (seated_rabenseifner lanes).
Proof.
  intros L. apply allreduce_once with halving_owner; auto using extent_positive, halving_owned.
  pose proof (inner_blocks_positive sides). nia.
Qed.
End Lanes.

(* Lanes from D on are mirrored: coordinate c takes the part of -c. *)
Definition lane_seat (sides : list nat) (l : nat) : rank -> rank := if l <? length sides then fun x => x else mirror sides.

Lemma lane_seats sides l : bijection (extent sides) (lane_seat sides l) (lane_seat sides l).
Proof. unfold lane_seat. destruct (l <? length sides); [intros x X; auto | apply mirror_bijection]. Qed.

(* Rabenseifner's allreduce on every torus; with several lanes, mirrored recursive doubling in halves *)
Definition rabenseifner (near : bool) (sides : list nat) (lanes : nat) : schedule :=
  seated_rabenseifner near sides (lane_seat sides) (lane_seat sides) lanes.

Theorem rabenseifner_once near sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes ->
  exactly_once Allreduce (extent sides) (lanes * inner_blocks sides) (rabenseifner near sides lanes).
Proof. intros S. apply (seated_rabenseifner_once near sides (lane_seat sides) (lane_seat sides) S (lane_seats sides)). Qed.

(* On a line, with neighbours folded *)
Definition rabenseifner_beside (near : bool) (p : nat) : schedule :=
  seated_rabenseifner near [p] (fun _ => beside p) (fun _ => beside_back p) 1.

Theorem rabenseifner_beside_once near p : 0 < p -> exactly_once Allreduce p (inner p) (rabenseifner_beside near p).
Proof.
  intros P. pose proof (seated_rabenseifner_once near [p] (fun _ => beside p) (fun _ => beside_back p)) as H.
  unfold inner_blocks in H. cbn [map] in H. specialize (H ltac:(auto)). unfold extent in H. cbn [fold_right] in H.
  rewrite !Nat.mul_1_r in H. specialize (H (fun _ => beside_bijection p) 1 ltac:(auto)). now rewrite Nat.mul_1_l in H.
Qed.

(* The halves alone are a reduce-scatter and an allgather. The product has them if all sides are powers of two, so none is folded. *)
Theorem halving_torus_once near sides : Forall (fun n => 0 < n) sides -> all_once (halving_torus near sides 0).
Proof.
  intros S. apply factor_once; [rewrite halving_torus_ranks; now apply extent_positive | now apply halving_torus_right].
Qed.
