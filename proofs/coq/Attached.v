(* A valid route serves more ranks than its own if each of the others is attached: at some step it gives its contribution to a rank that
   has not passed anything on yet. Folding and elimination onto powers of two do that. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge.
Import ListNotations.

Lemma place_next g t x : place g (S t) x = match g t (place g t x) with Some d => d | None => place g t x end.
Proof. reflexivity. Qed.

(* Rank p + i gives its contribution to rank `onto i` at step `turn i`, before that one passes anything on. *)
Section Attached.
Variables p n : nat.
Variable q : rank.
Variable g : route.
Variable e : nat.
Variable turn : nat -> nat.
Variable onto : nat -> rank.
Hypothesis V : valid p n q g.
Hypothesis in_time : forall i, i < e -> turn i < n.
Hypothesis inside : forall i, i < e -> onto i < p.
Hypothesis resting : forall i, i < e -> fresh g (S (turn i)) (onto i).

Definition attached : route := fun t x => if x <? p then g t x else if t =? turn (x - p) then Some (onto (x - p)) else None.

Lemma attached_inside t x : x < p -> attached t x = g t x.
Proof. intros X. unfold attached. now apply Nat.ltb_lt in X as ->. Qed.

Lemma attached_some t x d : attached t (p + x) = Some d -> t = turn x /\ d = onto x.
Proof.
  unfold attached. destruct (Nat.ltb_spec (p + x) p); [lia|]. replace (p + x - p) with x by lia.
  destruct (Nat.eqb_spec t (turn x)); [|discriminate]. intros E. injection E as <-. auto.
Qed.

Lemma attached_place t x : t <= n -> x < p -> place attached t x = place g t x.
Proof.
  intros T X. induction t as [|t IH]; cbn [place]; auto. rewrite IH by lia. rewrite attached_inside; auto.
  apply (place_below _ _ _ _ V); auto. lia.
Qed.

Lemma attached_waits i t : t <= turn i -> place attached t (p + i) = p + i.
Proof.
  induction t as [|t IH]; intros T; cbn [place]; auto. rewrite IH by lia.
  destruct (attached t (p + i)) eqn:E; auto. apply attached_some in E. lia.
Qed.

Lemma attached_joins i t : i < e -> turn i < t -> t <= n -> place attached t (p + i) = place g t (onto i).
Proof.
  intros I U. induction t as [|t IH]; intros T; [lia|]. destruct (Nat.eq_dec t (turn i)) as [->|N].
  - rewrite (fresh_place g (S (turn i))) by auto. cbn [place]. rewrite attached_waits by auto. unfold attached.
    destruct (Nat.ltb_spec (p + i) p); [lia|]. replace (p + i - p) with i by lia. now rewrite Nat.eqb_refl.
  - cbn [place]. rewrite IH, attached_inside; auto; try lia. apply (place_below _ _ _ _ V); auto. lia.
Qed.

Lemma beyond x : x < p + e -> x < p \/ exists i, i < e /\ x = p + i.
Proof. intros X. destruct (le_lt_dec p x); auto. right. exists (x - p). lia. Qed.

Theorem attached_valid : valid (p + e) n q attached.
Proof.
  split.
  - intros t x d T X H. apply beyond in X as [X|(i & I & ->)].
    + rewrite attached_inside in H by auto. apply (stays _ _ _ _ V) in H; auto. lia.
    + apply attached_some in H as [-> ->]. specialize (inside i I). lia.
  - intros t u x U X H. apply beyond in X as [X|(i & I & ->)].
    + rewrite attached_inside in * by auto. now apply (passes_once _ _ _ _ V t u).
    + destruct (attached t (p + i)) eqn:E; [|congruence]. apply attached_some in E as [-> _].
      destruct (attached u (p + i)) eqn:F; auto. apply attached_some in F. lia.
  - intros t u x y U X Y H G. assert (x < p) as Xp.
    { apply beyond in Y as [Y|(i & I & ->)]; [|apply attached_some in G as [_ ->]; auto].
      rewrite attached_inside in G by auto. apply (stays _ _ _ _ V) in G; auto; lia. }
    rewrite attached_inside in H by auto. apply beyond in Y as [Y|(i & I & ->)].
    + rewrite attached_inside in G by auto. now apply (receives_before _ _ _ _ V t u x y).
    + apply attached_some in G as [-> ->]. apply H, resting; auto. lia.
  - intros x X. apply beyond in X as [X|(i & I & ->)].
    + rewrite attached_place by auto. now apply (arrives _ _ _ _ V).
    + rewrite attached_joins; auto. apply (arrives _ _ _ _ V). auto.
Qed.
End Attached.

(* A step of rest, and then the route *)
Definition later (g : route) : route := fun t x => match t with O => None | S k => g k x end.

Lemma later_place g t x : place (later g) (S t) x = place g t x.
Proof. induction t as [|t IH]; [reflexivity|]. now rewrite place_next, IH. Qed.

Theorem later_valid p n q g : valid p n q g -> valid p (S n) q (later g).
Proof.
  intros V. split.
  - intros [|t] x d T X H; [discriminate|]. apply (stays _ _ _ _ V) in H; auto. lia.
  - intros [|t] [|u] x U X H; cbn in *; try congruence. apply (passes_once _ _ _ _ V t u); auto. lia.
  - intros [|t] [|u] x y U X Y H G; cbn in *; try congruence. apply (receives_before _ _ _ _ V t u x y); auto. lia.
  - intros x X. rewrite later_place. now apply (arrives _ _ _ _ V).
Qed.

(* All send to the owner at step 0. *)
Definition to_owner (q : rank) : route := fun t x => if (t =? 0) && negb (x =? q) then Some q else None.

Lemma to_owner_some q t x d : to_owner q t x = Some d -> t = 0 /\ x <> q /\ d = q.
Proof.
  unfold to_owner. destruct (Nat.eqb_spec t 0), (Nat.eqb_spec x q); cbn; try discriminate. intros E. injection E as <-. auto.
Qed.

Theorem to_owner_valid p n q : q < p -> 0 < n -> valid p n q (to_owner q).
Proof.
  intros Q N. split.
  - intros t x d T X H. apply to_owner_some in H as (_ & D & ->). auto.
  - intros t u x U X _. destruct (to_owner q u x) eqn:E; auto. apply to_owner_some in E. lia.
  - intros t u x y U X Y H G. apply to_owner_some in G as (_ & _ & ->). destruct (to_owner q t q) eqn:E; [|congruence].
    apply to_owner_some in E. lia.
  - intros x X. assert (forall t, place (to_owner q) (S t) x = q) as P.
    { induction t as [|t IH]; rewrite place_next; [|now rewrite IH].
      unfold to_owner. cbn. destruct (Nat.eqb_spec x q); auto. }
    destruct n; [lia|]. apply P.
Qed.
