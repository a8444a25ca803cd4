(* Reduce-scatters along the skips of a circulant graph. N offsets are left before a step, and M <= N <= 2 M after it: those from M on go
   M places, to the offsets from 0 on. The skips may be any numbers that fall to 1 and at most halve. If they halve, rounded up, this is
   Traeff's algorithm. Its blocks go to the right. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Relabelled Catalogue Turned Folding Rooted.
Import ListNotations.

Section Skips.
Variable size : nat -> nat.   (* how many offsets are left before a step *)
Hypothesis falls : forall t, size (S t) <= size t.
Hypothesis halves_at_most : forall t, size t <= 2 * size (S t).

Definition skip_route : route := fun t d =>
  if (size (S t) <=? d) && (d <? size t) then Some (d - size (S t)) else None.

Lemma falls_on t u : t <= u -> size u <= size t.
Proof. induction 1 as [|u _ IH]; auto. pose proof (falls u). lia. Qed.

Lemma skip_some t d e : skip_route t d = Some e -> size (S t) <= d < size t /\ e = d - size (S t) /\ e < size (S t).
Proof.
  unfold skip_route. destruct (Nat.leb_spec (size (S t)) d), (Nat.ltb_spec d (size t)); cbn [andb]; try discriminate.
  intros E. injection E as <-. pose proof (halves_at_most t). lia.
Qed.

Lemma skip_place t x : x < size 0 -> place skip_route t x < size t.
Proof.
  intros X. induction t as [|t IH]; [exact X|]. cbn [place]. generalize dependent (place skip_route t x). intros y Y.
  destruct (skip_route t y) as [d|] eqn:E; [now apply skip_some in E|].
  unfold skip_route in E. destruct (Nat.leb_spec (size (S t)) y); auto. apply Nat.ltb_lt in Y. now rewrite Y in E.
Qed.

Theorem skips_valid p n : p <= size 0 -> size n = 1 -> valid p n 0 skip_route.
Proof.
  intros P N. split.
  - intros t x d T X H. apply skip_some in H. pose proof (falls_on (S t) n ltac:(lia)). lia.
  - intros t u x U X H. destruct (skip_route t x) eqn:E; [|congruence]. apply skip_some in E as (R & _).
    destruct (skip_route u x) eqn:F; auto. apply skip_some in F as (S' & _). pose proof (falls_on (S t) u ltac:(lia)). lia.
  - intros t u x y U X Y H G. destruct (skip_route t x) eqn:E; [|congruence]. apply skip_some in E as (R & _).
    apply skip_some in G as (_ & _ & L). pose proof (falls_on (S t) (S u) ltac:(lia)). lia.
  - intros x X. pose proof (skip_place n x ltac:(lia)). lia.
Qed.
End Skips.

(* Halved skips, rounded up *)
Definition halved_skips (p : nat) : route := skip_route (left p).
Definition circulant_left (p : nat) : factor := turned_factor p (Nat.log2_up p) (halved_skips p).
Definition circulant (p : nat) : factor := relabelled_factor (opposite p) (opposite p) (circulant_left p).

Lemma left_some p t : 0 < p -> 0 < left p t.
Proof. intros P. induction t as [|t IH]; cbn [left]; auto. pose proof (half_up (left p t)). lia. Qed.

Lemma halved_valid p : 0 < p -> valid p (Nat.log2_up p) 0 (halved_skips p).
Proof.
  intros P. apply skips_valid; auto.
  - intros t. apply half_up.
  - intros t. apply half_up.
  - pose proof (left_some p (Nat.log2_up p) P). pose proof (left_power p _ _ (enough_steps p P) (le_n _)) as L.
    rewrite Nat.sub_diag in L. cbn in L. lia.
Qed.

Lemma circulant_right p : 0 < p -> right (circulant p).
Proof.
  intros P. apply relabelled_right; [apply opposite_bijection|]. intros q Q. cbn in *. apply turned_valid; auto using halved_valid.
Qed.

Theorem circulant_once p : 0 < p -> all_once (circulant p).
Proof. intros P. apply factor_once; auto using circulant_right. Qed.

(* A block goes along the same tree, from rank 0 or to it. *)
Theorem circulant_trees_once p : 0 < p -> line_rooted p (Nat.log2_up p) (halved_skips p).
Proof. intros P. apply line_rooted_once. now apply halved_valid. Qed.
