(* What a user's formula for the peers stands for, as `verify --peer` reads it: the peer of rank r at step s among p ranks, and the
   number of steps. Ranks exchange at the last chance. Of an odd number of ranks, one may be apart, as in Swing. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Factors Catalogue.
Import ListNotations.

(* Swing's functions, which formulas may use *)
Definition rho (s : Z) : Z := ((1 - (-2) ^ (s + 1)) / 3)%Z.
Definition delta (s : Z) : Z := Z.abs (rho s).

Section Formula.
Variable formula : Z -> Z -> Z -> Z.   (* rank, step and ranks to peer *)
Variable number : Z -> Z.              (* ranks to steps *)
Variable last_apart : option bool.     (* Is the last of an odd number of ranks apart? None: it depends on `pairs_all`. *)

Definition peer_by (p : nat) (x : rank) (s : nat) : rank :=
  Z.to_nat (formula (Z.of_nat x) (Z.of_nat s) (Z.of_nat p) mod Z.of_nat p).
Definition steps_by (p : nat) : nat := Z.to_nat (number (Z.of_nat p)).

(* There are steps, and at each all ranks have other ranks as peers, mutually. *)
Definition pairs_all (p : nat) : bool :=
  (0 <? steps_by p) &&
  forallb (fun s => forallb (fun x => negb (peer_by p x s =? x) && (peer_by p (peer_by p x s) s =? x)) (seq 0 p))
    (seq 0 (steps_by p)).

(* Does the formula itself say, before it is taken mod p, that a rank has no peer? *)
Definition stays (p : nat) : bool :=
  existsb (fun s => existsb (fun x => (formula (Z.of_nat x) (Z.of_nat s) (Z.of_nat p) =? Z.of_nat x)%Z) (seq 0 p))
    (seq 0 (steps_by p)).

(* An odd p has no pairing of all ranks. If p - 1 and p + 1 ranks have one, the last rank is apart. *)
Definition apart (p : nat) : bool :=
  Nat.odd p && (1 <? p) &&
  match last_apart with Some a => a | None => negb (stays p) && pairs_all (p - 1) && pairs_all (p + 1) end.

Definition run_by (p : nat) : factor := peer_factor p (steps_by p) (peer_by p).
Definition factor_by (p : nat) : factor :=
  if apart p then with_odd_one (run_by (p - 1)) (half_turn (steps_by (p - 1)) (p - 1)) else run_by p.

Definition once_by (p : nat) : Prop :=
  exactly_once (ReduceScatter (owner p)) p p (reduce_scatter_of (factor_by p)) /\
  exactly_once (Allgather (owner p)) p p (allgather_of (factor_by p)) /\
  exactly_once Allreduce p p (allreduce_of (factor_by p)).

Lemma pairs_all_true p : pairs_all p = true <-> 0 < steps_by p /\
  forall s x, s < steps_by p -> x < p -> peer_by p x s <> x /\ peer_by p (peer_by p x s) s = x.
Proof.
  unfold pairs_all. rewrite andb_true_iff, Nat.ltb_lt, forallb_forall. setoid_rewrite forallb_forall. setoid_rewrite in_below.
  setoid_rewrite andb_true_iff. setoid_rewrite negb_true_iff. setoid_rewrite Nat.eqb_neq. setoid_rewrite Nat.eqb_eq.
  split; intros [N H]; split; auto.
Qed.

Lemma apart_true p : apart p = true -> Nat.Odd p /\ 1 < p.
Proof. unfold apart. rewrite !andb_true_iff, Nat.ltb_lt, Nat.odd_spec. tauto. Qed.

Definition covers_by (p : nat) : Prop := covers p (steps_by p) (peer_by p).

Lemma covers_some p : 1 < p -> covers_by p -> 0 < steps_by p.
Proof.
  intros P [_ C]. destruct (steps_by p) eqn:N; [|lia]. exfalso. pose proof (C 1 0 ltac:(lia) ltac:(lia)). discriminate.
Qed.

(* What is left to show of a formula: its paths cover, for those ranks that run it. *)
Lemma covered_once p : 0 < p -> (apart p = false -> covers_by p) -> (apart p = true -> covers_by (p - 1)) -> once_by p.
Proof.
  intros P C D. assert (right (factor_by p) /\ ranks (factor_by p) = p) as [R E].
  { unfold factor_by. destruct (apart p) eqn:A; [|split; auto; apply peer_factor_right, C; auto].
    pose proof (D eq_refl) as D'. apply apart_true in A as ([h O] & P').
    split; [|cbn; lia]. apply odd_one_right; [now apply peer_factor_right|].
    intros x _. apply half_turn_in_time, covers_some; auto. lia. }
  pose proof (factor_once (factor_by p)) as F. rewrite E in F. now apply F.
Qed.

Lemma peer_in_range p x s : 0 < p -> peer_by p x s < p.
Proof.
  intros P. unfold peer_by. pose proof (Z.mod_pos_bound (formula (Z.of_nat x) (Z.of_nat s) (Z.of_nat p)) (Z.of_nat p)). lia.
Qed.

Lemma of_peer p x s : 0 < p -> Z.of_nat (peer_by p x s) = (formula (Z.of_nat x) (Z.of_nat s) (Z.of_nat p) mod Z.of_nat p)%Z.
Proof. intros P. unfold peer_by. apply Z2Nat.id, Z.mod_pos_bound. lia. Qed.

Lemma one_covers : covers_by 1.
Proof.
  split; [intros; apply peer_in_range; lia|]. intros q x Q X. replace q with x by lia.
  assert (forall n t, reaches (peer_by 1) x n t x = true) as R; [|apply R].
  induction n as [|n IH]; intros t; cbn; [apply Nat.eqb_refl | now rewrite IH].
Qed.
End Formula.
