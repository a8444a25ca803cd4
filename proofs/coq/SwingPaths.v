(* Swing's peers as integers: how often each rank hears of each other rank, for every even p and any number of steps.
   `cnt p s r q` is how often rank r has q's contribution after steps 0 .. s-1 of an exchange of whole vectors, in which rank r
   adds at step s what rank pi(r, s) has. *)
Require Import ZArith Lia Bool.
Open Scope Z_scope.

Fixpoint rho (s : nat) : Z := match s with O => 1 | S k => rho k + (-2) ^ Z.of_nat (S k) end.
Definition pi (p r : Z) (s : nat) : Z := if Z.even r then (r + rho s) mod p else (r - rho s) mod p.
Fixpoint cnt (p : Z) (s : nat) (r q : Z) : Z :=
  match s with O => if r =? q then 1 else 0 | S k => cnt p k r q + cnt p k (pi p r k) q end.

Lemma pow_m2 k : (-2) ^ Z.of_nat (S k) = -2 * (-2) ^ Z.of_nat k.
Proof. rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia. Qed.

Lemma rho_closed s : 3 * rho s = 1 - (-2) ^ Z.of_nat (S s).
Proof. induction s; [reflexivity|]. cbn [rho]. rewrite (pow_m2 (S s)). lia. Qed.

Lemma rho_S s : rho (S s) = 1 - 2 * rho s.
Proof. pose proof (rho_closed s). pose proof (rho_closed (S s)). rewrite (pow_m2 (S s)) in *. lia. Qed.

(* Lemma A.1 *)
Lemma rho_odd s : Z.even (rho s) = false.
Proof. destruct s; [reflexivity|]. rewrite rho_S, Z.even_sub, Z.even_mul. reflexivity. Qed.

(* The offsets that an even rank has heard of after s steps form an interval, (lo, hi). *)
Fixpoint R (s : nat) : Z * Z :=
  match s with O => (0, 0) | S k => let (l, h) := R k in (Z.min l (rho k - h), Z.max h (rho k - l)) end.
Definition lo s := fst (R s).  Definition hi s := snd (R s).

Lemma lo_S s : lo (S s) = Z.min (lo s) (rho s - hi s).
Proof. unfold lo, hi; cbn [R]; destruct (R s); reflexivity. Qed.
Lemma hi_S s : hi (S s) = Z.max (hi s) (rho s - lo s).
Proof. unfold lo, hi; cbn [R]; destruct (R s); reflexivity. Qed.

(* The interval invariant *)
Lemma R_inv s : lo s <= 0 <= hi s /\
  (if Nat.even s then rho s = 2 * hi s + 1 /\ lo s = -2 * hi s
                 else rho s = 2 * lo s - 1 /\ hi s = 1 - 2 * lo s).
Proof.
  induction s as [|s IH]; [cbn; lia|].
  rewrite lo_S, hi_S, rho_S, Nat.even_succ, <- Nat.negb_even.
  destruct (Nat.even s); cbn [negb]; lia.
Qed.

Lemma R_len s : hi s - lo s + 1 = 2 ^ Z.of_nat s.
Proof.
  induction s as [|s IH]; [reflexivity|].
  rewrite Nat2Z.inj_succ, Z.pow_succ_r, <- IH, lo_S, hi_S by lia.
  pose proof (R_inv s). destruct (Nat.even s); lia.
Qed.

(* How many integers in [a, b] are congruent to e modulo p *)
Definition N (p a b e : Z) : Z := (b - e) / p - (a - 1 - e) / p.

Lemma N_shift p a b e k : p <> 0 -> N p a b (e + k * p) = N p a b e.
Proof.
  intros; unfold N.
  replace (b - (e + k * p)) with (b - e + (- k) * p) by ring.
  replace (a - 1 - (e + k * p)) with (a - 1 - e + (- k) * p) by ring.
  rewrite !Z.div_add by assumption. lia.
Qed.

