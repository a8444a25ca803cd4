(* Swing: for p = 2^L each rank hears of each other one by exactly one sequence of steps (theorem A.5); for every even p it
   hears of each by some, and the reduce-scatter is exactly once. *)
Require Import ZArith Lia Bool List.
Require Import Obligations Peers.
Open Scope Z_scope.

Fixpoint rho (s : nat) : Z := match s with O => 1 | S k => 1 - 2 * rho k end.
Definition pi (p r : Z) (s : nat) : Z := if Z.even r then (r + rho s) mod p else (r - rho s) mod p.

Fixpoint parity (s : nat) : Z := match s with O => 0 | S k => 1 - parity k end.
Fixpoint pow (s : nat) : Z := match s with O => 1 | S k => 2 * pow k end.

(* The offsets that an even rank has heard of after s steps: lo s .. hi s *)
Fixpoint lo (s : nat) : Z := match s with O => 0 | S k => if lo k <=? rho k - hi k then lo k else rho k - hi k end
with hi (s : nat) : Z := match s with O => 0 | S k => if hi k <=? rho k - lo k then rho k - lo k else hi k end.

Lemma parity_values s : parity s = 0 \/ parity s = 1.
Proof. induction s; cbn [parity]; lia. Qed.


Lemma pow_positive s : 1 <= pow s.
Proof. induction s; cbn [pow]; lia. Qed.

Lemma rho_odd s : rho s mod 2 = 1.
Proof. destruct s; [reflexivity | apply (lemma_a1_step (rho s) (rho (S s))); reflexivity]. Qed.

Definition interval (s : nat) : Prop :=
  (lo s <= 0 /\ 0 <= hi s) /\ hi s - lo s + 1 = pow s /\
  ((parity s = 0 -> rho s = 2 * hi s + 1 /\ lo s = (- 2) * hi s) /\ (~ parity s = 0 -> rho s = 2 * lo s - 1 /\ hi s = 1 - 2 * lo s)).

Theorem intervals s : interval s.
Proof.
  induction s as [|s [L [W I]]].
  - unfold interval. cbn [lo hi rho pow parity]. lia.
  - pose proof (interval_step (parity s) (rho s) (pow s) (lo s) (hi s) (parity (S s)) (rho (S s)) (pow (S s)) (lo (S s)) (hi (S s))
      (parity_values s) (pow_positive s) L W I eq_refl eq_refl eq_refl eq_refl eq_refl) as N.
    unfold interval. tauto.
Qed.

(* A word tells, from the last step to the first, which steps a rank looks back along. *)
Definition word := list bool.

Fixpoint value (w : word) : Z :=
  match w with nil => 0 | b :: v => if b then rho (length v) - value v else value v end.

Lemma value_range w : lo (length w) <= value w <= hi (length w).
Proof.
  induction w as [|b v IH]; cbn [length value]; [cbn; lia|].
  cbn [lo hi]. pose proof (intervals (length v)) as [_ _].
  destruct (lo (length v) <=? rho (length v) - hi (length v)) eqn:A, (hi (length v) <=? rho (length v) - lo (length v)) eqn:B, b; lia.
Qed.

Lemma sides s x :
  ((lo s <= x <= hi s) \/ (lo s <= rho s - x <= hi s) <-> lo (S s) <= x <= hi (S s)) /\
  ~ (lo s <= x <= hi s /\ lo s <= rho s - x <= hi s).
Proof.
  pose proof (intervals s) as [L [W I]].
  pose proof (once_step (parity s) (rho s) (pow s) (lo s) (hi s) (parity (S s)) (rho (S s)) (pow (S s)) (lo (S s)) (hi (S s)) x
      (parity_values s) (pow_positive s) L W I eq_refl eq_refl eq_refl eq_refl eq_refl) as N.
  destruct ((lo s <=? x) && (x <=? hi s)) eqn:A, ((lo s <=? rho s - x) && (rho s - x <=? hi s)) eqn:B,
    ((lo (S s) <=? x) && (x <=? hi (S s))) eqn:C; lia.
