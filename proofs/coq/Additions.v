(* How much ranks add, whatever the schedule: at least (p - 1) n elements in a reduce-scatter, a reduce or an allreduce of n elements
   (additions_least), so that some rank adds the p-th part of that or more (busiest_adder).

   Ranks are in groups, at first each in its own. An addition joins the groups of what it adds, and a copy joins none. So all ranks of a
   sum are in one group, and one group of p ranks needs p - 1 additions.

   Example: p = 4, one block. Three additions and copies are enough; recursive doubling adds eight times. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Knowledge Volume.
Import ListNotations.

Definition is_addition (t : transfer) : bool := match how t with Reduce => true | Copy => false end.
Definition additions_of (b : block) (l : list transfer) : nat := length (filter (fun t => what t =? b) (filter is_addition l)).

Definition together (p : nat) (l : list call) (v : value) : Prop :=
  v <> [] /\ (forall x, In x v -> x < p) /\ forall x y, In x v -> In y v -> linked l x y.
Definition all_together (p : nat) (l : list call) (s : state) (b : block) : Prop := forall r v, s r b = Some v -> together p l v.
Definition pairs_below (p : nat) (l : list call) : Prop := Forall (fun e => fst e < p /\ snd e < p) l.

Lemma together_more p l m v : incl l m -> together p l v -> together p m v.
Proof. intros I (N & B & L). repeat split; auto. intros x y X Y. apply (linked_more l m); auto. Qed.

Lemma together_sum p l v w : together p l v -> together p l w ->
  exists e, fst e < p /\ snd e < p /\ together p (e :: l) (v ++ w).
Proof.
  intros (Nv & Bv & Lv) (Nw & Bw & Lw). destruct v as [|a v]; [congruence|]. destruct w as [|c w]; [congruence|].
  exists (a, c). cbn [fst snd]. repeat split; [apply Bv; now left | apply Bw; now left | discriminate | |].
  - intros x X. apply in_app_or in X as [X|X]; auto.
  - assert (forall x y, linked l x y -> linked ((a, c) :: l) x y) as M by (intros x y; apply linked_more, incl_tl, incl_refl).
    assert (linked ((a, c) :: l) a c) as J by (apply linked_one; now left).
    assert (forall x, In x ((a :: v) ++ c :: w) -> linked ((a, c) :: l) x a) as T.
    { intros x X. apply in_app_or in X as [X|X]; [apply M, Lv; auto; now left|]. apply (linked_trans _ x c a); [apply M, Lw; auto; now left|].
      now apply linked_sym. }
    intros x y X Y. apply (linked_trans _ x a y); auto using linked_sym.
Qed.

Lemma additions_after p b s st l : pairs_below p l -> all_together p l s b ->
  exists m, pairs_below p m /\ incl l m /\ length m <= length l + additions_of b st /\ all_together p m (after s st) b.
Proof.
  intros B G. induction st as [|t st IH] using rev_ind; [exists l; split; [exact B | split; [apply incl_refl | split; [lia | exact G]]]|].
  destruct IH as (m & Bm & I & Lm & Gm). unfold additions_of. rewrite !filter_app, app_length. fold (additions_of b st).
  assert (forall k, incl m k -> pairs_below p k -> length k <= length m + length (filter (fun t => what t =? b) (filter is_addition [t])) ->
    (forall r v, into r b t = true -> write s (after s st r b) t = Some v -> together p k v) ->
    exists m', pairs_below p m' /\ incl l m' /\ length m' <= length l + (additions_of b st + length (filter (fun t => what t =? b) (filter is_addition [t]))) /\
      all_together p m' (after s (st ++ [t])) b) as Take.
  { intros k K Bk Lk Gk. exists k. split; [exact Bk | split; [now apply incl_tran with m | split; [lia|]]]. intros r v H.
    rewrite after_app_one in H. destruct (into r b t) eqn:E; [now apply (Gk r v) | now apply (together_more p m k v K), (Gm r)]. }
  assert ((forall r v, into r b t = true -> write s (after s st r b) t = Some v -> together p m v) -> _) as Same
    by exact (Take m (incl_refl m) Bm (Nat.le_add_r _ _)).
  destruct (what t =? b) eqn:W.
  2: { apply Same. intros r v E _. apply into_true in E as [_ E]. apply Nat.eqb_neq in W. congruence. }
  apply Nat.eqb_eq in W. assert (forall v, s (src t) b = Some v -> together p m v) as Gs by (intros v V; now apply (together_more p l m v I), (G (src t))).
  unfold write in Take, Same. rewrite W in Take, Same. destruct (how t) eqn:H.
  - destruct (s (src t) b) as [w|] eqn:Sw; [|apply Same; intros r v _; now destruct (after s st r b)].
    destruct (after s st (dst t) b) as [u|] eqn:Su.
    + destruct (together_sum p m u w (Gm _ _ Su) (Gs w eq_refl)) as (e & E1 & E2 & Ge). apply (Take (e :: m)).
      * apply incl_tl, incl_refl.
      * now constructor.
      * cbn. unfold is_addition. rewrite H. cbn. apply Nat.eqb_eq in W as ->. cbn. lia.
      * intros r v E V. apply into_true in E as [<- _]. rewrite Su in V. injection V as <-. exact Ge.
    + apply Same. intros r v E V. apply into_true in E as [<- _]. now rewrite Su in V.
  - apply Same. intros r v _ V. auto.
Qed.

Lemma additions_run p b sch : forall s l, pairs_below p l -> all_together p l s b ->
  exists m, pairs_below p m /\ length m <= length l + additions_of b (concat sch) /\ all_together p m (final s sch) b.
Proof.
  induction sch as [|st sch IH]; intros s l B G.
  - exists l. split; [exact B | split; [apply Nat.le_add_r | exact G]].
  - destruct (additions_after p b s st l B G) as (m & Bm & _ & Lm & Gm). destruct (IH _ m Bm Gm) as (k & Bk & Lk & Gk). exists k.
    split; [exact Bk | split; [|exact Gk]]. cbn [concat]. unfold additions_of in *. rewrite !filter_app, app_length. lia.
Qed.

Lemma additions_group p c blocks b sch : exists l, pairs_below p l /\ length l <= additions_of b (concat sch) /\
  all_together p l (final (initial c p blocks) sch) b.
Proof.
  apply (additions_run p b sch _ []); [constructor|]. intros r v H. unfold initial in H.
  destruct (Nat.ltb_spec r p) as [R|]; [|discriminate]. destruct (_ && _); [|discriminate]. injection H as <-.
  split; [discriminate | split].
  - intros x [<-|[]]. exact R.
  - intros x y [<-|[]] [<-|[]]. constructor.
Qed.

Definition least_additions (c : collective) (p : nat) : nat :=
  match c with Allreduce | ReduceScatter _ | ReduceTo _ => p - 1 | _ => 0 end.

Lemma sum_of_all p c blocks sch b r : exactly_once c p blocks sch -> b < blocks -> r < p -> wanted c p r b = true ->
  (forall x, contributes c p x b = true) -> p - 1 <= additions_of b (concat sch).
Proof.
  intros (_ & _ & D) B R W C. destruct (D r b R B W) as (v & E & K). destruct (additions_group p c blocks b sch) as (l & Bl & Ll & G).
  destruct (G r v E) as (_ & _ & L). assert (forall x, x < p -> In x v) as I.
  { intros x X. apply (count_occ_In Nat.eq_dec). fold (times v x). rewrite K, C. apply Nat.ltb_lt in X as ->. cbn. lia. }
  pose proof (links_needed p l Bl [r]) as N. cbn [length] in N. enough (p <= length l + 1) by lia. apply N. intros x X. exists r. split; [now left | auto].
Qed.

Theorem block_additions c p blocks sch b : exactly_once c p blocks sch -> b < blocks -> least_additions c p <= additions_of b (concat sch).
Proof.
  intros O B. pose proof O as (W & _). pose proof (well_posed_some _ _ _ W) as [P _]. apply posed_ranks in W.
  destruct c as [| q | q | root | root | | |]; cbn [least_additions]; try lia.
  - apply (sum_of_all p _ blocks sch b 0 O B); auto.
  - apply (sum_of_all p _ blocks sch b (q b) O B); auto. apply Nat.eqb_refl.
  - apply (sum_of_all p _ blocks sch b root O B); auto. apply Nat.eqb_refl.
Qed.

Theorem additions_least size c p blocks sch : exactly_once c p blocks sch ->
  least_additions c p * vector size blocks <= elements size (filter is_addition (concat sch)).
Proof.
  intros O. apply each_block_often; [|intros b B; now apply (block_additions c p blocks)]. destruct O as (_ & W & _).
  apply Forall_forall. intros t T. apply filter_In in T as [T _]. pose proof (transfers_allowed p blocks sch _ W) as A.
  rewrite Forall_forall in A. now apply A.
Qed.

Definition elements_added (size : block -> nat) (r : rank) (sch : schedule) : nat :=
  elements size (filter (fun t => dst t =? r) (filter is_addition (concat sch))).

Theorem busiest_adder size c p blocks sch T : exactly_once c p blocks sch -> (forall r, r < p -> elements_added size r sch <= T) ->
  least_additions c p * vector size blocks <= T * p.
Proof.
  intros O L. apply Nat.le_trans with (1 := additions_least size c p blocks sch O). apply (among_ranks _ dst); auto.
  destruct O as (_ & W & _). intros t I. apply filter_In in I as [I _]. pose proof (transfers_allowed p blocks sch _ W) as A.
  rewrite Forall_forall in A. now apply A.
Qed.
