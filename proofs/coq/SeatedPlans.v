(* Plans of ranks in other seats: of a whole factor, and of lanes each of which has seats of its own. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Relabelled Tables Plans.
Import ListNotations.

Definition relabelled_plan (seat part : rank -> rank) (s : plan) : plan :=
  Plan (plan_ranks s) (plan_steps s) (fun q x =>
    match plan_sends s (part q) (part x) with Some (t, d) => Some (t, seat d) | None => None end).

Lemma relabelled_planned p n g s seat part : (forall x, x < p -> part x < p) -> planned p n g s ->
  planned p n (relabelled seat part g) (fun x => match s (part x) with Some (t, d) => Some (t, seat d) | None => None end).
Proof.
  intros B [T S]. unfold relabelled. split.
  - intros x u d X. specialize (T (part x)). destruct (s (part x)) as [[v e]|]; [|discriminate]. intros E. injection E as <- _. eauto.
  - intros t x L X. rewrite S by auto. destruct (s (part x)) as [[v e]|]; auto. cbn. destruct (t =? v); auto.
Qed.

Theorem relabelled_plans f s seat part : bijection (ranks f) seat part -> plans f s ->
  plans (relabelled_factor seat part f) (relabelled_plan seat part s).
Proof.
  intros M P q Q. destruct (M q Q) as (_ & B & _). destruct (P _ B) as (R & S & D). split; [|split]; auto.
  apply relabelled_planned; auto. intros x X. now apply M.
Qed.

(* The lanes' seats and their parts are looked up in tables. *)
Section Seated.
Variables p n m lanes : nat.
Variable g : nat -> block -> route.
Variable s : nat -> block -> rank -> option (nat * rank).
Variables seat part : nat -> rank -> rank.
Hypothesis sound : forall l b, l < lanes -> b < m -> (forall x, x < p -> part l x < p) /\ planned p n (g l b) (s l b).

Let tabled (f : nat -> rank -> rank) : nat -> rank -> rank := memo lanes (fun l => memo p (f l)).
Definition seated_in (seats parts : nat -> rank -> rank) (b : block) : rank -> option (nat * rank) :=
  let l := b / m in fun x => match s l (b mod m) (parts l x) with Some (t, d) => Some (t, seats l d) | None => None end.
Definition seated_sends : block -> rank -> option (nat * rank) := seated_in (tabled seat) (tabled part).

Theorem seated_planned b : b < lanes * m -> planned p n (seated m g seat part b) (seated_sends b).
Proof.
  intros B. assert (b / m < lanes) as L by (apply Nat.div_lt_upper_bound; lia).
  destruct (sound (b / m) (b mod m) L) as [C P]; [apply Nat.mod_upper_bound; lia|].
  apply (planned_same _ _ _ (seated_in seat part b)); [|exact (relabelled_planned _ _ _ _ (seat (b / m)) _ C P)].
  intros x _. unfold seated_sends, seated_in, tabled. rewrite !memo_same. destruct (s _ _ _) as [[t d]|]; auto. now rewrite memo_same.
Qed.
End Seated.
