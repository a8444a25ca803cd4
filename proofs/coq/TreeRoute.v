(* A tree to rank 0 is a valid route if each edge comes at an earlier step than the next edge towards rank 0. Then it has no cycle.
   One factor after the other is an interleaving. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Tori.
Import ListNotations.

Section Tree.
Variables p n : nat.
Variables parent time : nat -> nat.   (* of each rank but 0 *)
Hypothesis near : forall d, 0 < d < p -> parent d < p.
Hypothesis inn : forall d, 0 < d < p -> time d < n.
Hypothesis later : forall d, 0 < d < p -> 0 < parent d -> time d < time (parent d).

Definition tree_route : route := fun t d => if (0 <? d) && (t =? time d) then Some (parent d) else None.

Lemma tree_some t d e : tree_route t d = Some e -> 0 < d /\ t = time d /\ e = parent d.
Proof.
  unfold tree_route. destruct (Nat.ltb_spec 0 d), (Nat.eqb_spec t (time d)); cbn; try discriminate. intros E. injection E as <-. auto.
Qed.

Lemma tree_place t x : t <= n -> x < p -> place tree_route t x < p /\ (0 < place tree_route t x -> t <= time (place tree_route t x)).
Proof.
  intros T X. induction t as [|t IH]; [cbn; split; auto; lia|]. destruct (IH ltac:(lia)) as [B L]. cbn [place].
  revert B L. generalize (place tree_route t x). intros y B L. destruct (tree_route t y) as [d|] eqn:E.
  - apply tree_some in E as (P & -> & ->). pose proof (near y ltac:(lia)). split; auto. intros Q. specialize (later y ltac:(lia) Q). lia.
  - split; auto. intros Q. specialize (L Q). destruct (Nat.eq_dec t (time y)) as [->|]; [|lia]. exfalso.
    unfold tree_route in E. apply Nat.ltb_lt in Q. now rewrite Q, Nat.eqb_refl in E.
Qed.

Theorem timed_tree_valid : valid p n 0 tree_route.
Proof.
  split.
  - intros t x d T X H. apply tree_some in H as (P & -> & ->). pose proof (near x ltac:(lia)). split; auto. intros E.
    specialize (later x ltac:(lia)). rewrite E in later. lia.
  - intros t u x U X H. destruct (tree_route t x) eqn:E; [|congruence]. apply tree_some in E as (P & -> & _).
    destruct (tree_route u x) eqn:F; auto. apply tree_some in F. lia.
  - intros t u x y U X Y H G. destruct (tree_route t x) eqn:E; [|congruence]. apply tree_some in E as (P & -> & _).
    apply tree_some in G as (Q & -> & ->). specialize (later y ltac:(lia) P). lia.
  - intros x X. destruct (tree_place n x (le_n n) X) as [B L]. destruct (Nat.eq_dec (place tree_route n x) 0); auto.
    specialize (inn (place tree_route n x) ltac:(lia)). lia.
Qed.
End Tree.

Theorem tree_valid p n parent time : (forall d, 0 < d < p -> parent d < d) -> (forall d, 0 < d < p -> time d < n) ->
  (forall d, 0 < d < p -> 0 < parent d -> time d < time (parent d)) -> valid p n 0 (tree_route parent time).
Proof. intros D I L. apply timed_tree_valid; auto. intros d B. specialize (D d B). lia. Qed.

(* One factor after the other *)
Definition in_turn (fs : list factor) : list nat := flat_map (fun w => repeat w (steps (nth w fs alone))) (seq 0 (length fs)).

Lemma count_repeat w v : forall k, count_occ Nat.eq_dec (repeat w k) v = if w =? v then k else 0.
Proof.
  induction k as [|k IH]; cbn; [now destruct (w =? v)|]. rewrite IH.
  destruct (Nat.eq_dec w v), (Nat.eqb_spec w v); congruence.
Qed.

Lemma count_in_turn (f : nat -> nat) v : forall m k, count_occ Nat.eq_dec (flat_map (fun w => repeat w (f w)) (seq k m)) v =
    if (k <=? v) && (v <? k + m) then f v else 0.
Proof.
  induction m as [|m IH]; intros k; cbn [seq flat_map].
  - cbn [count_occ]. destruct (Nat.leb_spec k v), (Nat.ltb_spec v (k + 0)); cbn [andb]; auto. lia.
  - rewrite count_occ_app, count_repeat, IH.
    destruct (Nat.leb_spec (S k) v), (Nat.ltb_spec v (S k + m)), (Nat.leb_spec k v), (Nat.ltb_spec v (k + S m)), (Nat.eqb_spec k v); try subst k;
      cbn [andb]; lia.
Qed.

Lemma in_turn_interleaves fs : interleaves fs (in_turn fs).
Proof.
  intros v. unfold in_turn. rewrite (count_in_turn (fun w => steps (nth w fs alone))). cbn [plus].
  destruct (Nat.leb_spec 0 v), (Nat.ltb_spec v (length fs)); cbn [andb]; auto; try lia; now rewrite nth_overflow.
Qed.
