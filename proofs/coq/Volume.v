(* How much any schedule sends, and what that costs on links: theorems 3.1 to 3.3 of Jain and Sabharwal, for every schedule and network.

   A vector has n elements, in blocks of any sizes (`size`). The schedules are those of Semantics.v: all messages of a step are
   simultaneous, a sum of several contributions is sent at once, and what a rank has itself costs nothing. For p = 1 all bounds are 0.

   - reduce_scatter_volume, allgather_volume: (p - 1) n elements or more are sent. So in a reduce or a broadcast (volume_least).
   - allreduce_volume: 2 (p - 1) n.
   - busiest_sender: so some rank sends the p-th part of that, or more.
   - foreign_sent, foreign_received: in a reduce-scatter each rank sends what it doesn't own; in an allgather it receives that.
   - cost_least: if messages go over L links in any ways, and no link carries more than T elements in all, T is the L-th part or more.
   - torus_one_way, torus_both_ways: so on a torus of N dimensions, whose p N cables carry one message at a time; or one each way, which
     halves the bound.

   Example: p = 4. An allreduce of n elements sends 6 n or more, recursive doubling 8 n. A 2x2 torus has 8 cables, so one of them carries
   6 n / 8 or more. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Halves OnePort Knowledge LowerBounds SwingAll.
Import ListNotations.

(* Sums of sizes *)
Definition elements (size : block -> nat) (l : list transfer) : nat := list_sum (map (fun t => size (what t)) l).
Definition volume (size : block -> nat) (sch : schedule) : nat := elements size (concat sch).
Definition vector (size : block -> nat) (blocks : nat) : nat := list_sum (map size (seq 0 blocks)).

Lemma sum_le {A} (f g : A -> nat) l : (forall x, In x l -> f x <= g x) -> list_sum (map f l) <= list_sum (map g l).
Proof.
  induction l as [|x l IH]; intros H; auto. rewrite !sum_cons. pose proof (H x (or_introl eq_refl)).
  specialize (IH (fun y Y => H y (or_intror Y))). lia.
Qed.

Lemma sum_scaled {A} (f : A -> nat) k l : list_sum (map (fun x => k * f x) l) = k * list_sum (map f l).
Proof. induction l as [|x l IH]; [now rewrite Nat.mul_0_r|]. rewrite !sum_cons, IH. lia. Qed.

(* What is sent is what is sent of each block. *)
Lemma elements_by_block size blocks l : Forall (fun t => what t < blocks) l ->
  elements size l = list_sum (map (fun b => size b * length (filter (fun t => what t =? b) l)) (seq 0 blocks)).
Proof.
  intros B. unfold elements. rewrite (sum_same (fun t => size (what t)) (fun t => list_sum (map (fun b => if what t =? b then size b else 0) (seq 0 blocks)))).
  - rewrite sum_swap. apply sum_same. intros b _. rewrite <- sum_filter, <- sum_scaled. apply sum_same. intros t _. destruct (what t =? b); lia.
  - intros t T. rewrite Forall_forall in B. rewrite (sum_one _ _ (what t)); [now rewrite Nat.eqb_refl | apply seq_NoDup | apply in_below; auto|].
    intros b _ N. apply not_eq_sym, Nat.eqb_neq in N. now rewrite N.
Qed.

Lemma each_block_often size blocks k l : Forall (fun t => what t < blocks) l ->
  (forall b, b < blocks -> k <= length (filter (fun t => what t =? b) l)) -> k * vector size blocks <= elements size l.
Proof.
  intros B K. rewrite (elements_by_block size blocks) by exact B. unfold vector. rewrite <- sum_scaled. apply sum_le. intros b I.
  apply in_below in I. specialize (K b I). nia.
Qed.

Lemma transfers_allowed p blocks sch : forall s, well_formed p blocks s sch ->
  Forall (fun t => src t < p /\ dst t < p /\ what t < blocks) (concat sch).
Proof.
  induction sch as [|st sch IH]; intros s W; [constructor|]. destruct W as [[A _] W]. apply Forall_app. split; [|now apply (IH _ W)].
  eapply Forall_impl; [|exact A]. unfold allowed. tauto.
Qed.

Lemma moves_filtered b sch : moves b sch = length (filter (fun t => what t =? b) (concat sch)).
Proof.
  unfold moves. induction sch as [|st sch IH]; auto. cbn [calls_of map concat]. rewrite filter_app, !app_length. unfold calls_of in IH.
  rewrite IH. unfold moves_of. now rewrite map_length.
Qed.

(* Messages: every block moves often enough. *)
Definition least_moves (c : collective) (p : nat) : nat :=
  match c with
  | Allreduce => 2 * (p - 1)
  | ReduceScatter _ | Allgather _ | ReduceTo _ | Broadcast _ => p - 1
  | Scatter _ _ | Gather _ _ | Alltoall => 0
  end.

Lemma posed_ranks c p blocks : well_posed c p blocks = true ->
  match c with
  | ReduceScatter q | Allgather q => forall b, b < blocks -> q b < p
  | Broadcast root | ReduceTo root => root < p
  | _ => True
  end.
Proof.
  unfold well_posed. rewrite !andb_true_iff. intros [_ W].
  destruct c; auto; try (now apply Nat.ltb_lt); now apply all_ranks.
Qed.

(* Calls by which all hear what a collective promises *)
Section Calls.
Variable p : nat.
Variable steps : list (list call).
Hypothesis below : calls_below p steps.

Lemma one_tree a : (forall x, x < p -> linked (concat steps) x a) -> p - 1 <= length (concat steps).
Proof.
  intros L. assert (Forall (fun e => fst e < p /\ snd e < p) (concat steps)) as R.
  { apply Forall_forall. intros e E. apply in_concat in E as (l & I & E). unfold calls_below in below. rewrite Forall_forall in below.
    specialize (below l I). rewrite Forall_forall in below. auto. }
  pose proof (links_needed p _ R [a]) as N. cbn [length] in N. enough (p <= length (concat steps) + 1) by lia.
  apply N. intros x X. exists a. split; [now left | auto].
Qed.

Lemma calls_needed c blocks b : well_posed c p blocks = true -> b < blocks ->
  (forall r x, r < p -> x < p -> wanted c p r b = true -> contributes c p x b = true -> knowledge steps r x = true) ->
  least_moves c p <= length (concat steps).
Proof.
  intros W B K. apply posed_ranks in W.
  assert (forall r, r < p -> (forall x, x < p -> knowledge steps r x = true) -> p - 1 <= length (concat steps)) as To.
  { intros r R A. apply (one_tree r). intros x X. now apply knows_linked, A. }
  assert (forall x, x < p -> (forall r, r < p -> knowledge steps r x = true) -> p - 1 <= length (concat steps)) as From.
  { intros x X A. apply (one_tree x). intros r R. now apply linked_sym, knows_linked, A. }
  destruct c as [| q | q | root | root | | |]; cbn [least_moves]; try lia.
  - apply gossip_least; auto.
  - apply (To (q b)); auto. intros x X. apply K; auto. apply Nat.eqb_refl.
  - apply (From (q b)); auto. intros r R. apply K; auto. apply Nat.eqb_refl.
  - apply (From root); auto. intros r R. apply K; auto. apply Nat.eqb_refl.
  - apply (To root); auto. intros x X. apply K; auto. apply Nat.eqb_refl.
Qed.
End Calls.

Theorem block_moves c p blocks sch b : exactly_once c p blocks sch -> b < blocks -> least_moves c p <= moves b sch.
Proof.
  intros O B. pose proof O as (W & F & _). apply (calls_needed p (calls_of b sch)) with (blocks := blocks) (b := b); auto.
  - now apply (calls_are_below p blocks b) in F.
  - intros r x R X Wa C. now apply (delivered_known c p blocks).
Qed.

Theorem volume_least size c p blocks sch : exactly_once c p blocks sch -> least_moves c p * vector size blocks <= volume size sch.
Proof.
  intros O. apply each_block_often.
  - destruct O as (_ & W & _). eapply Forall_impl; [|exact (transfers_allowed p blocks sch _ W)]. cbn. tauto.
  - intros b B. rewrite <- moves_filtered. now apply (block_moves c p blocks).
Qed.

(* Theorems 3.1 to 3.3, as they count elements *)
Theorem reduce_scatter_volume size q p blocks sch : exactly_once (ReduceScatter q) p blocks sch ->
  (p - 1) * vector size blocks <= volume size sch.
Proof. apply volume_least. Qed.

Theorem allgather_volume size q p blocks sch : exactly_once (Allgather q) p blocks sch -> (p - 1) * vector size blocks <= volume size sch.
Proof. apply volume_least. Qed.

Theorem allreduce_volume size p blocks sch : exactly_once Allreduce p blocks sch -> 2 * (p - 1) * vector size blocks <= volume size sch.
Proof. apply volume_least. Qed.

(* Messages with weights, each with places that it loads, one at least and maybe one several times. If no place of L has more than T, the
   messages have T L at most. *)
Section Shared.
Context {M A : Type}.
Variable same : forall a b : A, {a = b} + {a <> b}.
Variable weight : M -> nat.

Definition load (ways : list (M * list A)) (a : A) : nat := list_sum (map (fun w => weight (fst w) * count_occ same (snd w) a) ways).

Lemma counted_once (way : list A) : way <> [] -> forall places, incl way places -> 1 <= list_sum (map (count_occ same way) places).
Proof.
  intros N places I. destruct way as [|a way]; [congruence|]. assert (In a places) as Ia by (apply I; now left).
  apply in_split in Ia as (l & m & ->). rewrite map_app, list_sum_app. cbn [map list_sum fold_right count_occ].
  destruct (same a a); [lia | congruence].
Qed.

Lemma shared places T ways : (forall w, In w ways -> snd w <> [] /\ incl (snd w) places) -> (forall a, In a places -> load ways a <= T) ->
  list_sum (map (fun w => weight (fst w)) ways) <= T * length places.
Proof.
  intros W L. apply Nat.le_trans with (list_sum (map (load ways) places)).
  - unfold load. rewrite sum_swap. apply sum_le. intros w I. destruct (W w I) as [N C]. pose proof (counted_once (snd w) N places C).
    rewrite sum_scaled. nia.
  - clear W. induction places as [|a places IH]; [cbn; lia|]. rewrite sum_cons. pose proof (L a (or_introl eq_refl)).
    specialize (IH (fun b B => L b (or_intror B))). cbn [length]. lia.
Qed.
End Shared.

(* The time of links. Ways are lists of links, each message's own. T is how many elements a link carries in all. If it carries one at a
   time, no time is less, whether there are steps or not. *)
Section Cost.
Context {A : Type}.
Variable same : forall a b : A, {a = b} + {a <> b}.
Variable size : block -> nat.

Definition link_load : list (transfer * list A) -> A -> nat := load same (fun t => size (what t)).

Theorem cost_least c p blocks sch links ways T : exactly_once c p blocks sch -> map fst ways = concat sch ->
  (forall w, In w ways -> snd w <> [] /\ incl (snd w) links) -> (forall l, In l links -> link_load ways l <= T) ->
  least_moves c p * vector size blocks <= T * length links.
Proof.
  intros O E W L. apply Nat.le_trans with (1 := volume_least size c p blocks sch O). unfold volume, elements. rewrite <- E, map_map.
  exact (shared same _ links T ways W L).
Qed.
End Cost.

(* Among ranks *)
Lemma among_ranks {M} (weight : M -> nat) (who : M -> rank) l p T : (forall t, In t l -> who t < p) ->
  (forall r, r < p -> list_sum (map weight (filter (fun t => who t =? r) l)) <= T) -> list_sum (map weight l) <= T * p.
Proof.
  intros B L. pose proof (shared Nat.eq_dec weight (seq 0 p) T (map (fun t => (t, [who t])) l)) as S. rewrite seq_length, map_map in S.
  cbn [fst] in S. apply S.
  - intros w W. apply in_map_iff in W as (t & <- & I). cbn. split; [congruence|]. intros x [<-|[]]. apply in_below. auto.
  - intros r R. apply in_below in R. apply Nat.le_trans with (2 := L r R). unfold load. rewrite map_map. cbn [fst snd count_occ].
    clear. induction l as [|t l IH]; auto. rewrite sum_cons. cbn [filter]. destruct (Nat.eq_dec (who t) r) as [E|N].
    + apply Nat.eqb_eq in E. rewrite E, sum_cons. lia.
    + apply Nat.eqb_neq in N. rewrite N. lia.
Qed.

Definition elements_sent (size : block -> nat) (r : rank) (sch : schedule) : nat :=
  elements size (filter (fun t => src t =? r) (concat sch)).

Theorem busiest_sender size c p blocks sch T : exactly_once c p blocks sch -> (forall r, r < p -> elements_sent size r sch <= T) ->
  least_moves c p * vector size blocks <= T * p.
Proof.
  intros O L. apply Nat.le_trans with (1 := volume_least size c p blocks sch O). apply (among_ranks _ src); auto.
  destruct O as (_ & W & _). intros t I. pose proof (transfers_allowed p blocks sch _ W) as A. rewrite Forall_forall in A. now apply A.
Qed.

(* Each rank's own share. Who sends nothing of a block isn't heard of, and who receives nothing of it hears nothing. *)
Definition elements_received (size : block -> nat) (r : rank) (sch : schedule) : nat :=
  elements size (filter (fun t => dst t =? r) (concat sch)).

Lemma unheard steps x : (forall r, ~ In (x, r) (concat steps)) -> forall r, knowledge steps r x = true -> r = x.
Proof.
  induction steps as [|st steps IH] using rev_ind; intros N r K; [now apply Nat.eqb_eq in K|].
  rewrite concat_app in N. cbn [concat] in N. rewrite app_nil_r in N. assert (forall y, ~ In (x, y) (concat steps)) as N' by
    (intros y Y; apply (N y), in_or_app; auto). rewrite knowledge_last in K. apply learns in K as [K|(y & Y & K)]; [auto|].
  apply (IH N') in K as ->. exfalso. apply (N r), in_or_app. auto.
Qed.

Lemma call_of_transfer b sch x r : In (x, r) (concat (calls_of b sch)) -> exists t, In t (concat sch) /\ what t = b /\ src t = x /\ dst t = r.
Proof.
  intros I. apply in_concat in I as (l & L & I). apply in_map_iff in L as (st & <- & S). apply in_moves in I as (t & T & E). exists t.
  split; auto. apply in_concat. eauto.
Qed.

Lemma filtered_once (f : transfer -> bool) b l t : In t l -> f t = true -> what t = b -> 1 <= length (filter (fun u => what u =? b) (filter f l)).
Proof.
  intros I F W. assert (In t (filter (fun u => what u =? b) (filter f l))) as J by (rewrite !filter_In; repeat split; auto; now apply Nat.eqb_eq).
  destruct (filter _ _); [contradiction | cbn; lia].
Qed.

Definition foreign_elements (size : block -> nat) (q : block -> rank) (r : rank) (blocks : nat) : nat :=
  list_sum (map (fun b => if q b =? r then 0 else size b) (seq 0 blocks)).

Lemma foreign_least size q r p blocks c sch (f : transfer -> bool) : exactly_once c p blocks sch ->
  (forall b, b < blocks -> q b <> r -> exists t, In t (concat sch) /\ f t = true /\ what t = b) ->
  foreign_elements size q r blocks <= elements size (filter f (concat sch)).
Proof.
  intros (_ & W & _) H. pose proof (transfers_allowed p blocks sch _ W) as A. rewrite Forall_forall in A.
  rewrite (elements_by_block size blocks).
  - apply sum_le. intros b B. apply in_below in B. destruct (Nat.eqb_spec (q b) r) as [|N]; [lia|]. destruct (H b B N) as (t & T & F & Wt).
    pose proof (filtered_once f b (concat sch) t T F Wt). nia.
  - apply Forall_forall. intros t T. apply filter_In in T as [T _]. now apply A.
Qed.

Theorem foreign_sent size q p blocks sch r : exactly_once (ReduceScatter q) p blocks sch -> r < p ->
  foreign_elements size q r blocks <= elements_sent size r sch.
Proof.
  intros O R. apply (foreign_least size q r p blocks _ sch _ O). intros b B N. pose proof O as (W & _). apply posed_ranks in W.
  pose proof (delivered_known _ p blocks sch b (q b) r O (W b B) B (Nat.eqb_refl _) R eq_refl) as K.
  destruct (existsb (fun t => (src t =? r) && (what t =? b)) (concat sch)) eqn:E.
  - apply existsb_exists in E as (t & T & E). apply andb_true_iff in E as [S E]. apply Nat.eqb_eq in E. eauto.
  - exfalso. apply N. apply (unheard (calls_of b sch) r); auto. intros d D. apply call_of_transfer in D as (t & T & <- & <- & _).
    apply not_true_iff_false in E. apply E, existsb_exists. exists t. now rewrite !Nat.eqb_refl.
Qed.

Theorem foreign_received size q p blocks sch r : exactly_once (Allgather q) p blocks sch -> r < p ->
  foreign_elements size q r blocks <= elements_received size r sch.
Proof.
  intros O R. apply (foreign_least size q r p blocks _ sch _ O). intros b B N. pose proof O as (W & _). apply posed_ranks in W.
  pose proof (delivered_known _ p blocks sch b r (q b) O R B eq_refl (W b B) (Nat.eqb_refl _)) as K.
  destruct (existsb (fun t => (dst t =? r) && (what t =? b)) (concat sch)) eqn:E.
  - apply existsb_exists in E as (t & T & E). apply andb_true_iff in E as [S E]. apply Nat.eqb_eq in E. eauto.
  - exfalso. pose proof (knowledge_uncalled [] (calls_of b sch) r (q b)) as U. cbn [app] in U. rewrite U in K.
    + apply Nat.eqb_eq in K. congruence.
    + intros x X. apply call_of_transfer in X as (t & T & <- & _ & <-). apply not_true_iff_false in E. apply E, existsb_exists. exists t.
      now rewrite !Nat.eqb_refl.
Qed.

(* A torus. Cable (x, d) joins rank x to the next rank in dimension d, so there are p N. *)
Definition cables (sides : list nat) : list (rank * nat) := list_prod (seq 0 (extent sides)) (seq 0 (length sides)).
Definition both_ways (sides : list nat) : list (rank * nat * bool) := list_prod (cables sides) [true; false].

Lemma cables_length sides : length (cables sides) = extent sides * length sides.
Proof. unfold cables. now rewrite prod_length, !seq_length. Qed.

Definition same_cable (a b : rank * nat) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition same_way (a b : rank * nat * bool) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Theorem torus_one_way size c sides blocks sch ways T : let p := extent sides in exactly_once c p blocks sch -> map fst ways = concat sch ->
  (forall w, In w ways -> snd w <> [] /\ incl (snd w) (cables sides)) -> (forall l, In l (cables sides) -> link_load same_cable size ways l <= T) ->
  least_moves c p * vector size blocks <= T * (p * length sides).
Proof. intros p O E W L. unfold p. rewrite <- cables_length. now apply (cost_least same_cable size c p blocks sch (cables sides) ways). Qed.

Theorem torus_both_ways size c sides blocks sch ways T : let p := extent sides in exactly_once c p blocks sch -> map fst ways = concat sch ->
  (forall w, In w ways -> snd w <> [] /\ incl (snd w) (both_ways sides)) -> (forall l, In l (both_ways sides) -> link_load same_way size ways l <= T) ->
  least_moves c p * vector size blocks <= T * (p * (2 * length sides)).
Proof.
  intros p O E W L. replace (p * (2 * length sides)) with (length (both_ways sides)).
  - now apply (cost_least same_way size c p blocks sch (both_ways sides) ways).
  - unfold both_ways. rewrite prod_length, cables_length. cbn [length]. unfold p. lia.
Qed.
