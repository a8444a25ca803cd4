(* Numbers for values, so that equal sums are one number. Number r < p is rank r's own contribution; each number from p on is the
   sum of two smaller ones, and the sum of the same two is found again. How often somebody contributed to a number is counted over
   the numbers that it is made of. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Tries.
Import ListNotations.

(* The first of the numbers k .. k+n-1 for which f is true *)
Fixpoint first (f : nat -> bool) (k n : nat) : option nat :=
  match n with O => None | S n => if f k then Some k else first f (S k) n end.

Lemma first_some f n : forall k x, first f k n = Some x -> k <= x < k + n /\ f x = true.
Proof.
  induction n as [|n IH]; cbn; intros k x H; [discriminate|]. destruct (f k) eqn:F.
  - injection H as <-. split; auto. lia.
  - apply IH in H as [R H]. split; auto. lia.
Qed.

Lemma first_none f n : forall k x, first f k n = None -> k <= x < k + n -> f x = false.
Proof.
  induction n as [|n IH]; cbn; intros k x H X; [lia|]. destruct (f k) eqn:F; [discriminate|].
  destruct (Nat.eq_dec k x) as [->|N]; auto. apply (IH (S k)); auto. lia.
Qed.

Record terms := Terms { next : nat; sides : trie (nat * nat); sums : trie (trie nat) }.

Definition row (b : nat) (t : trie (trie nat)) : trie nat := match get b t with Some m => m | None => Empty end.

(* The number of a sum: the one that it has, or the next. The order of the two doesn't matter. *)
Definition add_up (t : terms) (a b : nat) : nat * terms :=
  let (a, b) := if a <=? b then (a, b) else (b, a) in
  let m := row b (sums t) in
  match get a m with
  | Some i => (i, t)
  | None => (next t, Terms (S (next t)) (put (next t) (a, b) (sides t)) (put b (put a (next t) m) (sums t)))
  end.

Section Terms.
Variable p : nat.

Definition no_sums : terms := Terms p Empty Empty.

(* How often x contributed to number i. This is for proofs: it counts along all paths. *)
Fixpoint count (t : trie (nat * nat)) (x fuel i : nat) : nat :=
  match fuel with
  | O => 0
  | S f => if i <? p then (if i =? x then 1 else 0)
           else match get i t with Some (a, b) => count t x f a + count t x f b | None => 0 end
  end.
Definition share (t : terms) (x i : nat) : nat := count (sides t) x (S i) i.

Record sound (t : terms) : Prop := {
  leaves_first : p <= next t;
  sides_smaller : forall i a b, get i (sides t) = Some (a, b) -> a < i /\ b < i /\ i < next t;
  sums_known : forall a b i, get a (row b (sums t)) = Some i -> p <= i /\ get i (sides t) = Some (a, b) }.

(* `u` has the numbers of `t`, and perhaps more. *)
Definition extends (t u : terms) : Prop := next t <= next u /\ forall x i, i < next t -> share u x i = share t x i.

Lemma extends_refl t : extends t t.
Proof. split; auto. Qed.

Lemma extends_trans t u v : extends t u -> extends u v -> extends t v.
Proof. intros [A B] [C D]. split; [lia|]. intros x i L. rewrite D, B; auto. lia. Qed.

Lemma no_sums_sound : sound no_sums.
Proof. split; cbn; auto; intros; discriminate. Qed.

Lemma count_fuel t x : sound t -> forall f i, i < f -> count (sides t) x f i = share t x i.
Proof.
  intros W f i. unfold share. revert f. induction i as [i IH] using lt_wf_ind. intros [|f] F; [lia|]. cbn [count].
  destruct (i <? p); auto. destruct (get i (sides t)) as [(a, b)|] eqn:G; auto.
  destruct (sides_smaller t W _ _ _ G) as (A & B & _). rewrite (IH a A f), (IH b B f), (IH a A i), (IH b B i) by lia. reflexivity.
Qed.

Lemma share_leaf t x r : r < p -> share t x r = if r =? x then 1 else 0.
Proof. intros R. unfold share. cbn [count]. apply Nat.ltb_lt in R as ->. reflexivity. Qed.

Lemma share_sum t x i a b : sound t -> p <= i -> get i (sides t) = Some (a, b) -> share t x i = share t x a + share t x b.
Proof.
  intros W P G. destruct (sides_smaller t W _ _ _ G) as (A & B & _). unfold share at 1. cbn [count].
  apply Nat.ltb_ge in P as ->. rewrite G, !count_fuel by auto. reflexivity.
Qed.

Lemma share_nothing t x i : p <= i -> get i (sides t) = None -> share t x i = 0.
Proof. intros P G. unfold share. cbn [count]. apply Nat.ltb_ge in P as ->. now rewrite G. Qed.

Lemma share_stranger t x i : sound t -> p <= x -> share t x i = 0.
Proof.
  intros W X. induction i as [i IH] using lt_wf_ind. destruct (le_lt_dec p i) as [P|P].
  - destruct (get i (sides t)) as [(a, b)|] eqn:G; [|now apply share_nothing].
    destruct (sides_smaller t W _ _ _ G) as (A & B & _). rewrite (share_sum t x i a b), !IH; auto.
  - rewrite share_leaf by auto. destruct (Nat.eqb_spec i x); lia.
Qed.

Lemma count_same (t u : trie (nat * nat)) x : forall f i, (forall j, j <= i -> get j u = get j t) ->
  (forall j a b, get j t = Some (a, b) -> a < j /\ b < j) -> count u x f i = count t x f i.
Proof.
  induction f as [|f IH]; intros i E W; [reflexivity|]. cbn [count]. rewrite E by lia. destruct (i <? p); auto.
  destruct (get i t) as [(a, b)|] eqn:G; auto. destruct (W _ _ _ G). f_equal; apply IH; auto; intros; apply E; lia.
Qed.

Theorem add_up_correct t a b : sound t -> a < next t -> b < next t ->
  let (i, u) := add_up t a b in sound u /\ extends t u /\ i < next u /\ forall x, share u x i = share t x a + share t x b.
Proof.
  intros W A B. unfold add_up.
  assert (exists c d, (if a <=? b then (a, b) else (b, a)) = (c, d) /\ c < next t /\ d < next t /\
      forall x, share t x a + share t x b = share t x c + share t x d) as (c & d & -> & C & D & E)
    by (destruct (a <=? b); [exists a, b | exists b, a]; repeat split; auto using Nat.add_comm).
  destruct (get c (row d (sums t))) as [i|] eqn:G.
  - destruct (sums_known t W _ _ _ G) as [P S]. destruct (sides_smaller t W _ _ _ S) as (_ & _ & N).
    split; auto. split; [apply extends_refl|]. split; auto. intros x. rewrite E. now apply share_sum.
  - set (u := Terms _ _ _).
    assert (sound u) as U.
    { split; cbn [u next sides sums].
      - pose proof (leaves_first t W). lia.
      - intros i e f. rewrite get_put. destruct (Nat.eqb_spec (next t) i) as [<-|N].
        + intros [= <- <-]. lia.
        + intros H. apply (sides_smaller t W) in H. lia.
      - intros e f i. unfold row. rewrite get_put. destruct (Nat.eqb_spec d f) as [->|N].
        + rewrite get_put. destruct (Nat.eqb_spec c e) as [->|M].
          * intros [= <-]. split; [apply leaves_first; auto|]. rewrite get_put. now rewrite Nat.eqb_refl.
          * intros H. apply (sums_known t W) in H as [P H]. split; auto. rewrite get_put.
            destruct (Nat.eqb_spec (next t) i) as [<-|]; auto. apply (sides_smaller t W) in H. lia.
        + intros H. apply (sums_known t W) in H as [P H]. split; auto. rewrite get_put.
          destruct (Nat.eqb_spec (next t) i) as [<-|]; auto. apply (sides_smaller t W) in H. lia. }
    assert (extends t u) as X.
    { split; [cbn; lia|]. intros x i I. unfold share. apply count_same.
      - intros j J. cbn [u sides]. rewrite get_put. destruct (Nat.eqb_spec (next t) j); auto. lia.
      - intros j e f H. apply (sides_smaller t W) in H. lia. }
    split; auto. split; auto. split; [cbn; lia|]. intros x. rewrite E, <- !(proj2 X) by auto.
    apply share_sum; auto; [apply leaves_first; auto|]. cbn [u sides]. rewrite get_put. now rewrite Nat.eqb_refl.
Qed.

(* Judging a number, quickly: the contributions below it, one after the other, as long as they are right and nobody's comes again. *)
Fixpoint gather (f : nat -> bool) (t : trie (nat * nat)) (fuel : nat) (todo : list nat) (seen : trie unit) : option (trie unit) :=
  match fuel, todo with
  | O, _ => None
  | S _, [] => Some seen
  | S fuel, i :: todo =>
      if i <? p then
        if f i then match get i seen with Some _ => None | None => gather f t fuel todo (put i tt seen) end else None
      else match get i t with Some (a, b) => gather f t fuel (a :: b :: todo) seen | None => None end
  end.

Definition met (seen : trie unit) (x : nat) : nat := match get x seen with Some _ => 1 | None => 0 end.

Lemma gather_counts f t : sound t -> forall fuel todo seen all, gather f (sides t) fuel todo seen = Some all ->
  (forall x, get x seen <> None -> f x = true) ->
  (forall x, get x all <> None -> f x = true) /\
  forall x, met all x = met seen x + list_sum (map (share t x) todo).
Proof.
  intros W. induction fuel as [|fuel IH]; intros todo seen all G F; [destruct todo; discriminate|].
  destruct todo as [|i todo]; cbn [gather] in G.
  { injection G as <-. split; auto. }
  destruct (Nat.ltb_spec i p) as [I|I].
  - destruct (f i) eqn:Fi; [|discriminate]. destruct (get i seen) eqn:S; [discriminate|]. apply IH in G as [G C].
    + split; auto. intros x. rewrite C. cbn [map list_sum fold_right]. rewrite share_leaf by auto. unfold met. rewrite get_put.
      destruct (Nat.eqb_spec i x) as [->|]; [rewrite S|]; unfold list_sum; lia.
    + intros x. rewrite get_put. destruct (Nat.eqb_spec i x) as [->|]; auto.
  - destruct (get i (sides t)) as [(a, b)|] eqn:S; [|discriminate]. apply IH in G as [G C]; auto. split; auto.
    intros x. rewrite C. cbn [map list_sum fold_right]. rewrite (share_sum t x i a b) by auto. lia.
Qed.

(* Judging a number, exactly: it counts once, and each sum passes its count on to its sides, from the last one down. Counts stop at
   `most`, so that they stay small. *)
Section Counting.
Variable most : nat.

Definition at_ (m : trie nat) (i : nat) : nat := match get i m with Some n => n | None => 0 end.
Definition pass (n i : nat) (m : trie nat) : trie nat := put i (Nat.min most (n + at_ m i)) m.

Fixpoint spread (t : trie (nat * nat)) (k : nat) (m : trie nat) : trie nat :=
  match k with
  | O => m
  | S k => spread t k (match get (p + k) m, get (p + k) t with
                       | Some n, Some (a, b) => pass n a (pass n b m)
                       | _, _ => m
                       end)
  end.

(* What numbers below n carry of x, taken together *)
Definition carried (t : terms) (x n : nat) (m : trie nat) : nat := list_sum (map (fun i => at_ m i * share t x i) (seq 0 n)).
Definition alike (a b : nat) : Prop := Nat.min most a = Nat.min most b.

Lemma carried_S t x n m : carried t x (S n) m = carried t x n m + at_ m n * share t x n.
Proof. unfold carried. rewrite seq_S, map_app, list_sum_app. cbn [plus map list_sum fold_right]. lia. Qed.

Lemma at_pass n i m j : at_ (pass n i m) j = if i =? j then Nat.min most (n + at_ m i) else at_ m j.
Proof. unfold pass, at_ at 1. rewrite get_put. destruct (i =? j); auto. Qed.

Lemma capped a s r : alike (Nat.min most a * s + r) (a * s + r).
Proof.
  unfold alike. destruct s as [|s]; [f_equal; lia|]. destruct (le_lt_dec a most) as [L|L].
  - now rewrite (Nat.min_r most a L).
  - rewrite (Nat.min_l most a) by lia. rewrite !Nat.min_l; nia.
Qed.

Lemma carried_pass t x n i m k : i < k -> alike (carried t x k (pass n i m)) (carried t x k m + n * share t x i).
Proof.
  intros L. induction k as [|k IH]; [lia|]. rewrite !carried_S, at_pass. destruct (Nat.eqb_spec i k) as [->|N].
  - replace (carried t x k (pass n k m)) with (carried t x k m).
    + pose proof (capped (n + at_ m k) (share t x k) (carried t x k m)) as C. unfold alike in *.
      rewrite Nat.add_comm, C. f_equal. lia.
    + unfold carried. f_equal. apply map_ext_in. intros j J. apply in_seq in J. rewrite at_pass.
      destruct (Nat.eqb_spec k j); auto. lia.
  - specialize (IH ltac:(lia)). unfold alike in *. lia.
Qed.

Lemma spread_carries t x : sound t -> forall k m, alike (carried t x p (spread (sides t) k m)) (carried t x (p + k) m).
Proof.
  intros W. induction k as [|k IH]; intros m; cbn [spread].
  { rewrite Nat.add_0_r. reflexivity. }
  unfold alike in *. rewrite IH, <- plus_n_Sm, carried_S. clear IH. unfold at_.
  destruct (get (p + k) m) as [n|] eqn:M; [|f_equal; lia].
  destruct (get (p + k) (sides t)) as [(a, b)|] eqn:S; [|rewrite share_nothing by (auto; lia); f_equal; lia].
  destruct (sides_smaller t W _ _ _ S) as (A & B & _). rewrite (share_sum t x (p + k) a b) by (auto; lia).
  pose proof (carried_pass t x n a (pass n b m) (p + k) A) as CA. pose proof (carried_pass t x n b m (p + k) B) as CB.
  unfold alike in *. lia.
Qed.

Lemma carried_leaf t x m : x < p -> carried t x p m = at_ m x.
Proof.
  intros X. unfold carried.
  enough (forall n, n <= p -> list_sum (map (fun i => at_ m i * share t x i) (seq 0 n)) = if x <? n then at_ m x else 0) as H
    by (rewrite H by auto; apply Nat.ltb_lt in X as ->; reflexivity).
  induction n as [|n IH]; intros N; [reflexivity|]. rewrite seq_S, map_app, list_sum_app, IH by lia. cbn [plus map list_sum fold_right].
  rewrite share_leaf by lia. destruct (Nat.ltb_spec x n), (Nat.ltb_spec x (S n)), (Nat.eqb_spec n x); subst; lia.
Qed.

Lemma carried_one t x i : forall n, i < n -> carried t x n (One i 1) = share t x i.
Proof.
  enough (forall n, carried t x n (One i 1) = if i <? n then share t x i else 0) as H
    by (intros n N; rewrite H; apply Nat.ltb_lt in N as ->; reflexivity).
  induction n as [|n IH]; [reflexivity|]. rewrite carried_S, IH. unfold at_. cbn [get].
  destruct (Nat.ltb_spec i n), (Nat.ltb_spec i (S n)), (Nat.eqb_spec i n); subst; lia.
Qed.

Definition counts (t : terms) (i : nat) : trie nat := spread (sides t) (next t - p) (One i 1).

Theorem counts_correct t i x : sound t -> i < next t -> x < p -> Nat.min most (at_ (counts t i) x) = Nat.min most (share t x i).
Proof.
  intros W I X. pose proof (spread_carries t x W (next t - p) (One i 1)) as H.
  pose proof (leaves_first t W) as L. replace (p + (next t - p)) with (next t) in H by lia.
  rewrite carried_leaf, carried_one in H by auto. exact H.
Qed.

(* Who should have contributed once, `first_one` .. `first_one + ones - 1`, and nobody else. The answer: nothing, if this is so; else
   the first whose count is wrong, and the count. *)
Definition judge (first_one ones : nat) (t : terms) (i : nat) : option (nat * nat) :=
  let expected x := (first_one <=? x) && (x <? first_one + ones) in
  let unseen seen x := match get x seen with Some _ => false | None => true end in
  let quickly := match gather expected (sides t) (2 * S p) [i] Empty with
                 | Some seen => match first (unseen seen) first_one ones with Some _ => false | None => true end
                 | None => false
                 end in
  if quickly then None else
  let m := counts t i in
  match first (fun x => negb (Nat.min most (at_ m x) =? if expected x then 1 else 0)) 0 p with
  | Some x => Some (x, Nat.min most (at_ m x))
  | None => None
  end.

Definition due (first_one ones x : nat) : nat := if (first_one <=? x) && (x <? first_one + ones) then 1 else 0.

Theorem judge_correct first_one ones t i : sound t -> i < next t -> 2 <= most -> first_one + ones <= p ->
  match judge first_one ones t i with
  | None => forall x, share t x i = due first_one ones x
  | Some (x, n) => x < p /\ n = Nat.min most (share t x i) /\ n <> due first_one ones x
  end.
Proof.
  intros W I M O. unfold judge, due. set (expected x := (first_one <=? x) && (x <? first_one + ones)).
  assert (forall x, expected x = true <-> first_one <= x < first_one + ones) as E
    by (intros x; unfold expected; rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt; lia).
  match goal with |- match (if ?q then _ else _) with _ => _ end => destruct q eqn:Q end.
  - destruct (gather expected (sides t) (2 * S p) [i] Empty) as [seen|] eqn:G; [|discriminate].
    destruct (first _ first_one ones) eqn:F; [discriminate|]. apply (gather_counts expected t W) in G as [G C]; [|now intros x []].
    intros x. specialize (C x). specialize (G x). unfold met in C.
    cbn [get map list_sum fold_right] in C. rewrite Nat.add_0_r, Nat.add_0_l in C. rewrite <- C. fold (expected x). destruct (expected x) eqn:X.
    + apply E in X. apply (first_none _ _ _ _ F) in X. now destruct (get x seen).
    + destruct (get x seen); auto. discriminate G. discriminate.
  - clear Q. destruct (first _ 0 p) as [x|] eqn:F.
    + apply first_some in F as [R F]. apply negb_true_iff, Nat.eqb_neq in F. rewrite <- counts_correct by (auto; lia).
      repeat split; auto; lia.
    + intros x. destruct (le_lt_dec p x) as [P|P].
      * rewrite share_stranger by auto. fold (expected x). destruct (expected x) eqn:X; auto. apply E in X. lia.
      * apply (first_none _ _ _ x) in F; [|lia]. apply negb_false_iff, Nat.eqb_eq in F. rewrite counts_correct in F by auto.
        fold (expected x) in F |- *. destruct (expected x); lia.
Qed.
End Counting.
End Terms.
