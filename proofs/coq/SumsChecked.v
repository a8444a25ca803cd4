(* The properties of Sums.v as programs, and what they say of small schedules. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors SwingAll Catalogue Folded Latency AsPrinted Sums Useful.
Import ListNotations.

Definition alike_b (a b : option term) : bool := match a, b with Some u, Some v => same u v | _, _ => false end.
Definition ordered_b (a : option term) : bool := match a with Some t => match span t with Some _ => true | None => false end | None => false end.

Definition reproducible_b (c : collective) (p blocks : nat) (sch : schedule) : bool :=
  let at_end := sums c p blocks sch in
  forallb (fun b => forallb (fun r => forallb (fun x => negb (wanted c p r b && wanted c p x b) || alike_b (at_end r b) (at_end x b))
    (seq 0 p)) (seq 0 p)) (seq 0 blocks).
Definition order_b (c : collective) (p blocks : nat) (sch : schedule) : bool :=
  let at_end := sums c p blocks sch in
  forallb (fun b => forallb (fun r => negb (wanted c p r b) || ordered_b (at_end r b)) (seq 0 p)) (seq 0 blocks).

Lemma all_below f n : forallb f (seq 0 n) = true <-> forall x, x < n -> f x = true.
Proof. rewrite forallb_forall. setoid_rewrite in_below. reflexivity. Qed.

Lemma alike_b_correct a b : alike_b a b = true <-> alike a b.
Proof.
  unfold alike. destruct a as [u|], b as [v|]; cbn; split; try discriminate; [eauto| | | |];
    intros (x & y & E & F & S); try discriminate. injection E as <-. injection F as <-. exact S.
Qed.

Lemma ordered_b_correct a : ordered_b a = true <-> ordered a.
Proof.
  unfold ordered. destruct a as [t|]; cbn.
  - destruct (span t) as [s|] eqn:E; split; try discriminate.
    + intros _. exists t. rewrite E. split; [reflexivity | discriminate].
    + reflexivity.
    + intros (u & U & N). injection U as <-. congruence.
  - split; [discriminate|]. intros (u & U & _). discriminate.
Qed.

Theorem reproducible_b_correct c p blocks sch : reproducible_b c p blocks sch = true <-> reproducible c p blocks sch.
Proof.
  unfold reproducible_b, reproducible. rewrite all_below. setoid_rewrite all_below. setoid_rewrite all_below. setoid_rewrite orb_true_iff.
  setoid_rewrite negb_true_iff. setoid_rewrite andb_false_iff. setoid_rewrite alike_b_correct. split.
  - intros H b r x B R X U W. destruct (H b B r R x X) as [[N|N]|A]; [congruence | congruence | exact A].
  - intros H b B r R x X. destruct (wanted c p r b) eqn:U, (wanted c p x b) eqn:W; auto.
Qed.

Theorem order_b_correct c p blocks sch : order_b c p blocks sch = true <-> order_preserving c p blocks sch.
Proof.
  unfold order_b, order_preserving. rewrite all_below. setoid_rewrite all_below. setoid_rewrite orb_true_iff.
  setoid_rewrite negb_true_iff. setoid_rewrite ordered_b_correct. split.
  - intros H b r B R W. destruct (H b B r R); [congruence | assumption].
  - intros H b B r R. destruct (wanted c p r b) eqn:W; auto.
Qed.

Definition new_b (s : places term) (t : transfer) : bool :=
  match s (dst t) (what t), s (src t) (what t) with Some h, Some v => negb (same h v) | _, _ => true end.
Fixpoint frugal_b (use : rank -> block -> bool) (s : places term) (sch : schedule) : bool :=
  match sch with
  | [] => true
  | st :: rest => forallb (fun t => new_b s t && use_of use rest (dst t) (what t)) st && frugal_b use (next Plus s st) rest
  end.
Definition no_redundant_b (c : collective) (p blocks : nat) (sch : schedule) : bool := frugal_b (wanted c p) (leaf_start c p blocks) sch.

Theorem no_redundant_b_correct c p blocks sch : no_redundant_b c p blocks sch = true <-> no_redundant c p blocks sch.
Proof.
  unfold no_redundant_b, no_redundant. generalize (leaf_start c p blocks). induction sch as [|st sch IH]; intros s; cbn [frugal_b frugal]; [tauto|].
  rewrite andb_true_iff, IH, forallb_forall, Forall_forall. setoid_rewrite andb_true_iff. apply and_iff_compat_r.
  split; intros H t T; specialize (H t T); revert H; unfold new_b, new;
    destruct (s (dst t) (what t)), (s (src t) (what t)); rewrite ?negb_true_iff; tauto.
Qed.

(* All three at once *)
Definition properties (c : collective) (p blocks : nat) (sch : schedule) : bool * bool * bool :=
  (reproducible_b c p blocks sch, order_b c p blocks sch, no_redundant_b c p blocks sch).

Lemma not_by {A : bool} {P : Prop} : (A = true <-> P) -> A = false -> ~ P.
Proof. intros E F H. apply E in H. congruence. Qed.

Ltac by_running correct :=
  split; [apply (not_by (correct _ _ _ _)) | repeat (apply Forall_cons; [apply correct|]); [..|apply Forall_nil]]; vm_compute; reflexivity.

(* Latency-optimal Swing: ranks end with different sums. *)
Theorem swing_latency_differs : wrong_at 8 (fun p => reproducible Allreduce p 1 (swing_latency [p] 1)) [1; 2; 3; 4; 5; 6; 7].
Proof. by_running reproducible_b_correct. Qed.

(* Where the order of ranks is lost first. From p = 5 on, Swing has lost it for good: OrderLost.v. *)
Definition in_order (f : nat -> schedule) (p : nat) : Prop := order_preserving Allreduce p p (f p).
Theorem swing_order_small : wrong_at 3 (in_order swing_allreduce) [1; 2; 4].
Proof. by_running order_b_correct. Qed.

Theorem swing_latency_order : wrong_at 3 (fun p => order_preserving Allreduce p 1 (swing_latency [p] 1)) [1; 2; 4].
Proof. by_running order_b_correct. Qed.

Theorem doubling_order : wrong_at 3 (fun p => order_preserving Allreduce p 1 (recursive_doubling [p] 1)) [1; 2; 4; 8; 16].
Proof. by_running order_b_correct. Qed.

Theorem halving_far_order : wrong_at 4 (fun p => order_preserving Allreduce p (inner p) (rabenseifner false [p] 1)) [1; 2].
Proof. by_running order_b_correct. Qed.
