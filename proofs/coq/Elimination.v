(* 3-2 elimination: recursive halving of p = 2^a + r ranks, by pairs, of which as many as need be have a third rank. Within the first
   step the third sends each of the two the half that it keeps. Ranks that no pair has a place for are folded first. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Factors Relabelled Catalogue Attached Folded.
Import ListNotations.

(* Ranks that meet in the first step alone differ in the lowest bit. *)
Lemma reaches_same_low q k : forall t x, reaches exchanged q k (S t) x = true -> Nat.testbit x 0 = Nat.testbit q 0.
Proof.
  induction k as [|k IH]; intros t x H; cbn [reaches] in H; [now apply Nat.eqb_eq in H as ->|].
  apply orb_true_iff in H as [H|H]; apply IH in H; auto. rewrite <- H. unfold exchanged.
  rewrite Nat.lxor_spec, Nat.pow2_bits_false, xorb_false_r; auto.
Qed.

(* A rank whose lowest bit is the owner's sends nothing in the first step. *)
Lemma same_low_rests a q x : Nat.testbit x 0 = Nat.testbit q 0 -> last_chance exchanged a q 0 x = None.
Proof.
  intros L. destruct (last_chance exchanged a q 0 x) as [d|] eqn:E; auto. exfalso.
  apply last_chance_some in E as (-> & E & _). apply reaches_same_low in E. rewrite <- L in E. unfold exchanged in E.
  rewrite Nat.lxor_spec, Nat.pow2_bits_true in E. destruct (Nat.testbit x 0); discriminate.
Qed.

Section Triples.
Variables a triples : nat.
Let m : nat := 2 ^ a.
Hypothesis fit : 2 * triples <= m.

(* Seats are 2i and 2i + 1 for the pairs, and then those of the thirds. Ranks are numbered group by group. *)
Definition sits (s : nat) : rank :=
  if s <? m then (if s / 2 <? triples then 3 * (s / 2) + s mod 2 else s + triples) else 3 * (s - m) + 2.
Definition seat_of (x : rank) : nat :=
  if x <? 3 * triples then (if x mod 3 =? 2 then m + x / 3 else 2 * (x / 3) + x mod 3) else x - triples.

Lemma by_three k j : j < 3 -> (3 * k + j) / 3 = k /\ (3 * k + j) mod 3 = j.
Proof.
  intros J. rewrite (Nat.mul_comm 3), (Nat.add_comm _ j), Nat.div_add, Nat.mod_add, Nat.div_small, Nat.mod_small; auto.
Qed.

Lemma by_two k j : j < 2 -> (2 * k + j) / 2 = k /\ (2 * k + j) mod 2 = j.
Proof.
  intros J. rewrite (Nat.mul_comm 2), (Nat.add_comm _ j), Nat.div_add, Nat.mod_add, Nat.div_small, Nat.mod_small; auto.
Qed.

Lemma sits_right s : s < m + triples -> sits s < m + triples /\ seat_of (sits s) = s.
Proof.
  intros S. unfold sits. pose proof (Nat.div_mod s 2 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound s 2 ltac:(lia)) as J.
  set (i := s / 2) in *. set (j := s mod 2) in *. clearbody i j. unfold seat_of.
  destruct (Nat.ltb_spec s m); [destruct (Nat.ltb_spec i triples)|].
  - destruct (by_three i j ltac:(lia)) as [-> ->]. split; [lia|].
    destruct (Nat.ltb_spec (3 * i + j) (3 * triples)), (Nat.eqb_spec j 2); lia.
  - split; [lia|]. destruct (Nat.ltb_spec (s + triples) (3 * triples)); lia.
  - destruct (by_three (s - m) 2 ltac:(lia)) as [-> ->]. split; [lia|].
    destruct (Nat.ltb_spec (3 * (s - m) + 2) (3 * triples)), (Nat.eqb_spec 2 2); lia.
Qed.

Lemma seat_of_right x : x < m + triples -> seat_of x < m + triples /\ sits (seat_of x) = x.
Proof.
  intros X. unfold seat_of. pose proof (Nat.div_mod x 3 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound x 3 ltac:(lia)) as J.
  set (i := x / 3) in *. set (j := x mod 3) in *. clearbody i j.
  destruct (Nat.ltb_spec x (3 * triples)); [destruct (Nat.eqb_spec j 2)|]; unfold sits.
  - split; [lia|]. destruct (Nat.ltb_spec (m + i) m); lia.
  - split; [lia|]. destruct (by_two i j ltac:(lia)) as [-> ->]. destruct (Nat.ltb_spec (2 * i + j) m), (Nat.ltb_spec i triples); lia.
  - split; [lia|]. pose proof (Nat.div_mod (x - triples) 2 ltac:(lia)). pose proof (Nat.mod_upper_bound (x - triples) 2 ltac:(lia)).
    destruct (Nat.ltb_spec (x - triples) m), (Nat.ltb_spec ((x - triples) / 2) triples); lia.
Qed.

(* The third of group i serves, of the two, the one that keeps the block's half. *)
Definition with_thirds (q : nat) : route :=
  attached m (last_chance exchanged a q) (fun _ => 0) (fun i => 2 * i + q mod 2).

Lemma with_thirds_valid q : q < m -> valid (m + triples) a q (with_thirds q).
Proof.
  intros Q. pose proof (Nat.mod_upper_bound q 2 ltac:(lia)) as J. destruct (exchanged_covers a) as [B C]. apply attached_valid.
  - apply last_chance_valid; auto.
  - intros i I. destruct a; [|lia]. subst m. cbn in *. lia.
  - intros i I. lia.
  - intros i I u U. replace u with 0 by lia. apply same_low_rests. apply Nat.b2n_inj. rewrite !Nat.bit0_mod. now apply by_two.
Qed.

Definition halves (q : nat) : route := relabelled sits seat_of (with_thirds q).

Lemma halves_valid q : q < m -> valid (m + triples) a (sits q) (halves q).
Proof.
  intros Q. apply relabelled_valid; [|now apply with_thirds_valid]. intros x X.
  destruct (sits_right x X), (seat_of_right x X). auto.
Qed.
End Triples.

Definition thirds (p : nat) : nat := Nat.min (p - inner p) (inner p / 2).
Definition surplus (p : nat) : nat := p - (inner p + thirds p).

Definition elimination_steps (p : nat) : nat := Nat.log2 p + if surplus p =? 0 then 0 else 1.
Definition elimination_path (p : nat) (b : block) : route :=
  let core := halves (Nat.log2 p) (thirds p) b in
  if surplus p =? 0 then core else attached (inner p + thirds p) (later core) (fun _ => 0) (fun i => i).
Definition elimination (p : nat) : schedule := allreduce p (inner p) (elimination_steps p) (elimination_path p).

Theorem elimination_owned p : 0 < p ->
  owned p (elimination_steps p) (inner p) (sits (Nat.log2 p) (thirds p)) (elimination_path p).
Proof.
  intros P b B. pose proof (inner_within p P) as [L U]. pose proof (Nat.div_mod (inner p) 2 ltac:(lia)) as D.
  pose proof (Nat.mod_upper_bound (inner p) 2 ltac:(lia)) as J.
  assert (2 * thirds p <= inner p /\ thirds p <= p - inner p) as [F T] by (unfold thirds; lia).
  pose proof (halves_valid (Nat.log2 p) (thirds p) F b B) as V. fold (inner p) in V.
  assert (inner p + thirds p <= p) as S by lia.
  split; [pose proof (sits_right (Nat.log2 p) (thirds p) F b ltac:(fold (inner p); lia)) as [R _]; fold (inner p) in R; lia|].
  unfold elimination_path, elimination_steps. destruct (Nat.eqb_spec (surplus p) 0) as [Z|N]; unfold surplus in *.
  - rewrite Nat.add_0_r. now replace p with (inner p + thirds p) at 1 by lia.
  - rewrite Nat.add_1_r. replace p with (inner p + thirds p + (p - (inner p + thirds p))) at 1 by lia.
    apply attached_valid; try lia; [now apply later_valid|]. intros i _ u W. now replace u with 0 by lia.
Qed.

Theorem elimination_once p : 0 < p -> exactly_once Allreduce p (inner p) (elimination p).
Proof. intros P. apply allreduce_once with (sits (Nat.log2 p) (thirds p)); auto using inner_positive, elimination_owned. Qed.
