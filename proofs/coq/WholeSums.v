(* Whole vectors: the sum that each rank makes, and when all make the same one. Suppose that ranks that have heard the same are alike, that
   alike ranks add alike values, and that all ranks are alike in the end. Then all hold the same sum. Recursive doubling is so on
   every torus, folded or not: after t steps along a side, the ranks with the same r / 2^t are alike. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Products Tori Relabelled SwingAll Catalogue Folded Exchange WholeVectors Latency
  Tables Sums.
Import ListNotations.

(* What rank r has added up before step t *)
Fixpoint summed (g : pull) (t : nat) (r : rank) : term :=
  match t with
  | O => Leaf r
  | S k => match g k r with
    | Some (s, Reduce) => Plus (summed g k r) (summed g k s)
    | Some (s, Copy) => summed g k s
    | None => summed g k r
    end
  end.

Section Pulls.
Variables p blocks n : nat.
Variable g : block -> pull.
Hypothesis inside : forall b t r s o, b < blocks -> t < n -> r < p -> g b t r = Some (s, o) -> s < p /\ s <> r.

Definition sums_up (t : nat) (s : places term) : Prop := forall b r, b < blocks -> r < p -> s r b = Some (summed (g b) t r).

Lemma sums_up_step t s : t < n -> sums_up t s -> sums_up (S t) (next Plus s (round p blocks g t)).
Proof.
  intros T I b r B R. unfold next. rewrite writes_round by auto. unfold gets. cbn [summed].
  destruct (g b t r) as [[x o]|] eqn:G; [|now apply I]. destruct (inside b t r x o B T R G) as [X _].
  cbn. unfold put. cbn. rewrite !I by auto. destruct o; reflexivity.
Qed.

Theorem pulls_sums b r : b < blocks -> r < p -> sums Allreduce p blocks (pulls p blocks n g) r b = Some (summed (g b) n r).
Proof.
  assert (forall k t s, t + k <= n -> sums_up t s -> sums_up (t + k) (run Plus s (map (round p blocks g) (seq t k)))) as H.
  { induction k as [|k IH]; intros t s T I; cbn; [now rewrite Nat.add_0_r|]. rewrite <- Nat.add_succ_comm.
    apply IH; [lia|]. apply sums_up_step; auto. lia. }
  apply (H n 0); [lia|]. intros d x D X. unfold leaf_start, start. apply Nat.ltb_lt in D as ->, X as ->. reflexivity.
Qed.
End Pulls.

(* Two ranks do the same with values that are alike. *)
Definition same_move (alike : rank -> rank -> Prop) (r r' : rank) (d d' : option (rank * op)) : Prop :=
  match d, d' with
  | Some (s, Reduce), Some (s', Reduce) => (alike r r' /\ alike s s') \/ (alike r s' /\ alike s r')
  | Some (s, Copy), Some (s', Copy) => alike s s'
  | Some (s, Copy), None => alike s r'
  | None, Some (s', Copy) => alike r s'
  | None, None => alike r r'
  | _, _ => False
  end.

Record coherent (e : exchanger) (alike : nat -> rank -> rank -> Prop) : Prop := {
  apart : forall r r', r < size e -> r' < size e -> alike 0 r r' -> r = r';
  kept : forall t r r', t < rounds e -> r < size e -> r' < size e -> live e (S t) r = true -> live e (S t) r' = true ->
    alike (S t) r r' -> same_move (alike t) r r' (draw e t r) (draw e t r');
  all_alike : forall r r', r < size e -> r' < size e -> alike (rounds e) r r' }.

Theorem coherent_same e alike : ready e -> coherent e alike -> forall r r', r < size e -> r' < size e ->
  same (summed (draw e) (rounds e) r) (summed (draw e) (rounds e) r') = true.
Proof.
  intros R C. assert (forall t, t <= rounds e -> forall r r', r < size e -> r' < size e -> live e t r = true -> live e t r' = true ->
    alike t r r' -> same (summed (draw e) t r) (summed (draw e) t r') = true) as H.
  { induction t as [|t IH]; intros T r r' P P' L L' A.
    - rewrite (apart _ _ C r r'); auto using same_refl.
    - pose proof (kept _ _ C t r r' ltac:(lia) P P' L L' A) as K.
      pose proof (made e R t r ltac:(lia) P L) as M. pose proof (made e R t r' ltac:(lia) P' L') as M'. cbn [summed].
      destruct (draw e t r) as [[s o]|] eqn:G; [destruct (inside e R t r s o ltac:(lia) P G) as [Si _]; destruct o|];
        (destruct (draw e t r') as [[s' o']|] eqn:G'; [destruct (inside e R t r' s' o' ltac:(lia) P' G') as [Si' _]; destruct o'|]);
        cbn [same_move] in K; try contradiction; try (apply IH; auto; lia).
      apply same_plus. destruct M, M'. destruct K as [[K1 K2]|[K1 K2]]; [left | right]; split; apply IH; auto; lia. }
  intros r r' P P'. apply H; auto; [now apply (awake e R) | now apply (awake e R) | now apply (all_alike _ _ C)].
Qed.

Definition uniform (e : exchanger) : Prop := ready e /\ exists alike, coherent e alike.

Lemma same_move_implies (A B : rank -> rank -> Prop) r r' d d' : (forall x y, A x y -> B x y) -> same_move A r r' d d' -> same_move B r r' d d'.
Proof. intros H. unfold same_move. destruct d as [[s []]|], d' as [[s' []]|]; intuition. Qed.

(* One side of recursive doubling *)
Lemma same_group t r r' : r / 2 ^ S t = r' / 2 ^ S t ->
  same_move (fun x y => x / 2 ^ t = y / 2 ^ t) r r' (Some (exchanged r t, Reduce)) (Some (exchanged r' t, Reduce)).
Proof.
  assert (2 ^ t <> 0) as P by (apply Nat.pow_nonzero; lia).
  assert (forall x, exchanged x t / 2 ^ t = Nat.lxor (x / 2 ^ t) 1) as E.
  { intros x. unfold exchanged. rewrite <- !Nat.shiftr_div_pow2, Nat.shiftr_lxor. f_equal.
    rewrite Nat.shiftr_div_pow2. now rewrite Nat.div_same. }
  rewrite Nat.pow_succ_r', (Nat.mul_comm 2), <- !Nat.div_div by lia. cbn [same_move]. rewrite !E.
  set (x := r / 2 ^ t). set (y := r' / 2 ^ t). intros H. pose proof (same_or_flipped x y) as F. rewrite H, Nat.eqb_refl in F.
  destruct (Nat.eqb_spec x y) as [->|N]; [auto|]. right. destruct (Nat.eqb_spec (Nat.lxor x 1) y) as [<-|]; [|lia].
  split; auto. now rewrite Nat.lxor_assoc, Nat.lxor_nilpotent, Nat.lxor_0_r.
Qed.

Definition side_alike (folded : bool) (a t r r' : nat) : Prop :=
  if folded then match t with O => r = r' | S k => k <= a -> r / 2 ^ k = r' / 2 ^ k end else r / 2 ^ t = r' / 2 ^ t.

Lemma doubling_side_coherent n a : 2 ^ a <= n <= 2 * 2 ^ a ->
  coherent (side n (2 ^ a) a exchanged) (side_alike (negb (n =? 2 ^ a)) a).
Proof.
  intros N. unfold side. destruct (Nat.eqb_spec n (2 ^ a)) as [->|D]; cbn [negb side_alike].
  - split; cbn [size rounds draw live side_alike].
    + intros r r' _ _. cbn [Nat.pow]. now rewrite !Nat.div_1_r.
    + intros t r r' T P P' _ _. apply same_group.
    + intros r r' P P'. now rewrite !Nat.div_small.
  - split; cbn [size rounds draw live side_alike]; auto.
    + intros [|k] r r' T P P' L L' A; cbn [side_draw] in *.
      * cbn [Nat.pow] in A. rewrite !Nat.div_1_r in A. rewrite A by lia. destruct (r' + 2 ^ a <? n); cbn; auto.
      * change (S (S k) =? 0) with false in *. cbn [orb] in *. destruct (Nat.ltb_spec k a) as [K|K].
        -- rewrite (proj2 (Nat.eqb_neq _ _)) in L, L' by lia. cbn [orb] in *. rewrite L, L'.
           apply (same_move_implies (fun x y => x / 2 ^ k = y / 2 ^ k)); [intros x y E _; exact E|].
           pose proof (A ltac:(lia)) as H. exact (same_group k r r' H).
        -- assert (forall x y, x < 2 ^ a -> y < 2 ^ a -> k <= a -> x / 2 ^ k = y / 2 ^ k) as E.
           { intros x y X Y Ka. replace k with a by lia. now rewrite !Nat.div_small. }
           destruct (Nat.ltb_spec r (2 ^ a)), (Nat.ltb_spec r' (2 ^ a)); cbn [same_move]; intros Ka; apply E; auto; lia.
    + intros r r' _ _. replace (a + 2) with (S (S a)) by lia. lia.
Qed.

(* Ranks of a product are alike if their coordinates are. *)
Section Cross.
Variables a b : exchanger.
Variable first : nat -> bool.
Hypothesis A : ready a.
Hypothesis B : ready b.
Let second (t : nat) : bool := negb (first t).
Hypothesis all_steps : turns first (rounds a + rounds b) = rounds a.
Variables alike_a alike_b : nat -> rank -> rank -> Prop.
Hypothesis Ca : coherent a alike_a.
Hypothesis Cb : coherent b alike_b.
Let x_of (r : rank) : nat := row (counted b) r.
Let y_of (r : rank) : nat := column (counted b) r.

Definition both_alike (t : nat) (r r' : rank) : Prop :=
  alike_a (turns first t) (x_of r) (x_of r') /\ alike_b (turns second t) (y_of r) (y_of r').

(* The draw along a dimension, seen from the product, for a rank that is live after the step *)
Lemma cross_first t r : first t = true -> live (cross a b first) (S t) r = true -> draw (cross a b first) t r =
  match draw a (turns first t) (x_of r) with Some (s, o) => Some (pair (counted b) s (y_of r), o) | None => None end.
Proof.
  intros F L. apply live_cross in L as [_ Lb]. destruct (turns_first a b first all_steps t F) as [_ E]. rewrite E in Lb.
  cbn [draw cross]. rewrite F. unfold x_of, y_of in *. now rewrite Lb.
Qed.

Lemma cross_second t r : first t = false -> live (cross a b first) (S t) r = true -> draw (cross a b first) t r =
  match draw b (turns second t) (y_of r) with Some (s, o) => Some (pair (counted b) (x_of r) s, o) | None => None end.
Proof.
  intros F L. apply live_cross in L as [La _]. destruct (turns_second a b first all_steps t F) as [E _]. rewrite E in La.
  cbn [draw cross]. rewrite F. unfold x_of, y_of in *. now rewrite La.
Qed.

Theorem cross_coherent : coherent (cross a b first) both_alike.
Proof.
  pose proof (second_steps (counted a) (counted b) first all_steps) as E. cbn [steps counted] in E.
  split; cbn [size rounds cross].
  - intros r r' P P' [X Y]. destruct (halves_of a b first all_steps r P) as (X1 & Y1 & <-), (halves_of a b first all_steps r' P') as (X2 & Y2 & <-).
    f_equal; [now apply (apart _ _ Ca) | now apply (apart _ _ Cb)].
  - intros t r r' T P P' L L' [X Y].
    destruct (halves_of a b first all_steps r P) as (X1 & Y1 & _), (halves_of a b first all_steps r' P') as (X2 & Y2 & _).
    pose proof (proj1 (live_cross a b first (S t) r) L) as [La Lb]. pose proof (proj1 (live_cross a b first (S t) r') L') as [La' Lb'].
    destruct (first t) eqn:F.
    + rewrite (cross_first t r F L), (cross_first t r' F L').
      destruct (turns_first a b first all_steps t F) as [E1 E2]. unfold second in *. rewrite E1, E2 in *.
      pose proof (first_in (counted a) (counted b) first all_steps t T F) as Ta.
      pose proof (kept _ _ Ca _ _ _ Ta X1 X2 La La' X) as K. unfold same_move, both_alike, x_of, y_of, second in *.
      assert (forall s x y, x < size a -> y < size b -> s = pair (counted b) x y -> row (counted b) s = x /\ column (counted b) s = y) as M.
      { intros s x y Hx Hy ->. now apply (made_of a b first all_steps). }
      destruct (draw a _ (row (counted b) r)) as [[s o]|] eqn:G; [destruct (inside a A _ _ _ _ Ta X1 G) as [Si _];
        destruct (M _ s (column (counted b) r) Si Y1 eq_refl) as [M1 M2]; destruct o|];
        (destruct (draw a _ (row (counted b) r')) as [[s' o']|] eqn:G'; [destruct (inside a A _ _ _ _ Ta X2 G') as [Si' _];
        destruct (M _ s' (column (counted b) r') Si' Y2 eq_refl) as [M1' M2']; destruct o'|]);
        try contradiction; rewrite ?M1, ?M2, ?M1', ?M2'; intuition.
    + rewrite (cross_second t r F L), (cross_second t r' F L').
      destruct (turns_second a b first all_steps t F) as [E1 E2]. unfold second in *. rewrite E1, E2 in *.
      pose proof (second_in (counted a) (counted b) first all_steps t T F) as Tb.
      pose proof (kept _ _ Cb _ _ _ Tb Y1 Y2 Lb Lb' Y) as K. unfold same_move, both_alike, x_of, y_of, second in *.
      assert (forall s x y, x < size a -> y < size b -> s = pair (counted b) x y -> row (counted b) s = x /\ column (counted b) s = y) as M.
      { intros s x y Hx Hy ->. now apply (made_of a b first all_steps). }
      destruct (draw b _ (column (counted b) r)) as [[s o]|] eqn:G; [destruct (inside b B _ _ _ _ Tb Y1 G) as [Si _];
        destruct (M _ (row (counted b) r) s X1 Si eq_refl) as [M1 M2]; destruct o|];
        (destruct (draw b _ (column (counted b) r')) as [[s' o']|] eqn:G'; [destruct (inside b B _ _ _ _ Tb Y2 G') as [Si' _];
        destruct (M _ (row (counted b) r') s' X2 Si' eq_refl) as [M1' M2']; destruct o'|]);
        try contradiction; rewrite ?M1, ?M2, ?M1', ?M2'; intuition.
  - intros r r' P P'. unfold both_alike, second. rewrite E, all_steps.
    destruct (halves_of a b first all_steps r P) as (X1 & Y1 & _), (halves_of a b first all_steps r' P') as (X2 & Y2 & _).
    split; [now apply (all_alike _ _ Ca) | now apply (all_alike _ _ Cb)].
Qed.
End Cross.

Lemma idle_coherent : coherent idle (fun _ => eq).
Proof. split; cbn; auto; try lia. Qed.

Theorem crossed_uniform es : forall order, Forall uniform es -> interleaves (map counted es) order -> uniform (crossed es order).
Proof.
  induction es as [|e es IH]; intros order U I; [split; [exact idle_ready | exists (fun _ => eq); exact idle_coherent]|].
  inversion U as [|? ? [R [alike C]] Us]; subst. destruct (IH (others order) Us) as [Rs [alikes Cs]]; [now apply (others_interleave (counted e))|].
  assert (turns (fun t => nth t order 1 =? 0) (rounds e + rounds (crossed es (others order))) = rounds e) as T.
  { rewrite crossed_rounds. change (rounds e + list_sum (map rounds es)) with (list_sum (map rounds (e :: es))).
    pose proof (interleaves_length _ _ I) as L. rewrite map_map in L. change (fun x => steps (counted x)) with rounds in L.
    rewrite <- L, turns_list. exact (I 0). }
  split; [now apply cross_ready|]. eexists. exact (cross_coherent e (crossed es (others order)) _ R Rs T alike alikes C Cs).
Qed.

(* In other seats *)
Lemma renumbered_coherent e seat part alike : bijection (size e) seat part -> ready e -> coherent e alike ->
  coherent (renumbered e seat part) (fun t r r' => alike t (part r) (part r')).
Proof.
  intros M R C. split; cbn [size rounds draw live renumbered].
  - intros r r' P P' A. destruct (M r P) as (_ & B & K & _), (M r' P') as (_ & B' & K' & _). rewrite <- K, <- K'. f_equal. now apply (apart _ _ C).
  - intros t r r' T P P' L L' A. destruct (M r P) as (_ & B & _), (M r' P') as (_ & B' & _).
    pose proof (kept _ _ C t _ _ T B B' L L' A) as K.
    assert (forall s o y, y < size e -> draw e t y = Some (s, o) -> part (seat s) = s) as S.
    { intros s o y Y G. destruct (inside e R t y s o T Y G) as [X _]. now destruct (M s X) as (_ & _ & _ & ->). }
    unfold same_move in *. destruct (draw e t (part r)) as [[s []]|] eqn:G, (draw e t (part r')) as [[s' []]|] eqn:G'; try contradiction;
      rewrite ?(S _ _ _ B G), ?(S _ _ _ B' G'); auto.
  - intros r r' P P'. destruct (M r P) as (_ & B & _), (M r' P') as (_ & B' & _). now apply (all_alike _ _ C).
Qed.

(* Recursive doubling, in any seats *)
Theorem doubling_seats_reproducible sides seat part lanes : Forall (fun n => 0 < n) sides ->
  (forall l, bijection (extent sides) (seat l) (part l)) ->
  reproducible Allreduce (extent sides) lanes (whole_vectors sides (fun _ _ => exchanged) seat part lanes).
Proof.
  intros P M b r x B R X _ _. set (peer := fun _ _ => exchanged).
  pose proof (vector_lane_ready sides peer seat part P (fun _ => doubling_meets_all) M b) as Ready.
  pose proof (vector_lane_size sides peer seat part b) as Size. pose proof (vector_lane_rounds sides peer seat part) as Rounds.
  assert (uniform (vector_torus sides peer b)) as [Rt [alike C]].
  { apply crossed_uniform.
    - apply Forall_forall. intros e E. apply in_map_iff in E as (n & <- & N). rewrite Forall_forall in P.
      split; [apply side_ready; [now apply inner_within, P | apply doubling_meets_all]|]. eexists. apply doubling_side_coherent.
      exact (inner_within n (P n N)).
    - intros w. unfold unfolding_order. rewrite map_map, !count_occ_app, count_occ_rev, count_folds, count_inner_order.
      rewrite (steps_of_side (fun n => counted (vector_side peer b n))); cbn [steps counted]; unfold vector_side; rewrite side_rounds; auto.
      destruct (nth w sides 1 =? inner (nth w sides 1)); lia. }
  unfold whole_vectors. cbv zeta. rewrite !pulls_sums by (auto;
    intros l t y s o _ T Y; rewrite memo_same; intros G; pose proof (vector_lane_size sides peer seat part l) as Z; rewrite <- Z in Y |- *;
    apply (inside _ (vector_lane_ready sides peer seat part P (fun _ => doubling_meets_all) M l) t y s o); auto; now rewrite Rounds).
  eexists. eexists. split; [reflexivity|]. split; [reflexivity|]. rewrite !memo_same, <- (Rounds b).
  rewrite <- Size in R, X. unfold vector_lane in *. apply (coherent_same _ (fun t r r' => alike t (part b r) (part b r'))); auto.
  apply renumbered_coherent; auto. pose proof (M b) as Mb. rewrite <- Size in Mb. exact Mb.
Qed.

Theorem recursive_doubling_reproducible sides lanes : Forall (fun n => 0 < n) sides ->
  reproducible Allreduce (extent sides) lanes (recursive_doubling sides lanes).
Proof. intros P. exact (doubling_seats_reproducible sides _ _ lanes P (lane_seats sides)). Qed.

Theorem doubling_beside_reproducible p : 0 < p -> reproducible Allreduce p 1 (doubling_beside p).
Proof.
  intros P. assert (extent [p] = p) as E by (cbn; lia). rewrite <- E at 1.
  apply (doubling_seats_reproducible [p] _ (fun _ => beside_back p)); [auto|]. rewrite E. intros l. apply beside_bijection.
Qed.
