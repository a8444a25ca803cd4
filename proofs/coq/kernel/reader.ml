(* Reads a schedule file (docs/schedule-file.md). Strict: unknown keys, keys that appear twice, numbers that are out of range or not
   whole, and truncated files are refused. Not proved: that it means what the format says.

   What bounds ranks and blocks, and the version, may stand behind what they bound. If so, the text is read once more with them known.
   Nothing recurses on the depth of the text, and lists are built from behind. *)
open Kernel

(* Version 1 has messages; in version 2 there may be scratch blocks, and a transfer may write other blocks than it reads. *)
type steps = Messages of message list list | Cells of int * cell_transfer list list

type schedule = { collective : collective; ranks : int; blocks : int; steps : steps }

(* At a byte of the text, why *)
exception Malformed of int * string

let most_ranks = 1 lsl 24
let most_blocks = 1 lsl 28
let most_blocks_of_version_2 = 1 lsl 21 (* scratch included *)
let most_lanes = 1 lsl 10
let most_sides = 16
let longest_name = 256
let longest_axis_name = 64
let last_step = 1 lsl 30

type cursor = { text : string; mutable at : int }

let malformed at why = raise (Malformed (at, why))

let rec next c =
  if c.at >= String.length c.text then '\000'
  else match c.text.[c.at] with
    | ' ' | '\t' | '\r' | '\n' -> c.at <- c.at + 1; next c
    | sign -> sign

let is_letter = function 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '+' | '-' | '.' | '_' -> true | _ -> false

(* What stands here, for messages *)
let found c =
  let here = next c in
  let rec word k = if k < String.length c.text && k < c.at + 60 && is_letter c.text.[k] then word (k + 1) else k in
  if c.at >= String.length c.text then "the end of the file"
  else match here with
    | '{' -> "an object"
    | '[' -> "a list"
    | '"' -> "a text"
    | sign when is_letter sign -> String.sub c.text c.at (word c.at - c.at)
    | sign when sign > ' ' && sign < '\127' -> Printf.sprintf "'%c'" sign
    | sign -> Printf.sprintf "byte %d" (Char.code sign)

let expected c what = let here = found c in malformed c.at (Printf.sprintf "expected %s, found %s" what here)

let pass c sign what = if next c = sign then c.at <- c.at + 1 else expected c what
let passes c sign = next c = sign && (c.at <- c.at + 1; true)

