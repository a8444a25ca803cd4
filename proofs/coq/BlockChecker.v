(* The checker for large schedules. It judges one block at a time, so it holds the values of one block only.
   It is correct because blocks are independent. *)
Require Import Arith PArith Bool List Lia.
From Collectives Require Import Semantics Bridge Checker.
Import ListNotations.

(* A step's transfers by block, in their order *)
Definition by_block (m : Map.t (list transfer)) (b : block) : list transfer :=
  match Map.find (key b) m with Some ts => ts | None => [] end.
Definition enter (t : transfer) (m : Map.t (list transfer)) : Map.t (list transfer) :=
  Map.add (key (what t)) (t :: by_block m (what t)) m.
Definition index (st : step) : Map.t (list transfer) := fold_left (fun m t => enter t m) (rev' st) (Map.empty _).

Lemma by_block_enter t m b : by_block (enter t m) b = if what t =? b then t :: by_block m b else by_block m b.
Proof.
  unfold by_block at 1, enter. destruct (Nat.eqb_spec (what t) b) as [->|N].
  - now rewrite Map.gss.
  - rewrite Map.gso; auto. intros E. apply N. symmetry. now apply key_injective.
Qed.

Lemma index_block st b : by_block (index st) b = filter (fun t => what t =? b) st.
Proof.
  unfold index, rev'. rewrite <- rev_alt, <- fold_left_rev_right, rev_involutive. induction st as [|t st IH]; cbn [fold_right filter].
  - unfold by_block. now rewrite Map.gempty.
  - now rewrite by_block_enter, IH.
Qed.

Lemma index_only sch b : map (fun m => by_block m b) (map index sch) = only b sch.
Proof. unfold only. rewrite map_map. apply map_ext. intros st. apply index_block. Qed.

Definition leaves (p : nat) : list (rank * summary) := map (fun r => (r, leaf r)) (seq 0 p).
Definition start_block (c : collective) (p : nat) (ls : list (rank * summary)) (b : block) : table summary :=
  fold_left (fun m x => if contributes c p (fst x) b then put (fst x) b (snd x) m else m) ls nothing.

Definition check_block (c : collective) (p blocks : nat) (ls : list (rank * summary)) (ms : list (Map.t (list transfer))) (b : block) : bool :=
  match run p blocks (start_block c p ls b) (map (fun m => by_block m b) ms) with
  | Some m => ends_block c p m b
  | None => false
  end.

Definition check_by_block (c : collective) (p blocks : nat) (sch : schedule) : bool :=
  well_posed c p blocks && forallb (forallb (fun t => what t <? blocks)) sch &&
  (let ls := leaves p in let ms := map index sch in forallb (check_block c p blocks ls ms) (seq 0 blocks)).

Section Correct.
Variable c : collective.
Variables p blocks : nat.

(* What ranks hold of one block at the beginning *)
Definition initial_block (b : block) : state := fun r d => if d =? b then initial c p blocks r d else None.

Lemma start_block_get b r d : get (start_block c p (leaves p) b) r d =
  if (r <? p) && (d =? b) && contributes c p r d then Some (leaf r) else None.
Proof.
  unfold start_block, leaves. enough (forall n, get (fold_left (fun m x => if contributes c p (fst x) b then put (fst x) b (snd x) m else m)
    (map (fun r => (r, leaf r)) (seq 0 n)) nothing) r d =
    if (r <? n) && (d =? b) && contributes c p r d then Some (leaf r) else None) as H by apply H.
  induction n as [|n IH].
  - cbn. apply get_nothing.
  - rewrite seq_S, map_app, fold_left_app. cbn [map fold_left plus fst snd].
    assert ((r <? S n) = (n =? r) || (r <? n)) as ->
      by (destruct (Nat.eqb_spec n r), (Nat.ltb_spec r n), (Nat.ltb_spec r (S n)); cbn; auto; lia).
    destruct (contributes c p n b) eqn:C; rewrite ?get_put, IH; destruct (Nat.eqb_spec n r) as [->|N]; cbn [orb andb]; auto.
    + rewrite (Nat.eqb_sym b d). destruct (Nat.eqb_spec d b) as [->|]; cbn [andb]; [now rewrite C | now rewrite andb_false_r].
    + rewrite Nat.ltb_irrefl. cbn [andb]. destruct (Nat.eqb_spec d b) as [->|]; cbn [andb]; [now rewrite C | auto].
Qed.

Lemma start_block_shows b : b < blocks -> shows (start_block c p (leaves p) b) (initial_block b).
Proof.
  intros B r d. rewrite start_block_get. unfold initial_block, initial. apply Nat.ltb_lt in B.
  destruct (Nat.eqb_spec d b) as [->|N]; [|now rewrite andb_false_r].
  rewrite B, !andb_true_r. destruct ((r <? p) && contributes c p r b); auto using leaf_sums_up.
Qed.

Lemma only_only b sch : only b (only b sch) = only b sch.
Proof.
  unfold only. rewrite map_map. apply map_ext. intros st. apply filter_all. intros t T. now apply filter_In in T.
Qed.

Lemma check_block_correct b sch : b < blocks ->
  (check_block c p blocks (leaves p) (map index sch) b = true <-> once_at c p blocks b sch).
Proof.
  intros B. unfold check_block, once_at. rewrite index_only.
  assert (forall r, initial c p blocks r b = initial_block b r b) as E by (intros r; unfold initial_block; now rewrite Nat.eqb_refl).
  assert (well_formed p blocks (initial c p blocks) (only b sch) <-> well_formed p blocks (initial_block b) (only b sch)) as W
    by (split; apply only_local; auto).
  assert (forall r, final (initial c p blocks) (only b sch) r b = final (initial_block b) (only b sch) r b) as F
    by (intros r; rewrite <- (only_only b sch) at 2; now apply final_only).
  pose proof (run_correct p blocks (only b sch) _ _ (start_block_shows b B)) as R. setoid_rewrite F. rewrite W.
  destruct (run p blocks (start_block c p (leaves p) b) (only b sch)) as [m|].
  - destruct R as [R S]. rewrite (ends_block_correct c p m _ b S). tauto.
  - split; [discriminate | tauto].
Qed.

Lemma blocks_below_correct sch : forallb (forallb (fun t => what t <? blocks)) sch = true <-> blocks_below blocks sch.
Proof.
  unfold blocks_below. rewrite forallb_forall, Forall_forall. setoid_rewrite forallb_forall. setoid_rewrite Forall_forall.
  setoid_rewrite Nat.ltb_lt. reflexivity.
Qed.

Lemma well_formed_below sch : forall s, well_formed p blocks s sch -> blocks_below blocks sch.
Proof.
  induction sch as [|st sch IH]; intros s W; constructor.
  - destruct W as [[A _] _]. apply Forall_impl with (2 := A). intros t T. apply T.
  - destruct W as [_ W]. now apply IH in W.
Qed.

Theorem check_by_block_correct sch : check_by_block c p blocks sch = true <-> exactly_once c p blocks sch.
Proof.
  unfold check_by_block. rewrite !andb_true_iff, blocks_below_correct, forallb_forall. setoid_rewrite in_below. split.
  - intros [[R B] H]. apply block_independence; auto. intros b L. now apply check_block_correct, H.
  - intros E. assert (well_posed c p blocks = true /\ blocks_below blocks sch) as [R B] by (destruct E as (R & W & _); now apply well_formed_below in W).
    split; auto. intros b L. apply check_block_correct; auto. now apply block_independence.
Qed.
End Correct.
