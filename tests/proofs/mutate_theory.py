#!/usr/bin/env python3
"""Each change of a function that a theorem is about makes Coq reject its proofs, or the comparison with `verify export` fail.

A rejected proof need not mean that its theorem is false now: another proof might do.

Usage: mutate_theory.py VERIFY CHECK [NUMBER..]     CHECK lies in the folder in which the theory was compiled
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

verify, check = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
here = pathlib.Path(__file__).resolve().parent

MUTANTS = [
    # what all share: who sends to whom, when, and how
    ("Bridge.v", "Some d => [move x d b Reduce]", "Some d => [move d x b Reduce]"),
    ("Bridge.v", "schedule := map forward (seq 0 n)", "schedule := map forward (seq 0 (n - 1))"),
    ("Bridge.v", "schedule := map forward (seq 0 n)", "schedule := map forward (rev (seq 0 n))"),
    ("Reversal.v", "Some d => [move d x b Copy]", "Some d => [move d x b Reduce]"),
    ("Reversal.v", "map backward (rev (seq 0 n))", "map backward (seq 0 n)"),
    ("LastChance.v", "&& negb (reaches rest (S t) x)", "&& reaches rest (S t) x"),
    ("LastChance.v", "then Some (peer x t) else None.", "then Some q else None."),
    # cells: several values of a block on a rank
    ("Cells.v", "(cell p (taker t) (fills t)) 0 (does t).", "(cell p (taker t) (reads t)) 0 (does t)."),
    ("Cells.v", "(home (reads t)) (does t).", "(home (fills t)) (does t)."),
    ("CellsChecker.v", "if is_home home all sch then home else fun _ => 0.", "home."),
    ("CellsChecker.v", "(giver t <? p) && (taker t <? p) && ", "(giver t <? p) && "),
    # removed steps
    ("RemovedSteps.v", "targets + left n t - 2).", "targets + left n t - 3)."),
    ("RemovedSteps.v", "resting m && moving (S odd_step) m.", "resting m && moving (S (S odd_step)) m."),
    ("RemovedSteps.v", "Nat.even (left n t) && resting m && negb", "Nat.even (left n t) && negb"),
    ("RemovedOnce.v", "then Some (x, false, Copy)", "then Some (from t x, false, Copy)"),
    ("RemovedOnce.v", "then Some (turn inner n x (n - shift n t), false, Copy)", "then Some (turn inner n x (shift n t), false, Copy)"),
    # Swing
    ("SwingAll.v", "if Bool.eqb (Z.even x) mirrored then", "if Bool.eqb (Z.odd x) mirrored then"),
    ("SwingPaths.v", "S k => rho k + (-2) ^ Z.of_nat (S k)", "S k => rho k + 2 ^ Z.of_nat (S k)"),
    ("SwingAll.v", "else let f := swing_even mirrored (p - 1)", "else let f := swing_even (negb mirrored) (p - 1)"),
    ("Factors.v", "let half := (remaining + 1) / 2 in", "let half := remaining / 2 in"),
    ("SwingAll.v", "round_robin fs (l mod length sides)", "round_robin fs (S l mod length sides)"),
    ("SwingAll.v", "map (swing (length sides <=? l)) sides", "map (swing (length sides <? l)) sides"),
    ("Tori.v", "fun w => r <? steps", "fun w => r <=? steps"),
    # Swing's trees
    ("SwingTrees.v", "with_odd_one (tree_even mirrored (p - 1)) (fun _ => 0)", "with_odd_one (tree_even mirrored (p - 1)) (fun _ => 1)"),
    ("SwingTrees.v", "last_chance (reversed n (swing_peer mirrored p)) n", "last_chance (swing_peer mirrored p) n"),
    ("SwingTrees.v", "rev (round_robin fs (l mod length sides))", "round_robin fs (l mod length sides)"),
    # ring, bucket
    ("Catalogue.v", "peer_factor p (p - 1) (shifted p (fun _ => 1))", "peer_factor p p (shifted p (fun _ => 1))"),
    ("Catalogue.v", "peer_factor p (p - 1) (shifted p (fun _ => 1))", "peer_factor p (p - 1) (shifted p (fun _ => 2))"),
    ("Catalogue.v", "peer_factor p (p - 1) (shifted p (fun _ => 1))", "peer_factor p (p - 1) (shifted p (fun _ => p - 1))"),
    ("TreeRoute.v", "(steps (nth w fs alone))) (seq 0 (length fs)).", "(steps (nth w fs alone))) (rev (seq 0 (length fs)))."),
    # other paces: a ring by turns, bucket on several lanes
    ("Paced.v", "if t mod k =? turn x then", "if t / k =? turn x then"),
    ("Paced.v", "then 2 else x mod 2.", "then 2 else (x + 1) mod 2."),
    ("Paced.v", "nat := if Nat.even p then 2 else 3.", "nat := if Nat.even p then 2 else 4."),
    ("Paced.v", "list_max sides - 1.", "list_max sides - 2."),
    ("Paced.v", "(around first (length sides)).", "(seq 0 (length sides))."),
    ("Paced.v", "(ring_way (length sides <=? l) n)) sides)", "(ring_way (length sides <? l) n)) sides)"),
    ("PacedPlans.v", "Some (k * t + turn x, d)", "Some (k * t + turn d, d)"),
    # recursive halving and doubling
    ("Catalogue.v", "Nat.lxor x (2 ^ s).", "Nat.lxor x (2 ^ S s)."),
    ("Catalogue.v", "peer_factor (2 ^ a) a exchanged.", "peer_factor (2 ^ a) a (reversed a exchanged)."),
    ("Catalogue.v", "peer_factor (2 ^ a) a (reversed a exchanged).", "peer_factor (2 ^ a) a exchanged."),
    # mirrored recursive doubling
    ("Mirrored.v", "if l <? length bits then", "if l <=? length bits then"),
    ("Mirrored.v", "(l mod length bits)) b.", "(S l mod length bits)) b."),
    ("Mirrored.v", "let fs := map doubling_near bits in", "let fs := map doubling_far bits in"),
    ("Relabelled.v", "nat := (n - c) mod n.", "nat := (n - 1 - c) mod n."),
    ("Relabelled.v", "option_map seat (h t (part x)).", "option_map part (h t (seat x))."),
    # Hamiltonian rings
    ("Cycles.v", "(b + (c - a mod c)) mod c.", "(b + a mod c) mod c."),
    ("Cycles.v", "(a * (c - 1) + b) mod r * c + a mod c.", "(a * (c + 1) + b) mod r * c + a mod c."),
    ("Cycles.v", "rank := x mod c * r + x / c.", "rank := x mod r * c + x / r."),
    ("Rings.v", "if fits r c then [first_seat r c; second_seat r c]", "if fits r c then [second_seat r c; first_seat r c]"),
    ("Rings.v", "(fun d => p - 1 - d).", "(fun d => p - d)."),
    ("Rings.v", "tree_route pred", "tree_route (fun d => d - 2)"),
    ("Rings.v", "if l <? length cycles then", "if l <=? length cycles then"),
    ("Rings.v", "then ring_right p else ring_left p", "then ring_left p else ring_right p"),
    # nodes
    ("Hierarchical.v", "list nat := rev (in_turn [across; within]).", "list nat := in_turn [across; within]."),
    ("Hierarchical.v", "rank := b / w * m + b mod w.", "rank := b mod w * m + b / w."),
    ("HierarchicalPlans.v", "plan_sends s (node_owner (plan_ranks within) w b)", "plan_sends s (node_owner w w b)"),
    # PAT
    ("Pat.v", "else if d <? half then half + by_depth j d else S (by_depth j (d - half))",
     "else if d <? half then S (by_depth j d) else half + by_depth j (d - half)"),
    ("Pat.v", "if d =? half then 1 else S (by_level j (", "if d =? half then S j else (by_level j ("),
    ("Pat.v", "else if d =? half then 0 else half + parent", "else if d =? half then 0 else parent"),
    ("Pat.v", "then by_level a h - 1 else a + times y - 1.", "then by_level a h else a + times y."),
    ("Pat.v", "if near then fun y => y else by_depth k.", "if near then fun y => 2 ^ k - y else by_depth k."),
    ("Pat.v", "nat := a + 2 ^ k - 1.", "nat := a + 2 ^ k - 2."),
    ("Pat.v", "let top := Nat.min a levels in", "let top := levels in"),
    ("PatPlan.v", "filter busy (quick_allgather_of (pat_plan near p a)).", "quick_allgather_of (pat_plan near p a)."),
    # Scatter, gather and alltoall; sums sent straight to their owners
    ("Carried.v", "fun t d => d mod k ^ t.", "fun t d => d mod k ^ S t."),
    ("Carried.v", "fun t d => d - d mod k ^ (n - t).", "fun t d => d - d mod k ^ (n - S t)."),
    ("Carried.v", "if p <=? power then 0", "if p <? power then 0"),
    ("Knomial.v", "down (fun t => walked (n - t)).", "down (fun t => walked (n - S t))."),
    ("Knomial.v", "back n (far_walk k n).", "back n (near_walk k)."),
    ("Knomial.v", "then Some (at_step (S t) x) else None.", "then Some 0 else None."),
    ("Carried.v", "if t <=? (d - 1) / batch then 0 else d.", "if t <? (d - 1) / batch then 0 else d."),
    ("Carried.v", "(p - 1 + (batch - 1)) / batch.", "(p - 1) / batch."),
    ("Carried.v", "if t <=? (d - 1) / batch then 0", "if t <=? d / batch then 0"),
    ("Carried.v", "(fun t b => walk p walked root b (n - t)).", "(fun t b => walk p walked root b t)."),
    ("Carried.v", "tree_route (fun _ => 0) (fun d => p - d - 1).", "tree_route (fun _ => 0) (fun d => d - 1)."),
    ("Carried.v", "tree_route (fun _ => 0) (fun d => p - d - 1).", "tree_route (fun _ => 0) (fun d => p - d)."),
    # Bruck and binomial trees
    ("Turned.v", "if (w <=? d) && (d <? 2 * w) then Some (d - w)", "if (w <? d) && (d <? 2 * w) then Some (d - w)"),
    ("Turned.v", "if (w <=? d) && (d <? 2 * w) then Some (d - w)", "if (w <=? d) && (d <? 2 * w) then Some (d - w + 1)"),
    ("Turned.v", "let w := 2 ^ (n - S t) in", "let w := 2 ^ t in"),
    ("Turned.v", "then Some (d - 2 ^ t) else None.", "then Some (d + 2 ^ t) else None."),
    ("Turned.v", "(d mod 2 ^ t =? 0) && negb", "negb"),
    ("Rooted.v", "on_each at_offset.", "on_each offset."),
    ("Rooted.v", "+ on_each f rest (root mod m) (x mod m)", "+ on_each f rest (x mod m) (root mod m)"),
    ("Rooted.v", "allgather p blocks n (moved root g).", "allgather p blocks (n - 1) (moved root g)."),
    ("RootedPlans.v", "quick_reduce_scatter p blocks n (moved_sends root s).", "quick_reduce_scatter p blocks n s."),
    ("Turned.v", "nat := (x + (p - q)) mod p.", "nat := (q + (p - x)) mod p."),
    # folding
    ("Folding.v", "S k => (left p k + 1) / 2 end", "S k => left p k / 2 end"),
    ("Folding.v", "Some (d - left p t / 2)", "Some (d - left p (S t))"),
    ("Folding.v", "turned_factor p (Nat.log2_up p) (fold_route p)", "turned_factor p (S (Nat.log2_up p)) (fold_route p)"),
    # the skips of a circulant graph
    ("Circulant.v", "Some (d - size (S t))", "Some (d - (size t - size (S t)))"),
    ("Circulant.v", "relabelled_factor (opposite p) (opposite p) (circulant_left p)", "circulant_left p"),
    ("Circulant.v", "turned_factor p (Nat.log2_up p) (halved_skips p)", "turned_factor p (S (Nat.log2_up p)) (halved_skips p)"),
    # many blocks on it
    ("CirculantRows.v", "(snd best <=? least) || (fst best <? fst e)", "(snd best <=? least) || (snd best <? snd e)"),
    ("CirculantRows.v", "chosen (y - s (S j))", "chosen (y - s j)"),
    ("CirculantBlocks.v", "block_tree p (n - 1 - b).", "block_tree p b."),
    ("CirculantBlocks.v", "then c + residue q c + (q - 1 - j) else", "then c + residue q c + (q - j) else"),
    ("CirculantPlans.v", "rows p q (n - 1 - b).", "rows p q b."),
    # Bine trees and butterflies
    ("Bine.v", "if halving then swing_even false p else tree_even false p", "if halving then tree_even false p else swing_even false p"),
    ("Bine.v", "if halving then swing_even false p else tree_even false p", "if halving then swing_even true p else tree_even true p"),
    ("Bine.v", "bine_with halving (fun m => half_turn (Nat.log2_up m) m)", "bine_with halving (fun _ _ => 0)"),
    # elimination on tori
    ("EliminationTori.v", "(fun w => negb (surplus (nth w sides 1) =? 0))", "(fun w => surplus (nth w sides 1) =? 0)"),
    ("EliminationTori.v", "surplus_folds sides ++ inner_order sides 0.", "rev (surplus_folds sides) ++ inner_order sides 0."),
    ("EliminationTori.v", "(map eliminating_side sides) (eliminating_order sides)).", "(rev (map eliminating_side sides)) (eliminating_order sides))."),
    # folding onto powers of two
    ("Attached.v", "else if t =? turn (x - p) then", "else if t <=? turn (x - p) then"),
    ("Folded.v", "if n =? ranks f then f", "if n <=? S (ranks f) then f"),
    ("Folded.v", "Factor n (S (steps f)) (fun q =>", "Factor n (steps f) (fun q =>"),
    ("Folded.v", "(later (path f q)) (fun _ => 0) (fun i => i)", "(later (path f q)) (fun _ => 0) (fun i => ranks f - S i)"),
    ("Folded.v", "inner (n : nat) : nat := 2 ^ Nat.log2 n.", "inner (n : nat) : nat := 2 ^ Nat.log2_up n."),
    ("Folded.v", "if near then doubling_near a else doubling_far a", "if near then doubling_far a else doubling_near a"),
    ("Folded.v", "(folds sides ++ inner_order sides first)).", "(rev (folds sides) ++ inner_order sides first))."),
    ("Folded.v", "(folds sides ++ inner_order sides first)).", "(inner_order sides first ++ folds sides))."),
    ("Folded.v", "path (halving_torus near sides (l mod length sides))", "path (halving_torus near sides (S l mod length sides))"),
    ("Folded.v", "if l <? length sides then fun x => x", "if l <=? length sides then fun x => x"),
    ("Folded.v", "b / w * extent rest + inner_rank rest", "b / w * w + inner_rank rest"),
    ("Folded.v", "if c <? e then 2 * c + 1 else c + e", "if c <? e then 2 * c else c + e"),
    ("Folded.v", "if x <? 2 * e then (if Nat.odd x", "if x <=? 2 * e then (if Nat.odd x"),
    ("Folded.v", "(fun _ => beside p) (fun _ => beside_back p) 1.", "(fun _ => beside_back p) (fun _ => beside p) 1."),
    # 3-2 elimination
    ("Elimination.v", "(fun i => 2 * i + q mod 2).", "(fun i => 2 * i + 1 - q mod 2)."),
    ("Elimination.v", "then 3 * (s / 2) + s mod 2 else", "then 3 * (s / 2) + s mod 2 + 1 else"),
    ("Elimination.v", "Nat.min (p - inner p) (inner p / 2).", "Nat.min (p - inner p) (inner p)."),
    ("Elimination.v", "Nat.min (p - inner p) (inner p / 2).", "Nat.min (p - inner p) (inner p / 4)."),
    ("Elimination.v", "(later core) (fun _ => 0) (fun i => i).", "(later core) (fun _ => 1) (fun i => i)."),
    # whole vectors
    ("Exchange.v", "Some (s, o) => [move s r b o]", "Some (s, o) => [move r s b o]"),
    ("Exchange.v", "schedule := map round (seq 0 n)", "schedule := map round (rev (seq 0 n))"),
    ("WholeVectors.v", "O => if r + m <? n then Some (r + m, Reduce)", "O => if r + m <=? n then Some (r + m, Reduce)"),
    ("WholeVectors.v", "O => if r + m <? n then Some (r + m, Reduce)", "O => if r + m <? n then Some (r + m, Copy)"),
    ("WholeVectors.v", "else if r <? m then None else Some (r - m, Copy)", "else if r <? m then None else Some (r - m, Reduce)"),
    ("WholeVectors.v", "if k <? a then (if r <? m then Some (peer r k, Reduce)", "if k <? a then (if r <? m then Some (peer r t, Reduce)"),
    ("WholeVectors.v", "(if live b (turns second t) (y_of r) then", "(if live b (turns second (S t)) (y_of r) then"),
    ("Latency.v", "folds sides ++ inner_order sides first ++ rev (folds sides).", "folds sides ++ inner_order sides first ++ folds sides."),
    ("Latency.v", "(unfolding_order sides (l mod length sides)).", "(unfolding_order sides (S l mod length sides))."),
    ("Latency.v", "(fun l => swing_peer (length sides <=? l))", "(fun l => swing_peer (length sides <? l))"),
    ("Latency.v", "(fun l => swing_peer (length sides <=? l))", "(fun l => swing_peer (l <? length sides))"),
    ("Latency.v", "(fun _ _ => exchanged) (lane_seat sides) (lane_seat sides) lanes.", "(fun _ _ => exchanged) (fun _ r => r) (fun _ r => r) lanes."),
    ("Latency.v", "(fun _ _ => exchanged) (fun _ => beside p) (fun _ => beside_back p) 1.", "(fun _ _ => exchanged) (fun _ => beside_back p) (fun _ => beside p) 1."),
    # what is run: plans, which are proved, and what is trusted
    ("Plans.v", "Plan (S last) (plan_steps s) (fun q x =>", "Plan (S last) (plan_steps s) (fun x q =>"),
    ("PeerPlans.v", "then Some (t, peers t x) else None", "then Some (S t, peers t x) else None"),
    ("ProductPlans.v", "if u <? v then s else t", "if v <? u then s else t"),
    ("SwingPlans.v", "else (q + (p - x)) mod p.", "else (x + (p - q)) mod p."),
    ("Extract.v", "a lxor b", "a lor b"),
    ("Extract.v", "a land 1 = 0", "a land 1 = 1"),
    ("Extract.v", "else a mod b", "else (a + 1) mod b"),
    # what is wrong as printed
    ("AsPrinted.v", "(existsb (could x) (seq 0 t))", "(existsb (could x) (seq 0 (S t)))"),
    ("AsPrinted.v", "let repeated := 1 <? length", "let repeated := 0 <? length"),
    ("AsPrinted.v", "if repeated then S t =? n else", "if repeated then t =? 0 else"),
    ("AsPrinted.v", "(seq t (n - t))", "(seq 0 n)"),
    ("AsPrinted.v", "let n := Nat.log2 p in", "let n := Nat.log2_up p in"),
    ("AsPrinted.v", "S k => 2 ^ s - delta k end.", "S k => 2 ^ s + delta k end."),
    ("AsPrinted.v", "if Nat.even x then (x + delta s)", "if Nat.odd x then (x + delta s)"),
    ("AsPrinted.v", "if (left p t / 2 <=? d)", "if (left p (S t) <=? d)"),
    ("AsPrinted.v", "bruck_7 [4; 6].", "bruck_7 [6; 2]."),
    ("AsPrinted.v", "[(4, [0]); (2, [0; 4]);", "[(2, [0]); (4, [0; 2]);"),
]


def found_by(folder):
    made = subprocess.run(["make", "-f", "Makefile.coq", "-j2", "Extract.vo", "CellsChecker.vo", "RemovedVolume.vo"], cwd=folder, capture_output=True, text=True)
    if made.returncode:
        return "a proof" if "Error" in made.stderr + made.stdout else sys.exit(made.stderr)
    subprocess.run(["ocamlopt", "collectives.mli", "collectives.ml", "rows.ml", "circulant_tables.ml", "main.ml", "-o", "check"], cwd=folder, check=True)
    compared = subprocess.run([sys.executable, "-B", here / "compare_theory.py", verify, folder / "check"], capture_output=True, text=True)
    if "CalledProcessError" in compared.stderr:
        return "the program, which gives up"
    return "the comparison" if compared.returncode == 1 and "different" in compared.stdout else None


def main():
    numbers = [int(n) for n in sys.argv[3:]] or range(len(MUTANTS))
    survivors = 0
    for number in numbers:
        name, old, new = MUTANTS[number]
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "theory"
            shutil.copytree(check.parent, folder)
            text = (folder / name).read_text()
            assert text.count(old) == 1, (name, old, text.count(old))
            (folder / name).write_text(text.replace(old, new))
            found = found_by(folder)
        survivors += not found
        print(f"{number} {name}: {new}: {'found by ' + found if found else 'NOT FOUND'}", flush=True)
    print(f"{len(numbers)} mutants, {survivors} not found")
    return survivors > 0


sys.exit(main())
