(* Whole vectors in ceil(log2 p) steps, if each rank sends one message a step and receives one: only where 2^t divides p for all t with
   p > 2^n - 2^(n-t), n = ceil(log2 p). Spread.v has schedules for these p.

   Going back from the end: before the last t steps values hold so few contributions that in each of these steps every rank must add
   what it receives. So each value is kept once and sent once, and the number of ranks that have a contribution doubles, t times, to p.

   Example: p = 6 and n = 3: 6 > 8 - 4, and 2 divides 6; 6 > 8 - 2 is false. p = 14 and n = 4: 14 > 16 - 4, but 4 doesn't divide 14. *)
Require Import Arith Bool List Lia Permutation.
From Collectives Require Import Semantics Bridge Exchange OnePort Spread Knowledge.
Import ListNotations.

Lemma filter_permuted {A} (f : A -> bool) l m : Permutation l m -> length (filter f l) = length (filter f m).
Proof.
  induction 1 as [|x l m _ IH|x y l|l m o _ IH _ IH']; cbn; auto.
  - destruct (f x); cbn; congruence.
  - destruct (f x), (f y); reflexivity.
  - congruence.
Qed.

Lemma map_apart {A B} (g : A -> B) l : NoDup l -> (forall x y, In x l -> In y l -> g x = g y -> x = y) -> NoDup (map g l).
Proof.
  induction 1 as [|x l X _ IH]; cbn; intros I; constructor; auto.
  intros J. apply in_map_iff in J as (y & E & Y). apply X. rewrite (I x y); auto.
Qed.

(* Each of p ranks counts as another one. *)
Lemma count_moved p f g : (forall x, x < p -> g x < p) -> (forall x y, x < p -> y < p -> g x = g y -> x = y) ->
  count p (fun x => f (g x)) = count p f.
Proof.
  intros R I. unfold count. assert (Permutation (map g (seq 0 p)) (seq 0 p)) as P.
  { apply NoDup_Permutation_bis.
    - apply map_apart; [apply seq_NoDup|]. intros x y X Y. apply in_below in X, Y. auto.
    - now rewrite map_length.
    - intros y Y. apply in_map_iff in Y as (x & <- & X). apply in_below in X. apply in_below. auto. }
  rewrite <- (filter_permuted f _ _ P). generalize (seq 0 p). induction l as [|x l IH]; cbn; auto. destruct (f (g x)); cbn; auto.
Qed.

Lemma count_either p f g h : (forall x, x < p -> h x = f x || g x) -> (forall x, x < p -> f x = true -> g x = true -> False) ->
  count p h = count p f + count p g.
Proof.
  unfold count. intros E D. assert (forall x, In x (seq 0 p) -> x < p) as B by (intros x; apply in_below). revert B.
  induction (seq 0 p) as [|x l IH]; intros B; auto. pose proof (B x (or_introl eq_refl)) as X. specialize (IH (fun y Y => B y (or_intror Y))).
  cbn [filter]. specialize (E x X). specialize (D x X). rewrite E. destruct (f x), (g x); cbn [orb length]; lia || (exfalso; auto).
Qed.

Lemma count_at_most p f g h : (forall x, x < p -> h x = true -> f x = true \/ g x = true) -> count p h <= count p f + count p g.
Proof.
  intros E. unfold count. rewrite <- app_length. apply NoDup_incl_length; [apply NoDup_filter, seq_NoDup|].
  intros x X. apply in_counted in X as [X H]. apply in_or_app. rewrite !in_counted. destruct (E x X H); auto.
Qed.

(* A rank that adds what one other rank sends, once or several times *)
Lemma adds_of s x b us w : (forall t, In t us -> how t = Reduce /\ src t = x /\ what t = b) -> s x b = Some w ->
  forall v, exists u, fold_left (write s) us (Some v) = Some u /\ forall c, times u c = times v c + length us * times w c.
Proof.
  intros U E. induction us as [|t us IH]; intros v; [exists v; split; auto; intros c; cbn; lia|]. cbn [fold_left].
  destruct (U t (or_introl eq_refl)) as (R & S & W). unfold write at 2. rewrite R, S, W, E. cbn [sum].
  destruct (IH (fun t T => U t (or_intror T)) (v ++ w)) as (u & F & T). exists u. split; auto. intros c. rewrite T. unfold times.
  rewrite count_occ_app. cbn [length]. lia.
Qed.

Section Step.
Variables p blocks most : nat.
Variable s : state.
Variable st : step.
Hypothesis some_blocks : 0 < blocks.
Hypothesis well : well_formed_step p blocks s st.
Hypothesis port : forall m u, In m st -> In u st -> (src m = src u <-> dst m = dst u).
Hypothesis small : forall r, r < p -> count p (has s 0 r) <= most.
Hypothesis large : forall r, r < p -> most < count p (has (after s st) 0 r).

(* Each rank adds what one other rank has. *)
Lemma must_add r : r < p -> exists t v w u k, In t st /\ what t = 0 /\ dst t = r /\ src t < p /\ s r 0 = Some v /\ s (src t) 0 = Some w /\
  after s st r 0 = Some u /\ 0 < k /\ forall c, times u c = times v c + k * times w c.
Proof.
  intros R. specialize (large r R). destruct well as [A C]. rewrite Forall_forall in A.
  assert (forall t, In t (writes st r 0) -> In t st /\ dst t = r /\ what t = 0) as In_w.
  { intros t T. apply filter_In in T as [T I]. now apply into_true in I. }
  assert (after s st r 0 = fold_left (write s) (writes st r 0) (s r 0)) as E by reflexivity.
  pose proof (pairs_filter compatible (into r 0) st C) as Cw. change (filter (into r 0) st) with (writes st r 0) in Cw.
  assert (forall o, after s st r 0 = s o 0 -> o < p -> False) as Not.
  { intros o F O. specialize (small o O). unfold has in *. rewrite F in large. lia. }
  destruct (writes st r 0) as [|t us] eqn:W; [exfalso; now apply (Not r)|].
  destruct (In_w t (or_introl eq_refl)) as (T & D & B). destruct (A t T) as (S & _ & _ & _ & H & Hr).
  assert (how t = Reduce) as Red.
  { destruct us as [|t' us].
    - destruct (how t) eqn:O; auto. exfalso. cbn in E. unfold write in E. rewrite O, B in E. now apply (Not (src t)).
    - inversion Cw as [|? ? F _]; subst. inversion F as [|? ? F' _]; subst. destruct (In_w t' (or_intror (or_introl eq_refl))) as (_ & D' & B').
      apply F'; congruence. }
  specialize (Hr Red). rewrite D, B in Hr. rewrite B in H. destruct (s r 0) as [v|] eqn:V; [|congruence]. destruct (s (src t) 0) as [w|] eqn:X; [|congruence].
  destruct (adds_of s (src t) 0 (t :: us) w) with (v := v) as (u & F & Tm); auto.
  { intros t' T'. destruct (In_w t' T') as (I & D' & B'). split; [|split; auto; apply port; auto; congruence].
    destruct T' as [<-|T']; auto. inversion Cw as [|? ? F _]; subst. rewrite Forall_forall in F. apply (F t' T'); congruence. }
  exists t, v, w, u, (length (t :: us)). rewrite E, F. cbn [length]. repeat split; auto; lia.
Qed.

Hypothesis single : forall r, r < p -> forall v, after s st r 0 = Some v -> forall c, times v c <= 1.

Lemma back_single r : r < p -> exists v, s r 0 = Some v /\ forall c, times v c <= 1.
Proof.
  intros R. destruct (must_add r R) as (t & v & w & u & k & _ & _ & _ & _ & V & _ & U & K & T). exists v. split; auto. intros c.
  specialize (single r R u U c). rewrite T in single. lia.
Qed.

Lemma back_size r : r < p -> count p (has (after s st) 0 r) <= count p (has s 0 r) + most.
Proof.
  intros R. destruct (must_add r R) as (t & v & w & u & k & _ & _ & _ & S & V & W & U & K & T).
  pose proof (small (src t) S) as Few. apply Nat.le_trans with (count p (has s 0 r) + count p (has s 0 (src t))); [|lia]. apply count_at_most.
  intros c _ H. rewrite !has_some in *. destruct H as (u' & E & P). assert (u' = u) as -> by congruence. rewrite T in P.
  destruct (times v c) eqn:Z; [right; exists w; split; auto; nia | left; exists v; split; auto; lia].
Qed.

Lemma back_doubles c : c < p -> count p (fun r => has (after s st) 0 r c) = 2 * count p (fun r => has s 0 r c).
Proof.
  intros C. set (from := fun r => match find (fun t => (dst t =? r) && (what t =? 0)) st with Some t => src t | None => r end).
  assert (forall r, r < p -> exists t, In t st /\ dst t = r /\ from r = src t /\ src t < p /\
    has (after s st) 0 r c = has s 0 r c || has s 0 (from r) c /\ (has s 0 r c = true -> has s 0 (from r) c = true -> False)) as F.
  { intros r R. destruct (must_add r R) as (t & v & w & u & k & I & B & D & S & V & W & U & K & T). exists t.
    assert (from r = src t) as E.
    { unfold from. destruct (find _ st) as [t'|] eqn:G.
      - apply find_some in G as [I' G]. apply andb_true_iff in G as [D' _]. apply Nat.eqb_eq in D'. apply port; auto. congruence.
      - exfalso. pose proof (find_none _ _ G t I) as X. cbn in X. rewrite D, B, !Nat.eqb_refl in X. discriminate. }
    rewrite E. repeat split; auto.
    - apply eq_true_iff_eq. rewrite orb_true_iff, !has_some. split.
      + intros (u' & U' & P). assert (u' = u) as -> by congruence. rewrite T in P.
        destruct (times v c) eqn:Z; [right; exists w; split; auto; nia | left; exists v; split; auto; lia].
      + intros [(v' & V' & P)|(w' & W' & P)]; exists u; split; auto; rewrite T; [replace v with v' by congruence | replace w with w' by congruence]; nia.
    - rewrite !has_some. intros (v' & V' & P) (w' & W' & Q). specialize (single r R u U c). rewrite T in single.
      assert (v' = v) as -> by congruence. assert (w' = w) as -> by congruence. nia. }
  rewrite (count_either p (fun r => has s 0 r c) (fun r => has s 0 (from r) c)).
  - rewrite (count_moved p (fun r => has s 0 r c) from); [lia | |].
    + intros x X. destruct (F x X) as (t & _ & _ & -> & S & _). exact S.
    + intros x y X Y E. destruct (F x X) as (t & T & <- & Ex & _), (F y Y) as (u & U & <- & Ey & _). apply port; congruence.
  - intros x X. now destruct (F x X) as (t & _ & _ & _ & _ & H & _).
  - intros x X. now destruct (F x X) as (t & _ & _ & _ & _ & _ & H).
Qed.
End Step.

Theorem whole_vectors p blocks sch : let n := Nat.log2_up p in exactly_once Allreduce p blocks sch -> one_port sch -> length sch <= n ->
  forall t, t <= n -> 2 ^ n - 2 ^ (n - t) < p -> Nat.divide (2 ^ t) p.
Proof.
  intros n O Port Len t T Big. pose proof O as (W & F & D). pose proof (well_posed_some _ _ _ W) as [P B].
  set (s i := final (initial Allreduce p blocks) (firstn (n - i) sch)).
  assert (length sch = n) as Full.
  { pose proof (steps_least 1 Allreduce p blocks sch I (one_port_ports _ Port) O) as L. apply Nat.log2_up_le_mono in L.
    change (1 + 1) with 2 in L. rewrite Nat.log2_up_pow2 in L by lia. fold n in L. lia. }
  enough (forall i, i <= t -> (forall r, r < p -> exists v, s i r 0 = Some v /\ forall c, times v c <= 1) /\
    (forall r, r < p -> p + 2 ^ (n - i) <= count p (has (s i) 0 r) + 2 ^ n) /\
    forall c, c < p -> 2 ^ i * count p (fun r => has (s i) 0 r c) = p) as H.
  { destruct (H t (le_n t)) as (_ & _ & E). exists (count p (fun r => has (s t) 0 r 0)). rewrite <- (E 0 P) at 1. lia. }
  induction i as [|i IH]; intros Li.
  - assert (forall r, r < p -> exists v, s 0 r 0 = Some v /\ forall x, times v x = if x <? p then 1 else 0) as Done.
    { intros r R. unfold s. rewrite Nat.sub_0_r, <- Full, firstn_all. destruct (D r 0 R B eq_refl) as (v & E & K). exists v. split; auto.
      intros x. rewrite K. cbn [contributes]. now rewrite andb_true_r. }
    assert (forall r c, r < p -> c < p -> has (s 0) 0 r c = true) as Has.
    { intros r c R C. apply has_some. destruct (Done r R) as (v & E & K). exists v. split; auto. rewrite K. apply Nat.ltb_lt in C as ->. lia. }
    split; [|split].
    + intros r R. destruct (Done r R) as (v & E & K). exists v. split; auto. intros c. rewrite K. destruct (c <? p); lia.
    + intros r R. rewrite count_all by auto. rewrite Nat.sub_0_r. lia.
    + intros c C. rewrite count_all by auto. cbn. lia.
  - destruct (IH ltac:(lia)) as (Sg & Sz & Cn). clear IH.
    assert (n - i = S (n - S i)) as Ni by lia. assert (exists st, firstn (n - i) sch = firstn (n - S i) sch ++ [st]) as [st Est].
    { rewrite Ni. assert (n - S i < length sch) as Lk by lia. clear - Lk. revert Lk. generalize (n - S i). induction sch as [|a l IH]; intros k Lk; cbn in Lk; [lia|].
      destruct k as [|k]; [exists a; destruct l; reflexivity|]. destruct (IH k ltac:(lia)) as [st E]. exists st. cbn [firstn app]. f_equal. exact E. }
    assert (s i = after (s (S i)) st) as Es by (unfold s; rewrite Est, final_app; reflexivity).
    assert (well_formed_step p blocks (s (S i)) st /\ In st sch) as [Ws Is].
    { rewrite <- (firstn_skipn (n - i) sch), Est in F. apply well_formed_app in F as [F _]. apply well_formed_app in F as [_ [F _]]. split; [exact F|].
      rewrite <- (firstn_skipn (n - i) sch), Est. apply in_or_app. left. apply in_or_app. cbn. auto. }
    pose proof Port as Po. unfold one_port in Po. rewrite Forall_forall in Po. specialize (Po st Is).
    assert (forall r, r < p -> count p (has (s (S i)) 0 r) <= 2 ^ (n - S i)) as Small.
    { intros r R. apply Nat.le_trans with (count p (knowledge (calls_of 0 (firstn (n - S i) sch)) r)).
      - unfold count. apply NoDup_incl_length; [apply NoDup_filter, seq_NoDup|]. intros c Hc. apply in_counted in Hc as [Hc K]. apply in_counted.
        split; auto. now apply (has_knows Allreduce p blocks).
      - apply Nat.le_trans with (2 ^ length (calls_of 0 (firstn (n - S i) sch))).
        + apply (knows_few p 1). apply calls_have_ports, one_port_ports. apply Forall_forall. intros x X. pose proof Port as Q. unfold one_port in Q.
          rewrite Forall_forall in Q. apply Q. rewrite <- (firstn_skipn (n - S i) sch). apply in_or_app. auto.
        + apply Nat.pow_le_mono_r; [lia|]. unfold calls_of. rewrite map_length, firstn_length. lia. }
    assert (2 ^ (n - i) = 2 * 2 ^ (n - S i)) as Dbl by (rewrite Ni; apply Nat.pow_succ_r').
    assert (2 ^ (n - t) <= 2 ^ (n - S i)) as Lt by (apply Nat.pow_le_mono_r; lia).
    assert (forall r, r < p -> 2 ^ (n - S i) < count p (has (after (s (S i)) st) 0 r)) as Large.
    { intros r R. rewrite <- Es. specialize (Sz r R). lia. }
    rewrite Es in Sg, Sz, Cn.
    assert (forall r, r < p -> forall v, after (s (S i)) st r 0 = Some v -> forall c, times v c <= 1) as Single.
    { intros r R v E c. destruct (Sg r R) as (v' & E' & K). replace v with v' by congruence. auto. }
    split; [|split].
    + intros r R. eapply back_single; eauto.
    + intros r R. specialize (Sz r R). rewrite Dbl in Sz. assert (count p (has (after (s (S i)) st) 0 r) <= count p (has (s (S i)) 0 r) + 2 ^ (n - S i)) as Q; [eapply back_size; eauto|].
      lia.
    + intros c C. etransitivity; [|exact (Cn c C)].
      rewrite (back_doubles p blocks (2 ^ (n - S i)) (s (S i)) st), Nat.pow_succ_r'; auto. lia.
Qed.

(* And these p have such a schedule: in spreading, each rank gives to one rank a step. *)
Lemma giving_sources o l : forall m, map (fun x => fst (snd x)) (giving o l m) = firstn (length l) m.
Proof. induction l as [|x l IH]; intros [|y m]; cbn; auto. f_equal. apply IH. Qed.

Lemma nodup_firstn {A} k (l : list A) : NoDup l -> NoDup (firstn k l).
Proof. intros N. rewrite <- (firstn_skipn k l) in N. now apply nodup_app in N. Qed.

Lemma takes_sources need free runs : NoDup (concat runs) ->
  NoDup (map (fun x => fst (snd x)) (takes need free runs)) /\ forall x, In x (map (fun x => fst (snd x)) (takes need free runs)) -> In x (concat runs).
Proof.
  induction runs as [|a|a b rest IH] using by_two; intros N; cbn [takes concat] in *.
  - split; [constructor | tauto].
  - rewrite app_nil_r in *. rewrite giving_sources. split; [now apply nodup_firstn | intros x; apply in_firstn].
  - rewrite app_assoc in N. apply nodup_app in N as (Nab & Nr & D). apply nodup_app in Nab as (Na & Nb & Dab). destruct (IH Nr) as [M I].
    rewrite !map_app, !giving_sources. split.
    + repeat (apply nodup_app; split; [|split]); auto using nodup_firstn.
      * intros x X Y. apply in_firstn in X. apply I in Y. apply (D x); auto. apply in_or_app. auto.
      * intros x X Y. apply in_firstn in X. apply in_app_or in Y as [Y|Y]; [apply in_firstn in Y; now apply (Dab x)|]. apply I in Y.
        apply (D x); auto. apply in_or_app. auto.
    + intros x X. rewrite app_assoc. apply in_app_or in X as [X|X]; [apply in_firstn in X; apply in_or_app; left; apply in_or_app; auto|].
      apply in_app_or in X as [X|X]; [apply in_firstn in X; apply in_or_app; left; apply in_or_app; auto | apply in_or_app; right; auto].
Qed.

Lemma look_up_entry r l v : look_up r l = Some v -> In (r, v) l.
Proof. induction l as [|(x, w) l IH]; cbn; [discriminate|]. destruct (Nat.eqb_spec x r) as [->|]; [intros E; injection E as ->; auto | auto]. Qed.

Lemma one_source {A} (g : A -> rank) l : NoDup (map g l) -> forall x y, In x l -> In y l -> g x = g y -> x = y.
Proof.
  induction l as [|z l IH]; intros N x y X Y E; [contradiction|]. cbn in N. apply NoDup_cons_iff in N as [Z N].
  destruct X as [->|X], Y as [->|Y]; auto; exfalso; apply Z; [rewrite E | rewrite <- E]; now apply in_map.
Qed.

Lemma spreading_port p : 0 < p -> (forall s, s <= least p -> up p (2 ^ s) * holders p s <= p) -> one_port (spreading p).
Proof.
  intros P Room. apply Forall_forall. intros st S. apply in_map_iff in S as (s & <- & S). apply in_below in S. intros m u M U.
  assert (forall m, In m (round p 1 (fun _ => spread_pull p) s) -> exists o, spread_pull p s (dst m) = Some (src m, o)) as R.
  { intros t T. apply in_flat_map in T as (b & _ & T). apply in_flat_map in T as (r & _ & T). apply in_gets in T as (x & o & -> & G). eauto. }
  destruct (R m M) as [o E], (R u U) as [o' F]. split; intros G; [|rewrite G in E; congruence].
  unfold spread_pull in E, F. apply look_up_entry in E, F. pose proof (apart _ _ _ (runs_held p P Room s ltac:(lia))) as N.
  apply (takes_sources (holders p (Datatypes.S s)) (spare p (holders p (Datatypes.S s)) (runs_at p s))) in N as [N _].
  pose proof (one_source _ _ N _ _ E F G) as Same. congruence.
Qed.

Theorem whole_vectors_exactly p : 0 < p -> let n := Nat.log2_up p in
  (exists blocks sch, exactly_once Allreduce p blocks sch /\ one_port sch /\ length sch <= n) <->
  (forall t, t <= n -> 2 ^ n - 2 ^ (n - t) < p -> Nat.divide (2 ^ t) p).
Proof.
  intros P n. split.
  - intros (blocks & sch & O & Port & L). now apply (whole_vectors p blocks sch).
  - intros D. exists 1, (spreading p). split; [now apply spread_once|]. split.
    + apply spreading_port; auto. now apply room_means.
    + unfold spreading, pulls. rewrite map_length, seq_length. apply le_n.
Qed.
