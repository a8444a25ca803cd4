(* Whole vectors on every line and torus: recursive doubling, latency-optimal Swing, and mirrored recursive doubling. What a rank hears
   on a torus is the product of what its coordinates hear. On a side of n ranks, n' the largest power of two within, coordinate
   n' + i gives its vector to coordinate i first and takes over the result at the end; in between it is not live. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors Products Tori Relabelled SwingAll Catalogue Folded Exchange.
Import ListNotations.

(* An allreduce of whole vectors: ranks, steps, who gets the vector of whom, and whose vector counts before each step *)
Record exchanger := Exchanger { size : nat; rounds : nat; draw : pull; live : nat -> rank -> bool }.

(* What counts is made of what counts, and in the end everyone has heard of everyone once. *)
Record ready (e : exchanger) : Prop := {
  inside : forall t r s o, t < rounds e -> r < size e -> draw e t r = Some (s, o) -> s < size e /\ s <> r;
  made : forall t r, t < rounds e -> r < size e -> live e (S t) r = true ->
    match draw e t r with
    | Some (s, Reduce) => live e t r = true /\ live e t s = true
    | Some (s, Copy) => live e t s = true
    | None => live e t r = true
    end;
  awake : forall r, r < size e -> live e (rounds e) r = true;
  hears_once : forall r c, r < size e -> c < size e -> hears (draw e) (rounds e) r c = 1 }.

(* A side of n ranks, m of which exchange with peers, in a steps *)
Section Side.
Variables n m a : nat.
Variable peer : rank -> nat -> rank.
Hypothesis within : m <= n <= 2 * m.
Hypothesis meets : meets_all m a peer.

Definition side_draw : pull := fun t r =>
  match t with
  | O => if r + m <? n then Some (r + m, Reduce) else None
  | S k =>
    if k <? a then (if r <? m then Some (peer r k, Reduce) else None)
    else if r <? m then None else Some (r - m, Copy)
  end.

Definition side : exchanger :=
  if n =? m then Exchanger m a (exchange peer) (fun _ _ => true)
  else Exchanger n (a + 2) side_draw (fun t r => (t =? 0) || (t =? a + 2) || (r <? m)).

(* After folding, rank c of the m stands for rank m + c, too. *)
Definition stand_in (c : rank) : rank := if c <? m then c else c - m.

Lemma side_hears t : t <= a -> forall r c, r < m -> c < n -> hears side_draw (S t) r c = heard peer t r (stand_in c).
Proof.
  induction t as [|t IH]; intros T r c R C; unfold stand_in in *.
  - cbn [hears side_draw heard]. destruct (Nat.ltb_spec (r + m) n), (Nat.ltb_spec c m);
      repeat match goal with |- context [?x =? ?y] => destruct (Nat.eqb_spec x y) end; lia.
  - change (hears side_draw (S (S t)) r c) with (match side_draw (S t) r with
      | Some (s, Reduce) => hears side_draw (S t) r c + hears side_draw (S t) s c
      | Some (s, Copy) => hears side_draw (S t) s c
      | None => hears side_draw (S t) r c end).
    cbn [side_draw heard]. rewrite (proj2 (Nat.ltb_lt t a)), (proj2 (Nat.ltb_lt r m)) by auto.
    destruct (meets_other _ _ _ meets r t ltac:(lia) R) as [P _]. rewrite !IH; auto; lia.
Qed.

Theorem side_ready : ready side.
Proof.
  unfold side. destruct (Nat.eqb_spec n m) as [->|N].
  - split; cbn [size rounds draw live]; auto.
    + intros t r s o T R G. injection G as <- <-. now apply (meets_other _ _ _ meets).
    + intros t r _ _ _. cbn. auto.
    + intros r c R C. rewrite hears_exchange. now apply (hears_of_all _ _ _ meets).
  - split; cbn [size rounds draw live].
    + intros [|k] r s o T R G; cbn [side_draw] in G.
      * destruct (Nat.ltb_spec (r + m) n); [|discriminate]. injection G as <- <-. lia.
      * destruct (Nat.ltb_spec k a), (Nat.ltb_spec r m); try discriminate; injection G as <- <-; [|lia].
        destruct (meets_other _ _ _ meets r k) as [P D]; auto. split; auto. lia.
    + intros [|k] r T R L; cbn [side_draw].
      * destruct (r + m <? n); auto.
      * replace (S k =? 0) with false by reflexivity. cbn [orb].
        assert (S k <> a + 2) as F by lia. apply Nat.eqb_neq in F. rewrite F. cbn [orb]. clear F.
        destruct (Nat.ltb_spec k a).
        -- assert (S (S k) <> a + 2) as F by lia. apply Nat.eqb_neq in F. rewrite F in L. change (S (S k) =? 0) with false in L. cbn [orb] in L.
           destruct (Nat.ltb_spec r m); [|discriminate]. split; auto. apply Nat.ltb_lt. now apply (meets_other _ _ _ meets).
        -- destruct (Nat.ltb_spec r m); [reflexivity|]. apply Nat.ltb_lt. lia.
    + intros r _. rewrite Nat.eqb_refl. now rewrite orb_true_r.
    + intros r c R C. replace (a + 2) with (S (S a)) by lia.
      assert (forall s, s < m -> hears side_draw (S a) s c = 1) as H.
      { intros s S. rewrite side_hears by auto. apply (hears_of_all _ _ _ meets); auto. unfold stand_in. destruct (Nat.ltb_spec c m); lia. }
      change (hears side_draw (S (S a)) r c) with (match side_draw (S a) r with
        | Some (s, Reduce) => hears side_draw (S a) r c + hears side_draw (S a) s c
        | Some (s, Copy) => hears side_draw (S a) s c
        | None => hears side_draw (S a) r c end).
      cbn [side_draw]. rewrite Nat.ltb_irrefl. destruct (Nat.ltb_spec r m); apply H; lia.
Qed.
End Side.

(* Other numbers for the ranks *)
Section Renumbered.
Variable e : exchanger.
Variables seat part : rank -> rank.
Hypothesis M : bijection (size e) seat part.

Definition renumbered : exchanger := Exchanger (size e) (rounds e)
  (fun t r => match draw e t (part r) with Some (s, o) => Some (seat s, o) | None => None end) (fun t r => live e t (part r)).

Lemma part_same x y : x < size e -> y < size e -> (part x =? part y) = (x =? y).
Proof.
  intros X Y. destruct (Nat.eqb_spec x y) as [->|N]; [apply Nat.eqb_refl|]. apply Nat.eqb_neq. intros E. apply N.
  destruct (M x X) as (_ & _ & <- & _), (M y Y) as (_ & _ & <- & _). now rewrite E.
Qed.

Theorem renumbered_ready : ready e -> ready renumbered.
Proof.
  intros R. split; cbn [size rounds draw live renumbered].
  - intros t r s o T P G. destruct (draw e t (part r)) as [[x o']|] eqn:E; [|discriminate]. injection G as <- <-.
    destruct (M r P) as (_ & B & K & _). destruct (inside e R t (part r) x o' T B E) as [X N]. split; [now apply M|].
    intros F. apply N. rewrite <- F. symmetry. now apply M.
  - intros t r T P L. destruct (M r P) as (_ & B & _). pose proof (made e R t (part r) T B L) as W.
    destruct (draw e t (part r)) as [[x o]|] eqn:E; auto. destruct (inside e R t (part r) x o T B E) as [X _].
    destruct (M x X) as (_ & _ & _ & ->). exact W.
  - intros r P. apply (awake e R). now apply M.
  - assert (forall t, t <= rounds e -> forall r c, r < size e -> c < size e ->
      hears (draw renumbered) t r c = hears (draw e) t (part r) (part c)) as H.
    { induction t as [|t IH]; intros T r c P C; cbn [hears draw renumbered].
      - now rewrite part_same.
      - destruct (M r P) as (_ & B & _). destruct (draw e t (part r)) as [[x o]|] eqn:E; [|apply IH; auto; lia].
        destruct (inside e R t (part r) x o ltac:(lia) B E) as [X _]. destruct (M x X) as (F & _ & _ & K).
        destruct o; rewrite !IH, K by (auto; lia); reflexivity. }
    intros r c P C. change (hears (draw renumbered) (rounds e) r c = 1). rewrite H by auto. apply (hears_once e R); now apply M.
Qed.
End Renumbered.

(* The product of two: a rank takes part in a step along one dimension while its coordinate along the other one is live. *)
Definition counted (e : exchanger) : factor := Factor (size e) (rounds e) (fun _ _ _ => None).

Section Cross.
Variables a b : exchanger.
Variable first : nat -> bool.
Hypothesis A : ready a.
Hypothesis B : ready b.
Let second (t : nat) : bool := negb (first t).
Let total : nat := rounds a + rounds b.
Hypothesis all_steps : turns first total = rounds a.

Let x_of (r : rank) : nat := row (counted b) r.
Let y_of (r : rank) : nat := column (counted b) r.

Definition cross : exchanger := Exchanger (size a * size b) total
  (fun t r =>
    if first t then
      (if live b (turns second t) (y_of r) then
        match draw a (turns first t) (x_of r) with Some (s, o) => Some (pair (counted b) s (y_of r), o) | None => None end
      else None)
    else
      (if live a (turns first t) (x_of r) then
        match draw b (turns second t) (y_of r) with Some (s, o) => Some (pair (counted b) (x_of r) s, o) | None => None end
      else None))
  (fun t r => live a (turns first t) (x_of r) && live b (turns second t) (y_of r)).

Lemma halves_of r : r < size a * size b -> x_of r < size a /\ y_of r < size b /\ pair (counted b) (x_of r) (y_of r) = r.
Proof.
  intros R. destruct (below (counted a) (counted b) first all_steps r R) as (X & Y & P). repeat split; auto. now apply (pair_of (counted a) (counted b) first all_steps).
Qed.

Lemma made_of x y : x < size a -> y < size b ->
  pair (counted b) x y < size a * size b /\ x_of (pair (counted b) x y) = x /\ y_of (pair (counted b) x y) = y.
Proof.
  intros X Y. split; [now apply (pair_below (counted a) (counted b) first all_steps)|]. split; [now apply (pair_row (counted a) (counted b) first all_steps) | now apply (pair_column (counted a) (counted b) first all_steps)].
Qed.

(* What a step does to a rank, in the first dimension or the second one *)
Lemma cross_drawn t r s o : t < total -> r < size a * size b -> draw cross t r = Some (s, o) ->
  s < size a * size b /\ s <> r /\
  ((first t = true /\ draw a (turns first t) (x_of r) = Some (x_of s, o) /\ y_of s = y_of r) \/
   (first t = false /\ draw b (turns second t) (y_of r) = Some (y_of s, o) /\ x_of s = x_of r)).
Proof.
  intros T R G. destruct (halves_of r R) as (X & Y & P). cbn [draw cross] in G. destruct (first t) eqn:F.
  - destruct (live b _ _); [|discriminate]. destruct (draw a _ _) as [[x o']|] eqn:E; [|discriminate]. injection G as <- <-.
    destruct (inside a A _ _ _ _ (first_in (counted a) (counted b) first all_steps t T F) X E) as [X' N].
    destruct (made_of x (y_of r) X' Y) as (S & U & V). split; auto. split; [|left; now rewrite U, V].
    intros Z. apply N. now rewrite <- U, Z.
  - destruct (live a _ _); [|discriminate]. destruct (draw b _ _) as [[y o']|] eqn:E; [|discriminate]. injection G as <- <-.
    destruct (inside b B _ _ _ _ (second_in (counted a) (counted b) first all_steps t T F) Y E) as [Y' N].
    destruct (made_of (x_of r) y X Y') as (S & U & V). split; auto. split; [|right; now rewrite U, V].
    intros Z. apply N. now rewrite <- V, Z.
Qed.

Lemma turns_first t : first t = true -> turns first (S t) = S (turns first t) /\ turns second (S t) = turns second t.
Proof. intros F. cbn [turns]. unfold second at 2. rewrite F. cbn. lia. Qed.

Lemma turns_second t : first t = false -> turns first (S t) = turns first t /\ turns second (S t) = S (turns second t).
Proof. intros F. cbn [turns]. unfold second at 2. rewrite F. cbn. lia. Qed.

Lemma live_cross t r : live cross t r = true <-> live a (turns first t) (x_of r) = true /\ live b (turns second t) (y_of r) = true.
Proof. cbn [live cross]. apply andb_true_iff. Qed.

Lemma cross_made t r : t < total -> r < size a * size b -> live cross (S t) r = true ->
  match draw cross t r with
  | Some (s, Reduce) => live cross t r = true /\ live cross t s = true
  | Some (s, Copy) => live cross t s = true
  | None => live cross t r = true
  end.
Proof.
  intros T R L. apply live_cross in L as [La Lb]. destruct (halves_of r R) as (X & Y & P).
  destruct (draw cross t r) as [[s o]|] eqn:G; [pose proof (cross_drawn t r s o T R G) as (_ & _ & D)|]; destruct (first t) eqn:F;
    try (destruct D as [(F' & D & Z)|(F' & D & Z)]; try discriminate).
  - destruct (turns_first t F) as [E1 E2]. rewrite E1, E2 in *.
    pose proof (made a A (turns first t) (x_of r) (first_in (counted a) (counted b) first all_steps t T F) X La) as M. rewrite D in M.
    destruct o; rewrite !live_cross, Z; tauto.
  - destruct (turns_second t F) as [E1 E2]. rewrite E1, E2 in *.
    pose proof (made b B (turns second t) (y_of r) (second_in (counted a) (counted b) first all_steps t T F) Y Lb) as M. rewrite D in M.
    destruct o; rewrite !live_cross, Z; tauto.
  - destruct (turns_first t F) as [E1 E2]. rewrite E1, E2 in *. cbn [draw cross] in G. rewrite F, Lb in G.
    pose proof (made a A (turns first t) (x_of r) (first_in (counted a) (counted b) first all_steps t T F) X La) as M.
    destruct (draw a (turns first t) (x_of r)) as [[s o]|]; [discriminate|]. now rewrite live_cross.
  - destruct (turns_second t F) as [E1 E2]. rewrite E1, E2 in *. cbn [draw cross] in G. rewrite F, La in G.
    pose proof (made b B (turns second t) (y_of r) (second_in (counted a) (counted b) first all_steps t T F) Y Lb) as M.
    destruct (draw b (turns second t) (y_of r)) as [[s o]|]; [discriminate|]. now rewrite live_cross.
Qed.

Lemma cross_hears t : t <= total -> forall r c, r < size a * size b -> c < size a * size b -> live cross t r = true ->
  hears (draw cross) t r c = hears (draw a) (turns first t) (x_of r) (x_of c) * hears (draw b) (turns second t) (y_of r) (y_of c).
Proof.
  induction t as [|t IH]; intros T r c R C L; destruct (halves_of r R) as (X & Y & P).
  - cbn [hears turns]. destruct (halves_of c C) as (_ & _ & K).
    destruct (Nat.eqb_spec r c) as [->|N]; [now rewrite !Nat.eqb_refl|].
    destruct (Nat.eqb_spec (x_of r) (x_of c)) as [U|], (Nat.eqb_spec (y_of r) (y_of c)) as [V|]; auto.
    exfalso. apply N. now rewrite <- P, <- K, U, V.
  - pose proof (cross_made t r ltac:(lia) R L) as M. apply live_cross in L as [La Lb].
    cbn [hears]. destruct (draw cross t r) as [[s o]|] eqn:G.
    + pose proof (cross_drawn t r s o ltac:(lia) R G) as (S & _ & [(F & D & Z)|(F & D & Z)]).
      * destruct (turns_first t F) as [-> ->]. cbn [hears]. rewrite D.
        destruct o; [destruct M|]; rewrite !IH by (auto; lia); rewrite Z; lia.
      * destruct (turns_second t F) as [-> ->]. cbn [hears]. rewrite D.
        destruct o; [destruct M|]; rewrite !IH by (auto; lia); rewrite Z; lia.
    + rewrite IH by (auto; lia). cbn [draw cross] in G. destruct (first t) eqn:F.
      * destruct (turns_first t F) as [E1 E2]. rewrite E1, E2 in *. rewrite Lb in G. cbn [hears].
        destruct (draw a (turns first t) (x_of r)) as [[s o]|]; [discriminate | reflexivity].
      * destruct (turns_second t F) as [E1 E2]. rewrite E1, E2 in *. rewrite La in G. cbn [hears].
        destruct (draw b (turns second t) (y_of r)) as [[s o]|]; [discriminate | reflexivity].
Qed.

Theorem cross_ready : ready cross.
Proof.
  pose proof (second_steps (counted a) (counted b) first all_steps) as E. cbn [steps counted] in E.
  assert (forall r, r < size a * size b -> live cross total r = true) as W.
  { intros r R. destruct (halves_of r R) as (X & Y & _). apply live_cross. unfold total, second. rewrite E. fold total. rewrite all_steps.
    split; [now apply (awake a A) | now apply (awake b B)]. }
  split.
  - intros t r s o T R G. pose proof (cross_drawn t r s o T R G). tauto.
  - exact cross_made.
  - exact W.
  - intros r c R C. change (hears (draw cross) total r c = 1). rewrite cross_hears by (cbn in *; auto).
    destruct (halves_of r R) as (X & Y & _), (halves_of c C) as (X' & Y' & _).
    unfold total, second. rewrite E. fold total. rewrite all_steps. now rewrite (hears_once a A), (hears_once b B).
Qed.
End Cross.
