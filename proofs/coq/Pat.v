(* PAT: Bruck's trees, far edges first, in an order that bounds what a rank holds for others. With aggregation 2^a the top a levels of
   the trees are done a level a step. That leaves 2^a subtrees, which are gone through in parallel, an edge a step, depth first: far edges
   first, or near ones. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Factors TreeRoute Relabelled Catalogue Turned.
Import ListNotations.

(* The tree of 2^k offsets. Below 0 hang 2^(k-1), .., 2, 1, each with a tree of as many offsets as itself. *)
Fixpoint parent (k d : nat) : nat :=
  match k with
  | 0 => 0
  | S j => let half := 2 ^ j in if d <? half then parent j d else if d =? half then 0 else half + parent j (d - half)
  end.

(* When d is reached, counted from 1: level by level, *)
Fixpoint by_level (k d : nat) : nat :=
  match k with
  | 0 => 0
  | S j => let half := 2 ^ j in if d =? half then 1 else S (by_level j (if d <? half then d else d - half))
  end.

(* or depth first, the far edge first. *)
Fixpoint by_depth (k d : nat) : nat :=
  match k with
  | 0 => 0
  | S j => let half := 2 ^ j in if d =? 0 then 0 else if d <? half then half + by_depth j d else S (by_depth j (d - half))
  end.

Lemma half_again k : 2 ^ S k = 2 ^ k + 2 ^ k.
Proof. rewrite Nat.pow_succ_r'. lia. Qed.

Ltac halves := repeat match goal with
  | |- context [?x <? ?y] => destruct (Nat.ltb_spec x y)
  | |- context [?x =? ?y] => destruct (Nat.eqb_spec x y)
  end.

Lemma parent_down k : forall d, 0 < d < 2 ^ k -> parent k d < d.
Proof.
  induction k as [|k IH]; intros d D; [cbn in D; lia|]. rewrite half_again in D. cbn [parent]. cbv zeta. halves; [apply IH; lia | lia|].
  specialize (IH (d - 2 ^ k)). lia.
Qed.

Lemma by_level_in k : forall d, 0 < d < 2 ^ k -> 0 < by_level k d <= k.
Proof.
  induction k as [|k IH]; intros d D; [cbn in D; lia|]. rewrite half_again in D. cbn [by_level]. cbv zeta. halves; try lia.
  - specialize (IH d). lia.
  - specialize (IH (d - 2 ^ k)). lia.
Qed.

Lemma by_level_later k : forall d, 0 < d < 2 ^ k -> 0 < parent k d -> by_level k (parent k d) < by_level k d.
Proof.
  induction k as [|k IH]; intros d D P; [cbn in D; lia|]. rewrite half_again in D.
  cbn [parent] in *. cbv zeta in *. destruct (Nat.ltb_spec d (2 ^ k)).
  - pose proof (parent_down k d ltac:(lia)). specialize (IH d ltac:(lia) P). cbn [by_level]. cbv zeta. halves; lia.
  - destruct (Nat.eqb_spec d (2 ^ k)); [lia|]. pose proof (parent_down k (d - 2 ^ k) ltac:(lia)).
    pose proof (by_level_in k (d - 2 ^ k) ltac:(lia)). specialize (IH (d - 2 ^ k) ltac:(lia)).
    cbn [by_level]. cbv zeta. replace (2 ^ k + parent k (d - 2 ^ k) - 2 ^ k) with (parent k (d - 2 ^ k)) by lia. halves; lia.
Qed.

Lemma by_depth_zero k : by_depth k 0 = 0.
Proof. destruct k; reflexivity. Qed.

Lemma by_depth_in k : forall d, 0 < d < 2 ^ k -> 0 < by_depth k d < 2 ^ k.
Proof.
  induction k as [|k IH]; intros d D; [cbn in D; lia|]. rewrite half_again in *. cbn [by_depth]. cbv zeta. halves; try lia.
  - specialize (IH d). lia.
  - destruct (Nat.eq_dec (d - 2 ^ k) 0) as [->|]; [rewrite by_depth_zero; lia|]. specialize (IH (d - 2 ^ k)). lia.
Qed.

Lemma by_depth_later k : forall d, 0 < d < 2 ^ k -> by_depth k (parent k d) < by_depth k d.
Proof.
  induction k as [|k IH]; intros d D; [cbn in D; lia|]. pose proof (by_depth_in (S k) d D). rewrite half_again in D.
  cbn [parent]. cbv zeta. destruct (Nat.ltb_spec d (2 ^ k)).
  - pose proof (parent_down k d ltac:(lia)). specialize (IH d ltac:(lia)). cbn [by_depth] in *. cbv zeta in *. halves; lia.
  - destruct (Nat.eqb_spec d (2 ^ k)); [rewrite by_depth_zero; lia|]. specialize (IH (d - 2 ^ k) ltac:(lia)).
    cbn [by_depth]. cbv zeta. replace (2 ^ k + parent k (d - 2 ^ k) - 2 ^ k) with (parent k (d - 2 ^ k)) by lia. halves; lia.
Qed.

(* 2^a subtrees of 2^k offsets: offset d is number d mod 2^k of subtree d / 2^k. *)
Section Tree.
Variables a k : nat.

Definition tree_parent (d : nat) : nat :=
  let h := d / 2 ^ k in let y := d mod 2 ^ k in if y =? 0 then parent a h * 2 ^ k else h * 2 ^ k + parent k y.

Definition pat_steps : nat := a + 2 ^ k - 1.

Lemma split_offset d : d < 2 ^ (a + k) -> d = d / 2 ^ k * 2 ^ k + d mod 2 ^ k /\ d / 2 ^ k < 2 ^ a /\ d mod 2 ^ k < 2 ^ k.
Proof.
  intros D. pose proof (power_positive k). split; [rewrite Nat.mul_comm; apply Nat.div_mod; lia|].
  split; [apply Nat.div_lt_upper_bound; [lia|]; rewrite <- Nat.pow_add_r, Nat.add_comm; exact D | apply Nat.mod_upper_bound; lia].
Qed.

Lemma number_of h y : y < 2 ^ k -> (h * 2 ^ k + y) / 2 ^ k = h /\ (h * 2 ^ k + y) mod 2 ^ k = y.
Proof.
  intros Y. split; [rewrite Nat.div_add_l, Nat.div_small; lia|]. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small; lia.
Qed.

Lemma tree_parent_down d : 0 < d < 2 ^ (a + k) -> tree_parent d < d.
Proof.
  intros D. destruct (split_offset d) as (E & H & Y); [lia|]. unfold tree_parent. cbv zeta. pose proof (power_positive k).
  set (h := d / 2 ^ k) in *. set (y := d mod 2 ^ k) in *. clearbody h y. subst d. destruct (Nat.eqb_spec y 0).
  - pose proof (parent_down a h ltac:(nia)). nia.
  - pose proof (parent_down k y ltac:(lia)). lia.
Qed.

(* `times` says when an offset of a subtree is reached, counted from 1. *)
Section Times.
Variable times : nat -> nat.
Hypothesis times_in : forall y, 0 < y < 2 ^ k -> 0 < times y < 2 ^ k.
Hypothesis times_later : forall y, 0 < y < 2 ^ k -> 0 < parent k y -> times (parent k y) < times y.

(* The step of the allgather at which offset d is reached *)
Definition reached (d : nat) : nat :=
  let h := d / 2 ^ k in let y := d mod 2 ^ k in if y =? 0 then by_level a h - 1 else a + times y - 1.

Lemma reached_in d : 0 < d < 2 ^ (a + k) -> reached d < pat_steps.
Proof.
  intros D. destruct (split_offset d) as (E & H & Y); [lia|]. unfold reached, pat_steps. cbv zeta. pose proof (power_positive k).
  set (h := d / 2 ^ k) in *. set (y := d mod 2 ^ k) in *. clearbody h y. subst d. destruct (Nat.eqb_spec y 0).
  - pose proof (by_level_in a h ltac:(nia)). lia.
  - pose proof (times_in y ltac:(lia)). lia.
Qed.

Lemma reached_later d : 0 < d < 2 ^ (a + k) -> 0 < tree_parent d -> reached (tree_parent d) < reached d.
Proof.
  intros D. destruct (split_offset d) as (E & H & Y); [lia|]. unfold reached at 2. unfold tree_parent. cbv zeta. pose proof (power_positive k).
  set (h := d / 2 ^ k) in *. set (y := d mod 2 ^ k) in *. clearbody h y. subst d. unfold reached. cbv zeta. destruct (Nat.eqb_spec y 0) as [->|N].
  - intros P. destruct (number_of (parent a h) 0 ltac:(lia)) as [A B]. rewrite Nat.add_0_r in A, B. rewrite A, B. cbn [Nat.eqb].
    pose proof (by_level_later a h ltac:(nia) ltac:(nia)). pose proof (parent_down a h ltac:(nia)).
    pose proof (by_level_in a (parent a h) ltac:(nia)). lia.
  - intros P. pose proof (parent_down k y ltac:(lia)). destruct (number_of h (parent k y) ltac:(lia)) as [-> ->]. destruct (Nat.eqb_spec (parent k y) 0) as [Z|Z].
    + pose proof (by_level_in a h ltac:(nia)). pose proof (times_in y ltac:(lia)). lia.
    + pose proof (times_in (parent k y) ltac:(lia)). pose proof (times_later y ltac:(lia) ltac:(lia)). lia.
Qed.

(* Backwards, a reduce to offset 0 *)
Definition pat_route : route := tree_route tree_parent (fun d => pat_steps - 1 - reached d).

Theorem pat_valid p : p <= 2 ^ (a + k) -> valid p pat_steps 0 pat_route.
Proof.
  intros P. apply tree_valid.
  - intros d D. apply tree_parent_down. lia.
  - intros d D. pose proof (reached_in d ltac:(lia)). lia.
  - intros d D Q. pose proof (reached_later d ltac:(lia) Q). pose proof (reached_in d ltac:(lia)). lia.
Qed.
End Times.
End Tree.

(* Far edges first, or near ones: these reach one offset after the other. *)
Definition times_of (near : bool) (k : nat) : nat -> nat := if near then fun y => y else by_depth k.

Lemma times_of_in near k y : 0 < y < 2 ^ k -> 0 < times_of near k y < 2 ^ k.
Proof. destruct near; [auto | apply by_depth_in]. Qed.

Lemma times_of_later near k y : 0 < y < 2 ^ k -> 0 < parent k y -> times_of near k (parent k y) < times_of near k y.
Proof. intros Y _. destruct near; [now apply parent_down | now apply by_depth_later]. Qed.

(* Steps in which nobody sends are left out. *)
Definition busy (st : step) : bool := match st with [] => false | _ => true end.

Lemma idle_steps p blocks sch : forall s, final s (filter busy sch) = final s sch /\
  (well_formed p blocks s (filter busy sch) <-> well_formed p blocks s sch).
Proof.
  induction sch as [|[|m st] sch IH]; intros s; [cbn; tauto| |].
  - cbn [filter busy final well_formed]. change (after s []) with s. destruct (IH s) as [-> ->]. split; [reflexivity|].
    split; [|tauto]. intros W. repeat split; auto; constructor.
  - cbn [filter busy final well_formed]. destruct (IH (after s (m :: st))) as [-> ->]. tauto.
Qed.

Theorem busy_steps_once c p blocks sch : exactly_once c p blocks (filter busy sch) <-> exactly_once c p blocks sch.
Proof. unfold exactly_once. destruct (idle_steps p blocks sch (initial c p blocks)) as [-> ->]. tauto. Qed.

(* Aggregation 2^a; more than the tree has levels is the same as all of them. *)
Definition pat (near : bool) (p a : nat) : factor :=
  let levels := Nat.log2_up p in let top := Nat.min a levels in
  turned_factor p (pat_steps top (levels - top)) (pat_route top (levels - top) (times_of near (levels - top))).
Definition pat_allgather (near : bool) (p a : nat) : schedule := filter busy (allgather_of (pat near p a)).
Definition pat_reduce_scatter (near : bool) (p a : nat) : schedule := filter busy (reduce_scatter_of (pat near p a)).

Theorem pat_once near p a : 0 < p ->
  exactly_once (Allgather (owner p)) p p (pat_allgather near p a) /\
  exactly_once (ReduceScatter (owner p)) p p (pat_reduce_scatter near p a).
Proof.
  intros P. assert (all_once (pat near p a)) as (R & G & _).
  { apply turned_once; auto. apply pat_valid; [apply times_of_in | apply times_of_later|]. replace (_ + _) with (Nat.log2_up p) by lia. now apply enough_steps. }
  split; apply busy_steps_once; auto.
Qed.
