(* Trees whose ranks pass the block on where it would pass by: block and sums walk the same ways. Trees by the digits of the distance in
   base k, the lowest first or the highest; those of base 2 are binomial. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Carried Rooted.
Import ListNotations.

(* `at_step t x` is where the contribution of rank x is before step t, on its way down to rank 0. *)
Definition down (at_step : nat -> nat -> nat) : route :=
  fun t x => if (at_step t x =? x) && negb (at_step (S t) x =? x) then Some (at_step (S t) x) else None.

Section Down.
Variables p n : nat.
Variable f : nat -> nat -> nat.
Hypothesis begins : forall x, x < p -> f 0 x = x.
Hypothesis ends : forall x, x < p -> f n x = 0.
Hypothesis falls : forall t x, f (S t) x <= f t x.
Hypothesis stays_there : forall t x, f t (f t x) = f t x.
Hypothesis goes_on : forall t x, f (S t) (f t x) = f (S t) x.

Lemma falls_on t u x : t <= u -> f u x <= f t x.
Proof. induction 1 as [|u L IH]; auto. pose proof (falls u x). lia. Qed.

Lemma below t x : x < p -> f t x <= x.
Proof. intros X. rewrite <- (begins x X) at 2. apply falls_on. lia. Qed.

Lemma down_some t x y : down f t x = Some y -> f t x = x /\ f (S t) x <> x /\ y = f (S t) x.
Proof.
  unfold down. destruct (Nat.eqb_spec (f t x) x), (Nat.eqb_spec (f (S t) x) x); cbn; try discriminate. intros E. injection E as <-. auto.
Qed.

(* Whoever has left a place does not come back. *)
Lemma gone t u x : x < p -> t < u -> f (S t) x <> x -> f u x <> x.
Proof. intros X L N E. pose proof (falls_on (S t) u x L). pose proof (below (S t) x X). lia. Qed.

Theorem down_valid : valid p n 0 (down f).
Proof.
  split.
  - intros t x y _ X E. apply down_some in E as (_ & N & ->). pose proof (below (S t) x X). lia.
  - intros t u x [L _] X H. destruct (down f t x) eqn:E; [|congruence]. apply down_some in E as (_ & N & _).
    destruct (down f u x) eqn:F; auto. apply down_some in F as (F & _). now apply (gone t u x) in F.
  - intros t u x y [L _] X Y H G. destruct (down f t x) eqn:E; [|congruence]. apply down_some in E as (_ & N & _).
    apply down_some in G as (_ & _ & G). assert (f (S u) x = x) as F by (rewrite G at 1; rewrite stays_there; auto).
    destruct (Nat.eq_dec t u) as [->|]; auto. apply (gone t (S u) x X) in F; auto; lia.
  - intros x X. rewrite <- (ends x X). clear ends. induction n as [|t IH]; [cbn; now rewrite begins|].
    cbn [place]. rewrite IH. unfold down. rewrite stays_there, Nat.eqb_refl, goes_on. cbn [andb].
    destruct (Nat.eqb_spec (f (S t) x) (f t x)); cbn [negb]; auto.
Qed.
End Down.

(* Walks that end after n steps, backwards *)
Definition back (n : nat) (walked : nat -> nat -> nat) : route := down (fun t => walked (n - t)).
Definition near_tree (k n : nat) : route := back n (near_walk k).
Definition far_tree (k n : nat) : route := back n (far_walk k n).

Lemma mod_mod_pow k a b x : 1 < k -> a <= b -> (x mod k ^ b) mod k ^ a = x mod k ^ a.
Proof.
  intros K L. assert (k ^ b = k ^ a * k ^ (b - a)) as -> by (rewrite <- Nat.pow_add_r; f_equal; lia).
  pose proof (Nat.pow_nonzero k a ltac:(lia)). pose proof (Nat.pow_nonzero k (b - a) ltac:(lia)).
  rewrite Nat.mod_mul_r, (Nat.mul_comm (k ^ a)), Nat.mod_add, Nat.mod_mod by auto. reflexivity.
Qed.

Lemma mod_le_mod k a b x : 1 < k -> a <= b -> x mod k ^ a <= x mod k ^ b.
Proof. intros K L. rewrite <- (mod_mod_pow k a b x K L). apply Nat.mod_le, Nat.pow_nonzero. lia. Qed.

Lemma less_mod_mod k a x : 1 < k -> (x - x mod k ^ a) mod k ^ a = 0.
Proof.
  intros K. pose proof (Nat.pow_nonzero k a ltac:(lia)) as Z. rewrite (Nat.div_mod x (k ^ a)) at 1 by auto.
  rewrite Nat.add_sub, Nat.mul_comm. now apply Nat.mod_mul.
Qed.

Theorem near_tree_valid p k n : 1 < k -> p <= k ^ n -> valid p n 0 (near_tree k n).
Proof.
  intros K P. apply down_valid; unfold near_walk.
  - intros x X. rewrite Nat.sub_0_r. apply Nat.mod_small. lia.
  - intros x _. rewrite Nat.sub_diag. apply Nat.mod_1_r.
  - intros t x. apply mod_le_mod; lia.
  - intros t x. apply mod_mod_pow; lia.
  - intros t x. apply mod_mod_pow; lia.
Qed.

Theorem far_tree_valid p k n : 1 < k -> p <= k ^ n -> valid p n 0 (far_tree k n).
Proof.
  intros K P. assert (forall t, t <= n -> n - (n - t) = t) as E by lia. apply down_valid; unfold far_walk.
  - intros x _. rewrite Nat.sub_0_r, Nat.sub_diag. cbn [Nat.pow]. rewrite Nat.mod_1_r. lia.
  - intros x X. rewrite Nat.sub_diag, Nat.sub_0_r, Nat.mod_small; lia.
  - intros t x. pose proof (mod_le_mod k (n - (n - t)) (n - (n - S t)) x K ltac:(lia)). lia.
  - intros t x. rewrite less_mod_mod by auto. lia.
  - intros t x. set (a := n - (n - t)). set (b := n - (n - S t)). assert (a <= b) as L by (unfold a, b; lia).
    pose proof (mod_le_mod k a b x K L). pose proof (Nat.pow_nonzero k a ltac:(lia)). pose proof (Nat.pow_nonzero k b ltac:(lia)).
    assert (x mod k ^ a <= x) by (apply Nat.mod_le; auto).
    assert ((x - x mod k ^ a) mod k ^ b = x mod k ^ b - x mod k ^ a) as ->; [|lia].
    pose proof (Nat.div_mod x (k ^ b) ltac:(auto)) as D. pose proof (Nat.mod_upper_bound x (k ^ b) ltac:(auto)).
    symmetry. apply Nat.mod_unique with (x / k ^ b); lia.
Qed.

Theorem knomial_trees_once p k : 1 < k -> let n := levels k p in line_rooted p n (near_tree k n) /\ line_rooted p n (far_tree k n).
Proof.
  intros K. split; apply line_rooted_once; [apply near_tree_valid | apply far_tree_valid]; auto using enough_levels.
Qed.
