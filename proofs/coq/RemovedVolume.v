(* Folding with removed steps: what a rank sends at a step. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge SwingAll Cells Copies Folding RemovedSteps RemovedOnce.
Import ListNotations.

(* One message: at a step a rank sends to one other rank at most, and receives from one at most. *)
Definition one_message (sch : cell_schedule) : Prop :=
  Forall (fun st => forall t u, In t st -> In u st -> giver t <> taker t -> giver u <> taker u -> (giver t = giver u <-> taker t = taker u)) sch.

(* All take from themselves, or each from a rank of its own. *)
Definition one_giver (g : taking) : Prop := exists (from to : rank -> rank), (forall x, to (from x) = x) /\
  forall x b k y j o, g x b k = Some (y, j, o) -> y = x \/ y = from x.

Lemma turn_back inner n x f : 0 < inner -> 0 < n -> f <= n -> turn inner n (turn inner n x f) (n - f) = x.
Proof.
  intros I N F. unfold turn at 1. rewrite turn_high, turn_low, turn_div by auto.
  replace (x / (n * inner) * n + (x / inner + f) mod n + (n - f)) with ((x / inner + f) mod n + (n - f) + x / (n * inner) * n) by lia.
  rewrite Nat.mod_add, Nat.add_mod_idemp_l by lia. replace (x / inner + f + (n - f)) with (x / inner + 1 * n) by lia. rewrite Nat.mod_add by lia.
  pose proof (Nat.div_mod x inner ltac:(lia)) as D. pose proof (Nat.div_mod (x / inner) n ltac:(lia)) as E.
  rewrite Nat.div_div, (Nat.mul_comm inner) in E by lia. nia.
Qed.

Lemma one_giver_message p g : one_giver g -> forall t u, In t (taken p g) -> In u (taken p g) -> giver t <> taker t -> giver u <> taker u ->
  (giver t = giver u <-> taker t = taker u).
Proof.
  intros (from & to & B & G) t u T U. apply in_taken in T as (x & b & k & y & j & o & _ & _ & T & ->).
  apply in_taken in U as (x' & b' & k' & y' & j' & o' & _ & _ & U & ->). cbn. intros N N'.
  destruct (G _ _ _ _ _ _ T) as [|E]; [congruence|]. destruct (G _ _ _ _ _ _ U) as [|E']; [congruence|]. subst. split; [|congruence].
  intros E. rewrite <- (B x), <- (B x'). congruence.
Qed.

Lemma shortened_givers factors : Forall proper factors -> forall kept, Forall one_giver (shortened factors kept).
Proof.
  induction 1 as [|[n removed] rest [N R] F IH]; intros kept; cbn [shortened]; [constructor|]. cbn [fst snd] in N, R.
  set (inner := extent (map fst rest)). assert (0 < inner) as I.
  { unfold inner, extent. clear - F. induction F as [|f fs [A _] _ IH]; cbn; [lia|]. nia. }
  assert (forall t, t < folds n -> shift n t <= n) as S by (intros t T; pose proof (shift_some n removed N R t T); lia).
  rewrite !Forall_app. split; [unfold reduction; apply Forall_app; split|split]; auto.
  - rewrite Forall_map. apply Forall_forall. intros t T. apply in_below in T.
    exists (fun x => turn inner n x (shift n t)), (fun x => turn inner n x (n - shift n t)). split; [intros x; apply turn_back; auto|].
    intros x b k y j o. unfold folding_step. destruct (kept x b); cbn [negb]; [|discriminate].
    destruct k; [destruct (_ && apart _ _ _); [intros E; injection E as <- _ _; auto|]; destruct (adds_to_copy _ _ _ _)|destruct (adds _ _ _ _)];
      try discriminate; intros E; injection E as <- _ _; auto.
  - destruct (existsb _ _); constructor; [|constructor]. exists (fun x => x), (fun x => x). split; auto.
    intros x b k y j o. unfold home_step. destruct (_ && _); [|discriminate]. intros E. injection E as <- _ _. auto.
  - unfold distribution. rewrite Forall_map. apply Forall_forall. intros t T. apply in_rev, in_below in T.
    exists (fun x => turn inner n x (n - shift n t)), (fun x => turn inner n x (n - (n - shift n t))). split; [intros x; apply turn_back; auto; lia|].
    intros x b k y j o. unfold spreading_step. destruct (_ && _); [|discriminate]. intros E. injection E as <- _ _. auto.
Qed.

Theorem removed_steps_one_message extents removed : Forall (fun n => 0 < n) extents -> one_message (removed_steps extents removed).
Proof.
  intros S. unfold one_message, removed_steps. rewrite Forall_map. eapply Forall_impl; [|apply shortened_givers, shares_proper, S].
  intros g G. now apply one_giver_message.
Qed.

(* The different blocks that rank y sends to others at a step. One that the receiver adds to two places travels once. *)
Definition sends (y : rank) (t : cell_transfer) : bool := (giver t =? y) && negb (taker t =? y).
Definition blocks_sent (y : rank) (st : list cell_transfer) : list block := nodup Nat.eq_dec (map reads (filter (sends y) st)).
Definition volume (y : rank) (sch : cell_schedule) : nat := list_sum (map (fun st => length (blocks_sent y st)) sch).

Lemma blocks_sent_at_most y st few : (forall t, In t st -> giver t = y -> taker t <> y -> In (reads t) few) ->
  length (blocks_sent y st) <= length few.
Proof.
  intros H. apply NoDup_incl_length; [apply NoDup_nodup|]. intros b B. apply nodup_In, in_map_iff in B as (t & <- & T).
  apply filter_In in T as [T S]. unfold sends in S. apply andb_true_iff in S as [G N]. apply Nat.eqb_eq in G.
  apply negb_true_iff, Nat.eqb_neq in N. auto.
Qed.

Lemma volume_app y a b : volume y (a ++ b) = volume y a + volume y b.
Proof. unfold volume. now rewrite map_app, list_sum_app. Qed.

Lemma volume_at_most y f (gs : list nat) (g : nat -> list cell_transfer) : (forall t, In t gs -> length (blocks_sent y (g t)) <= f t) ->
  volume y (map g gs) <= list_sum (map f gs).
Proof.
  unfold volume. rewrite map_map. induction gs as [|t gs IH]; intros H; [reflexivity|]. rewrite !sum_cons.
  specialize (H t (or_introl eq_refl)) as Ht. specialize (IH ltac:(intros u U; apply H; now right)). lia.
Qed.

(* One cyclic group *)
Section Cyclic.
Variables n removed : nat.
Hypothesis some : 0 < n.
Hypothesis enough : removed <= folds n.
Let kept : rank -> block -> bool := fun _ _ => true.

Lemma digit_places x b : x < n -> b < n -> b = (x + (n - places 1 n x b)) mod n.
Proof.
  intros X B. unfold places. rewrite !Nat.div_1_r, (Nat.mod_small x n), (Nat.mod_small b n) by auto. destruct (le_lt_dec b x) as [L|L].
  - replace (x + (n - b)) with (x - b + 1 * n) by lia. rewrite Nat.mod_add, (Nat.mod_small (x - b)) by lia.
    replace (x + (n - (x - b))) with (b + 1 * n) by lia. rewrite Nat.mod_add, Nat.mod_small by lia. reflexivity.
  - rewrite (Nat.mod_small (x + (n - b))) by lia. replace (x + (n - (x + (n - b)))) with b by lia. now rewrite Nat.mod_small by lia.
Qed.

(* Whoever adds at step t does so at `targets - 1 + shift t` vectors in a row. *)
Lemma adds_range t m : t < folds n -> m < n -> adds n removed t m || adds_to_copy n removed t m = true ->
  exists k, m = k mod n /\ In k (seq (if Nat.even (left n t) then 0 else 1) (targets n removed - 1 + shift n t)).
Proof.
  intros T M A. pose proof (shift_some n removed some enough t T). pose proof (left_next n removed some enough t) as N.
  pose proof (targets_some n removed some enough). setoid_rewrite in_seq.
  assert (m < targets n removed -> Nat.even (left n t) = true -> exists k, m = k mod n /\ (if Nat.even (left n t) then 0 else 1) <= k <
    (if Nat.even (left n t) then 0 else 1) + (targets n removed - 1 + shift n t)) as R.
  { intros R E. rewrite E. exists m. rewrite Nat.mod_small by auto. lia. }
  apply orb_true_iff in A as [A|A].
  - unfold adds in A. apply orb_true_iff in A as [A|A].
    + apply (moving_some n removed some enough) in A as (_ & k & -> & K); auto. exists k. split; auto.
      destruct (Nat.even (left n t)) eqn:E; [apply (even_shift n removed some enough) in E | apply (odd_shift n removed some enough) in E]; lia.
    + rewrite !andb_true_iff in A. destruct A as [[E A] _]. apply R; auto. now apply Nat.ltb_lt.
  - unfold adds_to_copy, apart in A. rewrite !andb_true_iff in A. destruct A as [[_ E] [A _]]. apply R; auto. now apply Nat.ltb_lt.
Qed.

Lemma folding_volume y t : t < folds n -> y < n ->
  length (blocks_sent y (taken n (folding_step 1 n removed kept t))) <= Nat.min n (targets n removed - 1 + shift n t).
Proof.
  intros T Y. pose proof (shift_some n removed some enough t T) as F. apply Nat.min_glb.
  - transitivity (length (seq 0 n)); [|now rewrite seq_length]. apply blocks_sent_at_most. intros u U G D. apply in_below.
    apply in_taken in U as (x & b & k & z & j & o & X & B & E & ->). cbn [giver taker reads] in *. subst z.
    unfold folding_step in E. cbn [kept negb] in E. destruct k; [destruct (_ && _); [congruence|]; destruct (adds_to_copy _ _ _ _)|destruct (adds _ _ _ _)];
      inversion E; subst; exact B.
  - set (x0 := turn 1 n y (n - shift n t)).
    transitivity (length (map (fun k => (x0 + (n - k mod n)) mod n)
      (seq (if Nat.even (left n t) then 0 else 1) (targets n removed - 1 + shift n t)))); [|now rewrite map_length, seq_length].
    apply blocks_sent_at_most. intros u U G D.
    apply in_taken in U as (x & b & k & z & j & o & X & B & E & ->). cbn [giver taker reads] in *. subst z.
    assert (y = turn 1 n x (shift n t) /\ j = false /\ adds n removed t (places 1 n x b) || adds_to_copy n removed t (places 1 n x b) = true) as (-> & -> & A).
    { unfold folding_step in E. cbn [kept negb] in E.
      destruct k; [destruct (_ && _); [congruence|]; destruct (adds_to_copy _ _ _ _) eqn:A|destruct (adds _ _ _ _) eqn:A]; inversion E; subst; auto.
      split; auto. split; auto. now rewrite orb_true_r. }
    assert (x0 = x) as -> by (apply turn_back; lia). cbn [copy_of].
    destruct (adds_range t (places 1 n x b) T ltac:(apply places_below; lia) A) as (k' & K & I).
    apply in_map_iff. exists k'. split; auto. rewrite <- K. symmetry. now apply digit_places.
Qed.

Lemma home_volume y : volume y (map (taken n) (if existsb (apart n removed) (seq 0 n) then [home_step 1 n removed kept] else [])) = 0.
Proof.
  destruct (existsb _ _); [|reflexivity].
  enough (length (blocks_sent y (taken n (home_step 1 n removed kept))) <= length (@nil block)) as Z
    by (unfold volume; cbn [map list_sum fold_right]; cbn [length] in Z; lia).
  apply blocks_sent_at_most. intros u U G D. exfalso. apply in_taken in U as (x & b & k & z & j & o & _ & _ & E & ->).
  unfold home_step in E. destruct (_ && _); [|discriminate]. cbn in *. inversion E. congruence.
Qed.

Lemma spreading_volume y t : t < folds n -> y < n -> length (blocks_sent y (taken n (spreading_step 1 n kept t))) <= shift n t.
Proof.
  intros T Y. pose proof (shift_some n removed some enough t T) as F. pose proof (left_next n removed some enough t) as N.
  set (x0 := turn 1 n y (n - (n - shift n t))).
  transitivity (length (map (fun m => (x0 + (n - m)) mod n) (seq (left n (S t)) (shift n t)))); [|now rewrite map_length, seq_length].
  apply blocks_sent_at_most. intros u U G D. apply in_taken in U as (x & b & k & z & j & o & X & B & E & ->).
  cbn [giver taker reads] in *. subst z. unfold spreading_step in E. cbn [kept andb] in E.
  destruct (_ && _) eqn:A in E; [|discriminate]. inversion E. subst. cbn [copy_of].
  rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt in A. destruct A as [[_ L] M].
  assert (x0 = x) as -> by (apply turn_back; lia). apply in_map_iff. exists (places 1 n x b). split; [symmetry; now apply digit_places|].
  apply in_seq. lia.
Qed.

Lemma shifts_sum k : k <= folds n -> list_sum (map (shift n) (seq 0 k)) + left n k = n.
Proof.
  induction k as [|k IH]; intros K; [reflexivity|]. rewrite seq_S, map_app, list_sum_app. cbn [plus]. rewrite (sum_cons _ k []).
  change (list_sum (map _ [])) with 0. pose proof (left_next n removed some enough k). specialize (IH ltac:(lia)). lia.
Qed.

Lemma few_targets : targets n removed <= 2 ^ removed.
Proof.
  unfold targets. pose proof (left_power n (folds n) (folds n - removed)) as P. replace (folds n - (folds n - removed)) with removed in P by lia.
  apply P; [|lia]. apply Nat.log2_up_le_pow2; auto.
Qed.

Lemma removed_steps_cyclic : removed_steps [n] removed =
  map (taken n) (map (folding_step 1 n removed kept) (seq 0 (folds n))) ++
  map (taken n) (if existsb (apart n removed) (seq 0 n) then [home_step 1 n removed kept] else []) ++
  map (taken n) (map (spreading_step 1 n kept) (rev (seq 0 (folds n - removed)))).
Proof.
  unfold removed_steps. cbn [shares map list_sum shortened fst extent fold_right]. rewrite Nat.mul_1_r, Nat.sub_0_r, Nat.min_r by auto.
  unfold reduction, distribution. cbn [app]. now rewrite !map_app, <- app_assoc.
Qed.

Theorem removed_steps_volume y : y < n ->
  volume y (removed_steps [n] removed) <= 2 * (n - 1) + (2 ^ removed - 1) * (folds n - 1) /\
  volume y (removed_steps [n] removed) <= n * folds n + (n - targets n removed).
Proof.
  intros Y. rewrite removed_steps_cyclic, !volume_app, home_volume, !map_map.
  pose proof (volume_at_most y (fun t => Nat.min n (targets n removed - 1 + shift n t)) (seq 0 (folds n))
    (fun t => taken n (folding_step 1 n removed kept t)) ltac:(intros t T; apply in_below in T; now apply folding_volume)) as A.
  pose proof (volume_at_most y (shift n) (rev (seq 0 (folds n - removed))) (fun t => taken n (spreading_step 1 n kept t))
    ltac:(intros t T; apply in_rev, in_below in T; apply spreading_volume; auto; lia)) as B.
  pose proof (shifts_sum (folds n - removed) ltac:(lia)) as D. pose proof (shifts_sum (folds n) ltac:(lia)) as W.
  rewrite (left_one n removed) in W by auto. fold (targets n removed) in D.
  assert (forall l, list_sum (map (shift n) (rev l)) = list_sum (map (shift n) l)) as Rv.
  { induction l as [|k l IH]; [reflexivity|]. cbn [rev]. rewrite map_app, list_sum_app, IH, (sum_cons _ k []), (sum_cons _ k l). change (list_sum (map _ [])) with 0. lia. }
  rewrite Rv in B. pose proof (targets_some n removed some enough). pose proof few_targets.
  assert (forall l, list_sum (map (fun t => Nat.min n (targets n removed - 1 + shift n t)) l) <= length l * n /\
      list_sum (map (fun t => Nat.min n (targets n removed - 1 + shift n t)) l) <= length l * (targets n removed - 1) + list_sum (map (shift n) l)) as C.
  { induction l as [|k l [IH IH']]; [split; reflexivity|]. rewrite !sum_cons. cbn [length]. lia. }
  destruct (C (seq 0 (folds n))) as [C1 C2]. rewrite seq_length in C1, C2. split; [|lia].
  destruct (Nat.eq_dec (folds n) 0) as [Z|Z].
  - rewrite Z in *. cbn in *. lia.
  - assert (folds n * (targets n removed - 1) = (targets n removed - 1) + (folds n - 1) * (targets n removed - 1)) as E by nia.
    assert ((folds n - 1) * (targets n removed - 1) <= (2 ^ removed - 1) * (folds n - 1)) by nia. lia.
Qed.

Theorem removed_steps_length : length (removed_steps [n] removed) =
  2 * folds n - removed + if existsb (apart n removed) (seq 0 n) then 1 else 0.
Proof.
  rewrite removed_steps_cyclic, !app_length, !map_length, rev_length, !seq_length. destruct (existsb _ _); cbn [length]; lia.
Qed.
End Cyclic.
