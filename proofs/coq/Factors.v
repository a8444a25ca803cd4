(* A factor is a reduce-scatter along routes, with one block for each rank. If its routes are valid, it makes reduce-scatters,
   allgathers and allreduces that are exactly once, with any owners and any number of lanes. A factor can take one rank more, which
   exchanges a block with each other rank directly, at any step. This is how odd numbers of ranks are done. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal.
Import ListNotations.

Record factor := Factor { ranks : nat; steps : nat; path : rank -> route }.
Definition right (f : factor) : Prop := forall q, q < ranks f -> valid (ranks f) (steps f) q (path f q).

(* Lane l has the blocks l * p .. l * p + p - 1, and a factor of its own with as many ranks and steps. *)
Section Lanes.
Variable f : factor.
Variable lanes : nat.
Variable lane : nat -> factor.
Hypothesis alike : forall l, l < lanes -> ranks (lane l) = ranks f /\ steps (lane l) = steps f /\ right (lane l).

Definition laned (b : block) : route := path (lane (b / ranks f)) (owner (ranks f) b).

Lemma laned_owned : 0 < ranks f -> owned (ranks f) (steps f) (lanes * ranks f) (owner (ranks f)) laned.
Proof.
  intros P b B. assert (b / ranks f < lanes) as L by (apply Nat.div_lt_upper_bound; lia).
  destruct (alike _ L) as (R & S & V). unfold right in V. rewrite R, S in V. split; [|apply V]; now apply owner_in_range.
Qed.

Definition laned_reduce_scatter : schedule := reduce_scatter (ranks f) (lanes * ranks f) (steps f) laned.
Definition laned_allgather : schedule := allgather (ranks f) (lanes * ranks f) (steps f) laned.
Definition laned_allreduce : schedule := allreduce (ranks f) (lanes * ranks f) (steps f) laned.

Theorem lanes_once : 0 < ranks f -> 0 < lanes ->
  exactly_once (ReduceScatter (owner (ranks f))) (ranks f) (lanes * ranks f) laned_reduce_scatter /\
  exactly_once (Allgather (owner (ranks f))) (ranks f) (lanes * ranks f) laned_allgather /\
  exactly_once Allreduce (ranks f) (lanes * ranks f) laned_allreduce.
Proof.
  intros P L. pose proof (laned_owned P) as O. assert (0 < lanes * ranks f) as B by nia.
  split; [|split]; [apply reduce_scatter_once | apply allgather_once | apply allreduce_once with (owner (ranks f))]; auto.
Qed.
End Lanes.

(* One lane *)
Definition one_path (f : factor) (b : block) : route := path f (owner (ranks f) b).
Definition reduce_scatter_of (f : factor) : schedule := reduce_scatter (ranks f) (ranks f) (steps f) (one_path f).
Definition allgather_of (f : factor) : schedule := allgather (ranks f) (ranks f) (steps f) (one_path f).
Definition allreduce_of (f : factor) : schedule := allreduce (ranks f) (ranks f) (steps f) (one_path f).

Theorem factor_once f : 0 < ranks f -> right f ->
  exactly_once (ReduceScatter (owner (ranks f))) (ranks f) (ranks f) (reduce_scatter_of f) /\
  exactly_once (Allgather (owner (ranks f))) (ranks f) (ranks f) (allgather_of f) /\
  exactly_once Allreduce (ranks f) (ranks f) (allreduce_of f).
Proof.
  intros P V. assert (owned (ranks f) (steps f) (ranks f) (owner (ranks f)) (one_path f)) as O.
  { intros b _. split; [|apply V]; now apply owner_in_range. }
  split; [|split]; [apply reduce_scatter_once | apply allgather_once | apply allreduce_once with (owner (ranks f))]; auto.
Qed.

(* Any number of blocks, each with any owner *)
Section Owners.
Variable f : factor.
Variable blocks : nat.
Variable q : block -> rank.

Definition owned_path (b : block) : route := path f (q b).

Theorem owners_once : 0 < ranks f -> 0 < blocks -> right f -> (forall b, b < blocks -> q b < ranks f) ->
  exactly_once (ReduceScatter q) (ranks f) blocks (reduce_scatter (ranks f) blocks (steps f) owned_path) /\
  exactly_once (Allgather q) (ranks f) blocks (allgather (ranks f) blocks (steps f) owned_path) /\
  exactly_once Allreduce (ranks f) blocks (allreduce (ranks f) blocks (steps f) owned_path).
Proof.
  intros P B0 V Q. assert (owned (ranks f) (steps f) blocks q owned_path) as O by (intros b B; split; [|apply V]; auto).
  split; [|split]; [apply reduce_scatter_once | apply allgather_once | apply allreduce_once with q]; auto.
Qed.
End Owners.

(* One rank more, which at step `turn x` exchanges a block with rank x *)
Section OddOne.
Variable f : factor.
Variable turn : rank -> nat.
Hypothesis V : right f.
Hypothesis in_time : forall x, x < ranks f -> turn x < steps f.

Definition odd_path (q : rank) : route := fun t x =>
  let last := ranks f in
  if q =? last then (if (x <? last) && (t =? turn x) then Some last else None)
  else if x =? last then (if t =? turn q then Some q else None)
  else path f q t x.

Definition with_odd_one : factor := Factor (S (ranks f)) (steps f) odd_path.

Lemma to_last t x : x < ranks f -> place (odd_path (ranks f)) t x = if t <=? turn x then x else ranks f.
Proof.
  intros X. induction t as [|t IH]; [reflexivity|]. cbn [place]. rewrite IH. unfold odd_path. rewrite Nat.eqb_refl.
  apply Nat.ltb_lt in X. destruct (Nat.leb_spec t (turn x)).
  - rewrite X. cbn [andb]. destruct (Nat.eqb_spec t (turn x)), (Nat.leb_spec (S t) (turn x)); auto; lia.
  - rewrite Nat.ltb_irrefl. cbn [andb]. destruct (Nat.leb_spec (S t) (turn x)); auto; lia.
Qed.

Lemma last_keeps t : place (odd_path (ranks f)) t (ranks f) = ranks f.
Proof.
  induction t as [|t IH]; [reflexivity|]. cbn [place]. rewrite IH. unfold odd_path. now rewrite Nat.eqb_refl, Nat.ltb_irrefl.
Qed.

Lemma path_to_last : valid (S (ranks f)) (steps f) (ranks f) (odd_path (ranks f)).
Proof.
  assert (forall t x d, odd_path (ranks f) t x = Some d -> d = ranks f /\ x < ranks f /\ t = turn x) as E.
  { intros t x d H. unfold odd_path in H. rewrite Nat.eqb_refl in H. destruct (Nat.ltb_spec x (ranks f)); [|discriminate].
    cbn in H. destruct (Nat.eqb_spec t (turn x)); [|discriminate]. injection H as <-. auto. }
  split.
  - intros t x d T X H. apply E in H. lia.
  - intros t u x U X H. destruct (odd_path (ranks f) t x) as [d|] eqn:G; [|congruence]. apply E in G.
    destruct (odd_path (ranks f) u x) as [e|] eqn:F; auto. apply E in F. lia.
  - intros t u x y U X Y H G. destruct (odd_path (ranks f) t x) as [d|] eqn:F; [|congruence]. apply E in F, G. lia.
  - intros x X. destruct (Nat.eq_dec x (ranks f)) as [->|N]; [apply last_keeps|]. rewrite to_last by lia.
    specialize (in_time x ltac:(lia)). destruct (Nat.leb_spec (steps f) (turn x)); auto; lia.
Qed.

Section Others.
Variable q : rank.
Hypothesis Q : q < ranks f.

Lemma as_before t x : x < ranks f -> odd_path q t x = path f q t x.
Proof. intros X. unfold odd_path. rewrite !(proj2 (Nat.eqb_neq _ _)) by lia. reflexivity. Qed.

Lemma last_sends t : odd_path q t (ranks f) = if t =? turn q then Some q else None.
Proof. unfold odd_path. rewrite (proj2 (Nat.eqb_neq q _)) by lia. now rewrite Nat.eqb_refl. Qed.

Lemma owner_silent t : t < steps f -> path f q t q = None.
Proof. intros T. now apply (owner_fresh (ranks f) (steps f) q (path f q) (V q Q) Q). Qed.

Lemma place_as_before t x : t <= steps f -> x < ranks f -> place (odd_path q) t x = place (path f q) t x.
Proof.
  induction t as [|t IH]; intros T X; auto. cbn [place]. rewrite IH by (auto; lia). rewrite as_before; auto.
  apply (place_below _ _ _ _ (V q Q)); auto. lia.
Qed.

Lemma place_of_last t : t <= steps f -> place (odd_path q) t (ranks f) = if t <=? turn q then ranks f else q.
Proof.
  induction t as [|t IH]; intros T; auto. cbn [place]. rewrite IH by lia. destruct (Nat.leb_spec t (turn q)).
  - rewrite last_sends. destruct (Nat.eqb_spec t (turn q)), (Nat.leb_spec (S t) (turn q)); auto; lia.
  - rewrite as_before, owner_silent by (auto; lia). destruct (Nat.leb_spec (S t) (turn q)); auto; lia.
Qed.

Lemma path_to_other : valid (S (ranks f)) (steps f) q (odd_path q).
Proof.
  pose proof (V q Q) as W. split.
  - intros t x d T X H. destruct (Nat.eq_dec x (ranks f)) as [->|N].
    + rewrite last_sends in H. destruct (t =? turn q); [|discriminate]. injection H as <-. lia.
    + rewrite as_before in H by lia. apply (stays _ _ _ _ W) in H; lia.
  - intros t u x U X H. destruct (Nat.eq_dec x (ranks f)) as [->|N].
    + rewrite last_sends in *. destruct (Nat.eqb_spec t (turn q)); [|congruence]. destruct (Nat.eqb_spec u (turn q)); auto; lia.
    + rewrite as_before in * by lia. apply (passes_once _ _ _ _ W t u); auto; lia.
  - intros t u x y U X Y H G. destruct (Nat.eq_dec y (ranks f)) as [->|M].
    + rewrite last_sends in G. destruct (u =? turn q); [|discriminate]. injection G as <-.
      rewrite as_before, owner_silent in H by lia. congruence.
    + rewrite as_before in G by lia. destruct (Nat.eq_dec x (ranks f)) as [->|N].
      * apply (stays _ _ _ _ W) in G; lia.
      * rewrite as_before in H by lia. apply (receives_before _ _ _ _ W t u x y); auto; lia.
  - intros x X. destruct (Nat.eq_dec x (ranks f)) as [->|N].
    + rewrite place_of_last by auto. specialize (in_time q Q). destruct (Nat.leb_spec (steps f) (turn q)); auto; lia.
    + rewrite place_as_before by lia. apply (arrives _ _ _ _ W). lia.
Qed.
End Others.

Theorem odd_one_right : right with_odd_one.
Proof.
  intros q H. cbn in *. destruct (Nat.eq_dec q (ranks f)) as [->|N]; [apply path_to_last | apply path_to_other; lia].
Qed.
End OddOne.

(* The steps of the odd rank's exchanges in Swing: half of the remaining ranks at each step, rounded up, and all in the last one *)
Fixpoint half_turn (steps remaining x : nat) : nat :=
  match steps with
  | O | 1 => 0
  | S k => let half := (remaining + 1) / 2 in if x <? half then 0 else S (half_turn k (remaining - half) (x - half))
  end.

Lemma half_turn_in_time n : forall m x, 0 < n -> half_turn n m x < n.
Proof.
  induction n as [|n IH]; intros m x N; [lia|]. destruct n as [|n]; [cbn; lia|].
  change (half_turn (S (S n)) m x) with
    (let half := (m + 1) / 2 in if x <? half then 0 else S (half_turn (S n) (m - half) (x - half))).
  cbv zeta. destruct (x <? (m + 1) / 2); [lia|]. specialize (IH (m - (m + 1) / 2) (x - (m + 1) / 2)). lia.
Qed.