Qed.

Lemma one_side s x : (lo s <= x <= hi s) \/ (lo s <= rho s - x <= hi s) <-> lo (S s) <= x <= hi (S s).
Proof. apply sides. Qed.

Lemma not_both s x : lo s <= x <= hi s -> lo s <= rho s - x <= hi s -> False.
Proof. intros A B. apply (proj2 (sides s x)). auto. Qed.

(* Every integer of the interval is the value of one word. *)
Theorem words_exist s : forall x, lo s <= x <= hi s -> exists w, length w = s /\ value w = x.
Proof.
  induction s as [|s IH]; intros x X.
  - exists nil. cbn in *. lia.
  - apply one_side in X as [X | X]; destruct (IH _ X) as [w [W V]]; subst s.
    + exists (false :: w). auto.
    + exists (true :: w). cbn. split; auto. lia.
Qed.

Theorem words_unique w : forall v, length w = length v -> value w = value v -> w = v.
Proof.
  induction w as [|b w IH]; intros [|c v] L V; cbn in L; try discriminate; auto.
  injection L as L. cbn [value] in V. rewrite L in V.
  pose proof (value_range w) as W. rewrite L in W. pose proof (value_range v) as R.
  assert (b = c) as ->.
  { destruct b, c; auto; exfalso.
    - apply (not_both (length v) (value w)); auto. rewrite V in *. lia.
    - apply (not_both (length v) (value v)); auto. rewrite <- V in *. lia. }
  f_equal. apply IH; auto. destruct c; lia.
Qed.

Section Ranks.
Variable p : Z.
Hypothesis positive : 0 < p.
Hypothesis even : exists h, p = 2 * h.

(* Whom rank r hears of along a word *)
Fixpoint from (w : word) (r : Z) : Z :=
  match w with nil => r | b :: v => from v (if b then pi p r (length v) else r) end.

Lemma pi_range r s : 0 <= pi p r s < p.
Proof. unfold pi. destruct (Z.even r); apply Z.mod_pos_bound; auto. Qed.

Lemma from_range w : forall r, 0 <= r < p -> 0 <= from w r < p.
Proof. induction w as [|b v IH]; intros r R; cbn; auto. apply IH. destruct b; auto using pi_range. Qed.

Definition offset (r q : Z) : Z := if Z.even r then q - r else r - q.

Lemma pi_shift r s : exists m, pi p r s = (if Z.even r then r + rho s else r - rho s) + m * p.
Proof.
  unfold pi. destruct (Z.even r).
  - exists (- ((r + rho s) / p)). rewrite Z.mod_eq by lia. ring.
  - exists (- ((r - rho s) / p)). rewrite Z.mod_eq by lia. ring.
Qed.

Lemma even_iff x : Z.even x = true <-> x mod 2 = 0.
Proof. rewrite Zmod_even. destruct (Z.even x); intuition congruence. Qed.

(* Lemma A.2 *)
Lemma pi_parity r s : Z.even (pi p r s) = negb (Z.even r).
Proof.
  destruct even as [h H]. destruct (pi_shift r s) as [m ->]. pose proof (rho_odd s) as O. subst p.
  replace (m * (2 * h)) with (2 * (m * h)) by ring.
  rewrite Z.even_add_mul_2. rewrite Zmod_odd in O.
  assert (Z.odd (rho s) = true) as E by (destruct (Z.odd (rho s)); congruence).
  destruct (Z.even r) eqn:R; cbn [negb]; rewrite ?Z.even_add, ?Z.even_sub, R, <- Z.negb_odd, E; reflexivity.
Qed.

Lemma offset_step r s q : exists m, offset r q = rho s - offset (pi p r s) q + m * p.
Proof.
  unfold offset. rewrite pi_parity. destruct (pi_shift r s) as [m ->].
  destruct (Z.even r); cbn [negb]; [exists m | exists (- m)]; ring.
Qed.

