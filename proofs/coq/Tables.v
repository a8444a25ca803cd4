(* Tables of a function's values, to compute each once: binary trees, read along the bits of a number, lowest first. `memo m f` is
   f, and remembers it below m. *)
Require Import Arith Bool List Lia.
Import ListNotations.

Section Table.
Context {A : Type}.
Inductive table := Nothing | One (a : A) | Two (even odd : table).

Fixpoint read (t : table) (x : nat) : option A :=
  match t with
  | Nothing => None
  | One a => if x =? 0 then Some a else None
  | Two l r => if Nat.even x then read l (Nat.div2 x) else read r (Nat.div2 x)
  end.

(* The values at i, i + w, i + 2w .. below m, with k bits *)
Fixpoint build (m k i w : nat) (f : nat -> A) : table :=
  if m <=? i then Nothing
  else match k with
  | O => One (f i)
  | S j => Two (build m j i (2 * w) f) (build m j (i + w) (2 * w) f)
  end.

Definition filled (m : nat) (f : nat -> A) : table := build m (Nat.log2_up m) 0 1 f.

Lemma bits x : x = 2 * Nat.div2 x + if Nat.even x then 0 else 1.
Proof. rewrite (Nat.div2_odd x) at 1. rewrite <- Nat.negb_even. destruct (Nat.even x); reflexivity. Qed.

Lemma read_sound m k : forall i w f x a, read (build m k i w f) x = Some a -> a = f (i + w * x).
Proof.
  induction k as [|k IH]; intros i w f x a; cbn [build]; destruct (m <=? i); cbn [read]; try discriminate.
  - destruct (Nat.eqb_spec x 0) as [->|]; [|discriminate]. intros E. injection E as <-. f_equal. lia.
  - pose proof (bits x). destruct (Nat.even x); intros E; apply IH in E as ->; f_equal; nia.
Qed.

Lemma read_below m k : forall i w f x, x < 2 ^ k -> i + w * x < m -> read (build m k i w f) x = Some (f (i + w * x)).
Proof.
  induction k as [|k IH]; intros i w f x X L; cbn [build]; rewrite (proj2 (Nat.leb_gt m i)) by nia; cbn [read].
  - cbn in X. replace x with 0 by lia. rewrite Nat.mul_0_r, Nat.add_0_r. reflexivity.
  - pose proof (bits x). rewrite Nat.pow_succ_r' in X. destruct (Nat.even x); rewrite IH by nia; do 2 f_equal; nia.
Qed.

Lemma read_filled m f x : x < m -> read (filled m f) x = Some (f x).
Proof.
  intros X. unfold filled. rewrite read_below; [f_equal; f_equal; lia | | lia].
  destruct (Nat.eq_dec m 1) as [->|N]; [cbn; lia|]. pose proof (Nat.log2_up_spec m ltac:(lia)). lia.
Qed.

Definition recall (t : table) (f : nat -> A) (x : nat) : A := match read t x with Some a => a | None => f x end.
Definition memo (m : nat) (f : nat -> A) : nat -> A := recall (filled m f) f.

Theorem memo_same m f x : memo m f x = f x.
Proof.
  unfold memo, recall. destruct (read (filled m f) x) eqn:E; auto. apply read_sound in E as ->. f_equal. lia.
Qed.
End Table.
Arguments table : clear implicits.

(* Tables of lists, to which one can add *)
Section Lists.
Context {A : Type}.

Fixpoint push (t : table (list A)) (x : nat) (a : A) : table (list A) :=
  match t with
  | Nothing => Nothing
  | One l => if x =? 0 then One (a :: l) else t
  | Two l r => if Nat.even x then Two (push l (Nat.div2 x) a) r else Two l (push r (Nat.div2 x) a)
  end.

Lemma read_push t : forall x a y, read (push t x a) y = if x =? y then option_map (cons a) (read t y) else read t y.
Proof.
  induction t as [|l|l IHl r IHr]; intros x a y; cbn [push].
  - destruct (x =? y); reflexivity.
  - destruct (Nat.eqb_spec x 0) as [->|X]; cbn [read]; destruct y as [|y]; cbn; auto.
    + destruct (Nat.eqb_spec x 0); [contradiction | reflexivity].
    + destruct (x =? S y); reflexivity.
  - pose proof (bits x). pose proof (bits y).
    destruct (Nat.even x), (Nat.even y) eqn:Y; cbn [read]; rewrite Y, ?IHl, ?IHr;
      destruct (Nat.eqb_spec x y), (Nat.eqb_spec (Nat.div2 x) (Nat.div2 y)); auto; lia.
Qed.
End Lists.
