(* Blocks that are carried, not summed: scatter, gather and alltoall. Each block has one rank that begins with it and one that wants it,
   and is somewhere at each time. A schedule that carries it along is exactly once, wherever it passes by. Scatter and gather along
   binomial trees, and the alltoalls pairwise, spread out and by Bruck, walk a distance around the ring in this way. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees Factors TreeRoute Catalogue Turned.
Import ListNotations.

(* `position t b` is where block b is before step t. *)
Definition carry (blocks : nat) (position : nat -> block -> rank) (t : nat) : step :=
  flat_map (fun b => if position t b =? position (S t) b then [] else [move (position t b) (position (S t) b) b Copy]) (seq 0 blocks).
Definition carried (blocks n : nat) (position : nat -> block -> rank) : schedule := map (carry blocks position) (seq 0 n).

Section Carried.
Variable c : collective.
Variables p blocks n : nat.
Variable position : nat -> block -> rank.
Hypothesis posed : well_posed c p blocks = true.
Hypothesis stays : forall t b, t <= n -> b < blocks -> position t b < p.
Hypothesis begins : forall r b, b < blocks -> contributes c p r b = (r =? position 0 b).
Hypothesis ends : forall r b, b < blocks -> wanted c p r b = true -> r = position n b.

Lemma in_carry t m : In m (carry blocks position t) ->
  exists b, b < blocks /\ position t b <> position (S t) b /\ m = move (position t b) (position (S t) b) b Copy.
Proof.
  intros M. apply in_flat_map in M as (b & B & M). apply in_below in B. exists b.
  destruct (Nat.eqb_spec (position t b) (position (S t) b)); [contradiction|]. destruct M as [<-|[]]. auto.
Qed.

Lemma writes_carry t r b : b < blocks -> writes (carry blocks position t) r b =
  if negb (position t b =? position (S t) b) && (position (S t) b =? r) then [move (position t b) (position (S t) b) b Copy] else [].
Proof.
  intros B. unfold writes, carry. rewrite filter_flat_map, (flat_map_one _ _ b).
  - destruct (position t b =? position (S t) b); cbn [negb andb filter]; auto. unfold into. cbn [dst what].
    rewrite Nat.eqb_refl, andb_true_r. reflexivity.
  - apply seq_NoDup.
  - now apply in_below.
  - intros d _ N. destruct (position t d =? position (S t) d); cbn [filter]; auto. unfold into. cbn [dst what].
    apply Nat.eqb_neq in N as ->. now rewrite andb_false_r.
Qed.

Definition where_it_is (s : state) (t : nat) : Prop := forall b, b < blocks -> s (position t b) b = Some [position 0 b].

Lemma carry_well_formed s t : S t <= n -> where_it_is s t -> well_formed_step p blocks s (carry blocks position t).
Proof.
  intros T H. split.
  - apply Forall_forall. intros m M. apply in_carry in M as (b & B & N & ->). unfold allowed. cbn [src dst what how].
    rewrite (H b B). repeat split; auto; try discriminate; apply stays; auto; lia.
  - apply pairs_flat_map; [apply seq_NoDup| |].
    + intros b _. destruct (position t b =? position (S t) b); repeat constructor.
    + intros b d u v _ _ N U V _ E. exfalso. apply N. destruct (position t b =? position (S t) b); [contradiction|].
      destruct (position t d =? position (S t) d); [contradiction|]. destruct U as [<-|[]], V as [<-|[]]. exact E.
Qed.

Lemma carry_carries s t : where_it_is s t -> where_it_is (after s (carry blocks position t)) (S t).
Proof.
  intros H b B. unfold after. rewrite writes_carry, Nat.eqb_refl, andb_true_r by auto.
  destruct (Nat.eqb_spec (position t b) (position (S t) b)) as [E|N]; cbn [negb fold_left].
  - rewrite <- E. auto.
  - unfold write. cbn [how src what]. auto.
Qed.

Lemma carried_run k : forall t s, t + k = n -> where_it_is s t ->
  well_formed p blocks s (map (carry blocks position) (seq t k)) /\
  where_it_is (final s (map (carry blocks position) (seq t k))) n.
Proof.
  induction k as [|k IH]; intros t s K H; cbn [seq map well_formed final].
  - rewrite Nat.add_0_r in K. subst. auto.
  - destruct (IH (S t) (after s (carry blocks position t)) ltac:(lia) (carry_carries s t H)) as [W F].
    split; auto. split; auto. apply carry_well_formed; auto. lia.
Qed.

Theorem carried_once : exactly_once c p blocks (carried blocks n position).
Proof.
  assert (where_it_is (initial c p blocks) 0) as H.
  { intros b B. unfold initial. rewrite begins, Nat.eqb_refl by auto. pose proof (stays 0 b ltac:(lia) B) as R.
    apply Nat.ltb_lt in R as ->, B as ->. reflexivity. }
  destruct (carried_run n 0 _ eq_refl H) as [W F]. split; [exact posed | split; [exact W|]].
  intros r b R B Q. rewrite (ends r b B Q). exists [position 0 b]. split; [exact (F b B)|].
  intros x. unfold times. cbn [count_occ]. rewrite begins by auto. pose proof (stays 0 b ltac:(lia) B) as P.
  destruct (Nat.eq_dec (position 0 b) x) as [<-|N].
  - apply Nat.ltb_lt in P as ->. now rewrite Nat.eqb_refl.
  - apply not_eq_sym, Nat.eqb_neq in N as ->. now rewrite andb_false_r.
Qed.
End Carried.

(* From rank o to rank w, `walked t d` of the d ranks between them by step t *)
Definition walk (p : nat) (walked : nat -> nat -> nat) (o w t : nat) : rank := at_offset p o (walked t (offset p o w)).

Definition walk_alltoall (p n : nat) (walked : nat -> nat -> nat) : schedule :=
  carried (p * p) n (fun t b => walk p walked (origin p b) (owner p b) t).
Definition walk_scatter (p n : nat) (walked : nat -> nat -> nat) (root : rank) : schedule :=
  carried p n (fun t b => walk p walked root b t).
Definition walk_gather (p n : nat) (walked : nat -> nat -> nat) (root : rank) : schedule :=
  carried p n (fun t b => walk p walked root b (n - t)).

Definition all_carried (p n : nat) (walked : nat -> nat -> nat) : Prop :=
  exactly_once Alltoall p (p * p) (walk_alltoall p n walked) /\
  forall root, root < p ->
    exactly_once (Scatter root (owner p)) p p (walk_scatter p n walked root) /\
    exactly_once (Gather root (owner p)) p p (walk_gather p n walked root).

Section Walks.
Variables p n : nat.
Variable walked : nat -> nat -> nat.
Hypothesis sets_out : forall d, d < p -> walked 0 d = 0.
Hypothesis arrives : forall d, d < p -> walked n d = d.

Lemma walk_stays o w t : o < p -> walk p walked o w t < p.
Proof. intros O. apply Nat.mod_upper_bound. lia. Qed.

Lemma walk_begins o w : o < p -> walk p walked o w 0 = o.
Proof.
  intros O. unfold walk. rewrite sets_out by (apply Nat.mod_upper_bound; lia). unfold at_offset. cbn. now apply Nat.mod_small.
Qed.

Lemma walk_ends o w : o < p -> w < p -> walk p walked o w n = w.
Proof.
  intros O W. unfold walk. rewrite arrives by (apply Nat.mod_upper_bound; lia).
  unfold offset, at_offset. rewrite Nat.add_mod_idemp_l by lia. replace (w + (p - o) + o) with (w + 1 * p) by lia.
  rewrite Nat.mod_add by lia. now apply Nat.mod_small.
Qed.

Theorem walked_once : 0 < p -> all_carried p n walked.
Proof.
  intros P. pose proof (fun b => Nat.mod_upper_bound b p ltac:(lia)) as M.
  assert (forall b, b < p -> owner p b = b) as O by (intros; now apply Nat.mod_small). split; [|intros root R; split].
  - apply carried_once.
    + unfold well_posed. assert (0 < p * p) as B by nia. rewrite Nat.mod_same by lia. apply Nat.ltb_lt in P as ->, B as ->. reflexivity.
    + intros t b _ _. apply walk_stays, M.
    + intros r b _. rewrite walk_begins by apply M. reflexivity.
    + intros r b _ W. apply Nat.eqb_eq in W as ->. now rewrite walk_ends by apply M.
  - apply carried_once.
    + apply scatter_posed; auto. intros b _. apply M.
    + intros t b _ _. now apply walk_stays.
    + intros r b _. now rewrite walk_begins.
    + intros r b B W. apply Nat.eqb_eq in W as ->. now rewrite walk_ends, O.
  - apply carried_once.
    + apply scatter_posed; auto. intros b _. apply M.
    + intros t b _ _. now apply walk_stays.
    + intros r b B. rewrite Nat.sub_0_r, walk_ends by auto. cbn [contributes]. now rewrite O.
    + intros r b _ W. apply Nat.eqb_eq in W as ->. now rewrite Nat.sub_diag, walk_begins.
Qed.
End Walks.

(* The first k^n that is at least p. Powers grow, so p of them are enough to try. *)
Fixpoint powers_below (tries k power p : nat) : nat :=
  match tries with O => 0 | S m => if p <=? power then 0 else S (powers_below m k (power * k) p) end.
Definition levels (k p : nat) : nat := powers_below p k 1 p.

Lemma enough_powers k p : 1 < k -> forall m power, 0 < power -> p <= power + m -> p <= power * k ^ powers_below m k power p.
Proof.
  intros K. induction m as [|m IH]; intros w W P; cbn [powers_below]; [cbn; lia|].
  destruct (Nat.leb_spec p w); [cbn; lia|]. cbn [Nat.pow]. rewrite Nat.mul_assoc. apply IH; nia.
Qed.

Lemma enough_levels k p : 1 < k -> p <= k ^ levels k p.
Proof. intros K. rewrite <- (Nat.mul_1_l (k ^ _)). apply enough_powers; lia. Qed.

(* Digits of the distance in base k, the lowest first or the highest *)
Definition near_walk (k : nat) : nat -> nat -> nat := fun t d => d mod k ^ t.
Definition far_walk (k n : nat) : nat -> nat -> nat := fun t d => d - d mod k ^ (n - t).

(* The whole way at once, `batch` distances a step *)
Definition straight (batch : nat) : nat -> nat -> nat := fun t d => if t <=? (d - 1) / batch then 0 else d.
Definition straight_steps (p batch : nat) : nat := (p - 1 + (batch - 1)) / batch.

Theorem digits_once p k : 0 < p -> 1 < k -> let n := levels k p in all_carried p n (near_walk k) /\ all_carried p n (far_walk k n).
Proof.
  intros P K n. pose proof (enough_levels k p K) as E. fold n in E. split; apply walked_once; auto; intros d D; unfold near_walk, far_walk.
  - apply Nat.mod_small. lia.
  - rewrite Nat.sub_0_r, Nat.mod_small; lia.
  - rewrite Nat.sub_diag. cbn [Nat.pow]. rewrite Nat.mod_1_r. lia.
Qed.

Theorem straight_once p batch : 0 < p -> 0 < batch -> all_carried p (straight_steps p batch) (straight batch).
Proof.
  intros P B. apply walked_once; auto; intros d D; unfold straight.
  destruct (Nat.leb_spec (straight_steps p batch) ((d - 1) / batch)) as [L|]; auto. destruct (Nat.eq_dec d 0) as [->|N]; auto.
  exfalso. unfold straight_steps in L. pose proof (Nat.div_le_mono (d - 1 + 1 * batch) (p - 1 + (batch - 1)) batch ltac:(lia) ltac:(lia)) as G.
  rewrite Nat.div_add in G by lia. lia.
Qed.

(* Sums go to their owners in the same way, one distance a step. *)
Definition straight_tree (p : nat) : route := tree_route (fun _ => 0) (fun d => p - d - 1).
Definition pairwise (p : nat) : factor := turned_factor p (p - 1) (straight_tree p).

Lemma straight_valid p : valid p (p - 1) 0 (straight_tree p).
Proof. apply tree_valid; intros d D; lia. Qed.

Theorem pairwise_once p : 0 < p -> all_once (pairwise p).
Proof. intros P. now apply turned_once, straight_valid. Qed.
