(* Rules that are wrong as a paper prints them, each at the smallest p at which it is, and right at smaller ones: by running the
   proved checker. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Checker Bridge Reversal LastChance Factors SwingAll Catalogue Turned Folding Exchange Refuted.
Import ListNotations.

(* A claim about every p that is wrong at p, and right at the others *)
Definition wrong_at (p : nat) (claim : nat -> Prop) (others : list nat) : Prop := ~ claim p /\ Forall claim others.
Definition reduces (f : nat -> factor) (p : nat) : Prop :=
  exactly_once (ReduceScatter (owner (ranks (f p)))) (ranks (f p)) (ranks (f p)) (reduce_scatter_of (f p)).

Ltac by_checker :=
  split; [apply check_false | repeat (apply Forall_cons; [apply check_true|]); [..|apply Forall_nil]]; vm_compute; reflexivity.

(* What a rank could send at a step: blocks that its peer, or later peers of the peer, own *)
Section Chances.
Variable peer : rank -> nat -> rank.
Variable n : nat.
Variable q : rank.
Definition could (x : rank) (t : nat) : bool := reaches peer q (n - S t) (S t) (peer x t).

(* Of several chances the first one *)
Definition first_chance : route := fun t x =>
  if negb (x =? q) && could x t && negb (existsb (could x) (seq 0 t)) then Some (peer x t) else None.

(* A block with several chances goes in the last step of all. *)
Definition final_step : route := fun t x =>
  let repeated := 1 <? length (filter (could x) (seq 0 n)) in
  if negb (x =? q) && (if repeated then S t =? n else could x t) then Some (peer x t) else None.

(* Each step sends what it could and what all later ones could. *)
Definition at_once : route := fun t x => if existsb (could x) (seq t (n - t)) then Some (peer x t) else None.
End Chances.

(* Swing paper, section 3.2: no block is sent twice; and appendix A.2: in the last step *)
Definition keep_first (p : nat) : factor := let n := Nat.log2_up p in Factor p n (first_chance (swing_peer false p) n).
Definition in_final_step (p : nat) : factor := let n := Nat.log2_up p in Factor p n (final_step (swing_peer false p) n).

Theorem keep_first_fails : wrong_at 6 (reduces keep_first) [2; 4; 8].
Proof. by_checker. Qed.

Theorem final_step_fails : wrong_at 6 (reduces in_final_step) [2; 4; 8].
Proof. by_checker. Qed.

(* Figure 3, with its int(log2 p) steps *)
Definition figure_3 (p : nat) : factor := let n := Nat.log2 p in Factor p n (at_once (swing_peer false p) n).

Theorem figure_3_fails : wrong_at 6 (reduces figure_3) [2; 4; 8].
Proof. by_checker. Qed.

(* Section 4.1: distance delta(s), always to the same side *)
Fixpoint delta (s : nat) : nat := match s with O => 1 | S k => 2 ^ s - delta k end.
Definition delta_peer (p : nat) (x : rank) (s : nat) : rank :=
  if Nat.even x then (x + delta s) mod p else (x + p - delta s mod p) mod p.
Definition along_delta (p : nat) : factor := peer_factor p (Nat.log2_up p) (delta_peer p).

Theorem delta_fails : wrong_at 4 (reduces along_delta) [2].
Proof. by_checker. Qed.

(* Sections 3.1.2 and 3.2: whole vectors for every even p, not folded *)
Definition swing_unfolded (p : nat) : schedule := exchanges p (Nat.log2_up p) (swing_peer false p).

Theorem unfolded_fails : wrong_at 6 (fun p => exactly_once Allreduce p 1 (swing_unfolded p)) [2; 4; 8].
Proof. by_checker. Qed.

(* Kolmakov and Zhang, equations 18 to 20: of N vectors those from floor(N/2) on fold. *)
Definition printed_fold (p : nat) : route := fun t d =>
  if (left p t / 2 <=? d) && (d <? left p t) then Some (d - left p t / 2) else None.
Definition folding_as_printed (p : nat) : factor := turned_factor p (Nat.log2_up p) (printed_fold p).

Theorem folding_as_printed_fails : wrong_at 3 (reduces folding_as_printed) [1; 2; 4; 8].
Proof. by_checker. Qed.

(* PAT paper, section 2: Bruck's allgather of 7 ranks. In the third step a rank sends its own data and those of two others. *)
Definition bruck_7 (others : list nat) : schedule :=
  map (fun send => flat_map (fun r => map (fun o => move r ((r + fst send) mod 7) ((r + 7 - o) mod 7) Copy) (snd send)) (seq 0 7))
    [(4, [0]); (2, [0; 4]); (1, 0 :: others)].
Definition bruck_as_printed : schedule := bruck_7 [4; 6].

Theorem bruck_as_printed_fails :
  ~ exactly_once (Allgather (owner 7)) 7 7 bruck_as_printed /\ exactly_once (Allgather (owner 7)) 7 7 (bruck_7 [4; 2]).
Proof. split; [apply check_false | apply check_true]; vm_compute; reflexivity. Qed.
