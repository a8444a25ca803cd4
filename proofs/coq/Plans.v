(* A plan says for each block and rank when the rank passes the block on, and to whom. Routes that send once are plans, and a
   schedule is written from its plan in time linear in its transfers, times a logarithm. The functions of the theorems ask for each
   step and rank again, and last-chance sending tries all sequences of steps for each. Here both are proved to be the same
   schedules, so the theorems are about what is run. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Factors Products Tori Relabelled Turned Tables.
Import ListNotations.

Notation sends := (rank -> option (nat * rank)) (only parsing).   (* of one block *)

Definition at_time (s : option (nat * rank)) (t : nat) : option rank :=
  match s with Some (u, d) => if t =? u then Some d else None | None => None end.

Definition planned (p n : nat) (g : route) (s : sends) : Prop :=
  (forall x u d, x < p -> s x = Some (u, d) -> u < n) /\ forall t x, t < n -> x < p -> g t x = at_time (s x) t.

(* A schedule from the plans of its blocks: last blocks and ranks first, as a step's list grows at its front. *)
Section Write.
Variables p blocks n : nat.
Variable s : block -> sends.
Variable make : rank -> rank -> block -> transfer.

Fixpoint put_ranks (b m : nat) (found : table (list transfer)) : table (list transfer) :=
  match m with
  | O => found
  | S x => put_ranks b x (match s b x with Some (t, d) => push found t (make x d b) | None => found end)
  end.
Fixpoint put_blocks (m : nat) (found : table (list transfer)) : table (list transfer) :=
  match m with O => found | S b => put_blocks b (put_ranks b p found) end.

Definition taken (found : table (list transfer)) (t : nat) : step := match read found t with Some l => l | None => [] end.
Definition written : nat -> step := taken (put_blocks blocks (filled n (fun _ => []))).

Definition made (b : block) (t : nat) (x : rank) : list transfer :=
  match at_time (s b x) t with Some d => [make x d b] | None => [] end.

Lemma read_ranks b t m : forall found,
  read (put_ranks b m found) t = option_map (app (flat_map (made b t) (seq 0 m))) (read found t).
Proof.
  induction m as [|m IH]; intros found; [cbn; now destruct (read found t)|].
  rewrite seq_S, flat_map_app. cbn [put_ranks flat_map plus]. rewrite IH. unfold made at 3, at_time. destruct (s b m) as [[u d]|].
  - rewrite read_push, (Nat.eqb_sym u t). destruct (t =? u); destruct (read found t); cbn; auto; f_equal.
    + now rewrite <- app_assoc.
    + now rewrite app_nil_r.
  - destruct (read found t); cbn; auto. now rewrite app_nil_r.
Qed.

Lemma read_blocks t m : forall found, read (put_blocks m found) t =
  option_map (app (flat_map (fun b => flat_map (made b t) (seq 0 p)) (seq 0 m))) (read found t).
Proof.
  induction m as [|m IH]; intros found; [cbn; now destruct (read found t)|].
  rewrite seq_S, flat_map_app. cbn [put_blocks flat_map plus]. rewrite IH, read_ranks. destruct (read found t); cbn; auto.
  rewrite app_nil_r. now rewrite <- app_assoc.
Qed.

Lemma written_step t : t < n -> written t = flat_map (fun b => flat_map (made b t) (seq 0 p)) (seq 0 blocks).
Proof. intros T. unfold written, taken. rewrite read_blocks, read_filled by auto. cbn. apply app_nil_r. Qed.
End Write.

Lemma flat_map_same {A B} (f g : A -> list B) l : (forall x, In x l -> f x = g x) -> flat_map f l = flat_map g l.
Proof. induction l as [|x l IH]; cbn; intros E; auto. rewrite E, IH; auto. Qed.

Section Schedules.
Variables p blocks n : nat.
Variable g : block -> route.
Variable s : block -> sends.
Hypothesis P : forall b, b < blocks -> planned p n (g b) (s b).

Definition quick_reduce_scatter : schedule := map (written p blocks n s (fun x d b => move x d b Reduce)) (seq 0 n).
Definition quick_allgather : schedule := map (written p blocks n s (fun x d b => move d x b Copy)) (rev (seq 0 n)).
Definition quick_allreduce : schedule := quick_reduce_scatter ++ quick_allgather.

Theorem quick_reduce_scatter_same : quick_reduce_scatter = reduce_scatter p blocks n g.
Proof.
  apply map_ext_in. intros t T. apply in_below in T. rewrite written_step by auto. unfold forward.
  apply flat_map_same. intros b B. apply flat_map_same. intros x X. apply in_below in B, X. unfold made, pass.
  now rewrite (proj2 (P b B) t x T X).
Qed.

Theorem quick_allgather_same : quick_allgather = allgather p blocks n g.
Proof.
  apply map_ext_in. intros t T. apply in_rev, in_below in T. rewrite written_step by auto. unfold backward.
  apply flat_map_same. intros b B. apply flat_map_same. intros x X. apply in_below in B, X. unfold made, return_.
  now rewrite (proj2 (P b B) t x T X).
Qed.

Theorem quick_allreduce_same : quick_allreduce = allreduce p blocks n g.
Proof. unfold quick_allreduce, allreduce. now rewrite quick_reduce_scatter_same, quick_allgather_same. Qed.
End Schedules.

(* The plan of a factor, for some of its owners *)
Record plan := Plan { plan_ranks : nat; plan_steps : nat; plan_sends : rank -> sends }.
Definition follows (q : rank) (f : factor) (s : plan) : Prop :=
  ranks f = plan_ranks s /\ steps f = plan_steps s /\ planned (ranks f) (steps f) (path f q) (plan_sends s q).
Definition plans (f : factor) (s : plan) : Prop := forall q, q < ranks f -> follows q f s.

(* Any route that sends once: step after step is asked. *)
Fixpoint scan (g : route) (m t : nat) (x : rank) : option (nat * rank) :=
  match m with
  | O => None
  | S k => match g t x with Some d => Some (t, d) | None => scan g k (S t) x end
  end.

Lemma scan_some g x m : forall t u d, scan g m t x = Some (u, d) -> t <= u < t + m /\ g u x = Some d.
Proof.
  induction m as [|m IH]; intros t u d; cbn; [discriminate|]. destruct (g t x) as [e|] eqn:E.
  - intros H. injection H as <- <-. split; auto. lia.
  - intros H. apply IH in H as [U G]. split; auto. lia.
Qed.

Lemma scan_none g x m : forall t u, scan g m t x = None -> t <= u < t + m -> g u x = None.
Proof.
  induction m as [|m IH]; intros t u; cbn; [lia|]. destruct (g t x) eqn:E; [discriminate|]. intros H U.
  destruct (Nat.eq_dec u t) as [->|]; auto. apply (IH (S t)); auto. lia.
Qed.

Lemma scan_planned p n q g : valid p n q g -> planned p n g (scan g n 0).
Proof.
  intros V. split.
  - intros x u d _ H. apply scan_some in H. lia.
  - intros t x T X. destruct (scan g n 0 x) as [[u d]|] eqn:E; cbn [at_time].
    + apply scan_some in E as [U G]. destruct (Nat.eqb_spec t u) as [->|N]; auto. destruct (g t x) eqn:F; auto. exfalso.
      destruct (le_lt_dec t u).
      * pose proof (passes_once _ _ _ _ V t u x ltac:(lia) X ltac:(congruence)). congruence.
      * pose proof (passes_once _ _ _ _ V u t x ltac:(lia) X ltac:(congruence)). congruence.
    + apply (scan_none g x n 0); auto. lia.
Qed.

Definition scanned (f : factor) : plan := Plan (ranks f) (steps f) (fun q => scan (path f q) (steps f) 0).

Theorem scanned_plans f : right f -> plans f (scanned f).
Proof. intros V q Q. split; [|split]; auto. apply (scan_planned _ _ q). now apply V. Qed.

Lemma planned_same p n g s r : (forall x, x < p -> r x = s x) -> planned p n g s -> planned p n g r.
Proof.
  intros E [T S]. split; [intros x u d X; rewrite E by auto; eauto|]. intros t x L X. rewrite E by auto. auto.
Qed.

(* A tree turned to every owner: the plan of the tree is turned. *)
Definition turned_plan (p n : nat) (s : sends) : plan :=
  Plan p n (fun q x => match s (offset p q x) with Some (t, d) => Some (t, at_offset p q d) | None => None end).

Theorem turned_plans p n h s : planned p n h s -> plans (turned_factor p n h) (turned_plan p n s).
Proof.
  intros [T S] q Q. cbn in Q. assert (forall x, offset p q x < p) as O by (intros x; apply Nat.mod_upper_bound; lia).
  split; [|split]; auto. cbn. split.
  - intros x u d X. specialize (T (offset p q x)). destruct (s (offset p q x)) as [[v e]|]; [|discriminate].
    intros E. injection E as <- <-. now apply (T v e).
  - intros t x L X. unfold turned, relabelled. rewrite S by auto.
    destruct (s (offset p q x)) as [[v e]|]; cbn; auto. destruct (t =? v); reflexivity.
Qed.

(* One rank more *)
Definition odd_plan (s : plan) (turn : rank -> nat) : plan :=
  let last := plan_ranks s in
  Plan (S last) (plan_steps s) (fun q x =>
    if q =? last then (if x <? last then Some (turn x, last) else None)
    else if x =? last then Some (turn q, q)
    else plan_sends s q x).

Theorem odd_follows f s turn q : (forall x, x < ranks f -> turn x < steps f) -> q < S (ranks f) ->
  (q < ranks f -> follows q f s) -> ranks f = plan_ranks s -> steps f = plan_steps s -> follows q (with_odd_one f turn) (odd_plan s turn).
Proof.
  intros I Q F R S. unfold with_odd_one, odd_plan. cbv zeta. rewrite <- R. split; [|split]; auto.
  cbn [ranks steps path plan_sends]. split.
  - intros x u d X. destruct (Nat.eqb_spec q (ranks f)).
    + destruct (Nat.ltb_spec x (ranks f)); [|discriminate]. intros E. injection E as <- <-. auto.
    + destruct F as (_ & _ & [T _]); [lia|]. destruct (Nat.eqb_spec x (ranks f)); [|apply T; lia].
      intros E. injection E as <- <-. apply I. lia.
  - intros t x L X. unfold odd_path. destruct (Nat.eqb_spec q (ranks f)).
    + destruct (x <? ranks f); auto.
    + destruct F as (_ & _ & [_ P]); [lia|]. destruct (Nat.eqb_spec x (ranks f)); auto. apply P; auto. lia.
Qed.
