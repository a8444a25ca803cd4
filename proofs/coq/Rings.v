(* Rings along Hamiltonian cycles, both ways: along a line, or along two cycles of a torus that have no common link. The route of a
   ring's block is a chain. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Factors TreeRoute Relabelled Turned Cycles.
Import ListNotations.

(* A block that goes to rank 0 from rank p - 1, down along all ranks *)
Definition chain (p : nat) : route := tree_route pred (fun d => p - 1 - d).

(* To the left, and its mirror image *)
Definition ring_left (p : nat) : factor := turned_factor p (p - 1) (chain p).
Definition ring_right (p : nat) : factor := relabelled_factor (opposite p) (opposite p) (ring_left p).

Lemma chain_valid p : valid p (p - 1) 0 (chain p).
Proof. apply tree_valid; intros d D; lia. Qed.

Lemma rings_right p : right (ring_left p) /\ right (ring_right p).
Proof.
  assert (right (ring_left p)) as L by (intros q Q; cbn in *; apply turned_valid; auto using chain_valid).
  split; auto. apply relabelled_right; auto. apply opposite_bijection.
Qed.

(* The seats along each cycle: position i is sat on by rank `cycle i`. *)
Definition cycles_of (sides : list nat) : list (nat -> rank) :=
  match sides with
  | [_] => [fun i => i]
  | [r; c] => if fits r c then [first_seat r c; second_seat r c]
              else [fun i => turn c r (first_seat c r i); fun i => turn c r (second_seat c r i)]
  | _ => []
  end.
Definition has_cycles (sides : list nat) : bool :=
  match sides with [p] => 0 <? p | [r; c] => fits r c || fits c r | _ => false end.

(* On a torus, they are as they should be. *)
Theorem cycles_hamiltonian r c : has_cycles [r; c] = true ->
  exists f g, cycles_of [r; c] = [f; g] /\ hamiltonian r c f /\ hamiltonian r c g /\ link_disjoint r c f g.
Proof.
  cbn [has_cycles cycles_of]. destruct (fits r c) eqn:F; cbn [orb].
  - intros _. do 2 eexists. split; [reflexivity|]. auto using first_hamiltonian, second_hamiltonian, cycles_disjoint.
  - intros G. do 2 eexists. split; [reflexivity|].
    pose proof (first_hamiltonian c r G). pose proof (second_hamiltonian c r G). pose proof (cycles_disjoint c r G).
    split; [|split]; [apply (turned_hamiltonian c r (first_seat c r)) | apply (turned_hamiltonian c r (second_seat c r))
                     | apply (turned_disjoint c r (first_seat c r) (second_seat c r))]; auto.
Qed.

Lemma hamiltonian_bijection r c f : hamiltonian r c f -> bijection (r * c) f (position (r * c) f).
Proof. intros (_ & I & B). apply injective_bijection; auto. intros i L. now apply B. Qed.

(* First all cycles to the right, then all to the left *)
Section Rings.
Variable sides : list nat.
Let p : nat := product_of sides.
Let cycles : list (nat -> rank) := cycles_of sides.

Definition ring_seat (l : nat) : rank -> rank := nth (l mod length cycles) cycles (fun i => i).
Definition ring_part (l : nat) : rank -> rank := position p (ring_seat l).
Definition ring_lane (l : nat) (b : block) : route := path (if l <? length cycles then ring_right p else ring_left p) b.
Definition ring_owner : block -> rank := seated_owner p (fun _ b => b) ring_seat.
Definition ring_routes : block -> route := seated p ring_lane ring_seat ring_part.

Definition rings_reduce_scatter (lanes : nat) : schedule := reduce_scatter p (lanes * p) (p - 1) ring_routes.
Definition rings_allgather (lanes : nat) : schedule := allgather p (lanes * p) (p - 1) ring_routes.
Definition rings_allreduce (lanes : nat) : schedule := allreduce p (lanes * p) (p - 1) ring_routes.

Hypothesis H : has_cycles sides = true.

Lemma ring_seats l : bijection p (ring_seat l) (ring_part l).
Proof.
  unfold ring_part, ring_seat, cycles, p in *. destruct sides as [|r [|c [|]]]; try discriminate H.
  - cbn [cycles_of length]. rewrite Nat.mod_1_r. apply injective_bijection; auto.
  - cbn [product_of fold_right]. rewrite Nat.mul_1_r. destruct (cycles_hamiltonian r c H) as (f & g & -> & F & G & _).
    apply hamiltonian_bijection. cbn [length].
    pose proof (Nat.mod_upper_bound l 2 ltac:(lia)). destruct (l mod 2) as [|[|]]; cbn [nth]; auto. lia.
Qed.

Lemma rings_some : 0 < p.
Proof.
  clear - H. unfold p. destruct sides as [|r [|c [|]]]; try discriminate H; cbn in *.
  - destruct r; [discriminate | lia].
  - apply orb_true_iff in H as [H|H]; apply long in H; nia.
Qed.

Lemma rings_owned lanes : owned p (p - 1) (lanes * p) ring_owner ring_routes.
Proof.
  apply seated_owned. intros l _. split; [apply ring_seats|]. intros b B. split; [exact B|].
  destruct (rings_right p) as [A C]. unfold ring_lane. destruct (l <? length cycles); [now apply C | now apply A].
Qed.

Theorem rings_once lanes : 0 < lanes ->
  exactly_once (ReduceScatter ring_owner) p (lanes * p) (rings_reduce_scatter lanes) /\
  exactly_once (Allgather ring_owner) p (lanes * p) (rings_allgather lanes) /\
  exactly_once Allreduce p (lanes * p) (rings_allreduce lanes).
Proof.
  intros L. pose proof rings_some as P. pose proof (rings_owned lanes) as O. assert (0 < lanes * p) as B by nia.
  split; [|split]; [apply reduce_scatter_once | apply allgather_once | apply allreduce_once with ring_owner]; auto.
Qed.
End Rings.
