(* A program that checks a schedule, proved equivalent to `exactly_once`. It keeps less than the values: for each value the set of
   its contributors, as the bits of a number, or None once somebody contributed twice. No later sum can undo that. *)
Require Import Arith PArith Bool List Lia FMapPositive.
From Collectives Require Import Semantics.
Import ListNotations.

(* Tables of (rank, block): maps in maps. `key` counts in binary, since extracted naturals are machine integers. *)
Module Map := PositiveMap.

Fixpoint binary (fuel n : nat) : positive :=
  match fuel with
  | O => xH
  | S f => if n <=? 1 then xH else if n mod 2 =? 0 then xO (binary f (n / 2)) else xI (binary f (n / 2))
  end.
Definition key (n : nat) : positive := binary (S n) (S n).

Lemma binary_value fuel : forall n, 0 < n <= fuel -> Pos.to_nat (binary fuel n) = n.
Proof.
  induction fuel as [|f IH]; intros n N; [lia|]. cbn [binary].
  destruct (Nat.leb_spec n 1); [cbn; lia|].
  pose proof (Nat.div_mod n 2 ltac:(lia)). pose proof (Nat.mod_upper_bound n 2 ltac:(lia)).
  assert (0 < n / 2 <= f) by lia.
  destruct (Nat.eqb_spec (n mod 2) 0); rewrite ?Pos2Nat.inj_xO, ?Pos2Nat.inj_xI, IH; lia.
Qed.

Lemma key_injective a b : key a = key b -> a = b.
Proof.
  unfold key. intros E. apply (f_equal Pos.to_nat) in E. rewrite !binary_value in E; lia.
Qed.

Section Tables.
Variable A : Type.
Definition table := Map.t (Map.t A).
Definition nothing : table := Map.empty _.
Definition row (r : rank) (m : table) : Map.t A := match Map.find (key r) m with Some x => x | None => Map.empty _ end.
Definition get (m : table) (r : rank) (b : block) : option A := Map.find (key b) (row r m).
Definition put (r : rank) (b : block) (a : A) (m : table) : table := Map.add (key r) (Map.add (key b) a (row r m)) m.

Lemma get_nothing r b : get nothing r b = None.
Proof. unfold get, row, nothing. now rewrite !Map.gempty. Qed.

Lemma get_put m r b a q c : get (put r b a m) q c = if (r =? q) && (b =? c) then Some a else get m q c.
Proof.
  unfold get, put. destruct (Nat.eqb_spec r q) as [->|R]; cbn [andb].
  - unfold row at 1. rewrite Map.gss. destruct (Nat.eqb_spec b c) as [->|B].
    + apply Map.gss.
    + apply Map.gso. intros E. apply B. symmetry. now apply key_injective.
  - unfold row. rewrite Map.gso; auto. intros E. apply R. symmetry. now apply key_injective.
Qed.
End Tables.
Arguments get {A}. Arguments put {A}. Arguments nothing {A}.

(* Sets of contributors are the bits of a number. Two that are disjoint can be merged. *)
Notation bit := Pos.testbit_nat.

Fixpoint single (r : nat) : positive := match r with O => xH | S k => xO (single k) end.

Fixpoint disjoint (x y : positive) : bool :=
  match x, y with
  | xO x, xO y | xO x, xI y | xI x, xO y => disjoint x y
  | xO _, xH | xH, xO _ => true
  | xI _, xI _ | xI _, xH | xH, xI _ | xH, xH => false
  end.

Fixpoint merge (x y : positive) : positive :=
  match x, y with
  | xO x, xO y => xO (merge x y)
  | xO x, xI y | xI x, xO y | xI x, xI y => xI (merge x y)
  | xO x, xH | xH, xO x | xI x, xH | xH, xI x => xI x
  | xH, xH => xH
  end.

Lemma single_bit r : forall c, bit (single r) c = (c =? r).
Proof. induction r as [|r IH]; intros [|c]; cbn; auto. Qed.

Lemma merge_bit x : forall y c, bit (merge x y) c = bit x c || bit y c.
Proof.
  induction x as [x IH|x IH|]; intros [y|y|] [|c]; cbn; rewrite ?orb_false_r; auto.
