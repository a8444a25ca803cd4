(* The programs: OCaml from the functions that the theorems are about, or that are proved to equal them (Plans.v: `quick_..`).
   Trusted are ExtrOcamlNatInt and the lines below. They are right as long as no number reaches 2^62, where machine integers wrap
   around, and nothing checks that: the tests ask for small ones. The checker is in KernelExtract.v. *)
Require Import Arith.
From Collectives Require Import Semantics Factors Tori TreeRoute Catalogue Turned Carried Circulant Knomial Rings Pat PatPlan Folded Elimination Latency Mirrored
  Plans ProductPlans RowPlans SwingPlans MirroredPlans RingPlans FoldedPlans PacedPlans RootedPlans CirculantBlocks CirculantTables
  CirculantPlans BinePlans EliminationPlans HierarchicalPlans Merged Spread Cells RemovedOnce RemovedScratch AsPrinted.
Require Extraction.
Require Import ExtrOcamlBasic ExtrOcamlNatInt.

(* Without this, a < b is S a <= b. *)
Extract Constant Nat.ltb => "fun (a : int) b -> a < b".
(* Without these, division counts down. Division by zero is Coq's. *)
Extract Constant Nat.div => "fun a b -> if b = 0 then 0 else a / b".
Extract Constant Nat.modulo => "fun a b -> if b = 0 then a else a mod b".
(* Without these, bits are found by counting down. *)
Extract Constant Nat.even => "fun a -> a land 1 = 0".
Extract Constant Nat.div2 => "fun a -> a lsr 1".
Extract Constant Nat.lxor => "fun (a : int) b -> a lxor b".

Extraction "collectives.ml"
  quick_reduce_scatter_of quick_allgather_of quick_allreduce_of scanned
  swing_plan quick_torus_reduce_scatter quick_torus_allgather quick_torus_allreduce quick_swing_broadcast quick_swing_reduce
  ring ring_plan bucket_plan in_turn doubling_near_plan doubling_far_plan quick_mirrored_doubling quick_mirrored_reduce_scatter
  quick_mirrored_allgather mirrored_owner bruck_near_plan bruck_far_plan
  levels near_tree far_tree chain line_broadcast line_reduce folding_plan folding_group_plan
  halving_torus_plan inner_blocks quick_rabenseifner quick_rabenseifner_beside elimination swing_latency recursive_doubling doubling_beside
  reduce_scatter_of allreduce_of keep_first in_final_step figure_3 along_delta swing_unfolded folding_as_printed bruck_as_printed
  quick_rings_reduce_scatter quick_rings_allgather quick_rings_allreduce ring_owner has_cycles quick_pat_allgather quick_pat_reduce_scatter
  Nat.log2_up pairwise_plan straight straight_steps near_walk far_walk walk_alltoall walk_scatter walk_gather
  ring_by_turns_plan quick_bucket_reduce_scatter quick_bucket_allgather quick_bucket_allreduce
  tree_side_plan halving_side_plan inner ring_left_plan ring_right_plan quick_nodes_reduce_scatter quick_nodes_allgather
  quick_nodes_allreduce quick_nodes_broadcast quick_nodes_reduce
  halved_skips circulant_left_plan circulant_plan quick_circulant_broadcast quick_circulant_reduce quick_table skip
  bine_plan bine_tree_plan quick_bine_broadcast quick_bine_reduce quick_elimination_torus
  merged_swing merged_rabenseifner merged_rabenseifner_beside merged_folding_group merged_bine spreading
  removed_steps scratch_of.
