(* The checker as OCaml, in which natural numbers are machine integers. Trusted are the lines below, which say what they and their
   functions become. They are right as long as no number reaches 2^62: reader.ml refuses numbers above 2^28, p * p is below 2^48 and
   cells below 2^52, counts stop at `most`, and terms and steps are no more than fit into memory. *)
Require Import Arith.
From Collectives Require Import Semantics BlockRun Messages Checker Cells CellsChecker.
Require Extraction.
Require Import ExtrOcamlBasic.

Extract Inductive nat => int ["0" "Stdlib.Int.succ"] "(fun zero succ n -> if n = 0 then zero () else succ (n - 1))".
Extract Inlined Constant Init.Nat.add => "(+)".
Extract Inlined Constant Init.Nat.mul => "( * )".
Extract Inlined Constant Init.Nat.sub => "(fun (a : int) b -> if a < b then 0 else a - b)".
Extract Inlined Constant Nat.min => "(fun (a : int) b -> if a < b then a else b)".
Extract Inlined Constant Nat.eqb => "(=)".
Extract Inlined Constant Nat.ltb => "(<)".
Extract Inlined Constant Nat.leb => "(<=)".
Extract Inlined Constant Nat.odd => "(fun n -> n land 1 = 1)".
Extract Inlined Constant Nat.div2 => "(fun n -> n lsr 1)".
(* Division by zero is Coq's. *)
Extract Inlined Constant Nat.div => "(fun a b -> if b = 0 then 0 else a / b)".
Extract Inlined Constant Nat.modulo => "(fun a b -> if b = 0 then a else a mod b)".

Extraction "kernel.ml" judge_schedule judge_cells.
