(* A valid route to rank 0 can be turned to every owner. Bruck's reduce-scatter and allgather are binomial trees turned to every
   rank, for every p. In the allgather near ranks come first, or far ones. Trees alone are in Rooted.v. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Factors Relabelled Catalogue.
Import ListNotations.

Section Turned.
Variables p q : nat.
Hypothesis Q : q < p.

Definition offset (x : rank) : nat := (x + (p - q)) mod p.
Definition at_offset (d : nat) : rank := (d + q) mod p.
Definition turned (h : route) : route := relabelled at_offset offset h.

Lemma offset_bijection : bijection p at_offset offset.
Proof.
  intros x X. unfold offset, at_offset. rewrite !Nat.add_mod_idemp_l by lia.
  replace (x + (p - q) + q) with (x + 1 * p) by lia. replace (x + q + (p - q)) with (x + 1 * p) by lia.
  rewrite Nat.mod_add, (Nat.mod_small x) by lia. repeat split; auto; apply Nat.mod_upper_bound; lia.
Qed.

Theorem turned_valid n h : valid p n 0 h -> valid p n q (turned h).
Proof. intros V. rewrite <- (Nat.mod_small q p Q). exact (relabelled_valid p n at_offset offset offset_bijection 0 h V). Qed.
End Turned.

Definition turned_factor (p n : nat) (h : route) : factor := Factor p n (fun q => turned p q h).

Theorem turned_once p n h : 0 < p -> valid p n 0 h -> all_once (turned_factor p n h).
Proof. intros P V. apply factor_once; auto. intros q Q. now apply turned_valid. Qed.

(* In the direction of the reduce-scatter, near first in the allgather means that the highest bit is cleared first, *)
Definition near (n : nat) : route := fun t d =>
  let w := 2 ^ (n - S t) in if (w <=? d) && (d <? 2 * w) then Some (d - w) else None.

(* and far first that the lowest one is. *)
Definition far : route := fun t d =>
  if (d mod 2 ^ t =? 0) && negb (d mod 2 ^ S t =? 0) then Some (d - 2 ^ t) else None.

Lemma near_some n t d e : near n t d = Some e -> 2 ^ (n - S t) <= d < 2 * 2 ^ (n - S t) /\ e = d - 2 ^ (n - S t).
Proof.
  unfold near. destruct (Nat.leb_spec (2 ^ (n - S t)) d), (Nat.ltb_spec d (2 * 2 ^ (n - S t))); cbn [andb]; try discriminate.
  intros E. injection E as <-. auto.
Qed.

Lemma power_grows a b : a <= b -> 2 ^ a <= 2 ^ b.
Proof. apply Nat.pow_le_mono_r. lia. Qed.

Lemma power_positive a : 0 < 2 ^ a.
Proof. pose proof (Nat.pow_nonzero 2 a). lia. Qed.

Lemma near_place n t x : t <= n -> x < 2 ^ n -> place (near n) t x < 2 ^ (n - t).
Proof.
  induction t as [|t IH]; intros T X; [now rewrite Nat.sub_0_r|]. cbn [place]. specialize (IH ltac:(lia) X).
  replace (n - t) with (S (n - S t)) in IH by lia. rewrite Nat.pow_succ_r' in IH. generalize dependent (place (near n) t x). intros y Y.
  unfold near. destruct (Nat.leb_spec (2 ^ (n - S t)) y), (Nat.ltb_spec y (2 * 2 ^ (n - S t))); cbn [andb]; lia.
Qed.

Theorem near_valid p n : p <= 2 ^ n -> valid p n 0 (near n).
Proof.
  intros N. split.
  - intros t x d T X H. apply near_some in H as (R & ->). pose proof (power_positive (n - S t)). lia.
  - intros t u x U X H. destruct (near n t x) eqn:E; [|congruence]. apply near_some in E as (R & _).
    destruct (near n u x) eqn:F; auto. apply near_some in F as (S' & _). exfalso.
    pose proof (power_grows (S (n - S u)) (n - S t) ltac:(lia)) as G. rewrite Nat.pow_succ_r' in G. lia.
  - intros t u x y U X Y H G. destruct (near n t x) eqn:E; [|congruence]. apply near_some in E as (R & _).
    apply near_some in G as (S' & ->). pose proof (power_grows (n - S u) (n - S t) ltac:(lia)). lia.
  - intros x X. pose proof (near_place n n x (le_n n) ltac:(lia)) as P. rewrite Nat.sub_diag in P. cbn in P. lia.
Qed.

Lemma divides_mod a d : d mod 2 ^ a = 0 <-> Nat.divide (2 ^ a) d.
Proof. apply Nat.mod_divide. pose proof (power_positive a). lia. Qed.

Lemma divides_less a b d : a <= b -> d mod 2 ^ b = 0 -> d mod 2 ^ a = 0.
Proof.
  rewrite !divides_mod. intros L D. apply Nat.divide_trans with (2 ^ b); auto.
  exists (2 ^ (b - a)). rewrite <- Nat.pow_add_r. f_equal. lia.
Qed.

Lemma far_some t d e : far t d = Some e -> d mod 2 ^ t = 0 /\ d mod 2 ^ S t <> 0 /\ e = d - 2 ^ t.
Proof.
  unfold far. destruct (Nat.eqb_spec (d mod 2 ^ t) 0), (Nat.eqb_spec (d mod 2 ^ S t) 0); cbn [andb negb]; try discriminate.
  intros E. injection E as <-. auto.
Qed.

(* What is a multiple of 2^t, but not of 2^(t+1), is one of 2^(t+1) without 2^t. *)
Lemma far_lands t d : d mod 2 ^ t = 0 -> d mod 2 ^ S t <> 0 -> 2 ^ t <= d /\ (d - 2 ^ t) mod 2 ^ S t = 0.
Proof.
  intros Z N. pose proof (power_positive t) as P. rewrite Nat.pow_succ_r' in *. apply divides_mod in Z as (k & ->).
  rewrite Nat.mul_mod_distr_r in N by lia. pose proof (Nat.div_mod k 2 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound k 2 ltac:(lia)).
  assert (k mod 2 = 1) as O by (destruct (k mod 2) as [|[|]]; lia). split; [nia|].
  apply Nat.mod_divide; [lia|]. exists (k / 2). rewrite D at 1. rewrite O. nia.
Qed.

Lemma far_place t x : place far t x <= x /\ place far t x mod 2 ^ t = 0.
Proof.
  induction t as [|t [L IH]]; [cbn; auto|]. cbn [place]. generalize dependent (place far t x). intros y L IH.
  destruct (far t y) as [d|] eqn:E.
  - apply far_some in E as (Z & N & ->). destruct (far_lands t y Z N). split; auto. lia.
  - split; auto. unfold far in E. rewrite IH in E. cbn [Nat.eqb andb] in E.
    destruct (Nat.eqb_spec (y mod 2 ^ S t) 0); auto. discriminate.
Qed.

Theorem far_valid p n : p <= 2 ^ n -> valid p n 0 far.
Proof.
  intros L. split.
  - intros t x d T X H. apply far_some in H as (Z & N & ->). destruct (far_lands t x Z N). pose proof (power_positive t). lia.
  - intros t u x U X H. destruct (far t x) eqn:E; [|congruence]. apply far_some in E as (_ & N & _).
    destruct (far u x) eqn:F; auto. apply far_some in F as (Z & _ & _). exfalso. apply N. now apply (divides_less (S t) u).
  - intros t u x y U X Y H G. destruct (far t x) eqn:E; [|congruence]. apply far_some in E as (_ & N & _).
    apply far_some in G as (Z & M & ->). destruct (far_lands u y Z M) as [_ D]. apply N. now apply (divides_less (S t) (S u)); [lia|].
  - intros x X. destruct (far_place n x) as [B D]. rewrite Nat.mod_small in D; lia.
Qed.

Definition bruck_near (p : nat) : factor := let n := Nat.log2_up p in turned_factor p n (near n).
Definition bruck_far (p : nat) : factor := turned_factor p (Nat.log2_up p) far.

Lemma enough_steps p : 0 < p -> p <= 2 ^ Nat.log2_up p.
Proof. intros P. destruct (Nat.eq_dec p 1) as [->|N]; [cbn; lia|]. apply Nat.log2_up_spec. lia. Qed.

Theorem bruck_once p : 0 < p -> all_once (bruck_near p) /\ all_once (bruck_far p).
Proof. intros P. split; apply turned_once; auto using near_valid, far_valid, enough_steps. Qed.
