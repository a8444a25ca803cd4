(* Allreduces with one step less: if in the last step of a reduce-scatter each block comes from one rank only, that rank and the owner
   can add each other's sums in one step, and both have all of it. So the last step and the first one of the allgather are one. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Products Tori TreeRoute Relabelled SwingAll SwingTrees Catalogue
  Turned Folding Mirrored Attached Folded Bine.
Import ListNotations.

Section Merged.
Variables p blocks : nat.
Variable g : block -> route.

Definition meet (t : nat) (b : block) (x : rank) : list transfer :=
  match g b t x with Some d => [move x d b Reduce; move d x b Reduce] | None => [] end.
Definition meeting (t : nat) : step := flat_map (fun b => flat_map (meet t b) (seq 0 p)) (seq 0 blocks).

(* The steps but the last one, that one in both directions at once, and the others backwards *)
Definition merged_allreduce (n : nat) : schedule :=
  match n with
  | O => []
  | S m => reduce_scatter p blocks m g ++ meeting m :: allgather p blocks m g
  end.
End Merged.

(* In the last step one rank at most passes the block on. *)
Definition ends_alone (p n : nat) (g : route) : Prop := forall m x y, n = S m -> x < p -> y < p -> g m x <> None -> g m y <> None -> x = y.

(* The last step leads to the owner. *)
Lemma last_to_owner p m q g x d : valid p (S m) q g -> x < p -> g m x = Some d -> d = q.
Proof.
  intros V X G. destruct (stays _ _ _ _ V m x d ltac:(lia) X G) as [D _]. destruct (Nat.eq_dec d q) as [|N]; auto. exfalso.
  destruct (others_pass _ _ _ _ V d D N) as (u & U & K). apply (receives_before _ _ _ _ V u m d x); auto. lia.
Qed.

Section Once.
Variables p blocks m : nat.
Variable q : block -> rank.
Variable g : block -> route.
Hypothesis O : owned p (S m) blocks q g.
Hypothesis E : forall b, b < blocks -> ends_alone p (S m) (g b).
Let V := owned_valid _ _ _ _ _ O.

Definition has_all (b : block) (o : option value) : Prop := exists v, o = Some v /\ forall c, times v c = if c <? p then 1 else 0.

Lemma in_meeting t : In t (meeting p blocks g m) -> exists b x, b < blocks /\ x < p /\ q b < p /\ x <> q b /\ g b m x = Some (q b) /\
  (t = move x (q b) b Reduce \/ t = move (q b) x b Reduce).
Proof.
  intros T. apply in_flat_map in T as (b & B & T). apply in_flat_map in T as (x & X & T). apply in_below in B, X. unfold meet in T.
  destruct (g b m x) as [d|] eqn:G; [|contradiction]. destruct (stays _ _ _ _ (V b B) m x d ltac:(lia) X G) as [D N].
  assert (d = q b) as -> by (apply (last_to_owner p m (q b) (g b) x); auto). exists b, x. cbn in T. intuition congruence.
Qed.

(* What a rank receives *)
Lemma writes_meeting r b : b < blocks ->
  writes (meeting p blocks g m) r b = flat_map (fun x => filter (into r b) (meet g m b x)) (seq 0 p).
Proof.
  intros B. unfold writes, meeting. rewrite filter_flat_map, (flat_map_one _ _ b).
  - apply filter_flat_map.
  - apply seq_NoDup.
  - now apply in_below.
  - intros c _ N. apply filter_none. intros t T. apply in_flat_map in T as (x & _ & T). unfold into. apply andb_false_iff. right.
    apply Nat.eqb_neq. unfold meet in T. destruct (g c m x); cbn in T; intuition subst; auto.
Qed.

Lemma meeting_step s : tracks p blocks g m s ->
  well_formed_step p blocks s (meeting p blocks g m) /\
  returned p blocks (S m) g q has_all m (after s (meeting p blocks g m)).
Proof.
  intros I. split; [split|].
  - apply Forall_forall. intros t T. apply in_meeting in T as (b & x & B & X & Q & N & _ & T).
    destruct (I b x B X) as (v & Ev & _), (I b (q b) B Q) as (w & Ew & _).
    unfold allowed. destruct T as [->| ->]; cbn; rewrite Ev, Ew; repeat split; congruence.
  - assert (Forall (fun t => how t = Reduce) (meeting p blocks g m)) as R.
    { apply Forall_forall. intros t T. apply in_meeting in T as (b & x & _ & _ & _ & _ & _ & [-> | ->]); reflexivity. }
    induction R as [|t l H R IH]; constructor; auto. rewrite Forall_forall in *. intros u U _ _. auto.
  - intros b r B R H. destruct (O b B) as [Q Vb]. pose proof (owner_fresh _ _ _ _ Vb Q) as Fq.
    assert (fresh (g b) m (q b)) as Fm by (intros u U; apply Fq; lia). clear Fq.
    destruct (I b (q b) B Q) as (w & Ew & Tw). specialize (Tw Fm). unfold after. rewrite writes_meeting by auto.
    assert (forall c, c < p -> place (g b) (S m) c = q b) as A by (intros c C; now apply (arrives _ _ _ _ Vb)). cbn [place] in A.
    assert ((exists x, x < p /\ g b m x <> None) \/ forall x, x < p -> g b m x = None) as [(x & X & G)|None_].
    { destruct (existsb (fun x => match g b m x with Some _ => true | None => false end) (seq 0 p)) eqn:D.
      - left. apply existsb_exists in D as (x & X & D). exists x. apply in_below in X. split; auto. destruct (g b m x); congruence.
      - right. intros x X. destruct (g b m x) eqn:G; auto. exfalso. apply not_true_iff_false in D. apply D. apply existsb_exists. exists x. rewrite in_below, G. auto. }
    + pose proof (sender_fresh _ _ _ _ Vb m x ltac:(lia) X G) as Fx. destruct (g b m x) as [d|] eqn:Gx; [|congruence]. clear G.
      assert (d = q b) as -> by (apply (last_to_owner p m (q b) (g b) x); auto).
      destruct (stays _ _ _ _ Vb m x _ ltac:(lia) X Gx) as [_ N]. destruct (I b x B X) as (v & Ev & Tv). specialize (Tv Fx).
      rewrite (flat_map_one _ _ x); [|apply seq_NoDup | now apply in_below |].
      2:{ intros y Y D. apply in_below in Y. unfold meet. destruct (g b m y) eqn:Gy; auto. exfalso. apply D.
          apply (E b B m y x); auto; congruence. }
      unfold meet. rewrite Gx. cbn [filter]. unfold into. cbn [dst what]. rewrite !Nat.eqb_refl, !andb_true_r.
      assert (forall c, times v c + times w c = if c <? p then 1 else 0) as Sum.
      { intros c. rewrite Tv, Tw. destruct (Nat.ltb_spec c p) as [C|C]; cbn [andb]; auto. specialize (A c C).
        destruct (g b m (place (g b) m c)) as [d|] eqn:Gc.
        - assert (place (g b) m c = x) as ->.
          { apply (E b B m); auto; try congruence. apply (place_below _ _ _ _ Vb); auto. }
          rewrite Nat.eqb_refl. apply not_eq_sym, Nat.eqb_neq in N. now rewrite N.
        - rewrite A, Nat.eqb_refl. apply Nat.eqb_neq in N. now rewrite N. }
      assert (r = q b \/ r = x) as [->| ->].
      { destruct H as [->|(u & U & K)]; auto. right. replace u with m in K by lia. apply (E b B m); auto; congruence. }
      * rewrite Nat.eqb_refl. apply not_eq_sym, Nat.eqb_neq in N. rewrite N. cbn [fold_left]. unfold write. cbn [how src what].
        rewrite Ew, Ev. exists (w ++ v). split; auto. intros c. rewrite <- Sum. unfold times. rewrite count_occ_app. lia.
      * rewrite Nat.eqb_refl. apply Nat.eqb_neq in N. rewrite N. cbn [fold_left]. unfold write. cbn [how src what].
        rewrite Ew, Ev. exists (v ++ w). split; auto. intros c. rewrite <- Sum. unfold times. now rewrite count_occ_app.
    + assert (r = q b) as ->.
      { destruct H as [->|(u & U & K)]; auto. exfalso. replace u with m in K by lia. auto. }
      replace (flat_map _ (seq 0 p)) with (@nil transfer).
      2:{ symmetry. assert (forall l, (forall x, In x l -> x < p) -> flat_map (fun x => filter (into (q b) b) (meet g m b x)) l = []) as Z.
          { induction l as [|x l IH]; intros L; cbn; auto. unfold meet at 1. rewrite (None_ x) by (apply L; cbn; auto). cbn. apply IH. intros y Y. apply L. cbn. auto. }
          apply Z. intros x X. now apply in_below. }
      cbn [fold_left]. exists w. split; auto. intros c. rewrite Tw. destruct (Nat.ltb_spec c p) as [C|C]; cbn [andb]; auto.
      specialize (A c C). rewrite (None_ (place (g b) m c)) in A by (apply (place_below _ _ _ _ Vb); auto). now rewrite A, Nat.eqb_refl.
Qed.

Theorem meeting_once : 0 < p -> 0 < blocks -> exactly_once Allreduce p blocks (merged_allreduce p blocks g (S m)).
Proof.
  intros P B0. split; [now apply allreduce_posed|]. cbn [merged_allreduce]. set (s := initial Allreduce p blocks).
  destruct (forward_run p blocks (S m) g q V m 0 s ltac:(lia)) as [W I]; [now apply tracks_start|].
  change (map (forward p blocks g) (seq 0 m)) with (reduce_scatter p blocks m g) in *. cbn [plus] in I.
  set (s1 := final s (reduce_scatter p blocks m g)) in *. destruct (meeting_step s1 I) as [W1 R].
  destruct (backward_run p blocks (S m) g q V has_all) with (t := m) (s := after s1 (meeting p blocks g m)) as [W2 F]; auto.
  { intros b _ (v & H & _). discriminate. }
  change (map (backward p blocks g) (rev (seq 0 m))) with (allgather p blocks m g) in *. split.
  - apply well_formed_app. split; auto. cbn [well_formed]. auto.
  - intros r b R' B _. rewrite final_app. cbn [final]. fold s1. destruct (F b r B R') as (v & H & T). exists v. split; auto.
    intros c. rewrite T. cbn [contributes]. now rewrite andb_true_r.
