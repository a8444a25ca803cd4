(* Exchanges of whole vectors, of one block here: at each step every rank adds what its peer has. This is exactly once if and only
   if every rank hears of every other rank by exactly one sequence of steps. Swing's and recursive doubling's peers do at p = 2^a. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge LastChance Trees SwingAll SwingTrees Catalogue.
From Collectives Require SwingPaths.
Import ListNotations.

(* By how many sequences of steps rank r has heard of c before step t *)
Fixpoint heard (peer : rank -> nat -> rank) (t : nat) (r c : rank) : nat :=
  match t with
  | O => if r =? c then 1 else 0
  | S k => heard peer k r c + heard peer k (peer r k) c
  end.

Section Exchange.
Variables p n : nat.
Variable peer : rank -> nat -> rank.
Hypothesis some : 0 < p.
Hypothesis below : forall x t, t < n -> x < p -> peer x t < p.
Hypothesis pairs : paired p peer.
Hypothesis apart : forall x t, t < n -> x < p -> peer x t <> x.

Definition exchange (t : nat) : step := map (fun x => move x (peer x t) 0 Reduce) (seq 0 p).
Definition exchanges : schedule := map exchange (seq 0 n).

Lemma filter_one {A} (f : A -> bool) l y : NoDup l -> In y l -> (forall x, In x l -> f x = true <-> x = y) -> filter f l = [y].
Proof.
  induction 1 as [|x l N _ IH]; cbn; [contradiction|]. intros Y F. destruct (f x) eqn:E.
  - assert (x = y) as -> by (apply F; auto). f_equal. apply filter_none. intros z Z. destruct (f z) eqn:G; auto. exfalso.
    assert (z = y) as -> by (apply F; auto). contradiction.
  - destruct Y as [->|Y]; [|apply IH; auto]. assert (f y = true) by (apply F; auto). congruence.
Qed.

Lemma filter_map {A B} (f : B -> bool) (g : A -> B) l : filter f (map g l) = map g (filter (fun x => f (g x)) l).
Proof. induction l as [|x l IH]; cbn; auto. rewrite IH. destruct (f (g x)); reflexivity. Qed.

Lemma writes_exchange t r : t < n -> r < p -> writes (exchange t) r 0 = [move (peer r t) r 0 Reduce].
Proof.
  intros T R. unfold writes, exchange. rewrite filter_map, (filter_one _ _ (peer r t)).
  - cbn. now rewrite pairs.
  - apply seq_NoDup.
  - apply in_below. auto.
  - intros x X. apply in_below in X. rewrite into_true. cbn. split; [intros [E _]; rewrite <- E; symmetry; auto|].
    intros ->. auto.
Qed.

Definition adds_up (t : nat) (s : state) : Prop := forall r, r < p -> exists v, s r 0 = Some v /\ forall c, times v c = heard peer t r c.

Lemma exchange_step t s : t < n -> adds_up t s -> well_formed_step p 1 s (exchange t) /\ adds_up (S t) (after s (exchange t)).
Proof.
  intros T I. repeat split.
  - apply Forall_forall. intros m M. apply in_map_iff in M as (x & <- & X). apply in_below in X. pose proof (below x t T X) as Y.
    destruct (I x X) as (v & E & _), (I _ Y) as (w & F & _). pose proof (apart x t T X).
    unfold allowed. cbn. rewrite E, F. repeat split; auto; congruence.
  - assert (Forall (fun m => how m = Reduce) (exchange t)) as A
      by (apply Forall_forall; intros m M; apply in_map_iff in M as (x & <- & _); reflexivity).
    induction A as [|m l H A IH]; constructor; auto. rewrite Forall_forall in *. intros u U _ _. auto.
  - intros r R. destruct (I r R) as (v & E & Hv), (I _ (below r t T R)) as (w & F & Hw). exists (v ++ w). split.
    + unfold after. rewrite writes_exchange by auto. cbn. unfold write. cbn. now rewrite E, F.
    + intros c. unfold times in *. rewrite count_occ_app, Hv, Hw. reflexivity.
Qed.

Lemma exchange_run k : forall t s, t + k <= n -> adds_up t s ->
  well_formed p 1 s (map exchange (seq t k)) /\ adds_up (t + k) (final s (map exchange (seq t k))).
Proof.
  induction k as [|k IH]; intros t s T I; cbn.
  - rewrite Nat.add_0_r. auto.
  - destruct (exchange_step t s) as [W J]; auto; [lia|]. destruct (IH (S t) (after s (exchange t))) as [W' J']; auto; [lia|].
    rewrite <- Nat.add_succ_comm. auto.
Qed.

Lemma heard_outside t : t <= n -> forall r c, r < p -> p <= c -> heard peer t r c = 0.
Proof.
  induction t as [|t IH]; intros T r c R C; cbn.
  - destruct (Nat.eqb_spec r c); lia.
  - rewrite !IH; auto; lia.
Qed.

Theorem exchanges_once : exactly_once Allreduce p 1 exchanges <-> forall r c, r < p -> c < p -> heard peer n r c = 1.
Proof.
  destruct (exchange_run n 0 (initial Allreduce p 1)) as [W I]; auto.
  { intros r R. exists [r]. unfold initial. apply Nat.ltb_lt in R. rewrite R. split; auto. intros c. unfold times. cbn [count_occ heard].
    destruct (Nat.eq_dec r c) as [->|N]; [now rewrite Nat.eqb_refl|]. apply Nat.eqb_neq in N. now rewrite N. }
  change (map exchange (seq 0 n)) with exchanges in *. cbn [plus] in I. split.
  - intros (_ & _ & D) r c R C. destruct (D r 0 R) as (v & E & K); auto. destruct (I r R) as (w & F & T). rewrite <- T.
    replace w with v by congruence. rewrite K. cbn [contributes]. apply Nat.ltb_lt in C. now rewrite C.
  - intros H. split; [apply allreduce_posed; auto | split; auto]. intros r b R B _. replace b with 0 by lia. destruct (I r R) as (w & F & T). exists w. split; auto.
    intros c. rewrite T. cbn [contributes]. rewrite andb_true_r. destruct (Nat.ltb_spec c p); auto using heard_outside.
Qed.
End Exchange.

(* Latency-optimal Swing *)
Definition swing_latency (a : nat) : schedule := exchanges (2 ^ a) a (swing_peer false (2 ^ a)).

Lemma power_even a : 0 < a -> Nat.Even (2 ^ a).
Proof. destruct a as [|a]; [lia|]. intros _. exists (2 ^ a). apply Nat.pow_succ_r'. Qed.

Lemma heard_whole p : 0 < p -> forall t r c,
  Z.of_nat (heard (swing_peer false p) t r c) = SwingPaths.cnt (Z.of_nat p) t (Z.of_nat r) (Z.of_nat c).
Proof.
  intros P. induction t as [|t IH]; intros r c; cbn.
  - destruct (Nat.eqb_spec r c), (Z.eqb_spec (Z.of_nat r) (Z.of_nat c)); auto; lia.
  - rewrite Nat2Z.inj_add, !IH. unfold swing_peer. rewrite plain_peer, Z2Nat.id; auto. apply SwingPaths.pi_range. lia.
Qed.

Theorem swing_latency_once a : exactly_once Allreduce (2 ^ a) 1 (swing_latency a).
Proof.
  assert (0 < 2 ^ a) as P by (pose proof (Nat.pow_nonzero 2 a); lia).
  apply exchanges_once; auto.
  - intros. now apply peer_below.
  - destruct a as [|a]; [|apply swing_paired, power_even; lia]. intros x s X. change (2 ^ 0) with 1 in *.
    pose proof (peer_below false 1 ltac:(lia) (swing_peer false 1 x s) s). lia.
  - intros x t T X E. pose proof (power_even a ltac:(lia)) as V.
    pose proof (whole_peer_parity (Z.of_nat (2 ^ a)) (even_whole _ V P) ltac:(lia) false (Z.of_nat x) t) as Y.
    unfold swing_peer in E. apply (f_equal Z.of_nat) in E. rewrite Z2Nat.id in E by (apply whole_peer_range; lia).
    rewrite E in Y. destruct (Z.even (Z.of_nat x)); discriminate.
  - intros r c R C. apply Nat2Z.inj. rewrite heard_whole by auto. destruct a as [|a].
    + cbn in R, C. replace r with 0 by lia. replace c with 0 by lia. reflexivity.
    + rewrite Nat2Z.inj_pow. apply SwingPaths.A5; [lia| |]; rewrite <- (Nat2Z.inj_pow 2); lia.
Qed.

(* Recursive doubling *)
Definition recursive_doubling (a : nat) : schedule := exchanges (2 ^ a) a exchanged.

Lemma flip_even k : Nat.lxor (2 * k) 1 = 2 * k + 1.
Proof.
  symmetry. apply Nat.add_nocarry_lxor. change 1 with (Nat.ones 1). rewrite Nat.land_ones. cbn [Nat.pow].
  rewrite Nat.mul_comm. now apply Nat.mod_mul.
Qed.

Lemma flip_odd k : Nat.lxor (2 * k + 1) 1 = 2 * k.
Proof. now rewrite <- flip_even, Nat.lxor_assoc, Nat.lxor_nilpotent, Nat.lxor_0_r. Qed.

Lemma same_or_flipped x y : (if x =? y then 1 else 0) + (if Nat.lxor x 1 =? y then 1 else 0) = if x / 2 =? y / 2 then 1 else 0.
Proof.
  pose proof (Nat.div_mod x 2 ltac:(lia)) as X. pose proof (Nat.mod_upper_bound x 2 ltac:(lia)).
  pose proof (Nat.div_mod y 2 ltac:(lia)) as Y. pose proof (Nat.mod_upper_bound y 2 ltac:(lia)).
  assert (Nat.lxor x 1 = if x mod 2 =? 0 then 2 * (x / 2) + 1 else 2 * (x / 2)) as ->.
  { destruct (Nat.eqb_spec (x mod 2) 0).
    - rewrite <- flip_even. f_equal. lia.
    - rewrite <- flip_odd. f_equal. lia. }
  destruct (Nat.eqb_spec (x mod 2) 0).
  - destruct (Nat.eqb_spec x y), (Nat.eqb_spec (2 * (x / 2) + 1) y), (Nat.eqb_spec (x / 2) (y / 2)); lia.
  - destruct (Nat.eqb_spec x y), (Nat.eqb_spec (2 * (x / 2)) y), (Nat.eqb_spec (x / 2) (y / 2)); lia.
Qed.

Lemma heard_exchanged t : forall r c, heard exchanged t r c = if r / 2 ^ t =? c / 2 ^ t then 1 else 0.
Proof.
  induction t as [|t IH]; intros r c; cbn [heard]; [cbn [Nat.pow]; now rewrite !Nat.div_1_r|].
  rewrite !IH. assert (2 ^ t <> 0) as P by (apply Nat.pow_nonzero; lia).
  rewrite Nat.pow_succ_r', (Nat.mul_comm 2), <- !Nat.div_div, <- same_or_flipped by lia. f_equal.
  replace (exchanged r t / 2 ^ t) with (Nat.lxor (r / 2 ^ t) 1); auto.
  unfold exchanged. rewrite <- !Nat.shiftr_div_pow2, Nat.shiftr_lxor. f_equal.
  rewrite Nat.shiftr_div_pow2. now rewrite Nat.div_same.
Qed.

Lemma exchanged_apart x s : exchanged x s <> x.
Proof.
  intros E. unfold exchanged in E. assert (Nat.lxor x (Nat.lxor x (2 ^ s)) = 0) as Z by (rewrite E; apply Nat.lxor_nilpotent).
  rewrite <- Nat.lxor_assoc, Nat.lxor_nilpotent, Nat.lxor_0_l in Z. revert Z. apply Nat.pow_nonzero. lia.
Qed.

Theorem recursive_doubling_once a : exactly_once Allreduce (2 ^ a) 1 (recursive_doubling a).
Proof.
  apply exchanges_once.
  - pose proof (Nat.pow_nonzero 2 a). lia.
  - intros. now apply exchanged_below.
  - apply exchanged_paired.
  - intros x t _ _. apply exchanged_apart.
  - intros r c R C. rewrite heard_exchanged, !Nat.div_small; auto.
Qed.
