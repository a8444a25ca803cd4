(* Swing's trees: paths of its peers are valid routes to rank 0 for every p, on all tori and with any number of lanes, which makes a
   reduce and a broadcast (Rooted.v). Where a side is odd, coordinate 0 serves the last one, in the last step of that dimension. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Factors Products Tori Trees SwingAll.
From Collectives Require SwingPaths.
Import ListNotations.

Section Pairs.
Open Scope Z_scope.
Variable p : Z.
Hypothesis even : Z.even p = true.
Hypothesis some : 0 < p.

Lemma whole_peer_parity m x s : Z.even (whole_peer m p x s) = negb (Z.even x).
Proof.
  assert (forall z, Z.even (z mod p) = Z.even z) as M.
  { intros z. rewrite Z.mod_eq by lia. rewrite Z.even_sub, Z.even_mul, even. cbn. destruct (Z.even z); reflexivity. }
  unfold whole_peer. destruct (Bool.eqb (Z.even x) m); rewrite M, ?Z.even_add, ?Z.even_sub, SwingPaths.rho_odd; destruct (Z.even x); reflexivity.
Qed.

Lemma whole_peer_pairs m x s : 0 <= x < p -> whole_peer m p (whole_peer m p x s) s = x.
Proof.
  intros X. unfold whole_peer at 1. rewrite whole_peer_parity. unfold whole_peer.
  destruct (Z.even x), m; cbn [Bool.eqb negb]; rewrite ?Zminus_mod_idemp_l, ?Zplus_mod_idemp_l;
    rewrite ?Z.add_simpl_r, ?Z.sub_simpl_r; now apply Z.mod_small.
Qed.
End Pairs.

Lemma swing_paired m p : Nat.Even p -> paired p (swing_peer m p).
Proof.
  intros E x s X. unfold swing_peer.
  pose proof (whole_peer_range (Z.of_nat p) ltac:(lia) m (Z.of_nat x) s). rewrite Z2Nat.id by lia.
  rewrite whole_peer_pairs; [apply Nat2Z.id | apply even_whole; auto; lia | lia | lia].
Qed.

Definition tree_even (mirrored : bool) (p : nat) : factor :=
  let n := Nat.log2_up p in Factor p n (last_chance (reversed n (swing_peer mirrored p)) n).

Definition tree (mirrored : bool) (p : nat) : factor :=
  if Nat.even p then tree_even mirrored p
  else if p =? 1 then alone
  else with_odd_one (tree_even mirrored (p - 1)) (fun _ => 0).

Lemma tree_even_right m p : Nat.Even p -> 0 < p -> right (tree_even m p).
Proof.
  intros E P q Q. destruct (reversed_covers _ _ _ (swing_covers m p E P) (swing_paired m p E)) as [R C].
  apply last_chance_valid; auto.
Qed.

Lemma tree_ranks m p : 0 < p -> ranks (tree m p) = p.
Proof. intros P. unfold tree. destruct (Nat.even p); auto. destruct (Nat.eqb_spec p 1); cbn; lia. Qed.

Lemma tree_steps m p : steps (tree m p) = steps (tree false p).
Proof. unfold tree. destruct (Nat.even p); auto. destruct (p =? 1); auto. Qed.

Theorem tree_right m p : 0 < p -> right (tree m p).
Proof.
  intros P. unfold tree. destruct (Nat.even p) eqn:E.
  - apply tree_even_right; auto. now apply Nat.even_spec.
  - destruct (Nat.eqb_spec p 1); [apply alone_right|].
    assert (Nat.Even (p - 1)) as F by (apply Nat.even_spec; rewrite Nat.even_sub, E by lia; reflexivity).
    apply odd_one_right.
    + apply tree_even_right; auto. lia.
    + intros x X. cbn. apply Nat.log2_up_pos. destruct F. lia.
Qed.

(* One block for each lane. The broadcast's steps go round-robin; the reduce is its reversal. *)
Definition tree_lane (sides : list nat) (l : nat) : factor :=
  let fs := map (tree (length sides <=? l)) sides in
  torus_factor (torus_of fs (rev (round_robin fs (l mod length sides)))).
Definition tree_path (sides : list nat) (l : block) : route := path (tree_lane sides l) 0.

Lemma rev_interleaves fs order : interleaves fs order -> interleaves fs (rev order).
Proof. intros I w. rewrite <- (I w). apply count_occ_rev. Qed.

Section Trees.
Variable sides : list nat.
Hypothesis some : Forall (fun n => 0 < n) sides.

Lemma tree_lane_ranks l : ranks (tree_lane sides l) = extent sides.
Proof.
  unfold tree_lane. rewrite torus_of_ranks, map_map. unfold extent. f_equal. generalize (length sides <=? l). intros m.
  induction some as [|n ns N R IH]; cbn; auto. rewrite tree_ranks, IH; auto.
Qed.

Lemma tree_lane_steps l : steps (tree_lane sides l) = steps (tree_lane sides 0).
Proof.
  unfold tree_lane. rewrite !torus_of_steps, !map_map. f_equal. apply map_ext. intros n.
  now rewrite tree_steps, (tree_steps (length sides <=? 0)).
Qed.

Lemma tree_lane_right l : right (tree_lane sides l).
Proof.
  apply torus_of_right; [|apply rev_interleaves, round_robin_interleaves].
  apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in some. auto using tree_right.
Qed.

Lemma tree_path_valid l : valid (extent sides) (steps (tree_lane sides 0)) 0 (tree_path sides l).
Proof.
  pose proof (tree_lane_right l 0) as V. rewrite tree_lane_ranks, tree_lane_steps in V. apply V. now apply extent_positive.
Qed.

(* The same peers, whatever the root is. In Rooted.v all ranks move along with it. *)
Definition rooted_tree_path (root : rank) (l : block) : route := path (tree_lane sides l) root.

Theorem swing_trees_rooted_once root lanes : root < extent sides -> 0 < lanes -> let n := steps (tree_lane sides 0) in
  exactly_once (Broadcast root) (extent sides) lanes (allgather (extent sides) lanes n (rooted_tree_path root)) /\
  exactly_once (ReduceTo root) (extent sides) lanes (reduce_scatter (extent sides) lanes n (rooted_tree_path root)).
Proof.
  intros R L. assert (forall l, valid (extent sides) (steps (tree_lane sides 0)) root (rooted_tree_path root l)) as V.
  { intros l. pose proof (tree_lane_right l root) as V. rewrite tree_lane_ranks, tree_lane_steps in V. now apply V. }
  cbv zeta. split; [apply broadcast_once | apply reduce_once]; auto.
Qed.
End Trees.
