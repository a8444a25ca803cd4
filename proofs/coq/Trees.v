(* Reduce and broadcast: valid routes to the root are a tree of sums, and backwards a tree of copies. If peers are mutual, they
   cover with their steps in reverse order, too; this makes broadcasts whose steps come in the order of the peers. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance.
Import ListNotations.

Section Rooted.
Variables p blocks n : nat.
Variable root : rank.
Variable g : block -> route.
Hypothesis V : forall b, b < blocks -> valid p n root (g b).
Hypothesis R : root < p.
Hypothesis some : 0 < blocks.

Theorem reduce_once : exactly_once (ReduceTo root) p blocks (reduce_scatter p blocks n g).
Proof.
  destruct (reduce_scatter_run p blocks n g (fun _ => root) V (ReduceTo root)) as [W I]; auto. split; [now apply root_posed | split; auto].
  intros r b _ B O. apply Nat.eqb_eq in O. subst r.
  destruct (owner_complete p blocks n g (fun _ => root) V _ b I B R) as (v & E & T). exists v. split; auto.
  intros x. rewrite T. cbn [contributes]. now rewrite andb_true_r.
Qed.

Theorem broadcast_once : exactly_once (Broadcast root) p blocks (allgather p blocks n g).
Proof.
  assert (forall b, b < blocks -> initial (Broadcast root) p blocks root b = Some [root]) as I.
  { intros b B. unfold initial. apply Nat.ltb_lt in B as ->, R as ->. cbn. now rewrite Nat.eqb_refl. }
  destruct (allgather_run p blocks n g (fun _ => root) V (initial (Broadcast root) p blocks)) as [W F]; auto.
  - intros b B. now rewrite I.
  - split; [now apply root_posed | split; auto]. intros r b X B _. rewrite F, I by auto. exists [root]. split; auto.
    intros x. unfold times. cbn [count_occ contributes]. destruct (Nat.eq_dec root x) as [<-|N].
    + apply Nat.ltb_lt in R as ->. now rewrite Nat.eqb_refl.
    + apply not_eq_sym, Nat.eqb_neq in N. now rewrite N, andb_false_r.
Qed.
End Rooted.

(* The same peers, the steps in reverse *)
Definition reversed (n : nat) (peer : rank -> nat -> rank) : rank -> nat -> rank := fun x t => peer x (n - S t).
Definition paired (p : nat) (peer : rank -> nat -> rank) : Prop := forall x s, x < p -> peer (peer x s) s = x.

(* A path that goes on by one more step *)
Lemma reaches_append peer q n : forall t x y,
  reaches peer y n t x = true -> (peer y (t + n) = q \/ y = q) -> reaches peer q (S n) t x = true.
Proof.
  induction n as [|n IH]; intros t x y Y Q.
  - cbn in *. apply Nat.eqb_eq in Y. subst y. rewrite Nat.add_0_r in Q. apply orb_true_iff.
    destruct Q; [right | left]; apply Nat.eqb_eq; auto.
  - change (reaches peer q (S n) (S t) x || reaches peer q (S n) (S t) (peer x t) = true).
    cbn in Y. rewrite <- Nat.add_succ_comm in Q.
    apply orb_true_iff in Y as [Y | Y]; apply orb_true_iff; [left | right]; eapply IH; eauto.
Qed.

(* A path of pairs can be walked back. *)
Lemma walk_back p n peer x : (forall y t, t < n -> y < p -> peer y t < p) -> paired p peer -> forall m t y, t + m <= n -> y < p ->
  reaches peer x m t y = true -> reaches (reversed n peer) y m (n - t - m) x = true.
Proof.
  intros C P. induction m as [|m IH]; intros t y T Y H.
  - cbn in *. rewrite Nat.eqb_sym. exact H.
  - cbn [reaches] in H. replace (n - t - S m) with (n - S t - m) by lia. apply orb_true_iff in H as [H|H].
    + apply (reaches_append _ _ _ _ _ y); auto. apply IH; auto. lia.
    + apply (reaches_append _ _ _ _ _ (peer y t)).
      * apply IH; auto; [lia|]. apply C; auto. lia.
      * left. unfold reversed. replace (n - S (n - S t - m + m)) with t by lia. now apply P.
Qed.

Theorem reversed_covers p n peer : covers p n peer -> paired p peer -> covers p n (reversed n peer).
Proof.
  intros [C H] P. split; [intros; apply C; auto; lia|]. intros q x Q X.
  pose proof (walk_back p n peer x C P n 0 q ltac:(lia) Q (H x q X Q)) as W.
  now replace (n - 0 - n) with 0 in W by lia.
Qed.
