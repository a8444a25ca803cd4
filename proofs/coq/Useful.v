(* Nothing is sent in vain: every value that a rank receives is new to it, and ends in a result or is passed on into one. Valid routes
   are so in both directions: going to the owner, a rank gets contributions that it does not have; coming back, it gets the owner's
   sum, once, and keeps it. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Sums Reproducible Ordered Halves.
Import ListNotations.

(* The receiver holds another sum, or none, when the step begins. *)
Definition new (s : places term) (t : transfer) : Prop :=
  match s (dst t) (what t), s (src t) (what t) with Some h, Some v => same h v = false | _, _ => True end.

(* Of which places the values before a step are of use: they stay and are of use, or they go to such a place. *)
Definition overwritten (st : step) (r : rank) (b : block) : bool :=
  existsb (fun t => into r b t && match how t with Copy => true | Reduce => false end) st.
Definition goes_on (st : step) (use : rank -> block -> bool) (r : rank) (b : block) : bool :=
  existsb (fun t => if (src t =? r) && (what t =? b) then use (dst t) (what t) else false) st.
Definition use_before (st : step) (use : rank -> block -> bool) (r : rank) (b : block) : bool :=
  if overwritten st r b then goes_on st use r b else if use r b then true else goes_on st use r b.
Fixpoint use_of (use : rank -> block -> bool) (sch : schedule) : rank -> block -> bool :=
  match sch with [] => use | st :: rest => use_before st (use_of use rest) end.

(* In the end those places are of use that the collective wants. *)
Fixpoint frugal (use : rank -> block -> bool) (s : places term) (sch : schedule) : Prop :=
  match sch with
  | [] => True
  | st :: rest => Forall (fun t => new s t /\ use_of use rest (dst t) (what t) = true) st /\ frugal use (next Plus s st) rest
  end.
Definition no_redundant (c : collective) (p blocks : nat) (sch : schedule) : Prop := frugal (wanted c p) (leaf_start c p blocks) sch.

Lemma use_of_app use a : forall b, use_of use (a ++ b) = use_of (use_of use b) a.
Proof. induction a as [|st a IH]; intros b; cbn; auto. now rewrite IH. Qed.

Lemma frugal_app use a : forall s b, frugal use s (a ++ b) <-> frugal (use_of use b) s a /\ frugal use (run Plus s a) b.
Proof. induction a as [|st a IH]; intros s b; cbn; [tauto|]. rewrite IH, use_of_app. tauto. Qed.

Lemma not_same u v c : times (leaves u) c <> times (leaves v) c -> same u v = false.
Proof. intros N. apply not_true_iff_false. intros S. apply N. now apply same_times. Qed.

Section Routes.
Variables p blocks n : nat.
Variable q : block -> rank.
Variable g : block -> route.
Hypothesis some : 0 < p.
Hypothesis blocks_exist : 0 < blocks.
Hypothesis O : owned p n blocks q g.
Let sum_at (t : nat) : places term := until p blocks q g t.

Lemma forward_has t b x d : b < blocks -> x < p -> g b t x = Some d -> In (move x d b Reduce) (forward p blocks g t).
Proof.
  intros B X G. apply in_flat_map. exists b. rewrite in_below. split; auto. apply in_flat_map. exists x. rewrite in_below. split; auto.
  unfold pass. rewrite G. now left.
Qed.

Lemma forward_keeps t r b : overwritten (forward p blocks g t) r b = false.
Proof.
  apply not_true_iff_false. intros E. apply existsb_exists in E as (m & M & E). apply in_forward in M as (c & x & d & _ & _ & -> & _).
  cbn in E. now rewrite andb_false_r in E.
Qed.

Lemma receiver_fresh b t x d : b < blocks -> t < n -> x < p -> g b t x = Some d -> d < p /\ d <> x /\ fresh (g b) (S t) d.
Proof.
  intros B T X G. destruct (O b B) as [_ V]. destruct (stays _ _ _ _ V t x d T X G) as [D N]. repeat split; auto.
  intros u U. destruct (g b u d) as [e|] eqn:E; auto. exfalso. apply (receives_before _ _ _ _ V u t d x); auto; [lia | congruence].
Qed.

Lemma forward_frugal use : (forall b, b < blocks -> use (q b) b = true) -> forall k t, t + k = n ->
  let rest := map (forward p blocks g) (seq t k) in
  frugal use (sum_at t) rest /\ forall b r, b < blocks -> r < p -> fresh (g b) t r -> use_of use rest r b = true.
Proof.
  intros U. induction k as [|k IH]; intros t T; cbv zeta.
  - rewrite Nat.add_0_r in T. subst t. split; [exact I|]. intros b r B R F. cbn. destruct (O b B) as [_ V].
    destruct (Nat.eq_dec r (q b)) as [->|N]; auto. exfalso. destruct (others_pass _ _ _ _ V r R N) as (u & L & S). apply S. now apply F.
  - destruct (IH (S t) ltac:(lia)) as [A C]. cbn [seq map frugal use_of]. split.
    + split.
      * apply Forall_forall. intros m M. apply in_forward in M as (b & x & d & B & X & -> & G). cbn [dst what].
        destruct (receiver_fresh b t x d B ltac:(lia) X G) as (D & N & F). split; [|now apply C].
        destruct (O b B) as [_ V]. assert (fresh (g b) t x) as Fx by (apply (sender_fresh _ _ _ _ V); auto; [lia | congruence]).
        destruct (until_some p blocks n q g some blocks_exist O t b d ltac:(lia) B D) as (h & Eh & Kh).
        destruct (until_some p blocks n q g some blocks_exist O t b x ltac:(lia) B X) as (v & Ev & Kv).
        assert (fresh (g b) t d) as Fd by (intros u L; apply F; lia). specialize (Kh Fd). specialize (Kv Fx). unfold new. cbn [dst src what]. unfold sum_at. rewrite Eh, Ev.
        apply (not_same _ _ x). rewrite Kh, Kv, (fresh_place (g b) t x Fx), Nat.eqb_refl.
        apply Nat.ltb_lt in X. rewrite X. apply not_eq_sym, Nat.eqb_neq in N. rewrite N. discriminate.
      * unfold sum_at in *. rewrite <- until_next. exact A.
    + intros b r B R F. unfold use_before. rewrite forward_keeps.
      destruct (g b t r) as [d|] eqn:G.
      * match goal with |- (if ?x then _ else _) = true => destruct x; auto end. apply existsb_exists. exists (move r d b Reduce). split; [now apply forward_has|]. cbn [src dst what].
        rewrite !Nat.eqb_refl. destruct (receiver_fresh b t r d B ltac:(lia) R G) as (D & _ & Fd). now apply C.
      * rewrite C; auto. intros u L. destruct (Nat.eq_dec u t) as [->|]; auto. apply F. lia.
Qed.

(* A rank that does not own a block never holds the owner's contribution. *)
Lemma stale t : t <= n -> forall b x h, b < blocks -> x < p -> x <> q b -> sum_at t x b = Some h -> times (leaves h) (q b) = 0.
Proof.
  induction t as [|t IH]; intros T b x h B X N E.
  - change (leaf_start (ReduceScatter q) p blocks x b = Some h) in E. unfold leaf_start, start in E. destruct (_ && _); [|discriminate].
    injection E as <-. unfold times. cbn. destruct (Nat.eq_dec x (q b)); congruence.
  - unfold sum_at in *. rewrite until_next in E. unfold next in E. destruct (O b B) as [Q V].
    pose proof (IH ltac:(lia) b x) as Hx. pose proof (arriving p blocks n g t b x ltac:(lia) B) as A. revert h E.
    assert (forall held, until p blocks q g t x b = held -> forall a, held = Some a -> times (leaves a) (q b) = 0) as H0 by (intros held <- a; auto).
    specialize (H0 _ eq_refl). revert H0. generalize (until p blocks q g t x b).
    induction A as [|m us (M & y & Y & Sy & Wm & G) _ IHu]; intros held H0 h E; [exact (H0 h E)|].
    cbn [fold_left] in E. refine (IHu (put Plus (until p blocks q g t) held m) _ h E). clear h E. intros h E. unfold put in E. rewrite M, Sy, Wm in E.
    destruct held as [a|]; [|discriminate]. destruct (until p blocks q g t y b) as [v|] eqn:Ev; [|discriminate]. injection E as <-.
    cbn [leaves]. unfold times. rewrite count_occ_app. pose proof (H0 a eq_refl) as Ha. unfold times in Ha. rewrite Ha.
    apply (IH ltac:(lia) b y v B Y); auto. intros ->. rewrite (owner_fresh _ _ _ _ V Q t) in G; [discriminate | lia].
Qed.

(* Back from the owner *)
Lemma backward_sums s t r b : b < blocks -> r < p ->
  next Plus s (backward p blocks g t) r b = match g b t r with Some d => s d b | None => s r b end.
Proof.
  intros B R. unfold next. rewrite writes_backward by auto. unfold return_. destruct (g b t r); reflexivity.
Qed.

(* Before step t comes back: who has the owner's sum has it, and the others hold what they did. *)
Definition going_back (s : places term) (t : nat) (now : places term) : Prop := forall b x, b < blocks -> x < p ->
  (has_back n g q b t x -> now x b = s (q b) b) /\ (~ has_back n g q b t x -> now x b = s x b).

Lemma going_back_step s t now : t < n -> going_back s (S t) now -> going_back s t (next Plus now (backward p blocks g t)).
Proof.
  intros T I b x B X. rewrite backward_sums by auto. destruct (O b B) as [Q V]. destruct (I b x B X) as [I1 I2].
  destruct (g b t x) as [d|] eqn:G.
  - destruct (receiver_has_back p blocks n g q (owned_valid _ _ _ _ _ O) b t x d B T X G) as (D & _ & H).
    split; [intros _; now apply I|]. intros N. exfalso. apply N. right. exists t. split; [lia | congruence].
  - assert (has_back n g q b t x <-> has_back n g q b (S t) x) as E.
    { split; intros [->|(u & U & S)]; try (now left); right; exists u; split; auto; [|lia].
      destruct (Nat.eq_dec u t); [congruence | lia]. }
    rewrite E. auto.
Qed.

Lemma back_use use t b x : (forall b r, b < blocks -> r < p -> use r b = true) -> t <= n -> b < blocks -> x < p -> fresh (g b) t x ->
  use_of use (map (backward p blocks g) (rev (seq 0 t))) x b = true.
Proof.
  intros U. induction t as [|t IH]; intros T B X F; [now apply U|]. rewrite seq_S, rev_app_distr. cbn [rev app plus map use_of].
  unfold use_before. assert (fresh (g b) t x) as Ft by (intros u L; apply F; lia). rewrite IH by (auto; lia).
  destruct (overwritten _ x b) eqn:E; auto. exfalso. apply existsb_exists in E as (m & M & E). apply andb_true_iff in E as [E _]. apply into_true in E as [D W].
  apply in_backward in M as (c & y & e & _ & _ & -> & G). cbn in D, W. subst. rewrite (F t) in G; [discriminate | lia].
Qed.

Lemma backward_frugal use s : (forall b r, b < blocks -> r < p -> use r b = true) ->
  (forall b v, b < blocks -> s (q b) b = Some v -> times (leaves v) (q b) = 1) ->
  (forall b x h, b < blocks -> x < p -> x <> q b -> s x b = Some h -> times (leaves h) (q b) = 0) ->
  forall t now, t <= n -> going_back s t now -> frugal use now (map (backward p blocks g) (rev (seq 0 t))).
Proof.
  intros U Own Others. induction t as [|t IH]; intros now T I; [exact Logic.I|]. rewrite seq_S, rev_app_distr. cbn [rev app plus map frugal]. split.
  - apply Forall_forall. intros m M. apply in_backward in M as (b & x & d & B & X & -> & G). cbn [dst what].
    destruct (O b B) as [Q V]. destruct (receiver_has_back p blocks n g q (owned_valid _ _ _ _ _ O) b t x d B T X G) as (D & _ & H).
    assert (fresh (g b) t x) as F by (apply (sender_fresh _ _ _ _ V); auto; congruence).
    assert (x <> q b) as N by (intros ->; rewrite (owner_fresh _ _ _ _ V Q t) in G; [discriminate | lia]).
    assert (use_of use (map (backward p blocks g) (rev (seq 0 t))) x b = true) as Use by (apply back_use; auto; lia).
    split; [|exact Use]. unfold new. cbn [dst src what].
    rewrite (proj1 (I b d B D) H), (proj2 (I b x B X)).
    + destruct (s x b) as [h|] eqn:E; auto. destruct (s (q b) b) as [v|] eqn:E'; auto. apply (not_same _ _ (q b)).
      rewrite (Others b x h B X N E), (Own b v B E'). discriminate.
    + intros [->|(u & L & S)]; [congruence|]. apply S. assert (g b t x <> None) as J by congruence. apply (passes_once _ _ _ _ V t u x ltac:(lia) X J).
  - apply IH; [lia|]. now apply going_back_step.
Qed.

Lemma going_back_starts s : going_back s n s.
Proof. intros b x B X. split; auto. intros [->|(u & U & _)]; [reflexivity | lia]. Qed.

Theorem reduce_scatter_frugal : no_redundant (ReduceScatter q) p blocks (reduce_scatter p blocks n g).
Proof. apply (forward_frugal (wanted (ReduceScatter q) p)) with (t := 0); auto. intros b _. cbn. apply Nat.eqb_refl. Qed.

Theorem allgather_frugal : no_redundant (Allgather q) p blocks (allgather p blocks n g).
Proof.
  apply (backward_frugal _ (leaf_start (Allgather q) p blocks)); auto using going_back_starts.
  - intros b v B E. unfold leaf_start, start in E. destruct (_ && _); [|discriminate]. injection E as <-. unfold times. cbn.
    destruct (Nat.eq_dec (q b) (q b)); congruence.
  - intros b x h B X N E. unfold leaf_start, start in E. destruct (_ && _); [|discriminate]. injection E as <-. unfold times. cbn.
    destruct (Nat.eq_dec x (q b)); congruence.
Qed.

Theorem allreduce_frugal : no_redundant Allreduce p blocks (allreduce p blocks n g).
Proof.
  unfold no_redundant, allreduce. apply frugal_app. split.
  - apply (forward_frugal (use_of (wanted Allreduce p) (allgather p blocks n g))) with (t := 0); auto. intros b B. destruct (O b B) as [Q V].
    apply back_use; auto. now apply (owner_fresh _ _ _ _ V).
  - apply (backward_frugal _ (sum_at n)); auto using going_back_starts.
    + intros b v B E. destruct (O b B) as [Q V]. destruct (until_some p blocks n q g some blocks_exist O n b (q b) (le_n n) B Q) as (u & Eu & K).
      unfold sum_at in E. rewrite Eu in E. injection E as <-. rewrite (K (owner_fresh _ _ _ _ V Q)), (arrives _ _ _ _ V _ Q), Nat.eqb_refl.
      apply Nat.ltb_lt in Q as ->. reflexivity.
    + intros b x h B X N E. now apply (stale n (le_n n) b x h).
Qed.
End Routes.

(* Along valid routes to one root *)
Theorem rooted_frugal p n blocks root g : root < p -> 0 < blocks -> (forall b, b < blocks -> valid p n root (g b)) ->
  no_redundant (ReduceTo root) p blocks (reduce_scatter p blocks n g) /\ no_redundant (Broadcast root) p blocks (allgather p blocks n g).
Proof.
  intros R B V. assert (owned p n blocks (fun _ => root) g) as O by (intros b L; auto). assert (0 < p) as P by lia.
  split; [exact (reduce_scatter_frugal p blocks n _ g P B O) | exact (allgather_frugal p blocks n _ g P B O)].
Qed.

Theorem halves_frugal p blocks n q first second both : two_halves p blocks n q first second both ->
  no_redundant (ReduceScatter q) p blocks first /\ no_redundant (Allgather q) p blocks second /\ no_redundant Allreduce p blocks both.
Proof.
  intros (g & P & B & O & -> & -> & ->).
  split; [|split]; [now apply reduce_scatter_frugal | now apply allgather_frugal | now apply allreduce_frugal with q].
Qed.
