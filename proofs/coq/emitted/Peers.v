(* Any peers whose paths cover: the reduce-scatter is exactly once, its time reversal delivers.

   `peer x t` is whom rank x sends to at step t; ranks are integers. Everything is about one block and its owner q, with n steps
   left and the next one numbered t. *)
Require Import ZArith Lia Bool.
Open Scope Z_scope.

Section Peers.
Variable peer : Z -> nat -> Z.
Variable q : Z.

(* x reaches the owner with steps t .. t+n-1 *)
Fixpoint reaches (n t : nat) (x : Z) : bool :=
  match n with
  | O => x =? q
  | S m => reaches m (S t) x || reaches m (S t) (peer x t)
  end.

(* The rule: at step t rank x sends the block if its peer reaches the owner afterwards, and x itself then doesn't. *)
Definition sends (m t : nat) (x : Z) : bool := reaches m (S t) (peer x t) && negb (reaches m (S t) x).

(* Where what x holds of the block is after all steps *)
Fixpoint ends (n t : nat) (x : Z) : Z :=
  match n with
  | O => x
  | S m => ends m (S t) (if sends m t x then peer x t else x)
  end.

Lemma owner_reaches n : forall t, reaches n t q = true.
Proof. induction n; intros t; cbn; [apply Z.eqb_refl | rewrite IHn; reflexivity]. Qed.

(* Whoever can reach the owner is left with somebody who can, step by step. *)
Theorem exactly_once n : forall t x, reaches n t x = true -> ends n t x = q.
Proof.
  induction n as [|m IH]; intros t x R; cbn in *.
  - now apply Z.eqb_eq.
  - apply IH. unfold sends. destruct (reaches m (S t) (peer x t)) eqn:P, (reaches m (S t) x) eqn:X; cbn in *; try discriminate; auto.
Qed.

(* The owner keeps its own contribution, and what has come. *)
Theorem owner_keeps n : forall t, ends n t q = q.
Proof. intros. apply exactly_once, owner_reaches. Qed.

Lemma never_again n : forall t x, reaches n t x = false -> ends n t x = x.
Proof.
  induction n as [|m IH]; intros t x R; cbn in *; auto.
  apply orb_false_iff in R as [R1 R2]. unfold sends. rewrite R2. cbn. auto.
Qed.

(* How often x sends the block in steps t .. t+n-1: never if it doesn't reach the owner or is the owner, else once. *)
Fixpoint times (n t : nat) (x : Z) : nat :=
  match n with O => O | S m => ((if sends m t x then 1 else 0) + times m (S t) x)%nat end.

Lemma silent n : forall t x, reaches n t x = false -> times n t x = O.
Proof.
  induction n as [|m IH]; intros t x R; cbn in *; auto.
  apply orb_false_iff in R as [R1 R2]. unfold sends. rewrite R2. cbn. auto.
Qed.

Theorem sends_once n : forall t x, x <> q -> reaches n t x = true -> times n t x = 1%nat.
Proof.
  induction n as [|m IH]; intros t x D R; cbn in *.
  - apply Z.eqb_eq in R. contradiction.
  - unfold sends. destruct (reaches m (S t) x) eqn:X.
    + rewrite andb_false_r. cbn. auto.
    + rewrite orb_false_l in R. rewrite R. cbn. rewrite silent; auto.
Qed.

Theorem owner_sends_nothing n : forall t, times n t q = O.
Proof.
  induction n as [|m IH]; intros t; cbn in *; try discriminate; auto.
  unfold sends. rewrite owner_reaches, andb_false_r. cbn. auto.
Qed.

(* The time reversal: when x receives the block back from its peer of the step at which x had sent it, that peer is the owner or
   sends it at a later step of the reduce-scatter, which comes before in the reversal. *)
Theorem reversal_holds m t x : sends m t x = true -> peer x t = q \/ times m (S t) (peer x t) = 1%nat.
Proof.
  unfold sends. intros H. apply andb_true_iff in H as [H _].
  destruct (Z.eq_dec (peer x t) q) as [E|E]; [left | right]; auto using sends_once.
Qed.

End Peers.

(* A path that goes on by one more step *)
Lemma reaches_append peer q n : forall t x y,
  reaches peer y n t x = true -> (peer y (t + n)%nat = q \/ y = q) -> reaches peer q (S n) t x = true.
Proof.
  induction n as [|n IH]; intros t x y Y Q.
  - cbn in *. apply Z.eqb_eq in Y. subst y. rewrite Nat.add_0_r in Q. apply orb_true_iff.
    destruct Q; [right | left]; apply Z.eqb_eq; auto.
  - change (reaches peer q (S n) (S t) x || reaches peer q (S n) (S t) (peer x t) = true).
    cbn in Y. rewrite <- Nat.add_succ_comm in Q.
    apply orb_true_iff in Y as [Y | Y]; apply orb_true_iff; [left | right]; eapply IH; eauto.
Qed.

Print Assumptions exactly_once.
Print Assumptions sends_once.
Print Assumptions owner_sends_nothing.
Print Assumptions reversal_holds.
