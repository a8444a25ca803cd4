(* The checker for schedules with scratch blocks. It is proved like the other: it finds nothing if and only if the schedule is
   `exactly_once_in_cells`, and what it finds is so. It holds the values of one group of blocks at a time, in time linear in the
   transfers, up to logarithms, if few different sums end as results. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Tries Terms BlockRun Messages Checker Cells.
Import ListNotations.

(* `HoldsWrong`: in block b, rank r ends with the contribution of x to block d n times, or `most` times or more. *)
Inductive cell_witness :=
  | NotPosed
  | BadTransfer (n : nat) (t : cell_transfer) (why : fault)
  | HoldsWrong (r : rank) (b : block) (x : rank) (d : block) (n : nat).

Definition cell_shown (most : nat) (c : collective) (p blocks scratch : nat) (sch : cell_schedule) (w : cell_witness) : Prop :=
  let all := blocks + scratch in
  let before n := final (cell_start c p blocks) (laid_out p (firstn n sch)) in
  match w with
  | NotPosed => well_posed c p blocks = false
  | BadTransfer n t why => exists st, nth_error sch n = Some st /\ In t st /\
      (~ inside p all t \/ faulty (p * all) 1 (before n) (map (laid p) st) (laid p t) why)
  | HoldsWrong r b x d n => r < p /\ b < blocks /\ x < p /\ wanted c p r b = true /\
      n = Nat.min most (held_times (before (length sch) (cell p r b) 0) (cell p x d)) /\
      n <> if (d =? b) && contributes c p x b then 1 else 0
  end.

Definition is_inside (p blocks : nat) (t : cell_transfer) : bool :=
  (giver t <? p) && (taker t <? p) && (reads t <? blocks) && (fills t <? blocks).
Fixpoint first_outside (p blocks n : nat) (sch : cell_schedule) : option cell_witness :=
  match sch with
  | [] => None
  | st :: sch =>
      match find (fun t => negb (is_inside p blocks t)) st with
      | Some t => Some (BadTransfer n t OutOfRange)
      | None => first_outside p blocks (S n) sch
      end
  end.

(* The groups are given, and used if no transfer leaves them. Otherwise all blocks are one group. *)
Definition is_home (home : block -> block) (all : nat) (sch : cell_schedule) : bool :=
  match first (fun b => negb (home b <? all)) 0 all with Some _ => false | None => true end &&
  forallb (forallb (fun t => home (reads t) =? home (fills t))) sch.
Definition settled (home : block -> block) (all : nat) (sch : cell_schedule) : block -> block :=
  if is_home home all sch then home else fun _ => 0.

(* The promised blocks of each group *)
Definition of_group (h : block) (m : trie (list block)) : list block := match get h m with Some l => l | None => [] end.
Fixpoint by_group (home : block -> block) (b n : nat) (m : trie (list block)) : trie (list block) :=
  match n with O => m | S n => by_group home (S b) n (put (home b) (b :: of_group (home b) m) m) end.

(* Enters the transfers of all groups without a list of them. *)
Fixpoint enter_groups (home : block -> block) (p n : nat) (sch : cell_schedule) (ix : index) : index :=
  match sch with
  | [] => ix
  | st :: sch => enter_groups home p (S n) sch (fold_left (fun ix t => entered n ix (grouped home p t)) st ix)
  end.

Section Judge.
Variables (most : nat) (c : collective) (p blocks scratch : nat).
Let cells := p * (blocks + scratch).
Let starts := begins_with c p blocks.

Fixpoint judge_members (t : terms) (held : trie BlockRun.cell) (bs : list block) : option cell_witness :=
  match bs with
  | [] => None
  | b :: bs =>
      let (x, k) := sources c p b in
      let (r, n) := targets c p b in
      match judge_ends most starts cells t held (cell p x b) k (cell p r b) n Empty with
      | Some (q, y, m) => Some (HoldsWrong (q mod p) b (y mod p) (y / p) m)
      | None => judge_members t held bs
      end
  end.

Definition judge_group (members : trie (list block)) (ix : index) (h : block) : option cell_witness :=
  match run starts cells (no_sums cells) Empty (rev' (entries h ix)) with
  | Stuck a why =>
      Some (BadTransfer (at_step a) (cell_move (sender a mod p) (receiver a mod p) (sender a / p) (receiver a / p) (kind a)) why)
  | Ran t held => judge_members t held (rev' (of_group h members))
  end.

Fixpoint judge_groups (members : trie (list block)) (ix : index) (h n : nat) : option cell_witness :=
  match n with
  | O => None
  | S n => match judge_group members ix h with Some w => Some w | None => judge_groups members ix (S h) n end
  end.

Definition judge_cells (home : block -> block) (sch : cell_schedule) : option cell_witness :=
  let all := blocks + scratch in
  if posed c p blocks then
    match first_outside p all 0 sch with
    | Some w => Some w
    | None =>
        let home := settled home all sch in
        judge_groups (by_group home 0 blocks Empty) (enter_groups home p 0 sch Empty) 0 all
    end
  else Some NotPosed.
End Judge.

Lemma enter_groups_steps home p sch : forall n ix, enter_groups home p n sch ix = enter_steps n (in_groups home p sch) ix.
Proof.
  induction sch as [|st sch IH]; intros n ix; cbn [enter_groups in_groups map enter_steps]; auto. rewrite IH. f_equal.
  revert ix. induction st as [|t st IHt]; intros ix; cbn [map fold_left]; auto.
Qed.

Lemma is_inside_true p blocks t : is_inside p blocks t = true <-> inside p blocks t.
Proof. unfold is_inside, inside. rewrite !andb_true_iff, !Nat.ltb_lt. tauto. Qed.

Lemma first_outside_correct p blocks sch : forall n,
  match first_outside p blocks n sch with
  | Some w => exists j st t, w = BadTransfer (n + j) t OutOfRange /\ nth_error sch j = Some st /\ In t st /\ ~ inside p blocks t
  | None => Forall (Forall (inside p blocks)) sch
  end.
Proof.
  induction sch as [|st sch IH]; intros n; cbn [first_outside]; [constructor|].
  destruct (find _ st) as [t|] eqn:F.
  - apply find_some in F as [I F]. exists 0, st, t. rewrite Nat.add_0_r. repeat split; auto.
    rewrite <- is_inside_true. now apply negb_true_iff, not_true_iff_false in F.
  - specialize (IH (S n)). destruct (first_outside p blocks (S n) sch) as [w|].
    + destruct IH as (j & st' & t & -> & H). exists (S j), st', t. rewrite <- plus_n_Sm. auto.
    + constructor; auto. apply Forall_forall. intros t T. apply (find_none _ _ F) in T. apply negb_false_iff in T.
      now apply is_inside_true.
Qed.

Lemma settled_home home all sch p : 0 < all -> Forall (Forall (inside p all)) sch ->
  (forall b, b < all -> settled home all sch b < all) /\ Forall (Forall (stays_home (settled home all sch) all)) sch.
Proof.
  intros A I. unfold settled. destruct (is_home home all sch) eqn:E.
  2: { split; auto. apply Forall_forall. intros st _. apply Forall_forall. intros t _. split; auto. }
  unfold is_home in E. apply andb_true_iff in E as [E F]. destruct (first _ 0 all) eqn:N; [discriminate|].
  assert (forall b, b < all -> home b < all) as B.
  { intros b B. apply (first_none _ _ _ b) in N; [|lia]. now apply negb_false_iff, Nat.ltb_lt in N. }
  split; auto. rewrite forallb_forall in F. rewrite Forall_forall in *. intros st S. specialize (F st S). specialize (I st S).
  rewrite forallb_forall in F. rewrite Forall_forall in *. intros t T. specialize (I t T). split; [now apply Nat.eqb_eq, F|].
  apply B. apply I.
Qed.

Lemma of_group_all home h d n : forall b m, In d (of_group h (by_group home b n m)) <-> In d (of_group h m) \/ b <= d < b + n /\ home d = h.
Proof.
  induction n as [|n IH]; intros b m; cbn [by_group]; [split; [auto | intros [|[L _]]; [auto | lia]]|].
  rewrite IH. unfold of_group at 1. rewrite get_put. destruct (Nat.eqb_spec (home b) h) as [<-|N].
  - cbn [In]. destruct (Nat.eq_dec b d) as [->|D]; [intuition lia|]. intuition lia.
  - fold (of_group h m). destruct (Nat.eq_dec b d) as [->|D]; intuition lia.
Qed.

Section Correct.
Variables (most : nat) (c : collective) (p blocks scratch : nat) (home : block -> block) (sch : cell_schedule).
Let all := blocks + scratch.
Let cells := p * all.
Let starts := begins_with c p blocks.
Let s := cell_start c p blocks.
Let grouped_steps := in_groups home p sch.
Hypothesis enough : 2 <= most.
Hypothesis well : well_posed c p blocks = true.
Hypothesis in_range : Forall (Forall (inside p all)) sch.
Hypothesis at_home : Forall (Forall (stays_home home all)) sch.
Hypothesis home_below : forall b, b < all -> home b < all.

Lemma due_cells b : b < blocks -> let (x, k) := sources c p b in
  forall i, due (cell p x b) k i = if (i / p =? b) && contributes c p (i mod p) b then 1 else 0.
Proof.
  intros B. destruct (ranks_below most c p blocks enough well b B) as [P R]. destruct (sources c p b) as [x k], (targets c p b) as [r n].
  destruct R as (_ & K & _ & R). intros i. unfold due, cell. pose proof (Nat.mod_upper_bound i p ltac:(lia)) as U.
  destruct (R (i mod p) U) as [-> _]. pose proof (Nat.div_mod i p ltac:(lia)) as D.
  destruct (Nat.eqb_spec (i / p) b) as [<-|N]; cbn [andb].
  - replace (i / p * p + x <=? i) with (x <=? i mod p); [replace (i <? i / p * p + x + k) with (i mod p <? x + k); auto|].
    + destruct (Nat.ltb_spec (i mod p) (x + k)), (Nat.ltb_spec i (i / p * p + x + k)); auto; lia.
    + destruct (Nat.leb_spec x (i mod p)), (Nat.leb_spec (i / p * p + x) i); auto; lia.
  - destruct (Nat.leb_spec (b * p + x) i), (Nat.ltb_spec i (b * p + x + k)); cbn [andb]; auto. exfalso. apply N.
    enough (b * p <= i < b * p + p) by nia. lia.
Qed.

Lemma judge_members_correct (held : rank -> option value) t table bs : sound cells t ->
  (forall i, stands cells t (now_at starts cells i (get i table)) (held i)) -> (forall b, In b bs -> b < blocks) ->
  match judge_members most c p blocks scratch t table bs with
  | None => forall r b, In b bs -> r < p -> wanted c p r b = true -> exists v, held (cell p r b) = Some v /\ cell_complete c p b v
  | Some w => exists r b x d n, w = HoldsWrong r b x d n /\ In b bs /\ r < p /\ x < p /\ wanted c p r b = true /\
      n = Nat.min most (held_times (held (cell p r b)) (cell p x d)) /\ n <> if (d =? b) && contributes c p x b then 1 else 0
  end.
Proof.
  intros W N. induction bs as [|b bs IH]; intros B; cbn [judge_members]; [now intros r b []|].
  destruct (ranks_below most c p blocks enough well b (B b (or_introl eq_refl))) as [P R]. pose proof (due_cells b (B b (or_introl eq_refl))) as D.
  destruct (sources c p b) as [x k], (targets c p b) as [r n]. destruct R as (K & X & T & R).
  assert (b < all) as L by (unfold all; specialize (B b (or_introl eq_refl)); lia).
  pose proof (judge_ends_correct most cells (cell p x b) k starts held t table enough K ltac:(unfold cells, cell; nia) W N n (cell p r b)
    Empty ltac:(now intros i [])) as J. fold all cells starts.
  destruct (judge_ends most starts cells t table (cell p x b) k (cell p r b) n Empty) as [[[q y] m]|].
  - destruct J as (Q & Y & M & V). rewrite D in V.
    assert (q = cell p (q - b * p) b /\ q - b * p < p /\ r <= q - b * p < r + n) as (E & Qp & Qr) by (unfold cell in *; lia).
    assert (q mod p = q - b * p) as F by (rewrite E at 1; now apply cell_mod).
    exists (q mod p), b, (y mod p), (y / p), m. rewrite (cell_of p y P), F, <- E. cbn [In].
    split; auto. split; auto. split; auto. split; [apply Nat.mod_upper_bound; lia|]. split; [|split; auto].
    destruct (R (q - b * p) Qp) as [_ ->]. apply andb_true_iff. rewrite Nat.leb_le, Nat.ltb_lt. exact Qr.
  - specialize (IH ltac:(cbn in B; auto)). destruct (judge_members _ _ _ _ _ t table bs) as [w|].
    + destruct IH as (r' & b' & x' & d' & n' & H & I & G). exists r', b', x', d', n'. cbn [In]. auto.
    + intros r' b' [<-|I] R' Wa; [|now apply IH]. destruct (R r' R') as [_ E]. rewrite E in Wa. apply andb_true_iff in Wa.
      rewrite Nat.leb_le, Nat.ltb_lt in Wa. destruct (J (cell p r' b)) as (v & V & Tv); [unfold cell; lia|].
      exists v. split; auto. intros i. now rewrite Tv, D.
Qed.

(* What a group's run got stuck on, among all transfers *)
Lemma ungrouped n st tr why : nth_error sch n = Some st -> why <> OutOfRange ->
  faulty cells all (final s (in_groups home p (firstn n sch))) (map (grouped home p) st) tr why ->
  exists t, In t st /\ grouped home p t = tr /\ faulty cells 1 (final s (laid_out p (firstn n sch))) (map (laid p) st) (laid p t) why.
Proof.
  intros S O (pre & post & E & F). apply map_eq_app in E as (pre' & rest & -> & <- & E). apply map_eq_cons in E as (t & post' & -> & <- & <-).
  destruct (groups_mean c p blocks scratch home sch well in_range at_home home_below n) as [_ M].
  apply nth_error_In in S. pose proof in_range as I. pose proof at_home as H. rewrite Forall_forall in I, H.
  specialize (I _ S). specialize (H _ S). rewrite Forall_forall in I, H.
  specialize (I t (in_elt _ _ _)). destruct I as (A & B & C & D). destruct (H t (in_elt _ _ _)) as [G _].
  exists t. split; [apply in_elt|]. split; auto. exists (map (laid p) pre'), (map (laid p) post').
  split; [now rewrite map_app|]. cbn [grouped laid src dst what how] in *. destruct why; auto.
  - fold s all in M. rewrite <- (M _ (home (reads t))), F; auto; [now apply cell_below | now rewrite cell_div].
  - destruct F as [R F]. split; auto. fold s all in M. rewrite <- (M _ (home (reads t))), F; auto; [now apply cell_below | now rewrite cell_div].
  - destruct F as (u & U & Du & _ & K). apply in_map_iff in U as (v & <- & V). exists (laid p v). cbn [laid grouped dst what how] in *.
    split; [now apply in_map|]. auto.
Qed.

Lemma only_grouped h n : only h (in_groups home p (firstn n sch)) = firstn n (only h grouped_steps).
Proof. unfold only, grouped_steps, in_groups. now rewrite !firstn_map. Qed.

Lemma judge_group_correct h : h < all ->
  match judge_group most c p blocks scratch (by_group home 0 blocks Empty) (enter_steps 0 grouped_steps Empty) h with
  | None => group_once c p blocks scratch home sch h
  | Some w => cell_shown most c p blocks scratch sch w
  end.
Proof.
  intros L. unfold judge_group, rev' at 1. rewrite entries_steps, <- rev_alt. unfold entries. cbn [get]. rewrite app_nil_r, rev_involutive.
  fold all cells starts. set (part := only h grouped_steps).
  destruct (well_posed_some _ _ _ well) as [P _].
  assert (Forall (Forall (fun t => what t = h)) part) as F
    by (apply Forall_forall; intros st I; apply in_map_iff in I as (st' & <- & _); apply filter_block).
  assert (forall i, stands cells (no_sums cells) (now_at starts cells i (get i Empty)) (s i h)) as N.
  { intros i. cbn [get now_at]. unfold begins, s, cell_start. fold starts. destruct (starts i) eqn:B.
    - unfold starts, begins_with in B. apply andb_true_iff in B as [B _]. apply Nat.ltb_lt in B.
      assert (i < cells) as I by (unfold cells, all; pose proof (Nat.div_mod i p ltac:(lia)); pose proof (Nat.mod_upper_bound i p ltac:(lia)); nia).
      apply Nat.ltb_lt in I as J. rewrite J. cbn [andb]. split; auto. intros x. rewrite share_leaf by auto. unfold times. cbn [count_occ].
      destruct (Nat.eq_dec i x), (Nat.eqb_spec i x); congruence.
    - rewrite andb_false_r. exact I. }
  pose proof (run_correct starts cells all h L part F 0 s (no_sums cells) Empty (no_sums_sound cells) N ltac:(discriminate)) as R.
  destruct (run starts cells (no_sums cells) Empty (numbered 0 part)) as [t table|a why].
  - destruct R as (W & Wf & E). pose proof (judge_members_correct (fun i => final s part i h) t table (rev' (of_group h (by_group home 0 blocks Empty))) W E) as J.
    assert (forall b, In b (rev' (of_group h (by_group home 0 blocks Empty))) <-> b < blocks /\ home b = h) as In_group.
    { intros b. unfold rev'. rewrite <- rev_alt, <- in_rev, of_group_all. unfold of_group. cbn [get In]. intuition lia. }
    specialize (J ltac:(intros b B; now apply In_group in B)). destruct (judge_members _ _ _ _ _ t table _) as [w|].
    + destruct J as (r & b & x & d & n & -> & B & R & X & Wa & M & D). apply In_group in B as [B H]. cbn [cell_shown].
      split; auto. split; auto. split; auto. split; auto. split; auto. rewrite M. do 2 f_equal.
      destruct (groups_mean c p blocks scratch home sch well in_range at_home home_below (length sch)) as [_ G].
      fold s in G |- *. fold all in G. unfold part. rewrite <- (G (cell p r b) h).
      * rewrite firstn_all. symmetry. apply final_only. auto.
      * apply cell_below; auto. lia.
      * now rewrite cell_div.
    + split; auto. intros r b R B H Wa. apply J; auto. now apply In_group.
  - destruct R as (j & st & tr & G & -> & T & Fa). cbn [sent_at at_step sender receiver kind plus cell_shown].
    unfold part, only, grouped_steps, in_groups in G. rewrite map_map, nth_error_map in G.
    destruct (nth_error sch j) as [st0|] eqn:E; [|discriminate G]. injection G as <-.
    assert (faulty cells all (final s (in_groups home p (firstn j sch))) (map (grouped home p) st0) tr why) as Fg.
    { apply (faulty_lift cells all (final s (firstn j part)) _ h _ _ _ T); [|exact Fa].
      intros r. unfold part. rewrite <- only_grouped. symmetry. now apply final_only. }
    assert (why <> OutOfRange) as O.
    { intros ->. destruct Fg as (pre & post & Eq & X). apply map_eq_app in Eq as (pre' & rest & Eq & _ & Eq').
      apply map_eq_cons in Eq' as (u & post' & -> & <- & _). apply nth_error_In in E. pose proof in_range as I. pose proof at_home as H.
      rewrite Forall_forall in I, H. specialize (I _ E). specialize (H _ E). rewrite Forall_forall in I, H. rewrite Eq in I, H.
      destruct (I u (in_elt _ _ _)) as (A & B & C & D), (H u (in_elt _ _ _)) as [_ K].
      apply X. cbn [grouped src dst what]. split; [now apply cell_below | split; [now apply cell_below | exact K]]. }
    destruct (ungrouped j st0 tr why E O Fg) as (u & U & <- & Fl). exists st0.
    pose proof in_range as I. rewrite Forall_forall in I. specialize (I _ (nth_error_In _ _ E)). rewrite Forall_forall in I.
    destruct (I u U) as (A & B & C & D). cbn [grouped src dst how]. rewrite !cell_mod, !cell_div by auto.
    replace (cell_move (giver u) (taker u) (reads u) (fills u) (does u)) with u by (destruct u; auto). auto.
Qed.

Lemma judge_groups_correct n : forall h, h + n <= all ->
  match judge_groups most c p blocks scratch (by_group home 0 blocks Empty) (enter_steps 0 grouped_steps Empty) h n with
  | None => forall g, h <= g < h + n -> group_once c p blocks scratch home sch g
  | Some w => cell_shown most c p blocks scratch sch w
  end.
Proof.
  induction n as [|n IH]; intros h L; cbn [judge_groups]; [intros g G; lia|]. pose proof (judge_group_correct h ltac:(lia)) as J.
  destruct (judge_group _ _ _ _ _ _ _ h); auto. specialize (IH (S h) ltac:(lia)).
  destruct (judge_groups _ _ _ _ _ _ _ (S h) n); auto. intros g G. destruct (Nat.eq_dec g h) as [->|]; auto. apply IH. lia.
Qed.
End Correct.

Theorem judge_cells_correct most c p blocks scratch home sch : 2 <= most ->
  match judge_cells most c p blocks scratch home sch with
  | None => exactly_once_in_cells c p blocks scratch sch
  | Some w => cell_shown most c p blocks scratch sch w
  end.
Proof.
  intros M. unfold judge_cells. rewrite posed_well. destruct (well_posed c p blocks) eqn:W; [|exact W].
  pose proof (first_outside_correct p (blocks + scratch) sch 0) as O. destruct (first_outside p (blocks + scratch) 0 sch) as [w|].
  - destruct O as (j & st & t & -> & G & I & N). exists st. auto.
  - destruct (well_posed_some _ _ _ W) as [_ B]. destruct (settled_home home (blocks + scratch) sch p ltac:(lia) O) as [Hb Hs].
    pose proof (judge_groups_correct most c p blocks scratch _ sch M W O Hs Hb (blocks + scratch) 0 ltac:(lia)) as J.
    rewrite enter_groups_steps.
    destruct (judge_groups _ _ _ _ _ _ _ 0 (blocks + scratch)); auto.
    apply (groups_independent c p blocks scratch _ sch W O Hs Hb). intros h L. apply J. lia.
Qed.

(* What is shown is wrong: no schedule that has such a witness is exactly once. *)
Theorem cell_shown_wrong most c p blocks scratch sch w : 2 <= most -> cell_shown most c p blocks scratch sch w ->
  ~ exactly_once_in_cells c p blocks scratch sch.
Proof.
  intros M S (W & I & F & D). destruct w as [|n t why|r b x d k]; cbn [cell_shown] in S.
  - congruence.
  - destruct S as (st & G & T & [N|Fa]).
    + rewrite Forall_forall in I. specialize (I st (nth_error_In _ _ G)). rewrite Forall_forall in I. auto.
    + apply faulty_fails in Fa. apply Fa. revert G F. generalize (cell_start c p blocks) as s. clear.
      revert n. induction sch as [|u sch IH]; intros [|n] s G F; cbn in *; try discriminate.
      * injection G as ->. apply F.
      * apply IH; [exact G | apply F].
  - destruct S as (R & B & X & Wa & K & N). rewrite firstn_all in K. destruct (D r b R B Wa) as (v & V & C). rewrite V in K. cbn [held_times] in K.
    rewrite (C (cell p x d)), cell_div, cell_mod in K by auto. destruct (d =? b); cbn [andb] in *; [destruct (contributes c p x b)|]; lia.
Qed.

Theorem nothing_found_in_cells most c p blocks scratch home sch : 2 <= most ->
  (judge_cells most c p blocks scratch home sch = None <-> exactly_once_in_cells c p blocks scratch sch).
Proof.
  intros M. pose proof (judge_cells_correct most c p blocks scratch home sch M) as J. destruct (judge_cells _ _ _ _ _ _ _) as [w|].
  - split; [discriminate|]. intros E. now apply cell_shown_wrong in J.
  - split; auto.
Qed.
