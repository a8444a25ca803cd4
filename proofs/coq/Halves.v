(* Schedules in two halves: a reduce-scatter along valid routes, its reversal as an allgather, and both as an allreduce. What all of them
   have in common is proved once: all ranks end with the same sum, the halves have as many steps, and in the first one each rank sends
   each block that it does not own once. Then the rows that are of this kind. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Products Tori TreeRoute Relabelled SwingAll Catalogue Mirrored Turned
  Folding Rings Folded Elimination Sums Reproducible.
Import ListNotations.

(* How many blocks rank r sends, and how many it receives *)
Definition sent (r : rank) (sch : schedule) : nat := list_sum (map (fun st => length (filter (fun t => src t =? r) st)) sch).
Definition received (r : rank) (sch : schedule) : nat := list_sum (map (fun st => length (filter (fun t => dst t =? r) st)) sch).

Lemma sum_swap {A B} (f : A -> B -> nat) l m :
  list_sum (map (fun x => list_sum (map (f x) m)) l) = list_sum (map (fun y => list_sum (map (fun x => f x y) l)) m).
Proof.
  induction l as [|x l IH]; [symmetry; apply sum_none; auto|]. rewrite sum_cons, IH. clear IH. induction m as [|y m IH]; [reflexivity|].
  rewrite !sum_cons, <- IH. lia.
Qed.

Lemma sum_same {A} (f g : A -> nat) l : (forall x, In x l -> f x = g x) -> list_sum (map f l) = list_sum (map g l).
Proof. intros H. f_equal. now apply map_ext_in. Qed.

Lemma sum_rev l : list_sum (rev l) = list_sum l.
Proof. induction l as [|x l IH]; auto. cbn [rev]. rewrite list_sum_app, IH. change (list_sum [x]) with (x + 0).
  change (list_sum (x :: l)) with (x + list_sum l). lia.
Qed.

Lemma sum_filter {A} (f : A -> bool) l : list_sum (map (fun x => if f x then 1 else 0) l) = length (filter f l).
Proof. induction l as [|x l IH]; auto. rewrite sum_cons, IH. cbn. destruct (f x); reflexivity. Qed.

Section Counted.
Variables p blocks n : nat.
Variable q : block -> rank.
Variable g : block -> route.
Hypothesis O : owned p n blocks q g.

Definition passes (r b t : nat) : nat := match g b t r with Some _ => 1 | None => 0 end.
Definition foreign (r : rank) : nat := length (filter (fun b => negb (q b =? r)) (seq 0 blocks)).

Lemma passes_in_all b r : b < blocks -> r < p -> list_sum (map (passes r b) (seq 0 n)) = if negb (q b =? r) then 1 else 0.
Proof.
  intros B R. destruct (O b B) as [Q V]. destruct (Nat.eqb_spec (q b) r) as [<-|N]; cbn [negb].
  - apply sum_none. intros t T. apply in_below in T. unfold passes. now rewrite (owner_fresh _ _ _ _ V Q).
  - destruct (others_pass _ _ _ _ V r R ltac:(congruence)) as (u & U & S). rewrite (sum_one _ _ u (seq_NoDup n 0)).
    + unfold passes. destruct (g b u r); congruence.
    + now apply in_below.
    + intros t T D. apply in_below in T. unfold passes. destruct (g b t r) as [d|] eqn:E; auto. exfalso.
      destruct (Nat.lt_total t u) as [L|[L|L]]; [| contradiction |].
      * apply S. apply (passes_once _ _ _ _ V t u r); auto; congruence.
      * rewrite (passes_once _ _ _ _ V u t r) in E; auto; congruence.
Qed.

Lemma all_passes r : r < p ->
  list_sum (map (fun t => list_sum (map (fun b => passes r b t) (seq 0 blocks))) (seq 0 n)) = foreign r.
Proof.
  intros R. rewrite sum_swap. unfold foreign. rewrite <- sum_filter. apply sum_same. intros b B. apply in_below in B. now apply passes_in_all.
Qed.

Lemma length_flat_map {A B} (h : A -> list B) l : length (flat_map h l) = list_sum (map (fun x => length (h x)) l).
Proof. induction l as [|x l IH]; auto. cbn [flat_map]. rewrite app_length, IH. reflexivity. Qed.

Theorem reduce_scatter_sent r : r < p -> sent r (reduce_scatter p blocks n g) = foreign r.
Proof.
  intros R. rewrite <- (all_passes r R). unfold sent, reduce_scatter. rewrite map_map. apply sum_same. intros t _. unfold forward.
  rewrite filter_flat_map, length_flat_map. apply sum_same. intros b _. rewrite filter_flat_map, (flat_map_one _ _ r).
  - unfold pass, passes. destruct (g b t r); cbn [filter src]; [now rewrite Nat.eqb_refl | reflexivity].
  - apply seq_NoDup.
  - now apply in_below.
  - intros x _ D. unfold pass. destruct (g b t x); auto. cbn [filter src]. apply Nat.eqb_neq in D. now rewrite D.
Qed.

Theorem allgather_received r : r < p -> received r (allgather p blocks n g) = foreign r.
Proof.
  intros R. rewrite <- (all_passes r R). unfold received, allgather. rewrite map_map, map_rev, sum_rev. apply sum_same. intros t _. unfold backward.
  rewrite filter_flat_map, length_flat_map. apply sum_same. intros b _. rewrite filter_flat_map, (flat_map_one _ _ r).
  - unfold return_, passes. destruct (g b t r); cbn [filter dst]; [now rewrite Nat.eqb_refl | reflexivity].
  - apply seq_NoDup.
  - now apply in_below.
  - intros x _ D. unfold return_. destruct (g b t x); auto. cbn [filter dst]. apply Nat.eqb_neq in D. now rewrite D.
Qed.
End Counted.

(* With one block for each rank and lane, all but one in p *)
Lemma foreign_of_lanes p lanes r : r < p -> foreign (lanes * p) (owner p) r = lanes * (p - 1).
Proof.
  intros R. unfold foreign. induction lanes as [|l IH]; [reflexivity|]. replace (S l * p) with (l * p + p) by lia.
  rewrite seq_app, filter_app, app_length, IH. cbn [plus]. enough (length (filter (fun b => negb (owner p b =? r)) (seq (l * p) p)) = p - 1) by lia.
  rewrite <- sum_filter. assert (list_sum (map (fun b => if owner p b =? r then 1 else 0) (seq (l * p) p)) = 1) as E.
  { rewrite (sum_one _ _ (l * p + r) (seq_NoDup p (l * p))).
    - unfold owner. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small, Nat.eqb_refl by lia. reflexivity.
    - apply in_seq. lia.
    - intros b B N. apply in_seq in B. destruct (Nat.eqb_spec (owner p b) r) as [E|]; auto. exfalso. apply N. unfold owner in E.
      replace b with ((b - l * p) + l * p) in E by lia. rewrite Nat.mod_add, Nat.mod_small in E by lia. lia. }
  assert (forall l : list nat, list_sum (map (fun b => if negb (owner p b =? r) then 1 else 0) l) + list_sum (map (fun b => if owner p b =? r then 1 else 0) l)
    = length l) as Both.
  { induction l0 as [|b l0 IHl]; auto. rewrite !sum_cons. cbn [length]. destruct (owner p b =? r); cbn [negb]; lia. }
  specialize (Both (seq (l * p) p)). rewrite seq_length in Both. lia.
Qed.

(* What the three schedules of a row have in common: p ranks, some blocks with owners q, n steps a half *)
Definition two_halves (p blocks n : nat) (q : block -> rank) (first second both : schedule) : Prop := exists g,
  0 < p /\ 0 < blocks /\ owned p n blocks q g /\
  first = reduce_scatter p blocks n g /\ second = allgather p blocks n g /\ both = allreduce p blocks n g.

Theorem halves_reproducible p blocks n q first second both : two_halves p blocks n q first second both -> reproducible Allreduce p blocks both.
Proof. intros (g & P & B & O & _ & _ & ->). now apply allreduce_reproducible with q. Qed.

Theorem halves_steps p blocks n q first second both : two_halves p blocks n q first second both ->
  length first = n /\ length second = n /\ length both = 2 * n.
Proof.
  intros (g & _ & _ & _ & -> & -> & ->). unfold allreduce. rewrite app_length. unfold reduce_scatter, allgather.
  rewrite !map_length, rev_length, seq_length. lia.
Qed.

Theorem halves_blocks p blocks n q first second both : two_halves p blocks n q first second both -> forall r, r < p ->
  sent r first = foreign blocks q r /\ received r second = foreign blocks q r.
Proof. intros (g & _ & _ & O & -> & -> & _) r R. split; [now apply reduce_scatter_sent | now apply allgather_received]. Qed.

(* The rows *)
Lemma factor_halves f : 0 < ranks f -> right f ->
  two_halves (ranks f) (ranks f) (steps f) (owner (ranks f)) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof.
  intros P V. exists (one_path f). split; [|split; [|split]]; auto. intros b _. split; [now apply owner_in_range | now apply V, owner_in_range].
Qed.

Theorem swing_halves p : 0 < p ->
  two_halves p p (Nat.log2_up (if Nat.even p then p else p - 1)) (owner p) (swing_reduce_scatter p) (swing_allgather p) (swing_allreduce p).
Proof.
  intros P. pose proof (factor_halves (swing false p)) as H. rewrite swing_ranks in H by auto. specialize (H P (swing_right false p P)).
  replace (Nat.log2_up _) with (steps (swing false p)); [exact H|]. unfold swing. destruct (Nat.even p); [reflexivity|].
  destruct (Nat.eqb_spec p 1) as [->|]; reflexivity.
Qed.

Definition swing_length (n : nat) : nat := Nat.log2_up (if Nat.even n then n else n - 1).

Theorem swing_torus_halves sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes -> let p := extent sides in
  two_halves p (lanes * p) (list_sum (map swing_length sides)) (owner p)
    (torus_reduce_scatter sides lanes) (torus_allgather sides lanes) (torus_allreduce sides lanes).
Proof.
  intros S L. cbv zeta. pose proof (extent_positive sides S) as P.
  assert (steps (swing_lane sides 0) = list_sum (map swing_length sides)) as <-.
  { unfold swing_lane. rewrite torus_of_steps, map_map. f_equal. apply map_ext. intros n. rewrite swing_steps. unfold swing, swing_length.
    destruct (Nat.even n); [reflexivity|]. destruct (Nat.eqb_spec n 1) as [->|]; reflexivity. }
  pose proof (lane_ranks sides S 0) as R. pose proof (laned_owned (swing_lane sides 0) lanes (swing_lane sides)) as O. rewrite R in O.
  exists (laned (swing_lane sides 0) (swing_lane sides)). split; [|split; [|split]]; auto; [nia| |].
  - apply O; auto. intros l _. rewrite (lane_ranks sides S), (lane_steps sides l). auto using lane_right.
  - unfold torus_reduce_scatter, torus_allgather, torus_allreduce, laned_reduce_scatter, laned_allgather, laned_allreduce. now rewrite R.
Qed.

Theorem ring_halves p : 0 < p -> let f := ring p in two_halves p p (p - 1) (owner p) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof. intros P. apply (factor_halves (ring p) P). now apply Catalogue.ring_right. Qed.

Theorem doubling_halves near a : let f := halving near a in
  two_halves (2 ^ a) (2 ^ a) a (owner (2 ^ a)) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof.
  assert (0 < 2 ^ a) as P by (pose proof (Nat.pow_nonzero 2 a); lia).
  pose proof (factor_halves (halving near a)) as H. destruct (halving_size near a) as [R S]. rewrite R, S in H. auto using halving_right.
Qed.

Theorem bucket_halves sides order : Forall (fun n => 0 < n) sides -> interleaves (map ring sides) order -> let f := bucket sides order in
  let p := extent sides in two_halves p p (list_sum (map pred sides)) (owner p) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof.
  intros S I. cbv zeta. assert (ranks (bucket sides order) = extent sides) as R.
  { unfold bucket. rewrite torus_of_ranks, map_map. unfold extent. f_equal. rewrite <- (map_id sides) at 2. now apply map_ext. }
  assert (steps (bucket sides order) = list_sum (map pred sides)) as <-.
  { unfold bucket. rewrite torus_of_steps, map_map. f_equal. apply map_ext. intros n. cbn. lia. }
  rewrite <- R. apply factor_halves; [rewrite R; now apply extent_positive|]. apply torus_of_right; auto.
  apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in S. auto using Catalogue.ring_right.
Qed.

Theorem turned_halves p n h : 0 < p -> valid p n 0 h -> let f := turned_factor p n h in
  two_halves p p n (owner p) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof. intros P V. apply (factor_halves (turned_factor p n h) P). intros q Q. now apply turned_valid. Qed.

Theorem bruck_halves p : 0 < p -> let n := Nat.log2_up p in let f := bruck_near p in let g := bruck_far p in
  two_halves p p n (owner p) (reduce_scatter_of f) (allgather_of f) (allreduce_of f) /\
  two_halves p p n (owner p) (reduce_scatter_of g) (allgather_of g) (allreduce_of g).
Proof. intros P. split; apply turned_halves; auto using near_valid, far_valid, enough_steps. Qed.

Theorem folding_halves p : 0 < p -> let f := folding p in
  two_halves p p (Nat.log2_up p) (owner p) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof. intros P. apply turned_halves; auto using fold_valid, enough_steps. Qed.

Theorem folding_group_halves extents : Forall (fun n => 0 < n) extents -> let f := folding_group extents in let p := extent extents in
  two_halves p p (list_sum (map Nat.log2_up extents)) (owner p) (reduce_scatter_of f) (allgather_of f) (allreduce_of f).
Proof.
  intros S. cbv zeta. assert (ranks (folding_group extents) = extent extents) as R.
  { unfold folding_group. rewrite torus_of_ranks, map_map. unfold extent. f_equal. rewrite <- (map_id extents) at 2. now apply map_ext. }
  assert (steps (folding_group extents) = list_sum (map Nat.log2_up extents)) as <-.
  { unfold folding_group. now rewrite torus_of_steps, map_map. }
  rewrite <- R. apply factor_halves; [rewrite R; now apply extent_positive|]. apply torus_of_right; auto using in_turn_interleaves.
  apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in S. auto using folding_right.
Qed.

Theorem rings_halves sides lanes : has_cycles sides = true -> 0 < lanes -> let p := product_of sides in
  two_halves p (lanes * p) (p - 1) (ring_owner sides) (rings_reduce_scatter sides lanes) (rings_allgather sides lanes) (rings_allreduce sides lanes).
Proof.
  intros H L. cbv zeta. pose proof (rings_some sides H). exists (ring_routes sides).
  split; [|split; [|split]]; auto; [nia|]. now apply rings_owned.
Qed.

Theorem mirrored_halves bits lanes : 0 < lanes -> let p := product_of (mirrored_sides bits) in
  two_halves p (lanes * p) (list_sum bits) (mirrored_owner bits)
    (mirrored_reduce_scatter bits lanes) (mirrored_allgather bits lanes) (mirrored_doubling bits lanes).
Proof.
  intros L. cbv zeta. pose proof (mirrored_some bits). exists (mirrored_routes bits).
  split; [|split; [|split]]; auto; [nia|]. apply mirrored_owned.
Qed.

(* Allreduces alone *)
Definition halving_sides (sides : list nat) : nat := list_sum (map (fun n => (if n =? inner n then 0 else 1) + Nat.log2 n) sides).

Lemma halving_steps_of sides : halving_steps sides = halving_sides sides.
Proof.
  unfold halving_steps, halving_torus, halving_sides. rewrite torus_of_steps, map_map. f_equal. apply map_ext. intros n. apply halving_side_steps.
Qed.

Lemma seated_halves near sides seat part lanes : Forall (fun n => 0 < n) sides -> (forall l, bijection (extent sides) (seat l) (part l)) -> 0 < lanes ->
  exists first second, two_halves (extent sides) (lanes * inner_blocks sides) (halving_sides sides) (halving_owner sides seat)
    first second (seated_rabenseifner near sides seat part lanes).
Proof.
  intros S M L. eexists. eexists. exists (halving_path near sides seat part). rewrite <- halving_steps_of. pose proof (inner_blocks_positive sides).
  split; [now apply extent_positive|]. split; [nia|]. split; [now apply halving_owned|]. split; [reflexivity|]. split; reflexivity.
Qed.

Theorem rabenseifner_halves near sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes ->
  exists first second, two_halves (extent sides) (lanes * inner_blocks sides) (halving_sides sides) (halving_owner sides (lane_seat sides))
    first second (rabenseifner near sides lanes).
Proof. intros S L. exact (seated_halves near sides _ _ lanes S (lane_seats sides) L). Qed.

Theorem rabenseifner_beside_halves near p : 0 < p -> exists first second,
  two_halves p (inner p) (halving_sides [p]) (halving_owner [p] (fun _ => beside p)) first second (rabenseifner_beside near p).
Proof.
  intros P. pose proof (seated_halves near [p] (fun _ => beside p) (fun _ => beside_back p) 1) as H.
  unfold inner_blocks in H. cbn [map] in H. unfold extent in H. cbn [fold_right] in H. rewrite !Nat.mul_1_r, Nat.mul_1_l in H.
  apply H; auto. intros _. apply beside_bijection.
Qed.

Theorem elimination_halves p : 0 < p -> exists first second,
  two_halves p (inner p) (elimination_steps p) (sits (Nat.log2 p) (thirds p)) first second (elimination p).
Proof.
  intros P. eexists. eexists. exists (elimination_path p). split; auto. split; [apply inner_positive|]. split; [now apply elimination_owned|].
  split; [reflexivity|]. split; reflexivity.
Qed.
