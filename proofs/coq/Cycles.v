(* Two Hamiltonian cycles of an r x c torus without a common link, where c divides r and gcd(r, c-1) = 1, and the same turned. The
   first goes along each row and moves down where it wraps, the second the other way around. Each link belongs to the one or the
   other by the sum of its coordinates: a diagonal of the torus says where the cycles change rows and columns. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Relabelled.
Import ListNotations.

(* Rank x is at row x / c and column x mod c. Position a * c + b of a cycle, for a < r and b < c: *)
Definition first_seat (r c : nat) (i : nat) : rank := let a := i / c in let b := i mod c in a * c + (b + (c - a mod c)) mod c.
Definition second_seat (r c : nat) (i : nat) : rank :=
  let a := i / c in let b := i mod c in (a * (c - 1) + b) mod r * c + a mod c.

Definition fits (r c : nat) : bool := (2 <=? r) && (2 <=? c) && (r mod c =? 0) && (Nat.gcd r (c - 1) =? 1).

(* The neighbour to the right, and the one below *)
Definition east (c : nat) (x y : rank) : Prop := y / c = x / c /\ y mod c = S (x mod c) mod c.
Definition south (r c : nat) (x y : rank) : Prop := y / c = S (x / c) mod r /\ y mod c = x mod c.
Definition linked (r c : nat) (x y : rank) : Prop := east c x y \/ east c y x \/ south r c x y \/ south r c y x.

(* A cycle visits each rank once, and goes by links. *)
Definition hamiltonian (r c : nat) (cycle : nat -> rank) : Prop :=
  (forall x, x < r * c -> exists i, i < r * c /\ cycle i = x) /\
  (forall i j, i < r * c -> j < r * c -> cycle i = cycle j -> i = j) /\
  forall i, i < r * c -> cycle i < r * c /\ linked r c (cycle i) (cycle (S i mod (r * c))).

(* A link, named by the rank that it leaves, and whether it leaves downwards or to the right. So a side of 2 has two links. *)
Definition link : Type := rank * bool.
Definition leaves (r c : nat) (l : link) (x y : rank) : Prop := fst l = x /\ if snd l then south r c x y else east c x y.
Definition joins (r c : nat) (l : link) (x y : rank) : Prop := leaves r c l x y \/ leaves r c l y x.

(* The cycles can go by links of which none serves twice, in either direction. *)
Definition link_disjoint (r c : nat) (f g : nat -> rank) : Prop := exists v w : nat -> link, forall i, i < r * c ->
  joins r c (v i) (f i) (f (S i mod (r * c))) /\ joins r c (w i) (g i) (g (S i mod (r * c))) /\
  forall j, j < r * c -> v i <> w j /\ (v i = v j -> i = j) /\ (w i = w j -> i = j).

(* What maps ranks to different ranks is a bijection; its inverse is found by looking. *)
Definition position (p : nat) (f : nat -> rank) (x : rank) : nat :=
  match find (fun i => f i =? x) (seq 0 p) with Some i => i | None => 0 end.

Lemma injective_onto p f : (forall i, i < p -> f i < p) -> (forall i j, i < p -> j < p -> f i = f j -> i = j) ->
  forall x, x < p -> exists i, i < p /\ f i = x.
Proof.
  intros B I x X. assert (NoDup (map f (seq 0 p))) as N.
  { assert (forall l, NoDup l -> (forall i, In i l -> i < p) -> NoDup (map f l)) as D; [|apply D; [apply seq_NoDup | intros i; apply in_below]].
    induction 1 as [|i l O _ IH]; cbn; intros H; constructor; auto. intros J. apply in_map_iff in J as (j & E & J).
    apply O. rewrite <- (I j i); auto. }
  assert (incl (seq 0 p) (map f (seq 0 p))) as S.
  { apply NoDup_length_incl; auto; [now rewrite map_length|]. intros y Y. apply in_map_iff in Y as (i & <- & J).
    apply in_below. apply B. now apply in_below. }
  specialize (S x (proj2 (in_below _ _) X)). apply in_map_iff in S as (i & E & J). apply in_below in J. eauto.
Qed.

Lemma injective_bijection p f : (forall i, i < p -> f i < p) -> (forall i j, i < p -> j < p -> f i = f j -> i = j) ->
  bijection p f (position p f).
Proof.
  intros B I. assert (forall i, i < p -> position p f (f i) = i) as E.
  { intros i L. unfold position. destruct (find _ _) as [j|] eqn:F.
    - apply find_some in F as [J F]. apply in_below in J. apply Nat.eqb_eq in F. now apply I.
    - apply find_none with (x := i) in F; [now rewrite Nat.eqb_refl in F | now apply in_below]. }
  intros x X. destruct (injective_onto p f B I x X) as (i & L & <-). rewrite E; auto.
Qed.

Lemma next_mod k n : k < n -> S k mod n = if S k =? n then 0 else S k.
Proof.
  intros K. destruct (Nat.eqb_spec (S k) n) as [<-|N]; [apply Nat.mod_same; lia | apply Nat.mod_small; lia].
Qed.

Lemma same_mod_divides x y n : n <> 0 -> x <= y -> x mod n = y mod n -> Nat.divide n (y - x).
Proof.
  intros N L E. exists (y / n - x / n). pose proof (Nat.div_mod x n N). pose proof (Nat.div_mod y n N). rewrite Nat.mul_sub_distr_r. lia.
Qed.

Section Torus.
Variables r c : nat.
Hypothesis F : fits r c = true.
Let p : nat := r * c.

Lemma sides : 2 <= r /\ 2 <= c /\ Nat.divide c r /\ Nat.gcd r (c - 1) = 1.
Proof.
  unfold fits in F. rewrite !andb_true_iff, !Nat.leb_le, !Nat.eqb_eq in F. destruct F as (((R & C) & D) & G).
  repeat split; auto. apply Nat.mod_divide; auto. lia.
Qed.

Lemma long : 2 <= r /\ 2 <= c.
Proof. destruct sides. tauto. Qed.

(* Row and column from a number, and back *)
Definition at_row_column (x row column : nat) : Prop := x = row * c + column /\ row < r /\ column < c.

Lemma row_column x row column : at_row_column x row column -> x / c = row /\ x mod c = column /\ x < p.
Proof.
  intros (-> & R & C). pose proof long. unfold p. repeat split; [| |nia].
  - rewrite Nat.div_add_l, Nat.div_small; lia.
  - rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small; lia.
Qed.

Lemma position_of i : i < p -> at_row_column i (i / c) (i mod c).
Proof.
  pose proof long. intros I. split; [rewrite Nat.mul_comm; apply Nat.div_mod; lia|].
  split; [apply Nat.div_lt_upper_bound; unfold p in I; lia | apply Nat.mod_upper_bound; lia].
Qed.

(* The next position is in the same round of c, or begins the next one, or begins the first one. *)
Lemma next_position i : i < p ->
  at_row_column (S i mod p) (if S (i mod c) =? c then S (i / c) mod r else i / c) (S (i mod c) mod c).
Proof.
  intros I. destruct (position_of i I) as (E & A & B). pose proof long. unfold p in *. set (a := i / c) in *. set (b := i mod c) in *.
  rewrite !next_mod by auto. destruct (Nat.eqb_spec (S b) c), (Nat.eqb_spec (S a) r), (Nat.eqb_spec (S i) (r * c)); repeat split; try lia; nia.
Qed.

Lemma last_round a : S a = r -> a mod c = c - 1.
Proof.
  destruct sides as (R & C & (k & K) & _). intros A. replace a with (c - 1 + (k - 1) * c).
  - rewrite Nat.mod_add, Nat.mod_small; lia.
  - destruct k; cbn in *; lia.
Qed.

(* Which diagonal a rank is on *)
Definition diagonal (x : rank) : nat := (x / c + x mod c) mod c.

Lemma first_at i : i < p -> let x := first_seat r c i in
  at_row_column x (i / c) ((i mod c + (c - (i / c) mod c)) mod c) /\ diagonal x = i mod c.
Proof.
  intros I. destruct (position_of i I) as (_ & A & B). pose proof long. unfold first_seat. cbv zeta.
  set (a := i / c) in *. set (b := i mod c) in *. pose proof (Nat.mod_upper_bound (b + (c - a mod c)) c ltac:(lia)).
  assert (at_row_column (a * c + (b + (c - a mod c)) mod c) a ((b + (c - a mod c)) mod c)) as P by (repeat split; auto).
  split; auto. destruct (row_column _ _ _ P) as (D & M & _). unfold diagonal. rewrite D, M.
  rewrite Nat.add_mod_idemp_r, <- Nat.add_mod_idemp_l by lia. pose proof (Nat.mod_upper_bound a c ltac:(lia)).
  replace (a mod c + (b + (c - a mod c))) with (b + 1 * c) by lia. rewrite Nat.mod_add, Nat.mod_small; lia.
Qed.

Lemma second_at i : i < p -> let x := second_seat r c i in
  at_row_column x ((i / c * (c - 1) + i mod c) mod r) ((i / c) mod c) /\ diagonal x = i mod c.
Proof.
  intros I. destruct (position_of i I) as (_ & A & B). destruct sides as (R & C & (k & K) & _). unfold second_seat. cbv zeta.
  set (a := i / c) in *. set (b := i mod c) in *. set (row := (a * (c - 1) + b) mod r).
  assert (row < r) by (apply Nat.mod_upper_bound; lia). assert (a mod c < c) by (apply Nat.mod_upper_bound; lia).
  assert (at_row_column (row * c + a mod c) row (a mod c)) as P by (repeat split; auto).
  split; auto. destruct (row_column _ _ _ P) as (D & M & _). unfold diagonal. rewrite D, M.
  rewrite Nat.add_mod_idemp_r by lia. unfold row. pose proof (Nat.div_mod (a * (c - 1) + b) r ltac:(lia)) as E.
  set (m := (a * (c - 1) + b) mod r) in *. set (d := (a * (c - 1) + b) / r) in *.
  rewrite <- (Nat.mod_add (m + a) (d * k) c) by lia.
  replace (m + a + d * k * c) with (b + a * c) by (rewrite K in E; nia). rewrite Nat.mod_add, Nat.mod_small; lia.
Qed.

(* The first cycle goes east, but down from the last diagonal, *)
Lemma first_goes i : i < p -> let x := first_seat r c i in let y := first_seat r c (S i mod p) in
  if S (diagonal x) =? c then south r c x y else east c x y.
Proof.
  intros I. cbv zeta. destruct (first_at i I) as [P ->]. pose proof (next_position i I) as N.
  destruct (row_column _ _ _ N) as (Nr & Nc & J). destruct (first_at _ J) as [Q _].
  destruct (row_column _ _ _ P) as (Pr & Pc & _), (row_column _ _ _ Q) as (Qr & Qc & _). unfold south, east. rewrite Pr, Pc, Qr, Qc, Nr, Nc.
  destruct (position_of i I) as (_ & A & B). pose proof long as (R & C). clear - p F A B R C.
  set (a := i / c) in *. set (b := i mod c) in *. rewrite !(next_mod b), !(next_mod a) by auto.
  pose proof (Nat.mod_upper_bound a c ltac:(lia)). destruct (Nat.eqb_spec (S b) c) as [E|E]; split; auto.
  - destruct (Nat.eqb_spec (S a) r) as [L|L].
    + rewrite (last_round a L), Nat.mod_0_l by lia. replace (b + (c - (c - 1))) with c by lia. now rewrite Nat.sub_0_r.
    + replace (S a mod c) with (S (a mod c) mod c) by (change (S a) with (1 + a); now rewrite <- Nat.add_mod_idemp_r by lia).
      rewrite next_mod by auto. destruct (Nat.eqb_spec (S (a mod c)) c).
      * replace (b + (c - a mod c)) with c by lia. now rewrite Nat.sub_0_r.
      * replace (b + (c - a mod c)) with (c - S (a mod c) + 1 * c) by lia. now rewrite Nat.mod_add by lia.
  - replace (S b + (c - a mod c)) with (1 + (b + (c - a mod c))) by lia. change (S ?x) with (1 + x). now rewrite Nat.add_mod_idemp_r by lia.
Qed.

(* and the second one down, but east from there. *)
Lemma second_goes i : i < p -> let x := second_seat r c i in let y := second_seat r c (S i mod p) in
  if S (diagonal x) =? c then east c x y else south r c x y.
Proof.
  intros I. cbv zeta. destruct (second_at i I) as [P ->]. pose proof (next_position i I) as N.
  destruct (row_column _ _ _ N) as (Nr & Nc & J). destruct (second_at _ J) as [Q _].
  destruct (row_column _ _ _ P) as (Pr & Pc & _), (row_column _ _ _ Q) as (Qr & Qc & _). unfold south, east. rewrite Pr, Pc, Qr, Qc, Nr, Nc.
  destruct (position_of i I) as (_ & A & B). pose proof long as (R & C). clear - p F A B R C.
  set (a := i / c) in *. set (b := i mod c) in *. rewrite !(next_mod b), !(next_mod a) by auto.
  pose proof (Nat.mod_upper_bound a c ltac:(lia)). destruct (Nat.eqb_spec (S b) c) as [E|E].
  - replace b with (c - 1) by lia. destruct (Nat.eqb_spec (S a) r) as [L|L].
    + rewrite (last_round a L). replace (a * (c - 1) + (c - 1)) with ((c - 1) * r) by (rewrite <- L; lia).
      rewrite Nat.mod_mul by lia. cbn [Nat.mul Nat.add]. rewrite !Nat.mod_0_l by lia. split; auto. now replace (S (c - 1)) with c by lia; rewrite Nat.mod_same by lia.
    + split; [f_equal; lia|]. change (S ?x) with (1 + x). now rewrite Nat.add_mod_idemp_r by lia.
  - split; auto. replace (a * (c - 1) + S b) with (1 + (a * (c - 1) + b)) by lia. change (S ?x) with (1 + x). now rewrite Nat.add_mod_idemp_r by lia.
Qed.

Lemma first_injective i j : i < p -> j < p -> first_seat r c i = first_seat r c j -> i = j.
Proof.
  intros I J E. destruct (first_at i I) as [P D], (first_at j J) as [Q G]. rewrite E in *.
  destruct (row_column _ _ _ P) as (A & _), (row_column _ _ _ Q) as (B & _), (position_of i I) as (-> & _), (position_of j J) as (-> & _). congruence.
Qed.

Lemma second_injective i j : i < p -> j < p -> second_seat r c i = second_seat r c j -> i = j.
Proof.
  intros I J. revert i j I J. assert (forall i j, i / c <= j / c -> i < p -> j < p -> second_seat r c i = second_seat r c j -> i = j) as W.
  { intros i j L I J E. destruct (second_at i I) as [P D], (second_at j J) as [Q G]. rewrite E in *.
    destruct (row_column _ _ _ P) as (A & _), (row_column _ _ _ Q) as (B & _).
    destruct (position_of i I) as (Ei & Ai & _), (position_of j J) as (Ej & Aj & _).
    assert (i mod c = j mod c) as M by congruence. rewrite <- M, A in B. destruct sides as (R & C & _ & X).
    apply same_mod_divides in B; [|lia|apply Nat.add_le_mono_r, Nat.mul_le_mono_r; exact L].
    replace (j / c * (c - 1) + i mod c - (i / c * (c - 1) + i mod c)) with ((c - 1) * (j / c - i / c)) in B by nia.
    apply Nat.gauss in B; auto. destruct B as (k & B). assert (i / c = j / c) as K by (destruct k; [cbn in B|]; nia).
    transitivity (j / c * c + j mod c); [now rewrite <- M, <- K | now symmetry]. }
  intros i j I J E. destruct (Nat.le_ge_cases (i / c) (j / c)); [apply W; auto | symmetry; apply W; auto].
Qed.

Lemma goes_linked x y : (if S (diagonal x) =? c then south r c x y else east c x y) \/ (if S (diagonal x) =? c then east c x y else south r c x y) ->
  linked r c x y.
Proof. unfold linked. destruct (S (diagonal x) =? c); tauto. Qed.

Theorem first_hamiltonian : hamiltonian r c (first_seat r c).
Proof.
  assert (forall i, i < r * c -> first_seat r c i < r * c) as B by (intros i I; now apply first_at in I as [P _]; apply row_column in P).
  split; [|split]; auto using first_injective, injective_onto. intros i I. split; auto. apply goes_linked. left. now apply first_goes.
Qed.

Theorem second_hamiltonian : hamiltonian r c (second_seat r c).
Proof.
  assert (forall i, i < r * c -> second_seat r c i < r * c) as B by (intros i I; now apply second_at in I as [P _]; apply row_column in P).
  split; [|split]; auto using second_injective, injective_onto. intros i I. split; auto. apply goes_linked. right. now apply second_goes.
Qed.

(* Both leave by the links to the right or down, and from a rank's diagonal the one by the one, the other by the other. *)
Theorem cycles_disjoint : link_disjoint r c (first_seat r c) (second_seat r c).
Proof.
  exists (fun i => (first_seat r c i, S (diagonal (first_seat r c i)) =? c)),
    (fun i => (second_seat r c i, negb (S (diagonal (second_seat r c i)) =? c))).
  intros i I. unfold joins, leaves. cbn [fst snd]. split; [|split; [|intros j J; split; [|split]]].
  - left. split; auto. now apply first_goes.
  - left. split; auto. pose proof (second_goes i I) as G. cbv zeta in G. now destruct (_ =? c).
  - intros E. pose proof (f_equal fst E) as X. pose proof (f_equal snd E) as D. cbn [fst snd] in *. rewrite X in D.
    now destruct (S (diagonal (second_seat r c j)) =? c).
  - intros E. apply (f_equal fst) in E. now apply first_injective.
  - intros E. apply (f_equal fst) in E. now apply second_injective.
Qed.
End Torus.

(* Where sides are at least 3, neighbours are joined by one link. *)
Theorem one_link r c l m x y : 3 <= r -> 3 <= c -> x < r * c -> y < r * c -> joins r c l x y -> joins r c m x y -> l = m.
Proof.
  intros R C X Y. assert (x / c < r /\ y / c < r) as [A A'] by (split; apply Nat.div_lt_upper_bound; lia).
  pose proof (Nat.mod_upper_bound x c ltac:(lia)). pose proof (Nat.mod_upper_bound y c ltac:(lia)).
  destruct l as [u [|]], m as [w [|]]; unfold joins, leaves, south, east; cbn [fst snd]; rewrite !next_mod by auto;
    repeat match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b) end;
    intros [(-> & P & Q)|(-> & P & Q)] [(-> & S & T)|(-> & S & T)]; reflexivity || (exfalso; lia).
Qed.

(* The turned torus: rows and columns change places. *)
Definition turn (r c : nat) (x : rank) : rank := x mod c * r + x / c.

Lemma turn_at r c x : x < r * c -> turn r c x < c * r /\ turn r c x / r = x mod c /\ turn r c x mod r = x / c.
Proof.
  intros X. assert (0 < c) by (destruct c; lia). assert (x / c < r) by (apply Nat.div_lt_upper_bound; lia).
  pose proof (Nat.mod_upper_bound x c ltac:(lia)). unfold turn. repeat split; [nia| |].
  - rewrite Nat.div_add_l, Nat.div_small; lia.
  - rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small; lia.
Qed.

Lemma turn_back r c x : x < r * c -> turn c r (turn r c x) = x.
Proof.
  intros X. destruct (turn_at r c x X) as (_ & D & M). unfold turn at 1. rewrite D, M. rewrite Nat.mul_comm. symmetry. apply Nat.div_mod.
  destruct c; lia.
Qed.

Lemma turn_injective r c x y : x < r * c -> y < r * c -> turn r c x = turn r c y -> x = y.
Proof. intros X Y E. rewrite <- (turn_back r c x X), <- (turn_back r c y Y). now rewrite E. Qed.

Lemma turn_linked r c x y : x < r * c -> y < r * c -> linked r c x y -> linked c r (turn r c x) (turn r c y).
Proof.
  intros X Y. destruct (turn_at r c x X) as (_ & A & B), (turn_at r c y Y) as (_ & C & D).
  unfold linked, east, south. rewrite A, B, C, D. tauto.
Qed.

Theorem turned_hamiltonian r c f : hamiltonian r c f -> hamiltonian c r (fun i => turn r c (f i)).
Proof.
  unfold hamiltonian. rewrite (Nat.mul_comm c r). intros (O & I & L).
  assert (forall i, i < r * c -> f i < r * c) as B by (intros i X; now apply L). split; [|split].
  - intros x X. pose proof (turn_at c r x ltac:(lia)) as (Y & _). destruct (O (turn c r x)) as (i & J & E); [lia|].
    exists i. split; auto. rewrite E. apply turn_back. lia.
  - intros i j X Y E. apply I; auto. apply (turn_injective r c); auto.
  - intros i X. split; [rewrite Nat.mul_comm; now apply turn_at; auto|]. apply turn_linked; auto; [|now apply L].
    apply B, Nat.mod_upper_bound. lia.
Qed.

Definition turned_link (r c : nat) (l : link) : link := (turn r c (fst l), negb (snd l)).

Lemma turned_joins r c l x y : x < r * c -> y < r * c -> joins r c l x y ->
  fst l < r * c /\ joins c r (turned_link r c l) (turn r c x) (turn r c y).
Proof.
  intros X Y. destruct (turn_at r c x X) as (_ & A & B), (turn_at r c y Y) as (_ & C & D), l as [z down].
  unfold joins, leaves, turned_link, east, south. cbn [fst snd]. rewrite A, B, C, D.
  intros [(-> & J)|(-> & J)]; split; auto; [left | right]; split; auto; destruct down; cbn; tauto.
Qed.

Theorem turned_disjoint r c f g : hamiltonian r c f -> hamiltonian r c g -> link_disjoint r c f g ->
  link_disjoint c r (fun i => turn r c (f i)) (fun i => turn r c (g i)).
Proof.
  unfold link_disjoint. rewrite (Nat.mul_comm c r). intros (_ & _ & F) (_ & _ & G) (v & w & D).
  assert (forall k, k < r * c -> S k mod (r * c) < r * c) as N by (intros; apply Nat.mod_upper_bound; lia).
  assert (forall h, (forall i, i < r * c -> h i < r * c /\ linked r c (h i) (h (S i mod (r * c)))) -> forall u i, i < r * c ->
    joins r c (u i) (h i) (h (S i mod (r * c))) ->
    fst (u i) < r * c /\ joins c r (turned_link r c (u i)) (turn r c (h i)) (turn r c (h (S i mod (r * c))))) as K.
  { intros h H u i I J. apply turned_joins; auto; now apply H; auto. }
  assert (forall l m, fst l < r * c -> fst m < r * c -> turned_link r c l = turned_link r c m -> l = m) as T.
  { intros [x a] [y b] X Y E. injection E as E B. cbn in *. apply turn_injective in E; auto. subst. now destruct a, b. }
  exists (fun i => turned_link r c (v i)), (fun i => turned_link r c (w i)). intros i I.
  destruct (D i I) as (V & W & U). destruct (K f F v i I V) as [Vi V'], (K g G w i I W) as [Wi W'].
  split; [|split]; auto. intros j J. destruct (D j J) as (Y & Z & _), (U j J) as (O & P & Q).
  destruct (K f F v j J Y) as [Vj _], (K g G w j J Z) as [Wj _]. repeat split; intros E; apply T in E; auto.
Qed.
