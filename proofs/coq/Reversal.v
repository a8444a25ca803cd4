(* The allgather is the time reversal of a reduce-scatter along routes: a block comes back from the rank that it was passed on to.
   The reduce-scatter and then the allgather make an allreduce. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge.
Import ListNotations.

Section Reversal.
Variables p blocks n : nat.
Variable g : block -> route.
Variable q : block -> rank.
Hypothesis V : forall b, b < blocks -> valid p n (q b) (g b).

Definition return_ (b : block) (t : nat) (x : rank) : list transfer :=
  match g b t x with Some d => [move d x b Copy] | None => [] end.
Definition backward (t : nat) : step := flat_map (fun b => flat_map (return_ b t) (seq 0 p)) (seq 0 blocks).
Definition allgather : schedule := map backward (rev (seq 0 n)).

Lemma in_return t b x m : In m (return_ b t x) -> exists d, m = move d x b Copy /\ g b t x = Some d.
Proof. unfold return_. destruct (g b t x); cbn; intuition eauto. Qed.

Lemma in_backward t m : In m (backward t) ->
  exists b x d, b < blocks /\ x < p /\ m = move d x b Copy /\ g b t x = Some d.
Proof.
  unfold backward. intros H. apply in_flat_map in H as (b & B & H). apply in_flat_map in H as (x & X & H).
  apply in_return in H as (d & D). exists b, x, d. rewrite in_below in *. auto.
Qed.

(* Each rank receives a block from one rank at most. *)
Lemma writes_backward t r b : b < blocks -> r < p -> writes (backward t) r b = return_ b t r.
Proof.
  intros B R. unfold writes, backward. rewrite filter_flat_map, (flat_map_one _ _ b).
  - rewrite filter_flat_map, (flat_map_one _ _ r).
    + apply filter_all. intros m M. apply in_return in M as (d & -> & _). now apply into_true.
    + apply seq_NoDup.
    + now apply in_below.
    + intros x _ N. apply filter_none. intros m M. apply in_return in M as (d & -> & _).
      unfold into. cbn. apply andb_false_iff. left. now apply Nat.eqb_neq.
  - apply seq_NoDup.
  - now apply in_below.
  - intros c _ N. apply filter_none. intros m M. apply in_flat_map in M as (x & _ & M).
    apply in_return in M as (d & -> & _). unfold into. cbn. apply andb_false_iff. right. now apply Nat.eqb_neq.
Qed.

Lemma after_backward s t r b : b < blocks -> r < p ->
  after s (backward t) r b = match g b t r with Some d => s d b | None => s r b end.
Proof.
  intros B R. unfold after. rewrite writes_backward by auto. unfold return_. destruct (g b t r); reflexivity.
Qed.

(* A relation on all pairs of a list of lists *)
Lemma pairs_flat_map {A B} (P : B -> B -> Prop) (h : A -> list B) l : NoDup l ->
  (forall x, In x l -> ForallOrdPairs P (h x)) ->
  (forall x y u v, In x l -> In y l -> x <> y -> In u (h x) -> In v (h y) -> P u v) -> ForallOrdPairs P (flat_map h l).
Proof.
  induction 1 as [|x l N _ IH]; cbn; intros O D; [constructor|].
  assert (ForallOrdPairs P (flat_map h l)) as T by (apply IH; eauto).
  assert (forall u v, In u (h x) -> In v (flat_map h l) -> P u v) as C.
  { intros u v U W. apply in_flat_map in W as (y & Y & W). apply (D x y); auto. intros ->. contradiction. }
  specialize (O x (or_introl eq_refl)). clear - O T C. induction O as [|u us F O IH]; cbn; auto.
  constructor; [|apply IH; intros; apply C; cbn; auto].
  apply Forall_app. split; auto. apply Forall_forall. intros v W. apply C; cbn; auto.
Qed.

Lemma backward_compatible t : ForallOrdPairs compatible (backward t).
Proof.
  apply pairs_flat_map; [apply seq_NoDup| |].
  - intros b _. apply pairs_flat_map; [apply seq_NoDup| |].
    + intros x _. unfold return_. destruct (g b t x); repeat constructor.
    + intros x y u v _ _ N U W D. exfalso. apply N. apply in_return in U as (d & -> & _), W as (e & -> & _). exact D.
  - intros b c u v _ _ N U W _ D. exfalso. apply N. apply in_flat_map in U as (x & _ & U), W as (y & _ & W).
    apply in_return in U as (d & -> & _), W as (e & -> & _). exact D.
Qed.

(* Going back, once steps n-1 .. t are undone: the owner and all ranks that passed the block on in these steps hold something good. *)
Definition has_back (b : block) (t : nat) (x : rank) : Prop := x = q b \/ exists u, t <= u < n /\ g b u x <> None.
Definition returned (good : block -> option value -> Prop) (t : nat) (s : state) : Prop := forall b x, b < blocks -> x < p ->
  has_back b t x -> good b (s x b).

(* A rank that received a block at step t passed it on later, or is the owner. *)
Lemma receiver_has_back b t x d : b < blocks -> t < n -> x < p -> g b t x = Some d -> d < p /\ d <> x /\ has_back b (S t) d.
Proof.
  intros B T X G. pose proof (V b B) as Vb. destruct (stays _ _ _ _ Vb t x d T X G) as [D N]. repeat split; auto.
  destruct (Nat.eq_dec d (q b)) as [->|O]; [now left|]. right.
  destruct (others_pass p n (q b) (g b) Vb d D O) as (u & U & K). exists u. split; auto. split; auto.
  destruct (le_lt_dec (S t) u); auto. exfalso. apply (receives_before _ _ _ _ Vb u t d x); auto. lia.
Qed.

(* In the end all ranks do. *)
Lemma all_have_back b x : b < blocks -> x < p -> has_back b 0 x.
Proof.
  intros B X. destruct (Nat.eq_dec x (q b)) as [->|N]; [now left | right].
  destruct (others_pass p n (q b) (g b) (V b B) x X N) as (u & U & K). exists u. split; auto. lia.
Qed.

Section Good.
Variable good : block -> option value -> Prop.
Hypothesis something : forall b, b < blocks -> ~ good b None.

Lemma backward_well_formed t s : t < n -> returned good (S t) s -> well_formed_step p blocks s (backward t).
Proof.
  intros T I. split; [|apply backward_compatible].
  apply Forall_forall. intros m M. apply in_backward in M as (b & x & d & B & X & -> & G).
  destruct (receiver_has_back b t x d B T X G) as (D & N & H). unfold allowed. cbn. repeat split; auto; [|discriminate].
  intros E. apply (something b B). rewrite <- E. now apply I.
Qed.

Lemma returned_step t s : t < n -> returned good (S t) s -> returned good t (after s (backward t)).
Proof.
  intros T I b x B X H. rewrite after_backward by auto. destruct (g b t x) as [d|] eqn:G.
  - destruct (receiver_has_back b t x d B T X G) as (D & _ & K). now apply I.
  - apply I; auto. destruct H as [->|(u & U & K)]; [now left | right]. exists u. split; auto.
    destruct (Nat.eq_dec u t); [congruence | lia].
Qed.

Lemma backward_run t : t <= n -> forall s, returned good t s ->
  well_formed p blocks s (map backward (rev (seq 0 t))) /\
  forall b x, b < blocks -> x < p -> good b (final s (map backward (rev (seq 0 t))) x b).
Proof.
  induction t as [|t IH]; intros T s I; [cbn; auto using all_have_back|].
  rewrite seq_S, rev_app_distr. cbn [rev app map plus final well_formed].
  destruct (IH ltac:(lia) (after s (backward t))) as [W J]; [now apply returned_step|].
  split; auto. split; auto. now apply backward_well_formed.
Qed.
End Good.

Variable s0 : state.
Hypothesis held : forall b, b < blocks -> s0 (q b) b <> None.

(* Every rank ends with what the owner began with. *)
Theorem allgather_run : (forall b, b < blocks -> q b < p) ->
  well_formed p blocks s0 allgather /\ forall b x, b < blocks -> x < p -> final s0 allgather x b = s0 (q b) b.
Proof.
  intros Q. apply (backward_run (fun b v => v = s0 (q b) b)); auto.
  - intros b B E. symmetry in E. now apply (held b B).
  - intros b x B X [->|(u & U & _)]; [reflexivity | lia].
Qed.
End Reversal.

Lemma owner_in_range p b : 0 < p -> owner p b < p.
Proof. intros P. apply Nat.mod_upper_bound. lia. Qed.

Theorem allgather_once p n blocks q g : 0 < p -> 0 < blocks -> owned p n blocks q g ->
  exactly_once (Allgather q) p blocks (allgather p blocks n g).
Proof.
  intros P B0 V. pose proof (owned_below _ _ _ _ _ V) as Q.
  assert (forall b, b < blocks -> initial (Allgather q) p blocks (q b) b = Some [q b]) as I.
  { intros b B. unfold initial. specialize (Q b B). apply Nat.ltb_lt in B as ->, Q as ->. cbn. now rewrite Nat.eqb_refl. }
  destruct (allgather_run p blocks n g q (owned_valid _ _ _ _ _ V) (initial (Allgather q) p blocks)) as [W F]; auto.
  - intros b B. now rewrite I.
  - split; [now apply owners_posed | split; auto]. intros r b R B _. rewrite F, I by auto. exists [q b]. split; auto.
    intros x. unfold times. cbn [count_occ contributes]. destruct (Nat.eq_dec (q b) x) as [<-|N].
    + specialize (Q b B). apply Nat.ltb_lt in Q as ->. now rewrite Nat.eqb_refl.
    + apply not_eq_sym, Nat.eqb_neq in N. now rewrite N, andb_false_r.
Qed.

Definition allreduce (p blocks n : nat) (g : block -> route) : schedule :=
  reduce_scatter p blocks n g ++ allgather p blocks n g.

Theorem allreduce_once p n blocks q g : 0 < p -> 0 < blocks -> owned p n blocks q g ->
  exactly_once Allreduce p blocks (allreduce p blocks n g).
Proof.
  intros P B0 V. pose proof (owned_below _ _ _ _ _ V) as Q. pose proof (owned_valid _ _ _ _ _ V) as Vb.
  destruct (reduce_scatter_run p blocks n g q Vb Allreduce) as [W I]; auto.
  set (s0 := final (initial Allreduce p blocks) (reduce_scatter p blocks n g)) in *.
  pose proof (fun b B => owner_complete p blocks n g q Vb s0 b I B (Q b B)) as O.
  destruct (allgather_run p blocks n g q Vb s0) as [A F]; auto.
  - intros b B. destruct (O b B) as (v & E & _). congruence.
  - unfold allreduce. split; [now apply allreduce_posed | split].
    + apply well_formed_app. auto.
    + intros r b R B _. rewrite final_app. fold s0. rewrite F by auto. destruct (O b B) as (v & E & T).
      exists v. split; auto. intros x. rewrite T. cbn [contributes]. now rewrite andb_true_r.
Qed.