Lemma div_opp_pred p x : 0 < p -> (- x - 1) / p = - (x / p) - 1.
Proof.
  intros. symmetry. apply Z.div_unique with (r := p - 1 - x mod p).
  - left. pose proof (Z.mod_pos_bound x p ltac:(lia)). lia.
  - pose proof (Z.div_mod x p ltac:(lia)). lia.
Qed.

(* Reflection: x goes to c - x *)
Lemma N_reflect p a b c e : 0 < p -> N p a b (c - e) = N p (c - b) (c - a) e.
Proof.
  intros; unfold N.
  replace (a - 1 - (c - e)) with (- (c - a - e) - 1) by ring.
  replace (c - b - 1 - e) with (- (b - (c - e)) - 1) by ring.
  rewrite !div_opp_pred by assumption. lia.
Qed.

Lemma N_join p a b c e : N p a b e + N p (b + 1) c e = N p a c e.
Proof. unfold N. replace (b + 1 - 1 - e) with (b - e) by ring. lia. Qed.

(* One step of the interval *)
Lemma N_step p s e : 0 < p ->
  N p (lo s) (hi s) e + N p (lo s) (hi s) (rho s - e) = N p (lo (S s)) (hi (S s)) e.
Proof.
  intros. rewrite N_reflect by assumption. rewrite lo_S, hi_S.
  pose proof (R_inv s) as [? I]. destruct (Nat.even s).
  - replace (rho s - hi s) with (hi s + 1) by lia.
    replace (Z.min (lo s) (hi s + 1)) with (lo s) by lia.
    replace (Z.max (hi s) (rho s - lo s)) with (rho s - lo s) by lia. apply N_join.
  - replace (rho s - lo s) with (lo s - 1) by lia.
    replace (Z.max (hi s) (lo s - 1)) with (hi s) by lia.
    replace (Z.min (lo s) (rho s - hi s)) with (rho s - hi s) by lia.
    rewrite Z.add_comm. replace (lo s) with (lo s - 1 + 1) at 2 by ring. apply N_join.
Qed.

Definition off (r q : Z) : Z := if Z.even r then q - r else r - q.

(* Lemma A.2, for every even p *)
Lemma pi_parity p r s : 0 < p -> Z.even p = true -> Z.even (pi p r s) = negb (Z.even r).
Proof.
  intros P E. unfold pi.
  assert (M : forall x, Z.even (x mod p) = Z.even x).
  { intros x. rewrite Z.mod_eq by lia. rewrite Z.even_sub, Z.even_mul, E. cbn. destruct (Z.even x); reflexivity. }
  destruct (Z.even r) eqn:Er; rewrite M; rewrite ?Z.even_add, ?Z.even_sub, Er, rho_odd; reflexivity.
Qed.

Lemma pi_off p r s q : 0 < p -> Z.even p = true -> exists k, off (pi p r s) q = (rho s - off r q) + k * p.
Proof.
  intros P E. unfold off at 1. rewrite (pi_parity p r s P E). unfold off, pi.
  destruct (Z.even r); cbn [negb].
  - exists (- ((r + rho s) / p)). rewrite Z.mod_eq by lia. ring.
  - exists ((r - rho s) / p). rewrite Z.mod_eq by lia. ring.
Qed.

Lemma pi_range p r s : 0 < p -> 0 <= pi p r s < p.
Proof. intros; unfold pi; destruct (Z.even r); apply Z.mod_pos_bound; lia. Qed.

(* At each step and for even p, peers are mutual, so two ranks never have the same peer: appendix A.2 (ii) of the Swing paper *)
Lemma pi_invol p r s : Z.even p = true -> 0 <= r < p -> pi p (pi p r s) s = r.
Proof.
  intros E H. unfold pi at 1. rewrite pi_parity by (auto; lia). unfold pi.
  destruct (Z.even r); cbn [negb].
  - rewrite Zminus_mod_idemp_l. replace (r + rho s - rho s) with r by ring. apply Z.mod_small; lia.
  - rewrite Zplus_mod_idemp_l. replace (r - rho s + rho s) with r by ring. apply Z.mod_small; lia.
