(* Recursive doubling on all ports of a torus whose sides are powers of two: plain lanes, lane l starting on dimension l, and as many
   mirrored ones, in which coordinate c takes the part of -c. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Products Tori Relabelled Catalogue.
Import ListNotations.

(* A side has 2^a ranks for each a of `bits`. *)
Definition mirrored_sides (bits : list nat) : list nat := map (Nat.pow 2) bits.
Definition doubling_torus (bits : list nat) (first : nat) : factor :=
  let fs := map doubling_near bits in torus_factor (torus_of fs (round_robin fs first)).

Section Mirrored.
Variable bits : list nat.
Let sides : list nat := mirrored_sides bits.
Let p : nat := product_of sides.

Definition mirrored_seat (l : nat) : rank -> rank := if l <? length bits then fun x => x else mirror sides.
Definition mirrored_lane (l : nat) (b : block) : route := path (doubling_torus bits (l mod length bits)) b.
Definition mirrored_owner : block -> rank := seated_owner p (fun _ b => b) mirrored_seat.
Definition mirrored_routes : block -> route := seated p mirrored_lane mirrored_seat mirrored_seat.

Definition mirrored_reduce_scatter (lanes : nat) : schedule := reduce_scatter p (lanes * p) (list_sum bits) mirrored_routes.
Definition mirrored_allgather (lanes : nat) : schedule := allgather p (lanes * p) (list_sum bits) mirrored_routes.
Definition mirrored_doubling (lanes : nat) : schedule := allreduce p (lanes * p) (list_sum bits) mirrored_routes.

Lemma doubling_torus_right first : ranks (doubling_torus bits first) = p /\ steps (doubling_torus bits first) = list_sum bits /\
  right (doubling_torus bits first).
Proof.
  unfold doubling_torus. rewrite torus_of_ranks, torus_of_steps, !map_map. split; [|split].
  - unfold p, sides, product_of, mirrored_sides. f_equal.
  - now rewrite map_id.
  - apply torus_of_right; [|apply round_robin_interleaves]. apply Forall_forall. intros f F.
    apply in_map_iff in F as (a & <- & _). apply peer_factor_right, exchanged_covers.
Qed.

Lemma mirrored_seats l : bijection p (mirrored_seat l) (mirrored_seat l).
Proof. unfold mirrored_seat. destruct (l <? length bits); [intros x X; auto | apply mirror_bijection]. Qed.

Lemma mirrored_some : 0 < p.
Proof.
  unfold p, sides, mirrored_sides, product_of. clear. induction bits as [|a rest IH]; cbn [map fold_right]; [lia|].
  pose proof (Nat.pow_nonzero 2 a). nia.
Qed.

Lemma mirrored_owned lanes : owned p (list_sum bits) (lanes * p) mirrored_owner mirrored_routes.
Proof.
  apply seated_owned. intros l _. split; [apply mirrored_seats|]. intros b B. split; [exact B|].
  destruct (doubling_torus_right (l mod length bits)) as (R & S & V). unfold right in V. rewrite R, S in V. now apply V.
Qed.

Theorem mirrored_doubling_once lanes : 0 < lanes ->
  exactly_once (ReduceScatter mirrored_owner) p (lanes * p) (mirrored_reduce_scatter lanes) /\
  exactly_once (Allgather mirrored_owner) p (lanes * p) (mirrored_allgather lanes) /\
  exactly_once Allreduce p (lanes * p) (mirrored_doubling lanes).
Proof.
  intros L. pose proof mirrored_some as P. pose proof (mirrored_owned lanes) as O. assert (0 < lanes * p) as B by nia.
  split; [|split]; [apply reduce_scatter_once | apply allgather_once | apply allreduce_once with mirrored_owner]; auto.
Qed.
End Mirrored.
