(* The bounds of Volume.v and Additions.v where a rank may keep several values of a block, and a transfer may read one block and write
   another (Cells.v). Here blocks are single elements, n of them promised. Moves within a rank aren't messages; their additions count.

   - messages_least: scratch saves no message. cells_cost_least, cells_busiest_sender: so on links, and among ranks.
   - cells_additions_least: it saves no addition.

   A message is about block b if it carries contributions to b and no others. What it carries may be added to other things, but nothing is
   ever taken out of a sum. So messages that are about no block are of no use, each other is about one, and each block needs its own. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Halves Knowledge LowerBounds Volume Additions BlockRun Cells.
Import ListNotations.

Definition is_message (t : cell_transfer) : bool := negb (giver t =? taker t).
Definition messages (sch : cell_schedule) : nat := length (filter is_message (concat sch)).

Section Block.
Variable p : nat.
Variable b : block.

Definition of_block (x : rank) : bool := x / p =? b.
Definition pure (v : value) : Prop := forall x, In x v -> of_block x = true.
Definition about (s : state) (t : cell_transfer) : bool :=
  match s (cell p (giver t) (reads t)) 0 with Some (x :: v) => forallb of_block (x :: v) | _ => false end.
Definition calls_about (s : state) (st : list cell_transfer) : list call :=
  map (fun t => (giver t, taker t)) (filter (fun t => is_message t && about s t) st).
Fixpoint block_calls (s : state) (sch : cell_schedule) : list (list call) :=
  match sch with [] => [] | st :: rest => calls_about s st :: block_calls (after s (map (laid p) st)) rest end.

(* What a cell holds of the block, its rank has heard. *)
Definition heard (k : rank -> rank -> bool) (s : state) : Prop := forall i v, s i 0 = Some v -> pure v -> forall x, In x v ->
  k (i mod p) (x mod p) = true.

Lemma heard_after blocks k s st : heard k s -> Forall (inside p blocks) st -> heard (learn k (calls_about s st)) (after s (map (laid p) st)).
Proof.
  intros H I. set (calls := calls_about s st).
  assert (forall t, In t st -> is_message t = true -> about s t = true -> In (giver t, taker t) calls) as C.
  { intros t T M A. apply in_map_iff. exists t. rewrite filter_In, M, A. auto. }
  clearbody calls. assert (heard (learn k calls) s) as H'.
  { intros i v E P x X. apply learns. left. now apply (H i v). }
  induction st as [|t st IH] using rev_ind; [exact H'|]. apply Forall_app in I as [I It]. inversion It as [|? ? T _]; subst.
  assert (heard (learn k calls) (after s (map (laid p) st))) as Before by (apply IH; auto; intros u U; apply C, in_or_app; auto).
  destruct T as (G & R & _ & _). rewrite map_app. cbn [map].
  assert (forall v x, s (cell p (giver t) (reads t)) 0 = Some v -> pure v -> In x v -> learn k calls (taker t) (x mod p) = true) as Told.
  { intros v x E P X. pose proof (H _ v E P x X) as K. rewrite cell_mod in K by auto. destruct (Nat.eq_dec (giver t) (taker t)) as [<-|N].
    - apply learns. now left.
    - apply learns. right. exists (giver t). split; auto. apply C; [apply in_or_app; right; now left | |].
      + unfold is_message. apply Nat.eqb_neq in N as ->. reflexivity.
      + unfold about. rewrite E. destruct v as [|y v]; [contradiction|]. apply forallb_forall. exact P. }
  intros i v E P x X. rewrite after_app_one in E. destruct (into i 0 (laid p t)) eqn:In_; [|now apply (Before i v)].
  apply into_true in In_ as [D _]. cbn [laid dst] in D. subst i. rewrite cell_mod by auto. unfold write in E. cbn [laid src what how] in E.
  destruct (does t); [|now apply (Told v)]. destruct (after s (map (laid p) st) (cell p (taker t) (fills t)) 0) as [u|] eqn:U; [|discriminate].
  destruct (s (cell p (giver t) (reads t)) 0) as [w|] eqn:W; [|discriminate]. injection E as <-.
  apply in_app_or in X as [X|X]; [|apply (Told w); auto; intros y Y; apply P, in_or_app; auto].
  pose proof (Before _ u U) as Bu. rewrite cell_mod in Bu by auto. apply Bu; auto. intros y Y. apply P, in_or_app. auto.
Qed.

Lemma heard_finally blocks sch : forall k s, heard k s -> Forall (Forall (inside p blocks)) sch ->
  heard (fold_left learn (block_calls s sch) k) (final s (laid_out p sch)).
Proof.
  induction sch as [|st sch IH]; intros k s H I; [exact H|]. inversion I; subst. cbn [block_calls fold_left laid_out map final].
  apply IH; auto. eapply heard_after; eauto.
Qed.

Lemma block_calls_below blocks sch : forall s, Forall (Forall (inside p blocks)) sch -> calls_below p (block_calls s sch).
Proof.
  induction sch as [|st sch IH]; intros s I; [constructor|]. inversion I as [|? ? J I']; subst. constructor; [|now apply IH].
  apply Forall_forall. intros e E. apply in_map_iff in E as (t & <- & T). apply filter_In in T as [T _]. rewrite Forall_forall in J.
  destruct (J t T) as (G & R & _). auto.
Qed.
End Block.

(* A message is about one block at most. *)
Lemma about_one p blocks s t : list_sum (map (fun b => if about p b s t then 1 else 0) (seq 0 blocks)) <= 1.
Proof.
  unfold about. destruct (s (cell p (giver t) (reads t)) 0) as [[|x v]|]; try (rewrite sum_none; auto; lia).
  destruct (in_dec Nat.eq_dec (x / p) (seq 0 blocks)) as [I|N].
  - rewrite (sum_one _ _ (x / p)); auto using seq_NoDup; [destruct (forallb _ _); lia|].
    intros b _ D. cbn [forallb]. unfold of_block at 1. apply not_eq_sym, Nat.eqb_neq in D. now rewrite D.
  - rewrite sum_none; auto. intros b B. cbn [forallb]. unfold of_block at 1. destruct (Nat.eqb_spec (x / p) b) as [<-|]; auto. contradiction.
Qed.

Lemma calls_add_up p blocks sch : forall s,
  list_sum (map (fun b => length (concat (block_calls p b s sch))) (seq 0 blocks)) <= messages sch.
Proof.
  unfold messages. induction sch as [|st sch IH]; intros s; [now rewrite sum_none|]. cbn [block_calls concat]. rewrite filter_app, app_length.
  rewrite (sum_same _ (fun b => length (calls_about p b s st) + length (concat (block_calls p b (after s (map (laid p) st)) sch))))
    by (intros; apply app_length).
  rewrite sum_add. apply Nat.add_le_mono; [|apply IH]. clear IH. unfold calls_about.
  rewrite (sum_same _ (fun b => length (filter (fun t => is_message t && about p b s t) st))) by (intros; apply map_length).
  induction st as [|t st IH]; [now rewrite sum_none|]. cbn [filter]. destruct (is_message t); cbn [andb]; auto. cbn [length].
  rewrite (sum_same _ (fun b => (if about p b s t then 1 else 0) + length (filter (fun t => is_message t && about p b s t) st)))
    by (intros b _; destruct (about p b s t); reflexivity).
  rewrite sum_add. pose proof (about_one p blocks s t). lia.
Qed.

Section Bounds.
Variables (c : collective) (p n scratch : nat) (sch : cell_schedule).
Hypothesis once : exactly_once_in_cells c p n scratch sch.

Theorem messages_least : least_moves c p * n <= messages sch.
Proof.
  destruct once as (W & I & _ & D). pose proof (well_posed_some _ _ _ W) as [P _]. set (s := cell_start c p n) in *.
  apply Nat.le_trans with (2 := calls_add_up p n sch s).
  replace (least_moves c p * n) with (list_sum (map (fun _ => least_moves c p * 1) (seq 0 n))).
  2: { rewrite sum_scaled. f_equal. clear. induction n as [|m IH]; auto. rewrite seq_S, map_app, list_sum_app, IH. cbn. lia. }
  apply sum_le. intros b B. apply in_below in B. rewrite Nat.mul_1_r.
  apply (calls_needed p (block_calls p b s sch)) with (blocks := n) (b := b); auto; [now apply block_calls_below with (n + scratch)|].
  intros r x R X Wa C. destruct (D r b R B Wa) as (v & E & K).
  assert (heard p b Nat.eqb s) as H.
  { intros i u U _ y Y. unfold s, cell_start in U. destruct (begins_with c p n i); [|discriminate]. injection U as <-.
    destruct Y as [<-|[]]. apply Nat.eqb_refl. }
  pose proof (heard_finally p b (n + scratch) sch Nat.eqb s H I (cell p r b) v E) as F. rewrite cell_mod in F by auto.
  rewrite <- (cell_mod p x b X). apply F.
  - intros y Y. apply (count_occ_In Nat.eq_dec) in Y. fold (times v y) in Y. rewrite K in Y. unfold of_block.
    destruct (y / p =? b); [auto | cbn in Y; lia].
  - apply (count_occ_In Nat.eq_dec). fold (times v (cell p x b)). rewrite K, cell_div, cell_mod, Nat.eqb_refl, C by auto. cbn. lia.
Qed.

(* So on links, and among ranks *)
Theorem cells_cost_least {A} (same : forall a d : A, {a = d} + {a <> d}) links ways T : map fst ways = filter is_message (concat sch) ->
  (forall w, In w ways -> snd w <> [] /\ incl (snd w) links) -> (forall l, In l links -> load same (fun _ => 1) ways l <= T) ->
  least_moves c p * n <= T * length links.
Proof.
  intros E W L. apply Nat.le_trans with (1 := messages_least). apply Nat.le_trans with (2 := shared same (fun _ => 1) links T ways W L).
  unfold messages. rewrite <- E, map_length. clear. induction ways as [|w l IH]; [auto | exact (le_n_S _ _ IH)].
Qed.

Theorem cells_busiest_sender T : (forall r, r < p -> length (filter (fun t => giver t =? r) (filter is_message (concat sch))) <= T) ->
  least_moves c p * n <= T * p.
Proof.
  intros L. apply Nat.le_trans with (1 := messages_least). unfold messages.
  assert (forall l : list cell_transfer, list_sum (map (fun _ => 1) l) = length l) as One by (induction l as [|t l IH]; [auto | exact (f_equal S IH)]).
  rewrite <- One. apply (among_ranks (fun _ => 1) giver).
  - destruct once as (_ & I & _). intros t T'. apply filter_In in T' as [T' _]. apply in_concat in T' as (st & S & T').
    rewrite Forall_forall in I. specialize (I st S). rewrite Forall_forall in I. now destruct (I t T').
  - intros r R. rewrite One. auto.
Qed.
(* Cells are in groups as ranks are in Additions.v: one group a block needs p - 1 additions, whichever ranks they are on. *)
Definition is_cell_addition (t : cell_transfer) : bool := match does t with Reduce => true | Copy => false end.

Lemma additions_laid : additions_of 0 (concat (laid_out p sch)) = length (filter is_cell_addition (concat sch)).
Proof.
  unfold laid_out, additions_of. rewrite <- concat_map. induction (concat sch) as [|t l IH]; auto. cbn [map filter].
  unfold is_addition, is_cell_addition. cbn [laid how]. destruct (does t); cbn; auto.
Qed.

Lemma one_group l : pairs_below (p * (n + scratch)) l ->
  (forall b, b < n -> exists r v, cell_complete c p b v /\ r < p /\ together (p * (n + scratch)) l v) ->
  (forall r b, contributes c p r b = true) -> (p - 1) * n <= length l.
Proof.
  intros B G C. pose proof once as (W & _). pose proof (well_posed_some _ _ _ W) as [P _].
  pose proof (links_needed (p * (n + scratch)) l B (map (cell p 0) (seq 0 n) ++ seq (p * n) (p * scratch))) as N.
  rewrite app_length, map_length, !seq_length in N. enough (p * (n + scratch) <= length l + (n + p * scratch)) by nia. apply N.
  intros i I. destruct (le_lt_dec (p * n) i) as [L|L].
  - exists i. split; [apply in_or_app; right; apply in_seq; lia | constructor].
  - assert (i / p < n) as D by (apply Nat.div_lt_upper_bound; lia). exists (cell p 0 (i / p)).
    split; [apply in_or_app; left; apply in_map, in_below; exact D|]. destruct (G _ D) as (r & v & K & R & _ & _ & J).
    assert (forall j, j / p = i / p -> In j v) as A.
    { intros j E. apply (count_occ_In Nat.eq_dec). fold (times v j). rewrite K, E, Nat.eqb_refl, C. cbn. lia. }
    apply J; apply A; auto. now apply cell_div.
Qed.

Theorem cells_additions_least : least_additions c p * n <= length (filter is_cell_addition (concat sch)).
Proof.
  pose proof once as (W & _ & _ & D). pose proof (well_posed_some _ _ _ W) as [P _]. apply posed_ranks in W. rewrite <- additions_laid.
  destruct (additions_run (p * (n + scratch)) 0 (laid_out p sch) (cell_start c p n) []) as (l & B & L & G); [constructor | |].
  - intros i v E. unfold cell_start in E. destruct (begins_with c p n i) eqn:X; [|discriminate]. injection E as <-.
    apply andb_true_iff in X as [X _]. apply Nat.ltb_lt in X. split; [discriminate | split].
    + intros x [<-|[]]. pose proof (Nat.div_mod i p ltac:(lia)). pose proof (Nat.mod_upper_bound i p ltac:(lia)). nia.
    + intros x y [<-|[]] [<-|[]]. constructor.
  - assert ((forall b, b < n -> exists r, r < p /\ wanted c p r b = true) -> (forall r b, contributes c p r b = true) -> (p - 1) * n <= length l) as H.
    { intros Wa C. apply (one_group l B); auto. intros b Lb. destruct (Wa b Lb) as (r & R & Wr). destruct (D r b R Lb Wr) as (v & E & K).
      exists r, v. split; [exact K | split; [exact R | exact (G _ v E)]]. }
    cbn [length plus] in L. destruct c as [| q | q | root | root | | |]; cbn [least_additions]; try lia; apply Nat.le_trans with (2 := L); apply H; auto.
    + intros b _. exists 0. auto.
    + intros b Lb. exists (q b). split; [now apply W | apply Nat.eqb_refl].
    + intros b _. exists root. split; [exact W | apply Nat.eqb_refl].
Qed.
End Bounds.
