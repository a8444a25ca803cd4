(* What a schedule is given as: messages of several blocks, a message's blocks as runs. And its transfers by block. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Tries BlockRun.
Import ListNotations.

(* A run is its first and its last block. *)
Record message := Message { source : rank; destination : rank; by_op : op; runs : list (block * block) }.

Definition blocks_of (r : block * block) : list block := seq (fst r) (S (snd r) - fst r).
Definition transfers (m : message) : step := map (fun b => move (source m) (destination m) b (by_op m)) (flat_map blocks_of (runs m)).
Definition expand (steps : list (list message)) : schedule := map (flat_map transfers) steps.

(* A block's transfers, the last one first *)
Definition index := trie (list sent).
Definition entries (b : block) (ix : index) : list sent := match get b ix with Some l => l | None => [] end.
Definition enter (s : sent) (b : block) (ix : index) : index := put b (s :: entries b ix) ix.

Fixpoint enter_blocks (s : sent) (b n : nat) (ix : index) : index :=
  match n with O => ix | S n => enter_blocks s (S b) n (enter s b ix) end.
Definition enter_message (n : nat) (ix : index) (m : message) : index :=
  let s := Sent n (source m) (destination m) (by_op m) in
  fold_left (fun ix r => enter_blocks s (fst r) (S (snd r) - fst r) ix) (runs m) ix.
Fixpoint enter_all (n : nat) (steps : list (list message)) (ix : index) : index :=
  match steps with [] => ix | ms :: steps => enter_all (S n) steps (fold_left (enter_message n) ms ix) end.

(* The index has each block's transfers. *)
Definition entered (n : nat) (ix : index) (t : transfer) : index := enter (sent_at n t) (what t) ix.

Lemma enter_blocks_entered n m k : forall b ix,
  enter_blocks (Sent n (source m) (destination m) (by_op m)) b k ix =
  fold_left (entered n) (map (fun b => move (source m) (destination m) b (by_op m)) (seq b k)) ix.
Proof. induction k as [|k IH]; intros b ix; cbn; auto. Qed.

Lemma enter_message_entered n m ix : enter_message n ix m = fold_left (entered n) (transfers m) ix.
Proof.
  unfold enter_message, transfers. revert ix. induction (runs m) as [|r rs IH]; intros ix; cbn [fold_left flat_map map]; auto.
  now rewrite IH, map_app, fold_left_app, enter_blocks_entered.
Qed.

Lemma enter_step_entered n ms : forall ix, fold_left (enter_message n) ms ix = fold_left (entered n) (flat_map transfers ms) ix.
Proof.
  induction ms as [|m ms IH]; intros ix; cbn [fold_left flat_map]; auto. now rewrite fold_left_app, IH, enter_message_entered.
Qed.

Lemma entries_enter a d b ix : entries b (enter a d ix) = if d =? b then a :: entries b ix else entries b ix.
Proof. unfold enter, entries at 1. rewrite get_put. destruct (Nat.eqb_spec d b) as [->|]; reflexivity. Qed.

Lemma entries_entered n b st : forall ix,
  entries b (fold_left (entered n) st ix) = rev (map (sent_at n) (filter (fun t => what t =? b) st)) ++ entries b ix.
Proof.
  induction st as [|t st IH]; intros ix; cbn [fold_left filter map rev app]; auto. rewrite IH. unfold entered. rewrite entries_enter.
  destruct (what t =? b); auto. cbn [map rev]. now rewrite <- app_assoc.
Qed.

(* The same of single transfers *)
Fixpoint enter_steps (n : nat) (sch : schedule) (ix : index) : index :=
  match sch with [] => ix | st :: sch => enter_steps (S n) sch (fold_left (entered n) st ix) end.

Lemma entries_steps b sch : forall n ix, entries b (enter_steps n sch ix) = rev (numbered n (only b sch)) ++ entries b ix.
Proof.
  induction sch as [|st sch IH]; intros n ix; cbn [enter_steps only map numbered]; auto.
  rewrite IH, entries_entered, rev_app_distr, app_assoc. reflexivity.
Qed.

Lemma enter_all_steps steps : forall n ix, enter_all n steps ix = enter_steps n (expand steps) ix.
Proof. induction steps as [|ms steps IH]; intros n ix; cbn [enter_all expand map enter_steps]; auto. now rewrite IH, enter_step_entered. Qed.

Lemma entries_all b steps n ix : entries b (enter_all n steps ix) = rev (numbered n (only b (expand steps))) ++ entries b ix.
Proof. now rewrite enter_all_steps, entries_steps. Qed.

(* The first run of a message that goes beyond the blocks *)
Definition inside (blocks : nat) (r : block * block) : bool := (snd r <? blocks) || (snd r <? fst r).
Definition outside (blocks : nat) (m : message) : option transfer :=
  match find (fun r => negb (inside blocks r)) (runs m) with
  | Some r => Some (move (source m) (destination m) (snd r) (by_op m))
  | None => None
  end.
Fixpoint outside_step (blocks : nat) (ms : list message) : option transfer :=
  match ms with [] => None | m :: ms => match outside blocks m with Some t => Some t | None => outside_step blocks ms end end.
Lemma transfers_of_run m r b : In r (runs m) -> fst r <= b <= snd r -> In (move (source m) (destination m) b (by_op m)) (transfers m).
Proof.
  intros R B. unfold transfers. apply in_map_iff. exists b. split; auto. apply in_flat_map. exists r. split; auto.
  unfold blocks_of. apply in_seq. lia.
Qed.

Lemma outside_correct blocks m :
  match outside blocks m with
  | Some t => In t (transfers m) /\ ~ what t < blocks
  | None => Forall (fun t => what t < blocks) (transfers m)
  end.
Proof.
  unfold outside. destruct (find _ (runs m)) as [r|] eqn:F.
  - apply find_some in F as [R F]. apply negb_true_iff, orb_false_iff in F as [A B]. apply Nat.ltb_ge in A, B. split.
    + apply (transfers_of_run m r); auto.
    + cbn. lia.
  - apply Forall_forall. intros t T. unfold transfers in T. apply in_map_iff in T as (b & <- & B).
    apply in_flat_map in B as (r & R & B). apply (find_none _ _ F) in R. apply negb_false_iff, orb_true_iff in R.
    unfold blocks_of in B. apply in_seq in B. rewrite !Nat.ltb_lt in R. cbn. lia.
Qed.

Lemma outside_step_correct blocks ms :
  match outside_step blocks ms with
  | Some t => In t (flat_map transfers ms) /\ ~ what t < blocks
  | None => Forall (fun t => what t < blocks) (flat_map transfers ms)
  end.
Proof.
  induction ms as [|m ms IH]; cbn [outside_step flat_map]; auto. pose proof (outside_correct blocks m) as O.
  destruct (outside blocks m) as [t|].
  - destruct O. split; auto. apply in_or_app. auto.
  - destruct (outside_step blocks ms) as [t|].
    + destruct IH. split; auto. apply in_or_app. auto.
    + apply Forall_app. auto.
Qed.
