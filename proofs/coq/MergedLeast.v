(* Allreduces whose halves meet in one step are as short as any that move no block more often than they must (LowerBounds.v): if ranks
   have mutual peers that cover in n = ceil(log2 p) steps, they have 2 n - 1 steps, one port, and 2 (p - 1) moves a block. So Swing for
   even p. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors SwingAll SwingTrees Catalogue OnePort Halves Merged LowerBounds.
Import ListNotations.

(* Each transfer is one rank's. *)
Lemma all_senders p (l : list transfer) : Forall (fun t => src t < p) l ->
  list_sum (map (fun r => length (filter (fun t => src t =? r) l)) (seq 0 p)) = length l.
Proof.
  induction 1 as [|t l T _ IH]; [now apply sum_none|]. cbn [length]. rewrite <- IH. change (S ?n) with (1 + n).
  rewrite (map_ext (fun r => length (filter (fun t => src t =? r) (t :: l)))
    (fun r => (if src t =? r then 1 else 0) + length (filter (fun t => src t =? r) l))) by (intros r; cbn [filter]; now destruct (src t =? r)).
  rewrite sum_add. f_equal. rewrite (sum_one (fun r => if src t =? r then 1 else 0) _ (src t) (seq_NoDup _ _)); auto.
  - now rewrite Nat.eqb_refl.
  - now apply in_below.
  - intros r _ N. apply not_eq_sym, Nat.eqb_neq in N. now rewrite N.
Qed.

Section Counted.
Variables p blocks : nat.
Variable g : block -> route.

Lemma concat_length (f : nat -> step) l : length (concat (map f l)) = list_sum (map (fun t => length (f t)) l).
Proof. induction l as [|t l IH]; auto. cbn [map concat]. now rewrite app_length, IH. Qed.

Lemma backward_length t : length (backward p blocks g t) = length (forward p blocks g t).
Proof.
  unfold backward, forward. rewrite !length_flat_map. apply sum_same. intros b _. rewrite !length_flat_map. apply sum_same. intros x _.
  unfold return_, pass. now destruct (g b t x).
Qed.

Lemma meeting_length t : length (meeting p blocks g t) = 2 * length (forward p blocks g t).
Proof.
  unfold meeting, forward. rewrite !length_flat_map. induction (seq 0 blocks) as [|b l IH]; auto. rewrite !sum_cons, IH, !length_flat_map.
  enough (forall l', list_sum (map (fun x => length (meet g t b x)) l') = 2 * list_sum (map (fun x => length (pass g b t x)) l')) as -> by lia.
  induction l' as [|x l' IH']; auto. rewrite !sum_cons, IH'. unfold meet, pass. destruct (g b t x); cbn; lia.
Qed.

Lemma merged_length m : length (concat (merged_allreduce p blocks g (S m))) = 2 * length (concat (reduce_scatter p blocks (S m) g)).
Proof.
  cbn [merged_allreduce]. rewrite concat_app. cbn [concat]. rewrite !app_length, meeting_length. unfold reduce_scatter, allgather.
  rewrite !concat_length, map_rev, sum_rev, seq_S, map_app, list_sum_app. cbn [map plus].
  rewrite (map_ext (fun t => length (backward p blocks g t)) (fun t => length (forward p blocks g t))) by apply backward_length.
  change (list_sum [?x]) with (x + 0). lia.
Qed.
End Counted.

Theorem merged_peers_least p n peer : 1 < p -> covers p n peer -> paired p peer -> let sch := merged_of (peer_factor p n peer) in
  exactly_once Allreduce p p sch /\ one_port sch /\ length (concat sch) = p * (2 * (p - 1)) /\ S (length sch) = 2 * n.
Proof.
  intros P C M sch. assert (exists m, n = S m) as [m ->].
  { destruct n as [|m]; [|eauto]. exfalso. destruct C as [_ C]. specialize (C 0 1 ltac:(lia) ltac:(lia)). cbn in C. discriminate. }
  set (f := peer_factor p (S m) peer) in *. pose proof (peer_factor_right p (S m) peer C) as R.
  assert (forall b t x d, one_path f b t x = Some d -> d = peer x t) as Only by (intros b t x d G; apply last_chance_some in G; tauto).
  assert (forall x y t, x < p -> y < p -> peer x t = peer y t -> x = y) as Apart.
  { intros x y t X Y E. rewrite <- (M x t X), <- (M y t Y). now rewrite E. }
  split; [|split; [|split]].
  - apply (merged_factor_once f); auto; [cbn; lia|]. intros q _. apply peers_end_alone. exact M.
  - destruct (routes_one_port p p m (one_path f) peer) as (A & B & _); auto.
    { intros b t x d _ _ G. now apply Only in G. }
    { intros x y t _. apply Apart. }
    change sch with (reduce_scatter p p m (one_path f) ++ meeting p p (one_path f) m :: allgather p p m (one_path f)).
    unfold one_port in *. apply Forall_app. split; [exact A|]. constructor; [|exact B].
    assert (forall t, In t (meeting p p (one_path f) m) -> src t < p /\ dst t = peer (src t) m) as D.
    { intros t T. apply in_flat_map in T as (b & _ & T). apply in_flat_map in T as (x & X & T). apply in_below in X. unfold meet in T.
      destruct (one_path f b m x) as [d|] eqn:G; [|contradiction]. apply Only in G as ->. destruct C as [In_ _].
      destruct T as [<-|[<-|[]]]; cbn; split; auto. symmetry. now apply M. }
    intros t u T U. destruct (D t T) as [S1 ->], (D u U) as [S2 ->]. split; [congruence | now apply Apart].
  - change sch with (merged_allreduce p p (one_path f) (S m)). rewrite merged_length.
    assert (forall r, r < p -> sent r (reduce_scatter p p (S m) (one_path f)) = p - 1) as Each.
    { intros r X. rewrite (reduce_scatter_sent p p (S m) (owner p) (one_path f)); auto.
      - pose proof (foreign_of_lanes p 1 r X) as F. rewrite !Nat.mul_1_l in F. exact F.
      - intros b _. split; [apply owner_in_range; lia | apply R, owner_in_range; cbn; lia]. }
    enough (length (concat (reduce_scatter p p (S m) (one_path f))) = p * (p - 1)) by nia.
    rewrite <- (all_senders p).
    + assert (forall sch r, length (filter (fun t => src t =? r) (concat sch)) = sent r sch) as Same.
      { intros s r. unfold sent. induction s as [|st s IH]; auto. cbn [concat map]. rewrite filter_app, app_length, IH. reflexivity. }
      rewrite (map_ext _ _ (Same _)). rewrite (sum_same _ (fun _ => p - 1)) by (intros r X; apply in_below in X; auto).
      assert (forall l : list nat, list_sum (map (fun _ => p - 1) l) = length l * (p - 1)) as Const.
      { induction l as [|x l IH]; auto. rewrite sum_cons, IH. cbn [length]. lia. }
      now rewrite Const, seq_length.
    + apply Forall_forall. intros t T. apply in_concat in T as (st & S & T). apply in_map_iff in S as (u & <- & _). apply in_forward in T as (b & x & d & _ & X & -> & _). exact X.
  - change sch with (reduce_scatter p p m (one_path f) ++ meeting p p (one_path f) m :: allgather p p m (one_path f)). rewrite app_length. cbn [length]. unfold reduce_scatter, allgather.
    rewrite !map_length, rev_length, seq_length. lia.
Qed.

Theorem merged_swing_least p : 0 < p -> Nat.Even p -> let sch := merged_of (swing false p) in
  exactly_once Allreduce p p sch /\ one_port sch /\ length (concat sch) = p * (2 * (p - 1)) /\ S (length sch) = 2 * Nat.log2_up p.
Proof.
  intros P E. assert (1 < p) by (destruct E; lia). unfold swing. apply Nat.even_spec in E as V. rewrite V.
  apply merged_peers_least; auto; [now apply swing_covers | now apply swing_paired].
Qed.
