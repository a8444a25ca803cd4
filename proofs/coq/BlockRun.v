(* One block of a schedule, executed with numbers for values. Of each rank that was written to, a table keeps what it holds now, and
   what it held when the last step that wrote to it began; all others hold what they began with. Each transfer takes two look-ups, a
   sum, and one entry. If a transfer isn't allowed, the run says which, and why. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Tries Terms.
Import ListNotations.

Inductive fault := OutOfRange | ToItself | SendsNothing | AddsToNothing | Conflict.

(* What is wrong with transfer `t` of a step that begins in state `s` *)
Definition faulty (p blocks : nat) (s : state) (st : step) (t : transfer) (why : fault) : Prop :=
  exists pre post, st = pre ++ t :: post /\
  match why with
  | OutOfRange => ~ (src t < p /\ dst t < p /\ what t < blocks)
  | ToItself => src t = dst t
  | SendsNothing => s (src t) (what t) = None
  | AddsToNothing => how t = Reduce /\ s (dst t) (what t) = None
  | Conflict => exists u, In u pre /\ dst u = dst t /\ what u = what t /\ (how u = Copy \/ how t = Copy)
  end.

Lemma pairs_app {A} (P : A -> A -> Prop) l x m : ForallOrdPairs P (l ++ x :: m) -> forall y, In y l -> P y x.
Proof.
  induction l as [|z l IH]; cbn; intros H y [].
  - subst. inversion H as [|? ? F]; subst. rewrite Forall_forall in F. apply F, in_elt.
  - inversion H; subst. auto.
Qed.

Lemma faulty_fails p blocks s st t why : faulty p blocks s st t why -> ~ well_formed_step p blocks s st.
Proof.
  intros (pre & post & -> & F) [A O]. apply Forall_elt in A as (S & D & B & N & H & R). destruct why.
  - tauto.
  - tauto.
  - tauto.
  - destruct F as [F G]. now apply R in F.
  - destruct F as (u & U & Du & Bu & K). apply (pairs_app _ _ _ _ O) in U. destruct (U Du Bu). destruct K; congruence.
Qed.

(* How the last of the transfers `pre` that write into a place does so *)
Definition mark (pre : step) (r : rank) (b : block) : option op :=
  fold_left (fun m t => if into r b t then Some (how t) else m) pre None.

Lemma mark_app_one pre t r b : mark (pre ++ [t]) r b = if into r b t then Some (how t) else mark pre r b.
Proof. unfold mark. now rewrite fold_left_app. Qed.

Lemma pairs_app_one {A} (P : A -> A -> Prop) l x :
  ForallOrdPairs P (l ++ [x]) <-> ForallOrdPairs P l /\ Forall (fun y => P y x) l.
Proof.
  induction l as [|y l IH]; cbn.
  - split; intros; repeat constructor.
  - split.
    + intros H. inversion H as [|? ? F O]; subst. apply Forall_app in F as [F T]. inversion T; subst.
      apply IH in O as [O G]. split; constructor; auto.
    + intros [H G]. inversion H; subst. inversion G; subst. constructor; [|apply IH; auto].
      apply Forall_app. auto.
Qed.

Lemma mark_writes pre r b : ForallOrdPairs compatible pre ->
  match mark pre r b with
  | None => forall u, In u pre -> into r b u = false
  | Some o => (exists u, In u pre /\ into r b u = true /\ how u = o) /\
              (o = Reduce -> forall u, In u pre -> into r b u = true -> how u = Reduce)
  end.
Proof.
  induction pre as [|t pre IH] using rev_ind; intros C; [now intros u []|].
  apply pairs_app_one in C as [C T]. specialize (IH C). rewrite mark_app_one. destruct (into r b t) eqn:I.
  - split; [exists t; rewrite in_app_iff; cbn; auto|]. intros K u U J. apply in_app_or in U as [U|[<-|[]]]; auto.
    rewrite Forall_forall in T. apply into_true in I as [I1 I2], J as [J1 J2]. apply (T u U); congruence.
  - destruct (mark pre r b) as [o|].
    + destruct IH as [(u & U & J & K) H]. split; [exists u; rewrite in_app_iff; auto|].
      intros R v V L. apply in_app_or in V as [V|[<-|[]]]; [auto | congruence].
    + intros u U. apply in_app_or in U as [U|[<-|[]]]; auto.
Qed.

(* A transfer of one block, with the number of its step *)
Record sent := Sent { at_step : nat; sender : rank; receiver : rank; kind : op }.
Definition sent_at (n : nat) (t : transfer) : sent := Sent n (src t) (dst t) (how t).

(* What a rank holds now; what it held, and how it was written to, at the last step that did so *)
Record cell := Cell { now : nat; was : option nat; by_what : op; written : nat }.

Inductive result := Ran (t : terms) (cells : trie cell) | Stuck (s : sent) (why : fault).

(* Which ranks begin with a value *)
Section Block.
Variable starts : rank -> bool.
Variables p blocks : nat.
Variable b : block.
Hypothesis in_blocks : b < blocks.

Definition begins (r : rank) : option nat := if (r <? p) && starts r then Some r else None.

Definition was_at (n : nat) (r : rank) (x : option cell) : option nat :=
  match x with Some x => if written x =? n then was x else Some (now x) | None => begins r end.
Definition now_at (r : rank) (x : option cell) : option nat :=
  match x with Some x => Some (now x) | None => begins r end.
Definition mark_at (n : nat) (x : option cell) : option op :=
  match x with Some x => if written x =? n then Some (by_what x) else None | None => None end.

Fixpoint run (t : terms) (cells : trie cell) (todo : list sent) : result :=
  match todo with
  | [] => Ran t cells
  | s :: todo =>
      let n := at_step s in
      let d := receiver s in
      if negb ((sender s <? p) && (d <? p)) then Stuck s OutOfRange
      else if sender s =? d then Stuck s ToItself
      else match was_at n (sender s) (get (sender s) cells) with
      | None => Stuck s SendsNothing
      | Some x =>
          let y := get d cells in
          match kind s, mark_at n y with
          | Copy, None => run t (put d (Cell x (was_at n d y) Copy n) cells) todo
          | Reduce, (None | Some Reduce) =>
              match was_at n d y, now_at d y with
              | Some w, Some z => let (i, t) := add_up t x z in run t (put d (Cell i (Some w) Reduce n) cells) todo
              | _, _ => Stuck s AddsToNothing
              end
          | _, _ => Stuck s Conflict
          end
      end
  end.

(* A number stands for a value: everybody contributed to both equally often. *)
Definition stands (t : terms) (i : option nat) (v : option value) : Prop :=
  match i, v with
  | Some i, Some v => i < next t /\ forall x, times v x = share p t x i
  | None, None => True
  | _, _ => False
  end.

Lemma stands_extends t u i v : extends p t u -> stands t i v -> stands u i v.
Proof.
  intros [N E] H. destruct i as [i|], v as [v|]; auto. destruct H as [I H]. split; [lia|]. intros x. rewrite E; auto.
Qed.

Lemma stands_none t v : stands t None v -> v = None.
Proof. now destruct v. Qed.

Lemma stands_some t i v : stands t (Some i) v -> exists w, v = Some w /\ i < next t /\ forall x, times w x = share p t x i.
Proof. destruct v as [w|]; [|now intros []]. intros H. exists w. split; auto. Qed.

(* In the middle of step n, which began in state `s`, after its transfers `pre` *)
Record between (n : nat) (s : state) (pre : step) (t : terms) (cells : trie cell) : Prop := {
  terms_sound : sound p t;
  so_far : well_formed_step p blocks s pre;
  begun : forall r, stands t (was_at n r (get r cells)) (s r b);
  reached : forall r, stands t (now_at r (get r cells)) (after s pre r b);
  marked : forall r, mark_at n (get r cells) = mark pre r b;
  not_later : forall r x, get r cells = Some x -> written x <= n }.

Lemma between_next n s pre t cells tr u i v :
  between n s pre t cells -> what tr = b -> sound p u -> extends p t u -> allowed p blocks s tr -> Forall (fun q => compatible q tr) pre ->
  stands u (Some i) (Some v) -> write s (after s pre (dst tr) b) tr = Some v ->
  between n s (pre ++ [tr]) u (put (dst tr) (Cell i (was_at n (dst tr) (get (dst tr) cells)) (how tr) n) cells).
Proof.
  intros [W F B R M L] T U E A C V H. assert (forall r, into r b tr = (dst tr =? r)) as I
    by (intros r; unfold into; rewrite T, Nat.eqb_refl; apply andb_true_r).
  split; auto.
  - destruct F as [FA FC]. split; [apply Forall_app; auto | now apply pairs_app_one].
  - intros r. rewrite get_put. destruct (Nat.eqb_spec (dst tr) r) as [<-|N]; [|now apply (stands_extends t)].
    cbn [was_at written was]. rewrite Nat.eqb_refl. now apply (stands_extends t).
  - intros r. rewrite get_put, after_app_one, I. destruct (Nat.eqb_spec (dst tr) r) as [<-|N]; [|now apply (stands_extends t)].
    cbn [now_at now]. now rewrite H.
  - intros r. rewrite get_put, mark_app_one, I. destruct (Nat.eqb_spec (dst tr) r) as [<-|N]; auto.
    cbn [mark_at written by_what]. now rewrite Nat.eqb_refl.
  - intros r x. rewrite get_put. destruct (Nat.eqb_spec (dst tr) r) as [<-|N]; [|apply L]. intros [= <-]. auto.
Qed.

Lemma run_step n s more rest : forall pre t cells, between n s pre t cells -> Forall (fun q => what q = b) rest ->
  (exists u cells', run t cells (map (sent_at n) rest ++ more) = run u cells' more /\ between n s (pre ++ rest) u cells') \/
  (exists tr why, run t cells (map (sent_at n) rest ++ more) = Stuck (sent_at n tr) why /\ what tr = b /\
                  faulty p blocks s (pre ++ rest) tr why).
Proof.
  induction rest as [|tr rest IH]; intros pre t cells I T.
  { left. exists t, cells. rewrite app_nil_r. auto. }
  inversion T as [|? ? Tr Ts]; subst. rename Tr into T0.
  assert (forall why, match why with
      | OutOfRange => ~ (src tr < p /\ dst tr < p /\ what tr < blocks)
      | ToItself => src tr = dst tr
      | SendsNothing => s (src tr) b = None
      | AddsToNothing => how tr = Reduce /\ s (dst tr) b = None
      | Conflict => exists u, In u pre /\ into (dst tr) b u = true /\ (how u = Copy \/ how tr = Copy)
      end -> (exists u cells', Stuck (sent_at n tr) why = run u cells' more /\ between n s (pre ++ tr :: rest) u cells') \/
        (exists tr' why', Stuck (sent_at n tr) why = Stuck (sent_at n tr') why' /\ what tr' = b /\
                  faulty p blocks s (pre ++ tr :: rest) tr' why')) as stuck.
  { intros why H. right. exists tr, why. split; [|split]; auto. exists pre, rest. split; auto.
    destruct why; try rewrite T0 in H; try rewrite T0; auto. destruct H as (u & U & J & K). apply into_true in J as [J1 J2]. exists u. auto. }
  cbn [map app run sent_at at_step sender receiver kind].
  destruct ((src tr <? p) && (dst tr <? p)) eqn:R; cbn [negb].
  2: { apply stuck. intros (A & B & _). apply Nat.ltb_lt in A, B. now rewrite A, B in R. }
  apply andb_true_iff in R as [RS RD]. apply Nat.ltb_lt in RS, RD.
  destruct (Nat.eqb_spec (src tr) (dst tr)) as [Q|Q]; [now apply stuck|].
  pose proof I as [W F B N M L].
  pose proof (B (src tr)) as X. destruct (was_at n (src tr) (get (src tr) cells)) as [x|]; [|apply stuck; exact (stands_none _ _ X)].
  apply stands_some in X as (v & V & Xn & X).
  pose proof (mark_writes pre (dst tr) b (proj2 F)) as K. rewrite M. pose proof (B (dst tr)) as Y. pose proof (N (dst tr)) as Z.
  assert (forall u i w, sound p u -> extends p t u -> (how tr = Reduce -> s (dst tr) b <> None) ->
      (forall q, In q pre -> into (dst tr) b q = true -> how q = Reduce /\ how tr = Reduce) ->
      stands u (Some i) (Some w) -> write s (after s pre (dst tr) b) tr = Some w ->
      between n s (pre ++ [tr]) u (put (dst tr) (Cell i (was_at n (dst tr) (get (dst tr) cells)) (how tr) n) cells)) as next_one.
  { intros u i w U E H C St Wr. apply (between_next n s pre t cells tr u i w); auto.
    - repeat split; auto; rewrite T0; auto. congruence.
    - apply Forall_forall. intros q J D Wq. apply C; auto. apply into_true. split; congruence. }
  assert (forall u cells', between n s (pre ++ [tr]) u cells' ->
    (exists u' cells'', run u cells' (map (sent_at n) rest ++ more) = run u' cells'' more /\ between n s (pre ++ tr :: rest) u' cells'') \/
    (exists tr' why, run u cells' (map (sent_at n) rest ++ more) = Stuck (sent_at n tr') why /\ what tr' = b /\
                  faulty p blocks s (pre ++ tr :: rest) tr' why)) as go_on.
  { intros u cells' J. specialize (IH _ _ _ J Ts). rewrite <- app_assoc in IH. exact IH. }
  destruct (how tr) eqn:H.
  - assert (forall o, mark pre (dst tr) b = o -> o = None \/ o = Some Reduce ->
      forall q, In q pre -> into (dst tr) b q = true -> how q = Reduce) as adds.
    { intros o O J q Qi Qt. rewrite O in K. destruct J as [->| ->].
      - rewrite (K q Qi) in Qt. discriminate.
      - now apply (proj2 K). }
    assert (mark pre (dst tr) b = None \/ mark pre (dst tr) b = Some Reduce ->
      let ran := match was_at n (dst tr) (get (dst tr) cells), now_at (dst tr) (get (dst tr) cells) with
        | Some w, Some z => let (i, t) := add_up t x z in run t (put (dst tr) (Cell i (Some w) Reduce n) cells) (map (sent_at n) rest ++ more)
        | _, _ => Stuck (sent_at n tr) AddsToNothing end in
      (exists u cells', ran = run u cells' more /\ between n s (pre ++ tr :: rest) u cells') \/
      (exists tr' why, ran = Stuck (sent_at n tr') why /\ what tr' = b /\ faulty p blocks s (pre ++ tr :: rest) tr' why)) as sums_it.
    { intros O. cbv zeta. destruct (was_at n (dst tr) (get (dst tr) cells)) as [w|] eqn:Wa.
      2: { apply stuck. split; auto. exact (stands_none _ _ Y). }
      apply stands_some in Y as (v' & V' & _).
      destruct (now_at (dst tr) (get (dst tr) cells)) as [z|] eqn:Za.
      2: { exfalso. apply stands_none in Z. apply (after_holds p blocks s pre (dst tr) b); [apply F | congruence | exact Z]. }
      apply stands_some in Z as (v'' & V'' & Zn & Z).
      pose proof (add_up_correct p t x z W Xn Zn) as S. destruct (add_up t x z) as [i u]. destruct S as (U & E & Iu & S).
      apply go_on. apply (next_one u i (v'' ++ v)); auto.
      - congruence.
      - intros q Qi Qt. split; auto. apply (adds _ eq_refl O q Qi Qt).
      - split; auto. intros a. unfold times in *. rewrite count_occ_app, X, Z, S. lia.
      - unfold write. rewrite H, V'', T0, V. reflexivity. }
    destruct (mark pre (dst tr) b) as [[|]|] eqn:O.
    + apply sums_it. auto.
    + apply stuck. destruct K as [(u & Ui & Ut & Uh) _]. exists u. auto.
    + apply sums_it. auto.
  - destruct (mark pre (dst tr) b) as [o|] eqn:O.
    + assert ((exists u, In u pre /\ into (dst tr) b u = true /\ (how u = Copy \/ how tr = Copy))) as J
        by (destruct K as [(u & Ui & Ut & _) _]; exists u; auto).
      destruct o; apply stuck; rewrite H in J; exact J.
    + apply go_on. apply (next_one t x v); auto using extends_refl.
      * congruence.
      * intros q Qi Qt. rewrite (K q Qi) in Qt. discriminate.
      * split; auto.
      * unfold write. rewrite H, T0. exact V.
Qed.

(* The transfers of a schedule of this block, its steps numbered from k on *)
Fixpoint numbered (k : nat) (sch : schedule) : list sent :=
  match sch with [] => [] | st :: rest => map (sent_at k) st ++ numbered (S k) rest end.

Theorem run_correct sch : Forall (Forall (fun q => what q = b)) sch -> forall k s t cells,
  sound p t -> (forall r, stands t (now_at r (get r cells)) (s r b)) -> (forall r x, get r cells = Some x -> written x < k) ->
  match run t cells (numbered k sch) with
  | Ran u cells' => sound p u /\ well_formed p blocks s sch /\ forall r, stands u (now_at r (get r cells')) (final s sch r b)
  | Stuck a why => exists j st tr, nth_error sch j = Some st /\ a = sent_at (k + j) tr /\ what tr = b /\
                   faulty p blocks (final s (firstn j sch)) st tr why
  end.
Proof.
  induction 1 as [|st sch B _ IH]; intros k s t cells W N L; cbn [numbered run].
  { cbn. auto. }
  assert (between k s [] t cells) as I.
  { assert (forall r x, get r cells = Some x -> (written x =? k) = false) as E
      by (intros r x G; apply L in G; apply Nat.eqb_neq; lia).
    split; auto.
    - split; constructor.
    - intros r. specialize (N r). specialize (E r). destruct (get r cells) as [x|]; auto. cbn. now rewrite E.
    - intros r. specialize (E r). destruct (get r cells) as [x|]; auto. cbn. now rewrite E.
    - intros r x G. apply L in G. lia. }
  destruct (run_step k s (numbered (S k) sch) st [] t cells I B) as [(u & cells' & -> & J)|(tr & why & -> & T & F)]; cbn [app] in *.
  - destruct J as [W' F' _ R _ L']. specialize (IH (S k) (after s st) u cells' W' R).
    destruct (run u cells' (numbered (S k) sch)).
    + destruct IH as (A & C & D); [intros r x G; apply L' in G; lia|]. cbn. auto.
    + destruct IH as (j & st' & tr & E); [intros r x G; apply L' in G; lia|]. exists (S j), st', tr.
      rewrite <- plus_n_Sm. cbn. exact E.
  - exists 0, st, tr. rewrite Nat.add_0_r. auto.
Qed.
End Block.
