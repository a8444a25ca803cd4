(* Tables of the blocks that ranks of a circulant graph receive and send in each round, such as a library makes them, beside those of
   the theory (CirculantTables.v). A line of input is of one rank: P RANK, then what it receives in each round, then what it sends, as
   numbers. Not compared are what the root, rank 0, receives and what is sent to it: nothing of that is on the wire. *)
open Collectives

exception Malformed of string

let most_ranks = 1 lsl 16
let shown_at_most = 10

let malformed line form = Printf.ksprintf (fun why -> raise (Malformed (Printf.sprintf "standard input:%d: %s" line why))) form

let numbers line text =
  let number word =
    match int_of_string_opt word with
    | Some n -> n
    | None -> malformed line "expected a number, found '%s'" word in
  List.map number (List.filter (( <> ) "") (String.split_on_char ' ' (String.trim text)))

let rec split n list = if n = 0 then [], list else match list with
  | [] -> [], []
  | x :: rest -> let first, last = split (n - 1) rest in x :: first, last

type theory = { ranks : int; rounds : int; skips : int -> int; table : int -> (int * int) list }

(* Made once for the lines of as many ranks that follow each other *)
let theory_of = let made = ref { ranks = 0; rounds = 0; skips = Fun.id; table = fun _ -> [] } in fun p ->
  if !made.ranks <> p then made := { ranks = p; rounds = Nat.log2_up p; skips = skip p; table = quick_table p };
  !made

let read line text =
  match numbers line text with
  | p :: rank :: entries ->
      if p < 2 || p > most_ranks then malformed line "expected 2 to %d ranks, found %d" most_ranks p;
      if rank < 0 || rank >= p then malformed line "expected a rank from 0 to %d, found %d" (p - 1) rank;
      let theory = theory_of p in
      let q = theory.rounds in
      if List.length entries <> 2 * q then
        malformed line "expected %d numbers after the rank, for %d rounds each way, found %d" (2 * q) q (List.length entries);
      let received, sent = split q entries in
      theory, rank, received, sent
  | _ -> malformed line "expected P RANK RECEIVED.. SENT.."

(* The differences in a line, as texts *)
let differences ({ ranks = p; rounds = q; skips; table }, rank, received, sent) =
  let differs way counts k theirs ours =
    let ours = ours - q in
    if counts k && theirs <> ours then [Printf.sprintf "p = %d, rank %d, round %d: %s %d, not %d" p rank k way theirs ours] else [] in
  let each way counts theirs ours = List.concat (List.mapi (fun k (t, o) -> differs way counts k t o) (List.combine theirs ours)) in
  let ours = table rank in
  each "receives" (fun _ -> rank <> 0) received (List.map fst ours) @
  each "sends" (fun k -> (rank + skips k) mod p <> 0) sent (List.map snd ours)

(* The ranks that have a line, a byte each, of each p *)
let ranks_of seen p =
  match Hashtbl.find_opt seen p with
  | Some ranks -> ranks
  | None -> let ranks = Bytes.make p '-' in Hashtbl.add seen p ranks; ranks

(* The least p of those seen that lacks a line, and for which rank *)
let missing seen =
  let first p ranks found = match Bytes.index_opt ranks '-' with Some rank -> (p, rank) :: found | None -> found in
  match List.sort compare (Hashtbl.fold first seen []) with [] -> None | least :: _ -> Some least

(* Exit code 0 if no line differs, 1 if one does. All ranks must have a line. *)
let compare_input () =
  let lines = ref 0 and found = ref 0 and seen = Hashtbl.create 64 and bad = Hashtbl.create 64 in
  (try
    while true do
      let text = input_line stdin in
      incr lines;
      let ({ ranks = p; _ }, rank, _, _) as line = read !lines text in
      Bytes.set (ranks_of seen p) rank '+';
      let differ = differences line in
      if differ <> [] then Hashtbl.replace bad p ();
      List.iter (fun text -> incr found; if !found <= shown_at_most then print_endline text) differ
    done
  with End_of_file -> ());
  if !lines = 0 then malformed 1 "expected a line for each rank, found nothing";
  Printf.printf "%d lines, %d values of p: %d differences, in tables of %d of them\n" !lines (Hashtbl.length seen) !found (Hashtbl.length bad);
  match missing seen with
  | _ when !found > 0 -> 1
  | Some (p, rank) -> raise (Malformed (Printf.sprintf "standard input: p = %d has no line for rank %d" p rank))
  | None -> 0
