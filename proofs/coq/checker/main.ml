(* The program around the extracted functions. Not proved: reading and printing.

     check [--whole] [FILE]              reads a schedule, says pass (exit 0) or fail (exit 1);
                                         one block at a time, --whole: step by step
     check --make ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..]   prints the schedule that a theorem speaks of (rows.ml)
     check --batch                       the same for each line of standard input: ROW COLLECTIVE SIDES LANES ..

   A schedule is text: the line "RANKS BLOCKS COLLECTIVE [ROOT]", then, unless block b is rank b mod RANKS's, the line "owners" with
   one rank for each block, then a line for each message, "STEP SRC DST OP BLOCKS", with OP reduce or copy and BLOCKS such as
   0,3-5, each once. Steps may come in any order, messages of a step keep theirs. Numbers are decimal, at most 2^28 (2^24 for
   ranks and steps), as in schedule files: the extracted integers wrap around at 2^62.

   Exit code 0 pass, 1 fail, 2 usage or no theorem, 3 malformed, 4 out of memory or stack *)
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

let usage () =
  prerr_endline "check [--whole] [FILE] | check --make ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..] | check --batch";
  exit 2

let opened file = try open_in file with Sys_error why -> prerr_endline why; exit 3

let judge check channel =
  let p, blocks, kind, schedule = read channel in
  let start = Sys.time () in
  let right = check kind p blocks schedule in
  Printf.eprintf "%d transfers, %.2f s\n" (List.fold_left (fun n s -> n + List.length s) 0 schedule) (Sys.time () -. start);
  print_endline (if right then "pass" else "fail");
  exit (if right then 0 else 1)

let run () =
  match List.tl (Array.to_list Sys.argv) with
  | [] -> judge check_by_block stdin
  | ["--whole"] -> judge check stdin
  | ["--whole"; file] -> judge check (opened file)
  | ["--batch"] -> Rows.print_batch ()
  | "--make" :: request -> Rows.print_made request
  | [file] -> judge check_by_block (opened file)
  | _ -> usage ()

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 22; space_overhead = 200 };
  try run () with
  | Failure _ -> usage ()
  | Rows.No_theorem -> prerr_endline "no theorem covers it; see rows.ml"; exit 2
  | Sys_error why -> prerr_endline why; exit 3
  | Stack_overflow | Out_of_memory -> prerr_endline "gave up: out of memory or stack"; exit 4