Qed.
Corollary pi_inj p r g s : Z.even p = true -> 0 <= r < p -> 0 <= g < p -> pi p r s = pi p g s -> r = g.
Proof. intros E Hr Hg H. rewrite <- (pi_invol p r s), <- (pi_invol p g s), H by auto. reflexivity. Qed.

Theorem cnt_is_N p : 0 < p -> Z.even p = true -> forall s r q, 0 <= r < p -> 0 <= q < p ->
  cnt p s r q = N p (lo s) (hi s) (off r q).
Proof.
  intros P E s. induction s as [|s IH]; intros r q Hr Hq.
  - cbn [cnt]. unfold N, lo, hi; cbn [R fst snd].
    assert (- p < off r q < p) by (unfold off; destruct (Z.even r); lia).
    assert (Z0 : off r q = 0 <-> r = q) by (unfold off; destruct (Z.even r); lia).
    destruct (r =? q) eqn:Q; [apply Z.eqb_eq in Q | apply Z.eqb_neq in Q].
    + replace (off r q) with 0 by (symmetry; tauto).
      change (0 - 0) with 0. replace (0 - 1 - 0) with (Z.opp 0 - 1) by reflexivity.
      rewrite div_opp_pred, Zdiv_0_l by assumption. reflexivity.
    + destruct (Z_lt_ge_dec (off r q) 0).
      * rewrite !Z.div_small by lia. reflexivity.
      * assert (0 < off r q) by lia.
        replace (0 - off r q) with (- (off r q - 1) - 1) by ring.
        replace (0 - 1 - off r q) with (- (off r q) - 1) by ring.
        rewrite !div_opp_pred, !Z.div_small by lia. reflexivity.
  - cbn [cnt]. rewrite IH, IH by (auto using pi_range).
    destruct (pi_off p r s q P E) as [k ->]. rewrite N_shift by lia. apply N_step; assumption.
Qed.

Lemma even_pow2 L : (0 < L)%nat -> Z.even (2 ^ Z.of_nat L) = true.
Proof. intros. destruct L; [lia|]. rewrite Nat2Z.inj_succ, Z.pow_succ_r, Z.even_mul by lia. reflexivity. Qed.

(* Theorem A.5, for every L *)
Theorem A5 L r q : (0 < L)%nat -> 0 <= r < 2 ^ Z.of_nat L -> 0 <= q < 2 ^ Z.of_nat L ->
  cnt (2 ^ Z.of_nat L) L r q = 1.
Proof.
  intros HL Hr Hq. rewrite cnt_is_N by (auto using even_pow2; lia).
  unfold N. rewrite <- R_len. set (p := hi L - lo L + 1). assert (0 < p) by (pose proof (R_inv L); unfold p; lia).
  replace (hi L - off r q) with (lo L - 1 - off r q + 1 * p) by (unfold p; ring).
  rewrite Z.div_add by lia. lia.
Qed.

(* Even p with 2^(L-1) < p <= 2^L: each rank hears of each other rank at least once, and at most twice. *)
Theorem even_cover L p r q : Z.even p = true -> 2 ^ Z.of_nat L < 2 * p -> p <= 2 ^ Z.of_nat L ->
  0 <= r < p -> 0 <= q < p -> 1 <= cnt p L r q <= 2.
Proof.
  intros E H1 H2 Hr Hq. rewrite cnt_is_N by (auto; lia). unfold N. pose proof (R_len L).
  set (a := lo L - 1 - off r q). replace (hi L - off r q) with (a + 2 ^ Z.of_nat L) by (unfold a; lia).
  pose proof (Z.div_mod a p ltac:(lia)). pose proof (Z.mod_pos_bound a p ltac:(lia)).
  pose proof (Z.div_mod (a + 2 ^ Z.of_nat L) p ltac:(lia)). pose proof (Z.mod_pos_bound (a + 2 ^ Z.of_nat L) p ltac:(lia)).
  assert (p * (a / p) + p - (p - 1) <= p * ((a + 2 ^ Z.of_nat L) / p)) by lia.
  split; nia.