Theorem offset_from w : forall r, exists m, offset r (from w r) = value w + m * p.
Proof.
  induction w as [|b v IH]; intros r; cbn [from value].
  - exists 0. unfold offset. destruct (Z.even r); lia.
  - destruct b.
    + destruct (IH (pi p r (length v))) as [m M]. destruct (offset_step r (length v) (from v (pi p r (length v)))) as [n N].
      exists (n - m). rewrite N, M. ring.
    + apply IH.
Qed.

Lemma same_residue a b m : 0 <= a < p -> 0 <= b < p -> a = b + m * p -> a = b.
Proof. intros. assert (m = 0) by nia. subst. lia. Qed.

Lemma offset_injective r a b m : 0 <= a < p -> 0 <= b < p -> offset r a = offset r b + m * p -> a = b.
Proof. unfold offset. intros A B E. destruct (Z.even r); [apply (same_residue _ _ m) | apply (same_residue _ _ (- m))]; auto; lia. Qed.

(* The cover: if the interval has p integers or more, every rank hears of every rank. *)
Theorem cover L r q : p <= pow L -> 0 <= r < p -> 0 <= q < p -> exists w, length w = L /\ from w r = q.
Proof.
  intros P R Q. pose proof (intervals L) as [_ [W _]].
  set (t := (offset r q - lo L) mod p). pose proof (Z.mod_pos_bound (offset r q - lo L) p positive) as T. fold t in T.
  destruct (words_exist L (lo L + t)) as [w [E V]]; [lia|].
  exists w. split; auto. destruct (offset_from w r) as [m M].
  apply (offset_injective r _ _ (m - (offset r q - lo L) / p)); auto using from_range.
  rewrite M, V. unfold t. rewrite Z.mod_eq by lia. ring.
Qed.

(* Theorem A.5: with p = 2^L by exactly one *)
Theorem unique L r w v : p = pow L -> 0 <= r < p -> length w = L -> length v = L -> from w r = from v r -> w = v.
Proof.
  intros P R W V F. apply words_unique; [congruence|].
  destruct (offset_from w r) as [m M], (offset_from v r) as [n N]. rewrite F in M.
  pose proof (value_range w) as RW. pose proof (value_range v) as RV. rewrite W in RW. rewrite V in RV.
  pose proof (intervals L) as [_ [I _]]. assert (value w = value v + (n - m) * p) as E by lia.
  assert (n - m = 0) by nia. lia.
Qed.

Lemma pi_pairs r s : 0 <= r < p -> pi p (pi p r s) s = r.
Proof.
  intros R. destruct (pi_shift (pi p r s) s) as [m M]. rewrite pi_parity in M.
  destruct (pi_shift r s) as [n N]. pose proof (pi_range (pi p r s) s).
  apply (same_residue _ _ (m + n)); auto. rewrite M, N. destruct (Z.even r); cbn [negb]; ring.
Qed.

Lemma heard_reaches w : forall q, 0 <= q < p -> reaches (pi p) q (length w) 0 (from w q) = true.
Proof.
  induction w as [|b v IH]; intros q Q; cbn [from length].
  - cbn. apply Z.eqb_refl.
  - apply (reaches_append (pi p) q (length v) 0 _ (if b then pi p q (length v) else q)).
    + apply IH. destruct b; auto using pi_range.
    + destruct b; [left; cbn; auto using pi_pairs | right; auto].
Qed.

(* The reduce-scatter of every even p: what any rank x contributes to block q ends on rank q. With Peers.v: nothing is sent twice, and
   the owner keeps its own. *)
Theorem reduce_scatter L x q : p <= pow L -> 0 <= x < p -> 0 <= q < p -> ends (pi p) q L 0 x = q.
Proof.
  intros P X Q. apply exactly_once. destruct (cover L q x P Q X) as [w [W F]]. subst L. rewrite <- F. now apply heard_reaches.
Qed.

End Ranks.

Print Assumptions cover.
Print Assumptions unique.
Print Assumptions reduce_scatter.
