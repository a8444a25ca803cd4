(* 3-2 elimination on tori: each side eliminates as a line does. A side is a right factor, so their product is. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Products Tori SwingAll Attached Folded Elimination.
Import ListNotations.

(* Blocks belong to the seats of pairs; were a block another rank's, all would send to that one directly. *)
Definition eliminating_path (n q : nat) : route :=
  let s := seat_of (Nat.log2 n) (thirds n) q in
  if (q <? inner n + thirds n) && (s <? inner n) then elimination_path n s else to_owner q.
Definition eliminating_side (n : nat) : factor := Factor n (elimination_steps n) (eliminating_path n).

Lemma eliminating_side_right n : 0 < n -> right (eliminating_side n).
Proof.
  intros N q Q. cbn [ranks steps path eliminating_side] in *. unfold eliminating_path. pose proof (inner_within n N) as [L _].
  pose proof (Nat.div_mod (inner n) 2 ltac:(lia)). assert (2 * thirds n <= inner n) as F by (unfold thirds; lia).
  destruct (Nat.ltb_spec q (inner n + thirds n)) as [I|I]; cbn [andb].
  - destruct (seat_of_right (Nat.log2 n) (thirds n) F q I) as [_ E].
    destruct (Nat.ltb_spec (seat_of (Nat.log2 n) (thirds n) q) (inner n)) as [S|S].
    + destruct (elimination_owned n N _ S) as [_ V]. now rewrite E in V.
    + apply to_owner_valid; auto. destruct (Nat.eq_dec n 1) as [->|]; [|unfold elimination_steps; pose proof (Nat.log2_pos n); lia].
      assert (q = 0) as -> by lia. cbn in S. lia.
  - apply to_owner_valid; auto. unfold elimination_steps. pose proof (Nat.log2_pos n). destruct (Nat.eq_dec n 1) as [->|]; [|lia].
    cbn in I. lia.
Qed.

(* The sides whose surplus is folded, one by one, and then the pairs of all sides, round-robin *)
Definition surplus_folds (sides : list nat) : list nat :=
  filter (fun w => negb (surplus (nth w sides 1) =? 0)) (seq 0 (length sides)).
Definition eliminating_order (sides : list nat) : list nat := surplus_folds sides ++ inner_order sides 0.
Definition eliminating_torus (sides : list nat) : factor :=
  torus_factor (torus_of (map eliminating_side sides) (eliminating_order sides)).

Lemma eliminating_interleaves sides : interleaves (map eliminating_side sides) (eliminating_order sides).
Proof.
  intros w. unfold eliminating_order, surplus_folds. rewrite count_occ_app, count_inner_order, count_filter, count_seq.
  rewrite steps_of_side by reflexivity. cbn [steps eliminating_side plus Nat.leb andb]. unfold elimination_steps.
  destruct (Nat.ltb_spec w (length sides)); [|rewrite nth_overflow by auto]; destruct (surplus _ =? 0) eqn:E; cbn [negb]; try lia; discriminate.
Qed.

Lemma eliminating_torus_ranks sides : ranks (eliminating_torus sides) = extent sides.
Proof. unfold eliminating_torus. rewrite torus_of_ranks, map_map. cbn [ranks eliminating_side]. now rewrite map_id. Qed.

Lemma eliminating_torus_right sides : Forall (fun n => 0 < n) sides -> right (eliminating_torus sides).
Proof.
  intros P. apply torus_of_right; [|apply eliminating_interleaves].
  apply Forall_forall. intros f F. apply in_map_iff in F as (n & <- & N). rewrite Forall_forall in P. auto using eliminating_side_right.
Qed.

(* Block b belongs to the rank that sits, in each dimension, where the block's coordinate does. *)
Fixpoint eliminated_rank (sides : list nat) (b : block) : rank :=
  match sides with
  | [] => 0
  | n :: rest =>
      let w := inner_blocks rest in sits (Nat.log2 n) (thirds n) (b / w) * extent rest + eliminated_rank rest (b mod w)
  end.

Lemma eliminated_rank_below sides : Forall (fun n => 0 < n) sides -> forall b, b < inner_blocks sides -> eliminated_rank sides b < extent sides.
Proof.
  intros P. induction P as [|n ns N P IH]; intros b B; cbn in *; [lia|]. fold (extent (map inner ns)) in *. fold (extent ns).
  pose proof (inner_blocks_positive ns) as W. unfold inner_blocks in *. set (w := extent (map inner ns)) in *.
  specialize (IH (b mod w) (Nat.mod_upper_bound b w ltac:(lia))).
  assert (b / w < inner n) as D by (apply Nat.div_lt_upper_bound; lia).
  destruct (elimination_owned n N _ D) as [S _]. nia.
Qed.

Definition elimination_torus_path (sides : list nat) : block -> route := owned_path (eliminating_torus sides) (eliminated_rank sides).
Definition elimination_torus (sides : list nat) : schedule :=
  allreduce (extent sides) (inner_blocks sides) (steps (eliminating_torus sides)) (elimination_torus_path sides).

Theorem elimination_torus_once sides : Forall (fun n => 0 < n) sides ->
  exactly_once Allreduce (extent sides) (inner_blocks sides) (elimination_torus sides).
Proof.
  intros P. pose proof (owners_once (eliminating_torus sides) (inner_blocks sides) (eliminated_rank sides)) as O.
  rewrite eliminating_torus_ranks in O. apply O; auto using extent_positive, inner_blocks_positive, eliminating_torus_right, eliminated_rank_below.
Qed.
