(* Tables from numbers to values: binary tries, whose branches end where one key is left. They replace arrays in programs that are
   extracted; a look-up takes a step for each bit in which keys differ. *)
Require Import Arith Bool Lia.

Section Tries.
Variable A : Type.

(* `Node` has the even keys and the odd ones, both halved. *)
Inductive trie := Empty | One (k : nat) (a : A) | Node (even odd : trie).

Fixpoint get (k : nat) (t : trie) : option A :=
  match t with
  | Empty => None
  | One j a => if j =? k then Some a else None
  | Node l r => if Nat.odd k then get (Nat.div2 k) r else get (Nat.div2 k) l
  end.

(* Two different keys, until a bit tells them apart *)
Fixpoint two (fuel k : nat) (a : A) (j : nat) (b : A) : trie :=
  match fuel with
  | O => Empty
  | S fuel =>
      if Nat.odd k
      then if Nat.odd j then Node Empty (two fuel (Nat.div2 k) a (Nat.div2 j) b) else Node (One (Nat.div2 j) b) (One (Nat.div2 k) a)
      else if Nat.odd j then Node (One (Nat.div2 k) a) (One (Nat.div2 j) b) else Node (two fuel (Nat.div2 k) a (Nat.div2 j) b) Empty
  end.

Fixpoint put (k : nat) (a : A) (t : trie) : trie :=
  match t with
  | Empty => One k a
  | One j b => if j =? k then One k a else two (k + j) k a j b
  | Node l r => if Nat.odd k then Node l (put (Nat.div2 k) a r) else Node (put (Nat.div2 k) a l) r
  end.

Lemma halves k : k = 2 * Nat.div2 k + Nat.b2n (Nat.odd k).
Proof. apply Nat.div2_odd. Qed.

Lemma same_half k j : Nat.odd k = Nat.odd j -> (Nat.div2 k =? Nat.div2 j) = (k =? j).
Proof.
  intros O. pose proof (halves k). pose proof (halves j). rewrite O in *.
  destruct (Nat.eqb_spec (Nat.div2 k) (Nat.div2 j)), (Nat.eqb_spec k j); auto; subst; lia.
Qed.

Lemma other_half k j : Nat.odd k <> Nat.odd j -> (k =? j) = false.
Proof. intros O. apply Nat.eqb_neq. congruence. Qed.

Lemma get_two fuel : forall k a j b q, k <> j -> k + j <= fuel ->
  get q (two fuel k a j b) = if k =? q then Some a else if j =? q then Some b else None.
Proof.
  induction fuel as [|fuel IH]; intros k a j b q D F; [lia|]. cbn [two].
  assert (Nat.odd k = Nat.odd j -> forall i,
      get i (two fuel (Nat.div2 k) a (Nat.div2 j) b) = if Nat.div2 k =? i then Some a else if Nat.div2 j =? i then Some b else None) as next.
  { intros O i. apply IH.
    - intros E. apply D. apply Nat.eqb_eq in E. rewrite same_half in E by auto. now apply Nat.eqb_eq.
    - pose proof (halves k). pose proof (halves j). rewrite O in *. destruct (Nat.odd j); cbn [Nat.b2n] in *; lia. }
  destruct (Nat.odd k) eqn:K, (Nat.odd j) eqn:J; cbn [get]; rewrite ?next by auto; destruct (Nat.odd q) eqn:Q;
    try rewrite (same_half k q) by congruence; try rewrite (same_half j q) by congruence;
    try rewrite (other_half k q) by congruence; try rewrite (other_half j q) by congruence; auto.
Qed.

Lemma get_put t : forall k a q, get q (put k a t) = if k =? q then Some a else get q t.
Proof.
  induction t as [|j b|l L r R]; intros k a q; cbn [put].
  - reflexivity.
  - cbn [get]. destruct (Nat.eqb_spec j k) as [->|N]; cbn [get].
    + destruct (k =? q); auto.
    + rewrite get_two by auto. reflexivity.
  - destruct (Nat.odd k) eqn:K; cbn [get]; destruct (Nat.odd q) eqn:Q; rewrite ?L, ?R, ?same_half by congruence; auto;
      rewrite other_half by congruence; auto.
Qed.
End Tries.
Arguments Empty {A}. Arguments One {A}. Arguments Node {A}. Arguments get {A}. Arguments put {A}. Arguments two {A}.
