(* Extraction to OCaml. Ranks, blocks and steps become machine integers, sets of contributors stay Coq's binary numbers.
   Trusted are ExtrOcamlNatInt and the three lines below. They are right as long as no number reaches 2^62, where machine integers
   wrap around; checker/main.ml refuses numbers above 2^28. *)
Require Import Arith.
From Collectives Require Import Semantics Checker BlockChecker Factors SwingAll SwingTrees Tori TreeRoute Catalogue Mirrored Turned Rings Folding Exchange.
Require Extraction.
Require Import ExtrOcamlBasic ExtrOcamlNatInt.

(* Without this, a < b is S a <= b. *)
Extract Constant Nat.ltb => "fun (a : int) b -> a < b".
(* Without these, division counts down. Division by zero is Coq's. *)
Extract Constant Nat.div => "fun a b -> if b = 0 then 0 else a / b".
Extract Constant Nat.modulo => "fun a b -> if b = 0 then a else a mod b".

Extraction "collectives.ml" check check_by_block
  reduce_scatter_of allgather_of allreduce_of swing ring dissemination doubling_near doubling_far bruck_near bruck_far binomial_broadcast binomial_reduce folding folding_group bucket in_turn
  swing_latency recursive_doubling mirrored_doubling rings_allreduce chain_broadcast chain_reduce
  torus_reduce_scatter torus_allgather torus_allreduce swing_broadcast swing_reduce.
