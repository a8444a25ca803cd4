(* More algorithms: the ring and dissemination for every p, recursive halving and doubling for p = 2^a, and the bucket
   algorithm, which has rings along the sides of a torus, in any order. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge LastChance Trees Factors Products Tori.
Import ListNotations.

Definition peer_factor (p n : nat) (peer : rank -> nat -> rank) : factor := Factor p n (last_chance peer n).

Lemma peer_factor_right p n peer : covers p n peer -> right (peer_factor p n peer).
Proof. intros [R C] q Q. apply last_chance_valid; auto. Qed.

Definition all_once (f : factor) : Prop :=
  exactly_once (ReduceScatter (owner (ranks f))) (ranks f) (ranks f) (reduce_scatter_of f) /\
  exactly_once (Allgather (owner (ranks f))) (ranks f) (ranks f) (allgather_of f) /\
  exactly_once Allreduce (ranks f) (ranks f) (allreduce_of f).

Theorem covering_peers_once p n peer : 0 < p -> covers p n peer -> all_once (peer_factor p n peer).
Proof. intros P C. apply factor_once; auto. now apply peer_factor_right. Qed.

(* Peers x + f(s) mod p, where f(s) is at most the number of offsets reached before step s *)
Section Shifts.
Variable p : nat.
Hypothesis some : 0 < p.
Variable f : nat -> nat.

Fixpoint size (s : nat) : nat := match s with O => 1 | S k => size k + f k end.
Hypothesis short : forall s, f s <= size s.

Definition shifted (x : rank) (s : nat) : rank := (x + f s) mod p.

Lemma reaches_offsets x n : forall d, d < size n -> x < p -> reaches shifted ((x + d) mod p) n 0 x = true.
Proof.
  induction n as [|n IH]; intros d D X.
  - cbn in *. replace d with 0 by lia. rewrite Nat.add_0_r, Nat.mod_small by auto. apply Nat.eqb_refl.
  - cbn [size] in D. specialize (short n). destruct (le_lt_dec (size n) d).
    + apply (reaches_append shifted _ n 0 x ((x + (d - f n)) mod p)).
      * apply IH; auto. lia.
      * left. cbn. unfold shifted. rewrite Nat.add_mod_idemp_l by lia. f_equal. lia.
    + apply (reaches_append shifted _ n 0 x ((x + d) mod p)); auto.
Qed.

Theorem shifts_cover n : p <= size n -> covers p n shifted.
Proof.
  intros N. split; [intros; apply Nat.mod_upper_bound; lia|]. intros q x Q X.
  pose proof (reaches_offsets x n ((q + (p - x)) mod p)) as R.
  rewrite Nat.add_mod_idemp_r in R by lia. replace (x + (q + (p - x))) with (q + 1 * p) in R by lia.
  rewrite Nat.mod_add, (Nat.mod_small q) in R by lia. apply R; auto.
  pose proof (Nat.mod_upper_bound (q + (p - x)) p). lia.
Qed.
End Shifts.

Definition ring (p : nat) : factor := peer_factor p (p - 1) (shifted p (fun _ => 1)).
Definition dissemination (p : nat) : factor := peer_factor p (Nat.log2_up p) (shifted p (fun s => 2 ^ s)).

Lemma size_ring s : size (fun _ => 1) s = s + 1.
Proof. induction s; cbn; lia. Qed.

Lemma ring_right p : 0 < p -> right (ring p).
Proof. intros P. apply peer_factor_right, shifts_cover; auto; intros; rewrite size_ring; lia. Qed.

Theorem ring_once p : 0 < p -> all_once (ring p).
Proof. intros P. apply factor_once; auto. now apply ring_right. Qed.

Lemma size_power s : size (fun k => 2 ^ k) s = 2 ^ s.
Proof. induction s as [|s IH]; cbn [size]; [reflexivity|]. rewrite IH, Nat.pow_succ_r'. lia. Qed.

Theorem dissemination_once p : 0 < p -> all_once (dissemination p).
Proof.
  intros P. apply covering_peers_once; auto. apply shifts_cover; auto.
  - intros. rewrite size_power. lia.
  - rewrite size_power. destruct (Nat.eq_dec p 1) as [->|N]; [cbn; lia|]. apply Nat.log2_up_spec. lia.
Qed.

(* Peers x xor f(s), where bit s is the highest of f(s) *)
Lemma no_high_bits a x m : x < 2 ^ a -> a <= m -> Nat.testbit x m = false.
Proof.
  intros X M. destruct (Nat.eq_dec x 0) as [->|N]; [apply Nat.bits_0|]. apply Nat.bits_above_log2.
  apply Nat.lt_le_trans with a; auto. apply Nat.log2_lt_pow2; lia.
Qed.

Section TopBits.
Variable f : nat -> nat.
Hypothesis top : forall s, 2 ^ s <= f s < 2 ^ S s.

Definition flipped (x : rank) (s : nat) : rank := Nat.lxor x (f s).

Lemma top_bit s : Nat.testbit (f s) s = true.
Proof.
  pose proof (top s) as [L U]. pose proof (Nat.pow_nonzero 2 s).
  replace s with (Nat.log2 (f s)) at 2 by (apply Nat.log2_unique; lia). apply Nat.bit_log2. lia.
Qed.

Lemma flipped_twice x s : flipped (flipped x s) s = x.
Proof. unfold flipped. now rewrite Nat.lxor_assoc, Nat.lxor_nilpotent, Nat.lxor_0_r. Qed.

Lemma reaches_agreeing x n : forall q, (forall m, n <= m -> Nat.testbit x m = Nat.testbit q m) -> reaches flipped q n 0 x = true.
Proof.
  induction n as [|n IH]; intros q A.
  - cbn. apply Nat.eqb_eq, Nat.bits_inj. intros m. apply A. lia.
  - destruct (bool_dec (Nat.testbit x n) (Nat.testbit q n)) as [E|E].
    + apply (reaches_append flipped q n 0 x q); auto. apply IH. intros m M.
      destruct (Nat.eq_dec m n) as [->|]; auto. apply A. lia.
    + apply (reaches_append flipped q n 0 x (flipped q n)); [|left; apply flipped_twice].
      apply IH. intros m M. unfold flipped. rewrite Nat.lxor_spec. destruct (Nat.eq_dec m n) as [->|N].
      * rewrite top_bit. destruct (Nat.testbit x n), (Nat.testbit q n); auto; congruence.
      * rewrite (no_high_bits (S n) (f n)), xorb_false_r by (auto; try apply top; lia). apply A. lia.
Qed.

Lemma flipped_below a x s : s < a -> x < 2 ^ a -> flipped x s < 2 ^ a.
Proof.
  intros S X. unfold flipped. destruct (Nat.eq_dec (Nat.lxor x (f s)) 0) as [->|N]; [lia|].
  apply Nat.log2_lt_pow2; [lia|]. destruct (le_lt_dec a (Nat.log2 (Nat.lxor x (f s)))) as [L|]; auto. exfalso.
  pose proof (Nat.bit_log2 _ N) as B. rewrite Nat.lxor_spec, (no_high_bits a x), (no_high_bits (Datatypes.S s) (f s)) in B
    by (auto; try apply top; lia). discriminate.
Qed.

Theorem top_bits_cover a : covers (2 ^ a) a flipped.
Proof.
  split; [intros; now apply flipped_below|]. intros q x Q X. apply reaches_agreeing. intros m M. now rewrite !(no_high_bits a).
Qed.
End TopBits.

(* Peers x xor 2^s, nearest or farthest peers first *)
Definition exchanged (x : rank) (s : nat) : rank := Nat.lxor x (2 ^ s).

Lemma power_on_top s : 2 ^ s <= 2 ^ s < 2 ^ S s.
Proof. pose proof (Nat.pow_nonzero 2 s). rewrite Nat.pow_succ_r'. lia. Qed.

Lemma exchanged_below a x s : s < a -> x < 2 ^ a -> exchanged x s < 2 ^ a.
Proof. apply (flipped_below (Nat.pow 2) power_on_top). Qed.

Lemma exchanged_covers a : covers (2 ^ a) a exchanged.
Proof. apply (top_bits_cover (Nat.pow 2) power_on_top). Qed.

Lemma exchanged_paired p : paired p exchanged.
Proof. intros x s _. apply (flipped_twice (Nat.pow 2)). Qed.

Definition doubling_near (a : nat) : factor := peer_factor (2 ^ a) a exchanged.
Definition doubling_far (a : nat) : factor := peer_factor (2 ^ a) a (reversed a exchanged).

Theorem doubling_once a : all_once (doubling_near a) /\ all_once (doubling_far a).
Proof.
  assert (0 < 2 ^ a) as P by (pose proof (Nat.pow_nonzero 2 a); lia).
  split; apply covering_peers_once; auto using exchanged_covers, reversed_covers, exchanged_paired.
Qed.

(* Rings along the sides of a torus, their steps in any order *)
Definition bucket (sides order : list nat) : factor := torus_factor (torus_of (map ring sides) order).

Theorem bucket_once sides order : Forall (fun n => 0 < n) sides -> interleaves (map ring sides) order -> all_once (bucket sides order).
Proof.
  intros S I. apply factor_once.
  - unfold bucket. rewrite torus_of_ranks. clear I. induction S as [|n ns N _ IH]; cbn in *; nia.
  - apply torus_of_right; auto. apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N).
    rewrite Forall_forall in S. auto using ring_right.
Qed.
