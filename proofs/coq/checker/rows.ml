(* The schedules that the theorems speak of, one for each row of the catalogue, as the functions of the theory make them. Not proved:
   what a request means, and printing. To add a row: a line in `rows`, with the settings that it knows.

   A request is ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..], such as `swing allreduce 4x6 4` or `bruck allgather 9 1 order=far`. What
   isn't of that form is refused, as are other settings and numbers that are too large. *)
open Collectives

type request = { row : string; collective : string; sides : int list; lanes : int; settings : (string * string) list }

exception No_theorem
exception Refused of string

let refuse form = Printf.ksprintf (fun why -> raise (Refused why)) form

(* The machine's integers are Coq's numbers only while they are small (Extract.v). *)
let most_ranks = 1 lsl 20
let most_lanes = 64

let number name least most text =
  let is_plain = text <> "" && String.length text < 10 && String.for_all (fun c -> '0' <= c && c <= '9') text in
  let n = if is_plain then int_of_string text else -1 in
  if n < least || n > most then refuse "%s: a number from %d to %d, not '%s'" name least most text;
  n

let ranks r = List.fold_left ( * ) 1 r.sides

let setting name otherwise r = Option.value (List.assoc_opt name r.settings) ~default:otherwise

(* One of the choices; the first one unless it is given *)
let choice name choices r =
  let value = setting name (List.hd choices) r in
  if not (List.mem value choices) then refuse "%s: %s, not '%s'" name (String.concat " or " choices) value;
  value

let extents name text =
  let sides = List.map (number name 1 most_ranks) (String.split_on_char 'x' text) in
  let times all side = if all > most_ranks / side then refuse "%s: at most %d ranks, not '%s'" name most_ranks text else all * side in
  ignore (List.fold_left times 1 sides);
  sides

let root r = number "root" 0 (ranks r - 1) (setting "root" "0" r)

let rec power p = if p = 1 then 0 else if p land 1 = 1 then raise No_theorem else 1 + power (p / 2)

(* Three collectives, of one plan *)
let planned plan r =
  if r.lanes <> 1 then raise No_theorem;
  let plan = plan r in
  if plan.plan_ranks <> ranks r then raise No_theorem;
  ranks r, match r.collective with
  | "allreduce" -> quick_allreduce_of plan
  | "reduce-scatter" -> quick_reduce_scatter_of plan
  | "allgather" -> quick_allgather_of plan
  | _ -> raise No_theorem

let on_line plan = planned (fun r -> match r.sides with [p] -> plan r p | _ -> raise No_theorem)

let near r = choice "order" ["near"; "far"] r = "near"

let by_order near_first far_first r p = if near r then near_first p else far_first p

let merges r = choice "merge" ["no"; "yes"] r = "yes"

(* One exchange in the middle of an allreduce: blocks, and the schedule. Not by plans. *)
let merged blocks schedule r = if r.collective = "allreduce" then blocks, schedule () else raise No_theorem

let is_even_or_one p = p = 1 || p land 1 = 0

let swing r =
  let blocks = r.lanes * ranks r in
  if merges r then begin
    if not (List.for_all is_even_or_one r.sides) then raise No_theorem;
    merged blocks (fun () -> merged_swing r.sides r.lanes) r
  end else match r.collective, r.sides, r.lanes with
  | "broadcast", sides, lanes -> lanes, quick_swing_broadcast sides lanes (root r)
  | "reduce", sides, lanes -> lanes, quick_swing_reduce sides lanes (root r)
  | _, [p], 1 -> planned (fun _ -> swing_plan false p) r
  | "allreduce", sides, lanes -> blocks, quick_torus_allreduce sides lanes
  | "reduce-scatter", sides, lanes -> blocks, quick_torus_reduce_scatter sides lanes
  | "allgather", sides, lanes -> blocks, quick_torus_allgather sides lanes
  | _ -> raise No_theorem

let group_of r p =
  match setting "group" "cyclic" r with
  | "cyclic" -> [p]
  | "xor" -> List.init (power p) (fun _ -> 2)
  | group -> extents "group" group

let folded r p = match group_of r p with
  | [p] -> folding_plan p
  | group -> folding_group_plan group

let generalized r =
  if not (merges r) then on_line folded r
  else match r.sides, r.lanes with
  | [p], 1 when List.fold_left ( * ) 1 (group_of r p) = p -> merged p (fun () -> merged_folding_group (group_of r p)) r
  | _ -> raise No_theorem

(* One block on a line *)
let whole makers r =
  match List.assoc_opt r.collective makers, r.sides, r.lanes with
  | Some make, [p], 1 -> 1, make p
  | _ -> raise No_theorem