Qed.

(* No contribution arrives twice in the first s steps if 2^s <= p. *)
Theorem second_last s p r q : Z.even p = true -> 2 ^ Z.of_nat s <= p -> 0 <= r < p -> 0 <= q < p ->
  0 <= cnt p s r q <= 1.
Proof.
  intros E H Hr Hq. rewrite cnt_is_N by (auto; lia). unfold N. pose proof (R_len s).
  assert (0 < 2 ^ Z.of_nat s) by (apply Z.pow_pos_nonneg; lia).
  set (a := lo s - 1 - off r q). replace (hi s - off r q) with (a + 2 ^ Z.of_nat s) by (unfold a; lia).
  pose proof (Z.div_mod a p ltac:(lia)). pose proof (Z.mod_pos_bound a p ltac:(lia)).
  pose proof (Z.div_mod (a + 2 ^ Z.of_nat s) p ltac:(lia)). pose proof (Z.mod_pos_bound (a + 2 ^ Z.of_nat s) p ltac:(lia)).
  split; nia.
Qed.

(* Rank x reaches q with the n steps from step t on. *)
Fixpoint reach (peer : Z -> nat -> Z) (q : Z) (n t : nat) (x : Z) : bool :=
  match n with O => x =? q | S k => reach peer q k (S t) x || reach peer q k (S t) (peer x t) end.

(* If q has heard of r, then r reaches q. `cnt` starts from the last step, a path from the first. *)
Section Paths.
Variable p : Z. Hypothesis P : 0 < p. Hypothesis E : Z.even p = true.
Inductive Path : nat -> nat -> Z -> Z -> Prop :=
| Pnil a x : Path O a x x
| Pskip n a x y : Path n (S a) x y -> Path (S n) a x y
| Pstep n a x y : Path n (S a) (pi p x a) y -> Path (S n) a x y.

Lemma app_skip n a x y : Path n a x y -> Path (S n) a x y.
Proof. induction 1; [apply Pskip, Pnil | now apply Pskip | now apply Pstep]. Qed.
Lemma app_step n a x y : Path n a x y -> Path (S n) a x (pi p y (a + n)).
Proof.
  induction 1.
  - rewrite Nat.add_0_r. apply Pstep, Pnil.
  - apply Pskip. now rewrite <- Nat.add_succ_comm.
  - apply Pstep. now rewrite <- Nat.add_succ_comm.
Qed.

Lemma cnt_nonneg s r q : 0 <= cnt p s r q.
Proof. revert r; induction s; intros; cbn [cnt]; [destruct (r =? q); lia | specialize (IHs r) as A; specialize (IHs (pi p r s)); lia]. Qed.

Lemma cnt_path s q r : 0 <= q < p -> 0 < cnt p s q r -> Path s 0 r q.
Proof.
  revert q; induction s as [|s IH]; intros q Hq H; cbn [cnt] in H.
  - destruct (Z.eqb_spec q r); [subst; apply Pnil | lia].
  - pose proof (cnt_nonneg s q r). destruct (Z_lt_ge_dec 0 (cnt p s q r)) as [G|G].
    + apply app_skip. auto.
    + assert (Path s 0 r (pi p q s)) as X by (apply IH; [apply pi_range; assumption | lia]).
      apply app_step in X. cbn [Nat.add] in X. rewrite pi_invol in X; auto.
Qed.

Lemma path_reach n a x q : Path n a x q -> reach (pi p) q n a x = true.
Proof. induction 1; cbn; [apply Z.eqb_refl | now rewrite IHPath | rewrite IHPath; apply orb_true_r]. Qed.
End Paths.
