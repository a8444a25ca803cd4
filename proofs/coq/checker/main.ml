(* The program around the extracted functions. Not proved: reading and printing.

     check [--whole] [FILE]              reads a schedule, says pass (exit 0) or fail (exit 1);
                                         one block at a time, --whole: step by step
     check --make NAME COLLECTIVE P      prints the schedule that a theorem speaks of; NAME: swing, ring, dissemination,
                                         doubling-near, doubling-far (P = 2^a), bruck-near, bruck-far, folding,
                                         binomial-tree, chain, swing-latency, recursive-doubling (P = 2^a)
     check --torus COLLECTIVE AxB LANES  the same for Swing on a torus, any sides and number of lanes
     check --bucket COLLECTIVE AxB       the same for the bucket algorithm on one lane
     check --group COLLECTIVE AxB        the same for folding over a product of cyclic groups
     check --mirrored AxB LANES          the same for the allreduce of mirrored recursive doubling, sides 2^a
     check --rings AxB LANES             the same for the allreduce of Hamiltonian rings, on lines too
     check --batch                       makes what each line of standard input asks for, in the words above

   A schedule is text: the line "RANKS BLOCKS COLLECTIVE [ROOT]", then, unless block b is rank b mod RANKS's, the line "owners" with
   one rank for each block, then a line for each message, "STEP SRC DST OP BLOCKS", with OP reduce or copy and BLOCKS such as
   0,3-5, each once. Steps may come in any order, messages of a step keep theirs. Numbers are decimal, at most 2^28 (2^24 for
   ranks and steps), as in schedule files: the extracted integers wrap around at 2^62.

   Exit code 0 pass, 1 fail, 2 usage, 3 malformed, 4 out of memory or stack *)
open Collectives

let fail_input line text =
  Printf.eprintf "line %d: cannot read: %s\n" line text;
  exit 3

let most_ranks = 1 lsl 24
let most_blocks = 1 lsl 28

let natural most text =
  if text = "" || String.length text > 9 || String.exists (fun c -> c < '0' || c > '9') text then failwith "number";
  let n = int_of_string text in
  if n > most then failwith "too large" else n

let positive most text =
  let n = natural most text in
  if n = 0 then failwith "zero" else n

let collective p owner words =
  let rank text = natural (p - 1) text in
  match words with
  | ["allreduce"] -> Allreduce
  | ["reduce-scatter"] -> ReduceScatter owner
  | ["allgather"] -> Allgather owner
  | ["broadcast"; root] -> Broadcast (rank root)
  | ["reduce"; root] -> ReduceTo (rank root)
  | ["scatter"; root] -> Scatter (rank root, owner)
  | ["gather"; root] -> Gather (rank root, owner)
  | ["alltoall"] -> Alltoall
  | _ -> failwith "collective"

let runs blocks text =
  let number = natural (blocks - 1) in
  let all =
    String.split_on_char ',' text
    |> List.concat_map (fun run ->
           match String.split_on_char '-' run with
           | [one] -> [number one]
           | [first; last] ->
               let first = number first and last = number last in
               if last < first then failwith "run" else List.init (last - first + 1) (fun i -> first + i)
           | _ -> failwith "run") in
  let rec twice = function a :: (b :: _ as rest) -> a = b || twice rest | _ -> false in
  if twice (List.sort (compare : int -> int -> int) all) then failwith "block twice" else all

let operation = function "reduce" -> Reduce | "copy" -> Copy | _ -> failwith "op"

let words line = String.split_on_char ' ' line |> List.filter (fun w -> w <> "")

let read channel =
  let number = ref 0 in
  let next () = incr number; input_line channel in
  let first = try next () with End_of_file -> fail_input 1 "nothing" in
  let owners = ref [||] in
  let p, blocks, kind =
    try match words first with
        | p :: b :: kind ->
            let p = positive most_ranks p in
            let owner b = if !owners = [||] then b mod p else !owners.(b) in
            p, positive most_blocks b, collective p owner kind
        | _ -> failwith "header"
    with Failure _ -> fail_input !number first in
  let steps : (int, transfer list) Hashtbl.t = Hashtbl.create 64 in
  let last = ref (-1) in
  let message line =
    match words line with
    | [] -> ()
    | "owners" :: ranks when !number = 2 ->
        owners := Array.of_list (List.map (natural (p - 1)) ranks);
        if Array.length !owners <> blocks then failwith "owners"
    | [step; src; dst; op; text] ->
        let step = natural most_ranks step and how = operation op in
        let src = natural (p - 1) src and dst = natural (p - 1) dst in
        last := max !last step;
        let before = Option.value (Hashtbl.find_opt steps step) ~default:[] in
        let add before what = { src; dst; what; how } :: before in
        Hashtbl.replace steps step (List.fold_left add before (runs blocks text))
    | _ -> failwith "message" in
  (try
     while true do
       let line = next () in
       try message line with Failure _ -> fail_input !number line
     done
   with End_of_file -> ());
  let step s = List.rev (Option.value (Hashtbl.find_opt steps s) ~default:[]) in
  p, blocks, kind, List.init (!last + 1) step

