(* Algorithms that lose the order of the ranks. If owners look alike, d ranks apart, three of them can't all have an end of the line as
   their last addition. That rules out rings, Bruck's trees and folding from p = 3 on, and Swing for even p from 6 on; odd p from 5 on
   have a gap at once, as does halving with far peers first from p = 4 on. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Tori Relabelled SwingAll Catalogue Turned Folding Rings Exchange
  Sums Reproducible Ordered.
From Collectives Require SwingPaths.
Import ListNotations.

Definition keeps_order (f : factor) : Prop :=
  order_preserving (ReduceScatter (owner (ranks f))) (ranks f) (ranks f) (reduce_scatter_of f).
Definition loses_order (f : factor) : Prop := ~ keeps_order f /\ ~ order_preserving Allreduce (ranks f) (ranks f) (allreduce_of f).

Lemma factor_owned f : 0 < ranks f -> right f -> owned (ranks f) (steps f) (ranks f) (owner (ranks f)) (one_path f).
Proof. intros P V b _. split; [|apply V]; now apply owner_in_range. Qed.

Lemma loses f : 0 < ranks f -> right f -> ~ keeps_order f -> loses_order f.
Proof.
  intros P R N. split; auto. intros H. apply N.
  apply (allreduce_order (ranks f) (ranks f) (steps f) (owner (ranks f)) (one_path f) P P (factor_owned f P R)). exact H.
Qed.

Lemma shift_back p x y d : x < p -> y < p -> (x + d) mod p = (y + d) mod p -> x = y.
Proof.
  intros X Y E. apply (f_equal (fun z => (z + (p - d mod p)) mod p)) in E. rewrite !Nat.add_mod_idemp_l in E by lia.
  assert (d mod p < p) by (apply Nat.mod_upper_bound; lia). pose proof (Nat.div_mod d p ltac:(lia)) as D.
  assert (forall z, z < p -> (z + d + (p - d mod p)) mod p = z) as S.
  { intros z Z. replace (z + d + (p - d mod p)) with (z + (1 + d / p) * p) by nia. rewrite Nat.mod_add by lia. now apply Nat.mod_small. }
  now rewrite !S in E.
Qed.

(* Owners d ranks apart look alike. *)
Section Alike.
Variable f : factor.
Variable d : nat.
Let p : nat := ranks f.
Hypothesis R : right f.
Hypothesis far_enough : 0 < d /\ 2 * d < p.
Hypothesis arrivals : forall q t x y r, q < p -> t < steps f -> x < p -> y < p -> path f q t x = Some r -> path f q t y = Some r -> x = y.
Let move (x : rank) : rank := (x + d) mod p.
Hypothesis alike : forall q t x, q < p -> t < steps f -> x < p -> path f (move q) t (move x) = option_map move (path f q t x).

Lemma move_below x : move x < p.
Proof. apply Nat.mod_upper_bound. unfold p. lia. Qed.

Lemma place_moved q t x : q < p -> t <= steps f -> x < p -> place (path f (move q)) t (move x) = move (place (path f q) t x).
Proof.
  intros Q T X. induction t as [|t IH]; auto. cbn [place]. rewrite IH by lia.
  assert (place (path f q) t x < p) as B by (apply (place_below _ _ _ _ (R q Q)); auto; lia).
  rewrite alike by (auto; lia). destruct (path f q t (place (path f q) t x)); reflexivity.
Qed.

Lemma own_path q : q < p -> one_path f q = path f q.
Proof. intros Q. unfold one_path, owner. fold p. now rewrite Nat.mod_small. Qed.

Lemma own q : q < p -> owner p q = q.
Proof. intros Q. unfold owner. now apply Nat.mod_small. Qed.

Lemma last_moved q t : q < p -> last_arrival p (steps f) (owner p) (one_path f) q t -> last_arrival p (steps f) (owner p) (one_path f) (move q) t.
Proof.
  intros Q (T & (x & X & G) & L). pose proof (move_below q) as M. unfold last_arrival. rewrite (own_path q Q), (own q Q) in L. rewrite (own_path q Q), (own q Q) in G.
  rewrite (own_path _ M), (own _ M). split; auto. split.
  - exists (move x). split; [apply move_below|]. rewrite alike, G by auto. reflexivity.
  - intros u y U Y G'. set (x' := (y + (p - d)) mod p). assert (x' < p) as X' by (apply Nat.mod_upper_bound; lia).
    assert (move x' = y) as E'.
    { unfold move, x'. rewrite Nat.add_mod_idemp_l by lia. replace (y + (p - d) + d) with (y + 1 * p) by lia. rewrite Nat.mod_add by lia. now apply Nat.mod_small. }
    rewrite <- E', alike in G' by (auto; lia). destruct (path f q u x') as [e|] eqn:E; [|discriminate]. injection G' as G'.
    apply (L u x'); auto. rewrite E. f_equal. apply (shift_back p e q d); auto. now apply (stays _ _ _ _ (R q Q) u x').
Qed.

(* An owner's value before the last addition has one end of the line. *)
Lemma one_end q t : q < p -> keeps_order f -> last_arrival p (steps f) (owner p) (one_path f) q t ->
  exists k, (forall c, c < p -> (place (path f q) t c = q <-> c < k)) /\ 0 < k < p \/
            (forall c, c < p -> (place (path f q) t c = q <-> k <= c)) /\ 0 < k < p.
Proof.
  intros Q K L. assert (0 < p) as P by lia.
  destruct (last_ends p p (steps f) (owner p) (one_path f) P P (factor_owned f P R) q t) as (k & H); auto.
  { intros b u x y r B U X Y G G'. rewrite own_path in * by auto. now apply (arrivals b u x y r). }
  rewrite own_path, own in * by auto. destruct L as (T & (x & X & G) & _). rewrite own_path, own in G by auto.
  pose proof (R q Q) as V. assert (place (path f q) t q = q) as Pq.
  { apply fresh_place. intros u U. apply (owner_fresh _ _ _ _ V Q). lia. }
  assert (place (path f q) t x = x) as Px by (apply fresh_place, (sender_fresh _ _ _ _ V); auto; congruence).
  assert (x <> q) as N by (intros ->; now apply (stays _ _ _ _ V t q q T Q)).
  exists k. destruct H as [H|H]; [left | right]; (split; [exact H|]); pose proof (proj1 (H q Q) Pq); pose proof (H x X) as Hx; rewrite Px in Hx; lia.
Qed.

Lemma end_or_other (A : rank -> Prop) :
  (exists k, (forall c, c < p -> (A c <-> c < k)) /\ 0 < k < p \/ (forall c, c < p -> (A c <-> k <= c)) /\ 0 < k < p) -> (A 0 <-> ~ A (p - 1)).
Proof. intros (k & [[H K]|[H K]]); rewrite !H by lia; lia. Qed.

Lemma holds_moved q t c : q < p -> t <= steps f -> c < p ->
  (place (path f (move q)) t (move c) = move q <-> place (path f q) t c = q).
Proof.
  intros Q T C. rewrite place_moved by auto. split; [|congruence]. apply shift_back; auto. apply (place_below _ _ _ _ (R q Q)); auto.
Qed.

Lemma move_low x : x + d < p -> move x = x + d.
Proof. apply Nat.mod_small. Qed.

Lemma move_to_0 : move (p - d) = 0.
Proof. unfold move. replace (p - d + d) with (1 * p) by lia. apply Nat.mod_mul. lia. Qed.

Theorem alike_loses : loses_order f.
Proof.
  apply loses; [fold p; lia | auto|]. intros K. assert (0 < p /\ d < p) as [P D] by lia.
  destruct (last_arrival_exists p p (steps f) (owner p) (one_path f) P P (factor_owned f P R) 0 P ltac:(lia)) as (t & L0).
  pose proof (move_low 0 ltac:(lia)) as M0. pose proof (move_low d ltac:(lia)) as M1. cbn [plus] in M0.
  pose proof (last_moved 0 t P L0) as L1. rewrite M0 in L1. pose proof (last_moved d t D L1) as L2.
  pose proof (end_or_other _ (one_end d t D K L1)) as E1.
  pose proof (end_or_other _ (one_end (move d) t (move_below d) K L2)) as E2.
  cbv beta in E1, E2. pose proof (one_end 0 t P K L0) as E0. assert (t <= steps f) as T by (apply Nat.lt_le_incl, L0). clear L0 L1 L2 K.
  pose proof (fun c => holds_moved 0 t c P T) as S1. pose proof (fun c => holds_moved d t c D T) as S2. rewrite M0 in S1.
  assert (place (path f 0) t (p - d) = 0 <-> place (path f 0) t (p - 1 - d) <> 0) as X1.
  { pose proof (S1 (p - d) ltac:(clear - far_enough P; lia)) as U. pose proof (S1 (p - 1 - d) ltac:(clear - far_enough P; lia)) as V.
    rewrite move_to_0 in U. rewrite (move_low (p - 1 - d)) in V by (clear - far_enough P; lia).
    replace (p - 1 - d + d) with (p - 1) in V by (clear - far_enough P; lia). tauto. }
  assert (place (path f 0) t (p - d - d) = 0 <-> place (path f 0) t (p - 1 - d - d) <> 0) as X2.
  { pose proof (S2 (p - d) ltac:(clear - far_enough P; lia)) as U. pose proof (S2 (p - 1 - d) ltac:(clear - far_enough P; lia)) as V.
    rewrite move_to_0 in U. rewrite (move_low (p - 1 - d)) in V by (clear - far_enough P; lia).
    replace (p - 1 - d + d) with (p - 1) in V by (clear - far_enough P; lia).
    pose proof (S1 (p - d - d) ltac:(clear - far_enough P; lia)) as U'. pose proof (S1 (p - 1 - d - d) ltac:(clear - far_enough P; lia)) as V'.
    rewrite (move_low (p - d - d)) in U' by (clear - far_enough P; lia).
    rewrite (move_low (p - 1 - d - d)) in V' by (clear - far_enough P; lia).
    replace (p - d - d + d) with (p - d) in U' by (clear - far_enough P; lia).
    replace (p - 1 - d - d + d) with (p - 1 - d) in V' by (clear - far_enough P; lia). tauto. }
  clear - E0 X1 X2 far_enough. destruct E0 as (k & [[E0 K0]|[E0 K0]]); rewrite !E0 in X1, X2 by lia; clear E0; lia.
Qed.
End Alike.

(* Trees turned to every owner *)
Lemma offset_moved p q x : q < p -> offset p ((q + 1) mod p) ((x + 1) mod p) = offset p q x.
Proof.
  intros Q. unfold offset. rewrite Nat.add_mod_idemp_l by lia. destruct (Nat.eq_dec (q + 1) p) as [E|N].
  - rewrite E, Nat.mod_same, Nat.sub_0_r by lia. replace (x + 1 + p) with (x + (p - q) + 1 * p) by lia. apply Nat.mod_add. lia.
  - rewrite (Nat.mod_small (q + 1)) by lia. f_equal. lia.
Qed.

Theorem turned_loses p n h : 3 <= p -> valid p n 0 h ->
  (forall t x y e, t < n -> x < p -> y < p -> h t x = Some e -> h t y = Some e -> x = y) -> loses_order (turned_factor p n h).
Proof.
  intros P V I. apply (alike_loses _ 1); cbn [ranks steps path turned_factor]; try lia.
  - intros q Q. now apply turned_valid.
  - intros q t x y r Q T X Y G G'. unfold turned, relabelled in *.
    destruct (h t (offset p q x)) as [e|] eqn:E; [|discriminate]. destruct (h t (offset p q y)) as [e'|] eqn:E'; [|discriminate].
    destruct (offset_bijection p q Q x X) as (_ & Bx & Kx & _), (offset_bijection p q Q y Y) as (_ & By & Ky & _).
    rewrite <- Kx, <- Ky. f_equal. apply (I t _ _ e T Bx By E). rewrite E'. f_equal.
    cbn in G, G'. assert (at_offset p q e = at_offset p q e') as A by congruence.
    apply (shift_back p e' e q); [apply (stays _ _ _ _ V t _ _ T By E') | apply (stays _ _ _ _ V t _ _ T Bx E) | now symmetry].
  - intros q t x Q T X. unfold turned, relabelled. rewrite offset_moved by auto. destruct (h t (offset p q x)) as [e|]; [|reflexivity].
    cbn. f_equal. unfold at_offset. rewrite Nat.add_mod_idemp_l, Nat.add_mod_idemp_r by lia. f_equal. lia.
Qed.

Theorem bruck_loses p : 3 <= p -> loses_order (bruck_near p) /\ loses_order (bruck_far p).
Proof.
  intros P. split; (apply turned_loses; auto; [apply near_valid || apply far_valid; apply enough_steps; lia|]); intros t x y e T _ _ G G'.
  - apply near_some in G as (R & ->), G' as (R' & E). lia.
  - apply far_some in G as (Z & N & ->), G' as (Z' & N' & E). destruct (far_lands t x Z N), (far_lands t y Z' N'). lia.
Qed.

Theorem folding_loses p : 3 <= p -> loses_order (folding p).
Proof.
  intros P. apply turned_loses; auto; [apply fold_valid, enough_steps; lia|]. intros t x y e T _ _ G G'.
  apply fold_some in G as (R & -> & _), G' as (R' & E & _). cbn [left] in *. pose proof (Nat.div_le_mono (left p t) (left p t + 1) 2 ltac:(lia) ltac:(lia)). lia.
Qed.

(* Peers, each of another rank *)
Section Peers.
Variables p n d : nat.
Variable peer : rank -> nat -> rank.
Hypothesis C : covers p n peer.
Hypothesis alike : forall x t, t < n -> x < p -> peer ((x + d) mod p) t = (peer x t + d) mod p.

Lemma reaches_moved q m : q < p -> forall t x, t + m <= n -> x < p ->
  reaches peer ((q + d) mod p) m t ((x + d) mod p) = reaches peer q m t x.
Proof.
  intros Q. induction m as [|m IH]; intros t x T X; cbn [reaches].
  - destruct (Nat.eqb_spec x q) as [->|N]; [apply Nat.eqb_refl|]. apply Nat.eqb_neq. intros E. apply N. now apply (shift_back p x q d).
  - rewrite alike, !IH by (try apply C; auto; lia). reflexivity.
Qed.

Theorem peers_lose : 0 < d -> 2 * d < p -> (forall x y t, t < n -> x < p -> y < p -> peer x t = peer y t -> x = y) ->
  loses_order (peer_factor p n peer).
Proof.
  intros D F I. pose proof (proj1 C) as B. apply (alike_loses _ d); cbn [ranks steps path peer_factor]; try lia.
  - now apply peer_factor_right.
  - intros q t x y r Q T X Y G G'. apply last_chance_some in G as (E & _), G' as (E' & _). apply (I x y t); auto. congruence.
  - intros q t x Q T X. unfold last_chance. rewrite alike, !reaches_moved by (auto; lia).
    destruct (_ && _); reflexivity.
Qed.
End Peers.

Theorem ring_loses p : 3 <= p -> loses_order (ring p).
Proof.
  intros P. apply (peers_lose _ _ 1); try lia.
  - apply shifts_cover; try lia; intros; rewrite size_ring; lia.
  - intros x t _ _. unfold shifted. rewrite !Nat.add_mod_idemp_l by lia. reflexivity.
  - intros x y t _ X Y E. now apply (shift_back p x y 1).
Qed.

(* Swing: even ranks look alike, so for even p owners do, two ranks apart. *)
Lemma swing_peer_whole m p x s : 0 < p -> Z.of_nat (swing_peer m p x s) = whole_peer m (Z.of_nat p) (Z.of_nat x) s.
Proof. intros P. unfold swing_peer. apply Z2Nat.id. apply whole_peer_range. lia. Qed.

Lemma swing_moved p x t : Nat.Even p -> 0 < p -> swing_peer false p ((x + 2) mod p) t = (swing_peer false p x t + 2) mod p.
Proof.
  intros E P. pose proof (even_whole p E P) as W. apply Nat2Z.inj.
  rewrite Nat2Z.inj_mod, Nat2Z.inj_add, !swing_peer_whole, Nat2Z.inj_mod, Nat2Z.inj_add by auto.
  change (Z.of_nat 2) with 2%Z. set (n := Z.of_nat p) in *. set (y := Z.of_nat x). assert (0 < n)%Z by lia.
  assert (Z.even ((y + 2) mod n) = Z.even y) as V.
  { rewrite Z.mod_eq by lia. rewrite Z.even_sub, Z.even_mul, W, Z.even_add. cbn. destruct (Z.even y); reflexivity. }
  unfold whole_peer. rewrite V. destruct (Bool.eqb (Z.even y) false);
    rewrite ?Zminus_mod_idemp_l, ?Zplus_mod_idemp_l; f_equal; ring.
Qed.

Lemma swing_peer_injective p x y t : Nat.Even p -> 0 < p -> x < p -> y < p -> swing_peer false p x t = swing_peer false p y t -> x = y.
Proof.
  intros E P X Y H. apply (f_equal Z.of_nat) in H. rewrite !swing_peer_whole, !plain_peer in H by auto.
  apply Nat2Z.inj. apply (SwingPaths.pi_inj (Z.of_nat p) _ _ t); auto using even_whole; lia.
Qed.

Lemma swing_even_loses p : Nat.Even p -> 6 <= p -> loses_order (swing_even false p).
Proof.
  intros E P. apply (peers_lose p _ 2 (swing_peer false p)); try lia.
  - apply swing_covers; auto. lia.
  - intros x t _ _. apply swing_moved; auto. lia.
  - intros x y t _ X Y. apply swing_peer_injective; auto. lia.
Qed.

(* For odd p rank 0 adds rank p - 1's contribution first. *)
Lemma half_turn_0 n m : 2 <= n -> 0 < m -> half_turn n m 0 = 0.
Proof.
  intros N M. destruct n as [|[|n]]; try lia.
  change (half_turn (S (S n)) m 0) with (let half := (m + 1) / 2 in if 0 <? half then 0 else S (half_turn (S n) (m - half) (0 - half))).
  cbv zeta. pose proof (half_up m). destruct (Nat.ltb_spec 0 ((m + 1) / 2)); lia.
Qed.

Lemma swing_odd_loses p : Nat.even p = false -> 5 <= p -> loses_order (swing false p).
Proof.
  intros E P. assert (0 < ranks (swing false p)) as S by (rewrite swing_ranks; lia). pose proof (swing_right false p ltac:(lia)) as R.
  apply loses; auto. intros K. pose proof (order_gapless _ _ _ _ _ S S (factor_owned _ S R) K 0 1 S) as G.
  rewrite swing_ranks in G by lia. unfold one_path, owner in G. rewrite swing_ranks, Nat.mod_0_l in G by lia.
  set (n := Nat.log2_up (p - 1)). assert (2 <= n) as N.
  { unfold n. apply Nat.log2_up_lt_pow2; cbn; lia. }
  unfold swing in G. rewrite E in G. destruct (Nat.eqb_spec p 1); [lia|]. cbv zeta in G. cbn [with_odd_one steps path] in G.
  specialize (G ltac:(cbn [swing_even steps]; fold n; lia) 0 2 (p - 1) ltac:(lia) ltac:(lia)). cbv beta in G. cbn [place] in G.
  unfold odd_path in G. cbn [swing_even ranks steps path] in G. fold n in G. rewrite half_turn_0 in G by lia.
  rewrite (proj2 (Nat.eqb_neq 0 (p - 1))), (proj2 (Nat.eqb_neq 2 (p - 1))), Nat.eqb_refl in G by lia. cbn [Nat.eqb] in G.
  pose proof (swing_even_right false (p - 1)) as V. destruct (Nat.even (p - 1)) eqn:F; [|rewrite Nat.even_sub, E in F by lia; discriminate].
  apply Nat.even_spec in F. specialize (V F ltac:(lia) 0 ltac:(cbn; lia)). cbn [swing_even ranks steps path] in V. fold n in V.
  rewrite (owner_fresh _ _ _ _ V ltac:(lia) 0 ltac:(lia)) in G. specialize (G eq_refl eq_refl).
  destruct (last_chance (swing_peer false (p - 1)) n 0 0 2) as [d|] eqn:D; [|lia]. subst d.
  apply last_chance_some in D as (D & _). apply (f_equal Z.of_nat) in D. rewrite swing_peer_whole in D by lia.
  unfold whole_peer in D. cbn in D. rewrite Z.mod_small in D by lia. lia.
Qed.

Theorem swing_loses p : 5 <= p -> loses_order (swing false p).
Proof.
  intros P. destruct (Nat.even p) eqn:E; [|now apply swing_odd_loses]. unfold swing. rewrite E. apply Nat.even_spec in E.
  apply swing_even_loses; auto. destruct E. lia.
Qed.