Qed.

Lemma disjoint_bits x : forall y, if disjoint x y then forall c, bit x c && bit y c = false else exists c, bit x c = true /\ bit y c = true.
Proof.
  induction x as [x IH|x IH|]; intros [y|y|]; cbn [disjoint]; try (now exists 0); try (intros [|c]; cbn; now rewrite ?andb_false_r).
  all: specialize (IH y); destruct (disjoint x y); [intros [|c]; cbn; auto | destruct IH as (c & C); now exists (S c)].
Qed.

Lemma some_bit x : exists c, bit x c = true.
Proof. induction x as [x _|x (c & C)|]; [now exists 0 | now exists (S c) | now exists 0]. Qed.

Lemma same_bits x : forall y, (forall c, bit x c = bit y c) -> x = y.
Proof.
  induction x as [x IH|x IH|]; intros [y|y|] H; auto.
  all: try (specialize (H 0); discriminate H).
  all: try (f_equal; apply IH; intros c; exact (H (S c))).
  - exfalso. destruct (some_bit x) as (c & C). specialize (H (S c)). cbn in H. congruence.
  - exfalso. destruct (some_bit y) as (c & C). specialize (H (S c)). cbn in H. congruence.
Qed.

(* The summary of a value. None: somebody contributed twice or more. *)
Definition summary := option positive.
Definition leaf (r : rank) : summary := Some (single r).
Definition join (a b : summary) : summary :=
  match a, b with
  | Some x, Some y => if disjoint x y then Some (merge x y) else None
  | _, _ => None
  end.

Definition sums_up (a : summary) (v : value) : Prop :=
  match a with
  | Some m => NoDup v /\ forall c, bit m c = true <-> In c v
  | None => ~ NoDup v
  end.

Lemma leaf_sums_up r : sums_up (leaf r) [r].
Proof.
  unfold leaf, sums_up. split; [repeat constructor; auto|].
  intros c. rewrite single_bit, Nat.eqb_eq. cbn. intuition congruence.
Qed.

Lemma nodup_app (v w : value) : NoDup (v ++ w) <-> NoDup v /\ NoDup w /\ forall c, In c v -> In c w -> False.
Proof.
  induction v as [|a v IH]; cbn.
  - intuition. constructor.
  - rewrite !NoDup_cons_iff, IH, in_app_iff. split.
    + intros (N & V & W & D). repeat split; auto. intros c [->|C] I; eauto.
    + intros ((N & V) & W & D). repeat split; auto; [|eauto]. intros [I|I]; eauto.
Qed.

Lemma join_sums_up a b v w : sums_up a v -> sums_up b w -> sums_up (join a b) (v ++ w).
Proof.
  destruct a as [x|], b as [y|]; cbn; intros A B; try (rewrite nodup_app; tauto).
  destruct A as [NA A], B as [NB B]. pose proof (disjoint_bits x y) as U. destruct (disjoint x y); cbn.
  - split.
    + apply nodup_app. repeat split; auto. intros c C D. apply A in C. apply B in D.
      specialize (U c). now rewrite C, D in U.
    + intros c. rewrite merge_bit, orb_true_iff, A, B, in_app_iff. reflexivity.
  - destruct U as (c & C & D). rewrite nodup_app. intros (_ & _ & N). apply (N c); [now apply A | now apply B].
Qed.

(* One step. `old` is the table that it began with, `new` the table after some of its transfers, `marks` the places they wrote. *)
Definition in_range (p blocks : nat) (t : transfer) : bool :=
  (src t <? p) && (dst t <? p) && (what t <? blocks) && negb (src t =? dst t).

Fixpoint run_step (p blocks : nat) (old new : table summary) (marks : table op) (st : step) : option (table summary) :=
  match st with
  | [] => Some new
  | t :: rest =>
      if in_range p blocks t then
        let d := dst t in let b := what t in
        match get old (src t) b, how t, get marks d b with
        | Some x, Copy, None => run_step p blocks old (put d b x new) (put d b Copy marks) rest
        | Some x, Reduce, (None | Some Reduce) =>
            match get old d b, get new d b with
            | Some _, Some y => run_step p blocks old (put d b (join y x) new) (put d b Reduce marks) rest
            | _, _ => None
            end
        | _, _, _ => None
        end
      else None
  end.

