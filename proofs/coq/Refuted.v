(* Three sentences that are false, by running the proved checker:
   - the product of any two reduce-scatters that are exactly once is exactly once;
   - of Swing's two chances to send a block, the first one will do (false for p = 6);
   - exchanges of whole vectors with Swing's peers are exactly once for every even p (false for p = 6). *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Checker Bridge LastChance Factors Products SwingAll.
Import ListNotations.

Lemma check_true c p blocks sch : check c p blocks sch = true -> exactly_once c p blocks sch.
Proof. apply check_correct. Qed.

Lemma check_false c p blocks sch : check c p blocks sch = false -> ~ exactly_once c p blocks sch.
Proof. intros C E. apply check_correct in E. congruence. Qed.

(* Three ranks, two steps: rank q+1 sends its share of block q to q+2, which has just sent what it had, and then to q. *)
Definition wasteful : factor := Factor 3 2 (fun q t x =>
  match t, (x + 3 - q) mod 3 with
  | 0, 1 => Some ((q + 2) mod 3)
  | 0, 2 => Some q
  | 1, 1 => Some q
  | _, _ => None
  end).

Definition two : factor := Factor 2 1 (fun q t x => if (t =? 0) && negb (x =? q) then Some q else None).

(* Both are exactly once. Their product, with the step of `two` between the others, isn't. So `right` is needed for products. *)
Theorem product_needs_right : exists a b first,
  exactly_once (ReduceScatter (owner (ranks a))) (ranks a) (ranks a) (reduce_scatter_of a) /\
  exactly_once (ReduceScatter (owner (ranks b))) (ranks b) (ranks b) (reduce_scatter_of b) /\
  turns first (steps a + steps b) = steps a /\
  let c := product a b first in ~ exactly_once (ReduceScatter (owner (ranks c))) (ranks c) (ranks c) (reduce_scatter_of c).
Proof.
  exists wasteful, two, (fun t => negb (t =? 1)). split; [|split; [|split]].
  - apply check_true. vm_compute. reflexivity.
  - apply check_true. vm_compute. reflexivity.
  - reflexivity.
  - apply check_false. vm_compute. reflexivity.
Qed.

(* Of several steps at which a block could go, the first one *)
Definition first_chance (peer : rank -> nat -> rank) (n : nat) (q : rank) : route := fun t x =>
  let could u := reaches peer q (n - S u) (S u) (peer x u) in
  if negb (x =? q) && could t && negb (existsb could (seq 0 t)) then Some (peer x t) else None.

Theorem first_chance_fails :
  ~ exactly_once (ReduceScatter (owner 6)) 6 6 (reduce_scatter 6 6 3 (first_chance (swing_peer false 6) 3)).
Proof. apply check_false. vm_compute. reflexivity. Qed.

(* Latency-optimal Swing: at each step everyone adds the peer's whole vector, here one block. *)
Definition whole_exchange (p n : nat) : schedule :=
  map (fun t => map (fun x => move x (swing_peer false p x t) 0 Reduce) (seq 0 p)) (seq 0 n).

Theorem whole_exchange_8 : exactly_once Allreduce 8 1 (whole_exchange 8 3).
Proof. apply check_true. vm_compute. reflexivity. Qed.

Theorem whole_exchange_6_fails : ~ exactly_once Allreduce 6 1 (whole_exchange 6 3).
Proof. apply check_false. vm_compute. reflexivity. Qed.
