(* The plans of Bine trees and butterflies: one pass over the peers, as for Swing. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Products Tori Relabelled SwingAll SwingTrees Bine Rooted
  Plans PeerPlans ProductPlans RowPlans SwingPlans RootedPlans.
Import ListNotations.

Lemma reversed_alike p n peer seen : alike p n peer seen -> alike p n (reversed n peer) seen.
Proof.
  intros A q x Q X. destruct (A q x Q X) as [Z C]. split; auto. intros t T. apply C. lia.
Qed.

Definition bine_even_plan (halving : bool) (p : nat) : plan :=
  let n := Nat.log2_up p in
  peers_plan p n (if halving then swing_peer false p else reversed n (swing_peer false p)) (swing_view p).

Definition bine_with_plan (halving : bool) (turn : nat -> rank -> nat) (p : nat) : plan :=
  if Nat.even p then bine_even_plan halving p
  else if p =? 1 then alone_plan
  else odd_plan (bine_even_plan halving (p - 1)) (turn (p - 1)).

Definition bine_plan (halving : bool) : nat -> plan := bine_with_plan halving (fun m => half_turn (Nat.log2_up m) m).
Definition bine_tree_plan (halving : bool) : nat -> plan := bine_with_plan halving (fun _ _ => 0).

Lemma bine_even_plans h p : Nat.Even p -> 0 < p -> plans (bine_even h p) (bine_even_plan h p).
Proof. intros E P. destruct h; apply peers_plans; [|apply reversed_alike]; now apply swing_alike. Qed.

Lemma bine_with_plans h turn p : 0 < p -> (forall m x, 1 < m -> x < m -> turn m x < Nat.log2_up m) ->
  plans (bine_with h turn p) (bine_with_plan h turn p).
Proof.
  intros P T. unfold bine_with, bine_with_plan. destruct (Nat.even p) eqn:E.
  - apply bine_even_plans; auto. now apply Nat.even_spec.
  - destruct (Nat.eqb_spec p 1); [apply alone_plans|].
    assert (Nat.Even (p - 1)) as F by (apply Nat.even_spec; rewrite Nat.even_sub, E by lia; reflexivity).
    assert (1 < p - 1) as M by (destruct F; lia). pose proof (bine_even_plans h (p - 1) F ltac:(lia)) as S.
    intros q Q. apply odd_follows; auto; try (destruct h; reflexivity).
    intros x X. destruct h; apply T; auto.
Qed.

Theorem bine_plans h p : 0 < p -> plans (bine h p) (bine_plan h p) /\ plans (bine_tree h p) (bine_tree_plan h p).
Proof.
  intros P. split; apply bine_with_plans; auto; intros m x M _; pose proof (Nat.log2_up_pos m M); auto. now apply half_turn_in_time.
Qed.

(* With any root *)
Section Rooted.
Variable halving : bool.
Variable p : nat.
Let s := bine_tree_plan halving p.
Definition quick_bine_broadcast : rank -> schedule := quick_rooted_broadcast [p] 1 (plan_steps s) (fun _ => plan_sends s 0).
Definition quick_bine_reduce : rank -> schedule := quick_rooted_reduce [p] 1 (plan_steps s) (fun _ => plan_sends s 0).

Theorem quick_bine_same root : root < p -> let n := steps (bine_tree halving p) in let g := fun _ => bine_path halving p in
  quick_bine_broadcast root = rooted_broadcast [p] 1 n g root /\ quick_bine_reduce root = rooted_reduce [p] 1 n g root.
Proof.
  intros R. cbv zeta. assert (0 < p) as P by lia. assert (product_of [p] = p) as E by apply Nat.mul_1_r.
  destruct (bine_plans halving p P) as [_ T]. pose proof (bine_with_ranks halving (fun _ _ => 0) p P) as K.
  fold (bine_tree halving p) in K. destruct (T 0) as (_ & S & D); [now rewrite K|].
  unfold quick_bine_broadcast, quick_bine_reduce, s. rewrite <- S. apply quick_rooted_same; rewrite E; auto.
  intros b _. rewrite K in D. exact D.
Qed.
End Rooted.
