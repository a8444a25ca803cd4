(* Folding with removed steps is an allreduce, for every p, every number of removed steps, and over products of cyclic groups. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge SwingAll Cells Copies Folding RemovedSteps.
Import ListNotations.

(* Numbers x have digits: one of 0 .. n-1 above a part below `inner`. `turn` adds to the digit. *)
Definition turn (inner n x f : nat) : nat := x / (n * inner) * (n * inner) + (x / inner + f) mod n * inner + x mod inner.

(* How many places to the left of rank x block b is, in the digit *)
Definition places (inner n x b : nat) : nat := (x / inner mod n + (n - b / inner mod n)) mod n.

Section Digits.
Variables inner n : nat.
Hypothesis inner_some : 0 < inner.
Hypothesis some : 0 < n.

Lemma turn_div x f : turn inner n x f / inner = x / (n * inner) * n + (x / inner + f) mod n.
Proof.
  unfold turn. replace (x / (n * inner) * (n * inner) + (x / inner + f) mod n * inner + x mod inner)
    with ((x / (n * inner) * n + (x / inner + f) mod n) * inner + x mod inner) by ring.
  rewrite Nat.div_add_l, (Nat.div_small (x mod inner)) by (try apply Nat.mod_upper_bound; lia). lia.
Qed.

Lemma turn_digit x f : turn inner n x f / inner mod n = (x / inner + f) mod n.
Proof. rewrite turn_div, Nat.add_comm, Nat.mod_add, Nat.mod_mod by lia. reflexivity. Qed.

Lemma turn_low x f : turn inner n x f mod inner = x mod inner.
Proof.
  unfold turn. replace (x / (n * inner) * (n * inner) + (x / inner + f) mod n * inner + x mod inner)
    with (x mod inner + (x / (n * inner) * n + (x / inner + f) mod n) * inner) by ring.
  rewrite Nat.mod_add, Nat.mod_mod by lia. reflexivity.
Qed.

Lemma turn_high x f : turn inner n x f / (n * inner) = x / (n * inner).
Proof.
  pose proof (Nat.mod_upper_bound (x / inner + f) n ltac:(lia)) as U. transitivity (turn inner n x f / inner / n).
  - rewrite Nat.div_div by lia. now rewrite (Nat.mul_comm inner n).
  - rewrite turn_div, Nat.div_add_l, (Nat.div_small _ _ U) by lia. apply Nat.add_0_r.
Qed.

Lemma turn_below x f q : x < q * (n * inner) -> turn inner n x f < q * (n * inner).
Proof.
  intros X. assert (x / (n * inner) < q) as H by (apply Nat.div_lt_upper_bound; nia). unfold turn.
  pose proof (Nat.mod_upper_bound (x / inner + f) n ltac:(lia)). pose proof (Nat.mod_upper_bound x inner ltac:(lia)).
  assert ((x / inner + f) mod n * inner + x mod inner < n * inner) by nia.
  assert ((x / (n * inner) + 1) * (n * inner) <= q * (n * inner)) by (apply Nat.mul_le_mono_r; lia). lia.
Qed.

Lemma places_below x b : places inner n x b < n.
Proof. apply Nat.mod_upper_bound. lia. Qed.

Lemma places_turn x b f : places inner n (turn inner n x f) b = (places inner n x b + f) mod n.
Proof.
  unfold places. rewrite turn_digit, !Nat.add_mod_idemp_l by lia. set (e := n - b / inner mod n).
  replace (x / inner mod n + e + f) with (x / inner mod n + (e + f)) by lia. rewrite Nat.add_mod_idemp_l by lia. f_equal. lia.
Qed.

Lemma places_of_turned c x f : 0 < f < n -> places inner n c (turn inner n x f) = (places inner n c x + (n - f)) mod n.
Proof.
  intros F. unfold places. rewrite turn_digit, <- (Nat.add_mod_idemp_l (x / inner)) by lia.
  pose proof (Nat.mod_upper_bound (x / inner) n ltac:(lia)) as X. set (d := x / inner mod n) in *. set (e := c / inner mod n).
  rewrite (Nat.add_mod_idemp_l (e + (n - d))) by lia.
  destruct (le_lt_dec n (d + f)) as [L|L].
  - replace (d + f) with (d + f - n + 1 * n) by lia. rewrite Nat.mod_add, (Nat.mod_small (d + f - n)) by lia.
    replace (e + (n - d) + (n - f)) with (e + (n - (d + f - n))) by lia. reflexivity.
  - rewrite (Nat.mod_small (d + f)) by lia. replace (e + (n - d) + (n - f)) with (e + (n - (d + f)) + 1 * n) by lia. now rewrite Nat.mod_add by lia.
Qed.

Lemma turn_moves x f : 0 < f < n -> turn inner n x f <> x.
Proof.
  intros F E. pose proof (turn_digit x f) as D. rewrite E in D. pose proof (Nat.div_mod (x / inner + f) n ltac:(lia)) as A.
  pose proof (Nat.div_mod (x / inner) n ltac:(lia)) as B. rewrite <- D in A. 
  assert (f = n * ((x / inner + f) / n - x / inner / n)) as G by nia. destruct ((x / inner + f) / n - x / inner / n); nia.
Qed.

Lemma places_same x y : x mod (n * inner) = y mod (n * inner) <-> x mod inner = y mod inner /\ places inner n x y = 0.
Proof.
  rewrite (Nat.mul_comm n inner), !Nat.mod_mul_r by lia. unfold places.
  pose proof (Nat.mod_upper_bound x inner ltac:(lia)). pose proof (Nat.mod_upper_bound y inner ltac:(lia)).
  pose proof (Nat.mod_upper_bound (x / inner) n ltac:(lia)) as X. pose proof (Nat.mod_upper_bound (y / inner) n ltac:(lia)) as Y.
  set (d := x / inner mod n) in *. set (e := y / inner mod n) in *. split.
  - intros E. destruct (cell_inj inner (x mod inner) d (y mod inner) e) as [A ->]; auto; [unfold cell; lia|]. split; auto.
    replace (e + (n - e)) with n by lia. apply Nat.mod_same. lia.
  - intros [-> E]. enough (d = e) as -> by reflexivity. destruct (le_lt_dec e d) as [L|L].
    + replace (d + (n - e)) with (d - e + 1 * n) in E by lia. rewrite Nat.mod_add, Nat.mod_small in E by lia. lia.
    + rewrite Nat.mod_small in E by lia. lia.
Qed.
End Digits.

(* One factor of the group: n vectors in one digit. `kept` says of which blocks a rank still has a sum that is needed; that is a matter of
   the digits above. *)
Section Factor.
Variables p q inner n removed : nat.
Variable kept : rank -> block -> bool.
Hypothesis inner_some : 0 < inner.
Hypothesis some : 0 < n.
Hypothesis enough : removed <= folds n.
Hypothesis whole : p = q * (n * inner).
Hypothesis above : forall x y b, x / (n * inner) = y / (n * inner) -> kept x b = kept y b.

Let at_ := places inner n.
Let from t x := turn inner n x (shift n t).

Definition folding_step (t : nat) : taking := fun x b k =>
  let m := at_ x b in
  if negb (kept x b) then None else
  if k then
    if (t =? odd_step n) && apart n removed m then Some (x, false, Copy)
    else if adds_to_copy n removed t m then Some (from t x, false, Reduce) else None
  else if adds n removed t m then Some (from t x, false, Reduce) else None.

(* The complete sums that rest in copies go home. *)
Definition home_step : taking := fun x b k =>
  if kept x b && negb k && apart n removed (at_ x b) then Some (x, true, Copy) else None.

Definition reduction : list taking :=
  map folding_step (seq 0 (folds n)) ++ if existsb (apart n removed) (seq 0 n) then [home_step] else [].

Definition spreading_step (t : nat) : taking := fun x b k =>
  let m := at_ x b in
  if kept x b && negb k && (left n (S t) <=? m) && (m <? left n t) then Some (turn inner n x (n - shift n t), false, Copy) else None.

Definition distribution : list taking := map spreading_step (rev (seq 0 (folds n - removed))).

(* What is known before step t *)
Definition sum_of (times : nat -> nat) (x : rank) : rank -> nat := fun c => if c mod inner =? x mod inner then times (at_ c x) else 0.
Definition folded (t : nat) : knowledge := fun x b k =>
  let m := at_ x b in
  let is_apart := (odd_step n <? t) && apart n removed m in
  if negb (kept x b) then None else
  if k then if is_apart then Some (sum_of (rested n t) x) else None
  else if moving n removed t m then Some (sum_of (moved n t) x)
  else if resting n removed m && negb is_apart then Some (sum_of (rested n t) x) else None.

Definition within (w : nat) (keeps : rank -> block -> bool) : knowledge := fun x b k =>
  if keeps x b && negb k then Some (fun c => if c mod w =? x mod w then 1 else 0) else None.
Definition done_at (x : rank) (b : block) : bool := kept x b && resting n removed (at_ x b).
Definition spread (t : nat) : knowledge := fun x b k =>
  if kept x b && negb k && (at_ x b <? left n t) then Some (fun _ => 1) else None.

Lemma kept_from x b f : kept (turn inner n x f) b = kept x b.
Proof. apply above. now apply turn_high. Qed.

Lemma sum_from times t x c : t < folds n ->
  sum_of times (from t x) c = if c mod inner =? x mod inner then times ((at_ c x + (n - shift n t)) mod n) else 0.
Proof.
  intros T. unfold sum_of, from, at_. rewrite turn_low, places_of_turned; auto. now apply (shift_some n removed).
Qed.

Lemma same_sum t x c : t <= odd_step n -> sum_of (rested n t) x c = sum_of (moved n t) x c.
Proof. intros T. unfold sum_of. destruct (_ =? _); auto. now apply (one_sum n removed). Qed.

(* The vectors from which sums come *)
Lemma source_known t x b : t < folds n -> x < p -> kept x b = true -> moving n removed t ((at_ x b + shift n t) mod n) = true ->
  from t x < p /\ from t x <> x /\ folded t (from t x) b false = Some (sum_of (moved n t) (from t x)).
Proof.
  intros T X K M. pose proof (shift_some n removed some enough t T) as F. split; [|split].
  - rewrite whole in *. now apply turn_below.
  - now apply turn_moves.
  - unfold folded, from. rewrite kept_from, K. unfold at_. rewrite places_turn by auto. fold at_. rewrite M. reflexivity.
Qed.

Lemma home_known t x b : kept x b = true -> adds n removed t (at_ x b) = true -> t < folds n ->
  exists C, folded t x b false = Some C /\ forall c,
    (moving n removed (S t) (at_ x b) = true -> C c = sum_of (moved n t) x c) /\
    (moving n removed (S t) (at_ x b) = false -> C c = sum_of (rested n t) x c).
Proof.
  intros K A T. unfold folded. rewrite K. cbn [negb]. unfold adds in A. destruct (moving n removed (S t) (at_ x b)) eqn:M; cbn [orb] in A.
  - rewrite (moving_before n removed some enough t (S t)) by auto. eexists. split; [reflexivity|]. split; auto. discriminate.
  - rewrite !andb_true_iff in A. destruct A as [[E R] A]. rewrite R, A. cbn [andb]. destruct (moving n removed t (at_ x b)) eqn:M'.
    + eexists. split; [reflexivity|]. split; [discriminate|]. intros _. symmetry. apply same_sum.
      destruct (le_lt_dec t (odd_step n)) as [L|L]; auto. rewrite (apart_moves n removed some enough t) in A; auto.
      apply Nat.ltb_lt in L. rewrite L in A. discriminate.
    + eexists. split; [reflexivity|]. split; [discriminate|]. auto.
Qed.

Lemma folding_leads t : t < folds n -> leads p (folded t) (folding_step t) (folded (S t)).
Proof.
  intros T x b k X B. pose proof (places_below inner n inner_some some x b) as Mn. fold at_ in Mn.
  unfold folding_step. destruct (kept x b) eqn:K; cbn [negb].
  2: { intros C'. unfold folded. rewrite K. discriminate. }
  destruct k.
  - destruct (Nat.eqb_spec t (odd_step n)) as [E|E]; [destruct (apart n removed (at_ x b)) eqn:A|]; cbn [andb].
    + split; auto. split; [congruence|]. unfold apart in A. apply andb_true_iff in A as [R A].
      assert (exists D, folded t x b false = Some D /\ forall c, D c = sum_of (rested n t) x c) as (D & F & S).
      { unfold folded. rewrite K, R. cbn [negb]. replace (odd_step n <? t) with false by (symmetry; apply Nat.ltb_ge; lia). cbn [andb negb].
        destruct (moving n removed t (at_ x b)); eexists; split; try reflexivity; auto. intros c. symmetry. apply same_sum. lia. }
      exists D. split; auto. intros C' H c _. rewrite S. unfold folded in H. rewrite K in H. cbn [negb] in H.
      destruct ((odd_step n <? Datatypes.S t) && apart n removed (at_ x b)); [|discriminate]. injection H as <-. unfold sum_of. cbn [rested].
      assert (Nat.even (left n t) = false) as -> by (rewrite E; apply (at_odd n removed some enough); lia). reflexivity.
    + replace (adds_to_copy n removed t (at_ x b)) with false by (unfold adds_to_copy; now rewrite A, andb_false_r).
      intros C'. unfold folded. rewrite K, A, andb_false_r. discriminate.
    + destruct (adds_to_copy n removed t (at_ x b)) eqn:A.
      * destruct (source_known t x b T X K) as (P & N & F); [now apply copy_from|].
        split; auto. split; [congruence|]. eexists. split; [exact F|]. unfold adds_to_copy in A. rewrite !andb_true_iff in A.
        destruct A as [[O V] A]. unfold folded. rewrite K, A, O. cbn [negb andb]. eexists. split; [reflexivity|].
        intros C' H c _. destruct (odd_step n <? S t); [|discriminate]. injection H as <-. rewrite sum_from by auto. unfold sum_of. cbn [rested].
        rewrite V. now destruct (_ =? _).
      * intros C'. unfold folded. rewrite K. cbn [negb]. unfold adds_to_copy in A.
        destruct (Nat.ltb_spec (odd_step n) (S t)) as [L|L]; [|discriminate].
        assert (odd_step n <? t = true) as O by (apply Nat.ltb_lt; lia). rewrite O in *. cbn [andb] in *.
        destruct (apart n removed (at_ x b)); [|discriminate]. rewrite andb_true_r in A. intros H. injection H as <-.
        eexists. split; [reflexivity|]. intros c _. unfold sum_of. cbn [rested]. now rewrite A.
  - destruct (adds n removed t (at_ x b)) eqn:A.
    + destruct (source_known t x b T X K) as (P & N & F); [now apply adds_from|].
      split; auto. split; [congruence|]. eexists. split; [exact F|].
      destruct (home_known t x b K A T) as (C & Ck & Cs). exists C. split; auto. intros C' H c _. destruct (Cs c) as [C1 C2].
      rewrite sum_from by auto. unfold folded in H. rewrite K in H. cbn [negb] in H. destruct (moving n removed (S t) (at_ x b)) eqn:M.
      * injection H as <-. rewrite C1 by auto. unfold sum_of. cbn [moved]. now destruct (_ =? _).
      * rewrite C2 by auto. unfold adds in A. rewrite M in A. cbn [orb] in A. rewrite !andb_true_iff in A. destruct A as [[V R] A].
        destruct (resting n removed (at_ x b) && _); [|discriminate]. injection H as <-. unfold sum_of. cbn [rested]. rewrite V. now destruct (_ =? _).
    + unfold adds in A. apply orb_false_iff in A as [M A]. intros C'. unfold folded. rewrite K, M. cbn [negb].
      destruct (resting n removed (at_ x b)) eqn:R; cbn [andb]; [|discriminate]. rewrite andb_true_r in A.
      destruct ((odd_step n <? S t) && apart n removed (at_ x b)) eqn:Ap; cbn [negb]; [discriminate|]. intros H. injection H as <-.
      assert ((odd_step n <? t) && apart n removed (at_ x b) = false) as At.
      { destruct (apart n removed (at_ x b)); [|now rewrite andb_false_r]. rewrite andb_true_r in *. apply Nat.ltb_ge in Ap. apply Nat.ltb_ge. lia. }
      rewrite At in *. cbn [negb] in *. rewrite andb_true_r in A.
      assert (forall c, sum_of (rested n (S t)) x c = sum_of (rested n t) x c) as E by (intros c; unfold sum_of; cbn [rested]; now rewrite A).
      destruct (moving n removed t (at_ x b)) eqn:M'.
      * eexists. split; [reflexivity|]. intros c _. rewrite E. apply same_sum.
        destruct (le_lt_dec t (odd_step n)) as [L|L]; auto. rewrite (apart_moves n removed some enough t) in At by auto.
        apply Nat.ltb_lt in L. rewrite L in At. discriminate.
      * eexists. split; [reflexivity|]. intros c _. apply E.
Qed.

Lemma begins_folded : says p (within (n * inner) kept) (folded 0).
Proof.
  intros x b k C' X B. unfold within, folded. destruct (kept x b); cbn [negb andb]; [|discriminate].
  replace (odd_step n <? 0) with false by (symmetry; apply Nat.ltb_ge; lia). destruct k; cbn [andb negb]; [discriminate|]. intros E.
  assert (C' = sum_of (fun d => if d =? 0 then 1 else 0) x) as ->
    by (destruct (moving n removed 0 _); [|destruct (resting n removed _); [|discriminate]]; now injection E as <-).
  eexists. split; [reflexivity|]. intros c _. unfold sum_of, at_. pose proof (places_same inner n inner_some some c x) as S.
  destruct (Nat.eqb_spec (c mod inner) (x mod inner)), (Nat.eqb_spec (places inner n c x) 0),
    (Nat.eqb_spec (c mod (n * inner)) (x mod (n * inner))); tauto.
Qed.

Lemma folding_run k : forall t, t + k <= folds n -> run_leads p (folded t) (map folding_step (seq t k)) (folded (t + k)).
Proof.
  induction k as [|k IH]; intros t T; cbn [seq map].
  - rewrite Nat.add_0_r. apply no_steps, says_same.
  - apply (one_more _ _ _ (folded (S t))); [apply folding_leads; lia|]. rewrite <- Nat.add_succ_comm. apply IH. lia.
Qed.

Lemma rested_sum x c : sum_of (rested n (folds n)) x c = if c mod inner =? x mod inner then 1 else 0.
Proof.
  unfold sum_of. destruct (_ =? _); auto. apply (rested_once n removed); auto. now apply places_below.
Qed.

Lemma folded_home x b : apart n removed (at_ x b) = false -> done_at x b = true ->
  folded (folds n) x b false = Some (sum_of (rested n (folds n)) x).
Proof.
  unfold done_at, folded. rewrite andb_true_iff. intros A [K R]. rewrite K, R, A, andb_false_r. unfold moving. now rewrite Nat.ltb_irrefl.
Qed.

Lemma home_leads : leads p (folded (folds n)) home_step (within inner done_at).
Proof.
  intros x b k X B. unfold home_step. destruct (kept x b) eqn:K; cbn [andb].
  2: { intros C'. unfold within, done_at. rewrite K. discriminate. }
  destruct k; cbn [negb andb]; [intros C'; unfold within; rewrite andb_false_r; discriminate|].
  destruct (apart n removed (at_ x b)) eqn:A.
  - split; auto. split; [congruence|]. exists (sum_of (rested n (folds n)) x). split.
    + unfold folded. rewrite K, A. cbn [negb]. unfold apart in A. apply andb_true_iff in A as [_ M].
      destruct (moving_some n removed some enough _ _ M (places_below inner n inner_some some x b)) as [O _]. replace (odd_step n <? folds n) with true by (symmetry; apply Nat.ltb_lt; lia).
      reflexivity.
    + intros C'. unfold within. destruct (done_at x b && _); [|discriminate]. intros E c _. injection E as <-. now rewrite rested_sum.
  - intros C'. unfold within. rewrite andb_true_r. destruct (done_at x b) eqn:D; [|discriminate]. intros E. injection E as <-.
    eexists. split; [now apply folded_home|]. intros c _. now rewrite rested_sum.
Qed.

Lemma nobody_apart : existsb (apart n removed) (seq 0 n) = false -> says p (folded (folds n)) (within inner done_at).
Proof.
  intros N x b k C' X B. unfold within. destruct (done_at x b) eqn:D; [|discriminate]. destruct k; cbn [negb andb]; [discriminate|].
  intros E. injection E as <-. eexists. split; [apply folded_home; auto|].
  - apply not_true_iff_false. intros A. apply not_true_iff_false in N. apply N. apply existsb_exists. exists (at_ x b).
    split; auto. apply in_below. now apply places_below.
  - intros c _. now rewrite rested_sum.
Qed.

Lemma reduction_leads : run_leads p (within (n * inner) kept) reduction (within inner done_at).
Proof.
  apply (less_known _ _ (folded 0)); [apply begins_folded|]. apply (run_leads_app _ _ _ (folded (folds n))).
  - apply (folding_run (folds n) 0). lia.
  - destruct (existsb (apart n removed) (seq 0 n)) eqn:A.
    + apply (one_more _ _ _ (within inner done_at)); [apply home_leads | apply no_steps, says_same].
    + apply no_steps. now apply nobody_apart.
Qed.

Lemma spreading_leads t : t < folds n -> leads p (spread (S t)) (spreading_step t) (spread t).
Proof.
  intros T x b k X B. pose proof (shift_some n removed some enough t T) as F. pose proof (left_next n removed some enough t) as N.
  pose proof (half_up (left n t)) as [_ H]. change ((left n t + 1) / 2) with (left n (S t)) in H.
  pose proof (left_shrinks n 0 t ltac:(lia)) as U. cbn [left] in U.
  unfold spreading_step, spread. destruct (kept x b) eqn:K; cbn [andb]; [|intros C'; discriminate].
  destruct k; cbn [negb andb]; [intros C'; discriminate|].
  destruct (Nat.leb_spec (left n (S t)) (at_ x b)) as [L|L], (Nat.ltb_spec (at_ x b) (left n t)) as [M|M]; cbn [andb].
  - split; [rewrite whole in *; now apply turn_below|]. split; [intros E; injection E as E; revert E; apply turn_moves; auto; lia|].
    exists (fun _ => 1). split; [|intros C' E; injection E as <-; auto].
    rewrite kept_from, K. cbn [andb negb]. unfold at_ in *. rewrite places_turn by auto.
    replace (places inner n x b + (n - shift n t)) with (places inner n x b - shift n t + 1 * n) by lia.
    rewrite Nat.mod_add, Nat.mod_small by lia.
    replace (places inner n x b - shift n t <? left n (S t)) with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity.
  - intros C'. discriminate.
  - intros C' E. exists C'. split; auto. now replace (at_ x b <? left n (S t)) with true by (symmetry; apply Nat.ltb_lt; lia).
  - intros C'. discriminate.
Qed.

Lemma spreading_run k : k <= folds n -> run_leads p (spread k) (map spreading_step (rev (seq 0 k))) (spread 0).
Proof.
  induction k as [|k IH]; intros K; [apply no_steps, says_same|]. rewrite seq_S, rev_app_distr. cbn [rev app map plus].
  apply (one_more _ _ _ (spread k)); [apply spreading_leads; lia | apply IH; lia].
Qed.

Lemma distribution_leads : run_leads p (within 1 done_at) distribution (within 1 kept).
Proof.
  apply (less_known _ _ (spread (folds n - removed))).
  { intros x b k C' X B. unfold spread, within, done_at, resting, targets. destruct (kept x b); cbn [andb]; [|discriminate].
    destruct k; cbn [negb andb]; rewrite ?andb_false_r; [discriminate|]. rewrite andb_true_r.
    destruct (at_ x b <? _); [|discriminate]. intros E. injection E as <-. eexists. split; [reflexivity|]. intros c _. cbv beta. now rewrite !Nat.mod_1_r. }
  replace distribution with (distribution ++ []) by apply app_nil_r. apply (run_leads_app _ _ _ (spread 0)).
  - apply spreading_run. lia.
  - apply no_steps. intros x b k C' X B. unfold spread, within. destruct (kept x b && negb k); cbn [andb]; [|discriminate].
    cbn [left]. replace (at_ x b <? n) with true by (symmetry; apply Nat.ltb_lt; now apply places_below).
    intros E. injection E as <-. eexists. split; [reflexivity|]. intros c _. cbv beta. now rewrite ?Nat.mod_1_r.
Qed.
End Factor.

(* One factor after the other, each with the number of steps that its distribution leaves out *)
Fixpoint shortened (factors : list (nat * nat)) (kept : rank -> block -> bool) : list taking :=
  match factors with
  | [] => []
  | (n, removed) :: rest =>
      let inner := extent (map fst rest) in
      reduction inner n removed kept ++ shortened rest (done_at inner n removed kept) ++ distribution inner n removed kept
  end.

Definition proper (factor : nat * nat) : Prop := 0 < fst factor /\ snd factor <= folds (fst factor).

Lemma shortened_leads p factors : Forall proper factors -> forall q kept, p = q * extent (map fst factors) ->
  (forall x y b, x / extent (map fst factors) = y / extent (map fst factors) -> kept x b = kept y b) ->
  run_leads p (within (extent (map fst factors)) kept) (shortened factors kept) (within 1 kept).
Proof.
  induction 1 as [|[n removed] rest [N R] F IH]; intros q kept P K; [apply no_steps, says_same|]. cbn [fst snd] in N, R.
  cbn [shortened map fst extent fold_right] in *. fold (extent (map fst rest)) in *. set (inner := extent (map fst rest)) in *.
  assert (0 < inner) as I.
  { unfold inner, extent. clear - F. induction F as [|f fs [A _] _ IH]; cbn; [lia|]. nia. }
  apply (run_leads_app _ _ _ (within inner (done_at inner n removed kept))); [now apply (reduction_leads p q)|].
  apply (run_leads_app _ _ _ (within 1 (done_at inner n removed kept))); [|now apply (distribution_leads p q)].
  apply (IH (q * n)); [subst p; ring|]. intros x y b E. unfold done_at, places. rewrite E. f_equal. apply K.
  rewrite (Nat.mul_comm n inner), <- !Nat.div_div by lia. now rewrite E.
Qed.

(* The removed steps are those of the last factors. *)
Fixpoint shares (extents : list nat) (removed : nat) : list (nat * nat) :=
  match extents with
  | [] => []
  | n :: rest => (n, Nat.min (folds n) (removed - list_sum (map folds rest))) :: shares rest removed
  end.

Definition removed_steps (extents : list nat) (removed : nat) : cell_schedule :=
  map (taken (extent extents)) (shortened (shares extents removed) (fun _ _ => true)).

Lemma shares_extents extents removed : map fst (shares extents removed) = extents.
Proof. induction extents as [|n rest IH]; cbn; auto. now rewrite IH. Qed.

Lemma shares_proper extents removed : Forall (fun n => 0 < n) extents -> Forall proper (shares extents removed).
Proof. induction 1 as [|n rest N _ IH]; cbn; constructor; auto. split; cbn; auto. apply Nat.le_min_l. Qed.

Theorem removed_steps_once extents removed : Forall (fun n => 0 < n) extents ->
  let p := extent extents in exactly_once_in_cells Allreduce p p p (removed_steps extents removed).
Proof.
  intros S p. pose proof (shortened_leads p (shares extents removed) (shares_proper _ _ S) 1 (fun _ _ => true)) as R.
  rewrite shares_extents in R. fold p in R. specialize (R ltac:(lia) ltac:(auto)).
  assert (0 < p) as P by now apply extent_positive. apply takings_once; auto.
  apply (less_known _ _ (within p (fun _ _ => true))).
  - intros x b k C X B. unfold within, own. destruct k; cbn [negb andb]; [discriminate|]. intros E. injection E as <-.
    eexists. split; [reflexivity|]. intros c C. now rewrite !Nat.mod_small by auto.
  - replace (shortened _ _) with (shortened (shares extents removed) (fun _ _ => true) ++ []) by apply app_nil_r.
    apply (run_leads_app _ _ _ (within 1 (fun _ _ => true))); auto. apply no_steps. intros x b k C X B. unfold within, all_of_it.
    destruct k; cbn [negb andb]; [discriminate|]. intros E. injection E as <-. eexists. split; [reflexivity|]. intros c _. cbv beta. now rewrite !Nat.mod_1_r.
Qed.
