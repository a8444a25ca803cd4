(* The algorithms that exchange whole vectors: recursive doubling, mirrored recursive doubling, and latency-optimal Swing, on every
   line and torus, with any number of lanes. Sides are folded one by one, then come the exchanges, round-robin, and the sides are
   unfolded in reverse order. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products Tori Relabelled SwingAll Catalogue Folded Exchange WholeVectors Tables.
Import ListNotations.

Definition idle : exchanger := Exchanger 1 0 (fun _ _ => None) (fun _ _ => true).

Fixpoint crossed (es : list exchanger) (order : list nat) : exchanger :=
  match es with [] => idle | e :: rest => cross e (crossed rest (others order)) (fun t => nth t order 1 =? 0) end.

Lemma idle_ready : ready idle.
Proof.
  split; cbn; try discriminate; auto. intros r c R C. replace r with 0 by lia. replace c with 0 by lia. reflexivity.
Qed.

Lemma crossed_rounds es : forall order, rounds (crossed es order) = list_sum (map rounds es).
Proof. induction es as [|e es IH]; intros order; [reflexivity|]. cbn. now rewrite IH. Qed.

Lemma crossed_size es : forall order, size (crossed es order) = extent (map size es).
Proof. induction es as [|e es IH]; intros order; [reflexivity|]. cbn. now rewrite IH. Qed.

Theorem crossed_ready es : forall order, Forall ready es -> interleaves (map counted es) order -> ready (crossed es order).
Proof.
  induction es as [|e es IH]; intros order R I; [exact idle_ready|]. inversion R; subst. apply cross_ready; auto.
  - apply IH; auto. now apply (others_interleave (counted e)).
  - rewrite crossed_rounds. change (rounds e + list_sum (map rounds es)) with (list_sum (map rounds (e :: es))).
    pose proof (interleaves_length _ _ I) as L. rewrite map_map in L. change (fun x => steps (counted x)) with rounds in L.
    rewrite <- L, turns_list. exact (I 0).
Qed.

Definition unfolding_order (sides : list nat) (first : nat) : list nat :=
  folds sides ++ inner_order sides first ++ rev (folds sides).

Lemma side_size n m a peer : size (side n m a peer) = n.
Proof. unfold side. destruct (Nat.eqb_spec n m); auto. Qed.

Lemma side_rounds n m a peer : rounds (side n m a peer) = a + if n =? m then 0 else 2.
Proof. unfold side. destruct (Nat.eqb_spec n m); cbn; lia. Qed.

(* Whom the n' ranks of a side meet on lane l, and who sits where. Lane l starts on dimension l mod D. *)
Section WholeVectors.
Variable sides : list nat.
Variable peer : nat -> nat -> rank -> nat -> rank.
Variables seat part : nat -> rank -> rank.
Hypothesis some : Forall (fun n => 0 < n) sides.
Hypothesis meets : forall l a, meets_all (2 ^ a) a (peer l (2 ^ a)).
Hypothesis fair : forall l, bijection (extent sides) (seat l) (part l).

Definition vector_side (l n : nat) : exchanger := side n (inner n) (Nat.log2 n) (peer l (inner n)).
Definition vector_torus (l : nat) : exchanger := crossed (map (vector_side l) sides)
  (unfolding_order sides (l mod length sides)).
Definition vector_lane (l : nat) : exchanger := renumbered (vector_torus l) (seat l) (part l).
Definition whole_vectors (lanes : nat) : schedule :=
  let lane := memo lanes vector_lane in pulls (extent sides) lanes (rounds (vector_lane 0)) (fun l => draw (lane l)).

Lemma vector_lane_size l : size (vector_lane l) = extent sides.
Proof.
  cbn [vector_lane renumbered size]. unfold vector_torus. rewrite crossed_size, map_map. f_equal.
  rewrite <- (map_id sides) at 2. apply map_ext. intros n. apply side_size.
Qed.

Lemma vector_lane_rounds l : rounds (vector_lane l) = rounds (vector_lane 0).
Proof.
  cbn [vector_lane renumbered rounds]. unfold vector_torus. rewrite !crossed_rounds, !map_map. f_equal. apply map_ext.
  intros n. unfold vector_side. now rewrite !side_rounds.
Qed.

Lemma vector_lane_ready l : ready (vector_lane l).
Proof.
  apply renumbered_ready; [pose proof (vector_lane_size l) as S; cbn [vector_lane renumbered size] in S; now rewrite S|].
  apply crossed_ready.
  - apply Forall_forall. intros e E. apply in_map_iff in E as (n & <- & N). rewrite Forall_forall in some.
    apply side_ready; [now apply inner_within, some | apply meets].
  - intros w. unfold unfolding_order. rewrite map_map, !count_occ_app, count_occ_rev, count_folds, count_inner_order.
    rewrite (steps_of_side (fun n => counted (vector_side l n))); cbn [steps counted]; unfold vector_side; rewrite side_rounds; auto.
    destruct (nth w sides 1 =? inner (nth w sides 1)); lia.
Qed.

Theorem whole_vectors_once lanes : 0 < lanes -> exactly_once Allreduce (extent sides) lanes (whole_vectors lanes).
Proof.
  intros L. apply pulls_once; auto using extent_positive.
  - intros l t r s o _ T P. rewrite memo_same. intros G. rewrite <- (vector_lane_size l) in P |- *. apply (inside _ (vector_lane_ready l) t r s o); auto.
    now rewrite vector_lane_rounds.
  - intros l r c _ P C. rewrite memo_same. rewrite <- (vector_lane_size l) in P, C. rewrite <- (vector_lane_rounds l).
    now apply (hears_once _ (vector_lane_ready l)).
Qed.
End WholeVectors.

(* Recursive doubling; lanes from D on are mirrored: coordinate c takes the part of -c. *)
Definition recursive_doubling (sides : list nat) (lanes : nat) : schedule :=
  whole_vectors sides (fun _ _ => exchanged) (lane_seat sides) (lane_seat sides) lanes.

Theorem recursive_doubling_once sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes ->
  exactly_once Allreduce (extent sides) lanes (recursive_doubling sides lanes).
Proof.
  intros S. unfold recursive_doubling. apply whole_vectors_once; [exact S | intros l; apply doubling_meets_all | apply lane_seats].
Qed.

(* On a line, with neighbours folded *)
Definition doubling_beside (p : nat) : schedule :=
  whole_vectors [p] (fun _ _ => exchanged) (fun _ => beside p) (fun _ => beside_back p) 1.

Theorem doubling_beside_once p : 0 < p -> exactly_once Allreduce p 1 (doubling_beside p).
Proof.
  intros P. assert (extent [p] = p) as E by (cbn; lia). rewrite <- E at 1. unfold doubling_beside.
  apply whole_vectors_once; [auto | intros l; apply doubling_meets_all | rewrite E; intros l; apply beside_bijection | lia].
Qed.

(* Latency-optimal Swing; lanes from D on have mirrored peers. *)
Definition swing_latency (sides : list nat) (lanes : nat) : schedule :=
  whole_vectors sides (fun l => swing_peer (length sides <=? l)) (fun _ r => r) (fun _ r => r) lanes.

Theorem swing_latency_once sides lanes : Forall (fun n => 0 < n) sides -> 0 < lanes ->
  exactly_once Allreduce (extent sides) lanes (swing_latency sides lanes).
Proof.
  intros S. unfold swing_latency.
  apply whole_vectors_once; [exact S | intros l; apply swing_meets_all | intros l x X; repeat split; exact X].
Qed.
