(* A sentence that is false, by running the proved checker: the product of any two reduce-scatters that are exactly once is exactly
   once. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Checker Bridge Factors Products.
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
