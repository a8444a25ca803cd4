(* Trees with any root: what serves rank 0 of a torus serves each rank, when all ranks move along with it. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Factors Relabelled Turned Rings SwingTrees.
Import ListNotations.

(* f for each coordinate: the side, the root's coordinate, and the rank's. Ranks are row-major. *)
Fixpoint on_each (f : nat -> nat -> nat -> nat) (sides : list nat) (root x : rank) : rank :=
  match sides with
  | [] => x
  | n :: rest => let m := product_of rest in f n (root / m) (x / m) * m + on_each f rest (root mod m) (x mod m)
  end.

Definition seat_around : list nat -> rank -> rank -> rank := on_each at_offset.
Definition part_around : list nat -> rank -> rank -> rank := on_each offset.

Lemma on_each_inverse f g : (forall n r c, r < n -> c < n -> f n r c < n /\ g n r (f n r c) = c) ->
  forall sides root x, root < product_of sides -> x < product_of sides ->
    on_each f sides root x < product_of sides /\ on_each g sides root (on_each f sides root x) = x.
Proof.
  intros H. induction sides as [|n rest IH]; intros root x R X; [cbn in *; split; auto|].
  cbn [on_each product_of fold_right] in *. fold (product_of rest) in *.
  set (m := product_of rest) in *. assert (0 < m) by (destruct m; lia).
  assert (x / m < n) as A by (apply Nat.div_lt_upper_bound; lia). assert (root / m < n) as B by (apply Nat.div_lt_upper_bound; lia).
  destruct (H n (root / m) (x / m) B A) as [O E]. destruct (IH (root mod m) (x mod m)) as [C D]; try (apply Nat.mod_upper_bound; lia).
  split; [nia|]. rewrite Nat.div_add_l, (Nat.div_small (on_each f _ _ _)), Nat.add_0_r, E by lia.
  rewrite (Nat.add_comm (f _ _ _ * m)), Nat.mod_add, (Nat.mod_small (on_each f _ _ _)), D by lia.
  rewrite Nat.mul_comm. symmetry. apply Nat.div_mod. lia.
Qed.

Lemma around_bijection sides root : root < product_of sides -> bijection (product_of sides) (seat_around sides root) (part_around sides root).
Proof.
  intros R x X. destruct (on_each_inverse at_offset offset) with (sides := sides) (root := root) (x := x) as [A B]; auto.
  { intros n r c L C. destruct (offset_bijection n r L c C) as (? & _ & _ & ?). auto. }
  destruct (on_each_inverse offset at_offset) with (sides := sides) (root := root) (x := x) as [C D]; auto.
  intros n r c L Y. destruct (offset_bijection n r L c Y) as (_ & ? & ? & _). auto.
Qed.

Lemma seat_of_root sides : forall root, root < product_of sides -> seat_around sides root 0 = root.
Proof.
  induction sides as [|n rest IH]; intros root R; [cbn in *; lia|].
  unfold seat_around in *. cbn [on_each product_of fold_right] in *. fold (product_of rest) in *. set (m := product_of rest) in *.
  assert (0 < m) by (destruct m; lia). rewrite Nat.div_0_l, Nat.mod_0_l, IH by (try apply Nat.mod_upper_bound; lia).
  unfold at_offset. rewrite Nat.add_0_l, Nat.mod_small by (apply Nat.div_lt_upper_bound; lia).
  rewrite Nat.mul_comm. symmetry. apply Nat.div_mod. lia.
Qed.

Section Rooted.
Variable sides : list nat.
Variables blocks n : nat.
Let p := product_of sides.

Definition moved (root : rank) (g : block -> route) (b : block) : route :=
  relabelled (seat_around sides root) (part_around sides root) (g b).
Definition rooted_broadcast (g : block -> route) (root : rank) : schedule := allgather p blocks n (moved root g).
Definition rooted_reduce (g : block -> route) (root : rank) : schedule := reduce_scatter p blocks n (moved root g).
Definition all_rooted (g : block -> route) : Prop := forall root, root < p ->
  exactly_once (Broadcast root) p blocks (rooted_broadcast g root) /\ exactly_once (ReduceTo root) p blocks (rooted_reduce g root).

Theorem trees_rooted_once g : 0 < blocks -> (forall b, b < blocks -> valid p n 0 (g b)) -> all_rooted g.
Proof.
  intros B V root R. assert (forall b, b < blocks -> valid p n root (moved root g b)) as M.
  { intros b L. rewrite <- (seat_of_root sides root R) at 1. apply relabelled_valid; auto. now apply around_bijection. }
  split; [apply broadcast_once | apply reduce_once]; auto.
Qed.
End Rooted.

(* One block on a line, along a tree to rank 0 *)
Definition line_rooted (p n : nat) (h : route) : Prop := all_rooted [p] 1 n (fun _ => h).

Theorem line_rooted_once p n h : valid p n 0 h -> line_rooted p n h.
Proof. intros V. apply trees_rooted_once; auto. intros b _. cbn. now rewrite Nat.mul_1_r. Qed.

Theorem chains_once p : 0 < p -> line_rooted p (p - 1) (chain p).
Proof. intros P. apply line_rooted_once. now apply chain_valid. Qed.

Theorem swing_trees_all_once sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes ->
  all_rooted sides lanes (steps (tree_lane sides 0)) (tree_path sides).
Proof. intros S L. apply trees_rooted_once; auto. intros b _. now apply tree_path_valid. Qed.
