(* Any algorithm within nodes, any across them. Of k nodes with m ranks each, rank n * m + i is at place i of node n. The reduce-scatter
   within the nodes comes first, then the one across them: a product of the two in this order. A part may have fewer blocks than ranks,
   block b for rank b: all it has for rank 0 is a tree, whose reduce and broadcast are composed likewise. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Factors Products Tori TreeRoute SwingAll SwingTrees Relabelled Catalogue
  Turned Carried Folding Circulant Rings Folded Paced Rooted Bine.
Import ListNotations.

Definition within_first (across within : factor) : list nat := rev (in_turn [across; within]).
Definition nodes_of (across within : factor) : factor := torus_factor (torus_of [across; within] (within_first across within)).

Lemma nodes_right across within : right across -> right within -> right (nodes_of across within).
Proof. intros A W. apply torus_of_right; auto. apply rev_interleaves, in_turn_interleaves. Qed.

Lemma nodes_ranks across within : ranks (nodes_of across within) = ranks across * ranks within.
Proof. unfold nodes_of. rewrite torus_of_ranks. cbn. lia. Qed.

(* Block b * w + a is block b across and block a within, of w; its owner is at place a of node b. *)
Definition node_owner (m w : nat) (b : block) : rank := b / w * m + b mod w.

Section Composed.
Variables across within : factor.
Variables j w : nat.   (* blocks across, and within *)
Let p : nat := ranks across * ranks within.
Let n : nat := steps (nodes_of across within).
Let q : block -> rank := node_owner (ranks within) w.

Definition nodes_path (b : block) : route := path (nodes_of across within) (q b).
Definition nodes_reduce_scatter : schedule := reduce_scatter p (j * w) n nodes_path.
Definition nodes_allgather : schedule := allgather p (j * w) n nodes_path.
Definition nodes_allreduce : schedule := allreduce p (j * w) n nodes_path.

Hypothesis A : right across.
Hypothesis W : right within.
Hypothesis some : 0 < j <= ranks across.
Hypothesis some_within : 0 < w <= ranks within.

Lemma node_owner_below b : b < j * w -> q b < p.
Proof.
  intros B. unfold q, node_owner, p. assert (b / w < j) by (apply Nat.div_lt_upper_bound; lia).
  pose proof (Nat.mod_upper_bound b w ltac:(lia)). nia.
Qed.

Lemma nodes_once :
  exactly_once (ReduceScatter q) p (j * w) nodes_reduce_scatter /\
  exactly_once (Allgather q) p (j * w) nodes_allgather /\
  exactly_once Allreduce p (j * w) nodes_allreduce.
Proof.
  unfold nodes_reduce_scatter, nodes_allgather, nodes_allreduce. pose proof (owners_once (nodes_of across within) (j * w) q) as O.
  rewrite nodes_ranks in O. fold p n in O. apply O; auto using nodes_right, node_owner_below; unfold p; nia.
Qed.

(* Trees alone. All ranks move along with the root: nodes with its node, places with its place. *)
Definition nodes_tree (_ : block) : route := path (nodes_of across within) 0.

Lemma nodes_rooted blocks : 0 < blocks -> all_rooted [ranks across; ranks within] blocks n nodes_tree.
Proof.
  intros B. apply trees_rooted_once; auto. intros b _. pose proof (nodes_right across within A W) as R. unfold right in R.
  rewrite nodes_ranks in R. cbn. rewrite Nat.mul_1_r. apply R. nia.
Qed.
End Composed.

(* The reduce-scatters and trees of the catalogue on a line. Recursive halving folds what is beyond a power of two, and has as many
   blocks. The binomial trees are those of Bruck's to rank 0, the chain is that of the ring. *)
Definition parts (p : nat) : list factor :=
  [swing false p; ring p; ring_by_turns p; bruck_near p; bruck_far p; pairwise p; folding p; halving_side true p; halving_side false p;
   ring_left p; ring_right p; tree false p; circulant_left p; circulant p; bine true p; bine false p; bine_tree true p; bine_tree false p].

Lemma parts_right p : 0 < p -> Forall (fun f => right f /\ ranks f = p) (parts p).
Proof.
  intros P. pose proof (turned_valid p) as T.
  assert (forall n h, valid p n 0 h -> right (turned_factor p n h) /\ ranks (turned_factor p n h) = p) as U.
  { intros n h V. split; auto. intros q Q. now apply T. }
  unfold parts. repeat apply Forall_cons; auto.
  - split; [now apply swing_right | now apply swing_ranks].
  - split; [now apply Catalogue.ring_right | reflexivity].
  - split; auto. apply turns_right; [intros x _; apply ring_turn_below | now apply Catalogue.ring_right].
  - apply U. auto using near_valid, enough_steps.
  - apply U. auto using far_valid, enough_steps.
  - apply U, straight_valid.
  - split; auto using folding_right.
  - split; [now apply halving_side_right | apply folded_ranks].
  - split; [now apply halving_side_right | apply folded_ranks].
  - split; auto. apply rings_right.
  - split; auto. apply rings_right.
  - split; [now apply tree_right | now apply tree_ranks].
  - apply U. now apply halved_valid.
  - split; auto using circulant_right.
  - split; [now apply bine_right | now apply bine_with_ranks].
  - split; [now apply bine_right | now apply bine_with_ranks].
  - split; [now apply bine_tree_right | now apply bine_with_ranks].
  - split; [now apply bine_tree_right | now apply bine_with_ranks].
Qed.

Theorem hierarchical_once k m across within j w : In across (parts k) -> In within (parts m) -> 0 < j <= k -> 0 < w <= m ->
  let q := node_owner m w in
  exactly_once (ReduceScatter q) (k * m) (j * w) (nodes_reduce_scatter across within j w) /\
  exactly_once (Allgather q) (k * m) (j * w) (nodes_allgather across within j w) /\
  exactly_once Allreduce (k * m) (j * w) (nodes_allreduce across within j w).
Proof.
  intros A W J K. pose proof (parts_right k ltac:(lia)) as RA. pose proof (parts_right m ltac:(lia)) as RW.
  rewrite Forall_forall in RA, RW. destruct (RA _ A) as [VA EA]. destruct (RW _ W) as [VW EW]. subst k m. now apply nodes_once.
Qed.

Theorem hierarchical_trees_once k m across within blocks : In across (parts k) -> In within (parts m) -> 0 < k -> 0 < m -> 0 < blocks ->
  all_rooted [k; m] blocks (steps (nodes_of across within)) (nodes_tree across within).
Proof.
  intros A W K M B. pose proof (parts_right k K) as RA. pose proof (parts_right m M) as RW.
  rewrite Forall_forall in RA, RW. destruct (RA _ A) as [VA EA]. destruct (RW _ W) as [VW EW]. subst k m.
  apply nodes_rooted with 1 1; auto; lia.
Qed.

(* One block for each rank: its own *)
Lemma node_owner_same m b : 0 < m -> node_owner m m b = b.
Proof. intros M. unfold node_owner. rewrite Nat.mul_comm. symmetry. apply Nat.div_mod. lia. Qed.