Fixpoint run (p blocks : nat) (m : table summary) (sch : schedule) : option (table summary) :=
  match sch with
  | [] => Some m
  | st :: rest => match run_step p blocks m m nothing st with Some n => run p blocks n rest | None => None end
  end.

Definition start_row (c : collective) (p blocks : nat) (m : table summary) (r : rank) : table summary :=
  let x := leaf r in fold_left (fun m b => if contributes c p r b then put r b x m else m) (seq 0 blocks) m.
Definition start (c : collective) (p blocks : nat) : table summary :=
  fold_left (start_row c p blocks) (seq 0 p) nothing.

(* The set of those numbers among k .. k+n-1 for which f is true. None: there are none. *)
Fixpoint those (f : nat -> bool) (k n : nat) : option positive :=
  match n with
  | O => None
  | S n => match those f (S k) n with
           | Some m => Some (if f k then xI m else xO m)
           | None => if f k then Some xH else None
           end
  end.

Definition same (a b : option positive) : bool :=
  match a, b with Some x, Some y => Pos.eqb x y | _, _ => false end.

Definition ends_block (c : collective) (p : nat) (m : table summary) (b : block) : bool :=
  let goal := those (fun r => contributes c p r b) 0 p in
  forallb (fun r => negb (wanted c p r b) || match get m r b with Some x => same x goal | None => false end) (seq 0 p).

Definition ends_well (c : collective) (p blocks : nat) (m : table summary) : bool := forallb (ends_block c p m) (seq 0 blocks).

Definition check (c : collective) (p blocks : nat) (sch : schedule) : bool :=
  well_posed c p blocks && match run p blocks (start c p blocks) sch with Some m => ends_well c p blocks m | None => false end.

