(* One port: at a step a rank sends to at most one rank, and receives from at most one. So it is if everybody has one peer a step, and
   no two have the same: rings, halving, and Swing for even p. For odd p Swing needs more. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors SwingAll Catalogue OrderLost.
Import ListNotations.

Definition one_port (sch : schedule) : Prop :=
  Forall (fun st => forall m u, In m st -> In u st -> (src m = src u <-> dst m = dst u)) sch.

Section Routes.
Variables p blocks n : nat.
Variable g : block -> route.
Variable peer : rank -> nat -> rank.
Hypothesis only_peers : forall b t x d, t < n -> x < p -> g b t x = Some d -> d = peer x t.
Hypothesis apart : forall x y t, t < n -> x < p -> y < p -> peer x t = peer y t -> x = y.

Theorem routes_one_port :
  one_port (reduce_scatter p blocks n g) /\ one_port (allgather p blocks n g) /\ one_port (allreduce p blocks n g).
Proof.
  assert (one_port (reduce_scatter p blocks n g)) as A.
  { apply Forall_forall. intros st S. apply in_map_iff in S as (t & <- & T). apply in_below in T. intros m u M U.
    apply in_forward in M as (b & x & d & _ & X & -> & G), U as (c & y & e & _ & Y & -> & H). cbn.
    apply only_peers in G as ->; auto. apply only_peers in H as ->; auto. split; [congruence | now apply apart]. }
  assert (one_port (allgather p blocks n g)) as B.
  { apply Forall_forall. intros st S. apply in_map_iff in S as (t & <- & T). apply in_rev, in_below in T. intros m u M U.
    apply in_backward in M as (b & x & d & _ & X & -> & G), U as (c & y & e & _ & Y & -> & H). cbn.
    apply only_peers in G as ->; auto. apply only_peers in H as ->; auto. split; [now apply apart | congruence]. }
  split; [|split]; auto. now apply Forall_app.
Qed.
End Routes.

Definition all_one_port (f : factor) : Prop :=
  one_port (reduce_scatter_of f) /\ one_port (allgather_of f) /\ one_port (allreduce_of f).

Lemma peers_one_port p n peer : (forall x y t, t < n -> x < p -> y < p -> peer x t = peer y t -> x = y) -> all_one_port (peer_factor p n peer).
Proof.
  intros I. apply (routes_one_port p p n _ peer); auto. intros b t x d _ _ G. now apply last_chance_some in G as (-> & _).
Qed.

Theorem ring_one_port p : 0 < p -> all_one_port (ring p).
Proof. intros P. apply peers_one_port. intros x y t _ X Y E. now apply (shift_back p x y 1). Qed.

Theorem doubling_one_port a : all_one_port (doubling_near a) /\ all_one_port (doubling_far a).
Proof.
  split; apply peers_one_port; intros x y t _ X Y E.
  - rewrite <- (exchanged_paired (2 ^ a) x t X), <- (exchanged_paired (2 ^ a) y t Y). now rewrite E.
  - unfold reversed in E. rewrite <- (exchanged_paired (2 ^ a) x (a - S t) X), <- (exchanged_paired (2 ^ a) y (a - S t) Y). rewrite E. reflexivity.
Qed.

Theorem swing_one_port p : Nat.Even p -> 0 < p -> all_one_port (swing false p).
Proof.
  intros E P. unfold swing. apply Nat.even_spec in E as F. rewrite F. apply (peers_one_port p _ (swing_peer false p)).
  intros x y t _ X Y. now apply swing_peer_injective.
Qed.

(* Rank 2 sends to both others at once. *)
Theorem swing_3_ports : ~ one_port (reduce_scatter_of (swing false 3)).
Proof.
  intros H. unfold one_port in H. rewrite Forall_forall in H.
  pose proof (H (nth 0 (reduce_scatter_of (swing false 3)) []) ltac:(vm_compute; auto) (move 2 0 0 Reduce) (move 2 1 1 Reduce)
    ltac:(vm_compute; auto 10) ltac:(vm_compute; auto 10)) as [S _]. discriminate (S eq_refl).
Qed.
