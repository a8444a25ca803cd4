(* How often a block must move in an allreduce; and how few steps it can take, if each rank sends one message a step and receives one,
   and blocks move no more often than they must.

   - moves_least: a block moves at least 2 (p - 1) times, whatever the ports.
   - allreduce_steps: if no block moves more often, there are at least 2 ceil(log2 p) - 1 steps.
   - odd_steps: one more if p is odd and in every step all ranks send as much.

   The first step after which some ranks know of all is in the middle: before it two groups of ranks, each linked by as few calls as
   can be; in it the only two that know their groups exchange; after it each of the others is called once.

   Example: p = 4 in 3 steps: 0 and 1 exchange halves, and 2 and 3; then 0 and 2, 1 and 3; then the first two pairs again. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge OnePort Spread Knowledge.
Import ListNotations.

(* One port, and as few calls as can be *)
Section Fewest.
Variable p : nat.
Variable steps : list (list call).
Hypothesis one : Forall (has_ports 1) steps.
Hypothesis below : calls_below p steps.
Hypothesis all : forall r c, r < p -> c < p -> knowledge steps r c = true.
Hypothesis several : 1 < p.

Definition full (k : rank -> rank -> bool) (r : rank) : bool := forallb (k r) (seq 0 p).

Lemma full_true k r : full k r = true <-> forall c, c < p -> k r c = true.
Proof. unfold full. rewrite forallb_forall. setoid_rewrite in_below. reflexivity. Qed.

Lemma full_false k r : full k r = false -> exists c, c < p /\ k r c = false.
Proof.
  intros F. destruct (existsb (fun c => negb (k r c)) (seq 0 p)) eqn:E.
  - apply existsb_exists in E as (c & C & E). apply in_below in C. exists c. split; auto. now apply negb_true_iff.
  - exfalso. apply not_true_iff_false in F. apply F. apply full_true. intros c C. apply not_true_iff_false in E. destruct (k r c) eqn:K; auto.
    exfalso. apply E. apply existsb_exists. exists c. rewrite in_below, K. auto.
Qed.

Lemma one_caller st x y r : has_ports 1 st -> In (x, r) st -> In (y, r) st -> x = y.
Proof.
  intros P X Y. apply in_hears in X, Y. destruct (P r) as [L _]. destruct (hears_from st r) as [|a [|b l]]; cbn in *; try lia; intuition congruence.
Qed.

Lemma one_called st x y r : has_ports 1 st -> In (r, x) st -> In (r, y) st -> x = y.
Proof.
  intros P X Y. apply in_sends in X, Y. destruct (P r) as [_ L]. destruct (sends_to st r) as [|a [|b l]]; cbn in *; try lia; intuition congruence.
Qed.

(* The first step after which some rank knows all *)
Lemma first_full : exists before st after, steps = before ++ st :: after /\ (forall r, r < p -> full (knowledge before) r = false) /\
  exists r, r < p /\ full (knowledge (before ++ [st])) r = true.
Proof.
  assert (forall rest before, steps = before ++ rest -> (forall r, r < p -> full (knowledge before) r = false) ->
    exists before st after, steps = before ++ st :: after /\ (forall r, r < p -> full (knowledge before) r = false) /\
      exists r, r < p /\ full (knowledge (before ++ [st])) r = true) as H.
  { induction rest as [|st rest IH]; intros before E N.
    - exfalso. rewrite app_nil_r in E. subst before. specialize (N 0 ltac:(lia)). apply full_false in N as (c & C & K). rewrite all in K by lia. discriminate.
    - destruct (existsb (full (knowledge (before ++ [st]))) (seq 0 p)) eqn:X.
      + apply existsb_exists in X as (r & R & F). apply in_below in R. exists before, st, rest. eauto.
      + apply (IH (before ++ [st])); [now rewrite <- app_assoc|]. intros r R. apply not_true_iff_false. intros F. apply not_true_iff_false in X.
        apply X, existsb_exists. exists r. now rewrite in_below. }
  apply (H steps []); auto. intros r R. apply not_true_iff_false. intros F. rewrite full_true in F.
  pose proof (F 0 ltac:(lia)) as A. pose proof (F 1 ltac:(lia)) as B. cbn in A, B. apply Nat.eqb_eq in A, B. lia.
Qed.

Section Split.
Variables before after : list (list call).
Variable st : list call.
Hypothesis parts : steps = before ++ st :: after.
Hypothesis none_yet : forall r, r < p -> full (knowledge before) r = false.
Hypothesis some_now : exists r, r < p /\ full (knowledge (before ++ [st])) r = true.
Let kb := knowledge before.
Let kt := knowledge (before ++ [st]).
Let links := concat before.

Lemma step_port : has_ports 1 st.
Proof. pose proof one as O. rewrite parts in O. apply Forall_app in O as [_ O]. now inversion O. Qed.

Lemma links_below : Forall (fun e => fst e < p /\ snd e < p) links.
Proof.
  pose proof below as B. unfold calls_below in B. rewrite parts in B. apply Forall_app in B as [B _]. unfold links. clear - B.
  induction B as [|s l S _ IH]; cbn; [constructor|]. now apply Forall_app.
Qed.

(* Who is the first to know all hears it from two. *)
Lemma full_from r : r < p -> full kt r = true -> exists x, In (x, r) st /\ forall c, c < p -> kb r c = true \/ kb x c = true.
Proof.
  intros R F. rewrite full_true in F. destruct (full_false _ _ (none_yet r R)) as (c0 & C0 & N).
  assert (forall c, c < p -> kb r c = true \/ exists x, In (x, r) st /\ kb x c = true) as W.
  { intros c C. specialize (F c C). unfold kt in F. rewrite knowledge_last in F. now apply learns in F. }
  destruct (W c0 C0) as [K|(x & X & _)]; [unfold kb in K; congruence|]. exists x. split; auto. intros c C. destruct (W c C) as [K|(y & Y & K)]; auto.
  right. now rewrite (one_caller st x y r step_port X Y).
Qed.

Lemma ranks_linked r x : (forall c, c < p -> kb r c = true \/ kb x c = true) -> forall c, c < p -> exists a, In a [r; x] /\ linked links c a.
Proof. intros W c C. destruct (W c C) as [K|K]; apply knows_linked in K; [exists r | exists x]; cbn; auto. Qed.

Lemma links_some : p <= length links + 2.
Proof.
  destruct some_now as (r & R & F). destruct (full_from r R F) as (x & _ & W).
  exact (links_needed p links links_below [r; x] (ranks_linked r x W)).
Qed.

(* All ranks are called in this step, if they know all then, or later. *)
Lemma called_later y : y < p -> full kt y = false -> In y (map snd (concat after)).
Proof.
  intros Y F. destruct (in_dec Nat.eq_dec y (map snd (concat after))) as [I|N]; auto. exfalso.
  destruct (full_false _ _ F) as (c & C & K). pose proof (all y c Y C) as A. rewrite parts in A.
  change (st :: after) with ([st] ++ after) in A. rewrite app_assoc, knowledge_uncalled in A.
  - unfold kt in K. congruence.
  - intros x X. apply N. apply in_map_iff. exists (x, y). auto.
Qed.

Lemma all_called : incl (seq 0 p) (map snd (st ++ concat after)).
Proof.
  intros y Y. apply in_below in Y. rewrite map_app. apply in_or_app. destruct (full kt y) eqn:F.
  - left. destruct (full_from y Y F) as (x & X & _). apply in_map_iff. exists (x, y). auto.
  - right. now apply called_later.
Qed.

Lemma calls_split : length (concat steps) = length links + length (st ++ concat after).
Proof. rewrite parts, concat_app. cbn [concat]. now rewrite !app_length. Qed.

Lemma calls_least : 2 * (p - 1) <= length (concat steps).
Proof.
  rewrite calls_split. pose proof links_some. pose proof (NoDup_incl_length (seq_NoDup p 0) all_called) as L. rewrite seq_length, map_length in L. lia.
Qed.

Hypothesis few : length (concat steps) <= 2 * (p - 1).

Lemma called_once : NoDup (map snd st ++ map snd (concat after)).
Proof.
  rewrite <- map_app. refine (NoDup_incl_NoDup (seq_NoDup p 0) _ all_called).
  rewrite map_length, seq_length. rewrite calls_split in few. pose proof links_some. lia.
Qed.

Lemma links_few : length links = p - 2.
Proof.
  pose proof links_some. rewrite calls_split in few. pose proof (NoDup_incl_length (seq_NoDup p 0) all_called) as L.
  rewrite seq_length, map_length in L. lia.
Qed.

Lemma links_tight : tight links.
Proof.
  destruct some_now as (r & R & F). destruct (full_from r R F) as (x & _ & W).
  apply (fewest_tight p links [r; x]); auto using links_below, ranks_linked. cbn. rewrite links_few. lia.
Qed.

Lemma no_mutual r c : kb r c = true -> kb c r = true -> r = c.
Proof. apply none_mutual, links_tight. Qed.

Lemma sides_apart r x : (forall c, c < p -> kb r c = true \/ kb x c = true) -> ~ linked links r x.
Proof.
  intros W L. pose proof (links_needed p links links_below [r]) as N. rewrite links_few in N. cbn in N. enough (p <= p - 2 + 1) by lia. apply N.
  intros c C. exists r. split; auto. destruct (W c C) as [K|K]; apply knows_linked in K; auto. apply (linked_trans _ c x r); auto using linked_sym.
Qed.

Lemma not_full_same y : y < p -> full kt y = false -> forall c, kt y c = kb y c.
Proof.
  intros Y F c. unfold kt, kb. apply knowledge_uncalled. cbn. rewrite app_nil_r. intros x X.
  pose proof called_once as D. apply nodup_app in D as (_ & _ & D). apply (D y); [apply in_map_iff; exists (x, y); auto | now apply called_later].
Qed.

(* No two ranks that don't know all know all between them. *)
Lemma none_between y z : y < p -> z < p -> full kt y = false -> full kt z = false -> ~ forall c, c < p -> kt y c = true \/ kt z c = true.
Proof.
  intros Y Z Fy Fz W. destruct some_now as (r & R & F). destruct (full_from r R F) as (x & _ & V).
  assert (forall w, w < p -> full kt w = false -> kt w r = true -> False) as H.
  { intros w L Fw K. rewrite not_full_same in K by auto. destruct (V w L) as [K'|K'].
    - rewrite (no_mutual r w K' K) in F. fold kt in F. congruence.
    - apply knows_linked in K, K'. apply (sides_apart r x V). now apply (linked_trans _ r w x). }
  destruct (W r R) as [K|K]; eauto.
Qed.

(* In this step two ranks at most come to know all. *)
Lemma both_sides r x s y : r < p -> s < p -> r <> s -> (forall c, c < p -> kb r c = true \/ kb x c = true) ->
  (forall c, c < p -> kb s c = true \/ kb y c = true) -> kb x s = true.
Proof.
  intros R S N V W. destruct (V s S) as [K|K]; auto. exfalso. destruct (W r R) as [K'|K'].
  - apply N. now apply no_mutual.
  - apply (sides_apart s y W). apply knows_linked in K, K'. now apply (linked_trans _ s r y).
Qed.

Lemma two_at_most : count p (full kt) <= 2.
Proof.
  unfold count. pose proof (NoDup_filter (full kt) (seq_NoDup p 0)) as D. pose proof (in_counted p (full kt)) as I.
  destruct (filter (full kt) (seq 0 p)) as [|a [|b [|c l]]]; cbn [length]; try lia. exfalso.
  apply NoDup_cons_iff in D as [Na D1]. apply NoDup_cons_iff in D1 as [Nb _]. cbn in Na, Nb.
  destruct (proj1 (I a) ltac:(cbn; auto)) as [A Fa], (proj1 (I b) ltac:(cbn; auto)) as [B Fb], (proj1 (I c) ltac:(cbn; auto)) as [C Fc].
  destruct (full_from a A Fa) as (x & _ & V), (full_from b B Fb) as (y & _ & W), (full_from c C Fc) as (z & _ & U).
  assert (kb x b = true) as Kb by (apply (both_sides a x b y); auto; intuition congruence).
  assert (kb x c = true) as Kc by (apply (both_sides a x c z); auto; intuition congruence).
  assert (kb y c = true) as Ky by (apply (both_sides b y c z); auto; intuition congruence).
  apply knows_linked in Kb, Kc, Ky. apply (sides_apart b y W). apply (linked_trans _ b x y); auto.
  apply (linked_trans _ x c y); auto using linked_sym.
Qed.

(* From then on those that know all call the others. *)
Lemma full_grows a b r : full (knowledge a) r = true -> full (knowledge (a ++ b)) r = true.
Proof. rewrite !full_true. intros F c C. apply knowledge_grows. auto. Qed.

Lemma uncalled_until done todo y : after = done ++ todo -> y < p -> full (knowledge ((before ++ [st]) ++ done)) y = false ->
  forall x, ~ In (x, y) (concat done).
Proof.
  intros E Y F x X. destruct (full_false _ _ F) as (c & C & K). pose proof (all y c Y C) as A. rewrite parts, E in A.
  change (before ++ st :: done ++ todo) with (before ++ [st] ++ done ++ todo) in A. rewrite app_assoc, app_assoc, knowledge_uncalled in A; [congruence|].
  intros x' X'. pose proof called_once as D. rewrite E, concat_app, map_app in D. apply nodup_app in D as (_ & D & _). apply nodup_app in D as (_ & _ & D).
  apply (D y); apply in_map_iff; [exists (x, y) | exists (x', y)]; auto.
Qed.

Lemma full_doubles done : forall todo, after = done ++ todo -> count p (full (knowledge ((before ++ [st]) ++ done))) <= 2 ^ length done * count p (full kt).
Proof.
  induction done as [|s done IH] using rev_ind; intros todo E; [rewrite app_nil_r; cbn; unfold kt; lia|].
  rewrite app_length. cbn [length]. rewrite (Nat.add_1_r (length done)), Nat.pow_succ_r'. rewrite <- app_assoc in E. specialize (IH _ E).
  set (now := full (knowledge ((before ++ [st]) ++ done))) in *. pose proof one as P. rewrite parts, E in P.
  apply Forall_app in P as [_ P]. apply Forall_cons_iff in P as [_ P']. apply Forall_app in P' as [_ P']. apply Forall_cons_iff in P' as [Ps _].
  assert (count p (full (knowledge ((before ++ [st]) ++ done ++ [s]))) <= length (flat_map (fun x => x :: sends_to s x) (filter now (seq 0 p)))) as L.
  { apply count_within. intros y Y F. apply in_flat_map. destruct (now y) eqn:Ny; [exists y; split; [now apply in_counted | now left]|].
    rewrite full_true in F. assert (forall c, c < p -> knowledge ((before ++ [st]) ++ done) y c = true \/
      exists x, In (x, y) s /\ knowledge ((before ++ [st]) ++ done) x c = true) as F'.
    { intros c C. specialize (F c C). rewrite app_assoc, knowledge_last in F. now apply learns in F. }
    clear F. rename F' into F.
    assert (forall w, w < p -> now w = false -> full kt w = false /\ forall c, knowledge ((before ++ [st]) ++ done) w c = kt w c) as Q.
    { intros w B N. split.
      - destruct (full kt w) eqn:G; auto. unfold now in N. now rewrite full_grows in N.
      - intros c. unfold kt. apply knowledge_uncalled. exact (uncalled_until done _ w E B N). }
    destruct (full_false _ _ Ny) as (c0 & C0 & N). destruct (F c0 C0) as [K|(x & X & _)]; [congruence|].
    assert (x < p) as B.
    { pose proof below as B. unfold calls_below in B. rewrite parts, E in B. apply Forall_app in B as [_ B]. apply Forall_cons_iff in B as [_ B'].
      apply Forall_app in B' as [_ B']. apply Forall_cons_iff in B' as [Bs _]. rewrite Forall_forall in Bs. now destruct (Bs _ X). }
    exists x. split; [|right; now apply in_sends]. apply in_counted. split; auto. destruct (now x) eqn:Nx; auto. exfalso.
    destruct (Q y Y Ny) as [Fy Sy], (Q x B Nx) as [Fx Sx]. apply (none_between y x); auto. intros c C. rewrite <- Sy, <- Sx.
    destruct (F c C) as [K|(x' & X' & K)]; auto. right. now rewrite (one_caller s x x' y Ps X X'). }
  pose proof (flat_length (fun x => x :: sends_to s x) 2 (filter now (seq 0 p)) (fun x _ => ltac:(destruct (Ps x) as [_ S]; cbn [length]; lia))) as G.
  unfold count in *. nia.
Qed.

Lemma lengths : p <= 2 ^ S (length before) /\ p <= 2 ^ length after * count p (full kt).
Proof.
  split.
  - destruct some_now as (r & R & F). rewrite full_true in F. pose proof (knows_few p 1 (before ++ [st])) as K. rewrite app_length in K.
    cbn [length] in K. rewrite (Nat.add_1_r (length before)) in K. change (1 + 1) with 2 in K. rewrite <- (count_all p (kt r) F). apply K.
    pose proof one as O. rewrite parts in O. change (st :: after) with ([st] ++ after) in O. rewrite app_assoc in O. now apply Forall_app in O as [O _].
  - rewrite <- (full_doubles after []) by (now rewrite app_nil_r). rewrite count_all; auto. intros r R. apply full_true. intros c C.
    rewrite <- app_assoc. change ([st] ++ after) with (st :: after). rewrite <- parts. now apply all.
Qed.

Lemma power_needed n : p <= 2 ^ n -> Nat.log2_up p <= n.
Proof. intros B. apply Nat.log2_up_le_mono in B. now rewrite Nat.log2_up_pow2 in B by lia. Qed.

Lemma steps_needed : 2 * Nat.log2_up p <= S (length steps).
Proof.
  destruct lengths as [A B]. apply power_needed in A. pose proof two_at_most.
  assert (p <= 2 ^ S (length after)) as B' by (rewrite Nat.pow_succ_r'; nia). apply power_needed in B'.
  rewrite parts, app_length. cbn [length]. lia.
Qed.

(* With one step less than 2 log2 p, two ranks exchange in the middle, and that is all. *)
Lemma exchange_middle : S (length steps) <= 2 * Nat.log2_up p -> S (length before) = Nat.log2_up p /\ st <> [] /\ forall x y, In (x, y) st -> x <> y /\ In (y, x) st.
Proof.
  intros N. pose proof N as N'. rewrite parts, app_length in N'. cbn [length] in N'. destruct lengths as [A B]. apply power_needed in A.
  pose proof two_at_most as M. assert (p <= 2 ^ S (length after)) as B' by (rewrite Nat.pow_succ_r'; nia). apply power_needed in B'.
  split; [lia|]. split.
  { destruct some_now as (r & R & F). destruct (full_from r R F) as (x & X & _). intros E. now rewrite E in X. }
  assert (1 < count p (full kt)) as Two.
  { destruct (le_lt_dec (count p (full kt)) 1) as [H|]; auto. exfalso. assert (p <= 2 ^ length after) as C by nia. apply power_needed in C. lia. }
  assert (forall x y, In (x, y) st -> y < p /\ full kt y = true /\ forall c, c < p -> kb y c = true \/ kb x c = true) as Fr.
  { intros x y X. assert (y < p) as Y.
    { pose proof below as L. unfold calls_below in L. rewrite parts in L. apply Forall_app in L as [_ L]. apply Forall_cons_iff in L as [Ls _].
      rewrite Forall_forall in Ls. now destruct (Ls _ X). }
    assert (full kt y = true) as F.
    { destruct (full kt y) eqn:F; auto. exfalso. pose proof called_once as D. apply nodup_app in D as (_ & _ & D).
      apply (D y); [apply in_map_iff; exists (x, y); auto | now apply called_later]. }
    repeat split; auto. intros c C. destruct (full_from y Y F) as (x' & X' & W). rewrite (one_caller st x x' y step_port X X'). auto. }
  intros x y X. destruct (Fr x y X) as (Y & F & W). split.
  { intros ->. apply (sides_apart y y W). constructor. }
  assert (exists s, s < p /\ full kt s = true /\ s <> y) as (s & S & G & D).
  { unfold count in Two. pose proof (NoDup_filter (full kt) (seq_NoDup p 0)) as D. pose proof (in_counted p (full kt)) as I.
    destruct (filter (full kt) (seq 0 p)) as [|a [|b l]]; cbn in Two; try lia. apply NoDup_cons_iff in D as [Na _].
    destruct (proj1 (I a) ltac:(cbn; auto)) as [A' Fa], (proj1 (I b) ltac:(cbn; auto)) as [Bb Fb].
    destruct (Nat.eq_dec a y) as [->|]; [|eauto]. exists b. repeat split; auto. intros ->. apply Na. cbn. auto. }
  destruct (full_from s S G) as (z & Z & V). pose proof (both_sides y x s z Y S (not_eq_sym D) W V) as K.
  assert (forall u w, In (u, w) st -> u < p) as Caller.
  { intros u w U. pose proof below as L. unfold calls_below in L. rewrite parts in L. apply Forall_app in L as [_ L]. apply Forall_cons_iff in L as [Ls _].
    rewrite Forall_forall in Ls. now destruct (Ls _ U). }
  assert (x = s) as ->.
  { destruct (V x (Caller _ _ X)) as [K'|K']; [now apply no_mutual|]. exfalso. apply knows_linked in K, K'. apply (sides_apart s z V). now apply (linked_trans _ s x z). }
  pose proof (both_sides s z y s S Y D V W) as Q. enough (z = y) as <- by exact Z. destruct (W z (Caller _ _ Z)) as [J|J]; [now apply no_mutual|].
  exfalso. apply knows_linked in J. apply (sides_apart s z V). now apply linked_sym.
Qed.
End Split.
End Fewest.

(* How often a block moves *)
Definition moves (b : block) (sch : schedule) : nat := length (concat (calls_of b sch)).

Lemma sum_add {A} (f g : A -> nat) l : list_sum (map (fun x => f x + g x) l) = list_sum (map f l) + list_sum (map g l).
Proof. induction l as [|x l IH]; auto. rewrite !sum_cons, IH. lia. Qed.

(* Ranks in pairs are even in number. *)
Lemma paired_even (g : rank -> rank) : forall l, NoDup l -> (forall x, In x l -> In (g x) l /\ g x <> x /\ g (g x) = x) -> Nat.Even (length l).
Proof.
  enough (forall n l, length l <= n -> NoDup l -> (forall x, In x l -> In (g x) l /\ g x <> x /\ g (g x) = x) -> Nat.Even (length l)) as H by eauto.
  induction n as [|n IH]; intros [|x l] L N H; cbn in L; try lia; try (exists 0; reflexivity).
  apply NoDup_cons_iff in N as [X N]. destruct (H x (or_introl eq_refl)) as ([E|I] & D & B); [congruence|].
  apply in_split in I as (a & b & ->). rewrite app_length in L. cbn in L. apply NoDup_remove in N as [N Y].
  assert (Nat.Even (length (a ++ b))) as [k K].
  { apply IH; [rewrite app_length; lia | exact N|]. intros y I. assert (In y (x :: a ++ g x :: b)) as J.
    { right. apply in_app_or in I as [I|I]; apply in_or_app; cbn; auto. }
    destruct (H y J) as (J' & D' & B'). repeat split; auto. destruct J' as [E|J'].
    - exfalso. apply Y. rewrite E, B'. exact I.
    - apply in_app_or in J' as [J'|[E|J']]; [apply in_or_app; auto | | apply in_or_app; auto]. exfalso. apply X.
      assert (y = x) as -> by congruence. apply in_app_or in I as [I|I]; apply in_or_app; cbn; auto. }
  exists (S k). cbn [length]. rewrite !app_length in *. cbn [length]. lia.
Qed.

Lemma block_knowledge p blocks sch b : exactly_once Allreduce p blocks sch -> b < blocks -> calls_below p (calls_of b sch) /\
  forall r c, r < p -> c < p -> knowledge (calls_of b sch) r c = true.
Proof.
  intros O B. split; [destruct O as (_ & W & _); now apply (calls_are_below p blocks b) in W|].
  intros r c R C. now apply (delivered_known Allreduce p blocks).
Qed.

(* Ranks that call one another at once hear no less if they call one after another. Then only one rank is the first to know all. *)
Theorem gossip_least p steps : calls_below p steps -> (forall r c, r < p -> c < p -> knowledge steps r c = true) ->
  2 * (p - 1) <= length (concat steps).
Proof.
  intros R A. destruct (le_lt_dec p 1) as [|P]; [lia|]. set (calls := one_by_one steps).
  assert (forall r c, r < p -> c < p -> knowledge calls r c = true) as A' by (intros; apply known_one_by_one; auto).
  destruct (first_full p calls A' P) as (before & st & after & E & N & S). rewrite <- concat_one_by_one.
  eapply calls_least; eauto using one_by_one_ports, one_by_one_below.
Qed.

Theorem moves_least p blocks sch b : exactly_once Allreduce p blocks sch -> b < blocks -> 2 * (p - 1) <= moves b sch.
Proof. intros O B. destruct (block_knowledge p blocks sch b O B). now apply gossip_least. Qed.

Section Allreduce.
Variables p blocks : nat.
Variable sch : schedule.
Hypothesis once : exactly_once Allreduce p blocks sch.
Hypothesis port : one_port sch.

Lemma block_calls b : b < blocks -> Forall (has_ports 1) (calls_of b sch) /\ calls_below p (calls_of b sch) /\
  forall r c, r < p -> c < p -> knowledge (calls_of b sch) r c = true.
Proof. intros B. split; [apply calls_have_ports, one_port_ports, port | exact (block_knowledge p blocks sch b once B)]. Qed.

Theorem block_steps b : b < blocks -> moves b sch <= 2 * (p - 1) -> 2 * Nat.log2_up p <= S (length sch).
Proof.
  intros B F. destruct (le_lt_dec p 1) as [L|L]; [destruct p as [|[|?]]; cbn; lia|]. destruct (block_calls b B) as (O & R & A).
  destruct (first_full p (calls_of b sch) A L) as (before & st & after & E & N & Now).
  assert (2 * Nat.log2_up p <= S (length (calls_of b sch))) as T by (eapply steps_needed; eauto). unfold calls_of in T. now rewrite map_length in T.
Qed.

Lemma moves_add_up : length (concat sch) = list_sum (map (fun b => moves b sch) (seq 0 blocks)).
Proof.
  destruct once as (_ & W & _). revert W. generalize (initial Allreduce p blocks). unfold moves. clear once port. induction sch as [|st l IH]; intros s W.
  - cbn. symmetry. now apply sum_none.
  - destruct W as [[A _] W]. cbn [concat calls_of map]. rewrite app_length, (IH _ W).
    rewrite (map_ext (fun b => length (concat (calls_of b (st :: l)))) (fun b => length (moves_of b st) + length (concat (calls_of b l))))
      by (intros b; apply (app_length (moves_of b st))).
    rewrite sum_add. f_equal. clear - A. induction A as [|t st T _ IH]; [symmetry; now apply sum_none|]. cbn [length]. rewrite IH. destruct T as (_ & _ & T & _).
    rewrite (map_ext (fun b => length (moves_of b (t :: st))) (fun b => (if what t =? b then 1 else 0) + length (moves_of b st))).
    + rewrite sum_add. change (S ?n) with (1 + n). f_equal. symmetry. rewrite (sum_one (fun b => if what t =? b then 1 else 0) _ (what t) (seq_NoDup _ _)).
      * now rewrite Nat.eqb_refl.
      * now apply in_below.
      * intros b _ N. apply not_eq_sym, Nat.eqb_neq in N. now rewrite N.
    + intros b. unfold moves_of. cbn [filter]. now destruct (what t =? b).
Qed.

(* All blocks together move as little as they can. *)
Hypothesis fewest : length (concat sch) <= blocks * (2 * (p - 1)).

Lemma each_fewest b : b < blocks -> moves b sch <= 2 * (p - 1).
Proof.
  intros B. rewrite moves_add_up in fewest. destruct (le_lt_dec (moves b sch) (2 * (p - 1))) as [|L]; auto. exfalso.
  assert (forall l, (forall x, In x l -> x < blocks) -> length l * (2 * (p - 1)) <= list_sum (map (fun b => moves b sch) l)) as H.
  { induction l as [|x l IH]; intros I; [cbn; lia|]. rewrite sum_cons. pose proof (moves_least p blocks sch x once (I x (or_introl eq_refl))).
    specialize (IH (fun y Y => I y (or_intror Y))). cbn [length]. lia. }
  replace blocks with (b + S (blocks - S b)) in fewest by lia. rewrite seq_app, map_app, list_sum_app in fewest. cbn [plus seq map] in fewest.
  change (list_sum (moves b sch :: ?l)) with (moves b sch + list_sum l) in fewest.
  pose proof (H (seq 0 b)) as H1. pose proof (H (seq (S b) (blocks - S b))) as H2. rewrite !seq_length in *.
  specialize (H1 ltac:(intros x X; apply in_seq in X; lia)). specialize (H2 ltac:(intros x X; apply in_seq in X; lia)). nia.
Qed.

Theorem allreduce_steps : 2 * Nat.log2_up p <= S (length sch).
Proof.
  destruct once as (W & _). pose proof (well_posed_some _ _ _ W) as [_ B]. apply (block_steps 0); auto. now apply each_fewest.
Qed.

Definition sends (x : rank) (st : step) : nat := length (filter (fun t => src t =? x) st).

Theorem odd_steps : 1 < p -> Nat.Odd p -> Forall (fun st => forall x y, x < p -> y < p -> sends x st = sends y st) sch -> 2 * Nat.log2_up p <= length sch.
Proof.
  intros P Odd Alike. destruct (le_lt_dec (2 * Nat.log2_up p) (length sch)) as [|L]; auto. exfalso.
  set (st := nth (Nat.log2_up p - 1) sch []). assert (Nat.log2_up p - 1 < length sch) as In_.
  { pose proof allreduce_steps. pose proof (Nat.log2_up_pos p P). lia. }
  assert (forall b, b < blocks -> moves_of b st <> [] /\ forall x y, In (x, y) (moves_of b st) -> x <> y /\ In (y, x) (moves_of b st)) as M.
  { intros b B. destruct (block_calls b B) as (O & R & A). destruct (first_full p (calls_of b sch) A P) as (before & s & after & E & N & Now).
    pose proof (each_fewest b B) as F. unfold moves in F. assert (length (calls_of b sch) = length sch) as Same by apply map_length.
    assert (S (length before) = Nat.log2_up p /\ s <> [] /\ forall x y, In (x, y) s -> x <> y /\ In (y, x) s) as [Len X].
    { eapply exchange_middle; eauto. lia. }
    replace (moves_of b st) with s; auto. unfold st. rewrite <- (map_nth (moves_of b) sch []). change (moves_of b []) with (@nil call).
    fold (calls_of b sch). rewrite E, app_nth2, <- Len by lia. replace (_ - _) with 0 by lia. reflexivity. }
  assert (forall t, In t st -> src t <> dst t /\ dst t < p /\ exists u, In u st /\ src u = dst t /\ dst u = src t) as X.
  { intros t T. assert (exists s0, well_formed_step p blocks s0 st) as [s0 [Ok _]].
    { destruct once as (_ & W & _). revert W. unfold st. generalize (initial Allreduce p blocks), (Nat.log2_up p - 1), In_. clear. induction sch as [|a l IH]; intros s n I W; cbn in I; [lia|].
      destruct W as [W W']. destruct n as [|n]; [cbn; eauto|]. apply (IH _ n ltac:(lia) W'). }
    rewrite Forall_forall in Ok. destruct (Ok t T) as (_ & D & Wb & _). destruct (M (what t) Wb) as [_ H]. destruct (H (src t) (dst t)) as [N I].
    - apply in_moves. eauto.
    - apply in_moves in I as (u & U & _ & E & F). eauto 6. }
  rewrite Forall_forall in Alike. specialize (Alike st (nth_In sch [] In_)).
  assert (exists t, In t st /\ src t < p) as (t0 & T0 & S0).
  { destruct once as (Wp & _). pose proof (well_posed_some _ _ _ Wp) as [_ B]. destruct (M 0 B) as [Ne _]. destruct (moves_of 0 st) as [|(x, y) l] eqn:E; [congruence|].
    assert (In (x, y) (moves_of 0 st)) as I by (rewrite E; cbn; auto). apply in_moves in I as (t & T & _). destruct (X t T) as (_ & D & u & U & Eu & _).
    exists u. split; auto. now rewrite Eu. }
  assert (forall x, x < p -> exists t, In t st /\ src t = x) as All.
  { intros x Xp. specialize (Alike x (src t0) Xp S0). unfold sends in Alike.
    destruct (filter (fun t => src t =? x) st) as [|t l] eqn:E.
    - exfalso. assert (In t0 (filter (fun t => src t =? src t0) st)) as I by (apply filter_In; rewrite Nat.eqb_refl; auto).
      destruct (filter (fun t => src t =? src t0) st); [contradiction | discriminate].
    - exists t. assert (In t (filter (fun t => src t =? x) st)) as I by (rewrite E; cbn; auto). apply filter_In in I as [I S']. apply Nat.eqb_eq in S'. auto. }
  set (partner := fun x => match find (fun t => src t =? x) st with Some t => dst t | None => x end).
  assert (forall t, In t st -> partner (src t) = dst t) as Pt.
  { intros t T. unfold partner. destruct (find (fun u => src u =? src t) st) as [u|] eqn:F.
    - apply find_some in F as [U E]. apply Nat.eqb_eq in E. pose proof port as Po. unfold one_port in Po. rewrite Forall_forall in Po.
      now apply (Po st (nth_In sch [] In_) u t U T).
    - exfalso. pose proof (find_none _ _ F t T) as E. cbn in E. now rewrite Nat.eqb_refl in E. }
  pose proof (paired_even partner (seq 0 p) (seq_NoDup _ _)) as Ev. rewrite seq_length in Ev. apply (Nat.Even_Odd_False p); auto. apply Ev.
  intros x I. apply in_below in I. destruct (All x I) as (t & T & <-). rewrite (Pt t T). destruct (X t T) as (N & D & u & U & E & F).
  rewrite in_below. repeat split; auto. rewrite <- E, (Pt u U). auto.
Qed.
End Allreduce.