(* A table has the summaries of a state's values. *)
Definition shows (m : table summary) (s : state) : Prop :=
  forall r b, match get m r b, s r b with
              | Some a, Some v => sums_up a v
              | None, None => True
              | _, _ => False
              end.

Lemma shows_some m s r b a : shows m s -> get m r b = Some a -> exists v, s r b = Some v /\ sums_up a v.
Proof. intros H G. specialize (H r b). rewrite G in H. destruct (s r b); [eauto | contradiction]. Qed.

Lemma shows_none m s r b : shows m s -> (get m r b = None <-> s r b = None).
Proof. intros H. specialize (H r b). destruct (get m r b), (s r b); intuition congruence. Qed.

Lemma shows_put m s s' r b a v : shows m s -> sums_up a v ->
  (forall q c, s' q c = if (r =? q) && (b =? c) then Some v else s q c) -> shows (put r b a m) s'.
Proof.
  intros H A E q c. rewrite E, get_put. destruct ((r =? q) && (b =? c)); [exact A | apply H].
Qed.

(* What `marks` must be after the transfers `pre` *)
Definition is_copy (t : transfer) : bool := match how t with Copy => true | Reduce => false end.
Definition mark (pre : step) (r : rank) (b : block) : option op :=
  match writes pre r b with
  | [] => None
  | us => if existsb is_copy us then Some Copy else Some Reduce
  end.

Lemma mark_app_one pre t r b :
  mark (pre ++ [t]) r b = if into r b t then
      match how t, mark pre r b with Reduce, (None | Some Reduce) => Some Reduce | _, _ => Some Copy end
    else mark pre r b.
Proof.
  unfold mark. rewrite writes_app. unfold writes at 2. cbn [filter]. destruct (into r b t); [|now rewrite app_nil_r].
  destruct (writes pre r b) as [|u us]; cbn [app existsb].
  - unfold is_copy. destruct (how t); reflexivity.
  - rewrite existsb_app. cbn [existsb]. rewrite orb_false_r, orb_assoc.
    replace (is_copy t) with (match how t with Copy => true | Reduce => false end) by reflexivity.
    destruct (is_copy u || existsb is_copy us), (how t); reflexivity.
Qed.

Lemma fits pre t :
  Forall (fun u => compatible u t) pre <->
  match mark pre (dst t) (what t) with None => True | Some Reduce => how t = Reduce | Some Copy => False end.
Proof.
  unfold mark. rewrite Forall_forall.
  assert (forall u, In u (writes pre (dst t) (what t)) <-> In u pre /\ dst u = dst t /\ what u = what t) as W
    by (intros u; unfold writes; rewrite filter_In, into_true; reflexivity).
  destruct (writes pre (dst t) (what t)) as [|u us].
  - split; auto. intros _ u U D B. exfalso. apply (proj2 (W u)). auto.
  - destruct (existsb is_copy (u :: us)) eqn:E.
    + split; [|contradiction]. intros F. apply existsb_exists in E as (x & X & C). apply W in X as (X & D & B).
      destruct (F x X D B) as [K _]. unfold is_copy in C. rewrite K in C. discriminate.
    + split.
      * intros F. destruct (proj1 (W u) (or_introl eq_refl)) as (U & D & B). apply (F u U D B).
      * intros H x X D B. split; auto. destruct (how x) eqn:K; auto. exfalso.
        assert (existsb is_copy (u :: us) = true) as T; [|congruence].
        apply existsb_exists. exists x. split; [apply W; auto | unfold is_copy; now rewrite K].
Qed.

Lemma ordered_app_one (P : transfer -> transfer -> Prop) pre t :
  ForallOrdPairs P (pre ++ [t]) <-> ForallOrdPairs P pre /\ Forall (fun u => P u t) pre.
Proof.
  induction pre as [|u pre IH]; cbn.
  - split; intros; repeat constructor.
  - split.
    + intros H. inversion H as [|? ? F O]; subst. apply Forall_app in F as [F T]. inversion T; subst.
      apply IH in O as [O G]. split; constructor; auto.
    + intros [H G]. inversion H; subst. inversion G; subst. constructor; [|apply IH; auto].
      apply Forall_app. auto.
Qed.

Lemma ordered_prefix (P : transfer -> transfer -> Prop) pre rest : ForallOrdPairs P (pre ++ rest) -> ForallOrdPairs P pre.
Proof.
  induction pre as [|u pre IH]; cbn; intros H; [constructor|].
  inversion H as [|? ? F O]; subst. apply Forall_app in F as [F _]. constructor; auto.
Qed.

Section Steps.
Variables p blocks : nat.

Lemma in_range_true t : in_range p blocks t = true <-> src t < p /\ dst t < p /\ what t < blocks /\ src t <> dst t.
Proof.
  unfold in_range. rewrite !andb_true_iff, !Nat.ltb_lt, negb_true_iff, Nat.eqb_neq. tauto.
Qed.

Lemma step_app_one s pre t :
  well_formed_step p blocks s (pre ++ [t]) <->
  well_formed_step p blocks s pre /\ allowed p blocks s t /\
  match mark pre (dst t) (what t) with None => True | Some Reduce => how t = Reduce | Some Copy => False end.
Proof.
  unfold well_formed_step. rewrite <- fits, ordered_app_one, Forall_app. split.
  - intros ((A & B) & C & D). inversion B; subst. auto.
  - intros ((A & B) & C & D). repeat split; auto.
Qed.

Lemma step_prefix s pre t rest :
  well_formed_step p blocks s (pre ++ t :: rest) -> well_formed_step p blocks s (pre ++ [t]).
Proof.
  replace (pre ++ t :: rest) with ((pre ++ [t]) ++ rest) by (rewrite <- app_assoc; reflexivity).
  intros [A O]. apply Forall_app in A as [A _]. split; auto. now apply ordered_prefix in O.
Qed.

Lemma into_here r b t : into r b t = (dst t =? r) && (what t =? b).
Proof. reflexivity. Qed.

Theorem run_step_correct s old : shows old s -> forall rest pre new marks,
  well_formed_step p blocks s pre -> shows new (after s pre) -> (forall r b, get marks r b = mark pre r b) ->
  match run_step p blocks old new marks rest with
  | Some m => well_formed_step p blocks s (pre ++ rest) /\ shows m (after s (pre ++ rest))
  | None => ~ well_formed_step p blocks s (pre ++ rest)
  end.
Proof.
  intros O. induction rest as [|t rest IH]; intros pre new marks W N M; cbn [run_step].
  { rewrite app_nil_r. auto. }
  assert (~ well_formed_step p blocks s (pre ++ [t]) -> ~ well_formed_step p blocks s (pre ++ t :: rest))
    as refuse by (intros H G; apply H; now apply step_prefix in G).
  pose proof (IH (pre ++ [t])) as next. rewrite <- app_assoc in next. cbn [app] in next. clear IH.
  rewrite (M (dst t) (what t)).
  destruct (in_range p blocks t) eqn:R.
  2: { apply refuse. rewrite step_app_one. intros (_ & (A & B & C & D & _) & _).
       rewrite (proj2 (in_range_true t)) in R by auto. discriminate. }
  apply in_range_true in R as (R1 & R2 & R3 & R4).
  destruct (get old (src t) (what t)) as [x|] eqn:X.
  2: { apply refuse. rewrite step_app_one. intros (_ & (_ & _ & _ & _ & H & _) & _). apply H. now apply (shows_none old). }
  destruct (shows_some _ _ _ _ _ O X) as (v & V & XV).
  assert (forall h, how t = h -> (h = Reduce -> s (dst t) (what t) <> None) ->
      (match mark pre (dst t) (what t) with None => True | Some Reduce => h = Reduce | Some Copy => False end) ->
      well_formed_step p blocks s (pre ++ [t])) as accept.
  { intros h <- H K. apply step_app_one. split; [auto|]. split; [|exact K]. repeat split; auto. congruence. }
  assert (~ (match mark pre (dst t) (what t) with None => True | Some Reduce => how t = Reduce | Some Copy => False end) ->
      ~ well_formed_step p blocks s (pre ++ t :: rest)) as refuse_mark.
  { intros K. apply refuse. rewrite step_app_one. tauto. }
  destruct (how t) eqn:H.
  - assert (forall m, mark pre (dst t) (what t) = m -> m = None \/ m = Some Reduce ->
      match match get old (dst t) (what t), get new (dst t) (what t) with
            | Some _, Some y => run_step p blocks old (put (dst t) (what t) (join y x) new) (put (dst t) (what t) Reduce marks) rest
            | _, _ => None end with
      | Some m => well_formed_step p blocks s (pre ++ t :: rest) /\ shows m (after s (pre ++ t :: rest))
      | None => ~ well_formed_step p blocks s (pre ++ t :: rest) end) as reduces.
    { intros m K Km. destruct (get old (dst t) (what t)) as [z|] eqn:Z.
      2: { apply refuse. rewrite step_app_one. intros (_ & (_ & _ & _ & _ & _ & D) & _). apply (D H). now apply (shows_none old). }
      destruct (shows_some _ _ _ _ _ O Z) as (u & U & _).
      destruct (get new (dst t) (what t)) as [y|] eqn:Y.
      2: { exfalso. apply (shows_none _ _ _ _ N) in Y. revert Y. apply (after_holds p blocks); [apply W | congruence]. }
      destruct (shows_some _ _ _ _ _ N Y) as (w & Ws & YW).
      apply next.
      - apply (accept Reduce); auto; [congruence|]. rewrite K. destruct Km as [->| ->]; auto.
      - apply (shows_put new (after s pre) _ _ _ _ (w ++ v)); auto using join_sums_up.
        intros q c. rewrite after_app_one, into_here. destruct ((dst t =? q) && (what t =? c)) eqn:E; auto.
        apply andb_true_iff in E as [E F]. apply Nat.eqb_eq in E, F. subst q c.
        unfold write, sum. now rewrite H, Ws, V.
      - intros q c. rewrite get_put, mark_app_one, into_here, M. destruct ((dst t =? q) && (what t =? c)) eqn:E; auto.
        apply andb_true_iff in E as [E F]. apply Nat.eqb_eq in E, F. subst q c. rewrite H, K. destruct Km as [->| ->]; auto. }
    destruct (mark pre (dst t) (what t)) as [[|]|] eqn:K.
    + apply (reduces (Some Reduce)); auto.
    + apply refuse_mark. auto.
    + apply (reduces None); auto.
  - destruct (mark pre (dst t) (what t)) as [[|]|] eqn:K.
    + apply refuse_mark. congruence.
    + apply refuse_mark. auto.
    + apply next.
      * apply (accept Copy); auto. discriminate.
      * apply (shows_put new (after s pre) _ _ _ _ v); auto.
        intros q c. rewrite after_app_one, into_here. destruct ((dst t =? q) && (what t =? c)); auto.
        unfold write. now rewrite H.
      * intros q c. rewrite get_put, mark_app_one, into_here, M. destruct ((dst t =? q) && (what t =? c)); auto. now rewrite H.
Qed.

Theorem run_correct sch : forall m s, shows m s ->
  match run p blocks m sch with
  | Some n => well_formed p blocks s sch /\ shows n (final s sch)
  | None => ~ well_formed p blocks s sch
  end.
Proof.
  induction sch as [|st sch IH]; intros m s H; cbn [run well_formed final]; [auto|].
  pose proof (run_step_correct s m H st [] m nothing) as E. cbn [app] in E.
  destruct (run_step p blocks m m nothing st) as [n|].
  - destruct E as [W N]; auto.
    + split; constructor.
    + intros. apply get_nothing.
    + specialize (IH n _ N). destruct (run p blocks n sch); [|tauto]. destruct IH. auto.
  - intros [W _]. revert W. apply E; auto.
    + split; constructor.
    + intros. apply get_nothing.
Qed.
End Steps.

(* Before the first step *)
Section Collectives.
Variable c : collective.
Variable p : nat.

Lemma start_row_get blocks r m q b :
  get (start_row c p blocks m r) q b = if (r =? q) && (b <? blocks) && contributes c p r b then Some (leaf r) else get m q b.
Proof.
  unfold start_row. induction blocks as [|n IH].
  - cbn. rewrite andb_false_r. reflexivity.
  - rewrite seq_S, fold_left_app. cbn [fold_left plus].
    destruct (contributes c p r n) eqn:C; rewrite ?get_put, IH; clear IH.
    + destruct (Nat.eqb_spec r q), (Nat.eqb_spec n b); subst; cbn [andb]; auto.
      * replace (b <? S b) with true by (symmetry; apply Nat.ltb_lt; lia). now rewrite C.
      * replace (b <? S n) with (b <? n); auto. destruct (Nat.ltb_spec b n), (Nat.ltb_spec b (S n)); auto; lia.
    + destruct (Nat.eq_dec b n) as [->|B].
      * rewrite C, !andb_false_r. reflexivity.
      * replace (b <? S n) with (b <? n); auto. destruct (Nat.ltb_spec b n), (Nat.ltb_spec b (S n)); auto; lia.
Qed.

Lemma start_get blocks q b :
  get (start c p blocks) q b = if (q <? p) && (b <? blocks) && contributes c p q b then Some (leaf q) else None.
Proof.
  unfold start. enough (forall n : nat, get (fold_left (start_row c p blocks) (seq 0 n) nothing) q b =
    if (q <? n) && (b <? blocks) && contributes c p q b then Some (leaf q) else None) as H by apply H.
  induction n as [|n IH].
  - cbn. apply get_nothing.
  - rewrite seq_S, fold_left_app. cbn [fold_left plus]. rewrite start_row_get, IH.
    destruct (Nat.eqb_spec n q) as [->|N]; cbn [andb].
    + replace (q <? S q) with true by (symmetry; apply Nat.ltb_lt; lia).
      replace (q <? q) with false by (symmetry; apply Nat.ltb_ge; lia). reflexivity.
    + replace (q <? S n) with (q <? n); auto. destruct (Nat.ltb_spec q n), (Nat.ltb_spec q (S n)); auto; lia.
Qed.

Lemma start_shows blocks : shows (start c p blocks) (initial c p blocks).
Proof.
  intros r b. rewrite start_get. unfold initial.
  destruct ((r <? p) && (b <? blocks) && contributes c p r b); auto using leaf_sums_up.
Qed.

(* After the last step *)
Lemma those_bits f n : forall k x,
  match those f k n with Some m => bit m x | None => false end = (x <? n) && f (k + x).
Proof.
  induction n as [|n IH]; intros k x; [reflexivity|]. cbn [those]. specialize (IH (S k)). destruct x as [|x].
  - rewrite Nat.add_0_r. destruct (those f (S k) n), (f k); reflexivity.
  - rewrite <- Nat.add_succ_comm. change (S x <? S n) with (x <? n). rewrite <- IH.
    destruct (those f (S k) n), (f k); cbn; auto; destruct x; auto.
Qed.

Lemma times_in v x : times v x = 0 <-> ~ In x v.
Proof. symmetry. apply count_occ_not_In. Qed.

Lemma complete_goal b v m : sums_up (Some m) v -> (complete c p b v <-> same (Some m) (those (fun r => contributes c p r b) 0 p) = true).
Proof.
  intros [D M]. pose proof (those_bits (fun r => contributes c p r b) p 0) as G. cbn [plus] in G.
  assert (complete c p b v <-> forall x, bit m x = (x <? p) && contributes c p x b) as E.
  { unfold complete. split; intros H x; specialize (H x); specialize (M x); destruct ((x <? p) && contributes c p x b).
    - apply M. apply (count_occ_In Nat.eq_dec). unfold times in H. lia.
    - apply times_in in H. destruct (bit m x); tauto.
    - apply (NoDup_count_occ' Nat.eq_dec); tauto.
    - apply times_in. intuition congruence. }
  rewrite E. destruct (those (fun r => contributes c p r b) 0 p) as [g|]; cbn [same].
  - rewrite Pos.eqb_eq. split.
    + intros H. apply same_bits. intros x. now rewrite H, G.
    + intros -> x. apply G.
  - split; [|discriminate]. intros H. destruct (some_bit m) as (x & X). rewrite H, <- G in X. discriminate.
Qed.

Lemma complete_nodup b v : complete c p b v -> NoDup v.
Proof.
  intros C. apply (NoDup_count_occ Nat.eq_dec). intros x. specialize (C x). unfold times in C.
  destruct ((x <? p) && contributes c p x b); lia.
Qed.

Lemma ends_block_correct m s b : shows m s -> (ends_block c p m b = true <->
  forall r, r < p -> wanted c p r b = true -> exists v, s r b = Some v /\ complete c p b v).
Proof.
  intros H. unfold ends_block. rewrite forallb_forall. setoid_rewrite in_below. split.
  - intros A r R W. specialize (A r R). rewrite W in A. cbn [negb orb] in A.
    destruct (get m r b) as [[x|]|] eqn:G; try discriminate.
    destruct (shows_some _ _ _ _ _ H G) as (v & V & S). exists v. split; auto. now apply (complete_goal b v x S).
  - intros A r R. destruct (wanted c p r b) eqn:W; [|reflexivity]. destruct (A r R W) as (v & V & C). cbn [negb orb].
    specialize (H r b). rewrite V in H. destruct (get m r b) as [[x|]|]; [|exfalso; eauto using complete_nodup|contradiction].
    now apply (complete_goal b v x H).
Qed.

Lemma ends_well_correct blocks m s : shows m s -> (ends_well c p blocks m = true <-> delivers c p blocks s).
Proof.
  intros H. unfold ends_well, delivers. rewrite forallb_forall. setoid_rewrite in_below.
  setoid_rewrite (fun b => ends_block_correct m s b H). firstorder.
Qed.

Theorem check_correct blocks sch : check c p blocks sch = true <-> exactly_once c p blocks sch.
Proof.
  unfold check, exactly_once. rewrite andb_true_iff. pose proof (run_correct p blocks sch _ _ (start_shows blocks)) as R.
  destruct (run p blocks (start c p blocks) sch) as [m|].
  - destruct R as [W S]. rewrite (ends_well_correct blocks m _ S). tauto.
  - split; [intros [_ N]; discriminate N | tauto].
Qed.
End Collectives.
