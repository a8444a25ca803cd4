(* Kolmakov's and Zhang's folding with steps removed from its distribution, for every p and every number of removed steps, over products
   of cyclic groups. Where an odd number of sums is folded one rests, and falls behind the others: ranks may then need two sums of a
   block, and keep the one that rested in a copy. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Cells Copies Folding.
Import ListNotations.

(* Vector m is the set of all blocks that are m places to the left of their ranks. N(0) = n vectors are folded, `left n t` are left after
   t steps; then those from 0 to `targets` - 1 are complete. *)
Section Fold.
Variables n removed : nat.

Definition folds : nat := Nat.log2_up n.
Definition targets : nat := left n (folds - removed).
Definition shift (t : nat) : nat := left n t / 2.

(* Before step t, the sum of a vector that is not to rest is needed at 1 .. targets + N - 2, around the ring; that of one that rests, at
   the targets. *)
Definition moving (t m : nat) : bool := (t <? folds) && ((if m =? 0 then n else m) <=? targets + left n t - 2).
Definition resting (m : nat) : bool := m <? targets.

(* The first odd number: from its step on there are two different sums. *)
Fixpoint first_odd (t more : nat) : nat :=
  match more with O => t | S k => if Nat.even (left n t) then first_odd (S t) k else t end.
Definition odd_step : nat := first_odd 0 folds.
Definition apart (m : nat) : bool := resting m && moving (S odd_step) m.

(* What becomes of vector m at step t: in the block itself, and in the copy *)
Definition adds (t m : nat) : bool :=
  moving (S t) m || (Nat.even (left n t) && resting m && negb ((odd_step <? t) && apart m)).
Definition adds_to_copy (t m : nat) : bool := (odd_step <? t) && Nat.even (left n t) && apart m.

(* How often the contribution of a rank d places to the right is in such a sum *)
Fixpoint moved (t d : nat) : nat := match t with O => if d =? 0 then 1 else 0 | S k => moved k d + moved k ((d + (n - shift k)) mod n) end.
Fixpoint rested (t d : nat) : nat :=
  match t with
  | O => if d =? 0 then 1 else 0
  | S k => if Nat.even (left n k) then rested k d + moved k ((d + (n - shift k)) mod n) else rested k d
  end.

Hypothesis some : 0 < n.
Hypothesis enough : removed <= folds.

Lemma left_positive t : 0 < left n t.
Proof.
  induction t as [|t IH]; cbn [left]; auto. pose proof (half_up (left n t)). lia.
Qed.

Lemma left_many t : n <= 2 ^ t * left n t.
Proof.
  induction t as [|t IH]; cbn [left]; [cbn; lia|]. pose proof (half_up (left n t)). rewrite Nat.pow_succ_r'.
  transitivity (2 ^ t * left n t); auto. nia.
Qed.

Lemma left_two t : t < folds -> 2 <= left n t.
Proof.
  intros T. pose proof (left_positive t). destruct (Nat.eq_dec (left n t) 1) as [E|]; [|lia]. exfalso.
  pose proof (left_many t) as M. rewrite E, Nat.mul_1_r in M. apply (Nat.log2_up_le_pow2 n t some) in M. unfold folds in T. lia.
Qed.

Lemma left_one : left n folds = 1.
Proof.
  pose proof (left_positive folds). pose proof (left_power n folds folds) as L. rewrite Nat.sub_diag in L. cbn in L.
  enough (n <= 2 ^ folds) by lia. apply Nat.log2_up_le_pow2; auto.
Qed.

Lemma shift_some t : t < folds -> 0 < shift t < n.
Proof.
  intros T. pose proof (left_two t T). pose proof (left_shrinks n 0 t ltac:(lia)) as S. cbn [left] in S. unfold shift. split.
  - apply Nat.div_str_pos. lia.
  - apply Nat.div_lt_upper_bound; lia.
Qed.

Lemma left_next t : left n (S t) + shift t = left n t.
Proof. cbn [left]. unfold shift. pose proof (halves (left n t)). lia. Qed.

Lemma even_shift t : Nat.even (left n t) = true -> left n t = 2 * shift t.
Proof. intros E. apply Nat.even_spec in E as [k E]. unfold shift. rewrite E, Nat.mul_comm, Nat.div_mul; lia. Qed.

Lemma odd_shift t : Nat.even (left n t) = false -> left n t = 2 * shift t + 1.
Proof.
  intros E. assert (Nat.Odd (left n t)) as [k O] by (apply Nat.odd_spec; rewrite <- Nat.negb_even, E; auto). unfold shift. rewrite O.
  replace (2 * k + 1) with (1 + k * 2) at 2 by lia. rewrite Nat.div_add by lia. cbn. lia.
Qed.

Lemma targets_some : 0 < targets <= n.
Proof. unfold targets. pose proof (left_positive (folds - removed)). pose proof (left_shrinks n 0 (folds - removed) ltac:(lia)) as S. cbn [left] in S. lia. Qed.

(* The first odd step *)
Lemma first_odd_range more : forall t, t <= first_odd t more <= t + more.
Proof. induction more as [|k IH]; intros t; cbn [first_odd]; [lia|]. destruct (Nat.even (left n t)); [specialize (IH (S t))|]; lia. Qed.

Lemma first_odd_even more : forall t u, t <= u < first_odd t more -> Nat.even (left n u) = true.
Proof.
  induction more as [|k IH]; intros t u; cbn [first_odd]; [lia|]. destruct (Nat.even (left n t)) eqn:E; [|lia].
  intros U. destruct (Nat.eq_dec u t) as [->|]; auto. apply (IH (S t)). lia.
Qed.

Lemma first_odd_odd more : forall t, first_odd t more < t + more -> Nat.even (left n (first_odd t more)) = false.
Proof.
  induction more as [|k IH]; intros t; cbn [first_odd]; [lia|]. destruct (Nat.even (left n t)) eqn:E; auto.
  intros L. apply IH. lia.
Qed.

Lemma before_odd t : t < odd_step -> Nat.even (left n t) = true.
Proof. intros T. apply (first_odd_even folds 0). unfold odd_step in T. lia. Qed.

Lemma at_odd : odd_step < folds -> Nat.even (left n odd_step) = false.
Proof. intros L. apply first_odd_odd. exact L. Qed.

Lemma first_odd_here t : t < folds -> Nat.even (left n t) = false -> odd_step <= t.
Proof. intros T E. destruct (le_lt_dec odd_step t) as [L|L]; auto. apply before_odd in L. congruence. Qed.

(* Until the first odd step both sums are the same. *)
Lemma one_sum t d : t <= odd_step -> rested t d = moved t d.
Proof.
  revert d. induction t as [|t IH]; intros d T; cbn [rested moved]; auto. rewrite before_odd by lia. now rewrite IH by lia.
Qed.

(* Everybody's contribution is once in a vector that rests and in those that move to it. *)
Definition back (d k : nat) : nat := (d + (n - k)) mod n.

Lemma back_back d k f : k + f <= n -> back (back d k) f = back d (k + f).
Proof.
  intros K. unfold back. rewrite Nat.add_mod_idemp_l by lia. replace (d + (n - k) + (n - f)) with (d + (n - (k + f)) + 1 * n) by lia.
  now rewrite Nat.mod_add by lia.
Qed.

Lemma sum_two (h g : nat -> nat) l : list_sum (map (fun k => h k + g k) l) = list_sum (map h l) + list_sum (map g l).
Proof. induction l as [|k l IH]; [reflexivity|]. rewrite !sum_cons. lia. Qed.

Lemma seq_from f j : forall a, map (fun k => k + f) (seq a j) = seq (a + f) j.
Proof. induction j as [|j IH]; intros a; cbn [seq map]; auto. now rewrite IH. Qed.

Lemma sum_split (h : nat -> nat) a b : list_sum (map h (seq a (b + b))) = list_sum (map (fun k => h k + h (k + b)) (seq a b)).
Proof. now rewrite seq_app, map_app, list_sum_app, sum_two, <- seq_from, map_map. Qed.

Lemma sum_ext (h g : nat -> nat) l : (forall k, In k l -> h k = g k) -> list_sum (map h l) = list_sum (map g l).
Proof. intros E. f_equal. now apply map_ext_in. Qed.

Lemma all_once t d : t <= folds -> d < n -> rested t d + list_sum (map (fun k => moved t (back d k)) (seq 1 (left n t - 1))) = 1.
Proof.
  revert d. induction t as [|t IH]; intros d T D.
  - cbn [left rested moved]. destruct (Nat.eqb_spec d 0) as [->|N].
    + rewrite sum_none; auto. intros k K. apply in_seq in K. unfold back. rewrite Nat.mod_small by lia.
      destruct (Nat.eqb_spec (0 + (n - k)) 0); lia.
    + rewrite (sum_one _ _ d).
      * unfold back. replace (d + (n - d)) with n by lia. rewrite Nat.mod_same by lia. reflexivity.
      * apply seq_NoDup.
      * apply in_seq. lia.
      * intros k K Dk. apply in_seq in K. unfold back. destruct (Nat.eqb_spec ((d + (n - k)) mod n) 0) as [E|]; auto. exfalso.
        destruct (le_lt_dec k d) as [L|L].
        -- replace (d + (n - k)) with (d - k + 1 * n) in E by lia. rewrite Nat.mod_add, Nat.mod_small in E by lia. lia.
        -- rewrite Nat.mod_small in E by lia. lia.
  - specialize (IH d ltac:(lia) D). etransitivity; [|exact IH]. clear IH. pose proof (shift_some t ltac:(lia)) as F.
    pose proof (left_next t) as L. pose proof (left_shrinks n 0 t ltac:(lia)) as N. cbn [left] in N. cbn [rested]. fold (back d (shift t)).
    replace (left n (S t)) with (left n t - shift t) by lia. clear L.
    assert (forall k, k + shift t < n -> moved (S t) (back d k) = moved t (back d k) + moved t (back d (k + shift t))) as M.
    { intros k K. cbn [moved]. fold (back (back d k) (shift t)). now rewrite back_back by lia. }
    destruct (Nat.even (left n t)) eqn:E.
    + apply even_shift in E. replace (left n t - 1) with (shift t - 1 + 1 + (shift t - 1)) by lia.
      replace (left n t - shift t - 1) with (shift t - 1) by lia.
      rewrite (sum_ext _ (fun k => moved t (back d k) + moved t (back d (k + shift t)))) by (intros k K; apply in_seq in K; apply M; lia).
      rewrite (seq_app (shift t - 1 + 1)), (seq_app (shift t - 1)), !map_app, !list_sum_app, sum_two.
      replace (1 + (shift t - 1 + 1)) with (1 + shift t) by lia. replace (1 + (shift t - 1)) with (shift t) by lia.
      rewrite <- (seq_from (shift t)), map_map. cbn [seq]. rewrite (sum_cons _ (shift t) []). change (list_sum (map _ [])) with 0. lia.
    + apply odd_shift in E. replace (left n t - 1) with (shift t + shift t) by lia. replace (left n t - shift t - 1) with (shift t) by lia.
      rewrite (sum_ext _ (fun k => moved t (back d k) + moved t (back d (k + shift t)))) by (intros k K; apply in_seq in K; apply M; lia). now rewrite sum_split.
Qed.

Theorem rested_once d : d < n -> rested folds d = 1.
Proof. intros D. pose proof (all_once folds d (le_n _) D) as A. rewrite left_one in A. cbn in A. lia. Qed.

(* Where what is needed *)
Lemma moving_range t k : t < folds -> 0 < k <= targets + left n t - 2 -> moving t (k mod n) = true.
Proof.
  intros T K. unfold moving. apply Nat.ltb_lt in T as ->. cbn [andb]. apply Nat.leb_le.
  pose proof (Nat.div_mod k n ltac:(lia)). pose proof (Nat.mod_upper_bound k n ltac:(lia)).
  destruct (Nat.eqb_spec (k mod n) 0) as [E|E]; [assert (0 < k / n) by nia|]; nia.
Qed.

Lemma moving_some t m : moving t m = true -> m < n -> t < folds /\ exists k, m = k mod n /\ 0 < k <= targets + left n t - 2.
Proof.
  unfold moving. rewrite andb_true_iff, Nat.ltb_lt, Nat.leb_le. intros [T K] M. split; auto.
  destruct (Nat.eqb_spec m 0) as [->|N]; [exists n | exists m].
  - rewrite Nat.mod_same; lia.
  - rewrite Nat.mod_small; lia.
Qed.

Lemma moving_before t u m : t <= u -> moving u m = true -> moving t m = true.
Proof.
  unfold moving. rewrite !andb_true_iff, !Nat.ltb_lt, !Nat.leb_le. intros T [U K]. pose proof (left_shrinks n t u T). lia.
Qed.

Lemma apart_moves t m : odd_step < t -> resting m = true -> moving t m = true -> apart m = true.
Proof. intros T R M. unfold apart. rewrite R. cbn [andb]. apply (moving_before (S odd_step) t); auto. Qed.

(* What is added at a vector is needed at the one from which it comes. *)
Lemma adds_from t m : t < folds -> m < n -> adds t m = true -> moving t ((m + shift t) mod n) = true.
Proof.
  intros T M A. pose proof (left_next t) as N. pose proof (shift_some t T) as S. unfold adds in A. apply orb_true_iff in A as [A|A].
  - apply moving_some in A as (_ & k & -> & K); auto. rewrite Nat.add_mod_idemp_l by lia. apply moving_range; auto. lia.
  - rewrite !andb_true_iff in A. destruct A as [[E R] _]. apply even_shift in E. apply Nat.ltb_lt in R. apply moving_range; auto. lia.
Qed.

Lemma copy_from t m : t < folds -> m < n -> adds_to_copy t m = true -> moving t ((m + shift t) mod n) = true.
Proof.
  intros T M A. unfold adds_to_copy, apart in A. rewrite !andb_true_iff in A. destruct A as [[_ E] [R _]].
  pose proof (shift_some t T) as S. apply even_shift in E. apply Nat.ltb_lt in R. apply moving_range; auto. lia.
Qed.
End Fold.
