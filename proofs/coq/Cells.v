(* Several values of a block on a rank. A schedule may have scratch blocks, of which nothing is promised, and a transfer may read one
   block and write into another. A cell is the place of one block on one rank. To such a schedule cells are what ranks are to one
   that moves a single block, so it is laid out like that: all that Semantics.v says of a step holds for cells. Two theorems connect
   both: where every transfer writes the block that it reads this is `exactly_once`, and blocks fall into groups that can be judged
   one at a time. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge BlockRun.
Import ListNotations.

(* Reads block `reads` of rank `giver` and writes it into block `fills` of rank `taker`. It is a message if the ranks differ. *)
Record cell_transfer := cell_move { giver : rank; taker : rank; reads : block; fills : block; does : op }.
Definition cell_schedule := list (list cell_transfer).

(* Cell b * p + r is block b on rank r. It is also the contribution with which that cell begins, if it does. *)
Definition cell (p r b : nat) : nat := b * p + r.
Definition laid (p : nat) (t : cell_transfer) : transfer := move (cell p (giver t) (reads t)) (cell p (taker t) (fills t)) 0 (does t).
Definition laid_out (p : nat) (sch : cell_schedule) : schedule := map (map (laid p)) sch.

Definition inside (p blocks : nat) (t : cell_transfer) : Prop := giver t < p /\ taker t < p /\ reads t < blocks /\ fills t < blocks.

(* Promised blocks begin as ever, scratch blocks empty. *)
Definition begins_with (c : collective) (p blocks i : nat) : bool := (i / p <? blocks) && contributes c p (i mod p) (i / p).
Definition cell_start (c : collective) (p blocks : nat) : state := fun i _ => if begins_with c p blocks i then Some [i] else None.

(* Each contribution to block b once, and no other: none of another block either *)
Definition cell_complete (c : collective) (p : nat) (b : block) (v : value) : Prop :=
  forall i, times v i = if (i / p =? b) && contributes c p (i mod p) b then 1 else 0.

(* `blocks` are promised, numbers from there on are scratch. *)
Definition exactly_once_in_cells (c : collective) (p blocks scratch : nat) (sch : cell_schedule) : Prop :=
  well_posed c p blocks = true /\ Forall (Forall (inside p (blocks + scratch))) sch /\
  well_formed (p * (blocks + scratch)) 1 (cell_start c p blocks) (laid_out p sch) /\
  forall r b, r < p -> b < blocks -> wanted c p r b = true ->
    exists v, final (cell_start c p blocks) (laid_out p sch) (cell p r b) 0 = Some v /\ cell_complete c p b v.

(* Cells and their numbers *)
Lemma cell_div p r b : r < p -> cell p r b / p = b.
Proof. intros R. unfold cell. rewrite Nat.div_add_l, Nat.div_small by lia. lia. Qed.

Lemma cell_mod p r b : r < p -> cell p r b mod p = r.
Proof. intros R. unfold cell. rewrite Nat.add_comm, Nat.mod_add by lia. now apply Nat.mod_small. Qed.

Lemma cell_of p i : 0 < p -> cell p (i mod p) (i / p) = i.
Proof. intros P. unfold cell. pose proof (Nat.div_mod i p ltac:(lia)). lia. Qed.

Lemma cell_below p r b blocks : r < p -> b < blocks -> cell p r b < p * blocks.
Proof. unfold cell. nia. Qed.

Lemma cell_inj p r b r' b' : r < p -> r' < p -> cell p r b = cell p r' b' -> r = r' /\ b = b'.
Proof. intros R R' E. split; [rewrite <- (cell_mod p r b), E by auto; now apply cell_mod | rewrite <- (cell_div p r b), E by auto; now apply cell_div]. Qed.

(* A step says the same under other names of its places: (r, b) becomes (seat r b, name r b), and a contribution x to block b becomes
   `whose b x`. *)
Section Renamed.
Variables p blocks p' blocks' : nat.
Variable seat : rank -> block -> rank.
Variable name : rank -> block -> block.
Variable whose : block -> rank -> rank.
Hypothesis seat_below : forall r b, r < p -> b < blocks -> seat r b < p' /\ name r b < blocks'.
Hypothesis places_differ : forall r b r' b', r < p -> r' < p -> b < blocks -> b' < blocks ->
  seat r b = seat r' b' -> name r b = name r' b' -> r = r' /\ b = b'.

Definition renamed (t : transfer) : transfer :=
  move (seat (src t) (what t)) (seat (dst t) (what t)) (name (src t) (what t)) (how t).
Definition as_before (t : transfer) : Prop := src t < p /\ dst t < p /\ what t < blocks /\ name (src t) (what t) = name (dst t) (what t).
Definition means (s s' : state) : Prop := forall r b, r < p -> b < blocks ->
  s' (seat r b) (name r b) = option_map (map (whose b)) (s r b).

Lemma option_map_none {A B} (f : A -> B) o : option_map f o = None <-> o = None.
Proof. destruct o; cbn; intuition congruence. Qed.

Lemma into_renamed t r b : as_before t -> r < p -> b < blocks -> into (seat r b) (name r b) (renamed t) = into r b t.
Proof.
  intros (S & D & B & N) R L. apply eq_true_iff_eq. rewrite !into_true. cbn [renamed dst what]. split.
  - intros [E F]. rewrite N in F. apply places_differ in E as [-> ->]; auto.
  - intros [<- <-]. auto.
Qed.

Lemma after_renamed s s' st : Forall as_before st -> means s s' -> means (after s st) (after s' (map renamed st)).
Proof.
  intros A M r b R B. induction st as [|t st IH] using rev_ind; [now apply M|].
  apply Forall_app in A as [A T]. inversion T as [|? ? T1 _]; subst. specialize (IH A).
  rewrite map_app. cbn [map]. rewrite !after_app_one, into_renamed by auto. destruct (into r b t) eqn:I; auto. apply into_true in I as [D W].
  destruct T1 as (S & _ & L & _). unfold write. cbn [renamed src what how]. rewrite (M (src t) (what t)) by auto.
  rewrite W. destruct (how t); auto. rewrite IH. unfold sum.
  destruct (after s st r b), (s (src t) b); cbn [option_map]; auto. now rewrite map_app.
Qed.

Lemma allowed_renamed s s' t : as_before t -> means s s' -> (allowed p' blocks' s' (renamed t) <-> allowed p blocks s t).
Proof.
  intros (S & D & B & N) M. unfold allowed. cbn [renamed src dst what how].
  destruct (seat_below (src t) (what t)), (seat_below (dst t) (what t)); auto.
  rewrite (M (src t) (what t)), N, (M (dst t) (what t)), !option_map_none by auto.
  assert (seat (src t) (what t) = seat (dst t) (what t) <-> src t = dst t) as E.
  { split; [|now intros ->]. intros E. now apply places_differ in E. }
  rewrite <- E. rewrite N in *. tauto.
Qed.

Lemma compatible_renamed t u : as_before t -> as_before u -> (compatible (renamed t) (renamed u) <-> compatible t u).
Proof.
  intros (S & D & B & N) (S' & D' & B' & N'). unfold compatible. cbn [renamed src dst what how]. rewrite N, N'. split; intros H E F.
  - apply H; congruence.
  - apply places_differ in E as [E G]; auto.
Qed.

Lemma pairs_renamed st : Forall as_before st -> (ForallOrdPairs compatible (map renamed st) <-> ForallOrdPairs compatible st).
Proof.
  induction 1 as [|t st T A IH]; cbn [map]; [split; constructor|].
  assert (Forall (compatible (renamed t)) (map renamed st) <-> Forall (compatible t) st) as F.
  { rewrite Forall_map, !Forall_forall. rewrite Forall_forall in A. split; intros H u U; apply (compatible_renamed t u); auto. }
  split; intros H; inversion H; subst; constructor; tauto.
Qed.

Lemma step_renamed s s' st : Forall as_before st -> means s s' ->
  (well_formed_step p' blocks' s' (map renamed st) <-> well_formed_step p blocks s st).
Proof.
  intros A M. unfold well_formed_step. rewrite pairs_renamed, Forall_map, !Forall_forall by auto. rewrite Forall_forall in A.
  split; intros [H C]; split; auto; intros t T; apply (allowed_renamed s s'); auto.
Qed.

Lemma schedule_renamed sch : Forall (Forall as_before) sch -> forall s s', means s s' ->
  (well_formed p' blocks' s' (map (map renamed) sch) <-> well_formed p blocks s sch) /\
  means (final s sch) (final s' (map (map renamed) sch)).
Proof.
  induction 1 as [|st sch A _ IH]; intros s s' M; cbn [map well_formed final]; [tauto|].
  destruct (IH (after s st) (after s' (map renamed st))) as [W F]; [now apply after_renamed|].
  rewrite (step_renamed s s'), W by auto. tauto.
Qed.
End Renamed.

(* Where each transfer writes the block that it reads, and without scratch, this is `exactly_once`. *)
Definition plain (t : transfer) : cell_transfer := cell_move (src t) (dst t) (what t) (what t) (how t).

Lemma times_shifted p b v i : times (map (fun x => cell p x b) v) i = if b * p <=? i then times v (i - b * p) else 0.
Proof.
  unfold times, cell. induction v as [|x v IH]; cbn [map count_occ]; [now destruct (b * p <=? i)|]. rewrite IH.
  destruct (Nat.eq_dec (b * p + x) i), (Nat.leb_spec (b * p) i), (Nat.eq_dec x (i - b * p)); lia.
Qed.

Lemma shifted_complete c p b v : 0 < p -> cell_complete c p b (map (fun x => cell p x b) v) <-> complete c p b v.
Proof.
  intros P. assert (forall i, (i / p =? b) = (b * p <=? i) && (i - b * p <? p)) as D.
  { intros i. pose proof (Nat.div_mod i p ltac:(lia)). pose proof (Nat.mod_upper_bound i p ltac:(lia)).
    destruct (Nat.eqb_spec (i / p) b), (Nat.leb_spec (b * p) i), (Nat.ltb_spec (i - b * p) p); cbn; auto; subst; exfalso; nia. }
  assert (forall i, b * p <= i -> i - b * p < p -> i mod p = i - b * p) as M.
  { intros i L U. replace i with (cell p (i - b * p) b) at 1 by (unfold cell; lia). now apply cell_mod. }
  unfold cell_complete, complete. split; intros H x.
  - specialize (H (cell p x b)). rewrite times_shifted, D in H. unfold cell in *.
    replace (b * p <=? b * p + x) with true in H by (symmetry; apply Nat.leb_le; lia).
    replace (b * p + x - b * p) with x in H by lia. rewrite H. destruct (Nat.ltb_spec x p); auto. cbn [andb].
    now rewrite (M (b * p + x)) by lia; replace (b * p + x - b * p) with x by lia.
  - rewrite times_shifted, D, H. destruct (Nat.leb_spec (b * p) x); auto. cbn [andb].
    destruct (Nat.ltb_spec (x - b * p) p); auto. cbn [andb]. now rewrite M.
Qed.

Lemma laid_plain p sch : laid_out p (map (map plain) sch) =
  map (map (renamed (fun r b => cell p r b) (fun _ _ => 0))) sch.
Proof. unfold laid_out. rewrite map_map. apply map_ext. intros st. rewrite map_map. reflexivity. Qed.

Theorem plain_same c p blocks sch : exactly_once_in_cells c p blocks 0 (map (map plain) sch) <-> exactly_once c p blocks sch.
Proof.
  unfold exactly_once_in_cells, exactly_once. rewrite Nat.add_0_r, laid_plain.
  destruct (well_posed c p blocks) eqn:W; [|intuition congruence]. destruct (well_posed_some _ _ _ W) as [P _].
  set (in_range := fun t => src t < p /\ dst t < p /\ what t < blocks).
  assert (Forall (Forall (inside p blocks)) (map (map plain) sch) <-> Forall (Forall in_range) sch) as I.
  { rewrite Forall_map, !Forall_forall. split; intros H st S; specialize (H st S); rewrite Forall_map, !Forall_forall in *;
      intros t T; specialize (H t T); unfold inside, in_range, plain in *; cbn in *; tauto. }
  rewrite I. clear I. set (s := initial c p blocks). set (s' := cell_start c p blocks).
  assert (Forall (Forall in_range) sch ->
    (well_formed (p * blocks) 1 s' (map (map (renamed (fun r b => cell p r b) (fun _ _ => 0))) sch) <-> well_formed p blocks s sch) /\
    means p blocks (fun r b => cell p r b) (fun _ _ => 0) (fun b x => cell p x b) (final s sch)
      (final s' (map (map (renamed (fun r b => cell p r b) (fun _ _ => 0))) sch))) as same.
  { intros H. apply (schedule_renamed p blocks (p * blocks) 1).
    - auto using cell_below.
    - intros r b r' b' R R' _ _ E _. now apply cell_inj in E.
    - apply Forall_forall. intros st S. apply Forall_forall. intros t T. rewrite Forall_forall in H. specialize (H st S).
      rewrite Forall_forall in H. specialize (H t T). unfold as_before. unfold in_range in H. tauto.
    - intros r b R B. unfold s, s', initial, cell_start, begins_with. rewrite cell_div, cell_mod by auto.
      apply Nat.ltb_lt in R as ->, B as ->. cbn [andb]. destruct (contributes c p r b); reflexivity. }
  split.
  - intros (_ & H & F & D). destruct (same H) as [WF M]. split; auto. split; [tauto|]. intros r b R B Wa.
    destruct (D r b R B Wa) as (v & E & C). rewrite (M r b R B) in E. destruct (final s sch r b) as [w|]; [|discriminate].
    injection E as <-. exists w. split; auto. now apply shifted_complete.
  - intros (_ & F & D). assert (Forall (Forall in_range) sch) as H.
    { clear D same. generalize dependent s. clearbody s'. induction sch as [|st sch IH]; intros s F; constructor.
      - destruct F as [[A _] _]. eapply Forall_impl; [|exact A]. unfold allowed, in_range. intuition.
      - apply (IH (after s st)). apply F. }
    destruct (same H) as [WF M]. split; auto. split; auto. split; [tauto|]. intros r b R B Wa.
    destruct (D r b R B Wa) as (v & E & C). rewrite (M r b R B), E. eexists. split; [reflexivity|]. now apply shifted_complete.
Qed.

(* Groups of blocks that no transfer leaves: `home` is a block's group. The cells of a group are what the ranks of one block are. *)
Definition grouped (home : block -> block) (p : nat) (t : cell_transfer) : transfer :=
  move (cell p (giver t) (reads t)) (cell p (taker t) (fills t)) (home (reads t)) (does t).
Definition in_groups (home : block -> block) (p : nat) (sch : cell_schedule) : schedule := map (map (grouped home p)) sch.
Definition stays_home (home : block -> block) (blocks : nat) (t : cell_transfer) : Prop :=
  home (reads t) = home (fills t) /\ home (reads t) < blocks.

(* What group h does is right: that of a block's ends is judged with its group. *)
Definition group_once (c : collective) (p blocks scratch : nat) (home : block -> block) (sch : cell_schedule) (h : block) : Prop :=
  let part := only h (in_groups home p sch) in
  well_formed (p * (blocks + scratch)) (blocks + scratch) (cell_start c p blocks) part /\
  forall r b, r < p -> b < blocks -> home b = h -> wanted c p r b = true ->
    exists v, final (cell_start c p blocks) part (cell p r b) h = Some v /\ cell_complete c p b v.

Section Groups.
Variables (c : collective) (p blocks scratch : nat) (home : block -> block) (sch : cell_schedule).
Let all := blocks + scratch.
Let s := cell_start c p blocks.
Hypothesis well : well_posed c p blocks = true.
Hypothesis in_range : Forall (Forall (inside p all)) sch.
Hypothesis at_home : Forall (Forall (stays_home home all)) sch.

Definition regroup : transfer -> transfer := renamed (fun i _ => i) (fun i _ => home (i / p)).

Lemma grouped_laid st : Forall (inside p all) st -> map (grouped home p) st = map regroup (map (laid p) st).
Proof.
  intros I. rewrite map_map. apply map_ext_in. intros t T. rewrite Forall_forall in I. destruct (I t T) as (F & _).
  unfold grouped, regroup, renamed, laid. cbn [src dst what how]. now rewrite cell_div.
Qed.

Lemma groups_laid n : Forall (Forall (inside p all)) (firstn n sch) ->
  in_groups home p (firstn n sch) = map (map regroup) (laid_out p (firstn n sch)).
Proof.
  intros I. unfold in_groups, laid_out. rewrite map_map. apply map_ext_in. intros st S. rewrite Forall_forall in I. now apply grouped_laid, I.
Qed.

Lemma laid_as_before st : Forall (inside p all) st -> Forall (stays_home home all) st ->
  Forall (as_before (p * all) 1 (fun i _ => home (i / p))) (map (laid p) st).
Proof.
  intros I H. rewrite Forall_map, Forall_forall. rewrite Forall_forall in I, H. intros t T.
  destruct (I t T) as (F & O & R & W), (H t T) as [E _]. unfold as_before, laid. cbn [src dst what].
  rewrite !cell_div by auto. auto using cell_below.
Qed.

(* Groups of transfers mean what the transfers mean. *)
Lemma groups_mean : (forall b, b < all -> home b < all) -> forall n,
  (well_formed (p * all) all s (in_groups home p (firstn n sch)) <-> well_formed (p * all) 1 s (laid_out p (firstn n sch))) /\
  forall i h, i < p * all -> h = home (i / p) -> final s (in_groups home p (firstn n sch)) i h = final s (laid_out p (firstn n sch)) i 0.
Proof.
  intros H n. assert (forall P, Forall P sch -> Forall P (firstn n sch)) as part.
  { intros P F. rewrite <- (firstn_skipn n sch) in F. now apply Forall_app in F. }
  rewrite groups_laid by auto. unfold regroup.
  destruct (well_posed_some _ _ _ well) as [P _].
  destruct (schedule_renamed (p * all) 1 (p * all) all (fun i _ => i) (fun i _ => home (i / p)) (fun _ x => x)) with
    (sch := laid_out p (firstn n sch)) (s := s) (s' := s) as [W M].
  - intros i b I _. split; auto. apply H, Nat.div_lt_upper_bound; lia.
  - intros i b i' b' _ _ B B' E _. split; auto. lia.
  - unfold laid_out. rewrite Forall_map. apply Forall_forall. intros st S. apply part in in_range, at_home.
    rewrite Forall_forall in in_range, at_home. apply laid_as_before; auto.
  - intros i b _ B. unfold s, cell_start. destruct (begins_with c p blocks i); reflexivity.
  - split; auto. intros i h I ->. rewrite (M i 0 I ltac:(lia)). destruct (final s _ i 0); cbn; auto. now rewrite map_id.
Qed.

Theorem groups_independent : (forall b, b < all -> home b < all) ->
  (exactly_once_in_cells c p blocks scratch sch <-> forall h, h < all -> group_once c p blocks scratch home sch h).
Proof.
  intros H. destruct (groups_mean H (length sch)) as [W M]. rewrite firstn_all in W, M.
  assert (blocks_below all (in_groups home p sch)) as B.
  { unfold blocks_below, in_groups. rewrite Forall_map. eapply Forall_impl; [|exact at_home]. intros st S. rewrite Forall_map.
    eapply Forall_impl; [|exact S]. now intros t [_ T]. }
  assert (forall r b, r < p -> b < blocks ->
    final s (laid_out p sch) (cell p r b) 0 = final s (only (home b) (in_groups home p sch)) (cell p r b) (home b)) as E.
  { intros r b R L. rewrite <- (M (cell p r b) (home b)).
    - apply final_only. auto.
    - apply cell_below; auto. unfold all. lia.
    - now rewrite cell_div. }
  unfold exactly_once_in_cells, group_once. fold all s. rewrite <- W, (well_formed_blocks _ _ _ B). split.
  - intros (_ & _ & F & D) h L. split; auto. intros r b R Lb <- Wa. rewrite <- E by auto. now apply D.
  - intros G. split; auto. split; auto. split; [intros h L; now apply G|]. intros r b R L Wa. rewrite E by auto.
    apply (proj2 (G (home b) (H b ltac:(unfold all; lia)))); auto.
Qed.
End Groups.
