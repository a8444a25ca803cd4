(* The product of two factors is a reduce-scatter on the torus of their ranks. Their steps may be interleaved in any way. At a step
   in one dimension a rank passes on the blocks that this dimension's factor says, unless it has passed them on in the other one. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Factors.
Import ListNotations.

(* How many of the steps before t are the dimension's *)
Fixpoint turns (first : nat -> bool) (t : nat) : nat :=
  match t with O => 0 | S k => turns first k + (if first k then 1 else 0) end.

Lemma turns_grow first t u : t <= u -> turns first t <= turns first u.
Proof. induction 1 as [|u _ IH]; cbn; lia. Qed.

Lemma turns_both first t : turns first t + turns (fun u => negb (first u)) t = t.
Proof. induction t as [|t IH]; cbn; auto. destruct (first t); cbn; lia. Qed.

Lemma turns_now first t u : first t = true -> t < u -> turns first t < turns first u.
Proof. intros F U. apply (Nat.lt_le_trans _ (turns first (S t))); [cbn; rewrite F; lia | now apply turns_grow]. Qed.

Definition freshb (g : route) (t : nat) (x : rank) : bool :=
  forallb (fun u => match g u x with None => true | Some _ => false end) (seq 0 t).

Lemma freshb_true g t x : freshb g t x = true <-> fresh g t x.
Proof.
  unfold freshb, fresh. rewrite forallb_forall. split.
  - intros H u U. specialize (H u (proj2 (in_below _ _) U)). destruct (g u x); congruence.
  - intros H u U. apply in_below in U. now rewrite H.
Qed.

Section Product.
Variables a b : factor.
Variable first : nat -> bool.   (* is step t one of the first dimension? *)
Hypothesis A : right a.
Hypothesis B : right b.
Let second (t : nat) : bool := negb (first t).
Let total : nat := steps a + steps b.
Hypothesis all_steps : turns first total = steps a.

(* Rank and block numbers are row-major. *)
Definition pair (x y : nat) : nat := x * ranks b + y.
Definition row (x : nat) : nat := x / ranks b.
Definition column (x : nat) : nat := x mod ranks b.

Definition product_path (q : rank) : route := fun t x =>
  if first t then
    if freshb (path b (column q)) (turns second t) (column x) then
      match path a (row q) (turns first t) (row x) with Some d => Some (pair d (column x)) | None => None end
    else None
  else
    if freshb (path a (row q)) (turns first t) (row x) then
      match path b (column q) (turns second t) (column x) with Some d => Some (pair (row x) d) | None => None end
    else None.

Definition product : factor := Factor (ranks a * ranks b) total product_path.

Lemma pair_row x y : y < ranks b -> row (pair x y) = x.
Proof. intros Y. unfold row, pair. rewrite Nat.div_add_l, Nat.div_small by lia. lia. Qed.

Lemma pair_column x y : y < ranks b -> column (pair x y) = y.
Proof. intros Y. unfold column, pair. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small; lia. Qed.

Lemma pair_below x y : x < ranks a -> y < ranks b -> pair x y < ranks a * ranks b.
Proof. unfold pair. nia. Qed.

Lemma pair_of x : 0 < ranks b -> pair (row x) (column x) = x.
Proof. intros P. unfold pair, row, column. rewrite Nat.mul_comm. symmetry. apply Nat.div_mod. lia. Qed.

Lemma below x : x < ranks a * ranks b -> row x < ranks a /\ column x < ranks b /\ 0 < ranks b.
Proof.
  intros X. assert (0 < ranks b) by (destruct (ranks b); lia). repeat split; auto.
  - apply Nat.div_lt_upper_bound; lia.
  - apply Nat.mod_upper_bound. lia.
Qed.

Lemma second_steps : turns second total = steps b.
Proof. pose proof (turns_both first total). unfold second. unfold total in *. lia. Qed.

Lemma first_in t : t < total -> first t = true -> turns first t < steps a.
Proof. intros T F. rewrite <- all_steps. now apply turns_now. Qed.

Lemma second_in t : t < total -> first t = false -> turns second t < steps b.
Proof. intros T F. rewrite <- second_steps. apply turns_now; auto. unfold second. now rewrite F. Qed.

Section Block.
Variable q : rank.
Hypothesis Q : q < ranks a * ranks b.
Let ga := path a (row q).
Let gb := path b (column q).
Let Va : valid (ranks a) (steps a) (row q) ga := A _ (proj1 (below q Q)).
Let Vb : valid (ranks b) (steps b) (column q) gb := B _ (proj1 (proj2 (below q Q))).

(* The two kinds of sends *)
Lemma sent t x d : product_path q t x = Some d ->
  (first t = true /\ fresh gb (turns second t) (column x) /\ exists e, ga (turns first t) (row x) = Some e /\ d = pair e (column x)) \/
  (first t = false /\ fresh ga (turns first t) (row x) /\ exists e, gb (turns second t) (column x) = Some e /\ d = pair (row x) e).
Proof.
  unfold product_path. fold ga gb. destruct (first t).
  - left. destruct (freshb gb (turns second t) (column x)) eqn:F; [|discriminate]. apply freshb_true in F.
    destruct (ga (turns first t) (row x)) as [e|]; [|discriminate]. injection H as <-. eauto.
  - right. destruct (freshb ga (turns first t) (row x)) eqn:F; [|discriminate]. apply freshb_true in F.
    destruct (gb (turns second t) (column x)) as [e|]; [|discriminate]. injection H as <-. eauto.
Qed.

(* A rank that has sent is no longer fresh in the dimension in which it sent. *)
Lemma sent_stale t u x : t < u -> product_path q t x <> None ->
  ~ (fresh ga (turns first u) (row x) /\ fresh gb (turns second u) (column x)).
Proof.
  intros U H [Fa Fb]. destruct (product_path q t x) as [d|] eqn:E; [|congruence].
  apply sent in E as [(F & _ & e & E & _)|(F & _ & e & E & _)].
  - rewrite Fa in E; [discriminate|]. now apply turns_now.
  - rewrite Fb in E; [discriminate|]. apply turns_now; auto. unfold second. now rewrite F.
Qed.

Lemma sender_fresh_both t x : t < total -> x < ranks a * ranks b -> product_path q t x <> None ->
  fresh ga (turns first t) (row x) /\ fresh gb (turns second t) (column x).
Proof.
  intros T X H. destruct (below x X) as (R & C & _). destruct (product_path q t x) as [d|] eqn:E; [|congruence].
  apply sent in E as [(F & K & e & E & _)|(F & K & e & E & _)]; split; auto.
  - apply (sender_fresh _ _ _ _ Va); auto using first_in. congruence.
  - apply (sender_fresh _ _ _ _ Vb); auto using second_in. congruence.
Qed.

Lemma product_place t x : t <= total -> x < ranks a * ranks b ->
  place (product_path q) t x = pair (place ga (turns first t) (row x)) (place gb (turns second t) (column x)).
Proof.
  intros T X. destruct (below x X) as (R & C & P). induction t as [|t IH]; [cbn; symmetry; now apply pair_of|].
  cbn [place]. rewrite IH by lia. cbn [turns].
  assert (turns first t <= steps a) as Ta by (rewrite <- all_steps; apply turns_grow; lia).
  assert (turns second t <= steps b) as Tb by (rewrite <- second_steps; apply turns_grow; lia).
  pose proof (place_fresh _ _ _ _ Va _ _ Ta R) as Fa. pose proof (place_fresh _ _ _ _ Vb _ _ Tb C) as Fb.
  pose proof (place_below _ _ _ _ Vb _ _ Tb C) as Y.
  set (y := place gb (turns second t) (column x)) in *. set (z := place ga (turns first t) (row x)) in *.
  unfold product_path. rewrite pair_row, pair_column by auto. fold ga gb.
  apply freshb_true in Fa, Fb. rewrite Fa, Fb. change (second t) with (negb (first t)). destruct (first t); cbn [negb].
  - rewrite Nat.add_0_r, Nat.add_1_r. cbn [place]. fold y z. destruct (ga (turns first t) z); reflexivity.
  - rewrite Nat.add_0_r, Nat.add_1_r. cbn [place]. fold y z. destruct (gb (turns second t) y); reflexivity.
Qed.

Theorem product_path_valid : valid (ranks a * ranks b) total q (product_path q).
Proof.
  split.
  - intros t x d T X H. destruct (below x X) as (R & C & P).
    apply sent in H as [(F & _ & e & E & ->)|(F & _ & e & E & ->)].
    + apply (stays _ _ _ _ Va) in E as [D N]; auto using first_in. split; [now apply pair_below|].
      intros G. apply N. rewrite <- G. now rewrite pair_row.
    + apply (stays _ _ _ _ Vb) in E as [D N]; auto using second_in. split; [now apply pair_below|].
      intros G. apply N. rewrite <- G. now rewrite pair_column.
  - intros t u x U X H. destruct (product_path q u x) as [d|] eqn:E; auto. exfalso.
    apply (sent_stale t u x); auto; [lia|]. apply sender_fresh_both; [lia | auto | congruence].
  - intros t u x y U X Y H G. destruct (below x X) as (R & C & P), (below y Y) as (Ry & Cy & _).
    destruct (product_path q t x) as [d|] eqn:E; [|congruence]. clear H.
    pose proof (sender_fresh_both u y ltac:(lia) Y ltac:(congruence)) as [Fa Fb].
    apply sent in E as [(F & _ & d1 & E & _)|(F & _ & d1 & E & _)];
      apply sent in G as [(K & _ & e & G & ->)|(K & _ & e & G & ->)].
    + rewrite pair_row in E by auto. apply (receives_before _ _ _ _ Va (turns first t) (turns first u) e (row y)); auto; try congruence.
      * split; [apply turns_grow; lia | apply first_in; auto; lia].
      * apply (stays _ _ _ _ Va) in G; try tauto. apply first_in; auto; lia.
    + assert (t < u) by (destruct (Nat.eq_dec t u); [congruence | lia]).
      pose proof (stays _ _ _ _ Vb _ _ _ (second_in u ltac:(lia) K) Cy G) as [D _]. rewrite pair_row in E by auto.
      rewrite Fa in E; [discriminate|]. now apply turns_now.
    + assert (t < u) by (destruct (Nat.eq_dec t u); [congruence | lia]). rewrite pair_column in E by auto.
      rewrite Fb in E; [discriminate|]. apply turns_now; auto. unfold second. now rewrite F.
    + pose proof (stays _ _ _ _ Vb _ _ _ (second_in u ltac:(lia) K) Cy G) as [D _]. rewrite pair_column in E by auto.
      apply (receives_before _ _ _ _ Vb (turns second t) (turns second u) e (column y)); auto; try congruence.
      split; [apply turns_grow; lia | apply second_in; auto; lia].
  - intros x X. destruct (below x X) as (R & C & P). rewrite product_place, all_steps, second_steps by auto.
    rewrite (arrives _ _ _ _ Va), (arrives _ _ _ _ Vb) by auto. now apply pair_of.
Qed.
End Block.

Theorem product_right : right product.
Proof. intros q Q. now apply product_path_valid. Qed.
End Product.

(* Tori: products of products, so any number of dimensions, each with its own order of steps *)
Inductive torus :=
  | Side (f : factor)
  | Cross (first : nat -> bool) (a b : torus).

Fixpoint torus_factor (t : torus) : factor :=
  match t with Side f => f | Cross first a b => product (torus_factor a) (torus_factor b) first end.

(* Every side is right, and every order gives each part all its steps. *)
Fixpoint sound (t : torus) : Prop :=
  match t with
  | Side f => right f
  | Cross first a b => sound a /\ sound b /\
      let x := torus_factor a in let y := torus_factor b in turns first (steps x + steps y) = steps x
  end.

Theorem torus_right t : sound t -> right (torus_factor t).
Proof. induction t as [f|first a IHa b IHb]; cbn; [auto|]. intros (A & B & S). apply product_right; auto. Qed.
