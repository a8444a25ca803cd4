(* Whole vectors in ceil(log2 p) steps, where p may be no power of two. Before step s the ranks are divided into runs of 2^s, of which the
   last one may be shorter, and some ranks, the run's holders, hold its sum. In the step two neighbouring runs become one: their holders
   exchange. A last run without a neighbour is copied to ranks that hold no sum that counts. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Exchange.
Import ListNotations.

Lemma nodup_app {A} (l m : list A) : NoDup (l ++ m) <-> NoDup l /\ NoDup m /\ forall x, In x l -> ~ In x m.
Proof.
  induction l as [|y l IH]; cbn.
  - split; [intros N; repeat split; auto; constructor | tauto].
  - rewrite !NoDup_cons_iff, IH, in_app_iff. firstorder congruence.
Qed.

Lemma in_firstn {A} k (l : list A) x : In x (firstn k l) -> In x l.
Proof. intros I. rewrite <- (firstn_skipn k l). apply in_or_app. auto. Qed.

(* Whom a rank takes from, and how *)
Definition given := list (rank * (rank * op)).

Fixpoint look_up (r : rank) (l : given) : option (rank * op) :=
  match l with [] => None | (x, v) :: rest => if x =? r then Some v else look_up r rest end.

Definition giving (o : op) (takers givers : list rank) : given := combine takers (map (fun x => (x, o)) givers).

Lemma look_up_none r l : ~ In r (map fst l) -> look_up r l = None.
Proof. induction l as [|(x, v) l IH]; cbn; auto. intros N. destruct (Nat.eqb_spec x r); [tauto|]. auto. Qed.

Lemma look_up_app r l m : look_up r (l ++ m) = match look_up r l with Some v => Some v | None => look_up r m end.
Proof. induction l as [|(x, v) l IH]; cbn; auto. destruct (x =? r); auto. Qed.

Lemma look_up_in r l v : look_up r l = Some v -> In r (map fst l).
Proof. induction l as [|(x, w) l IH]; cbn; [discriminate|]. destruct (Nat.eqb_spec x r); auto. Qed.

Lemma giving_keys o l m r : In r (map fst (giving o l m)) -> In r l.
Proof. revert m. induction l as [|x l IH]; intros [|y m]; cbn; try tauto. intros [->|I]; eauto. Qed.

Lemma giving_some o l : forall m r, length l <= length m -> In r l -> exists x, look_up r (giving o l m) = Some (x, o) /\ In x m.
Proof.
  induction l as [|y l IH]; intros [|z m] r L I; cbn in *; try lia; try tauto. unfold giving. cbn. destruct (Nat.eqb_spec y r).
  - eauto.
  - destruct I as [|I]; [congruence|]. destruct (IH m r ltac:(lia) I) as (x & E & X). exists x. auto.
Qed.

Section Step.
Variable need : nat.
Variable free : list rank.

(* What becomes of the holders of the runs, and who takes what from whom *)
Fixpoint doubled (runs : list (list rank)) : list (list rank) :=
  match runs with
  | a :: b :: rest => (a ++ firstn (need - length a) b) :: doubled rest
  | [a] => [a ++ firstn (need - length a) free]
  | [] => []
  end.

Fixpoint takes (runs : list (list rank)) : given :=
  match runs with
  | a :: b :: rest => giving Reduce a b ++ giving Reduce (firstn (need - length a) b) a ++ takes rest
  | [a] => giving Copy (firstn (need - length a) free) a
  | [] => []
  end.

(* Two runs at once *)
Lemma by_two (P : list (list rank) -> Prop) : P [] -> (forall a, P [a]) -> (forall a b rest, P rest -> P (a :: b :: rest)) -> forall runs, P runs.
Proof.
  intros Z O T runs. enough (P runs /\ forall a, P (a :: runs)) by tauto. induction runs as [|b runs [IH IH']]; split; auto.
Qed.

Lemma takes_keys runs : forall r, In r (map fst (takes runs)) -> In r (concat (doubled runs)).
Proof.
  induction runs as [|a|a b rest IH] using by_two; intros r I; cbn [takes doubled concat] in *; auto.
  - rewrite app_nil_r, in_app_iff. apply giving_keys in I. auto.
  - rewrite !map_app, !in_app_iff in *. destruct I as [I|[I|I]]; [apply giving_keys in I | apply giving_keys in I |]; auto.
Qed.

(* A holder of new run j adds what a holder of its other half has; or is alone, and has what it had, or copies. *)
Definition fed (runs : list (list rank)) (j : nat) (r : rank) : Prop :=
  let a := nth (2 * j) runs [] in let b := nth (S (2 * j)) runs [] in
  match look_up r (takes runs) with
  | Some (x, Reduce) => S (2 * j) < length runs /\ x <> r /\ ((In r a /\ In x b) \/ (In r b /\ In x a))
  | Some (x, Copy) => S (2 * j) = length runs /\ x <> r /\ In x a
  | None => S (2 * j) = length runs /\ In r a
  end.

Lemma holders_fed h runs : need <= 2 * h -> Forall (fun a => length a = h) runs -> NoDup (concat runs) -> NoDup (concat (doubled runs)) ->
  forall j r, In r (nth j (doubled runs) []) -> fed runs j r.
Proof.
  intros N. induction runs as [|a|a b rest IH] using by_two; intros F D D' j r I.
  - destruct j; contradiction.
  - destruct j as [|j]; [|destruct j; contradiction]. cbn [doubled nth concat] in *. rewrite app_nil_r in D'.
    apply nodup_app in D' as (_ & _ & D'). inversion F; subst. unfold fed. cbn [takes nth Nat.mul length]. apply in_app_or in I as [I|I].
    + rewrite look_up_none; auto. intros K. apply giving_keys in K. now apply (D' r).
    + destruct (giving_some Copy (firstn (need - length a) free) a r) as (x & -> & X); auto; [rewrite firstn_length; lia|].
      repeat split; auto. intros ->. now apply (D' r).
  - inversion F as [|? ? A F1]; subst. inversion F1 as [|? ? B F2]; subst. cbn [concat doubled] in D, D'.
    rewrite app_assoc in D. apply nodup_app in D as (Dab & Dr & _). apply nodup_app in Dab as (_ & _ & Dab).
    apply nodup_app in D' as (_ & Dr' & Dn). unfold fed. cbn [takes]. rewrite !look_up_app.
    destruct j as [|j].
    + cbn [nth Nat.mul doubled length] in *. apply in_app_or in I as [I|I].
      * destruct (giving_some Reduce a b r) as (x & -> & X); auto; [lia|]. repeat split; auto; [lia|]. intros ->. now apply (Dab r).
      * pose proof (in_firstn _ _ _ I) as K. rewrite look_up_none.
        2:{ intros J. apply giving_keys in J. now apply (Dab r). }
        destruct (giving_some Reduce (firstn (need - length a) b) a r) as (x & -> & X); auto; [rewrite firstn_length; lia|].
        repeat split; auto; [lia|]. intros ->. now apply (Dab r).
    + cbn [nth doubled] in I. assert (In r (concat (doubled rest))) as C.
      { apply in_concat. destruct (le_lt_dec (length (doubled rest)) j) as [L|L]; [rewrite nth_overflow in I by auto; contradiction|].
        eexists. split; [|exact I]. now apply nth_In. }
      rewrite (look_up_none r (giving Reduce a b)), (look_up_none r (giving Reduce (firstn (need - length a) b) a)).
      * specialize (IH F2 Dr Dr' j r I). unfold fed in IH. replace (2 * S j) with (S (S (2 * j))) by lia. cbv zeta in *. cbn [nth length].
        destruct (look_up r (takes rest)) as [(x, [])|]; destruct IH as (L & IH); split; auto; lia.
      * intros J. apply giving_keys in J. apply (Dn r); auto. apply in_or_app. auto.
      * intros J. apply giving_keys in J. apply (Dn r); auto. apply in_or_app. auto.
Qed.

Lemma doubled_length runs : length (doubled runs) = (length runs + 1) / 2.
Proof.
  induction runs as [|a|a b rest IH] using by_two; auto. cbn [doubled length]. rewrite IH.
  replace (S (S (length rest)) + 1) with (length rest + 1 + 1 * 2) by lia. rewrite Nat.div_add by lia. lia.
Qed.
End Step.

(* Without free ranks the new holders are some of the old ones; with them, the last run gets more. *)
Lemma kept_sub need runs : NoDup (concat runs) ->
  NoDup (concat (doubled need [] runs)) /\ forall x, In x (concat (doubled need [] runs)) -> In x (concat runs).
Proof.
  induction runs as [|a|a b rest IH] using by_two; intros D; cbn [doubled concat] in *; auto.
  - rewrite firstn_nil, !app_nil_r in *. auto.
  - rewrite app_assoc in D. apply nodup_app in D as (Dab & Dr & X). destruct (IH Dr) as [N S]. split.
    + apply nodup_app. split; [|split]; auto.
      * rewrite <- (firstn_skipn (need - length a) b), app_assoc in Dab. now apply nodup_app in Dab as (Dab & _).
      * intros x I J. apply (X x); auto. apply in_app_or in I as [I|I]; apply in_or_app; eauto using in_firstn.
    + intros x I. rewrite app_assoc. apply in_app_or in I as [I|I]; apply in_or_app; auto. left.
      apply in_app_or in I as [I|I]; apply in_or_app; eauto using in_firstn.
Qed.

Lemma kept_and_free need h free runs : Forall (fun a => length a = h) runs ->
  concat (doubled need free runs) = concat (doubled need [] runs) ++ if Nat.odd (length runs) then firstn (need - h) free else [].
Proof.
  induction runs as [|a|a b rest IH] using by_two; intros F; cbn [doubled concat]; auto.
  - inversion F; subst. cbn. now rewrite firstn_nil, !app_nil_r.
  - inversion F as [|? ? A F1]; subst. inversion F1; subst. rewrite IH by auto. now rewrite app_assoc.
Qed.

Lemma kept_length need h runs : h <= need <= 2 * h -> Forall (fun a => length a = h) runs ->
  length (concat (doubled need [] runs)) = length runs / 2 * need + if Nat.odd (length runs) then h else 0.
Proof.
  intros N. induction runs as [|a|a b rest IH] using by_two; intros F; cbn [doubled concat]; auto.
  - inversion F; subst. cbn. now rewrite firstn_nil, !app_nil_r.
  - inversion F as [|? ? A F1]; subst. inversion F1; subst. cbn [length]. rewrite !app_length, firstn_length, IH by auto.
    change (Nat.odd (S (S (length rest)))) with (Nat.odd (length rest)).
    replace (S (S (length rest))) with (length rest + 1 * 2) by lia. rewrite Nat.div_add by lia. lia.
Qed.

Lemma doubled_sizes need h free runs : h <= need <= 2 * h -> (Nat.odd (length runs) = true -> need - h <= length free) ->
  Forall (fun a => length a = h) runs -> Forall (fun a => length a = need) (doubled need free runs).
Proof.
  intros N. induction runs as [|a|a b rest IH] using by_two; intros L F; cbn [doubled]; auto.
  - inversion F; subst. constructor; auto. rewrite app_length, firstn_length. specialize (L eq_refl). lia.
  - inversion F as [|? ? A F1]; subst. inversion F1; subst. constructor; auto. rewrite app_length, firstn_length. lia.
Qed.

Lemma power_some a : 0 < 2 ^ a.
Proof. pose proof (Nat.pow_nonzero 2 a). lia. Qed.

Section Spread.
Variable p : nat.

Definition spare (need : nat) (runs : list (list rank)) : list rank :=
  filter (fun r => negb (existsb (Nat.eqb r) (concat (doubled need [] runs)))) (seq 0 p).

Lemma in_spare need runs r : In r (spare need runs) <-> r < p /\ ~ In r (concat (doubled need [] runs)).
Proof.
  unfold spare. rewrite filter_In, in_below, negb_true_iff, <- not_true_iff_false, existsb_exists.
  split; intros [R N]; split; auto; intros H; apply N; [exists r; now rewrite Nat.eqb_refl|].
  destruct H as (x & X & E). apply Nat.eqb_eq in E. now subst.
Qed.

(* Some runs, each with h holders *)
Record held (h : nat) (runs : list (list rank)) : Prop := {
  apart : NoDup (concat runs);
  ranked : forall r, In r (concat runs) -> r < p;
  sized : Forall (fun a => length a = h) runs }.

Lemma doubled_held need h runs : h <= need <= 2 * h -> (length runs + 1) / 2 * need <= p -> held h runs ->
  held need (doubled need (spare need runs) runs).
Proof.
  intros N C [A R Z]. destruct (kept_sub need runs A) as [K S]. pose proof (kept_length need h runs N Z) as L.
  assert (p <= length (concat (doubled need [] runs)) + length (spare need runs)) as M.
  { rewrite <- app_length, <- (seq_length p 0) at 1. apply NoDup_incl_length; [apply seq_NoDup|]. intros r I. apply in_below in I.
    apply in_or_app. destruct (in_dec Nat.eq_dec r (concat (doubled need [] runs))); auto. right. now apply in_spare. }
  split.
  - rewrite (kept_and_free need h) by auto. destruct (Nat.odd (length runs)); [|now rewrite app_nil_r]. apply nodup_app.
    split; [|split]; auto.
    + apply (proj1 (proj1 (nodup_app _ (skipn (need - h) (spare need runs))) ltac:(rewrite firstn_skipn; apply NoDup_filter, seq_NoDup))).
    + intros r I J. apply in_firstn, in_spare in J. tauto.
  - intros r I. rewrite (kept_and_free need h) in I by auto. apply in_app_or in I as [I|I]; auto.
    destruct (Nat.odd (length runs)); [|contradiction]. now apply in_firstn, in_spare in I.
  - apply (doubled_sizes need h); auto. intros O. rewrite O in L. pose proof (Nat.odd_spec (length runs)) as W. apply W in O as [k K'].
    rewrite K' in *. replace (2 * k + 1 + 1) with ((k + 1) * 2) in C by lia. rewrite Nat.div_mul in C by lia.
    replace (2 * k + 1) with (1 + k * 2) in L by lia. rewrite Nat.div_add in L by lia. cbn in L. nia.
Qed.

Definition up (a b : nat) : nat := (a + b - 1) / b.

Lemma up_twice a d : 0 < d -> up a (2 * d) = (up a d + 1) / 2.
Proof.
  intros D. unfold up. rewrite <- (Nat.div_add _ 1) by lia. rewrite Nat.div_div by lia. f_equal; lia.
Qed.

Definition least := Nat.log2_up p.
Definition holders (s : nat) : nat := up p (2 ^ (least - s)).

Fixpoint runs_at (s : nat) : list (list rank) :=
  match s with
  | O => map (fun r => [r]) (seq 0 p)
  | S k => doubled (holders s) (spare (holders s) (runs_at k)) (runs_at k)
  end.

Definition spread_pull : pull := fun s r => look_up r (takes (holders (S s)) (spare (holders (S s)) (runs_at s)) (runs_at s)).

Hypothesis some : 0 < p.

Lemma steps_enough : p <= 2 ^ least.
Proof.
  destruct (Nat.eq_dec p 1) as [->|]; [apply power_some|]. apply Nat.log2_up_spec. lia.
Qed.

(* There is room for all holders at every step. *)
Hypothesis room : forall s, s <= least -> up p (2 ^ s) * holders s <= p.

Lemma holders_grow s : s < least -> holders s <= holders (S s) <= 2 * holders s.
Proof.
  intros S. unfold holders. replace (least - s) with (Datatypes.S (least - Datatypes.S s)) by lia. rewrite Nat.pow_succ_r'.
  rewrite up_twice by apply power_some. set (h := up p _). pose proof (Nat.div_mod (h + 1) 2 ltac:(lia)).
  pose proof (Nat.mod_upper_bound (h + 1) 2 ltac:(lia)). assert (0 < h); [|lia].
  unfold h, up. apply Nat.div_str_pos. pose proof (power_some (least - Datatypes.S s)). lia.
Qed.

Lemma runs_length s : length (runs_at s) = up p (2 ^ s).
Proof.
  induction s as [|s IH]; cbn [runs_at].
  - rewrite map_length, seq_length. unfold up. change (2 ^ 0) with 1. rewrite Nat.div_1_r. lia.
  - rewrite doubled_length, IH, Nat.pow_succ_r'. symmetry. apply up_twice, power_some.
Qed.

Lemma runs_held s : s <= least -> held (holders s) (runs_at s).
Proof.
  induction s as [|s IH]; intros S; cbn [runs_at].
  - assert (concat (map (fun r => [r]) (seq 0 p)) = seq 0 p) as E.
    { induction (seq 0 p) as [|x l IHl]; cbn; auto. now rewrite IHl. }
    split; rewrite ?E; [apply seq_NoDup | intros r; apply in_below |].
    apply Forall_forall. intros a A. apply in_map_iff in A as (r & <- & _). unfold holders, up. rewrite Nat.sub_0_r. cbn [length].
    pose proof steps_enough. apply Nat.div_unique with (p - 1); lia.
  - apply doubled_held with (holders s); auto; [apply holders_grow; lia | | apply IH; lia].
    rewrite runs_length, <- up_twice, <- Nat.pow_succ_r' by apply power_some. now apply room.
Qed.

(* A rank below p is in the run with its number divided by 2^s. *)
Lemma number_below s c : c < p -> c / 2 ^ s < up p (2 ^ s).
Proof.
  intros C. pose proof (power_some s). unfold up. apply Nat.div_lt_upper_bound; [lia|].
  pose proof (Nat.div_mod (p + 2 ^ s - 1) (2 ^ s) ltac:(lia)). pose proof (Nat.mod_upper_bound (p + 2 ^ s - 1) (2 ^ s) ltac:(lia)). lia.
Qed.

Lemma holder_fed s j r : s < least -> In r (nth j (runs_at (S s)) []) ->
  fed (holders (S s)) (spare (holders (S s)) (runs_at s)) (runs_at s) j r.
Proof.
  intros S I. pose proof (runs_held s ltac:(lia)) as [A _ Z]. pose proof (apart _ _ (runs_held (Datatypes.S s) S)) as A'.
  apply (holders_fed _ _ (holders s)); auto. now apply holders_grow.
Qed.

Lemma holders_hear s : s <= least -> forall j r c, In r (nth j (runs_at s) []) -> c < p ->
  hears spread_pull s r c = if c / 2 ^ s =? j then 1 else 0.
Proof.
  induction s as [|s IH]; intros S j r c I C.
  - cbn [runs_at] in I. cbn [hears Nat.pow]. rewrite Nat.div_1_r. destruct (le_lt_dec p j).
    + rewrite nth_overflow in I by (now rewrite map_length, seq_length). contradiction.
    + rewrite (nth_indep _ [] [0]) in I by (now rewrite map_length, seq_length). rewrite (map_nth (fun x => [x])), seq_nth in I by auto.
      destruct I as [<-|[]]. cbn. rewrite Nat.eqb_sym. reflexivity.
  - pose proof (holder_fed s j r S I) as H. unfold fed in H. cbn [hears]. unfold spread_pull at 1.
    assert (c / 2 ^ Datatypes.S s = c / 2 ^ s / 2) as D.
    { rewrite Nat.pow_succ_r', Nat.mul_comm, Nat.div_div; auto; pose proof (power_some s); lia. }
    pose proof (number_below s c C) as B. rewrite <- runs_length in B. rewrite D. set (d := c / 2 ^ s) in *.
    pose proof (Nat.div_mod d 2 ltac:(lia)). pose proof (Nat.mod_upper_bound d 2 ltac:(lia)).
    destruct (look_up r _) as [(x, [])|].
    + destruct H as (L & _ & [[R X]|[R X]]); rewrite (IH ltac:(lia) _ _ _ R C), (IH ltac:(lia) _ _ _ X C); fold d;
        destruct (Nat.eqb_spec d (2 * j)), (Nat.eqb_spec d (Datatypes.S (2 * j))), (Nat.eqb_spec (d / 2) j); lia.
    + destruct H as (L & _ & X). rewrite (IH ltac:(lia) _ _ _ X C). fold d.
      destruct (Nat.eqb_spec d (2 * j)), (Nat.eqb_spec (d / 2) j); lia.
    + destruct H as (L & X). rewrite (IH ltac:(lia) _ _ _ X C). fold d.
      destruct (Nat.eqb_spec d (2 * j)), (Nat.eqb_spec (d / 2) j); lia.
Qed.

Definition spreading : schedule := pulls p 1 least (fun _ => spread_pull).

Theorem room_once : exactly_once Allreduce p 1 spreading.
Proof.
  apply pulls_once; auto.
  - intros _ s r x o _ S R G. unfold spread_pull in G. pose proof (takes_keys _ _ _ _ (look_up_in _ _ _ G)) as K.
    change (doubled _ _ (runs_at s)) with (runs_at (Datatypes.S s)) in K. apply in_concat in K as (a & A & I).
    apply (In_nth _ _ []) in A as (j & J & <-). pose proof (holder_fed s j r S I) as H. unfold fed in H. rewrite G in H.
    assert (x <> r /\ In x (concat (runs_at s))) as [N X]; [|split; auto; apply (ranked _ _ (runs_held s ltac:(lia))); auto].
    assert (forall k, k < length (runs_at s) -> In x (nth k (runs_at s) []) -> In x (concat (runs_at s))) as C.
    { intros k L X. apply in_concat. eexists. split; [|exact X]. now apply nth_In. }
    destruct o; destruct H as (L & N & H); split; auto; [destruct H as [[_ H]|[_ H]]|]; apply C in H; auto; lia.
  - intros _ r c _ R C. pose proof (runs_held least (le_n _)) as [A B Z]. pose proof (runs_length least) as L.
    assert (up p (2 ^ least) = 1) as E.
    { unfold up. symmetry. pose proof steps_enough. apply Nat.div_unique with (p - 1); lia. }
    rewrite E in L. destruct (runs_at least) as [|a [|? ?]] eqn:Q; try discriminate L. cbn in A, B. rewrite app_nil_r in A, B.
    inversion Z as [|? ? Za _]; subst. assert (holders least = p) as H.
    { unfold holders, up. rewrite Nat.sub_diag. change (2 ^ 0) with 1. rewrite Nat.div_1_r. lia. }
    assert (In r a) as I.
    { assert (incl (seq 0 p) a) as In_a; [|apply In_a; now apply in_below]. apply NoDup_length_incl; auto.
      - rewrite seq_length. lia.
      - intros x X. apply in_below. now apply B. }
    rewrite (holders_hear least (le_n _) 0 r c); auto; [|now rewrite Q].
    rewrite Nat.div_small; auto. pose proof steps_enough. lia.
Qed.
End Spread.

(* When there is room, said by what divides p *)
Lemma up_bounds a d : 0 < d -> a <= d * up a d < a + d.
Proof.
  intros D. unfold up. pose proof (Nat.div_mod (a + d - 1) d ltac:(lia)). pose proof (Nat.mod_upper_bound (a + d - 1) d ltac:(lia)). lia.
Qed.

Lemma up_divided a d : Nat.divide d a -> 0 < d -> d * up a d = a.
Proof.
  intros [k ->] D. unfold up. replace (k * d + d - 1) with (d - 1 + k * d) by lia. rewrite Nat.div_add, Nat.div_small by lia. lia.
Qed.

Lemma room_by_half a b p : 0 < a -> 2 * a <= b -> a * b < 2 * p -> p + b <= a * b -> up p a * up p b <= p.
Proof.
  intros A H P B. pose proof (up_bounds p a A) as [_ X]. pose proof (up_bounds p b ltac:(lia)) as [_ Y].
  set (x := up p a) in *. set (y := up p b) in *. assert (y < a) by nia. assert (a * a < p) by nia.
  apply (Nat.mul_le_mono_pos_l _ _ a A). destruct a as [|c]; [lia|]. assert (S c * x <= p + c) by lia. assert (y <= c) by lia.
  apply Nat.le_trans with ((p + c) * c); [|nia]. rewrite Nat.mul_assoc. now apply Nat.mul_le_mono.
Qed.

Lemma room_square a p : 0 < a -> a * a < 2 * p -> p + a <= a * a -> up p a * up p a <= p.
Proof.
  intros A P B. pose proof (up_bounds p a A) as [_ X]. set (x := up p a) in *. clearbody x. assert (x < a) by nia.
  destruct (Nat.eq_dec (S x) a) as [<-|N]; [nia|]. destruct (le_lt_dec a (2 * x)); nia.
Qed.

Theorem room_means p : 0 < p -> let n := Nat.log2_up p in
  (forall s, s <= n -> up p (2 ^ s) * holders p s <= p) <-> (forall t, t <= n -> 2 ^ n - 2 ^ (n - t) < p -> Nat.divide (2 ^ t) p).
Proof.
  intros P n. assert (p <= 2 ^ n) as U by exact (steps_enough p P).
  assert (forall t, t <= n -> 2 ^ t * 2 ^ (n - t) = 2 ^ n) as Split.
  { intros t T. rewrite <- Nat.pow_add_r. f_equal. lia. }
  unfold holders, least. fold n. split.
  - intros R t T L. specialize (R t T). specialize (Split t T). pose proof (power_some t). pose proof (power_some (n - t)).
    pose proof (up_bounds p (2 ^ t) ltac:(auto)) as [A _]. pose proof (up_bounds p (2 ^ (n - t)) ltac:(auto)) as [B _].
    exists (up p (2 ^ t)). assert (2 ^ t <= up p (2 ^ (n - t))) by nia. nia.
  - intros D s S. pose proof (Split s S) as E. pose proof (Split (n - s) ltac:(lia)) as E'. replace (n - (n - s)) with s in E' by lia.
    pose proof (D s S) as Da. pose proof (D (n - s) ltac:(lia)) as Db. replace (n - (n - s)) with s in Db by lia.
    pose proof (power_some s) as A. pose proof (power_some (n - s)) as B.
    assert (2 ^ n < 2 * p) as W.
    { destruct (Nat.eq_dec p 1) as [->|]; [cbn; lia|]. pose proof (Nat.log2_up_spec p ltac:(lia)) as [L _]. fold n in L.
      assert (0 < n) by (apply Nat.log2_up_pos; lia). assert (2 ^ n = 2 * 2 ^ pred n) as ->; [|lia].
      rewrite <- Nat.pow_succ_r'. f_equal. lia. }
    assert (2 * 2 ^ s <= 2 ^ (n - s) \/ s = n - s \/ 2 * 2 ^ (n - s) <= 2 ^ s) as [H|[H|H]].
    { destruct (Nat.lt_total s (n - s)) as [H|[H|H]]; auto; [left | right; right]; rewrite <- Nat.pow_succ_r'; apply Nat.pow_le_mono_r; lia. }
    + clear E'. set (a := 2 ^ s) in *. set (b := 2 ^ (n - s)) in *. destruct (le_lt_dec (p + b) (2 ^ n)) as [F|F].
      * apply room_by_half; auto; lia.
      * pose proof (up_divided p a (Da ltac:(lia)) A). pose proof (up_bounds p b B). assert (up p b <= a) by nia. nia.
    + rewrite <- H in *. set (a := 2 ^ s) in *. destruct (le_lt_dec (p + a) (2 ^ n)) as [F|F].
      * apply room_square; auto; lia.
      * pose proof (up_divided p a (Da ltac:(lia)) A). assert (up p a <= a) by nia. nia.
    + rewrite Nat.mul_comm. set (a := 2 ^ s) in *. set (b := 2 ^ (n - s)) in *. destruct (le_lt_dec (p + a) (2 ^ n)) as [F|F].
      * apply room_by_half; auto; lia.
      * pose proof (up_divided p b (Db ltac:(lia)) B). pose proof (up_bounds p a A). assert (up p a <= b) by nia. nia.
Qed.

Theorem spread_once p : 0 < p -> let n := Nat.log2_up p in
  (forall t, t <= n -> 2 ^ n - 2 ^ (n - t) < p -> Nat.divide (2 ^ t) p) -> exactly_once Allreduce p 1 (spreading p).
Proof. intros P n D. apply room_once; auto. now apply room_means. Qed.