let print_schedule name p blocks schedule =
  Printf.printf "%d %d %s\n" p blocks name;
  List.iteri
    (fun s step ->
      List.iter
        (fun t -> Printf.printf "%d %d %d %s %d\n" s t.src t.dst (match t.how with Reduce -> "reduce" | Copy -> "copy") t.what)
        step)
    schedule

let usage () =
  prerr_endline "check [--whole] [FILE] | check --make NAME COLLECTIVE P | check --torus COLLECTIVE AxB LANES | check --bucket COLLECTIVE AxB | check --group COLLECTIVE AxB | check --mirrored AxB LANES | check --rings AxB LANES | check --batch";
  exit 2

let rec log2 n = if n <= 1 then 0 else 1 + log2 (n / 2)

let power p = if p land (p - 1) = 0 then log2 p else usage ()

let print_factor collective p factor =
  print_schedule collective p p
    (match collective with
     | "allreduce" -> allreduce_of factor
     | "reduce-scatter" -> reduce_scatter_of factor
     | "allgather" -> allgather_of factor
     | _ -> usage ())

let print_line name collective p =
  let factor = match name with
    | "swing" -> swing false p
    | "ring" -> ring p
    | "dissemination" -> dissemination p
    | "doubling-near" -> doubling_near (power p)
    | "doubling-far" -> doubling_far (power p)
    | "bruck-near" -> bruck_near p
    | "bruck-far" -> bruck_far p
    | "folding" -> folding p
    | _ -> usage () in
  print_factor collective p factor

let print_torus collective sides lanes =
  let p = List.fold_left ( * ) 1 sides in
  match collective with
  | "allreduce" -> print_schedule collective p (lanes * p) (torus_allreduce sides lanes)
  | "reduce-scatter" -> print_schedule collective p (lanes * p) (torus_reduce_scatter sides lanes)
  | "allgather" -> print_schedule collective p (lanes * p) (torus_allgather sides lanes)
  | "broadcast" -> print_schedule "broadcast 0" p lanes (swing_broadcast sides lanes)
  | "reduce" -> print_schedule "reduce 0" p lanes (swing_reduce sides lanes)
  | _ -> usage ()

let opened file = try open_in file with Sys_error why -> prerr_endline why; exit 3

let judge check channel =
  let p, blocks, kind, schedule = read channel in
  let start = Sys.time () in
  let right = check kind p blocks schedule in
  Printf.eprintf "%d transfers, %.2f s\n" (List.fold_left (fun n s -> n + List.length s) 0 schedule) (Sys.time () -. start);
  print_endline (if right then "pass" else "fail");
  exit (if right then 0 else 1)

let ranks = positive most_ranks

let rec make = function
  | ["--make"; "swing-latency"; "allreduce"; p] -> print_schedule "allreduce" (ranks p) 1 (swing_latency (power (ranks p)))
  | ["--make"; "recursive-doubling"; "allreduce"; p] ->
      print_schedule "allreduce" (ranks p) 1 (recursive_doubling (power (ranks p)))
  | ["--make"; "binomial-tree"; "broadcast"; p] -> print_schedule "broadcast 0" (ranks p) 1 (binomial_broadcast (ranks p))
  | ["--make"; "binomial-tree"; "reduce"; p] -> print_schedule "reduce 0" (ranks p) 1 (binomial_reduce (ranks p))
  | ["--make"; "chain"; "broadcast"; p] -> print_schedule "broadcast 0" (ranks p) 1 (chain_broadcast (ranks p))
  | ["--make"; "chain"; "reduce"; p] -> print_schedule "reduce 0" (ranks p) 1 (chain_reduce (ranks p))
  | ["--make"; name; collective; p] -> print_line name collective (ranks p)
  | ["--torus"; collective; sides; lanes] ->
      print_torus collective (List.map ranks (String.split_on_char 'x' sides)) (ranks lanes)
  | ["--bucket"; collective; sides] ->
      let sides = List.map ranks (String.split_on_char 'x' sides) in
      print_factor collective (List.fold_left ( * ) 1 sides) (bucket sides (in_turn (List.map ring sides)))
  | ["--group"; collective; extents] ->
      let extents = List.map ranks (String.split_on_char 'x' extents) in
      print_factor collective (List.fold_left ( * ) 1 extents) (folding_group extents)
  | [("--mirrored" | "--rings") as name; sides; lanes] ->
      let sides = List.map ranks (String.split_on_char 'x' sides) and lanes = ranks lanes in
      let p = List.fold_left ( * ) 1 sides in
      let schedule = if name = "--rings" then rings_allreduce sides lanes else mirrored_doubling (List.map power sides) lanes in
      print_schedule "allreduce" p (lanes * p) schedule
  | ["--batch"] -> (try while true do make (words (input_line stdin)) done with End_of_file -> ())
  | _ -> usage ()

let run () =
  match List.tl (Array.to_list Sys.argv) with
  | [] -> judge check_by_block stdin
  | ["--whole"] -> judge check stdin
  | ["--whole"; file] -> judge check (opened file)
  | [file] when file <> "--batch" -> judge check_by_block (opened file)
  | what -> make what

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 22; space_overhead = 200 };
  try run () with
  | Failure _ -> usage ()
  | Sys_error why -> prerr_endline why; exit 3
  | Stack_overflow | Out_of_memory -> prerr_endline "gave up: out of memory or stack"; exit 4
