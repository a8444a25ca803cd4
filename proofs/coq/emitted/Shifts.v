(* Peers r + f(s) mod p whose steps are no longer than what has been reached: dissemination (f(s) = 2^s) and ring (f(s) = 1). *)
Require Import ZArith Lia Bool.
Require Import Peers.
Open Scope Z_scope.

Section Shifts.
Variable p : Z.
Hypothesis positive : 0 < p.
Variable f : nat -> Z.

(* How many offsets 0, 1, .. the first s steps reach *)
Fixpoint size (s : nat) : Z := match s with O => 1 | S k => size k + f k end.

Hypothesis short : forall s, 0 <= f s <= size s.

Definition shifted (r : Z) (s : nat) : Z := (r + f s) mod p.

Lemma reaches_offsets x n : forall d, 0 <= d < size n -> 0 <= x < p -> reaches shifted ((x + d) mod p) n 0 x = true.
Proof.
  induction n as [|n IH]; intros d D X.
  - cbn in *. assert (d = 0) as -> by lia. rewrite Z.add_0_r, Z.mod_small by auto. apply Z.eqb_refl.
  - cbn [size] in D. pose proof (short n). destruct (Z_lt_ge_dec d (size n)).
    + apply (reaches_append shifted _ n 0 x ((x + d) mod p)); [apply IH; auto; lia | right; reflexivity].
    + apply (reaches_append shifted _ n 0 x ((x + (d - f n)) mod p)).
      * apply IH; auto. lia.
      * left. cbn. unfold shifted. rewrite Zplus_mod_idemp_l. f_equal. ring.
Qed.

Theorem shifts_reduce_scatter n x q : p <= size n -> 0 <= x < p -> 0 <= q < p -> ends shifted q n 0 x = q.
Proof.
  intros P X Q. apply exactly_once.
  replace q with ((x + (q - x) mod p) mod p) at 1.
  - apply reaches_offsets; auto. pose proof (Z.mod_pos_bound (q - x) p positive). lia.
  - rewrite Zplus_mod_idemp_r. replace (x + (q - x)) with q by ring. apply Z.mod_small; auto.
Qed.
End Shifts.

Fixpoint power (s : nat) : Z := match s with O => 1 | S k => 2 * power k end.

Lemma power_positive s : 1 <= power s.
Proof. induction s; cbn [power]; lia. Qed.

Lemma size_power s : size power s = power s.
Proof. induction s; cbn [size power]; lia. Qed.

(* Dissemination, for every p *)
Theorem dissemination p n x q : 0 < p -> p <= power n -> 0 <= x < p -> 0 <= q < p -> ends (shifted p power) q n 0 x = q.
Proof.
  intros. apply shifts_reduce_scatter; auto.
  - intros s. rewrite size_power. pose proof (power_positive s). lia.
  - now rewrite size_power.
Qed.

Lemma size_ring s : size (fun _ => 1) s = 1 + Z.of_nat s.
Proof. induction s; cbn [size]; lia. Qed.

(* The ring, for every p, in p-1 steps *)
Theorem ring p x q : 0 < p -> 0 <= x < p -> 0 <= q < p -> ends (shifted p (fun _ => 1)) q (Z.to_nat (p - 1)) 0 x = q.
Proof.
  intros. apply shifts_reduce_scatter; auto; intros; rewrite size_ring; lia.
Qed.

Print Assumptions dissemination.
Print Assumptions ring.