(* One block on a line, in so many steps along a route to rank 0 *)
let along route r =
  let line make p = let n, h = route p in make p n h (root r) in
  whole ["broadcast", line line_broadcast; "reduce", line line_reduce] r

let radix r = number "radix" 2 65536 (setting "radix" "2" r)

let knomial r = along (fun p -> let k = radix r in let n = levels k p in n, if near r then near_tree k n else far_tree k n) r

(* Blocks that are carried, from the root, to it, or from all to all *)
let carried walk r =
  match r.collective, r.sides, r.lanes with
  | "alltoall", [p], 1 -> let n, walked = walk p in p * p, walk_alltoall p n walked
  | "scatter", [p], 1 -> let n, walked = walk p in p, walk_scatter p n walked (root r)
  | "gather", [p], 1 -> let n, walked = walk p in p, walk_gather p n walked (root r)
  | _ -> raise No_theorem

let by_digits r = carried (fun p -> let k = radix r in let n = levels k p in n, if near r then near_walk k else far_walk k n) r

let straight_by batch r = carried (fun p -> let k = batch p in straight_steps p k, straight k) r

let batch r = match setting "batch" "all" r with "all" -> (fun p -> p) | k -> let k = number "batch" 1 most_ranks k in (fun _ -> k)

let is_carried r = List.mem r.collective ["scatter"; "gather"; "alltoall"]

let all_powers sides = List.for_all (fun p -> p land (p - 1) = 0) sides

(* Recursive halving and doubling, in any order of partners; ranks beyond a power of two are folded, or eliminated. *)
let halving near r =
  let remainder = choice "remainder" ["fold"; "fold-neighbours"; "eliminate-3-2"] r in
  let blocks = r.lanes * inner_blocks r.sides in
  match r.collective, r.sides with
  | _, [p] when merges r && remainder = "fold-neighbours" && r.lanes = 1 -> merged blocks (fun () -> merged_rabenseifner_beside near p) r
  | _, sides when merges r && remainder = "fold" -> merged blocks (fun () -> merged_rabenseifner near sides r.lanes) r
  | _ when merges r -> raise No_theorem
  | "allreduce", [p] when remainder = "eliminate-3-2" && r.lanes = 1 -> inner_blocks [p], elimination p
  | "allreduce", sides when remainder = "eliminate-3-2" && r.lanes = 1 -> inner_blocks sides, quick_elimination_torus sides
  | "allreduce", [p] when remainder = "fold-neighbours" && r.lanes = 1 -> inner_blocks [p], quick_rabenseifner_beside near p
  | "allreduce", sides when remainder = "fold" -> r.lanes * inner_blocks sides, quick_rabenseifner near sides r.lanes
  | _, sides when all_powers sides -> planned (fun _ -> halving_torus_plan near sides 0) r
  | _ -> raise No_theorem

let rabenseifner r =
  match r.sides with
  | [p] when all_powers [p] && setting "remainder" "fold" r = "fold" && not (merges r) ->
      on_line (by_order (fun p -> doubling_near_plan (power p)) (fun p -> doubling_far_plan (power p))) r
  | _ -> halving (near r) r

(* Whole vectors *)
let vectors make r = if r.collective = "allreduce" then r.lanes, make r.sides r.lanes else raise No_theorem

let recursive_doubling r =
  match r.collective, choice "remainder" ["fold"; "fold-neighbours"] r, r.sides, r.lanes with
  | "allreduce", "fold-neighbours", [p], 1 -> 1, doubling_beside p
  | "allreduce", "fold", _, _ -> vectors recursive_doubling r
  | "allreduce", _, _, _ -> raise No_theorem
  | _ -> halving false r

let mirrored r =
  match choice "version" ["bandwidth"; "latency"] r with
  | "latency" -> vectors Collectives.recursive_doubling r
  | _ when all_powers r.sides && not (merges r) ->
      let bits = List.map power r.sides in
      r.lanes * ranks r, (match r.collective with
      | "allreduce" -> quick_mirrored_doubling bits r.lanes
      | "reduce-scatter" -> quick_mirrored_reduce_scatter bits r.lanes
      | "allgather" -> quick_mirrored_allgather bits r.lanes
      | _ -> raise No_theorem)
  | _ when r.collective <> "allreduce" -> raise No_theorem
  | _ -> halving true r

