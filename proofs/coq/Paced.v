(* Other paces. A step may be cut into turns, in each of which some of the ranks send; steps may follow in which nothing moves. A valid
   route stays valid. This is how even and odd ranks of a ring take turns, and how lanes of a bucket algorithm wait for each other. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products Tori TreeRoute Relabelled Catalogue SwingAll.
Import ListNotations.

(* Step t becomes the steps k * t .. k * t + k - 1; rank x sends at k * t + turn x. *)
Section Turns.
Variables p n k : nat.
Variable turn : rank -> nat.
Hypothesis turn_below : forall x, x < p -> turn x < k.
Variable q : rank.
Variable g : route.
Hypothesis V : valid p n q g.

Definition by_turns : route := fun t x => if t mod k =? turn x then g (t / k) x else None.

Lemma by_turns_some t x d : by_turns t x = Some d -> t mod k = turn x /\ g (t / k) x = Some d.
Proof. unfold by_turns. destruct (Nat.eqb_spec (t mod k) (turn x)); [auto | discriminate]. Qed.

Lemma by_turns_sends t x : by_turns t x <> None -> t mod k = turn x /\ g (t / k) x <> None.
Proof. unfold by_turns. destruct (Nat.eqb_spec (t mod k) (turn x)); [auto | congruence]. Qed.

Lemma by_turns_now t j x : j < k -> by_turns (k * t + j) x = if j =? turn x then g t x else None.
Proof.
  intros J. unfold by_turns. rewrite (Nat.mul_comm k), Nat.add_comm, Nat.mod_add, Nat.div_add, Nat.mod_small, Nat.div_small by lia.
  reflexivity.
Qed.

(* Within a step, what rank y holds moves on in y's turn, and rests on the rank that receives it. *)
Lemma by_turns_place t j x : x < p -> t < n -> j <= k -> place by_turns (k * t) x = place g t x ->
  place by_turns (k * t + j) x = if turn (place g t x) <? j then place g (S t) x else place g t x.
Proof.
  intros X T J E. assert (place g t x < p) as Y by (apply (place_below _ _ _ _ V); auto; lia).
  induction j as [|j IH]; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r. cbn [place] in *. rewrite IH by lia.
  clear IH E. revert Y. generalize (place g t x). intros y Y.
  destruct (Nat.ltb_spec (turn y) j), (Nat.ltb_spec (turn y) (S j)); try lia; rewrite by_turns_now by lia.
  - destruct (g t y) as [d|] eqn:G.
    + destruct (j =? turn d); auto. destruct (g t d) eqn:H1; auto. exfalso.
      destruct (stays _ _ _ _ V t y d T Y G) as [D _]. apply (receives_before _ _ _ _ V t t d y); auto; congruence.
    + destruct (Nat.eqb_spec j (turn y)); auto. lia.
  - replace (j =? turn y) with true; auto. symmetry. apply Nat.eqb_eq. lia.
  - destruct (Nat.eqb_spec j (turn y)); auto. lia.
Qed.

Lemma by_turns_steps t x : x < p -> t <= n -> place by_turns (k * t) x = place g t x.
Proof.
  intros X. induction t as [|t IH]; intros T; [now rewrite Nat.mul_0_r|]. rewrite Nat.mul_succ_r.
  rewrite by_turns_place by (auto; apply IH; lia).
  pose proof (turn_below _ (place_below _ _ _ _ V t x ltac:(lia) X)). destruct (Nat.ltb_spec (turn (place g t x)) k); auto. lia.
Qed.

Theorem by_turns_valid : valid p (k * n) q by_turns.
Proof.
  assert (forall t u, t <= u -> u < k * n -> t / k <= u / k /\ u / k < n) as B.
  { intros t u T U. split; [apply Nat.div_le_mono | apply Nat.div_lt_upper_bound]; lia. }
  split.
  - intros t x d T X H. apply by_turns_some in H as [_ H]. apply (stays _ _ _ _ V (t / k)); auto. now apply (B t t).
  - intros t u x U X H. apply by_turns_sends in H as [E H]. unfold by_turns. destruct (Nat.eqb_spec (u mod k) (turn x)) as [F|]; auto.
    apply (passes_once _ _ _ _ V (t / k)); auto. destruct (B t u) as [L N]; [lia|lia|]. split; auto.
    pose proof (Nat.div_mod t k ltac:(lia)). pose proof (Nat.div_mod u k ltac:(lia)). nia.
  - intros t u x y U X Y H G. apply by_turns_sends in H as [_ H]. apply by_turns_some in G as [_ G].
    apply (receives_before _ _ _ _ V (t / k) (u / k) x y); auto. destruct (B t u); lia.
  - intros x X. rewrite by_turns_steps by auto. now apply (arrives _ _ _ _ V).
Qed.
End Turns.

(* Nothing moves from step n on. *)
Definition resting (n : nat) (g : route) : route := fun t x => if t <? n then g t x else None.

Lemma resting_place n g t x : place (resting n g) t x = place g (Nat.min t n) x.
Proof.
  induction t as [|t IH]; auto. cbn [place]. rewrite IH. unfold resting. destruct (Nat.ltb_spec t n).
  - now rewrite !Nat.min_l by lia.
  - now rewrite !Nat.min_r by lia.
Qed.

Theorem resting_valid p n m q g : n <= m -> valid p n q g -> valid p m q (resting n g).
Proof.
  intros M V. assert (forall t x d, resting n g t x = Some d -> t < n /\ g t x = Some d) as R.
  { intros t x d. unfold resting. destruct (Nat.ltb_spec t n); [auto | discriminate]. }
  assert (forall t x, resting n g t x <> None -> t < n /\ g t x <> None) as S.
  { intros t x. unfold resting. destruct (Nat.ltb_spec t n); [auto | congruence]. }
  split.
  - intros t x d _ X H. apply R in H as [T H]. now apply (stays _ _ _ _ V t).
  - intros t u x U X H. apply S in H as [_ H]. unfold resting. destruct (Nat.ltb_spec u n); auto.
    apply (passes_once _ _ _ _ V t); auto. lia.
  - intros t u x y U X Y H G. apply S in H as [_ H]. apply R in G as [L G]. apply (receives_before _ _ _ _ V t u x y); auto. lia.
  - intros x X. rewrite resting_place, Nat.min_r by auto. now apply (arrives _ _ _ _ V).
Qed.

(* Factors *)
Definition turns_factor (k : nat) (turn : rank -> nat) (f : factor) : factor :=
  Factor (ranks f) (k * steps f) (fun q => by_turns k turn (path f q)).
Definition resting_factor (m : nat) (f : factor) : factor := Factor (ranks f) m (fun q => resting (steps f) (path f q)).

Lemma turns_right k turn f : (forall x, x < ranks f -> turn x < k) -> right f -> right (turns_factor k turn f).
Proof. intros T R q Q. now apply by_turns_valid, R. Qed.

Lemma resting_right m f : steps f <= m -> right f -> right (resting_factor m f).
Proof. intros M R q Q. now apply resting_valid, R. Qed.

(* A ring in which the even ranks send first, then the odd ones. If p is odd, ranks p - 1 and 0 are both even: p - 1 sends last. *)
Definition ring_turns (p : nat) : nat := if Nat.even p then 2 else 3.
Definition ring_turn (p x : nat) : nat := if negb (Nat.even p) && (S x =? p) then 2 else x mod 2.
Definition ring_by_turns (p : nat) : factor := turns_factor (ring_turns p) (ring_turn p) (ring p).

Lemma ring_turn_below p x : ring_turn p x < ring_turns p.
Proof.
  unfold ring_turn, ring_turns. pose proof (Nat.mod_upper_bound x 2 ltac:(lia)). destruct (Nat.even p), (S x =? p); cbn [negb andb]; lia.
Qed.

(* In no turn does a rank send and receive. *)
Theorem ring_turns_apart p x y : x < p -> y < p -> 1 < p -> (x + 1) mod p = y -> ring_turn p x <> ring_turn p y.
Proof.
  intros X Y P E. assert (S x = p /\ y = 0 \/ S x < p /\ y = S x) as [[A ->]|[A ->]].
  { destruct (Nat.eq_dec (S x) p) as [F|F].
    - left. rewrite Nat.add_1_r, F, Nat.mod_same in E by lia. auto.
    - right. rewrite Nat.mod_small in E by lia. lia. }
  - unfold ring_turn. rewrite <- A at 3. rewrite A, Nat.eqb_refl. destruct (Nat.even p) eqn:V; cbn [negb andb].
    + apply Nat.even_spec in V as [h V]. rewrite Nat.mod_0_l by lia. replace x with (1 + (h - 1) * 2) by lia.
      rewrite Nat.mod_add by lia. discriminate.
    + destruct (Nat.eqb_spec 1 p); [lia|]. rewrite Nat.mod_0_l by lia. discriminate.
  - assert (x mod 2 <> S x mod 2) as M.
    { pose proof (Nat.div_mod x 2 ltac:(lia)). pose proof (Nat.div_mod (S x) 2 ltac:(lia)).
      pose proof (Nat.mod_upper_bound x 2 ltac:(lia)). pose proof (Nat.mod_upper_bound (S x) 2 ltac:(lia)). lia. }
    unfold ring_turn. replace (S x =? p) with false by (symmetry; apply Nat.eqb_neq; lia). rewrite andb_false_r.
    pose proof (Nat.mod_upper_bound x 2 ltac:(lia)). destruct (negb (Nat.even p) && (S (S x) =? p)); auto. lia.
Qed.

Theorem ring_by_turns_once p : 0 < p -> all_once (ring_by_turns p).
Proof.
  intros P. apply factor_once; auto. apply turns_right; [|now apply ring_right]. intros x _. apply ring_turn_below.
Qed.

(* Bucket on several lanes: lane l begins with dimension l mod D, and goes on with those after it; lanes from D on go to the left. In each
   dimension, all lanes wait until those on the longest side are done. *)
Definition ring_way (mirrored : bool) (n : nat) : factor :=
  if mirrored then relabelled_factor (opposite n) (opposite n) (ring n) else ring n.
Definition phase (sides : list nat) : nat := list_max sides - 1.
Definition bucket_order (sides : list nat) (first : nat) : list nat :=
  flat_map (fun w => repeat w (phase sides)) (around first (length sides)).
Definition bucket_lane (sides : list nat) (l : nat) : factor :=
  torus_factor (torus_of (map (fun n => resting_factor (phase sides) (ring_way (length sides <=? l) n)) sides)
                         (bucket_order sides (l mod length sides))).

Definition bucket_reduce_scatter (sides : list nat) (lanes : nat) : schedule :=
  laned_reduce_scatter (bucket_lane sides 0) lanes (bucket_lane sides).
Definition bucket_allgather (sides : list nat) (lanes : nat) : schedule :=
  laned_allgather (bucket_lane sides 0) lanes (bucket_lane sides).
Definition bucket_allreduce (sides : list nat) (lanes : nat) : schedule :=
  laned_allreduce (bucket_lane sides 0) lanes (bucket_lane sides).

Lemma ring_way_right mirrored n : 0 < n -> right (ring_way mirrored n).
Proof.
  intros N. destruct mirrored; [apply relabelled_right; [apply opposite_bijection|]|]; now apply ring_right.
Qed.

Lemma ring_way_ranks mirrored n : ranks (ring_way mirrored n) = n /\ steps (ring_way mirrored n) = n - 1.
Proof. destruct mirrored; auto. Qed.

Lemma ring_way_short mirrored sides n : In n sides -> steps (ring_way mirrored n) <= phase sides.
Proof.
  intros N. destruct (ring_way_ranks mirrored n) as [_ ->]. unfold phase.
  pose proof (proj1 (list_max_le sides (list_max sides)) (le_n _)) as M. rewrite Forall_forall in M. specialize (M n N). lia.
Qed.

Lemma bucket_order_interleaves sides m l : interleaves (map (fun n => resting_factor (phase sides) (ring_way m n)) sides) (bucket_order sides l).
Proof.
  intros w. unfold bucket_order. assert (forall ds, count_occ Nat.eq_dec (flat_map (fun w => repeat w (phase sides)) ds) w =
    count_occ Nat.eq_dec ds w * phase sides) as C.
  { induction ds as [|d ds IH]; auto. cbn [flat_map]. rewrite count_occ_app, count_repeat, IH. cbn [count_occ].
    destruct (Nat.eqb_spec d w), (Nat.eq_dec d w); try congruence; lia. }
  rewrite C. destruct (le_lt_dec (length sides) w) as [W|W].
  - rewrite nth_overflow by (now rewrite map_length). cbn. unfold around. rewrite count_occ_app, !count_seq.
    destruct (Nat.leb_spec (l mod length sides) w), (Nat.ltb_spec w (l mod length sides + (length sides - l mod length sides))),
      (Nat.ltb_spec w (0 + l mod length sides)); cbn; try lia;
      destruct sides as [|n ns]; cbn in *; try lia; pose proof (Nat.mod_upper_bound l (S (length ns))); cbn in *; lia.
  - rewrite count_around, Nat.mul_1_l by auto. symmetry. apply (nth_In _ 0) in W as I.
    rewrite (nth_indep _ alone (resting_factor (phase sides) (ring_way m 0))) by (now rewrite map_length).
    now rewrite (map_nth (fun n => resting_factor (phase sides) (ring_way m n))).
Qed.

Section Bucket.
Variable sides : list nat.
Hypothesis some : Forall (fun n => 0 < n) sides.

Lemma bucket_lane_ranks l : ranks (bucket_lane sides l) = extent sides.
Proof.
  unfold bucket_lane. rewrite torus_of_ranks, map_map. unfold extent. f_equal. rewrite <- (map_id sides) at 2. apply map_ext.
  intros n. apply (ring_way_ranks _ n).
Qed.

Lemma bucket_lane_steps l : steps (bucket_lane sides l) = steps (bucket_lane sides 0).
Proof. unfold bucket_lane. now rewrite !torus_of_steps, !map_map. Qed.

Lemma bucket_lane_right l : right (bucket_lane sides l).
Proof.
  apply torus_of_right; [|apply bucket_order_interleaves]. apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N).
  rewrite Forall_forall in some. apply resting_right; [now apply ring_way_short | now apply ring_way_right, some].
Qed.

Theorem bucket_lanes_once lanes : 0 < lanes -> let p := extent sides in
  exactly_once (ReduceScatter (owner p)) p (lanes * p) (bucket_reduce_scatter sides lanes) /\
  exactly_once (Allgather (owner p)) p (lanes * p) (bucket_allgather sides lanes) /\
  exactly_once Allreduce p (lanes * p) (bucket_allreduce sides lanes).
Proof.
  intros L. cbv zeta. rewrite <- (bucket_lane_ranks 0). apply lanes_once; auto.
  - intros l _. rewrite !bucket_lane_ranks, bucket_lane_steps. auto using bucket_lane_right.
  - rewrite bucket_lane_ranks. now apply extent_positive.
Qed.
End Bucket.