(* A whole number; its digits are counted, so that it can't overflow. *)
let number c what least most =
  ignore (next c);
  let size = String.length c.text and start = c.at in
  let refuse () = expected c (Printf.sprintf "%s from %d to %d" what least most) in
  let first = if start < size && c.text.[start] = '-' then start + 1 else start in
  let rec digits k value =
    if k < size then
      match c.text.[k] with
      | '0' .. '9' as d -> if k - first > 15 then refuse () else digits (k + 1) (10 * value + Char.code d - 48)
      | '.' | 'e' | 'E' -> refuse ()
      | _ -> k, value
    else k, value in
  let last, value = digits first 0 in
  let value = if first > start then - value else value in
  if last = first || (c.text.[first] = '0' && last > first + 1) || value < least || value > most then refuse ();
  c.at <- last;
  value

let hexadecimal c =
  let digit k =
    if k >= String.length c.text then malformed k "expected four hexadecimal digits, found the end of the file"
    else match c.text.[k] with
      | '0' .. '9' as d -> Char.code d - 48
      | 'a' .. 'f' as d -> Char.code d - 87
      | 'A' .. 'F' as d -> Char.code d - 55
      | _ -> malformed k "expected four hexadecimal digits" in
  let value = List.fold_left (fun v k -> 16 * v + digit (c.at + k)) 0 [0; 1; 2; 3] in
  c.at <- c.at + 4;
  value

(* The letter of \u.., perhaps of two in a row *)
let escaped_letter c =
  let start = c.at - 2 in
  let high = hexadecimal c in
  if high < 0xd800 || high > 0xdfff then Uchar.of_int high
  else begin
    if high > 0xdbff || c.at + 1 >= String.length c.text || String.sub c.text c.at 2 <> "\\u" then malformed start "half a letter";
    c.at <- c.at + 2;
    let low = hexadecimal c in
    if low < 0xdc00 || low > 0xdfff then malformed start "half a letter";
    Uchar.of_int (0x10000 + ((high - 0xd800) lsl 10) + (low - 0xdc00))
  end

(* Bytes of the UTF-8 letter at k, or 0 *)
let utf8 text k =
  let byte i = if k + i < String.length text then Char.code text.[k + i] else 0 in
  let more i = byte i land 0xc0 = 0x80 in
  let b = byte 0 and b1 = byte 1 in
  if b < 0x80 then 1
  else if b >= 0xc2 && b < 0xe0 && more 1 then 2
  else if b >= 0xe0 && b < 0xf0 && more 1 && more 2 && (b <> 0xe0 || b1 >= 0xa0) && (b <> 0xed || b1 < 0xa0) then 3
  else if b >= 0xf0 && b < 0xf5 && more 1 && more 2 && more 3 && (b <> 0xf0 || b1 >= 0x90) && (b <> 0xf4 || b1 < 0x90) then 4
  else 0

let text c what =
  if next c <> '"' then expected c what;
  c.at <- c.at + 1;
  let letters = Buffer.create 16 in
  let escape = function
    | '"' | '\\' | '/' as same -> Buffer.add_char letters same
    | 'b' -> Buffer.add_char letters '\b'
    | 'f' -> Buffer.add_char letters '\012'
    | 'n' -> Buffer.add_char letters '\n'
    | 'r' -> Buffer.add_char letters '\r'
    | 't' -> Buffer.add_char letters '\t'
    | 'u' -> Buffer.add_utf_8_uchar letters (escaped_letter c)
    | _ -> malformed (c.at - 2) "no escape of JSON" in
  let rec rest () =
    if c.at >= String.length c.text then malformed c.at "expected '\"', found the end of the file";
    match c.text.[c.at] with
    | '"' -> c.at <- c.at + 1
    | '\\' ->
        c.at <- c.at + 2;
        escape (if c.at <= String.length c.text then c.text.[c.at - 1] else ' ');
        rest ()
    | sign when sign < ' ' -> malformed c.at "a control character in a text"
    | _ ->
        let bytes = utf8 c.text c.at in
        if bytes = 0 then malformed c.at "no UTF-8";
        Buffer.add_substring letters c.text c.at bytes;
        c.at <- c.at + bytes;
        rest () in
  rest ();
  Buffer.contents letters

(* Calls item () at each item. *)
let list c what item =
  pass c '[' what;
  if not (passes c ']') then begin
    let rec items () =
      item ();
      if passes c ',' then items () in
    items ();
    pass c ']' "',' or ']'"
  end

(* Calls member key at each value; each key once, all required ones. *)
let obj c what known required member =
  pass c '{' what;
  let rec members seen =
    ignore (next c);
    let start = c.at in
    let key = text c "a key" in
    if not (List.mem key known) then malformed start (Printf.sprintf "unknown key \"%s\"" (String.escaped key));
    if List.mem_assoc key seen then malformed start (Printf.sprintf "the key \"%s\" stands twice" key);
    pass c ':' "':'";
    ignore (next c);
    let seen = (key, c.at) :: seen in
    member key;
    if passes c ',' then members seen else seen in
  let seen = if next c = '}' then [] else members [] in
  ignore (next c);
  let missing key = not (List.mem_assoc key seen) in
  if c.at < String.length c.text && List.exists missing required then
    malformed c.at (Printf.sprintf "the key \"%s\" is missing here" (List.find missing required));
  pass c '}' "',' or '}'";
  seen

let one_of c what choices =
  ignore (next c);
  let start = c.at in
  let word = text c what in
  match List.assoc_opt word choices with
  | Some choice -> choice
  | None -> malformed start (Printf.sprintf "expected %s, found \"%s\"" what (String.escaped word))

(* A list of blocks and runs, as runs, and where it begins *)
let block_list c blocks =
  let runs = ref [] in
  let most = blocks - 1 in
  let start = (ignore (next c); c.at) in
  list c "a list of blocks and [first,last] runs" (fun () ->
      let first, final =
        if passes c '[' then begin
          let first = number c "the run's first block" 0 most in
          pass c ',' "','";
          let final = number c "the run's last block" first most in
          pass c ']' "']' after the run's first and last block";
          first, final
        end
        else let block = number c "a block or a run [first,last], a block" 0 most in block, block in
      runs := (first, final) :: !runs);
  if !runs = [] then malformed start "expected a list of blocks, found an empty list";
  List.rev !runs, start

let each_once (runs, start) =
  let rec ascend = function (_, last) :: ((first, _) :: _ as rest) -> first > last && ascend rest | _ -> true in
  let rec meet = function
    | (_, last) :: ((first, _) :: _ as rest) -> if first <= last then Some first else meet rest
    | _ -> None in
  if not (ascend runs) then
    match meet (List.sort (fun (a, _) (b, _) -> compare (a : int) b) runs) with
    | Some block -> malformed start (Printf.sprintf "block %d is in this list twice" block)
    | None -> ()

let message_keys = ["src"; "dst"; "blocks"; "op"]

(* A transfer, with the blocks that it writes if they are others *)
let message c ranks blocks version =
  let source = ref 0 and destination = ref 0 and op = ref Copy and read = ref ([], 0) and into = ref None in
  let rank () = number c "a rank" 0 (ranks - 1) in
  ignore (obj c "a transfer {\"src\":.., \"dst\":.., \"blocks\":[..], \"op\":..}" ("lane" :: "into" :: message_keys) message_keys (function
    | "src" -> source := rank ()
    | "dst" -> destination := rank ()
    | "op" -> op := one_of c "\"reduce\" or \"copy\"" ["reduce", Reduce; "copy", Copy]
    | "lane" -> ignore (number c "a lane" 0 (most_lanes - 1))
    | "into" ->
        if version = 1 then malformed c.at "the key \"into\" needs \"version\":2";
        into := Some (block_list c blocks)
    | _ -> read := block_list c blocks));
  each_once (match !into with Some written -> written | None -> !read);
  let size (runs, _) = List.fold_left (fun n (first, last) -> n + last - first + 1) 0 runs in
  let as_many (runs, start) =
    if size (runs, start) <> size !read then
      malformed start (Printf.sprintf "expected %d blocks, as many as in \"blocks\", found %d" (size !read) (size (runs, start)));
    runs in
  { source = !source; destination = !destination; by_op = !op; runs = fst !read }, Option.map as_many !into

(* A message's cells, the last one first, before others *)
let rec cells_of m read into others =
  match read, into with
  | (r, last) :: read, (w, final) :: into ->
      let one = { giver = m.source; taker = m.destination; reads = r; fills = w; does = m.by_op } in
      let rest first last runs = if first < last then (first + 1, last) :: runs else runs in
      cells_of m (rest r last read) (rest w final into) (one :: others)
  | _ -> others

(* No control characters, line separators, and what changes the direction of text *)
let is_plain name =
  let byte k = if k < String.length name then Char.code name.[k] else 0 in
  let hidden k = match byte k, byte (k + 1), byte (k + 2) with
    | b, _, _ when b < 0x20 || b = 0x7f -> true
    | 0xc2, b, _ -> b >= 0x80 && b < 0xa0
    | 0xd8, 0x9c, _ -> true
    | 0xe2, 0x80, b -> b = 0x8b || b = 0x8e || b = 0x8f || b >= 0xa8 && b <= 0xae
    | 0xe2, 0x81, b -> b >= 0xa6 && b <= 0xa9
    | _ -> false in
  String.length name <= longest_name && not (List.exists hidden (List.init (String.length name) Fun.id))

type rule = Everyone | Owned | Rooted | Both | Pairs

let rules = ["allreduce", Everyone; "reduce-scatter", Owned; "allgather", Owned; "broadcast", Rooted; "reduce", Rooted;
             "scatter", Both; "gather", Both; "alltoall", Pairs]

let keys = ["format"; "version"; "collective"; "ranks"; "blocks"; "steps"]

(* What bounds the rest of the text, as far as it is known *)
type bounds = { version : int option; most_rank : int option; promised : int option; scratch : int option }

let unknown = { version = None; most_rank = None; promised = None; scratch = None }

(* Reads with the bounds that are known; also the text's own bounds, and whether one of them was missing where it was needed. *)
let read_once content known =
  let c = { text = content; at = if String.starts_with ~prefix:"\xef\xbb\xbf" content then 3 else 0 } in
  let begins = next c in
  if begins <> '{' then expected c "an object {\"format\":\"onceover-schedule\", ..}";
  let bounds = ref known and early = ref false in
  let bound value most = match value with Some value -> value | None -> early := true; most in
  let ranks () = bound !bounds.most_rank most_ranks and promised () = bound !bounds.promised most_blocks in
  let version () = bound !bounds.version 2 in
  let most_in_all () = if !bounds.version = Some 2 then most_blocks_of_version_2 else most_blocks in
  let all_blocks () = if version () = 1 then promised () else promised () + bound !bounds.scratch most_blocks in
  let name = ref "" and owners = ref [||] and root = ref 0 and messages = ref [] and cells = ref [] in
  let ranks_in what least most = let found = ref [] in list c what (fun () -> found := number c "a rank" least most :: !found); !found in
  let sides = ref [] and axes = ref [] and next_phase = ref 0 and begun = ref 0 in
  let pair what named is_good number =
    pass c '[' what;
    ignore (next c);
    let start = c.at in
    let name = text c named in
    if not (is_good name && is_plain name) then
      malformed start (Printf.sprintf "expected %s, found \"%s\"" named (String.escaped name));
    pass c ',' "','";
    let value = number () in
    pass c ']' "']'";
    name, value in
  let is_axis_name name = name <> "" && String.length name <= longest_axis_name in
  let read_steps () =
    let p = ranks () and all = all_blocks () and version = version () in
    list c "a list of steps, each a list of transfers" (fun () ->
        incr begun;
        let step = ref [] and moved = ref [] in
        list c "a step, a list of transfers" (fun () ->
            let m, into = message c p all version in
            if version = 1 then step := m :: !step
            else moved := cells_of m m.runs (Option.value into ~default:m.runs) !moved);
        if version = 1 then messages := List.rev !step :: !messages else cells := List.rev !moved :: !cells) in
  let optional = ["scratch"; "owners"; "root"; "shape"; "algorithm"; "grid"; "phases"; "$schema"] in
  let seen = obj c "an object" (optional @ keys) keys (function
    | "format" -> one_of c "\"onceover-schedule\"" ["onceover-schedule", ()]
    | "version" -> bounds := { !bounds with version = Some (number c "a version" 1 2) }
    | "collective" -> name := one_of c "a collective" (List.map (fun (name, _) -> name, name) rules)
    | "ranks" -> bounds := { !bounds with most_rank = Some (number c "a number of ranks" 1 most_ranks) }
    | "blocks" -> bounds := { !bounds with promised = Some (number c "a number of blocks" 1 (most_in_all ())) }
    | "scratch" ->
        let most = max 0 (most_in_all () - bound !bounds.promised 0) in
        bounds := { !bounds with scratch = Some (number c "a number of scratch blocks" 0 most) }
    | "root" -> root := number c "a rank" 0 (ranks () - 1)
    | "owners" -> owners := Array.of_list (List.rev (ranks_in "a list of ranks, one a block" 0 (ranks () - 1)))
    | "shape" -> sides := ranks_in "a list of sides" 1 most_ranks
    | "algorithm" | "$schema" ->
        let start = c.at in
        if not (is_plain (text c "a name")) then malformed start (Printf.sprintf "expected a name of at most %d printable bytes" longest_name)
    | "grid" ->
        let named = Printf.sprintf "an axis's name of 1 to %d printable bytes" longest_axis_name in
        list c "a list of axes [name,size]" (fun () ->
            let size () = number c "the axis's size" 1 most_ranks in
            axes := pair "an axis [name,size]" named is_axis_name size :: !axes)
    | "phases" ->
        let named = Printf.sprintf "a phase's name of at most %d printable bytes" longest_name in
        list c "a list of phases [name,first step]" (fun () ->
            let first () = number c "the phase's first step" !next_phase last_step in
            next_phase := 1 + snd (pair "a phase [name,first step]" named (fun _ -> true) first))
    | _ -> read_steps ()) in
  ignore (next c);
  if c.at < String.length content then expected c "the end of the file";
  let at key = List.assoc_opt key seen in
  let refuse key wrong why = match at key with Some place when wrong -> malformed place why | _ -> () in
  let missing = !early in
  let p = ranks () and b = promised () and scratch = Option.value !bounds.scratch ~default:0 and owners = !owners in
  let kind = List.assoc !name rules in
  let product = List.fold_left (fun n side -> min (n * side) most_blocks) 1 in
  let shared = List.length (List.sort_uniq compare (List.map fst !axes)) < List.length !axes in
  refuse "blocks" (version () = 2 && b + scratch > most_blocks_of_version_2)
    (Printf.sprintf "expected at most %d blocks, scratch included" most_blocks_of_version_2);
  refuse "scratch" (version () = 1) "the key \"scratch\" needs \"version\":2";
  refuse "owners" (Array.length owners <> b) (Printf.sprintf "expected %d owners, one a block, found %d" b (Array.length owners));
  refuse "owners" (kind = Pairs) "in an alltoall block s*ranks + d is rank d's";
  refuse "shape" (List.length !sides > most_sides) (Printf.sprintf "expected at most %d sides" most_sides);
  refuse "shape" (product !sides <> p) (Printf.sprintf "the sides multiply to %d, but there are %d ranks" (product !sides) p);
  let size = product (List.map snd !axes) in
  refuse "grid" (List.length !axes > most_sides) (Printf.sprintf "expected at most %d axes" most_sides);
  refuse "grid" (size <> p) (Printf.sprintf "the axes multiply to %d, but there are %d ranks" size p);
  refuse "grid" shared "two axes have the same name";
  refuse "phases" (!next_phase > !begun)
    (Printf.sprintf "the last phase begins at step %d, but there are %d steps" (!next_phase - 1) !begun);
  refuse "root" (kind <> Rooted && kind <> Both) (Printf.sprintf "%s has no root" !name);
  refuse "blocks" (kind = Pairs && b mod (p * p) <> 0) (Printf.sprintf "an alltoall of %d ranks has a multiple of %d blocks" p (p * p));
  let owner block = if owners = [||] then block mod p else owners.(block) in
  let collective = match !name with
    | "reduce-scatter" -> ReduceScatter owner
    | "allgather" -> Allgather owner
    | "broadcast" -> Broadcast !root
    | "reduce" -> ReduceTo !root
    | "scatter" -> Scatter (!root, owner)
    | "gather" -> Gather (!root, owner)
    | "alltoall" -> Alltoall
    | _ -> Allreduce in
  let steps = if version () = 1 then Messages (List.rev !messages) else Cells (scratch, List.rev !cells) in
  { collective; ranks = p; blocks = b; steps }, { !bounds with scratch = Some scratch }, missing

let read content =
  let schedule, bounds, missing = read_once content unknown in
  if missing then (fun (schedule, _, _) -> schedule) (read_once content bounds) else schedule
