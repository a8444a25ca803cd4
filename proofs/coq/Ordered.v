(* Sums in the order of the ranks. Along valid routes the sum that an owner has at step t adds up the ranks whose contributions have
   arrived. If these are runs without gaps, wherever a block has not been passed on yet, the order is preserved. It is lost if an owner
   once holds a run with a gap. It is also lost if owners look alike: the last addition joins ranks 0 .. k-1 with k .. p-1, and not
   every owner can have such an end of the line. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Sums Reproducible.
Import ListNotations.

(* Ranks without gaps *)
Definition convex (p : nat) (A : rank -> Prop) : Prop := forall i c j, i <= c <= j -> j < p -> A i -> A j -> A c.

Lemma span_times t i j : span t = Some (i, j) -> forall c, times (leaves t) c = if (i <=? c) && (c <=? j) then 1 else 0.
Proof.
  intros E c. destruct (span_leaves t i j E) as (L & u & S & U). rewrite (same_times _ _ S), U. unfold times.
  pose proof (seq_NoDup (Datatypes.S j - i) i) as N. rewrite (NoDup_count_occ Nat.eq_dec) in N. specialize (N c).
  pose proof (count_occ_In Nat.eq_dec (seq i (Datatypes.S j - i)) c) as I. rewrite in_seq in I.
  destruct (Nat.leb_spec i c), (Nat.leb_spec c j); cbn; destruct (count_occ _ _ c); lia.
Qed.

(* Two runs that make one run are neighbours. *)
Lemma span_plus p a b (A : rank -> Prop) : span a <> None -> span b <> None -> convex p A ->
  (forall c, times (leaves a) c + times (leaves b) c <= 1) ->
  (forall c, A c /\ c < p <-> 0 < times (leaves a) c + times (leaves b) c) -> span (Plus a b) <> None.
Proof.
  cbn [span]. destruct (span a) as [[i j]|] eqn:Ea; [|congruence]. destruct (span b) as [[k l]|] eqn:Eb; [|congruence]. intros _ _ C D U.
  pose proof (proj1 (span_leaves _ _ _ Ea)) as La. pose proof (proj1 (span_leaves _ _ _ Eb)) as Lb.
  assert (forall c, 0 < times (leaves a) c + times (leaves b) c <-> i <= c <= j \/ k <= c <= l) as T.
  { intros c. rewrite (span_times _ _ _ Ea), (span_times _ _ _ Eb).
    destruct (Nat.leb_spec i c), (Nat.leb_spec c j), (Nat.leb_spec k c), (Nat.leb_spec c l); cbn; lia. }
  assert (forall c, ~ (i <= c <= j /\ k <= c <= l)) as N.
  { intros c [P Q]. specialize (D c). rewrite (span_times _ _ _ Ea), (span_times _ _ _ Eb) in D.
    destruct (Nat.leb_spec i c), (Nat.leb_spec c j), (Nat.leb_spec k c), (Nat.leb_spec c l); cbn in D; lia. }
  assert (forall c, A c /\ c < p <-> i <= c <= j \/ k <= c <= l) as W by (intros c; rewrite U; apply T). clear U D T.
  destruct (Nat.eqb_spec (S j) k) as [|N1]; [discriminate|]. destruct (Nat.eqb_spec (S l) i) as [|N2]; [discriminate|]. exfalso.
  destruct (proj2 (W i) ltac:(lia)) as [Ai _], (proj2 (W j) ltac:(lia)) as [Aj Pj], (proj2 (W k) ltac:(lia)) as [Ak Pk], (proj2 (W l) ltac:(lia)) as [Al Pl].
  pose proof (N i). pose proof (N k). destruct (le_lt_dec k j).
  - assert (A (S l)) as X by (apply (C l (S l) i); auto; lia). pose proof (proj1 (W (S l)) ltac:(split; [exact X | lia])). lia.
  - assert (A (S j)) as X by (apply (C j (S j) k); auto; lia). pose proof (proj1 (W (S j)) ltac:(split; [exact X | lia])). lia.
Qed.

Lemma span_convex p t : span t <> None -> convex p (fun c => 0 < times (leaves t) c).
Proof.
  destruct (span t) as [[i j]|] eqn:E; [|congruence]. intros _ x c y I Y. rewrite !(span_times _ _ _ E).
  destruct (Nat.leb_spec i x), (Nat.leb_spec x j), (Nat.leb_spec i y), (Nat.leb_spec y j), (Nat.leb_spec i c), (Nat.leb_spec c j); cbn; lia.
Qed.

Lemma flat_map_none {A B} (h : A -> list B) l : (forall x, In x l -> h x = []) -> flat_map h l = [].
Proof. induction l as [|x l IH]; intros H; cbn; auto. rewrite H by (cbn; auto). apply IH. intros y Y. apply H. now right. Qed.

(* Sums along valid routes *)
Section Routes.
Variables p blocks n : nat.
Variable q : block -> rank.
Variable g : block -> route.
Hypothesis some : 0 < p.
Hypothesis blocks_exist : 0 < blocks.
Hypothesis O : owned p n blocks q g.

Definition until (t : nat) : places term := sums (ReduceScatter q) p blocks (map (forward p blocks g) (seq 0 t)).

Lemma until_next t : until (S t) = next Plus (until t) (forward p blocks g t).
Proof. unfold until, sums. rewrite seq_S, map_app, run_app. reflexivity. Qed.

Lemma until_tracks t : t <= n -> tracks p blocks g t (final (initial (ReduceScatter q) p blocks) (map (forward p blocks g) (seq 0 t))).
Proof.
  intros T. apply (forward_run p blocks n g q (owned_valid _ _ _ _ _ O) t 0); [lia|]. now apply tracks_start.
Qed.

Lemma until_some t b r : t <= n -> b < blocks -> r < p -> exists u, until t r b = Some u /\
  (fresh (g b) t r -> forall c, times (leaves u) c = if (c <? p) && (place (g b) t c =? r) then 1 else 0).
Proof.
  intros T B R. destruct (until_tracks t T b r B R) as (v & E & H). rewrite sums_refine in E. fold (until t) in E.
  destruct (until t r b) as [u|]; [|discriminate]. injection E as <-. eauto.
Qed.

(* What arrives: several values, or one *)
Lemma arriving t b r : t < n -> b < blocks -> Forall (fun m => how m = Reduce /\ exists x, x < p /\ src m = x /\ what m = b /\ g b t x = Some r)
  (writes (forward p blocks g t) r b).
Proof.
  intros T B. apply Forall_forall. intros m M. apply filter_In in M as [M I]. apply into_true in I as [D W].
  apply in_forward in M as (c & x & d & C & X & -> & G). cbn in *. subst. split; eauto 6.
Qed.

Definition one_arrival : Prop := forall b t x y r, b < blocks -> t < n -> x < p -> y < p ->
  g b t x = Some r -> g b t y = Some r -> x = y.

Lemma arrival t b r : one_arrival -> t < n -> b < blocks ->
  (forall x, x < p -> g b t x <> Some r) /\ until (S t) r b = until t r b \/
  exists x, x < p /\ g b t x = Some r /\ until (S t) r b = added Plus (until t r b) (until t x b).
Proof.
  intros A T B. rewrite until_next. unfold next. rewrite writes_forward by auto.
  destruct (existsb (fun x => match g b t x with Some d => d =? r | None => false end) (seq 0 p)) eqn:E.
  - right. apply existsb_exists in E as (x & X & E). apply in_below in X. destruct (g b t x) as [d|] eqn:G; [|discriminate].
    apply Nat.eqb_eq in E. subst d. exists x. repeat split; auto. rewrite (flat_map_one _ _ x).
    + unfold pass. rewrite G. cbn [filter]. unfold into. cbn. rewrite !Nat.eqb_refl. reflexivity.
    + apply seq_NoDup.
    + now apply in_below.
    + intros y Y N. apply in_below in Y. apply filter_none. intros m M. apply (in_pass 0) in M as (d & -> & D). unfold into. cbn.
      apply andb_false_iff. left. apply Nat.eqb_neq. intros ->. apply N. now apply (A b t y x r).
  - left. assert (forall x, x < p -> g b t x <> Some r) as N.
    { intros x X G. rewrite <- not_true_iff_false in E. apply E. apply existsb_exists. exists x. rewrite in_below, G. auto using Nat.eqb_refl. }
    split; auto. rewrite flat_map_none; auto. intros x X. apply in_below in X. apply filter_none. intros m M.
    apply (in_pass 0) in M as (d & -> & D). unfold into. cbn. apply andb_false_iff. left. apply Nat.eqb_neq. intros ->. now apply (N x).
Qed.

(* What an owner ends with, and what all ranks of the allreduce do *)
Lemma owner_sum b : b < blocks -> sums (ReduceScatter q) p blocks (reduce_scatter p blocks n g) (q b) b = until n (q b) b.
Proof. reflexivity. Qed.

Theorem allreduce_order : order_preserving Allreduce p blocks (allreduce p blocks n g) <->
  order_preserving (ReduceScatter q) p blocks (reduce_scatter p blocks n g).
Proof.
  assert (forall b x, b < blocks -> x < p -> sums Allreduce p blocks (allreduce p blocks n g) x b = until n (q b) b) as E.
  { intros b x B X. unfold sums, allreduce. rewrite run_app.
    rewrite (allgather_copies _ _ p blocks q _ (allgather_once p n blocks q g some blocks_exist O)) by auto. reflexivity. }
  split; intros H b r B R W.
  - cbn in W. apply Nat.eqb_eq in W. subst r. rewrite owner_sum, <- (E b (q b)) by auto. now apply H.
  - rewrite E by auto. destruct (O b B) as [Q _]. apply (H b (q b)); auto. cbn. apply Nat.eqb_refl.
Qed.

(* Contributions that are on one rank, if it has not passed the block on, have no gap. *)
Definition gapless : Prop := forall b t r, b < blocks -> t <= n -> r < p -> fresh (g b) t r -> convex p (fun c => place (g b) t c = r).

Theorem gapless_order : one_arrival -> gapless -> order_preserving (ReduceScatter q) p blocks (reduce_scatter p blocks n g).
Proof.
  intros A C b r B R W. cbn in W. apply Nat.eqb_eq in W. subst r. pose proof (owned_valid _ _ _ _ _ O b B) as V.
  assert (forall t, t <= n -> forall r, r < p -> fresh (g b) t r -> ordered (until t r b)) as H.
  { induction t as [|t IH]; intros T r X F.
    - exists (Leaf r). split; [|discriminate]. change (leaf_start (ReduceScatter q) p blocks r b = Some (Leaf r)).
      unfold leaf_start, start. apply Nat.ltb_lt in X as ->, B as ->. reflexivity.
    - assert (fresh (g b) t r) as Ft by (intros u U; apply F; lia).
      destruct (arrival t b r A ltac:(lia) B) as [[_ ->]|(x & Y & G & E)]; [apply IH; auto; lia|].
      assert (fresh (g b) t x) as Fx by (apply (sender_fresh _ _ _ _ V); auto; congruence).
      destruct (IH ltac:(lia) r X Ft) as (u & U & Su), (IH ltac:(lia) x Y Fx) as (v & Uv & Sv). rewrite U, Uv in E.
      exists (Plus u v). split; [exact E|].
      destruct (until_some t b r ltac:(lia) B X) as (u' & U' & Ku), (until_some t b x ltac:(lia) B Y) as (v' & V' & Kv).
      rewrite U in U'. rewrite Uv in V'. injection U' as <-. injection V' as <-. specialize (Ku Ft). specialize (Kv Fx).
      destruct (until_some (S t) b r T B X) as (w & Ew & Kw). rewrite E in Ew. injection Ew as <-. specialize (Kw F).
      assert (forall c, times (leaves u) c + times (leaves v) c = if (c <? p) && (place (g b) (S t) c =? r) then 1 else 0) as K.
      { intros c. rewrite <- Kw. unfold times. cbn [leaves]. now rewrite count_occ_app. }
      apply (span_plus p u v (fun c => place (g b) (S t) c = r) Su Sv (C b (S t) r B T X F)); intros c; rewrite K.
      + destruct (_ && _); lia.
      + destruct (Nat.ltb_spec c p), (Nat.eqb_spec (place (g b) (S t) c) r); cbv beta; cbn [andb]; lia. }
  apply H; auto. apply (owner_fresh _ _ _ _ V R).
Qed.

(* Reductions keep what was there as a part. *)
Lemma part_ordered (s : places term) us h : Forall (fun m => how m = Reduce) us -> ordered (fold_left (put Plus s) us h) -> ordered h.
Proof.
  intros R. revert h. induction R as [|m us M _ IH]; intros h H; [exact H|]. cbn [fold_left] in H. apply IH in H.
  destruct H as (t & E & N). unfold put in E. rewrite M in E. destruct h as [u|], (s (src m) (what m)) as [v|]; try discriminate.
  injection E as <-. exists u. split; auto. cbn [span] in N. destruct (span u); congruence.
Qed.

Lemma earlier_ordered b r t u : b < blocks -> t <= u <= n -> ordered (until u r b) -> ordered (until t r b).
Proof.
  intros B [L U]. induction L as [|u L IH]; auto. intros H. apply IH; [lia|]. rewrite until_next in H. unfold next in H.
  apply (part_ordered (until u) _ _ (Forall_impl _ (fun m M => proj1 M) (arriving u b r ltac:(lia) B)) H).
Qed.

(* If the order is preserved, owners never have a gap. *)
Theorem order_gapless : order_preserving (ReduceScatter q) p blocks (reduce_scatter p blocks n g) ->
  forall b t, b < blocks -> t <= n -> convex p (fun c => place (g b) t c = q b).
Proof.
  intros H b t B T i c j I J Pi Pj. destruct (O b B) as [Q V].
  assert (ordered (until t (q b) b)) as (u & E & N).
  { apply (earlier_ordered b (q b) t n); auto. rewrite <- owner_sum by auto. apply H; auto. cbn. apply Nat.eqb_refl. }
  destruct (until_some t b (q b) T B Q) as (u' & E' & K). rewrite E in E'. injection E' as <-.
  specialize (K (fun v L => owner_fresh _ _ _ _ V Q v (Nat.lt_le_trans _ _ _ L T))).
  pose proof (span_convex p u N i c j I J) as X. cbv beta in *. rewrite !K in X.
  destruct (Nat.ltb_spec i p), (Nat.ltb_spec j p), (Nat.ltb_spec c p), (Nat.eqb_spec (place (g b) t i) (q b)),
    (Nat.eqb_spec (place (g b) t j) (q b)), (Nat.eqb_spec (place (g b) t c) (q b)); cbn [andb] in X; lia.
Qed.

(* The last addition: before it an owner has the ranks below some k, or those from k on. *)
Definition last_arrival (b t : nat) : Prop := t < n /\ (exists x, x < p /\ g b t x = Some (q b)) /\
  forall u x, t < u < n -> x < p -> g b u x <> Some (q b).

Lemma last_arrival_exists b : b < blocks -> 1 < p -> exists t, last_arrival b t.
Proof.
  intros B P. destruct (O b B) as [Q V].
  assert (forall k, k <= n -> (forall u x, k <= u < n -> x < p -> g b u x <> Some (q b)) -> exists t, last_arrival b t) as H; [|apply (H n); auto; lia].
  induction k as [|k IH]; intros K N.
  - exfalso. set (y := if q b =? 0 then 1 else 0). assert (y < p /\ y <> q b) as [Y D] by (unfold y; destruct (Nat.eqb_spec (q b) 0); lia).
    assert (forall t, t <= n -> place (g b) t y <> q b) as Z.
    { induction t as [|t IH]; intros T; [exact D|]. cbn [place]. specialize (IH ltac:(lia)).
      destruct (g b t (place (g b) t y)) as [d|] eqn:G; auto. intros ->. apply (N t (place (g b) t y)); auto; [lia|].
      apply (place_below _ _ _ _ V); auto. lia. }
    apply (Z n); auto. now apply (arrives _ _ _ _ V).
  - destruct (existsb (fun x => match g b k x with Some d => d =? q b | None => false end) (seq 0 p)) eqn:E.
    + exists k. split; [lia|]. split; [|intros u x U; apply N; lia]. apply existsb_exists in E as (x & X & E). apply in_below in X.
      exists x. split; auto. destruct (g b k x) as [d|]; [|discriminate]. apply Nat.eqb_eq in E. congruence.
    + apply IH; [lia|]. intros u x U X. destruct (Nat.eq_dec u k) as [->|]; [|apply N; auto; lia]. intros G.
      rewrite <- not_true_iff_false in E. apply E. apply existsb_exists. exists x. rewrite in_below, G. auto using Nat.eqb_refl.
Qed.

Lemma last_ends b t : one_arrival -> b < blocks -> last_arrival b t ->
  order_preserving (ReduceScatter q) p blocks (reduce_scatter p blocks n g) ->
  exists k, (forall c, c < p -> (place (g b) t c = q b <-> c < k)) \/ (forall c, c < p -> (place (g b) t c = q b <-> k <= c)).
Proof.
  intros A B (T & (x & X & G) & L) H. destruct (O b B) as [Q V].
  assert (ordered (until (S t) (q b) b)) as (w & E & N).
  { apply (earlier_ordered b (q b) (S t) n); auto. rewrite <- owner_sum by auto. apply H; auto. cbn. apply Nat.eqb_refl. }
  destruct (arrival t b (q b) A T B) as [[Z _]|(y & Y & Gy & F)]; [now apply Z in G|]. clear x X G.
  assert (forall u, u <= n -> fresh (g b) u (q b)) as Fq by (intros u U v W; apply (owner_fresh _ _ _ _ V Q); lia).
  assert (fresh (g b) t y) as Fy by (apply (sender_fresh _ _ _ _ V); auto; congruence).
  destruct (until_some t b (q b) ltac:(lia) B Q) as (u & U & Ku), (until_some t b y ltac:(lia) B Y) as (v & W & Kv).
  specialize (Ku (Fq t ltac:(lia))). specialize (Kv Fy). rewrite U, W in F. rewrite F in E. injection E as <-.
  assert (forall c, c < p -> place (g b) (S t) c = q b) as All.
  { intros c C. assert (forall k, S t + k <= n -> place (g b) (S t + k) c = q b -> place (g b) (S t) c = q b) as Back.
    { induction k as [|k IH]; [now rewrite Nat.add_0_r|]. intros K P. apply IH; [lia|]. rewrite Nat.add_succ_r in P. cbn [place] in P.
      destruct (g b (S t + k) (place (g b) (S t + k) c)) as [d|] eqn:D; auto. subst d. exfalso.
      apply (L (S t + k) (place (g b) (S t + k) c)); auto; [lia|]. apply (place_below _ _ _ _ V); auto. lia. }
    apply (Back (n - S t)); [lia|]. replace (S t + (n - S t)) with n by lia. now apply (arrives _ _ _ _ V). }
  assert (forall c, c < p -> place (g b) t c = q b \/ place (g b) t c = y) as Two.
  { intros c C. specialize (All c C). cbn [place] in All. destruct (g b t (place (g b) t c)) as [d|] eqn:D; [|now left].
    subst d. right. apply (A b t _ y (q b)); auto. apply (place_below _ _ _ _ V); auto. lia. }
  assert (y <> q b) as D by (intros ->; now apply (stays _ _ _ _ V t (q b) (q b) T Q)).
  destruct (span u) as [[i j]|] eqn:Su; [|cbn [span] in N; rewrite Su in N; congruence].
  destruct (span v) as [[k l]|] eqn:Sv; [|cbn [span] in N; rewrite Su, Sv in N; congruence].
  pose proof (span_times _ _ _ Su) as Tu. pose proof (span_times _ _ _ Sv) as Tv.
  assert (forall c, c < p /\ place (g b) t c = q b <-> i <= c <= j) as Iu.
  { intros c. specialize (Ku c). rewrite Tu in Ku.
    destruct (Nat.ltb_spec c p), (Nat.eqb_spec (place (g b) t c) (q b)), (Nat.leb_spec i c), (Nat.leb_spec c j); cbn in Ku; lia. }
  assert (forall c, c < p /\ place (g b) t c = y <-> k <= c <= l) as Iv.
  { intros c. specialize (Kv c). rewrite Tv in Kv.
    destruct (Nat.ltb_spec c p), (Nat.eqb_spec (place (g b) t c) y), (Nat.leb_spec k c), (Nat.leb_spec c l); cbn in Kv; lia. }
  pose proof (proj1 (span_leaves _ _ _ Su)) as Lu. pose proof (proj1 (span_leaves _ _ _ Sv)) as Lv.
  assert (forall c, c < p <-> i <= c <= j \/ k <= c <= l) as I.
  { intros c. rewrite <- Iu, <- Iv. split; [intros C; destruct (Two c C); auto | tauto]. }
  cbn [span] in N. rewrite Su, Sv in N.
  pose proof (proj1 (I 0) ltac:(lia)). pose proof (proj1 (I (p - 1)) ltac:(lia)). pose proof (proj2 (I j) ltac:(lia)). pose proof (proj2 (I l) ltac:(lia)).
  destruct (Nat.eqb_spec (S j) k) as [Ek|]; [exists (S j); left | destruct (Nat.eqb_spec (S l) i) as [El|]; [exists i; right | congruence]];
    intros c C; pose proof (Iu c); lia.
Qed.
End Routes.