let pat r =
  let a = match setting "aggregation" "full" r with "full" -> ranks r | a -> power (number "aggregation" 1 most_ranks a) in
  let near = choice "order" ["far"; "near"] r = "near" in
  match r.collective, r.sides, r.lanes with
  | "allgather", [p], 1 -> p, quick_pat_allgather near p a
  | "reduce-scatter", [p], 1 -> p, quick_pat_reduce_scatter near p a
  | _ -> raise No_theorem

(* What is wrong as printed; the factor's routes may send more than once. *)
let printed factor r =
  match r.collective, r.sides, r.lanes with
  | "allreduce", [p], 1 -> p, allreduce_of (factor p)
  | "reduce-scatter", [p], 1 -> p, reduce_scatter_of (factor p)
  | _ -> raise No_theorem

let rings r =
  if not (has_cycles r.sides) then raise No_theorem;
  r.lanes * ranks r, match r.collective with
  | "allreduce" -> quick_rings_allreduce r.sides r.lanes
  | "reduce-scatter" -> quick_rings_reduce_scatter r.sides r.lanes
  | "allgather" -> quick_rings_allgather r.sides r.lanes
  | _ -> raise No_theorem

(* Who owns a block, where that isn't the rank with its number in the lane *)
let owner_of r =
  match r.row, r.collective with
  | "hamiltonian-ring", ("reduce-scatter" | "allgather") -> Some (ring_owner r.sides)
  | "mirrored-recursive-doubling", ("reduce-scatter" | "allgather") -> Some (mirrored_owner (List.map power r.sides))
  | _ -> None

let ring r =
  match choice "order" ["together"; "even-odd"] r with
  | "together" -> on_line (fun _ -> ring_plan) r
  | _ -> on_line (fun _ -> ring_by_turns_plan) r

let bucket r =
  ignore (choice "directions" ["both"; "one"] r);
  match r.lanes, r.collective with
  | 1, _ -> planned (fun r -> bucket_plan r.sides (in_turn (List.map Collectives.ring r.sides))) r
  | lanes, "allreduce" -> lanes * ranks r, quick_bucket_allreduce r.sides lanes
  | lanes, "reduce-scatter" -> lanes * ranks r, quick_bucket_reduce_scatter r.sides lanes
  | lanes, "allgather" -> lanes * ranks r, quick_bucket_allgather r.sides lanes
  | _ -> raise No_theorem

let pair text = match String.index_opt text '=' with
  | Some k -> String.sub text 0 k, String.sub text (k + 1) (String.length text - k - 1)
  | None -> refuse "a setting is NAME=VALUE, not '%s'" text

let halving_first r = choice "order" ["halving"; "doubling"] r = "halving"

(* A part of `hierarchical`: its plan, and how many blocks it has. *)
let part text collective p =
  let row, settings = match String.split_on_char ':' text with row :: rest -> row, List.map pair rest | [] -> assert false in
  let r = { row; collective; sides = [p]; lanes = 1; settings } in
  let halving near = if collective <> "allreduce" && not (all_powers [p]) then raise No_theorem else halving_side_plan near p, Collectives.inner p in
  match row, collective with
  | "swing", ("broadcast" | "reduce") -> tree_side_plan false p, 1
  | "binomial-tree", ("broadcast" | "reduce") when radix r = 2 -> by_order bruck_near_plan bruck_far_plan r p, 1
  | "circulant", ("broadcast" | "reduce") when setting "segments" "1" r = "1" -> circulant_left_plan p, 1
  | "bine", ("broadcast" | "reduce") -> bine_tree_plan (halving_first r) p, 1
  | "chain", ("broadcast" | "reduce") -> ring_left_plan p, 1
  | _, ("broadcast" | "reduce") -> raise No_theorem
  | "swing", _ -> swing_plan false p, p
  | "ring", _ -> (if setting "order" "together" r = "together" then ring_plan p else ring_by_turns_plan p), p
  | "bucket", _ -> ring_plan p, p
  | "bruck", _ -> by_order bruck_near_plan bruck_far_plan r p, p
  | "bine", _ -> bine_plan (halving_first r) p, p
  | "circulant", _ -> circulant_plan p, p
  | "pairwise", _ -> pairwise_plan p, p
  | "generalized", _ -> folding_plan p, p
  | "hamiltonian-ring", _ -> ring_right_plan p, p
  | "rabenseifner", _ -> halving (near r)
  | "mirrored-recursive-doubling", _ -> halving true
  | "recursive-halving-doubling", _ when all_powers [p] -> halving false
  | "recursive-doubling", ("reduce-scatter" | "allgather") -> halving false
  | _ -> raise No_theorem

(* Of the part within nodes, an allreduce takes the reduce-scatter, or else the reduce. *)
let hierarchical r =
  let nodes = number "nodes" 1 most_ranks (setting "nodes" "2" r) in
  if r.lanes <> 1 || List.length r.sides <> 1 || ranks r mod nodes <> 0 then raise No_theorem;
  let here = part (setting "within" "swing" r) in
  let places = ranks r / nodes in
  let within, w = match r.collective with
    | "allreduce" -> (try here "reduce-scatter" places with No_theorem -> here "reduce" places)
    | collective -> here collective places in
  let across, j = part (setting "across" "swing" r) r.collective nodes in
  j * w, match r.collective with
  | "allreduce" -> quick_nodes_allreduce across within j w
  | "reduce-scatter" -> quick_nodes_reduce_scatter across within j w
  | "allgather" -> quick_nodes_allgather across within j w
  | "reduce" -> quick_nodes_reduce across within (root r)
  | _ -> quick_nodes_broadcast across within (root r)

let bine r =
  match r.collective, r.sides, r.lanes with
  | _, [p], 1 when merges r && is_even_or_one p -> merged p (fun () -> merged_bine (halving_first r) p) r
  | _ when merges r -> raise No_theorem
  | "broadcast", [p], 1 -> 1, quick_bine_broadcast (halving_first r) p (root r)
  | "reduce", [p], 1 -> 1, quick_bine_reduce (halving_first r) p (root r)
  | _ -> on_line (fun r -> bine_plan (halving_first r)) r

(* A tree for one block, or for each of several *)
let circulant r =
  let segments = number "segments" 1 4096 (setting "segments" "1" r) in
  match r.collective, r.sides, r.lanes with
  | ("broadcast" | "reduce"), _, _ when segments = 1 -> along (fun p -> Nat.log2_up p, halved_skips p) r
  | "broadcast", [p], 1 -> segments, quick_circulant_broadcast p segments (root r)
  | "reduce", [p], 1 -> segments, quick_circulant_reduce p segments (root r)
  | _ when segments > 1 -> raise No_theorem
  | _ -> on_line (fun _ -> circulant_plan) r

(* Each row: the settings that it knows, and its function. *)
let rows = [
  "swing", (["root"; "merge"], swing);
  "ring", (["order"], ring);
  "bucket", (["directions"], bucket);
  "rabenseifner", (["order"; "remainder"; "merge"], rabenseifner);
  "recursive-halving-doubling", ([], on_line (fun _ p -> doubling_far_plan (power p)));
  "mirrored-recursive-doubling", (["version"; "merge"], mirrored);
  "bruck", (["order"], fun r -> if is_carried r then by_digits r else on_line (by_order bruck_near_plan bruck_far_plan) r);
  "circulant", (["segments"; "root"], circulant);
  "bine", (["order"; "root"; "merge"], bine);
  "pairwise", ([], fun r -> if is_carried r then straight_by (fun _ -> 1) r else on_line (fun _ -> pairwise_plan) r);
  "spread-out", (["batch"], fun r -> straight_by (batch r) r);
  "pat", (["aggregation"; "order"], pat);
  "hamiltonian-ring", ([], rings);
  "chain", (["root"], along (fun p -> p - 1, chain p));
  "binomial-tree", (["order"; "radix"; "root"], fun r -> if is_carried r then by_digits r else knomial r);
  "generalized", (["group"; "merge"], generalized);
  "swing-latency", ([], vectors swing_latency);
  "recursive-doubling", (["remainder"], recursive_doubling);
  "hierarchical", (["nodes"; "within"; "across"; "root"], hierarchical);
  "swing-keep-first", ([], printed keep_first);
  "swing-final-step", ([], printed in_final_step);
  "swing-figure-3", ([], printed figure_3);
  "swing-delta", ([], printed along_delta);
  "swing-latency-unfolded", ([], whole ["allreduce", swing_unfolded]);
  "generalized-as-printed", ([], printed folding_as_printed);
  "bruck-as-printed", ([], fun r -> if r.sides = [7] && r.collective = "allgather" then 7, bruck_as_printed else raise No_theorem);
]

let request = function
  | row :: collective :: sides :: lanes :: settings ->
      { row; collective; sides = extents "a side" sides; lanes = number "lanes" 1 most_lanes lanes; settings = List.map pair settings }
  | _ -> refuse "a request is ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..]"

let rec check_settings row known = function
  | [] -> ()
  | (name, _) :: rest ->
      if not (List.mem name known) then refuse "%s has no setting '%s'" row name;
      if List.mem_assoc name rest then refuse "%s is set twice" name;
      check_settings row known rest

let made words =
  let r = request words in
  match List.assoc_opt r.row rows with
  | Some (known, make) ->
      check_settings r.row known r.settings;
      let blocks, schedule = make r in
      r, blocks, schedule
  | None -> refuse "there is no row '%s'" r.row

(* Numbers as texts, each made once *)
let small = Array.init 4096 string_of_int
let add_number out n =
  Buffer.add_string out (if n < Array.length small then Array.unsafe_get small n else string_of_int n);
  Buffer.add_char out ' '

(* The owners, where a block isn't that of the rank with its number. A line for each transfer, "STEP SRC DST OP BLOCK", by step, then by rank (the sender of a reduction, the receiver of a copy), then in
   the schedule's order, which is that of the blocks. *)
let print out (r, blocks, schedule) =
  let p = ranks r in
  let rooted = match r.collective with
    | "broadcast" | "reduce" | "scatter" | "gather" -> Printf.sprintf " %d" (root r)
    | _ -> "" in
  Buffer.add_string out (Printf.sprintf "%d %d %s%s\n" p blocks r.collective rooted);
  let own = Option.value (owner_of r) ~default:(fun b -> b mod p) in
  let owners = List.init blocks own in
  if List.exists2 (fun b owner -> b mod p <> owner) (List.init blocks Fun.id) owners then
    Buffer.add_string out ("owners " ^ String.concat " " (List.map string_of_int owners) ^ "\n");
  let of_rank = Array.make p [] in
  let flush () = if Buffer.length out > 1 lsl 16 then (Buffer.output_buffer stdout out; Buffer.clear out) in
  let line s t =
    add_number out s;
    add_number out t.src;
    add_number out t.dst;
    Buffer.add_string out (match t.how with Reduce -> "reduce " | Copy -> "copy ");
    add_number out t.what;
    Buffer.truncate out (Buffer.length out - 1);
    Buffer.add_char out '\n' in
  let print_step s step =
    let put t = let x = (match t.how with Reduce -> t.src | Copy -> t.dst) in of_rank.(x) <- t :: of_rank.(x) in
    List.iter put step;
    Array.iteri (fun x them -> List.iter (line s) (List.rev them); of_rank.(x) <- []; flush ()) of_rank in
  List.iteri print_step schedule;
  Buffer.output_buffer stdout out;
  Buffer.clear out

(* What keeps two sums of a block: the number of scratch blocks, and a line for each transfer, "STEP SRC DST OP BLOCK", and the block that it writes if that is another. *)
let print_cells out (r, blocks, scratch, schedule) =
  Buffer.add_string out (Printf.sprintf "%d %d %s\n" (ranks r) blocks r.collective);
  if scratch > 0 then Buffer.add_string out (Printf.sprintf "scratch %d\n" scratch);
  let line s t =
    List.iter (add_number out) [s; t.giver; t.taker];
    Buffer.add_string out (match t.does with Reduce -> "reduce " | Copy -> "copy ");
    List.iter (add_number out) (if t.reads = t.fills then [t.reads] else [t.reads; t.fills]);
    Buffer.truncate out (Buffer.length out - 1);
    Buffer.add_char out '\n' in
  List.iteri (fun s step -> List.iter (line s) step) schedule;
  Buffer.output_buffer stdout out

let removed r =
  let p = ranks r in
  let group = group_of r p in
  if r.collective <> "allreduce" || r.lanes <> 1 || List.length r.sides <> 1 || List.fold_left ( * ) 1 group <> p then raise No_theorem;
  let steps = number "removed-steps" 0 20 (setting "removed-steps" "0" r) in
  r, p, scratch_of group steps, removed_steps group steps

(* Steps in which some ranks add and others copy: in the order of the ranks that receive *)
let spread_cells r =
  let cell t = { giver = t.src; taker = t.dst; reads = t.what; fills = t.what; does = t.how } in
  match r.collective, r.sides, r.lanes with
  | "allreduce", [p], 1 -> r, 1, 0, List.map (List.map cell) (spreading p)
  | _ -> raise No_theorem

let print_made words =
  let out = Buffer.create (1 lsl 17) and r = request words in
  if r.row = "generalized" && List.mem_assoc "removed-steps" r.settings then begin
    check_settings r.row ["group"; "removed-steps"] r.settings;
    print_cells out (removed r)
  end else if r.row = "recursive-doubling" && setting "remainder" "fold" r = "spread" then begin
    check_settings r.row ["remainder"] r.settings;
    print_cells out (spread_cells r)
  end else print out (made words)

(* A request a line *)
let print_batch () =
  try
    while true do
      print_made (String.split_on_char ' ' (input_line stdin));
      flush stdout
    done
  with End_of_file -> ()
