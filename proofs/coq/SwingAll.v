(* Swing for every p: the schedules of the functions here are exactly once, on lines and tori, with any number of lanes.
   SwingPaths.v shows that the paths cover for even p. The rest comes from LastChance.v, Factors.v, Products.v and Tori.v. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Factors Products Tori.
From Collectives Require SwingPaths.
Import ListNotations.

(* Rank x's peer at step s among p: x + rho(s) for even x, x - rho(s) for odd x, mod p; mirrored lanes have -rho. *)
Definition whole_peer (mirrored : bool) (p x : Z) (s : nat) : Z :=
  if Bool.eqb (Z.even x) mirrored then ((x - SwingPaths.rho s) mod p)%Z else ((x + SwingPaths.rho s) mod p)%Z.
Definition swing_peer (mirrored : bool) (p : nat) (x : rank) (s : nat) : rank :=
  Z.to_nat (whole_peer mirrored (Z.of_nat p) (Z.of_nat x) s).

Section Whole.
Open Scope Z_scope.
Variable p : Z.
Hypothesis even : Z.even p = true.
Hypothesis some : 0 < p.

Lemma whole_peer_range m x s : 0 <= whole_peer m p x s < p.
Proof. unfold whole_peer. destruct (Bool.eqb (Z.even x) m); apply Z.mod_pos_bound; auto. Qed.

(* A mirrored rank sees what rank -x sees, mirrored. *)
Lemma even_opposite x : Z.even ((- x) mod p) = Z.even x.
Proof.
  rewrite Z.mod_eq by lia. rewrite Z.even_sub, Z.even_mul, even, Z.even_opp. cbn. destruct (Z.even x); reflexivity.
Qed.

Lemma opposite_peer m x s : (- whole_peer m p x s) mod p = whole_peer (negb m) p ((- x) mod p) s.
Proof.
  unfold whole_peer. rewrite even_opposite.
  destruct (Z.even x), m; cbn [Bool.eqb negb]; rewrite ?Zminus_mod_idemp_l, ?Zplus_mod_idemp_l, <- Z.sub_0_l, Zminus_mod_idemp_r;
    f_equal; ring.
Qed.

Lemma opposite_same x y : 0 <= x < p -> 0 <= y < p -> ((- x) mod p =? (- y) mod p) = (x =? y).
Proof.
  assert (forall z, 0 <= z < p -> z = (0 - (- z) mod p) mod p) as T.
  { intros z Z. rewrite Zminus_mod_idemp_r. replace (0 - - z) with z by ring. symmetry. now apply Z.mod_small. }
  intros X Y. destruct (Z.eqb_spec x y) as [->|N]; [apply Z.eqb_refl|]. apply Z.eqb_neq. intros E. apply N.
  rewrite (T x X), (T y Y). now rewrite E.
Qed.

Lemma reach_opposite m q : 0 <= q < p -> forall k t x, 0 <= x < p ->
  SwingPaths.reach (whole_peer m p) q k t x = SwingPaths.reach (whole_peer (negb m) p) ((- q) mod p) k t ((- x) mod p).
Proof.
  intros Q. induction k as [|k IH]; intros t x X; cbn.
  - symmetry. now apply opposite_same.
  - rewrite (IH (S t) x X), (IH (S t) (whole_peer m p x t)) by apply whole_peer_range. now rewrite opposite_peer.
Qed.

Lemma plain_peer x s : whole_peer false p x s = SwingPaths.pi p x s.
Proof. unfold whole_peer, SwingPaths.pi. destruct (Z.even x); reflexivity. Qed.

Lemma reach_plain q k : forall t x, SwingPaths.reach (whole_peer false p) q k t x = SwingPaths.reach (SwingPaths.pi p) q k t x.
Proof. induction k as [|k IH]; intros t x; cbn; auto. now rewrite !IH, plain_peer. Qed.

Lemma reach_all m n q x : 2 ^ Z.of_nat n < 2 * p -> p <= 2 ^ Z.of_nat n -> 0 <= q < p -> 0 <= x < p ->
  SwingPaths.reach (whole_peer m p) q n 0 x = true.
Proof.
  intros L U. assert (forall q x, 0 <= q < p -> 0 <= x < p -> SwingPaths.reach (whole_peer false p) q n 0 x = true) as R.
  { intros y z Y Z. rewrite reach_plain. apply SwingPaths.path_reach, SwingPaths.cnt_path; auto.
    pose proof (SwingPaths.even_cover n p y z even). lia. }
  intros Q X. destruct m; auto. rewrite reach_opposite by auto. apply R; now apply Z.mod_pos_bound.
Qed.
End Whole.

Section Even.
Variable mirrored : bool.
Variable p : nat.
Hypothesis even : Nat.Even p.
Hypothesis some : 0 < p.

Lemma even_whole : Z.even (Z.of_nat p) = true.
Proof. destruct even as [k ->]. rewrite Nat2Z.inj_mul. apply Z.even_mul. Qed.

Lemma peer_below x s : swing_peer mirrored p x s < p.
Proof. unfold swing_peer. pose proof (whole_peer_range (Z.of_nat p) ltac:(lia) mirrored (Z.of_nat x) s). lia. Qed.

Lemma reaches_whole q m : forall t x, reaches (swing_peer mirrored p) q m t x =
  SwingPaths.reach (whole_peer mirrored (Z.of_nat p)) (Z.of_nat q) m t (Z.of_nat x).
Proof.
  induction m as [|m IH]; intros t x; cbn.
  - destruct (Nat.eqb_spec x q), (Z.eqb_spec (Z.of_nat x) (Z.of_nat q)); auto; lia.
  - rewrite !IH. unfold swing_peer. rewrite Z2Nat.id; auto. apply whole_peer_range. lia.
Qed.

Theorem swing_covers : covers p (Nat.log2_up p) (swing_peer mirrored p).
Proof.
  split; [intros; apply peer_below|]. intros q x Q X. rewrite reaches_whole.
  assert (1 < p) as P by (destruct even; lia). pose proof (Nat.log2_up_spec p P) as [L U].
  pose proof (Nat.log2_up_pos p P) as N. set (n := Nat.log2_up p) in *.
  assert (2 ^ n = 2 * 2 ^ pred n) as T by (rewrite <- Nat.pow_succ_r'; f_equal; lia).
  assert (2 ^ Z.of_nat n = Z.of_nat (2 ^ n))%Z as W by now rewrite Nat2Z.inj_pow.
  apply reach_all; auto using even_whole; lia.
Qed.
End Even.

(* Swing along one dimension of any extent *)
Definition swing_even (mirrored : bool) (p : nat) : factor :=
  Factor p (Nat.log2_up p) (last_chance (swing_peer mirrored p) (Nat.log2_up p)).

Definition swing (mirrored : bool) (p : nat) : factor :=
  if Nat.even p then swing_even mirrored p
  else if p =? 1 then alone
  else let f := swing_even mirrored (p - 1) in with_odd_one f (half_turn (steps f) (ranks f)).

Lemma swing_even_right m p : Nat.Even p -> 0 < p -> right (swing_even m p).
Proof. intros E P q Q. destruct (swing_covers m p E P) as [R C]. apply last_chance_valid; auto. Qed.

Lemma swing_ranks m p : 0 < p -> ranks (swing m p) = p.
Proof. intros P. unfold swing. destruct (Nat.even p); auto. destruct (Nat.eqb_spec p 1); cbn; lia. Qed.

Lemma swing_steps m p : steps (swing m p) = steps (swing false p).
Proof. unfold swing. destruct (Nat.even p); auto. destruct (p =? 1); auto. Qed.

Theorem swing_right m p : 0 < p -> right (swing m p).
Proof.
  intros P. unfold swing. destruct (Nat.even p) eqn:E.
  - apply swing_even_right; auto. now apply Nat.even_spec.
  - destruct (Nat.eqb_spec p 1); [apply alone_right|].
    assert (Nat.Even (p - 1)) as F by (apply Nat.even_spec; rewrite Nat.even_sub, E by lia; reflexivity).
    apply odd_one_right.
    + apply swing_even_right; auto. lia.
    + intros x X. apply half_turn_in_time. cbn. apply Nat.log2_up_pos. destruct F. lia.
Qed.

Definition swing_reduce_scatter (p : nat) : schedule := reduce_scatter_of (swing false p).
Definition swing_allgather (p : nat) : schedule := allgather_of (swing false p).
Definition swing_allreduce (p : nat) : schedule := allreduce_of (swing false p).

(* Every p, even or odd *)
Theorem swing_once p : 0 < p ->
  exactly_once (ReduceScatter (owner p)) p p (swing_reduce_scatter p) /\
  exactly_once (Allgather (owner p)) p p (swing_allgather p) /\
  exactly_once Allreduce p p (swing_allreduce p).
Proof. intros P. pose proof (factor_once (swing false p)) as H. rewrite swing_ranks in H by auto. auto using swing_right. Qed.

(* Tori with sides of any extents: lane l starts on dimension l mod D, and lanes from D on are mirrored. *)
Definition extent (sides : list nat) : nat := fold_right Nat.mul 1 sides.
Definition swing_lane (sides : list nat) (l : nat) : factor :=
  let fs := map (swing (length sides <=? l)) sides in
  torus_factor (torus_of fs (round_robin fs (l mod length sides))).

Definition torus_reduce_scatter (sides : list nat) (lanes : nat) : schedule :=
  laned_reduce_scatter (swing_lane sides 0) lanes (swing_lane sides).
Definition torus_allgather (sides : list nat) (lanes : nat) : schedule :=
  laned_allgather (swing_lane sides 0) lanes (swing_lane sides).
Definition torus_allreduce (sides : list nat) (lanes : nat) : schedule :=
  laned_allreduce (swing_lane sides 0) lanes (swing_lane sides).

Section Torus.
Variable sides : list nat.
Hypothesis some : Forall (fun n => 0 < n) sides.

Lemma lane_ranks l : ranks (swing_lane sides l) = extent sides.
Proof.
  unfold swing_lane. rewrite torus_of_ranks, map_map. unfold extent. f_equal. generalize (length sides <=? l). intros m.
  induction some as [|n ns N R IH]; cbn; auto. rewrite swing_ranks, IH; auto.
Qed.

Lemma lane_steps l : steps (swing_lane sides l) = steps (swing_lane sides 0).
Proof.
  unfold swing_lane. rewrite !torus_of_steps, !map_map. f_equal. apply map_ext. intros n.
  now rewrite swing_steps, (swing_steps (length sides <=? 0)).
Qed.

Lemma lane_right l : right (swing_lane sides l).
Proof.
  apply torus_of_right; [|apply round_robin_interleaves].
  apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in some. auto using swing_right.
Qed.

Lemma extent_positive : 0 < extent sides.
Proof. unfold extent. induction some as [|n ns N R IH]; cbn; [lia|]. specialize (IH R). nia. Qed.

Theorem swing_torus_once lanes : 0 < lanes -> let p := extent sides in
  exactly_once (ReduceScatter (owner p)) p (lanes * p) (torus_reduce_scatter sides lanes) /\
  exactly_once (Allgather (owner p)) p (lanes * p) (torus_allgather sides lanes) /\
  exactly_once Allreduce p (lanes * p) (torus_allreduce sides lanes).
Proof.
  intros L. cbv zeta. rewrite <- (lane_ranks 0). apply lanes_once; auto.
  - intros l _. rewrite !lane_ranks, lane_steps. auto using lane_right.
  - rewrite lane_ranks. apply extent_positive.
Qed.
End Torus.
