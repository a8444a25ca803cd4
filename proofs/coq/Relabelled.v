(* Other ranks in the seats: a valid route stays valid if its ranks are renamed by a bijection, and so does a right factor. Each lane
   of a schedule may have seats of its own. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Factors.
Import ListNotations.

(* Rank `seat x` takes the part of x, and `part` says whose part a rank takes. *)
Definition bijection (p : nat) (seat part : rank -> rank) : Prop :=
  forall x, x < p -> seat x < p /\ part x < p /\ seat (part x) = x /\ part (seat x) = x.

Definition relabelled (seat part : rank -> rank) (h : route) : route := fun t x => option_map seat (h t (part x)).

Section Relabelled.
Variables p n : nat.
Variables seat part : rank -> rank.
Hypothesis M : bijection p seat part.
Variable q : rank.
Variable h : route.
Hypothesis V : valid p n q h.
Let g : route := relabelled seat part h.

Lemma relabelled_some t x y : t < n -> x < p -> g t x = Some y -> y < p /\ h t (part x) = Some (part y).
Proof.
  intros T X H. unfold g, relabelled in H. destruct (h t (part x)) as [d|] eqn:E; [|discriminate]. injection H as <-.
  destruct (stays _ _ _ _ V t _ _ T (proj1 (proj2 (M x X))) E) as [D _]. destruct (M d D) as (S & _ & _ & ->). auto.
Qed.

Lemma relabelled_sends t x : g t x <> None -> h t (part x) <> None.
Proof. unfold g, relabelled. destruct (h t (part x)); cbn; congruence. Qed.

Lemma relabelled_place t x : t <= n -> x < p -> place g t x = seat (place h t (part x)).
Proof.
  intros T X. induction t as [|t IH]; [symmetry; now apply M|]. cbn [place]. rewrite IH by lia. unfold g, relabelled.
  destruct (M _ (place_below _ _ _ _ V t (part x) ltac:(lia) (proj1 (proj2 (M x X))))) as (_ & _ & _ & ->).
  destruct (h t (place h t (part x))); reflexivity.
Qed.

Theorem relabelled_valid : valid p n (seat q) (relabelled seat part h).
Proof.
  fold g. split.
  - intros t x y T X H. destruct (relabelled_some t x y T X H) as [Y E]. split; auto. intros ->.
    destruct (stays _ _ _ _ V t _ _ T (proj1 (proj2 (M x X))) E). congruence.
  - intros t u x U X H. apply relabelled_sends in H. unfold g, relabelled.
    now rewrite (passes_once _ _ _ _ V t u (part x) U (proj1 (proj2 (M x X))) H).
  - intros t u x y U X Y H G. apply relabelled_some in G as [_ G]; [|lia|auto]. apply relabelled_sends in H.
    apply (receives_before _ _ _ _ V t u (part x) (part y)); auto; now apply M.
  - intros x X. rewrite relabelled_place, (arrives _ _ _ _ V) by (auto; now apply M). reflexivity.
Qed.
End Relabelled.

Lemma bijection_back p seat part : bijection p seat part -> bijection p part seat.
Proof. intros M x X. destruct (M x X) as (? & ? & ? & ?). auto. Qed.

Definition relabelled_factor (seat part : rank -> rank) (f : factor) : factor :=
  Factor (ranks f) (steps f) (fun q => relabelled seat part (path f (part q))).

Theorem relabelled_right seat part f : bijection (ranks f) seat part -> right f -> right (relabelled_factor seat part f).
Proof.
  intros M R q Q. cbn in *. destruct (M q Q) as (_ & B & E & _). rewrite <- E at 1. apply relabelled_valid; auto.
Qed.

(* Lane l has the blocks l * m .. l * m + m - 1. Its routes and its seats are its own. *)
Section Seated.
Variables p n m lanes : nat.
Variable q : nat -> block -> rank.
Variable g : nat -> block -> route.
Variables seat part : nat -> rank -> rank.
Hypothesis sound : forall l, l < lanes -> bijection p (seat l) (part l) /\ owned p n m (q l) (g l).

Definition seated_owner (b : block) : rank := let l := b / m in seat l (q l (b mod m)).
Definition seated (b : block) : route := let l := b / m in relabelled (seat l) (part l) (g l (b mod m)).

Lemma seated_owned : owned p n (lanes * m) seated_owner seated.
Proof.
  intros b B. assert (b / m < lanes) as L by (apply Nat.div_lt_upper_bound; lia). destruct (sound _ L) as [M O].
  destruct (O (b mod m) ltac:(apply Nat.mod_upper_bound; lia)) as [Q V]. unfold seated, seated_owner. cbv zeta.
  split; [now apply M | now apply relabelled_valid].
Qed.

Theorem seated_once : 0 < p -> 0 < m -> 0 < lanes ->
  exactly_once (ReduceScatter seated_owner) p (lanes * m) (reduce_scatter p (lanes * m) n seated) /\
  exactly_once (Allgather seated_owner) p (lanes * m) (allgather p (lanes * m) n seated) /\
  exactly_once Allreduce p (lanes * m) (allreduce p (lanes * m) n seated).
Proof.
  intros P S L. pose proof seated_owned as O. assert (0 < lanes * m) as B by nia.
  split; [|split]; [apply reduce_scatter_once | apply allgather_once | apply allreduce_once with seated_owner]; auto.
Qed.
End Seated.

(* The mirror image of a line: coordinate c takes the part of -c. *)
Definition opposite (n c : nat) : nat := (n - c) mod n.

Lemma opposite_bijection n : bijection n (opposite n) (opposite n).
Proof.
  assert (forall c, c < n -> opposite n c < n /\ opposite n (opposite n c) = c) as O.
  { intros c C. unfold opposite. split; [apply Nat.mod_upper_bound; lia|]. destruct c as [|c].
    - now rewrite Nat.sub_0_r, Nat.mod_same, Nat.sub_0_r, Nat.mod_same by lia.
    - rewrite (Nat.mod_small (n - S c)) by lia. rewrite Nat.mod_small; lia. }
  intros c C. destruct (O c C). auto.
Qed.

(* Of a torus: all coordinates do. Ranks are row-major. *)
Definition product_of (sides : list nat) : nat := fold_right Nat.mul 1 sides.
Fixpoint mirror (sides : list nat) (x : rank) : rank :=
  match sides with
  | [] => x
  | n :: rest => let m := product_of rest in opposite n (x / m) * m + mirror rest (x mod m)
  end.

Lemma mirror_twice sides : forall x, x < product_of sides -> mirror sides x < product_of sides /\ mirror sides (mirror sides x) = x.
Proof.
  induction sides as [|n rest IH]; intros x X; [cbn in *; lia|]. cbn [mirror product_of fold_right] in *. fold (product_of rest) in *.
  set (m := product_of rest) in *. assert (0 < m) by (destruct m; lia).
  assert (x / m < n) as A by (apply Nat.div_lt_upper_bound; lia). destruct (opposite_bijection n _ A) as (O & _ & E & _).
  destruct (IH (x mod m)) as [B C]; [apply Nat.mod_upper_bound; lia|]. split; [nia|].
  rewrite Nat.div_add_l, (Nat.div_small (mirror _ _)), Nat.add_0_r, E by lia.
  rewrite Nat.add_comm, (Nat.add_comm _ (mirror _ _)), Nat.mod_add, (Nat.mod_small (mirror _ _)), C by lia.
  rewrite Nat.add_comm, Nat.mul_comm. symmetry. apply Nat.div_mod. lia.
Qed.

Lemma mirror_bijection sides : bijection (product_of sides) (mirror sides) (mirror sides).
Proof. intros x X. destruct (mirror_twice sides x X). auto. Qed.
