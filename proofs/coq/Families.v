(* Why a user's formula for the peers is exactly once for every p.

   Four families have theorems here: reflections (even ranks move by f(s), odd ones by -f(s)), shifts (all by f(s)), reflections in
   which even and odd ranks exchange in the first step only, and r xor f(s). The hypotheses are arithmetic, sentence by sentence
   what `verify prove --peer` asks a solver. Of the first two: the steps before s reach an interval lo .. hi of offsets, and all steps
   together p of them; a reflection may add an even number to f(s). Of the third: f(0) is odd, and else f(s) is 2^s or -2^s.
   For xor, bit s is the highest of f(s).

   Example: f(s) = 2^s as a shift. The intervals are 0 .. 2^s - 1, so 3 lo = 0 and 3 hi = 3 * 2^s - 3. *)
Require Import ZArith Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Catalogue Formulas Offsets.
Open Scope Z_scope.

(* lia knows div and mod. *)
Local Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.

Lemma bit_of_nat a n : Z.testbit (Z.of_nat a) (Z.of_nat n) = Nat.testbit a n.
Proof.
  rewrite Z.testbit_eqb, Nat.testbit_eqb, <- (Nat2Z.inj_pow 2), <- Nat2Z.inj_div, <- (Nat2Z.inj_mod _ 2) by lia.
  destruct (Nat.eqb_spec ((a / 2 ^ n) mod 2) 1) as [->|N]; [reflexivity|]. apply Z.eqb_neq. lia.
Qed.

(* What solvers are told of a step: 2^s is pw, s mod 2 is parity, and rho(s) is rho. *)
Definition step_is (s parity pw rho : Z) (goal : Prop) : Prop :=
  0 <= s -> 1 <= pw -> parity = 0 \/ parity = 1 -> 3 * rho = (if parity =? 0 then 1 + 2 * pw else 1 - 2 * pw) -> goal.

