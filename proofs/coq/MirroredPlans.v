(* The plans of mirrored recursive doubling, whose lanes have seats of their own. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products Tori Relabelled Catalogue Mirrored Tables Plans ProductPlans RowPlans.
Import ListNotations.

(* Lanes with seats of their own *)
Definition seated_sends (m : nat) (sends : nat -> block -> rank -> option (nat * rank)) (seat part : nat -> rank -> rank) (b : block) :
    rank -> option (nat * rank) :=
  let l := b / m in fun x => match sends l (b mod m) (part l x) with Some (t, d) => Some (t, seat l d) | None => None end.

Lemma seated_planned p n m g s seat part b : 0 < m -> (forall x, x < p -> part (b / m) x < p) ->
  planned p n (g (b / m) (b mod m)) (s (b / m) (b mod m)) -> planned p n (seated m g seat part b) (seated_sends m s seat part b).
Proof.
  intros M B [T S]. unfold seated_sends, seated, relabelled. split.
  - intros x u d X. specialize (T (part (b / m) x)). destruct (s (b / m) (b mod m) (part (b / m) x)) as [[v e]|]; [|discriminate].
    intros E. injection E as <- _. eauto.
  - intros t x L X. rewrite S by auto. destruct (s (b / m) (b mod m) (part (b / m) x)) as [[v e]|]; auto. cbn. destruct (t =? v); auto.
Qed.

(* Mirrored recursive doubling *)
Definition doubling_torus_plan (bits : list nat) (first : nat) : plan :=
  torus_plan (map doubling_near_plan bits) (round_robin (map doubling_near bits) first).

Lemma doubling_torus_plans bits first : plans (doubling_torus bits first) (doubling_torus_plan bits first).
Proof.
  apply torus_plans; [apply round_robin_interleaves|]. apply mapped_plans. apply Forall_forall. intros a _. apply doubling_plans.
Qed.

Section Mirrored.
Variable bits : list nat.
Variable lanes : nat.
Let p : nat := product_of (mirrored_sides bits).
Let seats (l : nat) : rank -> rank := memo p (mirrored_seat bits l).
Let sends_of (plan_of : nat -> plan) (l : nat) (b : block) := plan_sends (plan_of l) b.
Let sends := sends_of (memo lanes (fun l => doubling_torus_plan bits (l mod length bits))).
Definition quick_mirrored_doubling : schedule :=
  quick_allreduce p (lanes * p) (list_sum bits) (seated_sends p sends (memo lanes seats) (memo lanes seats)).

Theorem quick_mirrored_same : quick_mirrored_doubling = mirrored_doubling bits lanes.
Proof.
  apply quick_allreduce_same. intros b B. fold p in B. assert (0 < p) as P by (destruct p; lia).
  pose proof (Nat.mod_upper_bound b p ltac:(lia)) as M.
  pose proof (seated_planned p (list_sum bits) p (mirrored_lane bits) sends (mirrored_seat bits) (mirrored_seat bits) b P) as S.
  specialize (S ltac:(intros x X; now apply (mirrored_seats bits (b / p) x))).
  destruct (doubling_torus_right bits (b / p mod length bits)) as (R & N & _).
  destruct (doubling_torus_plans bits (b / p mod length bits) (b mod p)) as (_ & _ & D); [now rewrite R|].
  rewrite R, N in D. specialize (S ltac:(unfold sends, sends_of; now rewrite memo_same)).
  revert S. apply planned_same. intros x _. unfold seated_sends. rewrite memo_same. unfold seats. rewrite memo_same.
  destruct (sends _ _ _) as [[t d]|]; auto. now rewrite memo_same.
Qed.
End Mirrored.
