(* Bine trees and butterflies. They have Swing's peers, from the nearest to the farthest or the other way round; an odd rank is served
   apart, as in Swing. The trees are the paths to one rank. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge LastChance Factors Products Tori SwingAll SwingTrees Catalogue Rooted.
Import ListNotations.

(* In a reduce-scatter the distances double when they halve in the allgather. *)
Definition bine_even (halving : bool) (p : nat) : factor := if halving then swing_even false p else tree_even false p.

Definition bine_with (halving : bool) (turn : nat -> rank -> nat) (p : nat) : factor :=
  if Nat.even p then bine_even halving p
  else if p =? 1 then alone
  else with_odd_one (bine_even halving (p - 1)) (turn (p - 1)).

Definition bine (halving : bool) : nat -> factor := bine_with halving (fun m => half_turn (Nat.log2_up m) m).
Definition bine_tree (halving : bool) : nat -> factor := bine_with halving (fun _ _ => 0).

Lemma bine_even_right h p : Nat.Even p -> 0 < p -> right (bine_even h p).
Proof. destruct h; [apply swing_even_right | apply tree_even_right]. Qed.

Lemma bine_with_ranks h turn p : 0 < p -> ranks (bine_with h turn p) = p.
Proof.
  intros P. unfold bine_with, bine_even. destruct (Nat.even p); [now destruct h|].
  destruct (Nat.eqb_spec p 1); destruct h; cbn; lia.
Qed.

Lemma bine_with_right h turn p : 0 < p -> (forall m x, 0 < m -> x < m -> turn m x < Nat.log2_up m \/ m = 1) -> right (bine_with h turn p).
Proof.
  intros P T. unfold bine_with. destruct (Nat.even p) eqn:E.
  - apply bine_even_right; auto. now apply Nat.even_spec.
  - destruct (Nat.eqb_spec p 1); [apply alone_right|].
    assert (Nat.Even (p - 1)) as F by (apply Nat.even_spec; rewrite Nat.even_sub, E by lia; reflexivity).
    apply odd_one_right; [apply bine_even_right; auto; lia|].
    intros x X. assert (x < p - 1) as B by (destruct h; exact X). destruct (T (p - 1) x) as [L|L]; try lia.
    + destruct h; exact L.
    + destruct F. lia.
Qed.

Lemma log2_up_some m : 0 < m -> 0 < Nat.log2_up m \/ m = 1.
Proof. intros M. destruct (Nat.eq_dec m 1); auto. left. apply Nat.log2_up_pos. lia. Qed.

Lemma bine_right h p : 0 < p -> right (bine h p).
Proof.
  intros P. apply bine_with_right; auto. intros m x M _. destruct (log2_up_some m M); auto. left. now apply half_turn_in_time.
Qed.

Lemma bine_tree_right h p : 0 < p -> right (bine_tree h p).
Proof. intros P. apply bine_with_right; auto. intros m x M _. now apply log2_up_some. Qed.

Theorem bine_once h p : 0 < p -> all_once (bine h p).
Proof.
  intros P. pose proof (bine_with_ranks h (fun m => half_turn (Nat.log2_up m) m) p P) as R. apply factor_once; [|now apply bine_right].
  unfold bine. now rewrite R.
Qed.

Definition bine_path (h : bool) (p : nat) : route := path (bine_tree h p) 0.

Theorem bine_trees_once h p : 0 < p -> line_rooted p (steps (bine_tree h p)) (bine_path h p).
Proof.
  intros P. apply line_rooted_once. pose proof (bine_tree_right h p P 0) as V. unfold bine_tree in *.
  rewrite bine_with_ranks in V by auto. now apply V.
Qed.
