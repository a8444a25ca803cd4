(* In a broadcast or reduce of many blocks on a circulant graph, a rank sends one block a step, and receives one. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Factors Relabelled TreeRoute Rooted OrderLost OnePort CirculantRows CirculantBlocks.
Import ListNotations.

Section Port.
Variables p n : nat.
Hypothesis some : 0 < p.
Let q := Nat.log2_up p.

Lemma residue_divides c : 0 < q -> (c + residue q c) mod q = 0.
Proof.
  intros Q. unfold residue. rewrite Nat.add_mod_idemp_r by lia. pose proof (Nat.mod_upper_bound c q ltac:(lia)).
  rewrite (Nat.div_mod c q) at 1 by lia. replace (q * (c / q) + c mod q + (q - c mod q)) with ((1 + c / q) * q) by lia.
  apply Nat.mod_mul. lia.
Qed.

Lemma round_below c x : 0 < x < p -> block_round q c (ring_row p x) < q /\
  nth_error (map fst (snd (ring_row p x))) (block_round q c (ring_row p x)) =
    Some (if begins_with q c (fst (ring_row p x)) then q else residue q c).
Proof.
  intros X. pose proof (low p some x X) as L. fold q in L. unfold block_round.
  destruct (begins_with q c (fst (ring_row p x))) eqn:B.
  - split; [unfold q; rewrite first_round; auto|]. apply index_nth. destruct (ring_gets p some x X) as (more & ->).
    apply in_or_app. right. now left.
  - apply orb_false_iff in B as [_ B]. apply Nat.eqb_neq in B.
    pose proof (gets_all p some x (residue q c) X (residue_below q c ltac:(lia)) B) as I. split; [|now apply index_nth].
    pose proof (index_below _ _ I) as J. unfold ring_row in J |- *.
    rewrite map_length, (full _ _ (rows_right _ (skip_first p some) (skip_second p some) (skip_doubles p) (p + x) ltac:(lia))),
      ring_level in J by (auto; lia). exact J.
Qed.

(* The step says the round, *)
Lemma time_says c x : 0 < x < p -> let j := block_round q c (ring_row p x) in let t := block_time q c (ring_row p x) in
  t mod q = q - 1 - j /\ (c = 0 -> t < q) /\ (0 < c -> begins_with q c (fst (ring_row p x)) = true -> t = c + residue q c + (q - 1 - j)) /\
  (begins_with q c (fst (ring_row p x)) = false -> t + q = c + residue q c + (q - 1 - j)).
Proof.
  intros X j t. destruct (round_below c x X) as [J _]. fold j in J. pose proof (residue_divides c ltac:(lia)) as D.
  unfold t, block_time, begins_with. fold j. destruct (Nat.eqb_spec c 0) as [->|N]; cbn [orb].
  - rewrite Nat.mod_small by lia. repeat split; intros; first [lia | discriminate].
  - pose proof (residue_fills q c ltac:(lia) ltac:(lia)) as F. pose proof (Nat.div_mod (c + residue q c) q ltac:(lia)) as E. rewrite D in E.
    destruct (residue q c =? fst (ring_row p x)); (split; [|repeat split; intros; first [lia | discriminate]]).
    + replace (c + residue q c + (q - 1 - j)) with (q - 1 - j + (c + residue q c) / q * q) by lia. rewrite Nat.mod_add, Nat.mod_small; lia.
    + destruct ((c + residue q c) / q) as [|m] eqn:M; [lia|].
      replace (c + residue q c - 1 - j) with (q - 1 - j + m * q) by lia. rewrite Nat.mod_add, Nat.mod_small; lia.
Qed.

Lemma some_same (a b : nat) : Some a = Some b -> a = b.
Proof. congruence. Qed.

(* and the block. *)
Lemma time_apart b c x : 0 < x < p -> block_time q b (ring_row p x) = block_time q c (ring_row p x) -> b = c.
Proof.
  intros X E. destruct (time_says b x X) as (Rb & Zb & Fb & Ob). destruct (time_says c x X) as (Rc & Zc & Fc & Oc).
  destruct (round_below b x X) as [Jb Nb]. destruct (round_below c x X) as [Jc Nc].
  assert (block_round q b (ring_row p x) = block_round q c (ring_row p x)) as J by (rewrite E in Rb; lia).
  rewrite J, Nc in Nb. apply some_same in Nb.
  pose proof (residue_below q b ltac:(lia)) as Lb. pose proof (residue_below q c ltac:(lia)) as Lc.
  destruct (begins_with q b _) eqn:B, (begins_with q c _) eqn:C; try lia.
  clear Ob Oc Nb Nc. unfold begins_with in B, C. apply orb_true_iff in B, C. rewrite !Nat.eqb_eq in B, C.
  destruct (Nat.eq_dec b 0) as [->|Nb], (Nat.eq_dec c 0) as [->|Nc]; auto.
  - specialize (Zb eq_refl). rewrite E, (Fc ltac:(lia) eq_refl) in Zb. pose proof (residue_fills q c ltac:(lia) ltac:(lia)). lia.
  - specialize (Zc eq_refl). rewrite <- E, (Fb ltac:(lia) eq_refl) in Zc. pose proof (residue_fills q b ltac:(lia) ltac:(lia)). lia.
  - specialize (Fb ltac:(lia) eq_refl). specialize (Fc ltac:(lia) eq_refl). lia.
Qed.

(* The rank from which x gets its block at a step *)
Definition ring_peer (x : rank) (t : nat) : rank := (p + x - skip p (q - 1 - t mod q)) mod p.

Lemma tree_peer c t x d : x < p -> block_tree p c t x = Some d -> d = ring_peer x t.
Proof.
  intros X E. apply tree_some in E as (P & -> & ->). destruct (time_says c x ltac:(lia)) as (R & _).
  destruct (round_below c x ltac:(lia)) as [J _]. unfold block_parent, ring_peer. fold q. rewrite R. do 3 f_equal. lia.
Qed.

Lemma ring_peer_apart x y t : 1 < p -> x < p -> y < p -> ring_peer x t = ring_peer y t -> x = y.
Proof.
  intros S X Y E. set (k := q - 1 - t mod q). assert (0 < q) by (apply Nat.log2_up_pos; lia).
  assert (skip p k <= p) as K.
  { rewrite <- (skip_last p) at 2. apply rises_to; auto using skip_first, skip_second, skip_doubles. fold q. lia. }
  apply (shift_back p x y (p - skip p k)); auto. unfold ring_peer in E. fold k in E.
  replace (x + (p - skip p k)) with (p + x - skip p k) by lia. now replace (y + (p - skip p k)) with (p + y - skip p k) by lia.
Qed.

(* One message, to one rank and from one, *)
Theorem circulant_one_port root : root < p ->
  one_port (rooted_broadcast [p] n (blocks_steps p n) (blocks_route p n) root) /\
  one_port (rooted_reduce [p] n (blocks_steps p n) (blocks_route p n) root).
Proof.
  intros R. assert (product_of [p] = p) as E by apply Nat.mul_1_r.
  pose proof (around_bijection [p] root) as B. rewrite E in B. specialize (B R).
  unfold rooted_broadcast, rooted_reduce, blocks_steps. rewrite E. destruct (Nat.eqb_spec p 1) as [|S]; [split; constructor|].
  assert (forall b t x d, t < n - 1 + q -> x < p -> moved [p] root (blocks_route p n) b t x = Some d ->
    d = seat_around [p] root (ring_peer (part_around [p] root x) t)) as P.
  { intros b t x d _ X H. unfold moved, relabelled in H.
    destruct (blocks_route p n b t (part_around [p] root x)) as [e|] eqn:G; [|discriminate].
    injection H as <-. f_equal. apply tree_peer in G; auto. apply (B x X). }
  assert (forall x y t, t < n - 1 + q -> x < p -> y < p ->
    seat_around [p] root (ring_peer (part_around [p] root x) t) = seat_around [p] root (ring_peer (part_around [p] root y) t) -> x = y) as A.
  { intros x y t _ X Y H. destruct (B x X) as (_ & Px & Bx & _). destruct (B y Y) as (_ & Py & By & _).
    rewrite <- Bx, <- By. f_equal. apply (ring_peer_apart _ _ t); auto; [lia|].
    assert (forall z, ring_peer z t < p) as Z by (intros z; apply Nat.mod_upper_bound; lia).
    destruct (B _ (Z (part_around [p] root x))) as (_ & _ & _ & Ex). destruct (B _ (Z (part_around [p] root y))) as (_ & _ & _ & Ey).
    now rewrite <- Ex, H, Ey. }
  destruct (routes_one_port p n (n - 1 + q) (moved [p] root (blocks_route p n)) _ P A) as (U & V & _). auto.
Qed.

(* of one block. *)
Theorem circulant_one_block b c t x : 0 < x < p -> b < n -> c < n ->
  blocks_route p n b t x <> None -> blocks_route p n c t x <> None -> b = c.
Proof.
  intros X B C F G. unfold blocks_route, block_tree in *. destruct (tree_route _ _ t x) eqn:E in F; [|contradiction].
  destruct (tree_route _ _ t x) eqn:H in G; [|contradiction]. apply tree_some in E as (_ & E & _), H as (_ & H & _).
  assert (n - 1 - b = n - 1 - c) by (exact (time_apart _ _ x X (eq_trans (eq_sym E) H))). lia.
Qed.
End Port.
