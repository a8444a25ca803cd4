(* The checker: a program that says whether a schedule is exactly once, and if not, what is wrong and where. It is proved: it finds
   nothing if and only if the schedule is `exactly_once`, and what it finds is so. It takes time linear in the transfers, up to
   logarithms, if few different sums end as results, and holds the values of one block at a time. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Tries Terms BlockRun Messages.
Import ListNotations.

(* What can be wrong. The numbers of steps count from 0. `Counted`: rank r ends with the contribution of x to block b n times, or
   `most` times or more; nothing held is 0 times. *)
Inductive witness :=
  | IllPosed
  | Fault (n : nat) (t : transfer) (why : fault)
  | Counted (r : rank) (b : block) (x : rank) (n : nat).

Definition held_times (v : option value) (x : rank) : nat := match v with Some v => times v x | None => 0 end.

Definition shown (most : nat) (c : collective) (p blocks : nat) (sch : schedule) (w : witness) : Prop :=
  match w with
  | IllPosed => well_posed c p blocks = false
  | Fault n t why => exists st, nth_error sch n = Some st /\ faulty p blocks (final (initial c p blocks) (firstn n sch)) st t why
  | Counted r b x n => r < p /\ b < blocks /\ x < p /\ wanted c p r b = true /\
                       n = Nat.min most (held_times (final (initial c p blocks) sch r b) x) /\
                       n <> if contributes c p x b then 1 else 0
  end.

(* The first transfer of a block that isn't there *)
Fixpoint outside_all (blocks n : nat) (steps : list (list message)) : option witness :=
  match steps with
  | [] => None
  | ms :: steps => match outside_step blocks ms with Some t => Some (Fault n t OutOfRange) | None => outside_all blocks (S n) steps end
  end.

(* Ranks that contribute to a block, or want it: the first, and how many *)
Definition sources (c : collective) (p : nat) (b : block) : nat * nat :=
  match c with
  | Allreduce | ReduceScatter _ | ReduceTo _ => (0, p)
  | Allgather q | Gather _ q => (q b, 1)
  | Broadcast root | Scatter root _ => (root, 1)
  | Alltoall => (origin p b, 1)
  end.
Definition targets (c : collective) (p : nat) (b : block) : nat * nat :=
  match c with
  | Allreduce | Allgather _ | Broadcast _ => (0, p)
  | ReduceScatter q | Scatter _ q => (q b, 1)
  | ReduceTo root | Gather root _ => (root, 1)
  | Alltoall => (owner p b, 1)
  end.

(* The ends of ranks r .. r+n-1, to which ranks x .. x+k-1 should have contributed; `good` are the numbers that were found right. The
   answer: nothing, or a rank, a contributor, and how often it contributed. *)
Fixpoint judge_ends (most : nat) (starts : rank -> bool) (p : nat) (t : terms) (cells : trie cell) (x k : nat)
    (r n : nat) (good : trie unit) : option (rank * rank * nat) :=
  match n with
  | O => None
  | S n =>
      match now_at starts p r (get r cells) with
      | None => Some (r, x, 0)
      | Some i =>
          match get i good with
          | Some _ => judge_ends most starts p t cells x k (S r) n good
          | None =>
              match judge p most x k t i with
              | Some (y, times) => Some (r, y, times)
              | None => judge_ends most starts p t cells x k (S r) n (put i tt good)
              end
          end
      end
  end.

Definition judge_block (most : nat) (c : collective) (p : nat) (ix : index) (b : block) : option witness :=
  let starts r := contributes c p r b in
  match run starts p (no_sums p) Empty (rev' (entries b ix)) with
  | Stuck s why => Some (Fault (at_step s) (move (sender s) (receiver s) b (kind s)) why)
  | Ran t cells =>
      let (x, k) := sources c p b in
      let (r, n) := targets c p b in
      match judge_ends most starts p t cells x k r n Empty with Some (q, y, times) => Some (Counted q b y times) | None => None end
  end.

Fixpoint judge_blocks (most : nat) (c : collective) (p : nat) (ix : index) (b n : nat) : option witness :=
  match n with
  | O => None
  | S n => match judge_block most c p ix b with Some w => Some w | None => judge_blocks most c p ix (S b) n end
  end.

(* `well_posed` without a list of all blocks *)
Definition posed (c : collective) (p blocks : nat) : bool :=
  let is_rank r := r <? p in
  let owned q := match first (fun b => negb (is_rank (q b))) 0 blocks with Some _ => false | None => true end in
  is_rank 0 && (0 <? blocks) &&
  match c with
  | Allreduce => true
  | ReduceScatter q | Allgather q => owned q
  | Broadcast root | ReduceTo root => is_rank root
  | Scatter root q | Gather root q => is_rank root && owned q
  | Alltoall => blocks mod (p * p) =? 0
  end.

Definition judge_schedule (most : nat) (c : collective) (p blocks : nat) (steps : list (list message)) : option witness :=
  if posed c p blocks then
    match outside_all blocks 0 steps with
    | Some w => Some w
    | None => judge_blocks most c p (enter_all 0 steps Empty) 0 blocks
    end
  else Some IllPosed.

Lemma posed_well c p blocks : posed c p blocks = well_posed c p blocks.
Proof.
  unfold posed, well_posed.
  assert (forall q : block -> rank, match first (fun b => negb (q b <? p)) 0 blocks with Some _ => false | None => true end =
      forallb (fun b => q b <? p) (seq 0 blocks)) as E.
  { intros q. symmetry. destruct (first _ 0 blocks) as [b|] eqn:F.
    - apply first_some in F as [B F]. apply not_true_iff_false. rewrite forallb_forall. intros H.
      rewrite (H b) in F; [discriminate | apply in_seq; lia].
    - apply forallb_forall. intros b B. apply in_seq in B. apply (first_none _ _ _ b) in F; [|lia]. now apply negb_false_iff. }
  destruct c; rewrite ?E; reflexivity.
Qed.

Lemma outside_all_correct blocks steps : forall n,
  match outside_all blocks n steps with
  | Some w => exists j st t, w = Fault (n + j) t OutOfRange /\ nth_error (expand steps) j = Some st /\ In t st /\ ~ what t < blocks
  | None => blocks_below blocks (expand steps)
  end.
Proof.
  induction steps as [|ms steps IH]; intros n; cbn [outside_all expand map]; [constructor|].
  pose proof (outside_step_correct blocks ms) as O. destruct (outside_step blocks ms) as [t|].
  - exists 0, (flat_map transfers ms), t. rewrite Nat.add_0_r. auto.
  - specialize (IH (S n)). destruct (outside_all blocks (S n) steps) as [w|].
    + destruct IH as (j & st & t & -> & H). exists (S j), st, t. rewrite <- plus_n_Sm. auto.
    + constructor; auto.
Qed.

Lemma filter_split {A} (f : A -> bool) t post : forall l pre, filter f l = pre ++ t :: post ->
  exists pre' post', l = pre' ++ t :: post' /\ forall u, In u pre -> In u pre'.
Proof.
  induction l as [|y l IH]; intros pre E; cbn in E; [now destruct pre|].
  destruct (f y); [destruct pre as [|z pre]; injection E as -> E|].
  - exists [], l. split; auto.
  - apply IH in E as (pre' & post' & -> & I). exists (z :: pre'), post'. split; auto. intros u [->|U]; cbn; auto.
  - apply IH in E as (pre' & post' & -> & I). exists (y :: pre'), post'. split; auto. intros u U. cbn. auto.
Qed.

Lemma faulty_lift p blocks (s s' : state) b st t why : what t = b -> (forall r, s r b = s' r b) ->
  faulty p blocks s (filter (fun t => what t =? b) st) t why -> faulty p blocks s' st t why.
Proof.
  intros T E (pre & post & F & H). apply filter_split in F as (pre' & post' & -> & I). exists pre', post'. split; auto.
  destruct why; rewrite ?T, <- ?E in *; auto. destruct H as (u & U & H). exists u. auto.
Qed.

Section Ends.
Variables (most p x k : nat) (starts : rank -> bool) (held : rank -> option value) (t : terms) (cells : trie cell).
Hypothesis enough : 2 <= most.
Hypothesis some : 0 < k.
Hypothesis ranks : x + k <= p.
Hypothesis numbers : sound p t.
Hypothesis ended : forall r, stands p t (now_at starts p r (get r cells)) (held r).

Lemma judge_ends_correct n : forall r good, (forall i, get i good <> None -> forall y, share p t y i = due x k y) ->
  match judge_ends most starts p t cells x k r n good with
  | None => forall q, r <= q < r + n -> exists v, held q = Some v /\ forall y, times v y = due x k y
  | Some (q, y, m) => r <= q < r + n /\ y < p /\ m = Nat.min most (held_times (held q) y) /\ m <> due x k y
  end.
Proof.
  induction n as [|n IH]; intros r good G; cbn [judge_ends]; [intros q Q; lia|].
  assert (forall v good', held r = Some v -> (forall y, times v y = due x k y) ->
      (forall i, get i good' <> None -> forall y, share p t y i = due x k y) ->
      match judge_ends most starts p t cells x k (S r) n good' with
      | None => forall q, r <= q < r + S n -> exists v, held q = Some v /\ forall y, times v y = due x k y
      | Some (q, y, m) => r <= q < r + S n /\ y < p /\ m = Nat.min most (held_times (held q) y) /\ m <> due x k y
      end) as go_on.
  { intros v good' V C H. specialize (IH (S r) good' H). destruct (judge_ends _ _ _ _ _ _ _ _ _ _) as [[[q y] m]|].
    - split; [lia | apply IH].
    - intros q Q. destruct (Nat.eq_dec q r) as [->|D]; eauto. apply IH. lia. }
  pose proof (ended r) as N. destruct (now_at starts p r (get r cells)) as [i|].
  - apply stands_some in N as (v & V & I & T). destruct (get i good) eqn:Gi.
    + apply (go_on v); auto. intros y. rewrite T. apply G. congruence.
    + pose proof (judge_correct p most x k t i numbers I enough ranks) as J. destruct (judge p most x k t i) as [[y m]|].
      * destruct J as (Y & M & D). split; [lia|]. rewrite V. cbn [held_times]. rewrite T. auto.
      * apply (go_on v); auto; [intros y; now rewrite T|]. intros j. rewrite get_put. destruct (Nat.eqb_spec i j) as [<-|]; auto.
  - apply stands_none in N. rewrite N. cbn [held_times]. split; [lia|]. split; [lia|]. split; [lia|]. unfold due.
    replace (x <=? x) with true by (symmetry; apply Nat.leb_le; lia). replace (x <? x + k) with true by (symmetry; apply Nat.ltb_lt; lia).
    discriminate.
Qed.
End Ends.

Section Correct.
Variables (most : nat) (c : collective) (p blocks : nat).
Hypothesis enough : 2 <= most.
Hypothesis well : well_posed c p blocks = true.

Lemma ranks_below b : b < blocks -> 0 < p /\ let (x, k) := sources c p b in let (r, n) := targets c p b in
  0 < k /\ x + k <= p /\ r + n <= p /\ forall q, q < p ->
  contributes c p q b = (x <=? q) && (q <? x + k) /\ wanted c p q b = (r <=? q) && (q <? r + n).
Proof.
  intros B. destruct (well_posed_some _ _ _ well) as [P _]. split; auto.
  assert (forall q, q < p -> true = (0 <=? q) && (q <? 0 + p)) as all by (intros q Q; symmetry; apply Nat.ltb_lt, Q).
  assert (forall q x, (q =? x) = (x <=? q) && (q <? x + 1)) as one.
  { intros q x. destruct (Nat.eqb_spec q x), (Nat.leb_spec x q), (Nat.ltb_spec q (x + 1)); cbn; auto; lia. }
  assert (owner p b < p /\ origin p b < p) as [O1 O2] by (split; apply Nat.mod_upper_bound; lia).
  pose proof well as W. unfold well_posed in W. rewrite !andb_true_iff in W. destruct W as [_ W].
  destruct c; cbn [sources targets contributes wanted]; rewrite ?andb_true_iff, ?all_ranks, ?Nat.ltb_lt in W;
    repeat split; auto; try match type of W with _ /\ _ => destruct W as [? W] end; try specialize (W b B); lia.
Qed.

Lemma complete_due b v x k : b < blocks -> sources c p b = (x, k) -> (forall y, times v y = due x k y) -> complete c p b v.
Proof.
  intros B S H y. rewrite H. unfold due. destruct (ranks_below b B) as [_ R]. rewrite S in R.
  destruct (targets c p b). destruct R as (_ & K & _ & R). destruct (Nat.ltb_spec y p) as [Y|Y].
  - destruct (R y Y) as [-> _]. reflexivity.
  - replace (y <? x + k) with false by (symmetry; apply Nat.ltb_ge; lia). now rewrite andb_false_r.
Qed.

Lemma judge_block_correct b steps : b < blocks ->
  match judge_block most c p (enter_all 0 steps Empty) b with
  | None => once_at c p blocks b (expand steps)
  | Some w => shown most c p blocks (expand steps) w
  end.
Proof.
  intros B. unfold judge_block, rev'. rewrite entries_all, <- rev_alt. unfold entries. cbn [get]. rewrite app_nil_r, rev_involutive.
  set (sch := expand steps). set (s := initial c p blocks).
  assert (forall n r, final s (firstn n (only b sch)) r b = final s (firstn n sch) r b) as same.
  { intros n r. unfold only. rewrite firstn_map. symmetry. now apply final_only. }
  assert (Forall (Forall (fun t => what t = b)) (only b sch)) as F
    by (apply Forall_forall; intros st I; apply in_map_iff in I as (st' & <- & _); apply filter_block).
  assert (forall r, stands p (no_sums p) (now_at (fun r => contributes c p r b) p r (get r Empty)) (s r b)) as N.
  { intros r. cbn [get now_at]. unfold begins, s, initial. apply Nat.ltb_lt in B as ->. rewrite andb_true_r.
    destruct (Nat.ltb_spec r p) as [P|P]; cbn [andb]; [|exact I]. destruct (contributes c p r b); [|exact I]. split; [exact P|].
    intros x. rewrite share_leaf by auto. unfold times. cbn. destruct (Nat.eq_dec r x), (Nat.eqb_spec r x); congruence. }
  pose proof (run_correct (fun r => contributes c p r b) p blocks b B (only b sch) F 0 s (no_sums p) Empty (no_sums_sound p) N ltac:(discriminate)) as R.
  destruct (run _ p (no_sums p) Empty (numbered 0 (only b sch))) as [t cells|a why].
  - destruct R as (W & Wf & E). destruct (ranks_below b B) as [_ P]. pose proof (complete_due b) as C.
    destruct (sources c p b) as [y m], (targets c p b) as [r n]. destruct P as (K & M & L & P).
    pose proof (judge_ends_correct most p y m _ (fun q => final s (only b sch) q b) t cells enough K M W E n r Empty ltac:(now intros i [])) as J.
    destruct (judge_ends _ _ _ _ _ _ _ _ _ _) as [[[q x] k]|].
    + destruct J as (Q & X & T & D). cbn [shown]. split; [lia|]. split; auto. split; auto. split; [|split].
      * destruct (P q ltac:(lia)) as [_ ->]. apply andb_true_iff. rewrite Nat.leb_le, Nat.ltb_lt. lia.
      * fold s. specialize (same (length sch) q). unfold only in same, T.
        rewrite firstn_all in same. rewrite firstn_all2 in same by (rewrite map_length; auto). now rewrite <- same.
      * destruct (P x X) as [-> _]. exact D.
    + split; auto. intros q Q H. destruct (P q Q) as [_ E']. rewrite E' in H. apply andb_true_iff in H.
      rewrite Nat.leb_le, Nat.ltb_lt in H. destruct (J q H) as (v & V & T). exists v. split; auto. apply (C v y m); auto.
  - destruct R as (j & st & tr & G & -> & T & Fa). cbn [sent_at at_step sender receiver kind plus shown].
    replace (move (src tr) (dst tr) b (how tr)) with tr by (destruct tr; cbn in *; congruence).
    unfold only in G. rewrite nth_error_map in G. destruct (nth_error sch j) as [st0|] eqn:E; unfold step in *; rewrite E in G; [|discriminate G].
    injection G as <-. exists st0. split; auto. apply (faulty_lift p blocks _ _ b st0 tr why T (same j) Fa).
Qed.

Lemma judge_blocks_correct steps n : forall b, b + n <= blocks ->
  match judge_blocks most c p (enter_all 0 steps Empty) b n with
  | None => forall d, b <= d < b + n -> once_at c p blocks d (expand steps)
  | Some w => shown most c p blocks (expand steps) w
  end.
Proof.
  induction n as [|n IH]; intros b L; cbn [judge_blocks]; [intros d D; lia|]. pose proof (judge_block_correct b steps ltac:(lia)) as J.
  destruct (judge_block most c p (enter_all 0 steps Empty) b); auto. specialize (IH (S b) ltac:(lia)).
  destruct (judge_blocks _ _ _ _ (S b) n); auto. intros d D. destruct (Nat.eq_dec d b) as [->|]; auto. apply IH. lia.
Qed.
End Correct.

Theorem judge_correct most c p blocks steps : 2 <= most ->
  match judge_schedule most c p blocks steps with
  | None => exactly_once c p blocks (expand steps)
  | Some w => shown most c p blocks (expand steps) w
  end.
Proof.
  intros M. unfold judge_schedule. rewrite posed_well. destruct (well_posed c p blocks) eqn:W; [|exact W].
  pose proof (outside_all_correct blocks steps 0) as O. destruct (outside_all blocks 0 steps) as [w|].
  - destruct O as (j & st & t & -> & G & I & B). exists st. split; auto. apply in_split in I as (pre & post & ->).
    exists pre, post. split; auto. tauto.
  - pose proof (judge_blocks_correct most c p blocks M W steps blocks 0 ltac:(lia)) as J.
    destruct (judge_blocks _ _ _ _ 0 blocks); auto. apply block_independence; auto. intros b B. apply J. lia.
Qed.

(* What is shown is wrong: no schedule that has such a witness is exactly once. *)
Theorem shown_wrong most c p blocks sch w : 2 <= most -> shown most c p blocks sch w -> ~ exactly_once c p blocks sch.
Proof.
  intros M S (P & W & D). destruct w as [|n t why|r b x k]; cbn [shown] in S.
  - congruence.
  - destruct S as (st & G & F). apply faulty_fails in F. apply F. revert G W. generalize (initial c p blocks) as s. clear.
    revert n. induction sch as [|u sch IH]; intros [|n] s G W; cbn in *; try discriminate.
    + injection G as ->. apply W.
    + apply IH; [exact G | apply W].
  - destruct S as (R & B & X & Wa & K & N). destruct (D r b R B Wa) as (v & V & C). rewrite V in K. cbn [held_times] in K.
    rewrite (C x) in K. apply Nat.ltb_lt in X as X'. rewrite X' in K. cbn [andb] in K. destruct (contributes c p x b); lia.
Qed.

Theorem nothing_found most c p blocks steps : 2 <= most ->
  (judge_schedule most c p blocks steps = None <-> exactly_once c p blocks (expand steps)).
Proof.
  intros M. pose proof (judge_correct most c p blocks steps M) as J. destruct (judge_schedule _ _ _ _ _) as [w|].
  - split; [discriminate|]. intros E. now apply shown_wrong in J.
  - split; auto.
Qed.

(* The same for a schedule of single transfers, in which examples are checked *)
Definition as_message (t : transfer) : message := Message (src t) (dst t) (how t) [(what t, what t)].
Definition check (c : collective) (p blocks : nat) (sch : schedule) : bool :=
  match judge_schedule 2 c p blocks (map (map as_message) sch) with None => true | Some _ => false end.

Lemma expand_messages sch : expand (map (map as_message) sch) = sch.
Proof.
  unfold expand. rewrite map_map. rewrite <- (map_id sch) at 2. apply map_ext. intros st.
  induction st as [|[s d b o] st IH]; cbn [map flat_map]; auto. rewrite IH. unfold transfers, blocks_of.
  cbn [as_message runs source destination by_op src dst what how flat_map fst snd].
  replace (S b - b) with 1 by lia. reflexivity.
Qed.

Theorem check_correct c p blocks sch : check c p blocks sch = true <-> exactly_once c p blocks sch.
Proof.
  rewrite <- (expand_messages sch) at 2. rewrite <- (nothing_found 2) by auto. unfold check.
  destruct (judge_schedule _ _ _ _ _); intuition congruence.
Qed.
