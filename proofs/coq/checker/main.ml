(* The program around the extracted functions that make schedules. The one that judges them is in kernel/.

     check --make ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..]   prints the schedule that a theorem speaks of (rows.ml)
     check --batch                       the same for each line of standard input: ROW COLLECTIVE SIDES LANES ..
     check --circulant-tables            compares tables of blocks on standard input with the theory's (circulant_tables.ml)

   A schedule is printed as text: a line "RANKS BLOCKS COLLECTIVE [ROOT]", then a line for each message, "STEP SRC DST OP BLOCKS".

   Exit code 0, 1 a table differs, 2 usage or no theorem, 3 bad input, 4 out of memory or stack *)

let usage () =
  prerr_endline "check --make ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..] | check --batch | check --circulant-tables";
  exit 2

let run () =
  match List.tl (Array.to_list Sys.argv) with
  | ["--batch"] -> Rows.print_batch ()
  | ["--circulant-tables"] -> exit (Circulant_tables.compare_input ())
  | "--make" :: request -> Rows.print_made request
  | _ -> usage ()

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 22; space_overhead = 200 };
  try run () with
  | Rows.Refused why -> prerr_endline why; exit 2
  | Circulant_tables.Malformed why -> prerr_endline why; exit 3
  | Rows.No_theorem -> prerr_endline "no theorem covers it; see rows.ml"; exit 2
  | Stack_overflow | Out_of_memory -> prerr_endline "gave up: out of memory or stack"; exit 4
