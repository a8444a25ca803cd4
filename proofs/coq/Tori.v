(* Tori of any number of dimensions, with their steps interleaved in any way. An interleaving is a list of dimensions: the step's
   dimension for each step. Round-robin is one. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products.
Import ListNotations.

(* One rank, which has nothing to do *)
Definition alone : factor := Factor 1 0 (fun _ _ _ => None).

Lemma alone_right : right alone.
Proof. intros q Q. cbn in *. split; cbn; try congruence; lia. Qed.

(* The steps of all dimensions but the first, renumbered from 0 *)
Definition others (order : list nat) : list nat := map pred (filter (fun w => negb (w =? 0)) order).

Fixpoint torus_of (fs : list factor) (order : list nat) : torus :=
  match fs with
  | [] => Side alone
  | f :: rest => Cross (fun t => nth t order 1 =? 0) (Side f) (torus_of rest (others order))
  end.

(* Every dimension is in the list as often as it has steps. *)
Definition interleaves (fs : list factor) (order : list nat) : Prop :=
  forall w, count_occ Nat.eq_dec order w = steps (nth w fs alone).

Lemma turns_same f g n : (forall t, t < n -> f t = g t) -> turns f n = turns g n.
Proof. induction n as [|n IH]; intros E; cbn; auto. rewrite IH, E; auto. Qed.

Lemma turns_list order : turns (fun t => nth t order 1 =? 0) (length order) = count_occ Nat.eq_dec order 0.
Proof.
  induction order as [|w order IH] using rev_ind; [reflexivity|].
  rewrite app_length, Nat.add_1_r, count_occ_app. cbn [turns]. rewrite nth_middle. f_equal.
  - rewrite <- IH. apply turns_same. intros t T. now rewrite app_nth1.
  - cbn. destruct w; reflexivity.
Qed.

Lemma others_count order w : count_occ Nat.eq_dec (others order) w = count_occ Nat.eq_dec order (S w).
Proof.
  unfold others. induction order as [|[|v] order IH]; [reflexivity| |].
  - cbn. exact IH.
  - cbn [filter Nat.eqb negb map pred count_occ]. destruct (Nat.eq_dec v w), (Nat.eq_dec (S v) (S w)); auto; lia.
Qed.

Lemma others_length order : length order = count_occ Nat.eq_dec order 0 + length (others order).
Proof. unfold others. induction order as [|[|v] order IH]; cbn in *; lia. Qed.

Lemma others_interleave f rest order : interleaves (f :: rest) order -> interleaves rest (others order).
Proof. intros I w. rewrite others_count. apply (I (S w)). Qed.

Lemma interleaves_length fs : forall order, interleaves fs order -> length order = list_sum (map steps fs).
Proof.
  induction fs as [|f fs IH]; intros order I.
  - destruct order as [|w order]; [reflexivity|]. specialize (I w). rewrite count_occ_cons_eq in I by auto.
    destruct w; discriminate I.
  - rewrite others_length, (IH (others order)) by now apply others_interleave with f. now rewrite (I 0).
Qed.

Lemma torus_of_steps fs : forall order, steps (torus_factor (torus_of fs order)) = list_sum (map steps fs).
Proof. induction fs as [|f fs IH]; intros order; [reflexivity|]. cbn. now rewrite IH. Qed.

Lemma torus_of_ranks fs : forall order, ranks (torus_factor (torus_of fs order)) = fold_right Nat.mul 1 (map ranks fs).
Proof. induction fs as [|f fs IH]; intros order; [reflexivity|]. cbn. now rewrite IH. Qed.

Lemma torus_of_sound fs : forall order, Forall right fs -> interleaves fs order -> sound (torus_of fs order).
Proof.
  induction fs as [|f fs IH]; intros order R I; [exact alone_right|].
  inversion R; subst. pose proof (others_interleave _ _ _ I) as O. cbn [torus_of sound torus_factor].
  split; [auto | split; [auto|]].
  rewrite torus_of_steps. change (steps f + list_sum (map steps fs)) with (list_sum (map steps (f :: fs))).
  rewrite <- (interleaves_length _ _ I), turns_list. exact (I 0).
Qed.

(* Any valid factors along the dimensions, in any interleaving *)
Theorem torus_of_right fs order : Forall right fs -> interleaves fs order -> right (torus_factor (torus_of fs order)).
Proof. intros R I. apply torus_right. now apply torus_of_sound. Qed.

(* Round-robin: rounds over the dimensions, starting with `first`, leaving out those that are done *)
Definition around (first n : nat) : list nat := seq (first mod n) (n - first mod n) ++ seq 0 (first mod n).
Definition rounds (fs : list factor) : nat := list_max (map steps fs).
Definition round_robin (fs : list factor) (first : nat) : list nat :=
  flat_map (fun r => filter (fun w => r <? steps (nth w fs alone)) (around first (length fs))) (seq 0 (rounds fs)).

Lemma count_seq n : forall k w, count_occ Nat.eq_dec (seq k n) w = if (k <=? w) && (w <? k + n) then 1 else 0.
Proof.
  induction n as [|n IH]; intros k w.
  - rewrite Nat.add_0_r. destruct (Nat.leb_spec k w), (Nat.ltb_spec w k); auto; lia.
  - cbn [seq count_occ]. rewrite IH. destruct (Nat.eq_dec k w) as [->|N];
      repeat match goal with |- context [?a <=? ?b] => destruct (Nat.leb_spec a b) | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b) end;
      cbn; lia.
Qed.

Lemma count_around first n w : w < n -> count_occ Nat.eq_dec (around first n) w = 1.
Proof.
  intros W. unfold around. rewrite count_occ_app, !count_seq.
  pose proof (Nat.mod_upper_bound first n ltac:(lia)). set (k := first mod n) in *.
  repeat match goal with |- context [?a <=? ?b] => destruct (Nat.leb_spec a b) | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b) end;
    cbn; lia.
Qed.

Lemma count_filter f l w : count_occ Nat.eq_dec (filter f l) w = if f w then count_occ Nat.eq_dec l w else 0.
Proof.
  induction l as [|x l IH]; cbn; [now destruct (f w)|].
  destruct (f x) eqn:F; cbn; rewrite IH; destruct (Nat.eq_dec x w) as [->|]; rewrite ?F; auto.
Qed.

Lemma count_rounds (needs : nat -> nat) l w : forall n,
  count_occ Nat.eq_dec (flat_map (fun r => filter (fun v => r <? needs v) l) (seq 0 n)) w =
  Nat.min n (needs w) * count_occ Nat.eq_dec l w.
Proof.
  induction n as [|n IH]; [reflexivity|].
  rewrite seq_S, flat_map_app, count_occ_app, IH. cbn [flat_map plus]. rewrite app_nil_r, count_filter.
  destruct (Nat.ltb_spec n (needs w)).
  - rewrite !Nat.min_l by lia. lia.
  - rewrite !Nat.min_r by lia. lia.
Qed.

Theorem round_robin_interleaves fs first : interleaves fs (round_robin fs first).
Proof.
  intros w. unfold round_robin. rewrite count_rounds. destruct (le_lt_dec (length fs) w) as [W|W].
  - rewrite nth_overflow by auto. cbn. now rewrite Nat.min_0_r.
  - rewrite count_around, Nat.mul_1_r by auto. apply Nat.min_r. unfold rounds.
    pose proof (proj1 (list_max_le (map steps fs) (list_max (map steps fs))) (le_n _)) as M. rewrite Forall_forall in M.
    apply M. apply in_map. now apply nth_In.
Qed.
