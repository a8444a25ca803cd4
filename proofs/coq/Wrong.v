(* Schedules that are tempting and wrong, each beside one that is right: `exactly_once` tells them apart. By the proved checker. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Checker.
Import ListNotations.

Record trial := Trial { of : collective; among : nat; over : nat; tried : schedule }.
Definition once (t : trial) : Prop := exactly_once (of t) (among t) (over t) (tried t).
Definition checked (t : trial) : bool := check (of t) (among t) (over t) (tried t).

Notation "x ~> y 'adds' b" := (move x y b Reduce) (at level 50, y at next level, b at next level).
Notation "x ~> y 'copies' b" := (move x y b Copy) (at level 50, y at next level, b at next level).

Definition swapped (b : block) : rank := 1 - b mod 2.

Definition pairs : list (trial * trial) := [
  (* Right: both ranks exchange. Wrong: they do so twice, and each contribution counts twice. *)
  (Trial Allreduce 2 1 [[0 ~> 1 adds 0; 1 ~> 0 adds 0]],
   Trial Allreduce 2 1 [[0 ~> 1 adds 0; 1 ~> 0 adds 0]; [0 ~> 1 adds 0; 1 ~> 0 adds 0]]);
  (* Wrong: one rank is left out. *)
  (Trial Allreduce 3 1 [[1 ~> 0 adds 0; 2 ~> 0 adds 0]; [0 ~> 1 copies 0; 0 ~> 2 copies 0]],
   Trial Allreduce 3 1 [[1 ~> 0 adds 0; 2 ~> 0 adds 0]; [0 ~> 1 copies 0]]);
  (* Wrong: rank 1 would send in a step what reaches it in that step only. *)
  (Trial (Broadcast 0) 3 1 [[0 ~> 1 copies 0]; [1 ~> 2 copies 0]],
   Trial (Broadcast 0) 3 1 [[0 ~> 1 copies 0; 1 ~> 2 copies 0]]);
  (* Wrong: the sum would have to arrive before it is sent on. *)
  (Trial (ReduceTo 0) 3 1 [[2 ~> 1 adds 0]; [1 ~> 0 adds 0]],
   Trial (ReduceTo 0) 3 1 [[2 ~> 1 adds 0; 1 ~> 0 adds 0]]);
  (* Wrong: a copy and a sum go to one place in one step; the sum is right only if the copy comes first. *)
  (Trial (ReduceTo 0) 3 1 [[0 ~> 1 adds 0]; [1 ~> 0 copies 0]; [2 ~> 0 adds 0]],
   Trial (ReduceTo 0) 3 1 [[0 ~> 1 adds 0]; [1 ~> 0 copies 0; 2 ~> 0 adds 0]]);
  (* Wrong: two copies into one place, even of one value *)
  (Trial (Broadcast 0) 2 1 [[0 ~> 1 copies 0]],
   Trial (Broadcast 0) 2 1 [[0 ~> 1 copies 0; 0 ~> 1 copies 0]]);
  (* Wrong: a sum where there is nothing to add to *)
  (Trial (Broadcast 0) 2 1 [[0 ~> 1 copies 0]],
   Trial (Broadcast 0) 2 1 [[0 ~> 1 adds 0]]);
  (* Wrong: a rank sends to itself, which changes nothing here. *)
  (Trial (Broadcast 0) 2 1 [[0 ~> 1 copies 0]],
   Trial (Broadcast 0) 2 1 [[0 ~> 0 copies 0; 0 ~> 1 copies 0]]);
  (* Wrong: the partial sum of rank 1 replaces that of rank 0, whose contribution is lost. *)
  (Trial (ReduceTo 0) 2 1 [[1 ~> 0 adds 0]],
   Trial (ReduceTo 0) 2 1 [[1 ~> 0 copies 0]]);
  (* Right for owners 0, 1; wrong for owners 1, 0, though every sum is complete somewhere *)
  (Trial (ReduceScatter (owner 2)) 2 2 [[1 ~> 0 adds 0; 0 ~> 1 adds 1]],
   Trial (ReduceScatter swapped) 2 2 [[1 ~> 0 adds 0; 0 ~> 1 adds 1]]);
  (* The other way around *)
  (Trial (ReduceScatter swapped) 2 2 [[0 ~> 1 adds 0; 1 ~> 0 adds 1]],
   Trial (ReduceScatter (owner 2)) 2 2 [[0 ~> 1 adds 0; 1 ~> 0 adds 1]]);
  (* Right if one rank owns all; wrong for the usual owners *)
  (Trial (Allgather (fun _ => 0)) 2 2 [[0 ~> 1 copies 0; 0 ~> 1 copies 1]],
   Trial (Allgather (owner 2)) 2 2 [[0 ~> 1 copies 0; 0 ~> 1 copies 1]]);
  (* Block 1 is from rank 0 for rank 1, block 2 from rank 1 for rank 0. Wrong: two blocks change places, and are not held. *)
  (Trial Alltoall 2 4 [[0 ~> 1 copies 1; 1 ~> 0 copies 2]],
   Trial Alltoall 2 4 [[0 ~> 1 copies 2; 1 ~> 0 copies 1]]);
  (* Wrong: one block of the two that move *)
  (Trial Alltoall 2 4 [[0 ~> 1 copies 1; 1 ~> 0 copies 2]],
   Trial Alltoall 2 4 [[0 ~> 1 copies 1]]);
  (* Right: rank 0 has all blocks. Wrong: nobody has sent block 1. *)
  (Trial (Scatter 0 (owner 2)) 2 2 [[0 ~> 1 copies 1]],
   Trial (Scatter 0 (owner 2)) 2 2 [[0 ~> 1 copies 0]]);
  (Trial (Gather 0 (owner 2)) 2 2 [[1 ~> 0 copies 1]],
   Trial (Gather 1 (owner 2)) 2 2 [[1 ~> 0 copies 1]])].

(* What asks nothing of anybody is wrong: no ranks, no blocks, roots and owners that don't exist, pairs without a block. *)
Definition empty_promises : list trial := [
  Trial Allreduce 0 1 []; Trial Allreduce 2 0 []; Trial (ReduceTo 2) 2 1 []; Trial (Broadcast 2) 2 1 [];
  Trial (ReduceScatter (fun _ => 2)) 2 2 []; Trial (Allgather (fun _ => 2)) 2 2 []; Trial (Scatter 0 (fun _ => 2)) 2 2 [];
  Trial (Scatter 2 (owner 2)) 2 2 []; Trial (Gather 2 (owner 2)) 2 2 []; Trial Alltoall 2 1 []].

Theorem exactly_once_tells_apart : Forall (fun p => once (fst p) /\ ~ once (snd p)) pairs.
Proof.
  assert (forallb (fun p => checked (fst p) && negb (checked (snd p))) pairs = true) as H by (vm_compute; reflexivity).
  apply Forall_forall. intros p P. apply (proj1 (forallb_forall _ _)) with (x := p) in H; auto. apply andb_true_iff in H as [R W].
  split; [now apply check_correct|]. intros E. apply check_correct in E. unfold checked in W. now rewrite E in W.
Qed.

Theorem empty_promises_fail : Forall (fun t => ~ once t) empty_promises.
Proof.
  assert (forallb (fun t => negb (checked t)) empty_promises = true) as H by (vm_compute; reflexivity).
  apply Forall_forall. intros t T. apply (proj1 (forallb_forall _ _)) with (x := t) in H; auto.
  intros E. apply check_correct in E. unfold checked in H. now rewrite E in H.
Qed.
