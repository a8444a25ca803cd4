(* Peers r xor 2^s: recursive doubling and halving, for every p = 2^a. *)
Require Import ZArith Lia Bool.
Require Import Peers.
Open Scope Z_scope.

Definition exchanged (r : Z) (s : nat) : Z := Z.lxor r (2 ^ Z.of_nat s).

(* The same in all bits from bit s on *)
Definition agree (s : nat) (x q : Z) : Prop := forall m, Z.of_nat s <= m -> Z.testbit x m = Z.testbit q m.

Lemma reaches_agreeing x n : forall q, agree n x q -> reaches exchanged q n 0 x = true.
Proof.
  induction n as [|n IH]; intros q A.
  - cbn. apply Z.eqb_eq. apply Z.bits_inj'. intros m M. apply A. cbn. lia.
  - destruct (bool_dec (Z.testbit x (Z.of_nat n)) (Z.testbit q (Z.of_nat n))) as [E|E].
    + apply (reaches_append exchanged q n 0 x q); auto. apply IH. intros m M.
      destruct (Z.eq_dec m (Z.of_nat n)) as [->|]; auto. apply A. lia.
    + apply (reaches_append exchanged q n 0 x (exchanged q n)).
      * apply IH. intros m M. unfold exchanged. rewrite Z.lxor_spec.
        destruct (Z.eq_dec m (Z.of_nat n)) as [->|N].
        -- rewrite Z.pow2_bits_true by lia. destruct (Z.testbit x (Z.of_nat n)), (Z.testbit q (Z.of_nat n)); auto; congruence.
        -- rewrite Z.pow2_bits_false by lia. rewrite xorb_false_r. apply A. lia.
      * left. unfold exchanged. cbn. rewrite Z.lxor_assoc, Z.lxor_nilpotent. apply Z.lxor_0_r.
Qed.

Lemma no_high_bits a x m : 0 <= x < 2 ^ Z.of_nat a -> Z.of_nat a <= m -> Z.testbit x m = false.
Proof.
  intros X M. destruct (Z.eq_dec x 0) as [->|]; [apply Z.testbit_0_l|].
  apply Z.bits_above_log2; [lia|]. apply Z.lt_le_trans with (Z.of_nat a); auto. apply Z.log2_lt_pow2; lia.
Qed.

Theorem doubling a x q : 0 <= x < 2 ^ Z.of_nat a -> 0 <= q < 2 ^ Z.of_nat a -> ends exchanged q a 0 x = q.
Proof.
  intros X Q. apply exactly_once, reaches_agreeing. intros m M. now rewrite !(no_high_bits a).
Qed.

Print Assumptions doubling.
