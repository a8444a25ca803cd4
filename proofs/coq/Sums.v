(* Values as sums: what was added to what, and in which order. A schedule runs over values of any kind that can be added: over lists of
   ranks, as in Semantics.v, and over trees of sums, from which every other run follows. Trees say more than exactly once: whether all
   ranks hold the same sum, and whether it can be put into the order of the ranks. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics.
Import ListNotations.

(* What a schedule does to values of any kind: `write`, `after`, `final` and `initial` of Semantics.v, with `add` for its sum *)
Section Runs.
Context {V : Type}.
Variable add : V -> V -> V.
Definition places := rank -> block -> option V.

Definition added (a b : option V) : option V := match a, b with Some v, Some w => Some (add v w) | _, _ => None end.
Definition put (s : places) (held : option V) (t : transfer) : option V :=
  match how t with Reduce => added held (s (src t) (what t)) | Copy => s (src t) (what t) end.
Definition next (s : places) (st : step) : places := fun r b => fold_left (put s) (writes st r b) (s r b).
Fixpoint run (s : places) (sch : schedule) : places := match sch with [] => s | st :: rest => run (next s st) rest end.

(* Rank r contributes x r b to block b. *)
Definition start (x : rank -> block -> V) (c : collective) (p blocks : nat) : places :=
  fun r b => if (r <? p) && (b <? blocks) && contributes c p r b then Some (x r b) else None.

Lemma run_app a : forall s b, run s (a ++ b) = run (run s a) b.
Proof. induction a; intros; cbn; auto. Qed.
End Runs.
Arguments places V : clear implicits.

Theorem lists_run : run (@app rank) = final /\ start (fun r _ => [r]) = initial.
Proof. split; reflexivity. Qed.

(* What holds of any two values, and of their sums, holds of all that two runs of one schedule make. *)
Section Related.
Context {V W : Type}.
Variable addV : V -> V -> V.
Variable addW : W -> W -> W.
Variable related : block -> option V -> option W -> Prop.
Hypothesis sums_too : forall b v w v' w', related b v w -> related b v' w' -> related b (added addV v v') (added addW w w').

Lemma next_related (u : places V) (s : places W) st : (forall r b, related b (u r b) (s r b)) ->
  forall r b, related b (next addV u st r b) (next addW s st r b).
Proof.
  intros R r b. unfold next. assert (Forall (fun t => what t = b) (writes st r b)) as B.
  { apply Forall_forall. intros t T. apply filter_In in T as [_ T]. apply into_true in T. tauto. }
  generalize (R r b). generalize (u r b), (s r b). induction B as [|t us T _ IH]; intros v w H; cbn; auto.
  apply IH. unfold put. specialize (R (src t) (what t)). rewrite T in *. destruct (how t); auto.
Qed.

Theorem run_related sch : forall (u : places V) (s : places W), (forall r b, related b (u r b) (s r b)) ->
  forall r b, related b (run addV u sch r b) (run addW s sch r b).
Proof. induction sch as [|st sch IH]; intros u s R; cbn; auto. apply IH. now apply next_related. Qed.
End Related.

(* Trees of sums *)
Inductive term := Leaf (r : rank) | Plus (a b : term).

Fixpoint leaves (t : term) : list rank := match t with Leaf r => [r] | Plus a b => leaves a ++ leaves b end.
Fixpoint value_of {V} (add : V -> V -> V) (x : rank -> V) (t : term) : V :=
  match t with Leaf r => x r | Plus a b => add (value_of add x a) (value_of add x b) end.

Definition leaf_start : collective -> nat -> nat -> places term := start (fun r _ => Leaf r).
Definition sums (c : collective) (p blocks : nat) (sch : schedule) : places term := run Plus (leaf_start c p blocks) sch.

(* The tree says what a run over values of any kind ends with; *)
Theorem sums_say {V} (add : V -> V -> V) x c p blocks sch r b :
  run add (start x c p blocks) sch r b = option_map (value_of add (fun r => x r b)) (sums c p blocks sch r b).
Proof.
  apply (run_related Plus add (fun b v w => w = option_map (value_of add (fun r => x r b)) v)).
  - intros d v w v' w' -> ->. destruct v, v'; reflexivity.
  - intros y d. unfold leaf_start, start. destruct (_ && contributes c p y d); reflexivity.
Qed.

(* and its leaves are the list of Semantics.v. *)
Theorem sums_refine c p blocks sch r b : final (initial c p blocks) sch r b = option_map leaves (sums c p blocks sch r b).
Proof.
  destruct lists_run as [R S]. rewrite <- R, <- S, sums_say. destruct (sums c p blocks sch r b) as [t|]; [|reflexivity].
  cbn. f_equal. induction t as [x|a IHa b' IHb]; cbn; [reflexivity | now rewrite IHa, IHb].
Qed.

(* The same sum, up to the sides of additions *)
Fixpoint same (a b : term) : bool :=
  match a, b with
  | Leaf r, Leaf s => r =? s
  | Plus a1 a2, Plus b1 b2 => same a1 b1 && same a2 b2 || same a1 b2 && same a2 b1
  | _, _ => false
  end.

Lemma same_plus a1 a2 b1 b2 : same (Plus a1 a2) (Plus b1 b2) = true <->
  (same a1 b1 = true /\ same a2 b2 = true) \/ (same a1 b2 = true /\ same a2 b1 = true).
Proof. cbn [same]. now rewrite orb_true_iff, !andb_true_iff. Qed.

Lemma same_refl a : same a a = true.
Proof. induction a; [cbn; apply Nat.eqb_refl | apply same_plus; auto]. Qed.

Lemma same_trans a : forall b c, same a b = true -> same b c = true -> same a c = true.
Proof.
  induction a as [r|a1 IH1 a2 IH2]; intros [s|b1 b2] [t|c1 c2]; try discriminate.
  - cbn. rewrite !Nat.eqb_eq. congruence.
  - rewrite !same_plus. intros [[A B]|[A B]] [[C D]|[C D]]; eauto.
Qed.

Lemma same_sym a : forall b, same a b = true -> same b a = true.
Proof.
  induction a as [r|a1 IH1 a2 IH2]; intros [s|b1 b2]; try discriminate; [cbn; now rewrite Nat.eqb_sym|].
  rewrite !same_plus. intros [[A B]|[A B]]; auto.
Qed.

Lemma same_times a : forall b, same a b = true -> forall c, times (leaves a) c = times (leaves b) c.
Proof.
  induction a as [r|a1 IH1 a2 IH2]; intros [s|b1 b2]; try discriminate.
  - cbn. rewrite Nat.eqb_eq. intros ->. reflexivity.
  - rewrite same_plus. intros H c. cbn [leaves]. unfold times in *. rewrite !count_occ_app.
    destruct H as [[A B]|[A B]]; rewrite (IH1 _ A), (IH2 _ B); lia.
Qed.

Lemma same_value {V} (add : V -> V -> V) x a : (forall v w, add v w = add w v) ->
  forall b, same a b = true -> value_of add x a = value_of add x b.
Proof.
  intros C. induction a as [r|a1 IH1 a2 IH2]; intros [s|b1 b2]; try discriminate.
  - cbn. rewrite Nat.eqb_eq. now intros ->.
  - rewrite same_plus. cbn. intros [[A B]|[A B]]; rewrite (IH1 _ A), (IH2 _ B); auto.
Qed.

(* The ranks i .. j that a sum adds up, if each of its additions joins two neighbouring runs of ranks *)
Fixpoint span (t : term) : option (nat * nat) :=
  match t with
  | Leaf r => Some (r, r)
  | Plus a b =>
    match span a, span b with
    | Some (i, j), Some (k, l) => if S j =? k then Some (i, l) else if S l =? i then Some (k, j) else None
    | _, _ => None
    end
  end.

Lemma span_leaves t : forall i j, span t = Some (i, j) ->
  i <= j /\ exists u, same t u = true /\ leaves u = seq i (S j - i).
Proof.
  induction t as [r|a IHa b IHb]; cbn [span]; intros i j H.
  - injection H as <- <-. split; auto. exists (Leaf r). split; [apply same_refl|]. now replace (S r - r) with 1 by lia.
  - destruct (span a) as [[i1 j1]|], (span b) as [[i2 j2]|]; try discriminate.
    destruct (IHa _ _ eq_refl) as (A & u & Su & U), (IHb _ _ eq_refl) as (B & v & Sv & W).
    destruct (Nat.eqb_spec (S j1) i2) as [<-|_].
    + injection H as <- <-. split; [lia|]. exists (Plus u v). split; [apply same_plus; auto|]. cbn [leaves]. rewrite U, W.
      replace (S j2 - i1) with ((S j1 - i1) + (S j2 - S j1)) by lia. rewrite seq_app. do 2 f_equal. lia.
    + destruct (Nat.eqb_spec (S j2) i1) as [<-|_]; [|discriminate].
      injection H as <- <-. split; [lia|]. exists (Plus v u). split; [apply same_plus; auto|]. cbn [leaves]. rewrite U, W.
      replace (S j1 - i2) with ((S j2 - i2) + (S j1 - S j2)) by lia. rewrite seq_app. do 2 f_equal. lia.
Qed.

Lemma seq_split l1 : forall l2 i n, l1 ++ l2 = seq i n -> l1 = seq i (length l1) /\ l2 = seq (i + length l1) (n - length l1).
Proof.
  induction l1 as [|x l1 IH]; intros l2 i n E.
  - cbn in *. rewrite Nat.add_0_r, Nat.sub_0_r. auto.
  - destruct n as [|n]; [discriminate|]. cbn in E. injection E as -> E. destruct (IH _ _ _ E) as [-> ->]. cbn [length seq].
    rewrite !seq_length, <- Nat.add_succ_comm. auto.
Qed.

Lemma leaves_some t : 0 < length (leaves t).
Proof. induction t; cbn; [lia|]. rewrite app_length. lia. Qed.

Lemma leaves_span t : forall u i n, same t u = true -> leaves u = seq i n -> span t = Some (i, i + n - 1).
Proof.
  induction t as [r|a IHa b IHb]; intros [s|u1 u2] i n S L; try discriminate.
  - cbn in S, L. apply Nat.eqb_eq in S. subst s. destruct n as [|[|n]]; try discriminate. injection L as ->. cbn. do 2 f_equal. lia.
  - cbn [leaves] in L. pose proof (f_equal (@length rank) L) as E. rewrite app_length, seq_length in E.
    pose proof (leaves_some u1). pose proof (leaves_some u2). destruct (seq_split _ _ _ _ L) as [L1 L2]. clear L.
    set (k := length (leaves u1)) in *. apply same_plus in S as [[A B]|[A B]]; cbn [span].
    + rewrite (IHa _ _ _ A L1), (IHb _ _ _ B L2). rewrite (proj2 (Nat.eqb_eq _ _)) by lia. do 2 f_equal. lia.
    + rewrite (IHa _ _ _ A L2), (IHb _ _ _ B L1). rewrite (proj2 (Nat.eqb_neq _ _)), (proj2 (Nat.eqb_eq _ _)) by lia. do 2 f_equal. lia.
Qed.

(* In other words: with the sides of additions chosen well, the ranks stand in their order. *)
Theorem span_means t : span t <> None <-> exists u i n, same t u = true /\ leaves u = seq i n.
Proof.
  split.
  - destruct (span t) as [[i j]|] eqn:E; [|congruence]. intros _. destruct (span_leaves t i j E) as (_ & u & S & L). eauto.
  - intros (u & i & n & S & L). rewrite (leaves_span t u i n S L). discriminate.
Qed.

(* All ranks that must hold a block hold the same sum of it. *)
Definition alike (a b : option term) : Prop := exists u v, a = Some u /\ b = Some v /\ same u v = true.
Definition reproducible (c : collective) (p blocks : nat) (sch : schedule) : Prop := forall b r x,
  b < blocks -> r < p -> x < p -> wanted c p r b = true -> wanted c p x b = true ->
  alike (sums c p blocks sch r b) (sums c p blocks sch x b).

(* The results of all blocks can be put into the order of the ranks. *)
Definition ordered (a : option term) : Prop := exists t, a = Some t /\ span t <> None.
Definition order_preserving (c : collective) (p blocks : nat) (sch : schedule) : Prop := forall b r,
  b < blocks -> r < p -> wanted c p r b = true -> ordered (sums c p blocks sch r b).

(* What the first one means: any addition that commutes, associative or not, gives all ranks the same value. *)
Theorem reproducible_means c p blocks sch : reproducible c p blocks sch ->
  forall V (add : V -> V -> V) (x : rank -> block -> V), (forall v w, add v w = add w v) ->
  forall b r y, b < blocks -> r < p -> y < p -> wanted c p r b = true -> wanted c p y b = true ->
  let s := run add (start x c p blocks) sch in s r b <> None /\ s r b = s y b.
Proof.
  intros R V add x C b r y B P Y U W. cbv zeta. rewrite !sums_say. destruct (R b r y B P Y U W) as (u & v & -> & -> & S).
  cbn. split; [discriminate|]. f_equal. now apply same_value.
Qed.

(* And the second one: with the sides of its additions chosen well, each result of an exactly-once allreduce lists the ranks 0 .. p-1. *)
Theorem order_means p blocks sch : exactly_once Allreduce p blocks sch -> order_preserving Allreduce p blocks sch ->
  forall b r, b < blocks -> r < p ->
  exists t u, sums Allreduce p blocks sch r b = Some t /\ same t u = true /\ leaves u = seq 0 p.
Proof.
  intros (_ & _ & D) O b r B R. destruct (O b r B R eq_refl) as (t & E & N). exists t.
  apply span_means in N as (u & i & n & S & L). exists u. repeat split; auto.
  destruct (D r b R B eq_refl) as (v & F & K). rewrite sums_refine, E in F. cbn in F.
  assert (forall c, times (seq i n) c = if c <? p then 1 else 0) as T.
  { intros c. rewrite <- L, <- (same_times _ _ S). replace (leaves t) with v by congruence. rewrite K. cbn. now rewrite andb_true_r. }
  assert (forall c, c < p <-> i <= c < i + n) as I.
  { intros c. rewrite <- in_seq. rewrite (count_occ_In Nat.eq_dec). specialize (T c). unfold times in T. rewrite T.
    destruct (Nat.ltb_spec c p); lia. }
  rewrite L. assert (i = 0) by (pose proof (proj1 (I 0) ltac:(lia)); lia). subst i. f_equal.
  pose proof (proj1 (I (pred p)) ltac:(lia)). pose proof (proj2 (I (pred n)) ltac:(lia)). lia.
Qed.
