(* Plans of products, tori and lanes. In a product a rank passes a block on when the first of its two factors says so. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors Products Tori Tables Plans.
Import ListNotations.

(* The step at which a dimension takes its k-th one *)
Section Moments.
Variable first : nat -> bool.
Variable total : nat.

Definition moments : list nat := filter first (seq 0 total).
Definition moment_in (them : list nat) : nat -> nat := memo (length them) (fun k => nth k them total).
Definition moment : nat -> nat := moment_in moments.

Lemma turns_moments n : turns first n = length (filter first (seq 0 n)).
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite seq_S, filter_app, app_length. cbn [turns plus]. rewrite IH. f_equal.
  cbn. destruct (first n); reflexivity.
Qed.

Lemma moment_now t : t < total -> first t = true -> moment (turns first t) = t.
Proof.
  intros T F. unfold moment, moment_in. rewrite memo_same, turns_moments. unfold moments.
  replace total with (t + (1 + (total - S t))) at 1 by lia. rewrite !seq_app, !filter_app, app_nth2, Nat.sub_diag by lia.
  cbn. now rewrite F.
Qed.

Lemma moment_is k : k < turns first total -> moment k < total /\ first (moment k) = true /\ turns first (moment k) = k.
Proof.
  intros K. assert (exists t, t < total /\ first t = true /\ turns first t = k) as (t & T & F & E).
  { clear - K. induction total as [|n IH]; cbn in K; [lia|]. destruct (le_lt_dec (turns first n) k).
    - exists n. destruct (first n); repeat split; auto; lia.
    - destruct IH as (t & T & R); auto. exists t. split; auto. }
  rewrite <- E, moment_now by auto. auto.
Qed.

Lemma moment_equal k t : k < turns first total -> first t = true -> t < total -> (turns first t =? k) = (t =? moment k).
Proof.
  intros K F T. destruct (moment_is k K) as (_ & _ & M). destruct (Nat.eqb_spec t (moment k)) as [->|N].
  - now apply Nat.eqb_eq.
  - apply Nat.eqb_neq. intros E. apply N. rewrite <- E. symmetry. now apply moment_now.
Qed.

Lemma moment_later k t : k < turns first total -> first t = false -> (turns first t <=? k) = (t <? moment k) /\ t <> moment k.
Proof.
  intros K F. destruct (moment_is k K) as (_ & M & E). assert (t <> moment k) as N by congruence. split; auto. rewrite <- E at 1.
  destruct (Nat.ltb_spec t (moment k)).
  - apply Nat.leb_le, turns_grow. lia.
  - apply Nat.leb_gt, turns_now; auto. lia.
Qed.
End Moments.

Section Product.
Variables a b : factor.
Variables sa sb : plan.
Variable first : nat -> bool.
Let second (t : nat) : bool := negb (first t).

Definition earlier (s t : option (nat * rank)) : option (nat * rank) :=
  match s, t with
  | Some (u, _), Some (v, _) => if u <? v then s else t
  | Some _, None => s
  | None, _ => t
  end.

Definition product_plan : plan :=
  let total := plan_steps sa + plan_steps sb in
  let m := plan_ranks sb in
  let first_at := moment first total in
  let second_at := moment second total in
  Plan (plan_ranks sa * m) total (fun q x =>
    let r := x / m in
    let c := x mod m in
    earlier (match plan_sends sa (q / m) r with Some (k, d) => Some (first_at k, d * m + c) | None => None end)
            (match plan_sends sb (q mod m) c with Some (k, d) => Some (second_at k, r * m + d) | None => None end)).

Lemma planned_fresh p n g s t x : planned p n g s -> t <= n -> x < p ->
  freshb g t x = match s x with Some (u, _) => t <=? u | None => true end.
Proof.
  intros [_ P] T X. destruct (s x) as [[u d]|] eqn:E.
  - destruct (Nat.leb_spec t u).
    + apply freshb_true. intros v V. rewrite P, E by lia. cbn. destruct (Nat.eqb_spec v u); auto. lia.
    + destruct (freshb g t x) eqn:F; auto. apply freshb_true in F. specialize (F u ltac:(lia)).
      rewrite P, E in F by lia. cbn in F. rewrite Nat.eqb_refl in F. discriminate.
  - apply freshb_true. intros v V. rewrite P, E by lia. reflexivity.
Qed.

Hypothesis all_steps : turns first (steps a + steps b) = steps a.

Theorem product_follows q : q < ranks a * ranks b -> follows (row b q) a sa -> follows (column b q) b sb ->
  follows q (product a b first) product_plan.
Proof.
  intros Q (Ra & Na & Pa) (Rb & Nb & Pb). unfold product_plan. cbv zeta. rewrite <- Ra, <- Rb, <- Na, <- Nb.
  set (total := steps a + steps b) in *. assert (turns second total = steps b) as Second.
  { pose proof (turns_both first total). unfold second, total in *. lia. }
  pose proof (fun k K => moment_is first total k (eq_ind_r (fun n => k < n) K all_steps)) as Ma.
  pose proof (fun k K => moment_is second total k (eq_ind_r (fun n => k < n) K Second)) as Mb.
  split; [|split]; auto. cbn [ranks steps path product plan_sends]. fold total.
  assert (forall x, x < ranks a * ranks b -> row b x < ranks a /\ column b x < ranks b) as Below.
  { intros x X. assert (0 < ranks b) by (destruct (ranks b); lia). unfold row, column.
    split; [apply Nat.div_lt_upper_bound; lia | apply Nat.mod_upper_bound; lia]. }
  pose proof Pa as [Ta Sa]. pose proof Pb as [Tb Sb]. split.
  - intros x u d X. destruct (Below x X) as [R C]. fold (row b x) (column b x) (row b q) (column b q).
    specialize (Ta (row b x)). specialize (Tb (column b x)).
    destruct (plan_sends sa (row b q) (row b x)) as [[k e]|], (plan_sends sb (column b q) (column b x)) as [[l f]|]; cbn [earlier];
      try discriminate; try (destruct (_ <? _)); intros E; injection E as <- _; (apply Ma; eauto) || (apply Mb; eauto).
  - intros t x T X. destruct (Below x X) as [R C]. fold (row b x) (column b x) (row b q) (column b q). unfold product_path.
    fold second. pose proof (turns_grow first t total ltac:(lia)). pose proof (turns_grow second t total ltac:(lia)).
    rewrite (planned_fresh _ _ _ _ _ _ Pa), (planned_fresh _ _ _ _ _ _ Pb) by lia.
    specialize (Ta (row b x)). specialize (Tb (column b x)). unfold pair. destruct (first t) eqn:F.
    + rewrite Sa by (auto; rewrite <- all_steps; now apply turns_now).
      destruct (plan_sends sa (row b q) (row b x)) as [[k d]|], (plan_sends sb (column b q) (column b x)) as [[l e]|];
        cbn [earlier at_time]; auto.
      * destruct (moment_later second total l t) as [-> N]; [rewrite Second; eauto | unfold second; now rewrite F |].
        rewrite (moment_equal first total k t) by (auto; rewrite all_steps; eauto).
        destruct (Nat.eqb_spec t (moment first total k)) as [<-|M].
        -- destruct (t <? moment second total l); cbn [at_time]; [now rewrite Nat.eqb_refl|]. now rewrite (proj2 (Nat.eqb_neq _ _) N).
        -- destruct (moment first total k <? moment second total l), (t <? moment second total l); cbn [at_time];
             rewrite ?(proj2 (Nat.eqb_neq _ _) N), ?(proj2 (Nat.eqb_neq _ _) M); auto.
      * rewrite (moment_equal first total k t) by (auto; rewrite all_steps; eauto). destruct (t =? moment first total k); auto.
      * destruct (moment_later second total l t) as [-> N]; [rewrite Second; eauto | unfold second; now rewrite F |].
        rewrite (proj2 (Nat.eqb_neq _ _) N). destruct (t <? _); auto.
    + rewrite Sb by (auto; rewrite <- Second; apply turns_now; auto; unfold second; now rewrite F).
      assert (second t = true) as G by (unfold second; now rewrite F).
      destruct (plan_sends sa (row b q) (row b x)) as [[k d]|], (plan_sends sb (column b q) (column b x)) as [[l e]|];
        cbn [earlier at_time]; auto.
      * destruct (moment_later first total k t) as [-> N]; [rewrite all_steps; eauto | auto |].
        rewrite (moment_equal second total l t) by (auto; rewrite Second; eauto).
        destruct (Nat.eqb_spec t (moment second total l)) as [<-|M].
        -- destruct (Nat.ltb_spec t (moment first total k)), (Nat.ltb_spec (moment first total k) t); cbn [at_time]; try lia;
             rewrite ?Nat.eqb_refl, ?(proj2 (Nat.eqb_neq _ _) N); auto.
        -- destruct (moment first total k <? moment second total l), (t <? moment first total k); cbn [at_time];
             rewrite ?(proj2 (Nat.eqb_neq _ _) N), ?(proj2 (Nat.eqb_neq _ _) M); auto.
      * destruct (moment_later first total k t) as [-> N]; [rewrite all_steps; eauto | auto |].
        rewrite (proj2 (Nat.eqb_neq _ _) N). destruct (t <? _); auto.
      * rewrite (moment_equal second total l t) by (auto; rewrite Second; eauto). destruct (t =? moment second total l); auto.
Qed.
End Product.

(* Tori. The sides' plans are kept, each with a table for each owner. *)
Definition alone_plan : plan := Plan 1 0 (fun _ _ => None).

Fixpoint torus_plan (ss : list plan) (order : list nat) : plan :=
  match ss with
  | [] => alone_plan
  | s :: rest => product_plan s (torus_plan rest (others order)) (fun t => nth t order 1 =? 0)
  end.

(* The coordinates of a rank, row-major *)
Fixpoint each_follows (q : rank) (fs : list factor) (ss : list plan) : Prop :=
  match fs, ss with
  | [], [] => True
  | f :: fs, s :: ss => let m := fold_right Nat.mul 1 (map ranks fs) in follows (q / m) f s /\ each_follows (q mod m) fs ss
  | _, _ => False
  end.

Theorem torus_follows fs : forall ss order q, interleaves fs order -> q < fold_right Nat.mul 1 (map ranks fs) -> each_follows q fs ss ->
  follows q (torus_factor (torus_of fs order)) (torus_plan ss order).
Proof.
  induction fs as [|f fs IH]; intros [|s ss] order q I Q F; try contradiction.
  - split; [|split]; auto. split; [discriminate | intros; reflexivity].
  - destruct F as [F Fs]. pose proof (others_interleave _ _ _ I) as O. cbn [torus_of torus_factor torus_plan].
    apply product_follows.
    + rewrite torus_of_steps. change (steps f + list_sum (map steps fs)) with (list_sum (map steps (f :: fs))).
      rewrite <- (interleaves_length _ _ I), turns_list. exact (I 0).
    + cbn [torus_factor]. now rewrite torus_of_ranks.
    + unfold row. now rewrite torus_of_ranks.
    + unfold column. rewrite torus_of_ranks. apply IH; auto. apply Nat.mod_upper_bound. cbn in Q. nia.
Qed.

Lemma each_plans fs ss : Forall2 plans fs ss -> forall q, q < fold_right Nat.mul 1 (map ranks fs) -> each_follows q fs ss.
Proof.
  induction 1 as [|f s fs ss P _ IH]; intros q Q; cbn [each_follows]; auto. cbn in Q. split.
  - apply P, Nat.div_lt_upper_bound; nia.
  - apply IH, Nat.mod_upper_bound. nia.
Qed.

Theorem torus_plans fs ss order : interleaves fs order -> Forall2 plans fs ss -> plans (torus_factor (torus_of fs order)) (torus_plan ss order).
Proof.
  intros I P q Q. rewrite torus_of_ranks in Q. apply torus_follows; auto. now apply each_plans.
Qed.

(* Lane l has the blocks l * p .. l * p + p - 1, and a plan of its own. *)
Definition laned_sends (p : nat) (plan_of : nat -> plan) (b : block) : rank -> option (nat * rank) :=
  plan_sends (plan_of (b / p)) (owner p b).

Section Lanes.
Variable f : factor.
Variable lanes : nat.
Variable lane : nat -> factor.
Variable plan_of : nat -> plan.
Hypothesis alike : forall l, l < lanes -> ranks (lane l) = ranks f /\ steps (lane l) = steps f /\ plans (lane l) (plan_of l).

Let p := ranks f.
Let s := laned_sends p (memo lanes plan_of).
Let n := steps f.
Definition quick_laned_reduce_scatter : schedule := quick_reduce_scatter p (lanes * p) n s.
Definition quick_laned_allgather : schedule := quick_allgather p (lanes * p) n s.
Definition quick_laned_allreduce : schedule := quick_allreduce p (lanes * p) n s.

Theorem quick_lanes_same :
  quick_laned_reduce_scatter = laned_reduce_scatter f lanes lane /\
  quick_laned_allgather = laned_allgather f lanes lane /\
  quick_laned_allreduce = laned_allreduce f lanes lane.
Proof.
  assert (forall b, b < lanes * p -> planned p n (laned f lane b) (s b)) as P.
  { intros b B. unfold s, laned, laned_sends. rewrite memo_same. fold p.
    assert (p <> 0) by (intros E; rewrite E, Nat.mul_0_r in B; lia).
    destruct (alike (b / p)) as (R & S & F); [apply Nat.div_lt_upper_bound; lia|].
    destruct (F (owner p b)) as (_ & _ & D); [rewrite R; apply Nat.mod_upper_bound; auto|].
    rewrite R, S in D. exact D. }
  split; [|split]; [apply quick_reduce_scatter_same | apply quick_allgather_same | apply quick_allreduce_same]; exact P.
Qed.
End Lanes.

(* One lane *)
Section One.
Variable f : factor.
Variable s : plan.
Let p := plan_ranks s.
Let sends (b : block) := plan_sends s (owner p b).
Definition quick_reduce_scatter_of : schedule := quick_reduce_scatter p p (plan_steps s) sends.
Definition quick_allgather_of : schedule := quick_allgather p p (plan_steps s) sends.
Definition quick_allreduce_of : schedule := quick_allreduce p p (plan_steps s) sends.

Theorem quick_factor_same : 0 < ranks f -> plans f s ->
  quick_reduce_scatter_of = reduce_scatter_of f /\ quick_allgather_of = allgather_of f /\ quick_allreduce_of = allreduce_of f.
Proof.
  intros N P. destruct (P 0 N) as (R & S & _).
  assert (forall b, b < p -> planned p (plan_steps s) (one_path f b) (sends b)) as D.
  { intros b B. destruct (P (owner p b)) as (_ & _ & D); unfold p, one_path in *.
    - rewrite R. apply Nat.mod_upper_bound. lia.
    - now rewrite R, S in *. }
  unfold reduce_scatter_of, allgather_of, allreduce_of. rewrite S, R.
  split; [|split]; [apply quick_reduce_scatter_same | apply quick_allgather_same | apply quick_allreduce_same]; exact D.
Qed.
End One.
