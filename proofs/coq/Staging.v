(* How many blocks a rank holds for others in PAT: A k - 1 at most if far edges come first, and A (floor(k/2) + 1) - 1 if near ones do, for
   p up to 2^L, aggregation A < 2^L, and subtrees of k = L - log2 A levels. A block counts between two steps if the rank has received
   something of it before, sends it afterwards, and isn't its owner. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors TreeRoute Relabelled Catalogue Turned Pat.
Import ListNotations.

Definition receives (r : rank) (b : block) (sch : schedule) : bool := existsb (existsb (fun t => (dst t =? r) && (what t =? b))) sch.
Definition sends (r : rank) (b : block) (sch : schedule) : bool := existsb (existsb (fun t => (src t =? r) && (what t =? b))) sch.

(* The blocks of p that rank r stages after the steps `before`, if the steps `after` are still to come *)
Definition stages (p : nat) (r : rank) (before after : schedule) (b : block) : bool :=
  negb (r =? owner p b) && receives r b before && sends r b after.
Definition staged (p : nat) (r : rank) (before after : schedule) : nat := length (filter (stages p r before after) (seq 0 p)).

Definition count (f : nat -> bool) (n : nat) : nat := length (filter f (seq 0 n)).

Lemma count_less f g n : (forall x, x < n -> f x = true -> g x = true) -> count f n <= count g n.
Proof.
  unfold count. intros H. induction n as [|n IH]; [cbn; lia|]. rewrite seq_S, !filter_app, !app_length. cbn [plus filter].
  specialize (IH ltac:(intros; apply H; auto)). specialize (H n). destruct (f n); [rewrite H by auto|destruct (g n)]; cbn [length]; lia.
Qed.

Lemma count_more f n m : n <= m -> count f n <= count f m.
Proof. intros L. unfold count. replace m with (n + (m - n)) by lia. rewrite seq_app, filter_app, app_length. lia. Qed.

Lemma count_none f n : (forall x, x < n -> f x = false) -> count f n = 0.
Proof. intros H. unfold count. rewrite filter_none; auto. intros x X. apply in_below in X. auto. Qed.

Lemma count_shift f k n : length (filter f (seq k n)) = count (fun x => f (k + x)) n.
Proof.
  unfold count. induction n as [|n IH]; [reflexivity|]. rewrite !seq_S, !filter_app, !app_length, IH. cbn [plus filter].
  destruct (f (k + n)); reflexivity.
Qed.

Lemma count_sum f n m : count f (n + m) = count f n + count (fun x => f (n + x)) m.
Proof. unfold count at 1. rewrite seq_app, filter_app, app_length. cbn [plus]. now rewrite (count_shift f n). Qed.

(* All but 0, and 0 *)
Lemma count_first f g n : (forall x, 0 < x < n -> f x = true -> g x = true) -> count f n <= (if f 0 then 1 else 0) + count g n.
Proof.
  intros H. destruct n as [|n]; [cbn; lia|]. change (S n) with (1 + n). rewrite !count_sum.
  assert (count (fun x => f (1 + x)) n <= count (fun x => g (1 + x)) n) by (apply count_less; intros x X; apply H; lia).
  assert (count f 1 = if f 0 then 1 else 0) as -> by (unfold count; cbn; destruct (f 0); reflexivity). lia.
Qed.

Lemma count_injective f g h n m : (forall x, x < n -> f x = true -> h x < m /\ g (h x) = true) ->
  (forall x y, x < n -> y < n -> h x = h y -> x = y) -> count f n <= count g m.
Proof.
  intros H I. unfold count. rewrite <- (map_length h). apply NoDup_incl_length.
  - assert (forall l, NoDup l -> (forall x, In x l -> x < n) -> NoDup (map h (filter f l))) as D; [|apply D; [apply seq_NoDup | intros x; apply in_below]].
    induction 1 as [|x l O _ IH]; cbn; intros B; [constructor|]. destruct (f x); cbn; auto. constructor; auto.
    intros J. apply in_map_iff in J as (y & E & J). apply filter_In in J as [J _]. apply O. rewrite <- (I y x); auto.
  - intros y Y. apply in_map_iff in Y as (x & <- & X). apply filter_In in X as [X F]. apply in_below in X.
    apply filter_In. rewrite in_below. now apply H.
Qed.

(* Of one subtree, offset y is held after its first m edges. Its own root isn't counted. *)
Section Held.
Variable times : nat -> nat -> nat.   (* when an offset of a subtree of so many levels is reached *)

Definition held (k m y : nat) : bool :=
  (0 <? y) && (times k y <=? m) && existsb (fun c => (0 <? c) && (parent k c =? y) && (m <? times k c)) (seq 0 (2 ^ k)).

Lemma held_true k m y : held k m y = true <->
  0 < y /\ times k y <= m /\ exists c, 0 < c < 2 ^ k /\ parent k c = y /\ m < times k c.
Proof.
  unfold held. rewrite !andb_true_iff, Nat.ltb_lt, Nat.leb_le, existsb_exists. split.
  - intros ((Y & M) & c & C & E). rewrite !andb_true_iff, !Nat.ltb_lt, Nat.eqb_eq in E. apply in_below in C. repeat split; auto.
    exists c. intuition.
  - intros (Y & M & c & C & P & L). repeat split; auto. exists c. rewrite !andb_true_iff, !Nat.ltb_lt, Nat.eqb_eq, in_below. intuition.
Qed.

End Held.

(* Far edges first. Below the half, or its root, or above it: one level down *)
Lemma held_low k m y : y < 2 ^ k -> held by_depth (S k) m y = true -> 2 ^ k <= m /\ held by_depth k (m - 2 ^ k) y = true.
Proof.
  rewrite !held_true. intros Y (P & M & c & C & E & L). rewrite half_again in C. cbn [by_depth parent] in *. cbv zeta in *.
  destruct (Nat.eqb_spec y 0); [lia|]. destruct (Nat.ltb_spec y (2 ^ k)); [|lia].
  destruct (Nat.ltb_spec c (2 ^ k)); [|destruct (Nat.eqb_spec c (2 ^ k)); lia]. destruct (Nat.eqb_spec c 0); [lia|].
  split; [lia|]. repeat split; auto; [lia|]. exists c. repeat split; auto; lia.
Qed.

Lemma held_high k m z : z < 2 ^ k -> held by_depth (S k) m (2 ^ k + z) = true -> m < 2 ^ k /\ 0 < k /\ (0 < z -> held by_depth k (m - 1) z = true).
Proof.
  rewrite !held_true. intros Z (P & M & c & C & E & L). rewrite half_again in C. cbn [by_depth parent] in *. cbv zeta in *.
  destruct (Nat.ltb_spec c (2 ^ k)); [pose proof (parent_down k c ltac:(lia)); lia|].
  destruct (Nat.eqb_spec c (2 ^ k)); [pose proof (power_positive k); lia|]. destruct (Nat.eqb_spec c 0); [lia|].
  destruct (Nat.eqb_spec (2 ^ k + z) 0); [lia|]. destruct (Nat.ltb_spec (2 ^ k + z) (2 ^ k)); [lia|].
  replace (2 ^ k + z - 2 ^ k) with z in M by lia. pose proof (by_depth_in k (c - 2 ^ k) ltac:(lia)).
  split; [lia|]. split; [destruct k; [cbn in *; lia | lia]|]. intros Q. repeat split; auto; [lia|].
  exists (c - 2 ^ k). repeat split; lia.
Qed.

Lemma held_few k : forall m, count (held by_depth k m) (2 ^ k) <= k - 1.
Proof.
  induction k as [|k IH]; intros m; [cbn; lia|]. rewrite half_again, count_sum. destruct (le_lt_dec (2 ^ k) m) as [L|L].
  - rewrite (count_none (fun z => held by_depth (S k) m (2 ^ k + z))).
    + specialize (IH (m - 2 ^ k)). enough (count (held by_depth (S k) m) (2 ^ k) <= count (held by_depth k (m - 2 ^ k)) (2 ^ k)) by lia.
      apply count_less. intros y Y H. now apply held_low.
    + intros z Z. destruct (held by_depth (S k) m (2 ^ k + z)) eqn:H; auto. apply held_high in H; auto. lia.
  - rewrite (count_none (held by_depth (S k) m)).
    + specialize (IH (m - 1)). pose proof (count_first (fun z => held by_depth (S k) m (2 ^ k + z)) (held by_depth k (m - 1)) (2 ^ k)) as C.
      specialize (C ltac:(intros z Z H; apply held_high in H as (_ & _ & H); [now apply H | lia])). cbv beta in C.
      destruct (held by_depth (S k) m (2 ^ k + 0)) eqn:H; [|lia].
      apply held_high in H; [lia | apply power_positive].
    + intros y Y. destruct (held by_depth (S k) m y) eqn:H; auto. apply held_low in H; auto. lia.
Qed.

(* Near edges first *)
Definition at_once (k y : nat) : nat := y.

Lemma root_children k c : 0 < c < 2 ^ S k -> parent (S k) c = 0 -> c <= 2 ^ k.
Proof.
  intros C E. cbn [parent] in E. cbv zeta in E. pose proof (power_positive k).
  destruct (Nat.ltb_spec c (2 ^ k)); [lia|]. destruct (Nat.eqb_spec c (2 ^ k)); lia.
Qed.

Lemma near_low k m y : y < 2 ^ k -> held at_once (S k) m y = true -> m < 2 ^ k /\ held at_once k m y = true.
Proof.
  rewrite !held_true. unfold at_once. intros Y (P & M & c & C & E & L). rewrite half_again in C. cbn [parent] in E. cbv zeta in E.
  destruct (Nat.ltb_spec c (2 ^ k)); [|destruct (Nat.eqb_spec c (2 ^ k)); lia].
  split; [lia|]. repeat split; auto. exists c. repeat split; auto; lia.
Qed.

Lemma near_high k m z : z < 2 ^ k -> held at_once (S k) m (2 ^ k + z) = true ->
  2 ^ k <= m /\ (0 < z -> held at_once k (m - 2 ^ k) z = true) /\ (z = 0 -> exists j, k = S j /\ m - 2 ^ k < 2 ^ j).
Proof.
  rewrite !held_true. unfold at_once. intros Z (P & M & c & C & E & L). rewrite half_again in C. cbn [parent] in E. cbv zeta in E.
  destruct (Nat.ltb_spec c (2 ^ k)); [pose proof (parent_down k c ltac:(lia)); lia|].
  destruct (Nat.eqb_spec c (2 ^ k)); [pose proof (power_positive k); lia|].
  assert (parent k (c - 2 ^ k) = z) as D by lia. split; [lia|]. split.
  - intros Q. repeat split; auto; [lia|]. exists (c - 2 ^ k). repeat split; auto; lia.
  - intros ->. destruct k as [|j]; [cbn in *; lia|]. exists j. split; auto.
    pose proof (root_children j (c - 2 ^ S j) ltac:(lia) D). lia.
Qed.

Lemma near_below k m : m < 2 ^ k -> count (held at_once (S k) m) (2 ^ S k) <= count (held at_once k m) (2 ^ k).
Proof.
  intros M. rewrite half_again, count_sum. rewrite (count_none (fun z => held at_once (S k) m (2 ^ k + z))).
  - rewrite Nat.add_0_r. apply count_less. intros y Y H. now apply near_low.
  - intros z Z. destruct (held at_once (S k) m (2 ^ k + z)) eqn:H; auto. apply near_high in H; auto. lia.
Qed.

Lemma near_few k : forall m, count (held at_once k m) (2 ^ k) <= k / 2.
Proof.
  induction k as [k IH] using lt_wf_ind. intros m. destruct k as [|k]; [cbn; lia|]. destruct (le_lt_dec (2 ^ k) m) as [L|L].
  - rewrite half_again, count_sum, (count_none (held at_once (S k) m)).
    + pose proof (count_first (fun z => held at_once (S k) m (2 ^ k + z)) (held at_once k (m - 2 ^ k)) (2 ^ k)) as C.
      specialize (C ltac:(intros z Z H; apply near_high in H as (_ & H & _); [now apply H | lia])). cbv beta in C.
      destruct (held at_once (S k) m (2 ^ k + 0)) eqn:H.
      * apply near_high in H as (_ & _ & H); [|apply power_positive]. destruct (H eq_refl) as (j & -> & J).
        pose proof (near_below j _ J). specialize (IH j ltac:(lia) (m - 2 ^ S j)).
        assert (S (S j) / 2 = j / 2 + 1) as -> by (replace (S (S j)) with (j + 1 * 2) by lia; now apply Nat.div_add). lia.
      * specialize (IH k ltac:(lia) (m - 2 ^ k)). pose proof (Nat.div_le_mono k (S k) 2 ltac:(lia) ltac:(lia)). lia.
    + intros y Y. destruct (held at_once (S k) m y) eqn:H; auto. apply near_low in H; auto. lia.
  - pose proof (near_below k m L). specialize (IH k ltac:(lia) m). pose proof (Nat.div_le_mono k (S k) 2 ltac:(lia) ltac:(lia)). lia.
Qed.

(* At most so many offsets of a subtree of k levels are held. *)
Definition few (near : bool) (k : nat) : nat := if near then k / 2 else k - 1.

Lemma held_at_most near k m : count (held (times_of near) k m) (2 ^ k) <= few near k.
Proof. destruct near; [apply near_few | apply held_few]. Qed.

(* In all subtrees: offset d is reached by step s, but one of its children isn't. *)
Section Tree.
Variable near : bool.
Variables a k : nat.
Definition reach : nat -> nat := reached a k (times_of near k).

Definition waits (s d : nat) : bool :=
  (0 <? d) && (reach d <=? s) &&
  existsb (fun e => (0 <? e) && (tree_parent a k e =? d) && (s <? reach e)) (seq 0 (2 ^ (a + k))).

Lemma waits_true s d : waits s d = true <->
  0 < d /\ reach d <= s /\ exists e, 0 < e < 2 ^ (a + k) /\ tree_parent a k e = d /\ s < reach e.
Proof.
  unfold waits. rewrite !andb_true_iff, Nat.ltb_lt, Nat.leb_le, existsb_exists. split.
  - intros ((Y & M) & c & C & E). rewrite !andb_true_iff, !Nat.ltb_lt, Nat.eqb_eq in E. apply in_below in C. repeat split; auto.
    exists c. intuition.
  - intros (Y & M & c & C & P & L). repeat split; auto. exists c. rewrite !andb_true_iff, !Nat.ltb_lt, Nat.eqb_eq, in_below. intuition.
Qed.

(* In subtree h: its root, unless that is 0, and what is held in it *)
Lemma waits_held s h y : 0 < y < 2 ^ k -> waits s (h * 2 ^ k + y) = true -> held (times_of near) k (s + 1 - a) y = true.
Proof.
  rewrite waits_true, held_true. intros Y (_ & R & e & E & P & L). destruct (number_of k h y ltac:(lia)) as [Dh Dy].
  unfold reach, reached in R. cbv zeta in R. rewrite Dy in R. destruct (Nat.eqb_spec y 0); [lia|]. pose proof (times_of_in near k y Y).
  split; [lia|]. split; [lia|]. destruct (split_offset a k e) as (_ & _ & B); [lia|].
  unfold tree_parent, reach, reached in P, L. cbv zeta in P, L. destruct (Nat.eqb_spec (e mod 2 ^ k) 0).
  - exfalso. assert (y = 0); [|lia]. rewrite <- Dy, <- P. apply Nat.mod_mul. lia.
  - pose proof (parent_down k (e mod 2 ^ k) ltac:(lia)). destruct (number_of k (e / 2 ^ k) (parent k (e mod 2 ^ k)) ltac:(lia)) as [_ M].
    rewrite P, Dy in M. exists (e mod 2 ^ k). pose proof (times_of_in near k (e mod 2 ^ k) ltac:(lia)). repeat split; lia.
Qed.

Lemma waits_subtrees s n : count (waits s) (n * 2 ^ k) <= n * (1 + few near k) - 1.
Proof.
  induction n as [|n IH]; [cbn; lia|]. rewrite Nat.mul_succ_l, count_sum.
  pose proof (count_first (fun y => waits s (n * 2 ^ k + y)) (held (times_of near) k (s + 1 - a)) (2 ^ k)) as C.
  specialize (C ltac:(intros y Y; now apply waits_held)). pose proof (held_at_most near k (s + 1 - a)).
  destruct n; [cbn [Nat.mul plus] in *; change (waits s 0) with false in C; cbn in C; lia|].
  destruct (waits s (S n * 2 ^ k + 0)); lia.
Qed.

Theorem waits_few s : count (waits s) (2 ^ (a + k)) <= 2 ^ a * (1 + few near k) - 1.
Proof. rewrite Nat.pow_add_r. apply waits_subtrees. Qed.
End Tree.

(* From the tree to the schedules: step t of the reduce-scatter is step n - 1 - t of the allgather. *)
Section Schedules.
Variable near : bool.
Variables p top k : nat.
Hypothesis P : p <= 2 ^ (top + k).
Let times : nat -> nat := times_of near k.
Let n : nat := pat_steps top k.
Let f : factor := turned_factor p n (pat_route top k times).

Lemma here_valid : valid p n 0 (pat_route top k times).
Proof. apply pat_valid; auto; [apply times_of_in | apply times_of_later]. Qed.

Definition displaced (r : rank) (b : block) : nat := (r + (p - b)) mod p.

Lemma displaced_offset r b : b < p -> offset p (owner p b) r = displaced r b.
Proof. intros B. unfold offset, displaced, owner. now rewrite (Nat.mod_small b). Qed.

(* Who sends block b at step t, and to whom *)
Lemma route_some b t x d : b < p -> x < p -> one_path f b t x = Some d ->
  let e := displaced x b in 0 < e /\ t = n - 1 - reached top k times e /\ d < p /\ displaced d b = tree_parent top k e /\ e < p.
Proof.
  intros B X H. assert (owner p b = b) as O by now apply Nat.mod_small. unfold one_path, f in H. cbn [ranks path turned_factor] in H.
  rewrite O in H. cbv zeta. unfold turned in H.
  pose proof (relabelled_some p n (at_offset p b) (offset p b) (offset_bijection p b B) 0 (pat_route top k times) here_valid t x d) as R.
  assert (t < n) as T.
  { unfold relabelled in H. destruct (pat_route top k times t (offset p b x)) eqn:E; [|discriminate]. apply tree_some in E as (Q & -> & _).
    pose proof (displaced_offset x b B) as D. rewrite O in D.
    assert (offset p b x < p) by (apply Nat.mod_upper_bound; lia). pose proof (reached_in top k times (times_of_in near k) (offset p b x) ltac:(lia)). unfold n. lia. }
  destruct (R T X H) as [Y E]. pose proof (displaced_offset x b B) as Dx. pose proof (displaced_offset d b B) as Dd. rewrite O in Dx, Dd.
  rewrite Dx, Dd in E. apply tree_some in E as (Q & -> & ->). repeat split; auto. apply Nat.mod_upper_bound. lia.
Qed.

(* Whoever has received something of a block from step m on, and has sent before it, or the other way around in time *)
Definition split_at (m : nat) (r : rank) (b : block) : Prop :=
  (exists t y, m <= t /\ r < p /\ one_path f b t r = Some y) /\ (exists t x, t < m /\ x < p /\ one_path f b t x = Some r).

Lemma split_waits m r b : b < p -> r < p -> split_at m r b -> waits near top k (n - 1 - m) (displaced r b) = true.
Proof.
  intros B R ((t & y & T & _ & H) & (u & x & U & X & G)). apply waits_true; unfold reach; fold times.
  destruct (route_some b t r y B R H) as (D & -> & _ & _ & L). destruct (route_some b u x r B X G) as (E & -> & _ & F & M).
  pose proof (reached_in top k times (times_of_in near k) (displaced r b) ltac:(lia)). pose proof (reached_in top k times (times_of_in near k) (displaced x b) ltac:(lia)). unfold n in *.
  split; [exact D|]. split; [lia|]. exists (displaced x b). repeat split; auto; lia.
Qed.

Lemma split_few m r (g : block -> bool) : r < p -> (forall b, b < p -> g b = true -> split_at m r b) -> count g p <= 2 ^ top * (1 + few near k) - 1.
Proof.
  intros R G. etransitivity; [|apply (waits_few near top k (n - 1 - m))].
  apply Nat.le_trans with (count (waits near top k (n - 1 - m)) p); [|apply count_more; exact P].
  apply count_injective with (displaced r).
  - intros b B H. split; [apply Nat.mod_upper_bound; lia|]. apply split_waits; auto.
  - intros b c B C E. unfold displaced in E. destruct (Nat.le_ge_cases b c).
    + assert (p - b = p - c); [|lia]. apply (f_equal (fun z => (z + (p - r)) mod p)) in E. rewrite !Nat.add_mod_idemp_l in E by lia.
      replace (r + (p - b) + (p - r)) with (p - b + 1 * p) in E by lia. replace (r + (p - c) + (p - r)) with (p - c + 1 * p) in E by lia.
      rewrite !Nat.mod_add in E by lia. destruct (Nat.eq_dec b 0) as [->|N].
      * rewrite Nat.sub_0_r, Nat.mod_same in E by lia. destruct (Nat.eq_dec c 0); [lia|]. rewrite Nat.mod_small in E; lia.
      * rewrite !Nat.mod_small in E; lia.
    + assert (p - b = p - c); [|lia]. apply (f_equal (fun z => (z + (p - r)) mod p)) in E. rewrite !Nat.add_mod_idemp_l in E by lia.
      replace (r + (p - b) + (p - r)) with (p - b + 1 * p) in E by lia. replace (r + (p - c) + (p - r)) with (p - c + 1 * p) in E by lia.
      rewrite !Nat.mod_add in E by lia. destruct (Nat.eq_dec c 0) as [->|N].
      * rewrite Nat.sub_0_r, Nat.mod_same in E by lia. destruct (Nat.eq_dec b 0); [lia|]. rewrite Nat.mod_small in E; lia.
      * rewrite !Nat.mod_small in E; lia.
Qed.

Lemma exists_move (h : transfer -> bool) sch : existsb (existsb h) sch = true -> exists st t, In st sch /\ In t st /\ h t = true.
Proof. rewrite existsb_exists. intros (st & S & H). apply existsb_exists in H as (t & T & H). eauto. Qed.

Lemma in_filter_map {A} (g : A -> step) l u v : filter busy (map g l) = u ++ v -> exists l1 l2, l = l1 ++ l2 /\
  (forall st, In st u -> exists x, In x l1 /\ st = g x) /\ (forall st, In st v -> exists x, In x l2 /\ st = g x).
Proof.
  revert u. induction l as [|x l IH]; intros u; cbn [map filter].
  - intros H. symmetry in H. apply app_eq_nil in H as [-> ->]. exists [], []. repeat split; auto; intros st [].
  - destruct (busy (g x)).
    + destruct u as [|st u]; cbn [app].
      * intros H. exists [], (x :: l). repeat split; [intros st []|]. intros st S. rewrite <- H in S. destruct S as [<-|S].
        -- exists x. cbn. auto.
        -- apply filter_In in S as [S _]. apply in_map_iff in S as (y & <- & Y). exists y. cbn. auto.
      * intros H. injection H as <- H. destruct (IH u H) as (l1 & l2 & -> & U & V). exists (x :: l1), l2. repeat split; auto.
        intros st [<-|S]; [exists x; cbn; auto|]. destruct (U st S) as (y & Y & ->). exists y. cbn. auto.
    + intros H. destruct (IH u H) as (l1 & l2 & -> & U & V). exists (x :: l1), l2. repeat split; auto.
      intros st S. destruct (U st S) as (y & Y & ->). exists y. cbn. auto.
Qed.

Lemma seq_split l1 l2 : seq 0 n = l1 ++ l2 -> (forall x, In x l1 -> x < length l1) /\ (forall x, In x l2 -> length l1 <= x).
Proof.
  intros E. assert (length l1 + length l2 = n) as L by now rewrite <- app_length, <- E, seq_length.
  assert (l1 = seq 0 (length l1) /\ l2 = seq (length l1) (length l2)) as [A B].
  { rewrite <- L, seq_app in E. cbn [plus] in E. apply app_eq_app in E as (w & [[X Y]|[X Y]]).
    - assert (w = []) as -> by (apply (f_equal (@length _)) in X; rewrite app_length, seq_length in X; destruct w; auto; cbn in X; lia).
      rewrite app_nil_r in X. cbn in Y. auto.
    - assert (w = []) as -> by (apply (f_equal (@length _)) in X; rewrite app_length, seq_length in X; destruct w; auto; cbn in X; lia).
      rewrite app_nil_r in X. cbn in Y. auto. }
  split; intros x X; [rewrite A in X | rewrite B in X]; apply in_seq in X; lia.
Qed.

Lemma moves_of r b sch : (receives r b sch = true -> exists st t, In st sch /\ In t st /\ dst t = r /\ what t = b) /\
  (sends r b sch = true -> exists st t, In st sch /\ In t st /\ src t = r /\ what t = b).
Proof.
  split; intros H; apply exists_move in H as (st & t & S & T & H); rewrite andb_true_iff, !Nat.eqb_eq in H; exists st, t; tauto.
Qed.

Lemma allgather_splits before after : filter busy (allgather_of f) = before ++ after ->
  exists m, forall r b, r < p -> b < p -> stages p r before after b = true -> split_at m r b.
Proof.
  intros E. apply in_filter_map in E as (l1 & l2 & E & U & V). apply (f_equal (@rev nat)) in E. rewrite rev_involutive, rev_app_distr in E.
  cbn [steps f turned_factor] in E. destruct (seq_split _ _ E) as [B A]. exists (length (rev l2)).
  intros r b R L H. unfold stages in H. rewrite !andb_true_iff in H. destruct H as [[_ H] G].
  apply moves_of in H as (st & t & S & T & D & W), G as (st' & t' & S' & T' & D' & W').
  destruct (U st S) as (x & X & ->), (V st' S') as (y & Y & ->). apply in_rev in X, Y. apply A in X. apply B in Y.
  apply in_backward in T as (c & z & d & C & Z & -> & G), T' as (c' & z' & d' & C' & Z' & -> & G'). cbn in D, W, D', W'. subst.
  split; [exists x, d | exists y, z']; auto.
Qed.

Lemma reduce_scatter_splits before after : filter busy (reduce_scatter_of f) = before ++ after ->
  exists m, forall r b, r < p -> b < p -> stages p r before after b = true -> split_at m r b.
Proof.
  intros E. apply in_filter_map in E as (l1 & l2 & E & U & V). cbn [steps f turned_factor] in E.
  destruct (seq_split _ _ E) as [B A]. exists (length l1).
  intros r b R L H. unfold stages in H. rewrite !andb_true_iff in H. destruct H as [[_ H] G].
  apply moves_of in H as (st & t & S & T & D & W), G as (st' & t' & S' & T' & D' & W').
  destruct (U st S) as (x & X & ->), (V st' S') as (y & Y & ->). apply B in X. apply A in Y.
  apply in_forward in T as (c & z & d & C & Z & -> & G), T' as (c' & z' & d' & C' & Z' & -> & G'). cbn in D, W, D', W'. subst.
  split; [exists y, d' | exists x, z]; auto.
Qed.
End Schedules.

(* At any moment of PAT's schedules, no rank stages more. *)
Lemma staging near p a before after r : let levels := Nat.log2_up p in a < levels -> r < p ->
  pat_allgather near p a = before ++ after \/ pat_reduce_scatter near p a = before ++ after ->
  staged p r before after <= 2 ^ a * (1 + few near (levels - a)) - 1.
Proof.
  cbv zeta. intros A R E. set (k := Nat.log2_up p - a) in *. assert (p <= 2 ^ (a + k)) as P.
  { unfold k. replace (a + (Nat.log2_up p - a)) with (Nat.log2_up p) by lia. apply enough_steps. lia. }
  unfold pat_allgather, pat_reduce_scatter, pat in E. cbv zeta in E. rewrite Nat.min_l in E by lia. fold k in E.
  assert (exists m, forall r b, r < p -> b < p -> stages p r before after b = true -> split_at near p a k m r b) as (m & M).
  { destruct E as [E|E]; [now apply (allgather_splits near p a k P) | now apply (reduce_scatter_splits near p a k P)]. }
  unfold staged. apply (split_few near p a k P m r); auto.
Qed.

Theorem pat_staging p a before after r : let levels := Nat.log2_up p in a < levels -> r < p ->
  pat_allgather false p a = before ++ after \/ pat_reduce_scatter false p a = before ++ after ->
  staged p r before after <= 2 ^ a * (levels - a) - 1.
Proof.
  cbv zeta. intros A R E. pose proof (staging false p a before after r A R E) as S. cbn [few] in S.
  now replace (1 + (Nat.log2_up p - a - 1)) with (Nat.log2_up p - a) in S by lia.
Qed.

(* With near edges first a rank stages about half of that. *)
Theorem pat_near_staging p a before after r : let levels := Nat.log2_up p in a < levels -> r < p ->
  pat_allgather true p a = before ++ after \/ pat_reduce_scatter true p a = before ++ after ->
  staged p r before after <= 2 ^ a * ((levels - a) / 2 + 1) - 1.
Proof.
  cbv zeta. intros A R E. pose proof (staging true p a before after r A R E) as S. cbn [few] in S. now rewrite (Nat.add_comm _ 1).
Qed.

(* So many steps at most *)
Theorem pat_length near p a : a <= Nat.log2_up p -> let most := a + 2 ^ (Nat.log2_up p - a) - 1 in
  length (pat_allgather near p a) <= most /\ length (pat_reduce_scatter near p a) <= most.
Proof.
  intros A. cbv zeta. assert (forall l : schedule, length (filter busy l) <= length l) as F.
  { induction l as [|st l IH]; cbn; auto. destruct (busy st); cbn; lia. }
  unfold pat_allgather, pat_reduce_scatter, pat. cbv zeta. rewrite Nat.min_l by lia.
  split; (etransitivity; [apply F|]); unfold allgather_of, reduce_scatter_of, allgather, reduce_scatter; rewrite map_length, ?rev_length, seq_length; auto.
Qed.

(* The bounds are reached: 2 (4 - 1) - 1 on 16 ranks, and 2 (1 + 1) - 1. *)
Theorem staging_reached : let far := pat_allgather false 16 1 in let near := pat_allgather true 16 1 in
  staged 16 0 (firstn 3 far) (skipn 3 far) = 5 /\ exists n, staged 16 0 (firstn n near) (skipn n near) = 3.
Proof. split; [|exists 3]; vm_compute; reflexivity. Qed.
