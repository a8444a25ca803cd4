(* verify-kernel: judges schedule files by the checker that Coq's kernel proved. Not proved: this, and the reader. *)
open Kernel

let usage = "Check by a program that is proved in Coq that a schedule delivers each contribution exactly once.

Usage: verify-kernel FILE..     FILE is a schedule file, in JSON; - is standard input

Exit codes: 0 all pass; 1 fail; 2 usage, or a file can't be read, or no memory; 3 malformed. Of several files, the highest counts."

(* Counts of one contribution stop here. *)
let many = 1_000_000_000_000

let contents name =
  let whole channel =
    let text = Buffer.create 65536 and piece = Bytes.create 65536 in
    let rec more () =
      let got = input channel piece 0 (Bytes.length piece) in
      if got > 0 then (Buffer.add_subbytes text piece 0 got; more ()) in
    more ();
    Buffer.contents text in
  if name = "-" then (set_binary_mode_in stdin true; whole stdin)
  else let channel = open_in_bin name in Fun.protect ~finally:(fun () -> close_in channel) (fun () -> whole channel)

(* FILE:LINE:COLUMN: why, the line in ASCII, and a caret *)
let place name text at why =
  let at = min at (String.length text) in
  let line = ref 1 and start = ref 0 in
  String.iteri (fun k sign -> if k < at && sign = '\n' then (incr line; start := k + 1)) text;
  let stop = match String.index_from_opt text at '\n' with Some k -> k | None -> String.length text in
  let left = max !start (at - 60) in
  let visible sign = if sign < ' ' then ' ' else if sign < '\127' then sign else '?' in
  let shown = String.map visible (String.sub text left (min stop (at + 60) - left)) in
  Printf.sprintf "%s:%d:%d: %s\n  %s\n  %s^" name !line (at - !start + 1) why shown (String.make (at - left) ' ')

let ill_posed = "fail: the collective needs ranks, blocks, and a root and owners that are ranks"

let ends rank block contribution times =
  Printf.sprintf "fail: block %d: rank %d ends with the contribution of %s %d times%s" block rank contribution times
    (if times = many then " or more" else "")

let at_fault step { giver; taker; reads; fills; does } why =
  Printf.sprintf "fail: block %d: in step %d, %d>%d %s%s: %s" reads step giver taker (match does with Reduce -> "reduce" | Copy -> "copy")
    (if reads = fills then "" else Printf.sprintf " into block %d" fills)
    (match why with
     | OutOfRange -> "there is no such rank or block"
     | ToItself -> Printf.sprintf "rank %d sends to itself" giver
     | SendsNothing -> Printf.sprintf "rank %d holds nothing to send" giver
     | AddsToNothing -> Printf.sprintf "rank %d holds nothing to add to" taker
     | Conflict -> Printf.sprintf "a copy and another write reach rank %d" taker)

let in_words = function
  | IllPosed -> ill_posed
  | Counted (rank, block, contributor, times) -> ends rank block (string_of_int contributor) times
  | Fault (step, { src; dst; what; how }, why) -> at_fault step { giver = src; taker = dst; reads = what; fills = what; does = how } why

let cells_in_words = function
  | NotPosed -> ill_posed
  | HoldsWrong (rank, block, contributor, other, times) ->
      let which = if other = block then "" else Printf.sprintf " to block %d" other in
      ends rank block (string_of_int contributor ^ which) times
  | BadTransfer (step, t, why) -> at_fault step t why

(* The group of a block. Blocks between which values move are in one. *)
let groups steps =
  let parent = Hashtbl.create 1024 in
  let above block = Option.value (Hashtbl.find_opt parent block) ~default:block in
  let rec home block =
    let next = above block in
    if next = block then block else (Hashtbl.replace parent block (above next); home next) in
  let join a b = if a <> b then Hashtbl.replace parent (max a b) (min a b) in
  List.iter (List.iter (fun { reads; fills; _ } -> join (home reads) (home fills))) steps;
  home

(* One rank passes without a message, however many blocks it has. More would take longer than anybody waits for a program that says
   nothing meanwhile. *)
let most_blocks_of_one_rank = 1 lsl 26

exception Too_large of string

let judge name text =
  let { Reader.collective; ranks; blocks; steps } = Reader.read text in
  if ranks = 1 && blocks > most_blocks_of_one_rank then
    raise (Too_large (Printf.sprintf "%d blocks of one rank are more than the %d that are tried" blocks most_blocks_of_one_rank));
  let fault = match steps with
    | Reader.Messages steps -> Option.map in_words (judge_schedule many collective ranks blocks steps)
    | Reader.Cells (scratch, steps) -> Option.map cells_in_words (judge_cells many collective ranks blocks scratch (groups steps) steps) in
  match fault with
  | None -> 0, Printf.sprintf "pass: each contribution once, in each of %d blocks" blocks
  | Some wrong -> 1, wrong

let answer name =
  let no_memory = 2, name ^ ": there is not enough memory" in
  match contents name with
  | exception Sys_error why -> 2, why
  | exception Out_of_memory -> no_memory
  | text ->
      try judge name text with
      | Reader.Malformed (at, why) -> 3, place name text at why
      | Too_large why -> 2, Printf.sprintf "%s: not judged: %s" name why
      | Out_of_memory | Stack_overflow -> no_memory

let main () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 60 };
  let ends code text = (if code < 2 then print_endline else prerr_endline) text; code in
  match List.tl (Array.to_list Sys.argv) with
  | ["--help"] -> ends 0 usage
  | [] -> ends 2 usage
  | [name] -> let code, text = answer name in ends code text
  | names ->
      List.fold_left (fun worst name ->
          let code, text = answer name in
          max worst (ends code (if code < 2 then name ^ ": " ^ text else text))) 0 names

(* In a process of its own: where memory ends, OCaml may not say so by an exception. *)
let () =
  match Unix.fork () with
  | 0 -> exit (main ())
  | judge ->
      let forward signal = Sys.set_signal signal (Sys.Signal_handle (Unix.kill judge)) in
      List.iter forward [Sys.sigint; Sys.sigterm; Sys.sighup];
      let rec wait () = try snd (Unix.waitpid [] judge) with Unix.Unix_error (Unix.EINTR, _, _) -> wait () in
      match wait () with
      | Unix.WEXITED code -> exit code
      | _ -> prerr_endline "verify-kernel was stopped; perhaps there is not enough memory"; exit 2