(* Written as the solvers' sentences are *)
Definition least (a b : Z) : Z := if a <=? b then a else b.
Definition most (a b : Z) : Z := if a <=? b then b else a.
Definition size (a : Z) : Z := if 0 <=? a then a else - a.

Lemma minus_two_to n : (-2) ^ Z.of_nat n = if Z.of_nat n mod 2 =? 0 then 2 ^ Z.of_nat n else - 2 ^ Z.of_nat n.
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite Nat2Z.inj_succ, !Z.pow_succ_r, IH by lia.
  destruct (Z.eqb_spec (Z.of_nat n mod 2) 0), (Z.eqb_spec (Z.succ (Z.of_nat n) mod 2) 0); lia.
Qed.

Lemma thirds n : exists k, (-2) ^ Z.of_nat n = 1 + 3 * k.
Proof.
  induction n as [|n [k K]]; [now exists 0|]. exists (-1 - 2 * k). rewrite Nat2Z.inj_succ, Z.pow_succ_r, K by lia. ring.
Qed.

Lemma step_holds s goal : step_is (Z.of_nat s) (Z.of_nat s mod 2) (2 ^ Z.of_nat s) (rho (Z.of_nat s)) goal -> goal.
Proof.
  intros H. assert (0 < 2 ^ Z.of_nat s) as W by (apply Z.pow_pos_nonneg; lia). apply H; [lia | lia | lia |].
  unfold rho. replace (Z.of_nat s + 1) with (Z.of_nat (S s)) by lia. destruct (thirds (S s)) as [k K].
  assert ((-2) ^ Z.of_nat (S s) = -2 * (-2) ^ Z.of_nat s) as M by (rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia).
  rewrite (minus_two_to s) in M. destruct (Z.eqb_spec (Z.of_nat s mod 2) 0); lia.
Qed.

(* The obligations. f, lo and hi are given as functions of s, parity, pw and, for f, rho; the last two times 3. `ends s pw p` holds
   after the last step. *)
Section Obligations.
Variable f : Z -> Z -> Z -> Z -> Z.
Variables lo3 hi3 : Z -> Z -> Z -> Z.

Definition interval (s parity pw lo hi : Z) : Prop := 3 * lo = lo3 s parity pw /\ 3 * hi = hi3 s parity pw.

Definition begin_holds : Prop := forall s parity pw rho lo hi : Z,
  s = 0 -> parity = 0 -> pw = 1 -> rho = 1 -> lo = 0 -> hi = 0 -> interval s parity pw lo hi.

(* A step joins the interval and its image, which adjoin or overlap (beside), and makes the next one. *)
Definition grows_as (low high : Z -> Z -> Z -> Z) (beside : Z -> Z -> Z -> Prop) : Prop :=
  forall s parity pw rho lo hi v s2 parity2 pw2 lo2 hi2 : Z,
  step_is s parity pw rho (interval s parity pw lo hi -> v = f s parity pw rho ->
    lo2 = low lo hi v -> hi2 = high lo hi v -> s2 = s + 1 -> pw2 = 2 * pw -> parity2 = 1 - parity ->
    beside lo hi v /\ interval s2 parity2 pw2 lo2 hi2).

Definition reflection_grows : Prop := grows_as
  (fun lo hi v => least lo (v - hi)) (fun lo hi v => most hi (v - lo)) (fun lo hi v => v = 2 * hi + 1 \/ v = 2 * lo - 1).
Definition shift_grows : Prop := grows_as
  (fun lo hi v => least lo (lo + v)) (fun lo hi v => most hi (hi + v)) (fun lo hi v => ~ v = 0 /\ size v <= hi - lo + 1).

Definition odd_holds : Prop := forall s parity pw rho lo hi v : Z,
  step_is s parity pw rho (interval s parity pw lo hi -> v = f s parity pw rho -> v mod 2 = 1).

Definition covers_holds (ends : Z -> Z -> Z -> Prop) : Prop := forall s parity pw rho lo hi p d m t e : Z,
  step_is s parity pw rho (interval s parity pw lo hi -> 1 <= p -> d - lo = m + t -> 0 <= t /\ t < p -> e = lo + t -> ends s pw p ->
    (lo <= e /\ e <= hi) /\ d - e = m).

Definition meets_holds : Prop := forall s parity pw rho : Z,
  step_is s parity pw rho (s = 0 -> parity = 0 -> pw = 1 -> rho = 1 -> f s parity pw rho mod 2 = 1).

Definition doubles_holds : Prop := forall s parity pw rho : Z,
  step_is s parity pw rho (1 <= s -> f s parity pw rho = pw \/ f s parity pw rho = - pw).

Definition top_holds : Prop := forall s parity pw rho : Z,
  step_is s parity pw rho (pw <= f s parity pw rho /\ f s parity pw rho < 2 * pw).

(* f at step s *)
Definition at_step (s : Z) : Z := f s (s mod 2) (2 ^ s) (rho s).

Section Growth.
Variables low high : Z -> Z -> Z -> Z.
Variable beside : Z -> Z -> Z -> Prop.
Hypothesis begins : begin_holds.
Hypothesis grows : grows_as low high beside.

Fixpoint reach (s : nat) : Z * Z :=
  match s with
  | O => (0, 0)
  | S k => let (l, h) := reach k in (low l h (at_step (Z.of_nat k)), high l h (at_step (Z.of_nat k)))
  end.
Definition lo (s : nat) : Z := fst (reach s).
Definition hi (s : nat) : Z := snd (reach s).

Lemma reach_next s : lo (S s) = low (lo s) (hi s) (at_step (Z.of_nat s)) /\ hi (S s) = high (lo s) (hi s) (at_step (Z.of_nat s)).
Proof. unfold lo, hi. cbn [reach]. destruct (reach s). auto. Qed.

Definition interval_at (s : nat) : Prop := interval (Z.of_nat s) (Z.of_nat s mod 2) (2 ^ Z.of_nat s) (lo s) (hi s).

Lemma grown s : interval_at s -> beside (lo s) (hi s) (at_step (Z.of_nat s)) /\ interval_at (S s).
Proof.
  intros I. destruct (reach_next s) as [L H]. apply (step_holds s).
  intros A B C D. apply (grows _ _ _ _ _ _ (at_step (Z.of_nat s)) _ _ _ _ _ A B C D I); auto; try lia.
  rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia.
Qed.

Lemma interval_always s : interval_at s.
Proof. induction s as [|s IH]; [now apply (begins 0 0 1 1 0 0) | now apply grown]. Qed.

Lemma all_residues ends p n : covers_holds ends -> 0 < p -> ends (Z.of_nat n) (2 ^ Z.of_nat n) p ->
  forall d, exists e k, lo n <= e <= hi n /\ d = e + k * p.
Proof.
  intros C P E d. pose proof (Z.mod_pos_bound (d - lo n) p P) as T.
  exists (lo n + (d - lo n) mod p), ((d - lo n) / p). apply (step_holds n). intros A B D F.
  destruct (C _ _ _ _ (lo n) (hi n) p d (p * ((d - lo n) / p)) ((d - lo n) mod p) (lo n + (d - lo n) mod p) A B D F
    (interval_always n)) as [L G]; auto; lia.
Qed.
End Growth.
End Obligations.

(* The number of steps: whole, at least 0, and enough. *)
Definition steps_end (number : Z -> Z) (ends : Z -> Z -> Z -> Prop) : Prop :=
  forall p, 1 <= p -> 0 <= number p /\ ends (number p) (2 ^ number p) p.

Lemma log2_up_ends : steps_end Z.log2_up (fun _ pw p => p <= pw).
Proof.
  intros p P. split; [apply Z.log2_up_nonneg|]. destruct (Z.eq_dec p 1) as [->|N]; [reflexivity|]. apply Z.log2_up_spec. lia.
Qed.

Lemma whole_steps number ends p : steps_end number ends -> (0 < p)%nat ->
  ends (Z.of_nat (steps_by number p)) (2 ^ Z.of_nat (steps_by number p)) (Z.of_nat p).
Proof. intros E P. destruct (E (Z.of_nat p)) as [N H]; [lia|]. unfold steps_by. now rewrite Z2Nat.id. Qed.

Section Families.
Variable formula : Z -> Z -> Z -> Z.
Variable number : Z -> Z.
Variable f : Z -> Z -> Z -> Z -> Z.
Variables lo3 hi3 : Z -> Z -> Z -> Z.
Variable ends : Z -> Z -> Z -> Prop.
Variable last_apart : option bool.
Let v s := at_step f (Z.of_nat s).

Section Reflection.
Variable c : Z -> Z.
Hypothesis reflects : forall r s p, 0 <= s -> formula r s p = if r mod 2 =? 0 then r + (at_step f s + c p) else r - (at_step f s + c p).
Hypothesis even : forall p, c p mod 2 = 0.
Hypothesis begins : begin_holds lo3 hi3.
Hypothesis grows : reflection_grows f lo3 hi3.
Hypothesis odd : odd_holds f lo3 hi3.
Hypothesis covered : covers_holds lo3 hi3 ends.
Hypothesis enough : steps_end number ends.

Let peer := peer_by formula.
Let moved (p s : nat) : Z := v s + c (Z.of_nat p).

Lemma reflection_odd s : v s mod 2 = 1.
Proof.
  apply (step_holds s). intros A B C D.
  exact (odd _ _ _ _ _ _ _ A B C D (interval_always f lo3 hi3 _ _ _ begins grows s) eq_refl).
Qed.

Lemma moved_odd p s : moved p s mod 2 = 1.
Proof. unfold moved. pose proof (reflection_odd s). pose proof (even (Z.of_nat p)). lia. Qed.

Lemma reflection_peer p x s : peer p x s = reflecting (moved p) p x s.
Proof. unfold peer, peer_by. rewrite reflects by lia. reflexivity. Qed.

Lemma other_parity p x s : (0 < p)%nat -> Nat.Even p -> Z.of_nat (peer p x s) mod 2 = 1 - Z.of_nat x mod 2.
Proof. intros P E. rewrite reflection_peer, (reflecting_parity p (moved p) P E). pose proof (moved_odd p s). lia. Qed.

Lemma reflection_mutual p x s : Nat.Even p -> (x < p)%nat -> peer p (peer p x s) s = x.
Proof.
  intros E X. rewrite !reflection_peer. pose proof (reflecting_before p (moved p) ltac:(lia) E x s X) as [_ B]. now rewrite moved_odd in B.
Qed.

Lemma reflection_covers p : (0 < p)%nat -> Nat.Even p -> covers_by formula number p.
Proof.
  intros P E. apply (covers_same p _ (reflecting (moved p) p)); [intros; symmetry; apply reflection_peer|].
  apply renamed_covers; auto using reflection_odd.
  apply (reflecting_covers p v P E _ (fun s d => lo f (fun lo hi v => least lo (v - hi)) (fun lo hi v => most hi (v - lo)) s <= d <=
    hi f (fun lo hi v => least lo (v - hi)) (fun lo hi v => most hi (v - lo)) s)).
  - intros d. cbn. lia.
  - intros s d _ D. destruct (reach_next f (fun lo hi v => least lo (v - hi)) (fun lo hi v => most hi (v - lo)) s) as [L H].
    rewrite L, H in D. destruct (grown f lo3 hi3 _ _ _ grows s (interval_always f lo3 hi3 _ _ _ begins grows s)) as [B _].
    unfold turned_back. rewrite reflection_odd. change (1 =? 0) with false. cbn match. fold (v s) in *. unfold least, most in D.
    set (l := lo _ _ _ s) in *. set (h := hi _ _ _ s) in *. clearbody l h.
    destruct (Z.leb_spec l (v s - h)), (Z.leb_spec h (v s - l)); lia.
  - eapply (all_residues f lo3 hi3 _ _ _ begins grows ends _ _ covered); [lia|]. exact (whole_steps number ends p enough P).
Qed.

Lemma reflection_pairs p : (1 < p)%nat -> Nat.Even p -> pairs_all formula number p = true.
Proof.
  intros P E. apply pairs_all_true. split; [apply (covers_some formula); auto; apply reflection_covers; auto; lia|].
  intros s x _ X. split; [|now apply reflection_mutual]. intros H. pose proof (other_parity p x s ltac:(lia) E) as O.
  unfold peer in O. rewrite H in O. lia.
Qed.

Lemma reflection_moves p : stays formula number p = false.
Proof.
  destruct (stays formula number p) eqn:S; auto. exfalso. unfold stays in S. apply existsb_exists in S as (s & _ & S).
  apply existsb_exists in S as (x & _ & S). apply Z.eqb_eq in S. rewrite reflects in S by lia.
  pose proof (moved_odd p s) as O. unfold moved, v in O. destruct (_ =? 0) in S; replace (at_step f _ + _) with 0 in O by lia; discriminate.
Qed.

Theorem moved_reflection_once p : (0 < p)%nat -> (last_apart = Some false -> Nat.Even p) -> once_by formula number last_apart p.
Proof.
  intros P W. apply covered_once; auto; intros A.
  - destruct (Nat.Even_or_Odd p) as [E|O]; [now apply reflection_covers|].
    destruct (Nat.eq_dec p 1) as [->|N].
    + apply one_covers.
    + exfalso. assert (apart formula number last_apart p = true) as T; [|congruence]. unfold apart.
      pose proof O as [h H]. pose proof O as D. apply Nat.odd_spec in D as ->. rewrite (proj2 (Nat.ltb_lt 1 p)) by lia.
      destruct last_apart as [[]|]; auto.
      * apply Nat.Even_Odd_False in O; [contradiction | auto].
      * rewrite reflection_moves, !reflection_pairs; auto; try lia.
        -- exists (h + 1)%nat. lia.
        -- exists h. lia.
  - apply apart_true in A as ([h H] & L). apply reflection_covers; [lia | exists h; lia].
Qed.
End Reflection.

Theorem reflection_once : (forall r s p, 0 <= s -> formula r s p = if r mod 2 =? 0 then r + at_step f s else r - at_step f s) ->
  begin_holds lo3 hi3 -> reflection_grows f lo3 hi3 -> odd_holds f lo3 hi3 -> covers_holds lo3 hi3 ends -> steps_end number ends ->
  forall p, (0 < p)%nat -> (last_apart = Some false -> Nat.Even p) -> once_by formula number last_apart p.
Proof.
  intros R. apply moved_reflection_once with (c := fun _ => 0); auto. intros r s p S. rewrite R by auto. now rewrite Z.add_0_r.
Qed.

Section Shift.
Hypothesis shifts : forall r s p, 0 <= s -> formula r s p = r + at_step f s.
Hypothesis begins : begin_holds lo3 hi3.
Hypothesis grows : shift_grows f lo3 hi3.
Hypothesis covered : covers_holds lo3 hi3 ends.
Hypothesis enough : steps_end number ends.

Lemma shift_peer p x s : (0 < p)%nat -> Z.of_nat (peer_by formula p x s) = (Z.of_nat x + v s) mod Z.of_nat p.
Proof. intros P. rewrite of_peer, shifts by lia. reflexivity. Qed.

Lemma shift_covers p : (0 < p)%nat -> covers_by formula number p.
Proof.
  intros P. apply (covers_same p _ (shifting v p)); [intros x s _ _; unfold peer_by; now rewrite shifts by lia|].
  apply (shifting_hits v _ p (fun s d => lo f (fun lo hi v => least lo (lo + v)) (fun lo hi v => most hi (hi + v)) s <= d <=
    hi f (fun lo hi v => least lo (lo + v)) (fun lo hi v => most hi (hi + v)) s)); auto.
  - intros d. cbn. lia.
  - intros s d _ D. destruct (reach_next f (fun lo hi v => least lo (lo + v)) (fun lo hi v => most hi (hi + v)) s) as [L H].
    rewrite L, H in D. destruct (grown f lo3 hi3 _ _ _ grows s (interval_always f lo3 hi3 _ _ _ begins grows s)) as [[_ B] _].
    fold (v s) in *. unfold least, most, size in *.
    set (l := lo _ _ _ s) in *. set (h := hi _ _ _ s) in *. clearbody l h.
    destruct (Z.leb_spec l (l + v s)), (Z.leb_spec h (h + v s)), (Z.leb_spec 0 (v s)); lia.
  - eapply (all_residues f lo3 hi3 _ _ _ begins grows ends _ _ covered); [lia|]. exact (whole_steps number ends p enough P).
Qed.

Theorem shift_once p : (0 < p)%nat -> once_by formula number last_apart p.
Proof. intros P. apply covered_once; auto; intros A; apply shift_covers; auto. apply apart_true in A. lia. Qed.
End Shift.
End Families.

(* Even and odd ranks exchange in the first step only. *)
Section Mixed.
Variable formula : Z -> Z -> Z -> Z.
Variable f : Z -> Z -> Z -> Z -> Z.
Variable last_apart : option bool.
Let v s := at_step f (Z.of_nat s).
Hypothesis reflects : forall r s p, 0 <= s -> formula r s p = if r mod 2 =? 0 then r + at_step f s else r - at_step f s.
Hypothesis meets : meets_holds f.
Hypothesis doubles : doubles_holds f.

Theorem mixed_once p : (0 < p)%nat -> Nat.Even p -> once_by formula Z.log2_up last_apart p.
Proof.
  intros P E. pose proof E as [h H]. apply covered_once; auto; intros A.
  - apply (covers_same p _ (reflecting v p)); [intros x s _ _; unfold reflecting, peer_by; now rewrite reflects by lia|].
    pose proof (whole_steps Z.log2_up _ p log2_up_ends P) as W. cbv beta in W. set (n := steps_by Z.log2_up p) in *. clearbody n.
    assert (0 < n)%nat by (destruct n; [cbn in W|]; lia).
    assert (v 0%nat mod 2 = 1) as O by (apply (step_holds 0); intros A' B' C' D'; exact (meets _ _ _ _ A' B' C' D' eq_refl eq_refl eq_refl eq_refl)).
    assert (forall s, (0 < s)%nat -> v s = 2 ^ Z.of_nat s \/ v s = - 2 ^ Z.of_nat s) as D.
    { intros s S. apply (step_holds s). intros A' B' C' D'. apply (doubles _ _ _ _ A' B' C' D'). lia. }
    apply (mixed_covers v n 0); auto.
    + intros s _ N. pose proof (D s ltac:(lia)) as [-> | ->]; destruct s; try lia; rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia; lia.
    + unfold powers. rewrite map_map. unfold without_meeting. cbn [seq app]. replace (n - 1)%nat with (pred n) by lia.
      enough (map (fun x => Z.abs (v x)) (seq 1 (pred n)) = map (fun i => 2 ^ Z.of_nat i) (seq 1 (pred n))) as -> by reflexivity.
      apply map_ext_in. intros s S. apply in_seq in S. pose proof (D s ltac:(lia)). pose proof (Z.pow_pos_nonneg 2 (Z.of_nat s)). lia.
  - apply apart_true in A as (O & _). apply Nat.Even_Odd_False in E; auto. contradiction.
Qed.
End Mixed.

(* For p = 2^a, with a steps *)
Section Xor.
Variable formula : Z -> Z -> Z -> Z.
Variable f : Z -> Z -> Z -> Z -> Z.
Variable last_apart : option bool.
Let v s := at_step f (Z.of_nat s).
Hypothesis flips : forall r s p, 0 <= s -> formula r s p = Z.lxor r (at_step f s).
Hypothesis top : top_holds f.

Lemma top_bits s : (2 ^ s <= Z.to_nat (v s) < 2 ^ S s)%nat.
Proof.
  assert (2 ^ Z.of_nat s <= v s < 2 * 2 ^ Z.of_nat s) as [L U] by (apply (step_holds s); intros A B C D; now apply top).
  assert (2 ^ Z.of_nat s = Z.of_nat (2 ^ s)) as E by now rewrite Nat2Z.inj_pow. rewrite Nat.pow_succ_r'. lia.
Qed.

Lemma xor_peer a x s : (s < a)%nat -> (x < 2 ^ a)%nat -> peer_by formula (2 ^ a) x s = flipped (fun s => Z.to_nat (v s)) x s.
Proof.
  intros S X. pose proof (flipped_below _ top_bits a x s S X) as B. pose proof (top_bits s) as T. pose proof (Nat.pow_nonzero 2 s).
  apply Nat2Z.inj. rewrite of_peer, flips by lia. unfold flipped in *.
  assert (Z.lxor (Z.of_nat x) (at_step f (Z.of_nat s)) = Z.of_nat (Nat.lxor x (Z.to_nat (v s)))) as ->; [|apply Z.mod_small; lia].
  replace (at_step f (Z.of_nat s)) with (Z.of_nat (Z.to_nat (v s))) by (unfold v in *; lia).
  apply Z.bits_inj'. intros n N. rewrite Z.lxor_spec, <- (Z2Nat.id n), !bit_of_nat by auto. now rewrite Nat.lxor_spec.
Qed.

Theorem xor_once a : once_by formula Z.log2_up last_apart (2 ^ a).
Proof.
  pose proof (Nat.pow_nonzero 2 a). apply covered_once; [lia| |].
  - intros _. unfold covers_by. replace (steps_by Z.log2_up (2 ^ a)) with a.
    + destruct (top_bits_cover _ top_bits a) as [R C]. split; [intros; apply peer_in_range; lia|].
      intros q x Q X. rewrite <- (C q x Q X).
      assert (forall m t y, (t + m <= a)%nat -> (y < 2 ^ a)%nat ->
        reaches (peer_by formula (2 ^ a)) q m t y = reaches (flipped (fun s => Z.to_nat (v s))) q m t y) as G;
        [|apply G; auto; lia].
      induction m as [|m IH]; intros t y T Y; cbn; auto. rewrite !IH, xor_peer; auto; try lia. apply peer_in_range. lia.
    + unfold steps_by. rewrite Nat2Z.inj_pow, Z.log2_up_pow2 by lia. lia.
  - intros A. apply apart_true in A as ([h O] & L). destruct a as [|a]; [cbn in L; lia|]. rewrite Nat.pow_succ_r' in O. lia.
Qed.
End Xor.

(* For the files that `verify prove --emit-coq` writes: a formula as it is written is one of a family. *)
Ltac cases := repeat match goal with
  | |- context [if ?c then _ else _] => let E := fresh in destruct c eqn:E
  | H : context [if ?c then _ else _] |- _ => let E := fresh in destruct c eqn:E
  end.

Ltac powers := unfold delta; rewrite ?Z.shiftl_mul_pow2, ?Z.pow_add_r by lia; repeat match goal with
  | |- context [2 ^ Z0] => change (2 ^ 0) with 1
  | |- context [2 ^ Zpos ?k] => let w := eval vm_compute in (2 ^ Zpos k) in change (2 ^ Zpos k) with w
  end.

Ltac same_number := first [reflexivity | powers; cases; lia].
Ltac same_peers := first [reflexivity | apply f_equal; same_number | rewrite Z.lxor_comm; apply f_equal; same_number | same_number].
