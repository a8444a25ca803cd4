(* From the paths of contributions to sums. Suppose that each rank passes a block on at most once, after everything that it
   receives of it, and that the path of each contribution ends on the block's owner. Then the reduce-scatter is exactly once.
   Before that: blocks can be judged one at a time. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics.
Import ListNotations.

(* Blocks are independent: a schedule is right if and only if its part for each block is. *)
Definition only (b : block) (sch : schedule) : schedule := map (filter (fun t => what t =? b)) sch.
Definition blocks_below (blocks : nat) (sch : schedule) : Prop := Forall (Forall (fun t => what t < blocks)) sch.
Definition once_at (c : collective) (p blocks : nat) (b : block) (sch : schedule) : Prop :=
  well_formed p blocks (initial c p blocks) (only b sch) /\
  forall r, r < p -> wanted c p r b = true ->
    exists v, final (initial c p blocks) (only b sch) r b = Some v /\ complete c p b v.

Lemma filter_comm {A} (f g : A -> bool) l : filter f (filter g l) = filter g (filter f l).
Proof.
  induction l as [|x l IH]; cbn; auto. destruct (f x) eqn:F, (g x) eqn:G; cbn; rewrite ?F, ?G, IH; reflexivity.
Qed.

Lemma filter_all {A} (f : A -> bool) l : (forall x, In x l -> f x = true) -> filter f l = l.
Proof. induction l as [|x l IH]; cbn; intros H; auto. rewrite H by auto. f_equal. auto. Qed.

Lemma filter_none {A} (f : A -> bool) l : (forall x, In x l -> f x = false) -> filter f l = [].
Proof. induction l as [|x l IH]; cbn; intros H; auto. rewrite H; auto. Qed.

Lemma writes_only st r b : writes (filter (fun t => what t =? b) st) r b = writes st r b.
Proof.
  unfold writes. rewrite filter_comm. apply filter_all. intros t T. apply filter_In in T as [_ T].
  apply into_true in T. apply Nat.eqb_eq. tauto.
Qed.

Lemma fold_same (s s' : state) b us : (forall r, s r b = s' r b) -> Forall (fun t => what t = b) us ->
  forall h, fold_left (write s) us h = fold_left (write s') us h.
Proof.
  intros E U. induction U as [|t us T _ IH]; intros h; cbn; auto.
  rewrite IH. f_equal. unfold write. rewrite T, E. reflexivity.
Qed.

Lemma after_only (s s' : state) st b : (forall r, s r b = s' r b) ->
  forall r, after s st r b = after s' (filter (fun t => what t =? b) st) r b.
Proof.
  intros E r. unfold after. rewrite writes_only, E. apply (fold_same s s' b); auto.
  apply Forall_forall. intros t T. apply filter_In in T as [_ T]. apply into_true in T. tauto.
Qed.

Lemma final_only sch b : forall (s s' : state), (forall r, s r b = s' r b) ->
  forall r, final s sch r b = final s' (only b sch) r b.
Proof. induction sch as [|st sch IH]; cbn; intros s s' E; auto. apply IH. now apply after_only. Qed.

Lemma pairs_filter {A} (P : A -> A -> Prop) f l : ForallOrdPairs P l -> ForallOrdPairs P (filter f l).
Proof.
  induction 1 as [|x l F _ IH]; cbn; [constructor|]. destruct (f x); auto. constructor; auto.
  apply Forall_forall. intros y Y. apply filter_In in Y as [Y _]. rewrite Forall_forall in F. auto.
Qed.

Lemma pairs_blocks st : (forall b, ForallOrdPairs compatible (filter (fun t => what t =? b) st)) -> ForallOrdPairs compatible st.
Proof.
  induction st as [|t st IH]; intros H; constructor.
  - specialize (H (what t)). cbn in H. rewrite Nat.eqb_refl in H. inversion H as [|? ? F _]; subst.
    rewrite Forall_forall in *. intros u U D B. apply (F u); auto. apply filter_In. rewrite B, Nat.eqb_refl. auto.
  - apply IH. intros b. specialize (H b). cbn in H. destruct (what t =? b); auto. now inversion H.
Qed.

Lemma step_blocks p blocks (s : state) st : Forall (fun t => what t < blocks) st ->
  (well_formed_step p blocks s st <-> forall b, b < blocks -> well_formed_step p blocks s (filter (fun t => what t =? b) st)).
Proof.
  intros R. split.
  - intros [A C] b _. split; [|now apply pairs_filter].
    apply Forall_forall. intros t T. apply filter_In in T as [T _]. rewrite Forall_forall in A. auto.
  - intros H. rewrite Forall_forall in R. split.
    + apply Forall_forall. intros t T. destruct (H (what t) (R t T)) as [A _]. rewrite Forall_forall in A.
      apply A. apply filter_In. rewrite Nat.eqb_refl. auto.
    + apply pairs_blocks. intros b. destruct (le_lt_dec blocks b) as [G|L]; [|now apply H].
      rewrite filter_none; [constructor|]. intros t T. apply Nat.eqb_neq. specialize (R t T). lia.
Qed.

Lemma step_local p blocks (s s' : state) b st : (forall r, s r b = s' r b) -> Forall (fun t => what t = b) st ->
  well_formed_step p blocks s st -> well_formed_step p blocks s' st.
Proof.
  intros E B [A C]. split; auto. rewrite Forall_forall in *. intros t T. specialize (A t T). specialize (B t T).
  unfold allowed in *. rewrite B in *. rewrite <- !E. exact A.
Qed.

Lemma filter_block b st : Forall (fun t => what t = b) (filter (fun t => what t =? b) st).
Proof. apply Forall_forall. intros t T. apply filter_In in T as [_ T]. now apply Nat.eqb_eq. Qed.

Lemma only_local p blocks b sch : forall s s' : state, (forall r, s r b = s' r b) ->
  well_formed p blocks s (only b sch) -> well_formed p blocks s' (only b sch).
Proof.
  induction sch as [|st sch IH]; cbn; auto. intros s s' E [A B]. split.
  - apply (step_local p blocks s s' b); auto using filter_block.
  - apply (IH (after s (filter (fun t => what t =? b) st))); auto. intros r.
    transitivity (after s st r b); [symmetry|]; now apply after_only.
Qed.

Lemma well_formed_blocks p blocks sch : blocks_below blocks sch -> forall s,
  (well_formed p blocks s sch <-> forall b, b < blocks -> well_formed p blocks s (only b sch)).
Proof.
  induction 1 as [|st sch B _ IH]; intros s; cbn; [tauto|].
  rewrite (step_blocks p blocks s st B), IH. split.
  - intros [A C] b L. split; auto. apply (only_local p blocks b sch (after s st)); auto.
    intros r. now apply after_only.
  - intros H. split; [intros b L; apply (H b L)|]. intros b L. destruct (H b L) as [_ C].
    eapply only_local; [|exact C]. intros r. symmetry. now apply after_only.
Qed.

Theorem block_independence c p blocks sch : well_posed c p blocks = true -> blocks_below blocks sch ->
  (exactly_once c p blocks sch <-> forall b, b < blocks -> once_at c p blocks b sch).
Proof.
  intros O B. unfold exactly_once, once_at, delivers. rewrite (well_formed_blocks p blocks sch B). split.
  - intros (_ & W & D) b L. split; auto. intros r R. rewrite <- (final_only sch b (initial c p blocks)); auto.
  - intros H. split; [auto | split; [intros b L; apply (H b L)|]]. intros r b R L. rewrite (final_only sch b _ (initial c p blocks)); auto.
    apply (H b L); auto.
Qed.

(* A route is about one block. It says to which rank a rank passes its share on at a step, if it does. *)
Definition route := nat -> rank -> option rank.

(* Where rank x's contribution is before step t *)
Fixpoint place (g : route) (t : nat) (x : rank) : rank :=
  match t with
  | O => x
  | S k => match g k (place g k x) with Some d => d | None => place g k x end
  end.

(* A route to the owner q in n steps: each rank passes on at most once, after all that it receives, and all paths end on q. *)
Record valid (p n : nat) (q : rank) (g : route) : Prop := {
  stays : forall t x d, t < n -> x < p -> g t x = Some d -> d < p /\ d <> x;
  passes_once : forall t u x, t < u < n -> x < p -> g t x <> None -> g u x = None;
  receives_before : forall t u x y, t <= u < n -> x < p -> y < p -> g t x <> None -> g u y <> Some x;
  arrives : forall x, x < p -> place g n x = q }.

(* Rank x has not passed the block on before step t. *)
Definition fresh (g : route) (t : nat) (x : rank) : Prop := forall u, u < t -> g u x = None.

Section Route.
Variables p n : nat.
Variable q : rank.
Variable g : route.
Hypothesis V : valid p n q g.

Lemma place_below t x : t <= n -> x < p -> place g t x < p.
Proof.
  induction t as [|t IH]; intros T X; cbn; auto. specialize (IH ltac:(lia) X).
  destruct (g t (place g t x)) as [d|] eqn:E; auto. apply (stays _ _ _ _ V t _ _ ltac:(lia) IH E).
Qed.

Lemma sender_fresh t x : t < n -> x < p -> g t x <> None -> fresh g t x.
Proof.
  intros T X S u U. destruct (g u x) eqn:E; auto. exfalso. apply S. apply (passes_once _ _ _ _ V u t x); auto; congruence.
Qed.

Lemma place_fresh t x : t <= n -> x < p -> fresh g t (place g t x).
Proof.
  induction t as [|t IH]; intros T X u U; [lia|]. cbn. pose proof (place_below t x ltac:(lia) X) as Y.
  destruct (g t (place g t x)) as [d|] eqn:E.
  - destruct (g u d) eqn:F; auto. exfalso. destruct (stays _ _ _ _ V t _ _ ltac:(lia) Y E).
    apply (receives_before _ _ _ _ V u t d (place g t x)); auto; [lia | congruence].
  - destruct (Nat.eq_dec u t) as [->|N]; auto. apply IH; auto; lia.
Qed.

Lemma owner_below x : x < p -> q < p.
Proof. intros X. rewrite <- (arrives _ _ _ _ V x X). now apply place_below. Qed.

(* The owner never passes its block on. *)
Lemma owner_fresh : q < p -> fresh g n q.
Proof. intros Q. rewrite <- (arrives _ _ _ _ V q Q) at 1. now apply place_fresh. Qed.

Lemma fresh_or_passes t x : fresh g t x \/ exists u, u < t /\ g u x <> None.
Proof.
  induction t as [|t [F|(u & U & E)]].
  - left. intros u U. lia.
  - destruct (g t x) eqn:E.
    + right. exists t. split; [lia | congruence].
    + left. intros u U. destruct (Nat.eq_dec u t) as [->|N]; auto. apply F. lia.
  - right. exists u. split; [lia | auto].
Qed.

Lemma fresh_place t x : fresh g t x -> place g t x = x.
Proof.
  induction t as [|t IH]; intros F; cbn; auto. rewrite IH; [|intros u U; apply F; lia]. now rewrite F by lia.
Qed.

(* All other ranks pass it on. *)
Lemma others_pass x : x < p -> x <> q -> exists u, u < n /\ g u x <> None.
Proof.
  intros X N. destruct (fresh_or_passes n x) as [F|]; auto. exfalso. apply N.
  rewrite <- (arrives _ _ _ _ V x X). symmetry. now apply fresh_place.
Qed.
End Route.

(* Sums over lists in which all summands but one are zero or empty *)
Lemma flat_map_one {A B} (h : A -> list B) l y : NoDup l -> In y l -> (forall x, In x l -> x <> y -> h x = []) -> flat_map h l = h y.
Proof.
  induction 1 as [|x l N _ IH]; cbn; [contradiction|]. intros [->|Y] Z.
  - replace (flat_map h l) with (@nil B); [apply app_nil_r|]. clear IH. induction l as [|z l IH]; cbn; auto.
    rewrite Z by (cbn; auto; intros ->; apply N; cbn; auto). apply IH; [intros I; apply N; cbn; auto|].
    intros x [->|I] D; apply Z; cbn; auto.
  - rewrite Z; cbn; auto. intros ->. contradiction.
Qed.

Lemma filter_flat_map {A B} (f : B -> bool) (h : A -> list B) l : filter f (flat_map h l) = flat_map (fun x => filter f (h x)) l.
Proof. induction l; cbn; auto. now rewrite filter_app, IHl. Qed.

Lemma sum_flat_map {A B} (f : B -> nat) (h : A -> list B) l :
  list_sum (map f (flat_map h l)) = list_sum (map (fun x => list_sum (map f (h x))) l).
Proof. induction l; cbn; auto. rewrite map_app, list_sum_app. f_equal. apply IHl. Qed.

Lemma sum_cons {A} (f : A -> nat) x l : list_sum (map f (x :: l)) = f x + list_sum (map f l).
Proof. reflexivity. Qed.

Lemma sum_none {A} (f : A -> nat) l : (forall x, In x l -> f x = 0) -> list_sum (map f l) = 0.
Proof. induction l as [|x l IH]; intros Z; auto. rewrite sum_cons, Z, IH; cbn in *; auto. Qed.

Lemma sum_one {A} (f : A -> nat) l y : NoDup l -> In y l -> (forall x, In x l -> x <> y -> f x = 0) -> list_sum (map f l) = f y.
Proof.
  induction 1 as [|x l N _ IH]; [contradiction|]. intros [->|Y] Z; rewrite sum_cons.
  - rewrite (sum_none f l); [lia|]. intros x X. apply Z; [now right|]. intros ->. contradiction.
  - rewrite Z; [|now left|intros ->; contradiction]. apply IH; auto. intros z I. apply Z. now right.
Qed.

(* The reduce-scatter along one route for each block *)
Section ReduceScatter.
Variables p blocks n : nat.
Variable g : block -> route.

Definition pass (b : block) (t : nat) (x : rank) : list transfer :=
  match g b t x with Some d => [move x d b Reduce] | None => [] end.
Definition forward (t : nat) : step := flat_map (fun b => flat_map (pass b t) (seq 0 p)) (seq 0 blocks).
Definition reduce_scatter : schedule := map forward (seq 0 n).

Lemma in_pass t b x m : In m (pass b t x) -> exists d, m = move x d b Reduce /\ g b t x = Some d.
Proof. unfold pass. destruct (g b t x); cbn; intuition eauto. Qed.

Lemma in_forward t m : In m (forward t) ->
  exists b x d, b < blocks /\ x < p /\ m = move x d b Reduce /\ g b t x = Some d.
Proof.
  unfold forward. intros H. apply in_flat_map in H as (b & B & H). apply in_flat_map in H as (x & X & H).
  apply in_pass in H as (d & D). exists b, x, d. rewrite in_below in *. auto.
Qed.

Lemma writes_forward t r b : b < blocks ->
  writes (forward t) r b = flat_map (fun x => filter (into r b) (pass b t x)) (seq 0 p).
Proof.
  intros B. unfold writes, forward. rewrite filter_flat_map, (flat_map_one _ _ b).
  - apply filter_flat_map.
  - apply seq_NoDup.
  - now apply in_below.
  - intros c _ N. apply filter_none. intros m M. apply in_flat_map in M as (x & _ & M).
    apply in_pass in M as (d & -> & _). unfold into. cbn. apply andb_false_iff. right. now apply Nat.eqb_neq.
Qed.

(* How many contributions of c a transfer adds *)
Definition adds (s : state) (c : rank) (m : transfer) : nat :=
  match s (src m) (what m) with Some w => times w c | None => 0 end.

Lemma fold_reduces s us : Forall (fun m => how m = Reduce /\ s (src m) (what m) <> None) us ->
  forall v, exists w, fold_left (write s) us (Some v) = Some w /\ forall c, times w c = times v c + list_sum (map (adds s c) us).
Proof.
  induction 1 as [|m us [R H] _ IH]; intros v.
  - exists v. cbn. split; auto.
  - cbn [fold_left]. unfold write at 2. rewrite R. destruct (s (src m) (what m)) as [x|] eqn:E; [|congruence]. cbn [sum].
    destruct (IH (v ++ x)) as (w & W & T). exists w. split; auto. intros c.
    rewrite T, sum_cons. unfold adds at 2. rewrite E. unfold times. rewrite count_occ_app. lia.
Qed.

(* Before step t, a rank that has not passed block b on yet holds those contributions whose paths are on that rank. *)
Definition tracks (t : nat) (s : state) : Prop := forall b r, b < blocks -> r < p ->
  exists v, s r b = Some v /\
    (fresh (g b) t r -> forall c, times v c = if (c <? p) && (place (g b) t c =? r) then 1 else 0).

Lemma tracks_start c : (forall r b, contributes c p r b = true) -> tracks 0 (initial c p blocks).
Proof.
  intros A b r B R. exists [r]. unfold initial. rewrite A. apply Nat.ltb_lt in B, R. rewrite B, R. split; auto.
  intros _ x. unfold times. cbn [place count_occ]. destruct (Nat.eq_dec r x) as [->|N].
  - now rewrite R, Nat.eqb_refl.
  - apply Nat.eqb_neq in N. rewrite Nat.eqb_sym in N. now rewrite N, andb_false_r.
Qed.

Variable q : block -> rank.
Hypothesis V : forall b, b < blocks -> valid p n (q b) (g b).

Lemma forward_well_formed t s : t < n -> tracks t s -> well_formed_step p blocks s (forward t).
Proof.
  intros T I. split.
  - apply Forall_forall. intros m M. apply in_forward in M as (b & x & d & B & X & -> & G).
    destruct (stays _ _ _ _ (V b B) t x d T X G) as [D N].
    destruct (I b x B X) as (v & E & _). destruct (I b d B D) as (w & F & _).
    unfold allowed. cbn. rewrite E, F. intuition congruence.
  - assert (Forall (fun m => how m = Reduce) (forward t)) as R
      by (apply Forall_forall; intros m M; apply in_forward in M as (b & x & d & _ & _ & -> & _); reflexivity).
    induction R as [|m l H R IH]; constructor; auto. rewrite Forall_forall in *. intros u U _ _. auto.
Qed.

Lemma tracks_step t s : t < n -> tracks t s -> tracks (S t) (after s (forward t)).
Proof.
  intros T I b r B R. destruct (I b r B R) as (v & E & Iv). pose proof (V b B) as Vb.
  destruct (fold_reduces s (writes (forward t) r b)) with (v := v) as (w & W & A).
  { apply Forall_forall. intros m M. unfold writes in M. apply filter_In in M as [M _].
    apply in_forward in M as (c & x & d & C & X & -> & _). cbn. destruct (I c x C X) as (u & U & _). rewrite U.
    split; congruence. }
  exists w. split; [unfold after; now rewrite E|]. intros F c.
  assert (g b t r = None) as N by (apply F; lia). assert (fresh (g b) t r) as Ft by (intros u U; apply F; lia).
  rewrite A, (Iv Ft). clear A W w Iv E v Ft.
  rewrite writes_forward, sum_flat_map by auto.
  set (f := fun x => list_sum (map (adds s c) (filter (into r b) (pass b t x)))).
  assert (forall x, x < p -> f x = if (c <? p) && (place (g b) t c =? x)
      then match g b t x with Some d => if d =? r then 1 else 0 | None => 0 end else 0) as Fx.
  { intros x X. unfold f, pass. destruct (I b x B X) as (v & E & Iv).
    pose proof (sender_fresh p n (q b) (g b) Vb t x T X) as Fx. remember ((c <? p) && (place (g b) t c =? x)) as e eqn:Ee.
    destruct (g b t x) as [d|] eqn:G; cbn; [|now destruct e].
    unfold into. cbn. rewrite Nat.eqb_refl, andb_true_r. destruct (d =? r); cbn; [|now destruct e].
    unfold adds. cbn. rewrite E, Iv, <- Ee, Nat.add_0_r; auto. apply Fx. congruence. }
  destruct (Nat.ltb_spec c p) as [C|C]; cbn [andb] in *.
  - pose proof (place_below p n (q b) (g b) Vb t c ltac:(lia) C) as Y.
    rewrite (sum_one f _ (place (g b) t c)).
    + rewrite Fx by auto. rewrite Nat.eqb_refl. cbn [place].
      destruct (g b t (place (g b) t c)) as [d|] eqn:G; [|lia].
      destruct (Nat.eqb_spec (place (g b) t c) r); [congruence | lia].
    + apply seq_NoDup.
    + now apply in_below.
    + intros x X D. apply in_below in X. rewrite Fx by auto. apply not_eq_sym, Nat.eqb_neq in D. now rewrite D.
  - rewrite sum_none; auto. intros x X. apply in_below in X. now apply Fx.
Qed.

Lemma forward_run k : forall t s, t + k <= n -> tracks t s ->
  well_formed p blocks s (map forward (seq t k)) /\ tracks (t + k) (final s (map forward (seq t k))).
Proof.
  induction k as [|k IH]; intros t s T I; cbn.
  - rewrite Nat.add_0_r. auto.
  - destruct (IH (S t) (after s (forward t))) as [W J]; [lia | apply tracks_step; auto; lia|].
    rewrite <- Nat.add_succ_comm. split; auto. split; auto. apply forward_well_formed; auto. lia.
Qed.

Theorem reduce_scatter_run c : (forall r b, contributes c p r b = true) ->
  well_formed p blocks (initial c p blocks) reduce_scatter /\ tracks n (final (initial c p blocks) reduce_scatter).
Proof. intros A. apply (forward_run n 0); auto. now apply tracks_start. Qed.

(* The owner ends with every rank's contribution once. *)
Lemma owner_complete s b : tracks n s -> b < blocks -> q b < p ->
  exists v, s (q b) b = Some v /\ forall c, times v c = if c <? p then 1 else 0.
Proof.
  intros I B Q. destruct (I b (q b) B Q) as (v & E & T). exists v. split; auto. intros c.
  rewrite (T (owner_fresh p n (q b) (g b) (V b B) Q)). destruct (Nat.ltb_spec c p) as [C|C]; auto. cbn [andb].
  now rewrite (arrives _ _ _ _ (V b B) c C), Nat.eqb_refl.
Qed.
End ReduceScatter.

(* The route of each block is valid for the block's owner. *)
Definition owned (p n blocks : nat) (q : block -> rank) (g : block -> route) : Prop :=
  forall b, b < blocks -> q b < p /\ valid p n (q b) (g b).

Lemma owned_valid p n blocks q g : owned p n blocks q g -> forall b, b < blocks -> valid p n (q b) (g b).
Proof. intros V b B. now apply V. Qed.

Lemma owned_below p n blocks q g : owned p n blocks q g -> forall b, b < blocks -> q b < p.
Proof. intros V b B. now apply V. Qed.

Theorem reduce_scatter_once p n blocks q g : 0 < p -> 0 < blocks -> owned p n blocks q g ->
  exactly_once (ReduceScatter q) p blocks (reduce_scatter p blocks n g).
Proof.
  intros P B0 V. destruct (reduce_scatter_run p blocks n g q (owned_valid _ _ _ _ _ V) (ReduceScatter q)) as [W I]; auto.
  split; [apply owners_posed; eauto using owned_below | split; auto].
  intros r b R B O. apply Nat.eqb_eq in O. subst r.
  destruct (owner_complete p blocks n g q (owned_valid _ _ _ _ _ V) _ b I B R) as (v & E & T). exists v. split; auto.
  intros x. rewrite T. cbn. now rewrite andb_true_r.
Qed.
