(* What a schedule does, and when it is exactly once. This is the file to read first, and the one to doubt: all theorems are about
   the definitions here. It proves only how states and steps unfold. *)
Require Import Arith Bool List Lia.
Import ListNotations.

Notation rank := nat (only parsing).
Notation block := nat (only parsing).

Inductive op := Reduce | Copy.

Record transfer := move { src : rank; dst : rank; what : block; how : op }.
Definition step := list transfer.
Definition schedule := list step.

(* A value is the list of ranks whose contributions were summed; `times` is the multiset. *)
Definition value := list rank.
Definition times (v : value) (c : rank) : nat := count_occ Nat.eq_dec v c.

(* What a rank holds of a block; None: nothing *)
Definition state := rank -> block -> option value.

Definition sum (a b : option value) : option value :=
  match a, b with Some v, Some w => Some (v ++ w) | _, _ => None end.

(* The transfers of a step that write into (rank, block), in the step's order *)
Definition into (r : rank) (b : block) (t : transfer) : bool := (dst t =? r) && (what t =? b).
Definition writes (st : step) (r : rank) (b : block) : list transfer := filter (into r b) st.

(* All writes of a step read `s`, the state that it began with, and apply in their order. *)
Definition write (s : state) (held : option value) (t : transfer) : option value :=
  match how t with
  | Reduce => sum held (s (src t) (what t))
  | Copy => s (src t) (what t)
  end.
Definition after (s : state) (st : step) : state := fun r b => fold_left (write s) (writes st r b) (s r b).

Fixpoint final (s : state) (sch : schedule) : state :=
  match sch with [] => s | st :: rest => final (after s st) rest end.

(* A transfer's ranks and block are in range, it goes to another rank, it sends what is held, and a reduction finds something to
   combine with. *)
Definition allowed (p blocks : nat) (s : state) (t : transfer) : Prop :=
  src t < p /\ dst t < p /\ what t < blocks /\ src t <> dst t /\
  s (src t) (what t) <> None /\ (how t = Reduce -> s (dst t) (what t) <> None).

(* If two transfers of a step write into one place, both are reductions. *)
Definition compatible (t u : transfer) : Prop :=
  dst t = dst u -> what t = what u -> how t = Reduce /\ how u = Reduce.

Definition well_formed_step (p blocks : nat) (s : state) (st : step) : Prop :=
  Forall (allowed p blocks s) st /\ ForallOrdPairs compatible st.

Fixpoint well_formed (p blocks : nat) (s : state) (sch : schedule) : Prop :=
  match sch with
  | [] => True
  | st :: rest => well_formed_step p blocks s st /\ well_formed p blocks (after s st) rest
  end.

(* A collective says which ranks contribute to a block and which must end with it. `owner` is the owner of each block. *)
Inductive collective :=
  | Allreduce
  | ReduceScatter (owner : block -> rank) | Allgather (owner : block -> rank)
  | Broadcast (root : rank) | ReduceTo (root : rank)
  | Scatter (root : rank) (owner : block -> rank) | Gather (root : rank) (owner : block -> rank)
  | Alltoall.

(* The owner of a block, unless a schedule says otherwise *)
Definition owner (p : nat) (b : block) : rank := b mod p.

(* In an alltoall, block s * p + d starts at rank s, and rank d owns it. *)
Definition origin (p : nat) (b : block) : rank := (b / p) mod p.

Definition contributes (c : collective) (p : nat) (r : rank) (b : block) : bool :=
  match c with
  | Allreduce | ReduceScatter _ | ReduceTo _ => true
  | Allgather q | Gather _ q => r =? q b
  | Broadcast root | Scatter root _ => r =? root
  | Alltoall => r =? origin p b
  end.

Definition wanted (c : collective) (p : nat) (r : rank) (b : block) : bool :=
  match c with
  | Allreduce | Allgather _ | Broadcast _ => true
  | ReduceScatter q | Scatter _ q => r =? q b
  | ReduceTo root | Gather root _ => r =? root
  | Alltoall => r =? owner p b
  end.

Definition initial (c : collective) (p blocks : nat) : state :=
  fun r b => if (r <? p) && (b <? blocks) && contributes c p r b then Some [r] else None.

(* Every contribution to the block once, and nothing else *)
Definition complete (c : collective) (p : nat) (b : block) (v : value) : Prop :=
  forall x, times v x = if (x <? p) && contributes c p x b then 1 else 0.

Definition delivers (c : collective) (p blocks : nat) (s : state) : Prop :=
  forall r b, r < p -> b < blocks -> wanted c p r b = true -> exists v, s r b = Some v /\ complete c p b v.

(* There are ranks and blocks, the root and all owners are ranks, and an alltoall has blocks for all pairs of ranks. Otherwise a
   reduce to nobody would be right. *)
Definition well_posed (c : collective) (p blocks : nat) : bool :=
  let is_rank r := r <? p in
  let owned q := forallb (fun b => is_rank (q b)) (seq 0 blocks) in
  is_rank 0 && (0 <? blocks) &&
  match c with
  | Allreduce => true
  | ReduceScatter q | Allgather q => owned q
  | Broadcast root | ReduceTo root => is_rank root
  | Scatter root q | Gather root q => is_rank root && owned q
  | Alltoall => blocks mod (p * p) =? 0
  end.

Definition exactly_once (c : collective) (p blocks : nat) (sch : schedule) : Prop :=
  well_posed c p blocks = true /\ well_formed p blocks (initial c p blocks) sch /\ delivers c p blocks (final (initial c p blocks) sch).

Lemma in_below n x : In x (seq 0 n) <-> x < n.
Proof. rewrite in_seq. lia. Qed.

Lemma all_ranks p blocks (q : block -> rank) :
  forallb (fun b => q b <? p) (seq 0 blocks) = true <-> forall b, b < blocks -> q b < p.
Proof. rewrite forallb_forall. setoid_rewrite in_below. setoid_rewrite Nat.ltb_lt. reflexivity. Qed.

Lemma well_posed_some c p blocks : well_posed c p blocks = true -> 0 < p /\ 0 < blocks.
Proof. unfold well_posed. rewrite !andb_true_iff, !Nat.ltb_lt. tauto. Qed.

Lemma allreduce_posed p blocks : 0 < p -> 0 < blocks -> well_posed Allreduce p blocks = true.
Proof. intros P B. unfold well_posed. apply Nat.ltb_lt in P as ->, B as ->. reflexivity. Qed.

Lemma owners_posed p blocks q : 0 < p -> 0 < blocks -> (forall b, b < blocks -> q b < p) ->
  well_posed (ReduceScatter q) p blocks = true /\ well_posed (Allgather q) p blocks = true.
Proof. intros P B Q. unfold well_posed. apply Nat.ltb_lt in P as ->, B as ->. apply all_ranks in Q as ->. auto. Qed.

Lemma root_posed p blocks root : root < p -> 0 < blocks ->
  well_posed (ReduceTo root) p blocks = true /\ well_posed (Broadcast root) p blocks = true.
Proof.
  intros R B. unfold well_posed. assert (0 < p) as P by lia. apply Nat.ltb_lt in P as ->, B as ->, R as ->. auto.
Qed.

Lemma scatter_posed p blocks root q : root < p -> 0 < blocks -> (forall b, b < blocks -> q b < p) ->
  well_posed (Scatter root q) p blocks = true /\ well_posed (Gather root q) p blocks = true.
Proof.
  intros R B Q. unfold well_posed. assert (0 < p) as P by lia. apply Nat.ltb_lt in P as ->, B as ->, R as ->. apply all_ranks in Q as ->. auto.
Qed.

(* One schedule after another *)
Lemma final_app a : forall s b, final s (a ++ b) = final (final s a) b.
Proof. induction a; intros; cbn; auto. Qed.

Lemma well_formed_app p blocks a : forall s b,
  well_formed p blocks s (a ++ b) <-> well_formed p blocks s a /\ well_formed p blocks (final s a) b.
Proof. induction a as [|st a IH]; intros s b; cbn; [tauto|]. rewrite IH. tauto. Qed.

Lemma into_true r b t : into r b t = true <-> dst t = r /\ what t = b.
Proof. unfold into. rewrite andb_true_iff, !Nat.eqb_eq. reflexivity. Qed.

Lemma writes_app a c r b : writes (a ++ c) r b = writes a r b ++ writes c r b.
Proof. apply filter_app. Qed.

Lemma after_app_one s a t r b :
  after s (a ++ [t]) r b = if into r b t then write s (after s a r b) t else after s a r b.
Proof.
  unfold after. rewrite writes_app, fold_left_app. cbn. unfold writes at 1. cbn. destruct (into r b t); reflexivity.
Qed.

(* If its transfers are allowed, a step leaves no place empty that wasn't. *)
Lemma after_holds p blocks s st r b : Forall (allowed p blocks s) st -> s r b <> None -> after s st r b <> None.
Proof.
  intros A H. induction st as [|t st IH] using rev_ind; [exact H|].
  apply Forall_app in A as [A T]. inversion T as [|? ? T1 _]; subst. rewrite after_app_one.
  destruct (into r b t); auto. specialize (IH A). destruct T1 as (_ & _ & _ & _ & R & _).
  unfold write, sum. destruct (how t), (after s st r b), (s (src t) (what t)); congruence.
Qed.
