(* Allreduces of whole vectors, one block a lane: at a step a rank adds, or takes over, what one other rank has. Such a schedule is
   exactly once if and only if every rank hears of every other rank by exactly one sequence of steps. Where all ranks exchange
   with peers, Swing's and recursive doubling's peers do that at p = 2^a. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Relabelled SwingAll SwingTrees Catalogue.
From Collectives Require SwingPaths.
Import ListNotations.

(* From whom a rank gets the vector at a step, if it does, and whether it adds it or takes it over *)
Definition pull := nat -> rank -> option (rank * op).

(* By how many sequences of steps rank r has heard of c before step t, in what it holds *)
Fixpoint hears (g : pull) (t : nat) (r c : rank) : nat :=
  match t with
  | O => if r =? c then 1 else 0
  | S k => match g k r with
    | Some (s, Reduce) => hears g k r c + hears g k s c
    | Some (s, Copy) => hears g k s c
    | None => hears g k r c
    end
  end.

Section Pulls.
Variables p blocks n : nat.
Variable g : block -> pull.
Hypothesis ranks_exist : 0 < p.
Hypothesis blocks_exist : 0 < blocks.
Hypothesis inside : forall b t r s o, b < blocks -> t < n -> r < p -> g b t r = Some (s, o) -> s < p /\ s <> r.

Definition gets (b : block) (t : nat) (r : rank) : list transfer :=
  match g b t r with Some (s, o) => [move s r b o] | None => [] end.
Definition round (t : nat) : step := flat_map (fun b => flat_map (gets b t) (seq 0 p)) (seq 0 blocks).
Definition pulls : schedule := map round (seq 0 n).

Lemma in_gets b t r m : In m (gets b t r) -> exists s o, m = move s r b o /\ g b t r = Some (s, o).
Proof. unfold gets. destruct (g b t r) as [[s o]|]; cbn; [intros [<-|[]]; eauto | tauto]. Qed.

Lemma writes_round t r b : b < blocks -> r < p -> writes (round t) r b = gets b t r.
Proof.
  intros B R. unfold writes, round. rewrite filter_flat_map, (flat_map_one _ _ b), filter_flat_map, (flat_map_one _ _ r);
    auto using seq_NoDup; try (now apply in_below).
  - apply filter_all. intros m M. apply in_gets in M as (s & o & -> & _). now apply into_true.
  - intros x _ N. apply filter_none. intros m M. apply in_gets in M as (s & o & -> & _).
    unfold into. cbn. apply andb_false_iff. left. now apply Nat.eqb_neq.
  - intros c _ N. apply filter_none. intros m M. apply in_flat_map in M as (x & _ & M).
    apply in_gets in M as (s & o & -> & _). unfold into. cbn. apply andb_false_iff. right. now apply Nat.eqb_neq.
Qed.

(* No two transfers of a step go into one place. *)
Lemma round_compatible t : ForallOrdPairs compatible (round t).
Proof.
  apply pairs_flat_map; [apply seq_NoDup| |].
  - intros b _. apply pairs_flat_map; [apply seq_NoDup| |].
    + intros r _. unfold gets. destruct (g b t r) as [[s o]|]; repeat constructor.
    + intros r x u v _ _ N U W D. exfalso. apply N. apply in_gets in U as (s & o & -> & _), W as (s' & o' & -> & _). exact D.
  - intros b c u v _ _ N U W _ D. exfalso. apply N. apply in_flat_map in U as (x & _ & U), W as (y & _ & W).
    apply in_gets in U as (s & o & -> & _), W as (s' & o' & -> & _). exact D.
Qed.

Definition adds_up (t : nat) (s : state) : Prop := forall b r, b < blocks -> r < p ->
  exists v, s r b = Some v /\ forall c, times v c = hears (g b) t r c.

Lemma round_step t s : t < n -> adds_up t s -> well_formed_step p blocks s (round t) /\ adds_up (S t) (after s (round t)).
Proof.
  intros T I. repeat split; auto using round_compatible.
  - apply Forall_forall. intros m M. apply in_flat_map in M as (b & B & M). apply in_flat_map in M as (r & R & M).
    apply in_gets in M as (x & o & -> & G). rewrite in_below in *. destruct (inside b t r x o B T R G) as [X N].
    destruct (I b r B R) as (v & E & _), (I b x B X) as (w & F & _).
    unfold allowed. cbn. rewrite E, F. repeat split; auto; congruence.
  - intros b r B R. destruct (I b r B R) as (v & E & Hv). unfold after. rewrite writes_round by auto. unfold gets. cbn [hears].
    destruct (g b t r) as [[x o]|] eqn:G; [|cbn; eauto]. destruct (inside b t r x o B T R G) as [X _].
    destruct (I b x B X) as (w & F & Hw). cbn. unfold write. cbn. rewrite F. destruct o; [|eauto].
    rewrite E. exists (v ++ w). split; auto. intros c. unfold times in *. now rewrite count_occ_app, Hv, Hw.
Qed.

Lemma round_run k : forall t s, t + k <= n -> adds_up t s ->
  well_formed p blocks s (map round (seq t k)) /\ adds_up (t + k) (final s (map round (seq t k))).
Proof.
  induction k as [|k IH]; intros t s T I; cbn.
  - rewrite Nat.add_0_r. auto.
  - destruct (round_step t s) as [W J]; auto; [lia|]. destruct (IH (S t) (after s (round t))) as [W' J']; auto; [lia|].
    rewrite <- Nat.add_succ_comm. auto.
Qed.

Lemma hears_outside b : b < blocks -> forall t, t <= n -> forall r c, r < p -> p <= c -> hears (g b) t r c = 0.
Proof.
  intros B. induction t as [|t IH]; intros T r c R C; cbn.
  - destruct (Nat.eqb_spec r c); lia.
  - destruct (g b t r) as [[s o]|] eqn:G; [|apply IH; auto; lia]. destruct (inside b t r s o B ltac:(lia) R G) as [S _].
    destruct o; rewrite !IH; auto; lia.
Qed.

Theorem pulls_once : exactly_once Allreduce p blocks pulls <->
  forall b r c, b < blocks -> r < p -> c < p -> hears (g b) n r c = 1.
Proof.
  destruct (round_run n 0 (initial Allreduce p blocks)) as [W I]; auto.
  { intros b r B R. exists [r]. unfold initial. apply Nat.ltb_lt in R as ->, B as ->. split; auto. intros c. unfold times. cbn [count_occ hears].
    destruct (Nat.eq_dec r c) as [->|N]; [now rewrite Nat.eqb_refl|]. apply Nat.eqb_neq in N. now rewrite N. }
  change (map round (seq 0 n)) with pulls in *. cbn [plus] in I. split.
  - intros (_ & _ & D) b r c B R C. destruct (D r b R B) as (v & E & K); auto. destruct (I b r B R) as (w & F & T). rewrite <- T.
    replace w with v by congruence. rewrite K. cbn [contributes]. apply Nat.ltb_lt in C. now rewrite C.
  - intros H. split; [apply allreduce_posed; auto | split; auto]. intros r b R B _. destruct (I b r B R) as (w & F & T). exists w. split; auto.
    intros c. rewrite T. cbn [contributes]. rewrite andb_true_r. destruct (Nat.ltb_spec c p); auto using hears_outside.
Qed.
End Pulls.

(* All ranks exchange with peers. *)
Definition exchange (peer : rank -> nat -> rank) : pull := fun t r => Some (peer r t, Reduce).
Definition exchanges (p n : nat) (peer : rank -> nat -> rank) : schedule := pulls p 1 n (fun _ => exchange peer).

Fixpoint heard (peer : rank -> nat -> rank) (t : nat) (r c : rank) : nat :=
  match t with
  | O => if r =? c then 1 else 0
  | S k => heard peer k r c + heard peer k (peer r k) c
  end.

Lemma hears_exchange peer t : forall r c, hears (exchange peer) t r c = heard peer t r c.
Proof. induction t as [|t IH]; intros r c; cbn; auto. Qed.

Theorem exchanges_once p n peer : 0 < p -> (forall x t, t < n -> x < p -> peer x t < p /\ peer x t <> x) ->
  (exactly_once Allreduce p 1 (exchanges p n peer) <-> forall r c, r < p -> c < p -> heard peer n r c = 1).
Proof.
  intros P O. unfold exchanges. rewrite pulls_once; auto.
  - split; intros H; [intros r c R C; rewrite <- hears_exchange; apply (H 0); auto | intros b r c _ R C; rewrite hears_exchange; auto].
  - intros b t r s o _ T R G. injection G as <- <-. auto.
Qed.

(* Peers are other ranks, and in n steps everyone hears of everyone once. *)
Record meets_all (m n : nat) (peer : rank -> nat -> rank) : Prop := {
  meets_other : forall x t, t < n -> x < m -> peer x t < m /\ peer x t <> x;
  hears_of_all : forall r c, r < m -> c < m -> heard peer n r c = 1 }.

(* Swing's peers at p = 2^a, plain and mirrored *)
Lemma power_even a : 0 < a -> Nat.Even (2 ^ a).
Proof. destruct a as [|a]; [lia|]. intros _. exists (2 ^ a). apply Nat.pow_succ_r'. Qed.

Lemma heard_whole p : 0 < p -> forall t r c,
  Z.of_nat (heard (swing_peer false p) t r c) = SwingPaths.cnt (Z.of_nat p) t (Z.of_nat r) (Z.of_nat c).
Proof.
  intros P. induction t as [|t IH]; intros r c; cbn.
  - destruct (Nat.eqb_spec r c), (Z.eqb_spec (Z.of_nat r) (Z.of_nat c)); auto; lia.
  - rewrite Nat2Z.inj_add, !IH. unfold swing_peer. rewrite plain_peer, Z2Nat.id; auto. apply SwingPaths.pi_range. lia.
Qed.

(* A mirrored rank hears what rank -r hears, mirrored. *)
Lemma opposite_whole p x : x < p -> Z.of_nat (opposite p x) = ((- Z.of_nat x) mod Z.of_nat p)%Z.
Proof.
  intros X. unfold opposite. rewrite Nat2Z.inj_mod, Nat2Z.inj_sub by lia.
  replace (Z.of_nat p - Z.of_nat x)%Z with (- Z.of_nat x + 1 * Z.of_nat p)%Z by ring. apply Z.mod_add. lia.
Qed.

Lemma heard_opposite p : Nat.Even p -> 0 < p -> forall t r c, r < p -> c < p ->
  heard (swing_peer true p) t r c = heard (swing_peer false p) t (opposite p r) (opposite p c).
Proof.
  intros E P. pose proof (even_whole p E P) as W. induction t as [|t IH]; intros r c R C; cbn.
  - pose proof (opposite_same (Z.of_nat p) (Z.of_nat r) (Z.of_nat c) ltac:(lia) ltac:(lia)) as S.
    rewrite <- !opposite_whole in S by auto.
    destruct (Nat.eqb_spec r c), (Nat.eqb_spec (opposite p r) (opposite p c)); auto.
    + subst. congruence.
    + exfalso. rewrite (proj2 (Z.eqb_eq _ _)) in S by congruence. symmetry in S. apply Z.eqb_eq in S. lia.
  - rewrite !IH by auto using peer_below. do 2 f_equal. apply Nat2Z.inj. rewrite opposite_whole by auto using peer_below.
    unfold swing_peer. rewrite !Z2Nat.id by (apply whole_peer_range; lia).
    rewrite opposite_peer by (auto; lia). cbn [negb]. rewrite opposite_whole; auto using peer_below.
Qed.

Lemma swing_meets_all mirrored a : meets_all (2 ^ a) a (swing_peer mirrored (2 ^ a)).
Proof.
  assert (0 < 2 ^ a) as P by (pose proof (Nat.pow_nonzero 2 a); lia). split.
  - intros x t T X. split; [now apply peer_below|]. intros E. pose proof (power_even a ltac:(lia)) as V.
    pose proof (whole_peer_parity (Z.of_nat (2 ^ a)) (even_whole _ V P) ltac:(lia) mirrored (Z.of_nat x) t) as Y.
    unfold swing_peer in E. apply (f_equal Z.of_nat) in E. rewrite Z2Nat.id in E by (apply whole_peer_range; lia).
    rewrite E in Y. destruct (Z.even (Z.of_nat x)); discriminate.
  - destruct a as [|a].
    + intros r c R C. cbn in R, C. replace r with 0 by lia. replace c with 0 by lia. reflexivity.
    + assert (forall r c, r < 2 ^ S a -> c < 2 ^ S a -> heard (swing_peer false (2 ^ S a)) (S a) r c = 1) as H.
      { intros r c R C. apply Nat2Z.inj. rewrite heard_whole, Nat2Z.inj_pow by auto.
        apply SwingPaths.A5; [lia| |]; rewrite <- (Nat2Z.inj_pow 2); lia. }
      intros r c R C. destruct mirrored; auto. rewrite heard_opposite by (auto using power_even; apply power_even; lia).
      apply H; apply Nat2Z.inj_lt; rewrite opposite_whole by auto; apply Z.mod_pos_bound; lia.
Qed.

(* Recursive doubling's *)
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

Lemma doubling_meets_all a : meets_all (2 ^ a) a exchanged.
Proof.
  split.
  - intros x t T X. split; [now apply exchanged_below | apply exchanged_apart].
  - intros r c R C. now rewrite heard_exchanged, !Nat.div_small.
Qed.