Qed.
End Once.

(* One rank alone needs no step. *)
Theorem merged_once p n blocks q g : 0 < p -> 0 < blocks -> owned p n blocks q g -> (forall b, b < blocks -> ends_alone p n (g b)) ->
  exactly_once Allreduce p blocks (merged_allreduce p blocks g n).
Proof.
  intros P B O E. destruct n as [|m]; [|now apply meeting_once with q].
  pose proof (allreduce_once p 0 blocks q g P B O) as H. exact H.
Qed.

(* Which routes end so: along mutual peers, *)
Lemma peers_end_alone p n peer q : paired p peer -> ends_alone p n (last_chance peer n q).
Proof.
  intros P m x y -> X Y Gx Gy.
  assert (forall z, z < p -> last_chance peer (S m) q m z <> None -> z = peer q m) as H.
  { intros z Z G. destruct (last_chance peer (S m) q m z) as [d|] eqn:D; [|congruence].
    apply last_chance_some in D as (-> & R & _). rewrite Nat.sub_diag in R. apply Nat.eqb_eq in R. rewrite <- R. symmetry. now apply P. }
  now rewrite (H x X Gx), (H y Y Gy).
Qed.

(* with other ranks in the seats, *)
Lemma relabelled_ends_alone p n seat part h : bijection p seat part -> ends_alone p n h -> ends_alone p n (relabelled seat part h).
Proof.
  intros M E m x y N X Y Gx Gy. destruct (M x X) as (_ & Px & <- & _), (M y Y) as (_ & Py & <- & _). f_equal.
  unfold relabelled in *. apply (E m); auto.
  - destruct (h m (part x)); [discriminate | exact Gx].
  - destruct (h m (part y)); [discriminate | exact Gy].
