(* Who holds the same sum: every rank, if an allgather that is exactly once ends the schedule, since it copies what the owner has. In an
   exchange of whole vectors each rank adds for itself; there the sums are the same if ranks that have heard the same add the same
   two. Recursive doubling does so, latency-optimal Swing doesn't from p = 8 on. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Sums.
Import ListNotations.

(* Sums with one leaf *)
Lemma lone_leaf t z : (forall c, times (leaves t) c <= if c =? z then 1 else 0) -> t = Leaf z.
Proof.
  assert (forall u, (forall c, times (leaves u) c <= if c =? z then 1 else 0) -> times (leaves u) z = 1) as H.
  { intros u U. pose proof (U z) as Z. rewrite Nat.eqb_refl in Z. destruct (times (leaves u) z) eqn:E; [|lia].
    pose proof (leaves_some u) as L. destruct (leaves u) as [|y ys] eqn:F; [cbn in L; lia|].
    specialize (U y). unfold times in *. destruct (Nat.eqb_spec y z) as [->|N]; [rewrite count_occ_cons_eq in E by auto; lia|].
    rewrite count_occ_cons_eq in U by auto. lia. }
  destruct t as [r|a b]; intros T.
  - specialize (T r). cbn in T. unfold times in T. cbn in T. destruct (Nat.eq_dec r r); [|congruence].
    destruct (Nat.eqb_spec r z) as [->|]; auto. lia.
  - exfalso. cbn [leaves] in T. unfold times in *. setoid_rewrite count_occ_app in T.
    assert (count_occ Nat.eq_dec (leaves a) z = 1) by (apply H; intros c; specialize (T c); lia).
    assert (count_occ Nat.eq_dec (leaves b) z = 1) by (apply H; intros c; specialize (T c); lia).
    specialize (T z). rewrite Nat.eqb_refl in T. lia.
Qed.

Lemma delivered_sum c p blocks sch b r : exactly_once c p blocks sch -> b < blocks -> r < p -> wanted c p r b = true ->
  exists t, sums c p blocks sch r b = Some t /\ complete c p b (leaves t).
Proof.
  intros (_ & _ & D) B R W. destruct (D r b R B W) as (v & E & K). rewrite sums_refine in E.
  destruct (sums c p blocks sch r b) as [t|]; [|discriminate]. injection E as <-. eauto.
Qed.

(* An allgather that is exactly once copies what the owner has, over values of any kind. *)
Theorem allgather_copies {V} (add : V -> V -> V) (s : places V) p blocks q sch : exactly_once (Allgather q) p blocks sch ->
  forall b x, b < blocks -> x < p -> run add s sch x b = s (q b) b.
Proof.
  intros E b x B X. destruct (delivered_sum _ p blocks sch b x E B X eq_refl) as (t & S & K).
  assert (t = Leaf (q b)) as ->.
  { apply lone_leaf. intros c. rewrite (K c). cbn [contributes]. destruct (c <? p), (c =? q b); cbn; lia. }
  set (found := fix found b (u : term) : option V :=
    match u with Leaf r => s r b | Plus u v => added add (found b u) (found b v) end).
  assert (forall r d, forall v, sums (Allgather q) p blocks sch r d = Some v -> run add s sch r d = found d v) as R.
  { apply (run_related Plus add (fun d v w => forall u, v = Some u -> w = found d u)).
    - intros d v w v' w' H H' u U. destruct v as [a|], v' as [a'|]; try discriminate. injection U as <-.
      now rewrite (H a eq_refl), (H' a' eq_refl).
    - intros r d u U. unfold leaf_start, start in U. destruct (_ && contributes (Allgather q) p r d); [|discriminate].
      injection U as <-. reflexivity. }
  exact (R x b _ S).
Qed.

(* So an allreduce that ends with such an allgather is reproducible, however it makes the owners' sums. *)
Theorem then_allgather_reproducible p blocks q sch rest : exactly_once (Allgather q) p blocks rest ->
  exactly_once Allreduce p blocks (sch ++ rest) -> reproducible Allreduce p blocks (sch ++ rest).
Proof.
  intros G E b r x B R X _ _. destruct (delivered_sum _ p blocks _ b r E B R eq_refl) as (t & S & _).
  exists t, t. split; [exact S|]. split; [|apply same_refl]. unfold sums in *. rewrite run_app in *.
  rewrite (allgather_copies _ _ p blocks q rest G) in S |- * by auto. exact S.
Qed.

(* Reduce-scatter along valid routes, then back along them *)
Theorem allreduce_reproducible p n blocks q g : 0 < p -> 0 < blocks -> owned p n blocks q g ->
  reproducible Allreduce p blocks (allreduce p blocks n g).
Proof.
  intros P B O. apply then_allgather_reproducible with q; [now apply allgather_once | now apply allreduce_once with q].
Qed.

(* All other collectives are reproducible as soon as they are exactly once: a block has one contributor, or one rank that wants it. *)
Theorem others_reproducible c p blocks sch : c <> Allreduce -> exactly_once c p blocks sch -> reproducible c p blocks sch.
Proof.
  intros N E b r x B R X Wr Wx.
  destruct (delivered_sum _ _ _ _ b r E B R Wr) as (t & T & K), (delivered_sum _ _ _ _ b x E B X Wx) as (u & U & L).
  exists t, u. split; [exact T|]. split; [exact U|].
  assert (forall z, (forall y, contributes c p y b = (y =? z)) -> t = Leaf z /\ u = Leaf z) as One.
  { intros z Z. split; apply lone_leaf; intros y; [rewrite (K y) | rewrite (L y)]; rewrite Z; destruct (y <? p), (y =? z); cbn; lia. }
  assert (r = x -> same t u = true) as Alone by (intros <-; replace u with t by congruence; apply same_refl).
  destruct c as [|q|q|root|root|root q|root q|]; cbn in Wr, Wx; try (destruct (One _ (fun y => eq_refl)) as [-> ->]; apply same_refl).
  - congruence.
  - apply Alone. apply Nat.eqb_eq in Wr, Wx. congruence.
  - apply Alone. apply Nat.eqb_eq in Wr, Wx. congruence.
Qed.
