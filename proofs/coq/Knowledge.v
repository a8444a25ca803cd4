(* What ranks know of each other, whatever a schedule adds up or copies. It is seen here as calls, (x, y) for a transfer from x to y, about
   one block: y then has heard of all that x has heard of. Values hold no more.

   - steps_least: with k ports, k + 1 ranks know in a step what one knew before, and one knows what k + 1 knew.
   - none_mutual: if none of the links between ranks could be left out, no two ranks know of each other. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge OnePort.
Import ListNotations.

Notation call := (rank * rank)%type (only parsing).

(* Who knows of whom: `knowledge steps r c` if rank r has heard of c. *)
Definition learn (k : rank -> rank -> bool) (st : list call) : rank -> rank -> bool :=
  fun r c => k r c || existsb (fun e => (snd e =? r) && k (fst e) c) st.
Definition knowledge (steps : list (list call)) : rank -> rank -> bool := fold_left learn steps Nat.eqb.

Lemma knowledge_last steps st : knowledge (steps ++ [st]) = learn (knowledge steps) st.
Proof. unfold knowledge. now rewrite fold_left_app. Qed.

Lemma learns k st r c : learn k st r c = true <-> k r c = true \/ exists x, In (x, r) st /\ k x c = true.
Proof.
  unfold learn. rewrite orb_true_iff, existsb_exists. split; (intros [K|K]; [auto | right]).
  - destruct K as ((x, y) & I & K). apply andb_true_iff in K as [E K]. apply Nat.eqb_eq in E. cbn in *. subst y. eauto.
  - destruct K as (x & I & K). exists (x, r). cbn. rewrite Nat.eqb_refl, K. auto.
Qed.

Lemma knowledge_self steps : forall r, knowledge steps r r = true.
Proof. induction steps as [|st steps IH] using rev_ind; intros r; [apply Nat.eqb_refl|]. rewrite knowledge_last. apply learns. auto. Qed.

Lemma knowledge_grows a b r c : knowledge a r c = true -> knowledge (a ++ b) r c = true.
Proof.
  intros K. induction b as [|st b IH] using rev_ind; [now rewrite app_nil_r|]. rewrite app_assoc, knowledge_last. apply learns. auto.
Qed.

(* Who isn't called learns nothing. *)
Lemma knowledge_uncalled a b r c : (forall x, ~ In (x, r) (concat b)) -> knowledge (a ++ b) r c = knowledge a r c.
Proof.
  induction b as [|st b IH] using rev_ind; intros N; [now rewrite app_nil_r|]. rewrite concat_app in N. cbn [concat] in N. rewrite app_nil_r in N.
  rewrite app_assoc, knowledge_last. unfold learn. rewrite IH by (intros x I; apply (N x), in_or_app; auto).
  replace (existsb _ st) with false; [apply orb_false_r|]. symmetry. apply not_true_iff_false. rewrite existsb_exists. intros ((x, y) & I & K).
  apply andb_true_iff in K as [E _]. apply Nat.eqb_eq in E. cbn in E. subst y. apply (N x), in_or_app. auto.
Qed.

(* Ranks between which calls go, in any directions *)
Inductive linked (l : list call) : rank -> rank -> Prop :=
  | itself x : linked l x x
  | onward x y z : In (x, y) l \/ In (y, x) l -> linked l y z -> linked l x z.

Lemma linked_trans l x y z : linked l x y -> linked l y z -> linked l x z.
Proof. induction 1 as [|x y' y E _ IH]; auto. intros Z. apply (onward l x y' z); auto. Qed.

Lemma linked_one l x y : In (x, y) l -> linked l x y.
Proof. intros I. apply (onward l x y y); auto. constructor. Qed.

Lemma linked_sym l x y : linked l x y -> linked l y x.
Proof. induction 1 as [|x y z E _ IH]; [constructor|]. apply (linked_trans l z y x); auto. apply (onward l y x x); [tauto | constructor]. Qed.

Lemma linked_more l m x y : incl l m -> linked l x y -> linked m x y.
Proof. intros I. induction 1 as [|x y z E _ IH]; [constructor|]. apply (onward m x y z); auto. destruct E; auto. Qed.

Lemma knows_linked steps : forall r c, knowledge steps r c = true -> linked (concat steps) c r.
Proof.
  induction steps as [|st steps IH] using rev_ind; intros r c K.
  - cbn in K. apply Nat.eqb_eq in K as ->. constructor.
  - rewrite knowledge_last in K. rewrite concat_app. cbn [concat]. rewrite app_nil_r. apply learns in K as [K|(x & I & K)].
    + apply (linked_more (concat steps)); auto using incl_appl, incl_refl.
    + apply (linked_trans _ c x r); [apply (linked_more (concat steps)); auto using incl_appl, incl_refl|].
      apply linked_one, in_or_app. auto.
Qed.

(* One link more joins at most two groups. *)
Lemma linked_first u v l x y : linked ((u, v) :: l) x y ->
  linked l x y \/ (linked l x u /\ linked l v y) \/ (linked l x v /\ linked l u y).
Proof.
  induction 1 as [x|x y z E _ IH]; [left; constructor|].
  assert (In (x, y) l \/ In (y, x) l \/ (x = u /\ y = v) \/ (x = v /\ y = u)) as [E'|[E'|[[-> ->]|[-> ->]]]].
  { cbn in E. destruct E as [[E|E]|[E|E]]; auto; injection E as -> ->; auto. }
  1, 2: assert (forall w, linked l y w -> linked l x w) as F by (intros w; apply onward; auto); destruct IH as [IH|[[A B]|[A B]]]; auto.
  - destruct IH as [IH|[[A B]|[A B]]]; auto; [right; left; split; [constructor | exact IH] | right; left; split; [constructor | exact B]].
  - destruct IH as [IH|[[A B]|[A B]]]; auto; [right; right; split; [constructor | exact IH] | right; right; split; [constructor | exact B]].
Qed.

(* So if all p ranks are linked to some few, there are links for all others. *)
Lemma links_needed p l : Forall (fun e => fst e < p /\ snd e < p) l -> forall few, (forall x, x < p -> exists a, In a few /\ linked l x a) ->
  p <= length l + length few.
Proof.
  induction 1 as [|(u, v) l [U V] _ IH]; intros few F.
  - assert (incl (seq 0 p) few) as I.
    { intros x X. apply in_below in X. destruct (F x X) as (a & A & L). inversion L as [|? y ? [[]|[]]]; subst; auto. }
    apply NoDup_incl_length in I; [now rewrite seq_length in I | apply seq_NoDup].
  - cbn [length fst snd] in *. destruct (F u U) as (a & A & L).
    assert (linked l u a \/ linked l v a) as W by (apply linked_first in L as [L|[[_ L]|[_ L]]]; auto).
    assert (exists w, forall x, x < p -> exists b, In b (w :: few) /\ linked l x b) as [w D].
    { destruct W as [W|W]; [exists v | exists u]; intros x X; destruct (F x X) as (b & B & M);
        apply linked_first in M as [M|[[M _]|[M _]]]; cbn [In]; eauto; exists a; split; auto; now apply (linked_trans l x _ a M). }
    specialize (IH _ D). cbn in IH. lia.
Qed.

(* No link could be left out. *)
Definition tight (l : list call) : Prop := forall a e b, l = a ++ e :: b -> ~ linked (a ++ b) (fst e) (snd e).

Lemma left_out a e b x y : linked (a ++ b) (fst e) (snd e) -> linked (a ++ e :: b) x y -> linked (a ++ b) x y.
Proof.
  intros E. induction 1 as [|x y z I _ IH]; [constructor|]. refine (linked_trans _ x y z _ IH).
  assert (forall u w, In (u, w) (a ++ e :: b) -> linked (a ++ b) u w) as F.
  { intros u w J. apply in_app_or in J as [J|[J|J]]; [apply linked_one, in_or_app; auto | subst e; exact E | apply linked_one, in_or_app; auto]. }
  destruct I as [I|I]; auto using linked_sym.
Qed.

Lemma fewest_tight p l few : Forall (fun e => fst e < p /\ snd e < p) l -> (forall x, x < p -> exists a, In a few /\ linked l x a) ->
  length l + length few <= p -> tight l.
Proof.
  intros R F N a e b -> L. assert (p <= length (a ++ b) + length few); [|rewrite app_length in *; cbn in N; lia]. apply links_needed.
  - apply Forall_app in R as [A B]. inversion B; subst. now apply Forall_app.
  - intros x X. destruct (F x X) as (w & W & M). exists w. split; auto. now apply left_out with e.
Qed.

Lemma tight_before l m : tight (l ++ m) -> tight l.
Proof.
  intros T a e b -> L. apply (T a e (b ++ m)); [now rewrite <- app_assoc|]. apply (linked_more (a ++ b)); auto. rewrite app_assoc. now apply incl_appl, incl_refl.
Qed.

(* Then no two ranks know of each other. *)
Lemma none_mutual steps : tight (concat steps) -> forall r c, knowledge steps r c = true -> knowledge steps c r = true -> r = c.
Proof.
  induction steps as [|st steps IH] using rev_ind; intros T r c K K'.
  - cbn in K. now apply Nat.eqb_eq in K.
  - rewrite concat_app in T. cbn [concat] in T. rewrite app_nil_r in T. rewrite knowledge_last in K, K'.
    set (l := concat steps) in *. apply learns in K as [K|(x & X & K)], K' as [K'|(y & Y & K')].
    + apply (IH (tight_before _ _ T)); auto.
    + exfalso. apply in_split in Y as (s1 & s2 & ->). apply (T (l ++ s1) (y, c) s2); [now rewrite <- app_assoc|]. cbn [fst snd].
      apply (linked_more l); [rewrite <- app_assoc; apply incl_appl, incl_refl|].
      apply (linked_trans l y r c); [apply linked_sym|apply linked_sym]; now apply knows_linked.
    + exfalso. apply in_split in X as (s1 & s2 & ->). apply (T (l ++ s1) (x, r) s2); [now rewrite <- app_assoc|]. cbn [fst snd].
      apply (linked_more l); [rewrite <- app_assoc; apply incl_appl, incl_refl|].
      apply (linked_trans l x c r); [apply linked_sym|apply linked_sym]; now apply knows_linked.
    + destruct (Nat.eq_dec r c) as [|N]; auto. exfalso. apply in_split in X as (s1 & s2 & ->). apply (T (l ++ s1) (x, r) s2); [now rewrite <- app_assoc|].
      cbn [fst snd]. assert (In (y, c) (s1 ++ s2)) as I.
      { apply in_app_or in Y as [Y|[Y|Y]]; [apply in_or_app; auto | injection Y as -> ->; congruence | apply in_or_app; auto]. }
      rewrite <- app_assoc. assert (incl l (l ++ s1 ++ s2)) as L by apply incl_appl, incl_refl.
      apply (linked_trans _ x c r); [apply linked_sym, (linked_more l); auto; now apply knows_linked|].
      apply (linked_trans _ c y r); [apply linked_sym, linked_one, in_or_app; auto | apply linked_sym, (linked_more l); auto; now apply knows_linked].
Qed.

(* How many of the p ranks *)
Definition count (p : nat) (f : rank -> bool) : nat := length (filter f (seq 0 p)).

Lemma count_within p f l : (forall x, x < p -> f x = true -> In x l) -> count p f <= length l.
Proof.
  intros I. apply NoDup_incl_length; [apply NoDup_filter, seq_NoDup|]. intros x X. apply filter_In in X as [X F]. apply in_below in X. auto.
Qed.

Lemma in_counted p f x : In x (filter f (seq 0 p)) <-> x < p /\ f x = true.
Proof. now rewrite filter_In, in_below. Qed.

Lemma count_all p f : (forall x, x < p -> f x = true) -> count p f = p.
Proof. intros A. unfold count. rewrite filter_all; [apply seq_length|]. intros x X. apply A. now apply in_below. Qed.

Lemma flat_length {A B} (h : A -> list B) k l : (forall x, In x l -> length (h x) <= k) -> length (flat_map h l) <= k * length l.
Proof.
  induction l as [|x l IH]; cbn [flat_map length]; [lia|]. intros H. rewrite app_length. specialize (IH (fun y Y => H y (or_intror Y))).
  specialize (H x (or_introl eq_refl)). lia.
Qed.

(* Whom a rank hears, and to whom it sends, at a step; k ports serve k ranks each way. *)
Definition hears_from (st : list call) (r : rank) : list rank := nodup Nat.eq_dec (map fst (filter (fun e => snd e =? r) st)).
Definition sends_to (st : list call) (r : rank) : list rank := nodup Nat.eq_dec (map snd (filter (fun e => fst e =? r) st)).
Definition has_ports (k : nat) (st : list call) : Prop := forall r, length (hears_from st r) <= k /\ length (sends_to st r) <= k.

Lemma in_hears st x r : In x (hears_from st r) <-> In (x, r) st.
Proof.
  unfold hears_from. rewrite nodup_In, in_map_iff. split.
  - intros ((y, z) & E & I). apply filter_In in I as [I Z]. apply Nat.eqb_eq in Z. cbn in *. now subst.
  - intros I. exists (x, r). rewrite filter_In. cbn. now rewrite Nat.eqb_refl.
Qed.

Lemma in_sends st x r : In x (sends_to st r) <-> In (r, x) st.
Proof.
  unfold sends_to. rewrite nodup_In, in_map_iff. split.
  - intros ((y, z) & E & I). apply filter_In in I as [I Z]. apply Nat.eqb_eq in Z. cbn in *. now subst.
  - intros I. exists (r, x). rewrite filter_In. cbn. now rewrite Nat.eqb_refl.
Qed.

Lemma knows_few p k steps : Forall (has_ports k) steps -> forall r, count p (knowledge steps r) <= (k + 1) ^ length steps.
Proof.
  induction steps as [|st steps IH] using rev_ind; intros H r.
  - apply (count_within p _ [r]). intros c _ K. cbn in K. apply Nat.eqb_eq in K. cbn. auto.
  - apply Forall_app in H as [H P]. inversion P as [|? ? Ps _]; subst. rewrite app_length. cbn [length]. rewrite (Nat.add_1_r (length steps)), Nat.pow_succ_r'.
    assert (count p (knowledge (steps ++ [st]) r) <= length (flat_map (fun x => filter (knowledge steps x) (seq 0 p)) (r :: hears_from st r))) as L.
    { apply count_within. intros c C K. rewrite knowledge_last in K. apply in_flat_map. apply learns in K as [K|(x & X & K)].
      - exists r. split; [now left | now apply in_counted].
      - exists x. split; [right; now apply in_hears | now apply in_counted]. }
    pose proof (flat_length (fun x => filter (knowledge steps x) (seq 0 p)) ((k + 1) ^ length steps) (r :: hears_from st r)
      (fun x _ => IH H x)) as F. cbn [length] in F. destruct (Ps r) as [Ph _]. nia.
Qed.

Definition calls_below (p : nat) (steps : list (list call)) : Prop := Forall (Forall (fun e => fst e < p /\ snd e < p)) steps.

Lemma known_by_few p k steps : calls_below p steps -> Forall (has_ports k) steps -> forall c, count p (fun r => knowledge steps r c) <= (k + 1) ^ length steps.
Proof.
  induction steps as [|st steps IH] using rev_ind; intros R H c.
  - apply (count_within p _ [c]). intros r _ K. cbn in K. apply Nat.eqb_eq in K. cbn. auto.
  - apply Forall_app in H as [H P], R as [R Q]. inversion P as [|? ? Ps _]; subst. inversion Q as [|? ? Qs _]; subst.
    rewrite app_length. cbn [length]. rewrite (Nat.add_1_r (length steps)), Nat.pow_succ_r'. specialize (IH R H c). set (f := fun r => knowledge steps r c) in *.
    assert (count p (fun r => knowledge (steps ++ [st]) r c) <= length (flat_map (fun x => x :: sends_to st x) (filter f (seq 0 p)))) as L.
    { apply count_within. intros r X K. rewrite knowledge_last in K. apply in_flat_map. apply learns in K as [K|(x & I & K)].
      - exists r. split; [now apply in_counted | now left].
      - exists x. rewrite Forall_forall in Qs. destruct (Qs _ I) as [B _]. split; [now apply in_counted | right; now apply in_sends]. }
    pose proof (flat_length (fun x => x :: sends_to st x) (k + 1) (filter f (seq 0 p)) (fun x _ => ltac:(destruct (Ps x) as [_ S]; cbn [length]; lia))) as F.
    unfold count in *. nia.
Qed.

(* The same calls one after another: everybody hears no less, each call needs one port, and at most one rank learns at a time. *)
Definition one_by_one (steps : list (list call)) : list (list call) := map (fun e => [e]) (concat steps).

Lemma concat_one_by_one steps : concat (one_by_one steps) = concat steps.
Proof. unfold one_by_one. induction (concat steps) as [|e l IH]; auto. cbn. now rewrite IH. Qed.

Lemma one_by_one_ports steps : Forall (has_ports 1) (one_by_one steps).
Proof.
  apply Forall_forall. intros l L. apply in_map_iff in L as ((x, y) & <- & _). intros r. unfold hears_from, sends_to. cbn.
  destruct (y =? r), (x =? r); cbn; lia.
Qed.

Lemma one_by_one_below p steps : calls_below p steps -> calls_below p (one_by_one steps).
Proof.
  intros B. apply Forall_forall. intros l L. apply in_map_iff in L as (e & <- & E). constructor; [|constructor].
  apply in_concat in E as (st & S & E). unfold calls_below in B. rewrite Forall_forall in B. specialize (B st S). rewrite Forall_forall in B. auto.
Qed.

Lemma known_one_by_one steps : forall r c, knowledge steps r c = true -> knowledge (one_by_one steps) r c = true.
Proof.
  induction steps as [|st steps IH] using rev_ind; intros r c K; auto. unfold one_by_one in *. rewrite concat_app, map_app. cbn [concat].
  rewrite app_nil_r. rewrite knowledge_last in K. apply learns in K as [K|(x & X & K)]; [now apply knowledge_grows, IH|].
  apply in_split in X as (a & b & ->). rewrite map_app. cbn [map]. change ([(x, r)] :: ?l) with ([[(x, r)]] ++ l). rewrite !app_assoc.
  apply knowledge_grows. rewrite knowledge_last. apply learns. right. exists x. split; [now left|]. now apply knowledge_grows, IH.
Qed.

(* What the semantics' values hold, ranks know. *)
Definition moves_of (b : block) (st : step) : list call := map (fun t => (src t, dst t)) (filter (fun t => what t =? b) st).
Definition calls_of (b : block) (sch : schedule) : list (list call) := map (moves_of b) sch.

Definition has (s : state) (b : block) (r : rank) (c : rank) : bool := match s r b with Some v => existsb (Nat.eqb c) v | None => false end.

Lemma has_some s b r c : has s b r c = true <-> exists v, s r b = Some v /\ 0 < times v c.
Proof.
  unfold has. split.
  - destruct (s r b) as [v|]; [|discriminate]. intros E. exists v. split; auto. apply existsb_exists in E as (x & I & E). apply Nat.eqb_eq in E as <-.
    now apply (count_occ_In Nat.eq_dec) in I.
  - intros (v & -> & T). apply existsb_exists. exists c. rewrite Nat.eqb_refl. split; auto. now apply (count_occ_In Nat.eq_dec).
Qed.

Lemma in_moves b st x r : In (x, r) (moves_of b st) <-> exists t, In t st /\ what t = b /\ src t = x /\ dst t = r.
Proof.
  unfold moves_of. rewrite in_map_iff. split.
  - intros (t & E & I). apply filter_In in I as [I W]. apply Nat.eqb_eq in W. injection E as <- <-. eauto.
  - intros (t & I & W & <- & <-). exists t. rewrite filter_In, W, Nat.eqb_refl. auto.
Qed.

Lemma after_has s b r c st : has (after s st) b r c = true -> has s b r c = true \/ exists x, In (x, r) (moves_of b st) /\ has s b x c = true.
Proof.
  induction st as [|t st IH] using rev_ind; [auto|]. intros H.
  assert (has (after s st) b r c = true \/ into r b t = true /\ has s b (src t) c = true) as [A|[I A]].
  { rewrite !has_some in *. destruct H as (v & E & T). rewrite after_app_one in E. destruct (into r b t) eqn:I; [|eauto].
    apply into_true in I as [_ W]. unfold write in E. rewrite W in E. destruct (how t).
    - destruct (after s st r b) as [u|], (s (src t) b) as [w|]; try discriminate. injection E as <-. unfold times in *. rewrite count_occ_app in T.
      destruct (count_occ Nat.eq_dec u c) eqn:U; [right; split; auto; exists w; split; auto; lia | left; exists u; split; auto; lia].
    - right. eauto. }
  - destruct (IH A) as [B|(x & X & B)]; [auto | right]. exists x. split; auto. apply in_moves in X as (u & U & X). apply in_moves. exists u. split; auto.
    apply in_or_app. auto.
  - right. exists (src t). split; auto. apply into_true in I as [D W]. apply in_moves. exists t. repeat split; auto. apply in_or_app. cbn. auto.
Qed.

Lemma has_knows c p blocks b sch : forall r x, has (final (initial c p blocks) sch) b r x = true -> knowledge (calls_of b sch) r x = true.
Proof.
  induction sch as [|st sch IH] using rev_ind; intros r x H.
  - cbn in *. unfold has, initial in H. destruct (_ && _); [|discriminate]. cbn in H. rewrite orb_false_r in H. now rewrite Nat.eqb_sym.
  - rewrite final_app in H. cbn [final] in H. unfold calls_of. rewrite map_app. cbn [map]. rewrite knowledge_last. apply learns.
    apply after_has in H as [H|(y & Y & H)]; [left | right; exists y; split; auto]; now apply IH.
Qed.

Lemma delivered_known c p blocks sch b r x : exactly_once c p blocks sch -> r < p -> b < blocks -> wanted c p r b = true ->
  x < p -> contributes c p x b = true -> knowledge (calls_of b sch) r x = true.
Proof.
  intros (_ & _ & D) R B W X C. apply (has_knows c p blocks). apply has_some. destruct (D r b R B W) as (v & E & K). exists v. split; auto.
  rewrite K, C. apply Nat.ltb_lt in X as ->. cbn. lia.
Qed.

Lemma calls_are_below p blocks b sch : forall s, well_formed p blocks s sch -> calls_below p (calls_of b sch).
Proof.
  induction sch as [|st sch IH]; intros s W; [constructor|]. destruct W as [[A _] W]. constructor; [|now apply (IH _ W)].
  apply Forall_forall. intros (x, r) I. apply in_moves in I as (t & T & _ & <- & <-). rewrite Forall_forall in A. destruct (A t T) as (S & D & _). cbn. auto.
Qed.

(* k ports: at a step a rank sends messages to k ranks at most, and receives from k; a message may hold many blocks. *)
Definition k_ports (k : nat) (sch : schedule) : Prop := Forall (fun st => has_ports k (map (fun t => (src t, dst t)) st)) sch.

Lemma calls_have_ports k b sch : k_ports k sch -> Forall (has_ports k) (calls_of b sch).
Proof.
  intros K. apply Forall_forall. intros l L. apply in_map_iff in L as (st & <- & S). unfold k_ports in K. rewrite Forall_forall in K. specialize (K st S).
  assert (incl (moves_of b st) (map (fun t => (src t, dst t)) st)) as I.
  { intros (x, r) X. apply in_moves in X as (t & T & _ & <- & <-). apply in_map_iff. eauto. }
  intros r. destruct (K r) as [H S']. split; [apply Nat.le_trans with (2 := H) | apply Nat.le_trans with (2 := S')]; apply NoDup_incl_length;
    try apply NoDup_nodup; intros x X; [apply in_hears in X; apply in_hears | apply in_sends in X; apply in_sends]; auto.
Qed.

Lemma one_port_ports sch : one_port sch -> k_ports 1 sch.
Proof.
  apply Forall_impl. intros st O r.
  assert (forall l : list rank, NoDup l -> (forall x y, In x l -> In y l -> x = y) -> length l <= 1) as Same.
  { intros [|x [|y l]] N E; cbn; try lia. exfalso. inversion N as [|? ? X _]; subst. apply X. rewrite (E x y); cbn; auto. }
  split; apply Same; try apply NoDup_nodup; intros x y X Y; [apply in_hears in X, Y | apply in_sends in X, Y];
    apply in_map_iff in X as (t & E & T), Y as (u & F & U); injection E as E1 E2; injection F as F1 F2.
  - rewrite <- E1, <- F1. apply O; auto; congruence.
  - rewrite <- E2, <- F2. apply O; auto; congruence.
Qed.

(* Each of these collectives brings p contributions to one rank, or one to p ranks. *)
Definition reaches_all (c : collective) : Prop := match c with Scatter _ _ | Gather _ _ | Alltoall => False | _ => True end.

Theorem steps_least k c p blocks sch : reaches_all c -> k_ports k sch -> exactly_once c p blocks sch -> p <= (k + 1) ^ length sch.
Proof.
  intros C K O. pose proof O as (W & F & _). pose proof (well_posed_some _ _ _ W) as [P B]. pose proof (calls_have_ports k 0 sch K) as Ks.
  replace (length sch) with (length (calls_of 0 sch)) by apply map_length.
  assert ((exists r, r < p /\ wanted c p r 0 = true) -> (forall x, contributes c p x 0 = true) -> p <= (k + 1) ^ length (calls_of 0 sch)) as To.
  { intros (r & R & Wr) A. pose proof (knows_few p k _ Ks r) as L. rewrite count_all in L; auto. intros x X. apply (delivered_known c p blocks); auto. }
  assert ((exists x, x < p /\ contributes c p x 0 = true) -> (forall r, wanted c p r 0 = true) -> p <= (k + 1) ^ length (calls_of 0 sch)) as From.
  { intros (x & X & Cx) A. pose proof (known_by_few p k _ (calls_are_below _ _ 0 _ _ F) Ks x) as L. rewrite count_all in L; auto. intros r R.
    apply (delivered_known c p blocks); auto. }
  unfold well_posed in W. rewrite !andb_true_iff in W. destruct W as [_ W].
  destruct c as [| q | q | root | root | | |]; try contradiction.
  - apply To; [exists 0 | intros x]; auto.
  - apply To; [exists (q 0) | intros x]; auto. cbn. rewrite Nat.eqb_refl. split; auto. now apply (proj1 (all_ranks p blocks q)).
  - apply From; [exists (q 0) | intros r]; auto. cbn. rewrite Nat.eqb_refl. split; auto. now apply (proj1 (all_ranks p blocks q)).
  - apply From; [exists root | intros r]; auto. cbn. rewrite Nat.eqb_refl. split; auto. now apply Nat.ltb_lt.
  - apply To; [exists root | intros x]; auto. cbn. rewrite Nat.eqb_refl. split; auto. now apply Nat.ltb_lt.
Qed.
