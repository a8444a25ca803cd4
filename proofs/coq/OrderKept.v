(* Algorithms that preserve the order of the ranks: with near peers first, what has been added up at step t are the ranks with the same
   r / 2^t. So for recursive halving and doubling, of blocks and of whole vectors, at p = 2^a. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Relabelled SwingAll Catalogue Folded Exchange Latency
  Sums Reproducible WholeSums Ordered OrderLost.
Import ListNotations.

Lemma exchanged_div k t x : k < t -> exchanged x k / 2 ^ t = x / 2 ^ t.
Proof.
  intros K. unfold exchanged. rewrite <- !Nat.shiftr_div_pow2, Nat.shiftr_lxor, !Nat.shiftr_div_pow2.
  rewrite (Nat.div_small (2 ^ k)) by (apply Nat.pow_lt_mono_r; lia). apply Nat.lxor_0_r.
Qed.

Lemma exchanged_mod k t x : t <= k -> exchanged x k mod 2 ^ t = x mod 2 ^ t.
Proof.
  intros K. rewrite <- !Nat.land_ones. apply Nat.bits_inj. intros m. rewrite !Nat.land_spec. unfold exchanged. rewrite Nat.lxor_spec.
  destruct (le_lt_dec t m) as [L|L]; [rewrite Nat.ones_spec_high by auto; now rewrite !andb_false_r|].
  rewrite Nat.pow2_bits_false by lia. now rewrite xorb_false_r.
Qed.

Section Doubling.
Variable a : nat.
Let p : nat := 2 ^ a.
Variable q : rank.
Hypothesis Q : q < p.
Let g : route := last_chance exchanged a q.

Lemma doubling_valid : valid p a q g.
Proof. exact (peer_factor_right (2 ^ a) a exchanged (exchanged_covers a) q Q). Qed.

Lemma place_div t c : place g t c / 2 ^ t = c / 2 ^ t.
Proof.
  induction t as [|t IH]; [reflexivity|]. cbn [place]. assert (2 ^ t <> 0) by (apply Nat.pow_nonzero; lia).
  assert (place g t c / 2 ^ S t = c / 2 ^ S t) as E by (rewrite Nat.pow_succ_r', (Nat.mul_comm 2), <- !Nat.div_div by lia; now rewrite IH).
  destruct (g t (place g t c)) as [d|] eqn:G; auto. apply last_chance_some in G as (-> & _). rewrite exchanged_div by lia. exact E.
Qed.

Lemma place_mod t c : t <= a -> c < p -> place g t c mod 2 ^ t = q mod 2 ^ t.
Proof.
  intros T C. transitivity (place g a c mod 2 ^ t); [|now rewrite (arrives _ _ _ _ doubling_valid c C)].
  assert (forall k, place g t c mod 2 ^ t = place g (t + k) c mod 2 ^ t) as H; [|rewrite (H (a - t)); do 2 f_equal; lia].
  induction k as [|k IH]; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r. cbn [place].
  destruct (g (t + k) (place g (t + k) c)) as [d|] eqn:G; auto. apply last_chance_some in G as (-> & _). now rewrite exchanged_mod by lia.
Qed.

(* A rank that has not passed the block on has what the ranks with the same r / 2^t began with. *)
Lemma doubling_place t c r : t <= a -> c < p -> r < p -> fresh g t r -> (place g t c = r <-> c / 2 ^ t = r / 2 ^ t).
Proof.
  intros T C R F. pose proof (place_div t c) as D. pose proof (place_mod t c T C) as M. pose proof (place_mod t r T R) as Mr.
  rewrite (fresh_place g t r F) in Mr. assert (2 ^ t <> 0) as P by (apply Nat.pow_nonzero; lia). split; [congruence|]. intros E.
  rewrite (Nat.div_mod (place g t c) (2 ^ t) P), (Nat.div_mod r (2 ^ t) P). congruence.
Qed.
End Doubling.

Lemma same_quotient p t r : convex p (fun c => c / 2 ^ t = r / 2 ^ t).
Proof.
  intros i c j I _ A B. cbv beta in *. assert (2 ^ t <> 0) by (apply Nat.pow_nonzero; lia).
  pose proof (Nat.div_le_mono i c (2 ^ t) ltac:(lia) ltac:(lia)). pose proof (Nat.div_le_mono c j (2 ^ t) ltac:(lia) ltac:(lia)). lia.
Qed.

Theorem doubling_near_keeps a : let f := doubling_near a in
  keeps_order f /\ order_preserving Allreduce (ranks f) (ranks f) (allreduce_of f).
Proof.
  cbv zeta. set (f := doubling_near a). assert (0 < ranks f) as P by (cbn; pose proof (Nat.pow_nonzero 2 a); lia).
  assert (right f) as R by apply peer_factor_right, exchanged_covers. pose proof (factor_owned f P R) as O.
  assert (keeps_order f) as K; [|split; auto; now apply (allreduce_order _ _ _ _ _ P P O)].
  apply (gapless_order _ _ _ _ _ P P O).
  - intros b t x y r B T X Y G G'. apply last_chance_some in G as (E & _), G' as (E' & _). rewrite E in E'.
    rewrite <- (exchanged_paired (2 ^ a) x t X), <- (exchanged_paired (2 ^ a) y t Y). now rewrite E'.
  - intros b t r B T X F i c j I J Ai Aj. cbv beta in *. pose proof (owner_in_range (ranks f) b P) as Q.
    pose proof (doubling_place a (owner (ranks f) b) Q t) as D. unfold one_path in *. cbn [f doubling_near peer_factor path ranks steps] in *.
    apply D in Ai; auto; [|lia]. apply D in Aj; auto. apply D; auto; [lia|]. exact (same_quotient (2 ^ a) t r i c j I J Ai Aj).
Qed.

(* Whole vectors *)
Lemma summed_times g t : forall r c, times (leaves (summed g t r)) c = hears g t r c.
Proof.
  induction t as [|t IH]; intros r c; cbn [summed hears].
  - unfold times. cbn. destruct (Nat.eq_dec r c) as [->|N]; [now rewrite Nat.eqb_refl|]. apply Nat.eqb_neq in N. now rewrite N.
  - destruct (g t r) as [[s []]|]; auto. cbn [leaves]. unfold times in *. now rewrite count_occ_app, !IH.
Qed.

Theorem exchanges_keep_order a : order_preserving Allreduce (2 ^ a) 1 (exchanges (2 ^ a) a exchanged).
Proof.
  intros b r B R _. unfold exchanges. rewrite pulls_sums; auto.
  - eexists. split; [reflexivity|]. cbv beta.
    assert (forall t, t <= a -> forall x, x < 2 ^ a -> span (summed (exchange exchanged) t x) <> None) as H; [|now apply H].
    induction t as [|t IH]; intros T x X; [discriminate|]. cbn [summed exchange].
    apply (span_plus (2 ^ a) _ _ (fun c => c / 2 ^ S t = x / 2 ^ S t)); try (apply IH; try lia; auto using exchanged_below); [apply same_quotient| |];
      intros c; rewrite !summed_times, !hears_exchange; pose proof (heard_exchanged (S t) x c) as E; cbn [heard] in E; rewrite E.
    + destruct (_ =? _); lia.
    + assert (x / 2 ^ S t = c / 2 ^ S t -> c < 2 ^ a) as Below.
      { intros Z. replace a with (S t + (a - S t)) in X |- * by lia. rewrite Nat.pow_add_r in X |- *. assert (2 ^ S t <> 0) by (apply Nat.pow_nonzero; lia).
        apply Nat.div_lt_upper_bound in X; auto. rewrite Z in X. pose proof (Nat.mul_succ_div_gt c (2 ^ S t) ltac:(auto)). nia. }
      destruct (Nat.eqb_spec (x / 2 ^ S t) (c / 2 ^ S t)); [split; [lia|auto] | split; [intros []; congruence | lia]].
  - intros _ t x s o _ T X G. injection G as <- <-. split; [now apply exchanged_below | apply exchanged_apart].
Qed.

(* On a line these are the schedules of Folded.v and Latency.v, here for p = 1, 2, .., 16. *)
Theorem line_same : Forall (fun a => rabenseifner true [2 ^ a] 1 = allreduce_of (doubling_near a) /\
  recursive_doubling [2 ^ a] 1 = exchanges (2 ^ a) a exchanged) [0; 1; 2; 3; 4].
Proof. repeat (apply Forall_cons; [split; vm_compute; reflexivity|]). apply Forall_nil. Qed.
