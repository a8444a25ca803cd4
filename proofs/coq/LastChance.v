(* Last-chance sending: at step t rank x passes a block on if its peer can still reach the owner afterwards, and x itself can't.
   For any peers whose paths cover, that is, reach every owner from every rank, this rule makes valid routes. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge.
Import ListNotations.

Section Peers.
Variable peer : rank -> nat -> rank.   (* whom rank x meets at step t *)
Variable n : nat.                      (* steps *)
Variable q : rank.                     (* owner *)

(* x reaches the owner with steps t .. t+m-1 *)
Fixpoint reaches (m t : nat) (x : rank) : bool :=
  match m with
  | O => x =? q
  | S k => reaches k (S t) x || reaches k (S t) (peer x t)
  end.

Definition last_chance : route := fun t x =>
  let rest := n - S t in
  if reaches rest (S t) (peer x t) && negb (reaches rest (S t) x) then Some (peer x t) else None.

Lemma reaches_before k : forall m t x, reaches m (k + t) x = true -> reaches (k + m) t x = true.
Proof.
  induction k as [|k IH]; intros m t x H; auto. cbn. apply orb_true_iff. left. apply IH.
  replace (k + S t) with (S k + t) by lia. exact H.
Qed.

Lemma reaches_earlier t u x : t <= u <= n -> reaches (n - u) u x = true -> reaches (n - t) t x = true.
Proof.
  intros U H. replace (n - t) with ((u - t) + (n - u)) by lia. apply reaches_before.
  now replace (u - t + t) with u by lia.
Qed.

Lemma last_chance_some t x d : last_chance t x = Some d ->
  d = peer x t /\ reaches (n - S t) (S t) d = true /\ reaches (n - S t) (S t) x = false.
Proof.
  unfold last_chance. intros H. destruct (reaches (n - S t) (S t) (peer x t)) eqn:P, (reaches (n - S t) (S t) x) eqn:X;
    cbn in H; try discriminate. injection H as <-. auto.
Qed.

Lemma token_can_reach x : reaches n 0 x = true -> forall t, t <= n -> reaches (n - t) t (place last_chance t x) = true.
Proof.
  intros R. induction t as [|t IH]; intros T; [now rewrite Nat.sub_0_r|]. specialize (IH ltac:(lia)). cbn [place].
  remember (place last_chance t x) as y. destruct (last_chance t y) as [d|] eqn:L; [now apply last_chance_some in L as (_ & L & _)|].
  replace (n - t) with (S (n - S t)) in IH by lia. cbn in IH. unfold last_chance in L.
  destruct (reaches (n - S t) (S t) y); auto. cbn in IH. now rewrite IH in L.
Qed.

Theorem last_chance_valid p : (forall x t, t < n -> x < p -> peer x t < p) -> (forall x, x < p -> reaches n 0 x = true) ->
  valid p n q last_chance.
Proof.
  intros P C. split.
  - intros t x d T X L. apply last_chance_some in L as (-> & A & B). split; auto. intros E. congruence.
  - intros t u x U X L. destruct (last_chance t x) as [d|] eqn:E; [|congruence]. clear L.
    apply last_chance_some in E as (_ & _ & N). destruct (last_chance u x) as [e|] eqn:L; auto. exfalso.
    apply last_chance_some in L as (-> & A & _). enough (reaches (n - S t) (S t) x = true) by congruence.
    apply (reaches_earlier (S t) u); [lia|]. replace (n - u) with (S (n - S u)) by lia. cbn. rewrite A. apply orb_true_r.
  - intros t u x y U X Y L R. destruct (last_chance t x) as [d|] eqn:E; [|congruence]. clear L.
    apply last_chance_some in E as (_ & _ & N). apply last_chance_some in R as (_ & A & _).
    enough (reaches (n - S t) (S t) x = true) by congruence. apply (reaches_earlier (S t) (S u)); auto. lia.
  - intros x X. pose proof (token_can_reach x (C x X) n (le_n n)) as R. rewrite Nat.sub_diag in R. now apply Nat.eqb_eq.
Qed.
End Peers.

(* One block for each rank *)
Definition covers (p n : nat) (peer : rank -> nat -> rank) : Prop :=
  (forall x t, t < n -> x < p -> peer x t < p) /\ forall q x, q < p -> x < p -> reaches peer q n 0 x = true.

Theorem peers_owned p n blocks peer : 0 < p -> covers p n peer ->
  owned p n blocks (owner p) (fun b => last_chance peer n (owner p b)).
Proof.
  intros P [R C] b _. pose proof (Nat.mod_upper_bound b p ltac:(lia)) as O. split; [exact O|]. apply last_chance_valid; auto.
Qed.