Qed.

(* and in a product if both factors do. *)
Lemma product_ends_alone a b first q : right a -> right b -> turns first (steps a + steps b) = steps a -> q < ranks a * ranks b ->
  ends_alone (ranks a) (steps a) (path a (q / ranks b)) -> ends_alone (ranks b) (steps b) (path b (q mod ranks b)) ->
  ends_alone (ranks a * ranks b) (steps a + steps b) (product_path a b first q).
Proof.
  intros A B T Q Ea Eb m x y N X Y Gx Gy. pose proof (product_path_valid a b first A B T q Q) as V. rewrite N in V.
  destruct (below a b first T x X) as (Rx & Cx & P), (below a b first T y Y) as (Ry & Cy & _), (below a b first T q Q) as (_ & Cq & _).
  rewrite <- (pair_of a b first T x P), <- (pair_of a b first T y P).
  pose proof (second_steps a b first T) as U. pose proof (pair_row a b first T) as Row. pose proof (pair_column a b first T) as Column.
  rewrite N in T, U. cbn [turns] in T, U.
  destruct (product_path a b first q m x) as [d|] eqn:Dx; [|congruence]. destruct (product_path a b first q m y) as [e|] eqn:Dy; [|congruence].
  rewrite (last_to_owner _ _ _ _ _ _ V X Dx) in Dx. rewrite (last_to_owner _ _ _ _ _ _ V Y Dy) in Dy. clear Gx Gy d e.
  apply sent in Dx as [(F & _ & d & Dx & Fx)|(F & _ & d & Dx & Fx)]; apply sent in Dy as [(F' & _ & e & Dy & Fy)|(F' & _ & e & Dy & Fy)];
    try congruence; rewrite F in T, U; cbn [negb] in U.
  - pose proof (f_equal (column b) Fx) as Hx. pose proof (f_equal (column b) Fy) as Hy. rewrite Column in Hx, Hy by auto.
    f_equal; [|congruence]. apply (Ea (turns first m)); auto; [lia| |]; unfold row in *; congruence.
  - pose proof (B (column b q) Cq) as Vb. assert (turns (fun u => negb (first u)) m < steps b) as L by lia.
    destruct (stays _ _ _ _ Vb _ _ _ L Cx Dx) as [D _], (stays _ _ _ _ Vb _ _ _ L Cy Dy) as [D' _].
    pose proof (f_equal (row b) Fx) as Hx. pose proof (f_equal (row b) Fy) as Hy. rewrite Row in Hx, Hy by auto.
    f_equal; [congruence|]. apply (Eb (turns (fun u => negb (first u)) m)); auto; [lia| |]; unfold column in *; congruence.
Qed.

(* On a torus each coordinate of the owner counts. *)
Fixpoint each_ends_alone (fs : list factor) (q : rank) : Prop :=
  match fs with
  | [] => True
  | f :: rest => let w := fold_right Nat.mul 1 (map ranks rest) in
      ends_alone (ranks f) (steps f) (path f (q / w)) /\ each_ends_alone rest (q mod w)
  end.

Lemma torus_ends_alone fs : forall order q, Forall right fs -> interleaves fs order -> q < fold_right Nat.mul 1 (map ranks fs) ->
  each_ends_alone fs q -> let f := torus_factor (torus_of fs order) in ends_alone (ranks f) (steps f) (path f q).
Proof.
  induction fs as [|f fs IH]; intros order q R I Q E; cbv zeta.
  - intros m x y N. discriminate N.
  - inversion R as [|? ? Rf Rs]; subst. destruct E as [Ef Es]. pose proof (others_interleave _ _ _ I) as J.
    pose proof (torus_of_ranks fs (others order)) as W. cbn [map fold_right] in Q. rewrite <- W in *.
    set (w := ranks (torus_factor (torus_of fs (others order)))) in *. assert (0 < w) by (destruct w; lia).
    apply product_ends_alone; auto.
    + now apply torus_of_right.
    + rewrite torus_of_steps. change (steps f + list_sum (map steps fs)) with (list_sum (map steps (f :: fs))).
      rewrite <- (interleaves_length _ _ I), turns_list. exact (I 0).
    + apply IH; auto. apply Nat.mod_upper_bound. lia.
Qed.

Definition end_alone (f : factor) : Prop := forall q, q < ranks f -> ends_alone (ranks f) (steps f) (path f q).

Lemma all_end_alone fs : Forall end_alone fs -> forall q, q < fold_right Nat.mul 1 (map ranks fs) -> each_ends_alone fs q.
Proof.
  induction 1 as [|f fs E _ IH]; intros q Q; cbn [each_ends_alone]; auto. cbn in Q.
  set (w := fold_right Nat.mul 1 (map ranks fs)) in *. assert (0 < w) by (destruct w; lia). split.
  - apply E, Nat.div_lt_upper_bound; lia.
  - apply IH, Nat.mod_upper_bound. lia.
Qed.

Definition merged_of (f : factor) : schedule := merged_allreduce (ranks f) (ranks f) (one_path f) (steps f).

Lemma merged_factor_once f : 0 < ranks f -> right f -> end_alone f -> exactly_once Allreduce (ranks f) (ranks f) (merged_of f).
Proof.
  intros P V E. apply merged_once with (owner (ranks f)); auto.
  - intros b _. split; [now apply owner_in_range | now apply V, owner_in_range].
  - intros b _. now apply E, owner_in_range.
Qed.

(* Swing on tori with even sides and any lanes *)
Lemma swing_end_alone mirrored n : n = 1 \/ Nat.Even n -> end_alone (swing mirrored n).
Proof.
  intros N q Q. unfold swing in *. destruct (Nat.even n) eqn:V.
  - apply peers_end_alone, swing_paired. now apply Nat.even_spec.
  - destruct N as [->|N]; [intros m x y H; discriminate H | apply Nat.even_spec in N; congruence].
Qed.

Definition merged_swing (sides : list nat) (lanes : nat) : schedule :=
  let f := swing_lane sides 0 in merged_allreduce (ranks f) (lanes * ranks f) (laned f (swing_lane sides)) (steps f).

Theorem merged_swing_once sides lanes : Forall (fun n => 0 < n /\ (n = 1 \/ Nat.Even n)) sides -> 0 < lanes ->
  exactly_once Allreduce (extent sides) (lanes * extent sides) (merged_swing sides lanes).
Proof.
  intros S L. assert (Forall (fun n => 0 < n) sides) as P by (eapply Forall_impl; [|exact S]; cbn; tauto).
  pose proof (extent_positive sides P) as X. unfold merged_swing. cbv zeta. pose proof (lane_ranks sides P 0) as R. rewrite <- R in *.
  apply merged_once with (owner (ranks (swing_lane sides 0))); auto; [nia| |].
  - apply laned_owned; auto. intros l _. rewrite !(lane_ranks sides P), (lane_steps sides l). auto using lane_right.
  - intros b B. unfold laned. set (l := b / ranks (swing_lane sides 0)). pose proof (owner_in_range (ranks (swing_lane sides 0)) b X) as Q.
    set (q := owner _ b) in *. clearbody q. rewrite R in *. rewrite <- (lane_ranks sides P l) in Q |- *. rewrite <- (lane_steps sides l).
    unfold swing_lane in *. rewrite torus_of_ranks in Q. apply torus_ends_alone; auto using round_robin_interleaves.
    + apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in P. auto using swing_right.
    + apply all_end_alone; auto. apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in S.
      apply swing_end_alone. now apply S.
Qed.

(* Recursive halving and doubling on every torus, with what remains folded, and any lanes *)
Lemma halving_ends_alone near a q : ends_alone (2 ^ a) a (path (halving near a) q).
Proof.
  destruct near; apply peers_end_alone; intros x s X; [|unfold reversed]; now apply (exchanged_paired (2 ^ a)).
Qed.

Lemma halving_side_ends_alone near n q : 0 < n -> q < inner n ->
  let f := halving_side near n in ends_alone (ranks f) (steps f) (path f q).
Proof.
  intros N Q. cbv zeta. unfold halving_side, folded. destruct (halving_size near (Nat.log2 n)) as [R L]. rewrite R, L. fold (inner n).
  pose proof (halving_ends_alone near (Nat.log2 n) q) as E. fold (inner n) in E.
  destruct (Nat.eqb_spec n (inner n)); [now rewrite R, L|]. cbn [ranks steps path]. apply Nat.ltb_lt in Q as ->.
  assert (0 < Nat.log2 n) as A.
  { apply Nat.log2_pos. destruct (Nat.eq_dec n 1) as [->|]; [|lia]. exfalso. auto. }
  intros m x y M X Y. injection M as M. rewrite M in *. destruct m as [|m]; [lia|].
  assert (forall z, attached (inner n) (later (path (halving near (S m)) q)) (fun _ => 0) (fun i => i) (S m) z <> None ->
    z < inner n /\ path (halving near (S m)) q m z <> None) as H.
  { intros z. unfold attached, later. destruct (Nat.ltb_spec z (inner n)); cbn; tauto. }
  intros Gx Gy. apply H in Gx as [Bx Gx], Gy as [By Gy]. now apply (E m).
Qed.

Lemma inner_coordinates near sides : Forall (fun n => 0 < n) sides -> forall b, b < inner_blocks sides ->
  each_ends_alone (map (halving_side near) sides) (inner_rank sides b).
Proof.
  intros P. induction P as [|n ns N P IH]; intros b B; cbn [map each_ends_alone inner_rank]; auto.
  assert (fold_right Nat.mul 1 (map ranks (map (halving_side near) ns)) = extent ns) as ->.
  { rewrite map_map. unfold extent. f_equal. rewrite <- (map_id ns) at 2. apply map_ext. intros k. apply folded_ranks. }
  pose proof (inner_blocks_positive ns) as W. cbn in B. fold (extent (map inner ns)) in B. fold (inner_blocks ns) in B.
  set (w := inner_blocks ns) in *. pose proof (Nat.mod_upper_bound b w ltac:(lia)) as M.
  pose proof (inner_rank_below ns P (b mod w) M) as L. assert (b / w < inner n) as D by (apply Nat.div_lt_upper_bound; lia).
  rewrite Nat.div_add_l, (Nat.div_small (inner_rank ns _)), Nat.add_0_r by lia.
  rewrite Nat.add_comm, Nat.mod_add, (Nat.mod_small (inner_rank ns _)) by lia. split; auto. now apply halving_side_ends_alone.
Qed.

Definition merged_halving (near : bool) (sides : list nat) (seat part : nat -> rank -> rank) (lanes : nat) : schedule :=
  merged_allreduce (extent sides) (lanes * inner_blocks sides) (halving_path near sides seat part) (halving_steps sides).

Lemma merged_halving_once near sides seat part lanes : Forall (fun n => 0 < n) sides ->
  (forall l, bijection (extent sides) (seat l) (part l)) -> 0 < lanes ->
  exactly_once Allreduce (extent sides) (lanes * inner_blocks sides) (merged_halving near sides seat part lanes).
Proof.
  intros P M L. pose proof (inner_blocks_positive sides) as W. apply merged_once with (halving_owner sides seat);
    auto using extent_positive, halving_owned; [nia|].
  intros b B. unfold halving_path, seated. cbv zeta. set (l := b / inner_blocks sides).
  apply relabelled_ends_alone; auto. unfold halving_lane. pose proof (Nat.mod_upper_bound b (inner_blocks sides) ltac:(lia)) as C.
  rewrite <- (halving_torus_ranks near sides (l mod length sides)), <- (halving_torus_steps near sides (l mod length sides)).
  apply torus_ends_alone.
  - apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in P. auto using halving_side_right.
  - apply halving_interleaves.
  - pose proof (halving_torus_ranks near sides 0) as T. unfold halving_torus in T. rewrite torus_of_ranks in T. rewrite T. now apply inner_rank_below.
  - now apply inner_coordinates.
Qed.

Definition merged_rabenseifner (near : bool) (sides : list nat) (lanes : nat) : schedule :=
  merged_halving near sides (lane_seat sides) (lane_seat sides) lanes.

Theorem merged_rabenseifner_once near sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes ->
  exactly_once Allreduce (extent sides) (lanes * inner_blocks sides) (merged_rabenseifner near sides lanes).
Proof. intros P. apply merged_halving_once; auto. apply lane_seats. Qed.

Definition merged_rabenseifner_beside (near : bool) (p : nat) : schedule :=
  merged_halving near [p] (fun _ => beside p) (fun _ => beside_back p) 1.

Theorem merged_rabenseifner_beside_once near p : 0 < p -> exactly_once Allreduce p (inner p) (merged_rabenseifner_beside near p).
Proof.
  intros P. pose proof (merged_halving_once near [p] (fun _ => beside p) (fun _ => beside_back p) 1) as H.
  unfold inner_blocks in H. cbn [map] in H. unfold extent in H. cbn [fold_right] in H. rewrite !Nat.mul_1_r, Nat.mul_1_l in H.
  apply H; auto. intros _. apply beside_bijection.
Qed.

(* Folding over every product of cyclic groups *)
Lemma folding_end_alone p : end_alone (folding p).
Proof.
  intros q Q. cbn in *. apply relabelled_ends_alone; [now apply offset_bijection|]. intros m x y N X Y.
  pose proof (left_power p (Nat.log2_up p) m (enough_steps p ltac:(lia)) ltac:(lia)) as L. rewrite N in L. replace (S m - m) with 1 in L by lia. change (2 ^ 1) with 2 in L.
  assert (forall z, fold_route p m z <> None -> z = 1) as H.
  { intros z G. destruct (fold_route p m z) eqn:E; [|congruence]. apply fold_some in E as (B & _ & _ & U). lia. }
  intros Gx Gy. now rewrite (H x Gx), (H y Gy).
Qed.

Definition merged_folding_group (extents : list nat) : schedule := merged_of (folding_group extents).

Theorem merged_folding_group_once extents : Forall (fun n => 0 < n) extents -> let p := extent extents in
  exactly_once Allreduce p p (merged_folding_group extents).
Proof.
  intros S. cbv zeta. assert (forall f, In f (map folding extents) -> right f /\ end_alone f) as F.
  { intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in S. auto using folding_right, folding_end_alone. }
  assert (ranks (folding_group extents) = extent extents) as R.
  { unfold folding_group, extent. rewrite torus_of_ranks, map_map. f_equal. rewrite <- (map_id extents) at 2. now apply map_ext. }
  rewrite <- R. apply merged_factor_once.
  - rewrite R. now apply extent_positive.
  - apply torus_of_right; auto using in_turn_interleaves. apply Forall_forall. intros f I. now apply F.
  - intros q Q. unfold folding_group in *. rewrite torus_of_ranks in Q. apply torus_ends_alone; auto using in_turn_interleaves.
    + apply Forall_forall. intros f I. now apply F.
    + apply all_end_alone; auto. apply Forall_forall. intros f I. now apply F.
Qed.

(* Bine butterflies, even p *)
Definition merged_bine (halving : bool) (p : nat) : schedule := merged_of (bine halving p).

Theorem merged_bine_once halving p : 0 < p -> p = 1 \/ Nat.Even p -> exactly_once Allreduce p p (merged_bine halving p).
Proof.
  intros P N. unfold merged_bine. pose proof (merged_factor_once (bine halving p)) as H.
  pose proof (bine_with_ranks halving (fun m => half_turn (Nat.log2_up m) m) p P) as R. fold (bine halving p) in R. rewrite R in H.
  apply H; auto using bine_right. clear H R. intros q Q. unfold bine, bine_with in *. destruct (Nat.even p) eqn:V.
  - apply Nat.even_spec in V. destruct halving; apply peers_end_alone; [now apply swing_paired|].
    intros x s X. unfold reversed. now apply (swing_paired false p).
  - destruct N as [->|N]; [intros m x y E; discriminate E | apply Nat.even_spec in N; congruence].
Qed.
