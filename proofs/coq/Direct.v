(* What `exactly_once` asks, looked at from both sides: no collective asks nothing, and each one has a schedule that is right.
   Where a block has one contributor, one step of direct sends will do; sums go to their owner directly. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Trees.
Import ListNotations.

(* The definition in other words: whoever wants a block ends with each contributor in it, no other, and nobody twice. *)
Theorem once_means c p blocks sch : exactly_once c p blocks sch ->
  forall r b, r < p -> b < blocks -> wanted c p r b = true ->
  exists v, final (initial c p blocks) sch r b = Some v /\ NoDup v /\ forall x, In x v <-> x < p /\ contributes c p x b = true.
Proof.
  intros (_ & _ & D) r b R B W. destruct (D r b R B W) as (v & E & C). exists v. split; auto. unfold complete, times in C. split.
  - apply (NoDup_count_occ Nat.eq_dec). intros x. rewrite C. destruct ((x <? p) && contributes c p x b); lia.
  - intros x. rewrite (count_occ_In Nat.eq_dec), C, <- Nat.ltb_lt, <- andb_true_iff.
    destruct ((x <? p) && contributes c p x b); split; auto; lia || discriminate.
Qed.

Lemma owners_below c p blocks : well_posed c p blocks = true ->
  match c with ReduceScatter q | Allgather q | Scatter _ q | Gather _ q => forall b, b < blocks -> q b < p | _ => True end /\
  match c with Broadcast r | ReduceTo r | Scatter r _ | Gather r _ => r < p | _ => True end.
Proof.
  unfold well_posed. rewrite !andb_true_iff. intros [_ W].
  destruct c; rewrite ?andb_true_iff, ?all_ranks, ?Nat.ltb_lt in W; tauto.
Qed.

(* Every block has a contributor, and a rank that wants it. *)
Theorem nothing_vacuous c p blocks b : well_posed c p blocks = true -> b < blocks ->
  (exists r, r < p /\ contributes c p r b = true) /\ (exists r, r < p /\ wanted c p r b = true).
Proof.
  intros W B. destruct (well_posed_some _ _ _ W) as [P _]. destruct (owners_below _ _ _ W) as [Q R].
  pose proof (Nat.mod_upper_bound b p ltac:(lia)). pose proof (Nat.mod_upper_bound (b / p) p ltac:(lia)).
  assert (forall x y, y = x -> (x =? y) = true) as E by (intros; subst; apply Nat.eqb_refl).
  destruct c; cbn [contributes wanted]; split; eauto.
Qed.

(* One step: whoever has a block sends it to all who want it. *)
Section Direct.
Variable c : collective.
Variables p blocks : nat.
Variable from : block -> rank.
Hypothesis posed : well_posed c p blocks = true.
Hypothesis from_rank : forall b, b < blocks -> from b < p.
Hypothesis from_one : forall b r, contributes c p r b = (r =? from b).

Definition asks (b : block) (r : rank) : bool := wanted c p r b && negb (r =? from b).
Definition sends_of (b : block) : list transfer := map (fun r => move (from b) r b Copy) (filter (asks b) (seq 0 p)).
Definition direct : schedule := [flat_map sends_of (seq 0 blocks)].

Lemma in_sends b t : In t (sends_of b) -> exists r, t = move (from b) r b Copy /\ r < p /\ asks b r = true.
Proof.
  intros H. apply in_map_iff in H as (r & <- & H). apply filter_In in H as [R A]. apply in_below in R. eauto.
Qed.

Lemma writes_direct r b : r < p -> b < blocks -> asks b r = true ->
  writes (flat_map sends_of (seq 0 blocks)) r b = [move (from b) r b Copy].
Proof.
  intros R B A. unfold writes. rewrite filter_flat_map, (flat_map_one _ _ b).
  - unfold sends_of. assert (In r (filter (asks b) (seq 0 p))) as I by (apply filter_In; split; auto; now apply in_below).
    assert (NoDup (filter (asks b) (seq 0 p))) as N by (apply NoDup_filter, seq_NoDup).
    induction (filter (asks b) (seq 0 p)) as [|x l IH]; [contradiction|]. inversion N as [|? ? X N']; subst. cbn [map filter].
    unfold into at 1. cbn [dst what]. rewrite Nat.eqb_refl, andb_true_r. destruct (Nat.eqb_spec x r) as [->|D].
    + f_equal. apply filter_none. intros t T. apply in_map_iff in T as (y & <- & Y). unfold into. cbn. apply andb_false_iff. left.
      apply Nat.eqb_neq. intros ->. contradiction.
    + apply IH; auto. destruct I; [contradiction | auto].
  - apply seq_NoDup.
  - now apply in_below.
  - intros d _ N. apply filter_none. intros t T. apply in_sends in T as (x & -> & _). unfold into. cbn. apply andb_false_iff. right.
    now apply Nat.eqb_neq.
Qed.

Lemma starts b : b < blocks -> initial c p blocks (from b) b = Some [from b].
Proof.
  intros B. pose proof (from_rank b B) as F. unfold initial. rewrite from_one, Nat.eqb_refl. apply Nat.ltb_lt in B as ->, F as ->. reflexivity.
Qed.

Theorem direct_once : exactly_once c p blocks direct.
Proof.
  split; [exact posed | split].
  - cbn. split; auto. split.
    + apply Forall_forall. intros t T. apply in_flat_map in T as (b & B & T). apply in_below in B.
      apply in_sends in T as (r & -> & R & A). unfold allowed. cbn. rewrite starts by auto. apply andb_true_iff in A as [_ A].
      apply negb_true_iff, Nat.eqb_neq in A. repeat split; auto; discriminate.
    + apply pairs_flat_map; [apply seq_NoDup| |].
      * intros b _. unfold sends_of. assert (NoDup (filter (asks b) (seq 0 p))) as N by (apply NoDup_filter, seq_NoDup).
        induction N as [|x l X _ IH]; cbn [map]; constructor; auto. apply Forall_forall. intros t T D _. exfalso. apply X.
        apply in_map_iff in T as (y & <- & Y). cbn in D. now subst.
      * intros b d t u _ _ N T U _ E. exfalso. apply N. apply in_sends in T as (x & -> & _), U as (y & -> & _). exact E.
  - intros r b R B W. exists [from b]. split.
    + cbn [direct final]. destruct (Nat.eqb_spec r (from b)) as [->|N].
      * unfold after, writes. rewrite filter_none; [now apply starts|]. intros t T. apply in_flat_map in T as (d & _ & T).
        apply in_sends in T as (x & -> & _ & A). unfold into. cbn. destruct (Nat.eqb_spec d b) as [->|]; [|apply andb_false_r].
        rewrite andb_true_r. unfold asks in A. destruct (x =? from b); auto. now rewrite andb_false_r in A.
      * unfold after. rewrite writes_direct; auto; [now apply starts|]. unfold asks. apply Nat.eqb_neq in N. now rewrite W, N.
    + intros x. unfold times. cbn [count_occ]. rewrite from_one. destruct (Nat.eq_dec (from b) x) as [<-|N].
      * pose proof (from_rank b B) as F. apply Nat.ltb_lt in F as ->. now rewrite Nat.eqb_refl.
      * apply not_eq_sym, Nat.eqb_neq in N. now rewrite N, andb_false_r.
Qed.
End Direct.

Theorem direct_alltoall_once p k : 0 < p -> 0 < k -> exactly_once Alltoall p (k * (p * p)) (direct Alltoall p (k * (p * p)) (origin p)).
Proof.
  intros P K. apply direct_once; auto.
  - unfold well_posed. assert (0 < k * (p * p)) as B by nia. apply Nat.ltb_lt in P as Q, B as ->. rewrite Q. cbn. apply Nat.eqb_eq, Nat.mod_mul. lia.
  - intros b _. apply Nat.mod_upper_bound. lia.
Qed.

Section Owners.
Variables p blocks : nat.
Variable q : block -> rank.
Hypothesis owners : forall b, b < blocks -> q b < p.
Hypothesis some : 0 < blocks.

Theorem direct_scatter_once root : root < p -> exactly_once (Scatter root q) p blocks (direct (Scatter root q) p blocks (fun _ => root)).
Proof. intros R. apply direct_once; auto. now apply scatter_posed. Qed.

Theorem direct_gather_once root : root < p -> exactly_once (Gather root q) p blocks (direct (Gather root q) p blocks q).
Proof. intros R. apply direct_once; auto. now apply scatter_posed. Qed.
End Owners.

(* Sums, directly to the rank that wants them *)
Definition star (q : rank) : route := fun _ x => if x =? q then None else Some q.

Lemma star_valid p q : q < p -> valid p 1 q (star q).
Proof.
  intros Q. unfold star. split.
  - intros t x d _ _ H. destruct (Nat.eqb_spec x q); [discriminate|]. injection H as <-. auto.
  - intros t u x U. lia.
  - intros t u x y _ _ _ H G. destruct (Nat.eqb_spec x q) as [->|N]; [congruence|]. destruct (y =? q); congruence.
  - intros x _. cbn. unfold star. destruct (Nat.eqb_spec x q); auto.
Qed.

(* Nothing is asked that can't be done. *)
Theorem each_collective_can_be_done c p blocks : well_posed c p blocks = true -> exists sch, exactly_once c p blocks sch.
Proof.
  intros W. destruct (well_posed_some _ _ _ W) as [P B]. destruct (owners_below _ _ _ W) as [Q R].
  destruct c as [|q|q|r|r|r q|r q|].
  - exists (allreduce p blocks 1 (fun _ => star 0)). apply allreduce_once with (fun _ => 0); auto. intros b _. auto using star_valid.
  - exists (reduce_scatter p blocks 1 (fun b => star (q b))). apply reduce_scatter_once; auto. intros b L. auto using star_valid.
  - exists (allgather p blocks 1 (fun b => star (q b))). apply allgather_once; auto. intros b L. auto using star_valid.
  - exists (allgather p blocks 1 (fun _ => star r)). apply broadcast_once; auto using star_valid.
  - exists (reduce_scatter p blocks 1 (fun _ => star r)). apply reduce_once; auto using star_valid.
  - exists (direct (Scatter r q) p blocks (fun _ => r)). apply direct_scatter_once; auto.
  - exists (direct (Gather r q) p blocks q). apply direct_gather_once; auto.
  - exists (direct Alltoall p blocks (origin p)). apply direct_once; auto. intros b _. apply Nat.mod_upper_bound. lia.
Qed.
