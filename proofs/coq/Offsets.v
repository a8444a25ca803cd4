(* Why peers by offsets are exactly once, whatever formula the offsets f(0), f(1), .. come from. Either even ranks move by f(s) and
   odd ones by -f(s), or all move by f(s), mod p. Four families:
   - doublings: each f(s) is next to the interval of offsets reached before it, on any side: 1, -1, 3 or 1, 3, -1 or -1, 1, -3;
   - powers: all move by 1, 2, 4, .. in any order, with any signs;
   - the first with an even number added to all f(s), the same at all steps;
   - one odd f(s), and otherwise 2, 4, 8, .. in any order, with any signs: even and odd ranks exchange once.
   And for p = 2^a r xor f(s), where bit s is the highest of f(s).

   Example: f = 1, -1, 3 reflected. An even rank reaches the offsets 0, then 0 .. 1, then -2 .. 1, then -2 .. 5. *)
Require Import ZArith Arith Bool List Lia Permutation.
From Collectives Require Import Semantics Bridge Reversal LastChance Trees Factors Catalogue.
Import ListNotations.
Open Scope Z_scope.

(* lia knows div and mod. *)
Local Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.

Definition reflecting (f : nat -> Z) (p : nat) (x : rank) (s : nat) : rank :=
  Z.to_nat ((if Z.of_nat x mod 2 =? 0 then Z.of_nat x + f s else Z.of_nat x - f s) mod Z.of_nat p).
Definition shifting (f : nat -> Z) (p : nat) (x : rank) (s : nat) : rank := Z.to_nat ((Z.of_nat x + f s) mod Z.of_nat p).

Lemma near_enough a b k P : 0 <= a < P -> 0 <= b < P -> a = b + k * P -> a = b.
Proof. intros A B E. assert (k = 0) by nia. lia. Qed.

Lemma reduced y p : (0 < p)%nat -> (Z.to_nat (y mod Z.of_nat p) < p)%nat /\ exists k, Z.of_nat (Z.to_nat (y mod Z.of_nat p)) = y + k * Z.of_nat p.
Proof.
  intros P. pose proof (Z.mod_pos_bound y (Z.of_nat p) ltac:(lia)). split; [lia|]. exists (- (y / Z.of_nat p)). rewrite Z2Nat.id, Z.mod_eq by lia. ring.
Qed.

(* Peers that agree reach alike. *)
Lemma reaches_same p n a b q : (forall x t, (t < n)%nat -> (x < p)%nat -> (a x t < p)%nat /\ a x t = b x t) -> forall m t x, (t + m <= n)%nat -> (x < p)%nat ->
  reaches a q m t x = reaches b q m t x.
Proof.
  intros E. induction m as [|m IH]; intros t x T X; auto. cbn [reaches]. destruct (E x t ltac:(lia) X) as [R ->]. rewrite !IH; auto; try lia.
  destruct (E x t ltac:(lia) X) as [? <-]. lia.
Qed.

Lemma covers_same p n a b : (forall x t, (t < n)%nat -> (x < p)%nat -> a x t = b x t) -> covers p n a -> covers p n b.
Proof.
  intros E [R C]. split; [intros x t T X; rewrite <- E; auto|]. intros q x Q X. rewrite <- (reaches_same p n a b); auto.
Qed.

(* Seen from q, rank x is `off q x` away; before step s, q's data were on rank `before q s`, from which x is `came s d` away if it is d
   away from q. `hits s` are the offsets from which s steps lead to q. *)
Section Hits.
Variables p n : nat.
Hypothesis some : (0 < p)%nat.
Variable peer before : rank -> nat -> rank.
Variable off : rank -> rank -> Z.
Variable came : nat -> Z -> Z.
Variable hits : nat -> Z -> Prop.
Let P := Z.of_nat p.
Hypothesis in_range : forall x s, (peer x s < p)%nat.
Hypothesis from_before : forall q s, (q < p)%nat -> (before q s < p)%nat /\ peer (before q s) s = q.
Hypothesis off_before : forall q x s, (q < p)%nat -> (x < p)%nat -> exists k, off (before q s) x = came s (off q x) + k * P.
Hypothesis off_same : forall q x k, (q < p)%nat -> (x < p)%nat -> off q x = k * P -> x = q.
Hypothesis came_around : forall s d k, exists l, came s (d + k * P) = came s d + l * P.
Hypothesis nothing_yet : forall d, hits 0 d -> d = 0.
Hypothesis hits_next : forall s d, (s < n)%nat -> hits (S s) d -> hits s d \/ hits s (came s d).

Lemma reached m : (m <= n)%nat -> forall q x d k, (q < p)%nat -> (x < p)%nat -> hits m d -> off q x = d + k * P -> reaches peer q m 0 x = true.
Proof.
  induction m as [|m IH]; intros M q x d k Q X D E.
  - apply nothing_yet in D. cbn. apply Nat.eqb_eq, (off_same q x k); auto. lia.
  - apply hits_next in D as [D|D]; [| |lia].
    + apply (reaches_append peer q m 0 x q); auto. apply (IH ltac:(lia) q x d k); auto.
    + destruct (from_before q m Q) as [B F]. apply (reaches_append peer q m 0 x (before q m)); [|left; exact F].
      destruct (off_before q x m Q X) as [k1 O]. destruct (came_around m d k) as [k2 C].
      apply (IH ltac:(lia) (before q m) x (came m d) (k1 + k2)); auto. rewrite O, E, C. ring.
Qed.

Theorem hits_cover : (forall d, exists e k, hits n e /\ d = e + k * P) -> covers p n peer.
Proof.
  intros A. split; auto. intros q x Q X. destruct (A (off q x)) as (e & k & L & E). now apply (reached n (le_n n) q x e k).
Qed.
End Hits.

(* Reflections of an even number of ranks. Even f(s) leave even ranks among themselves, and odd ones. *)
Section Reflecting.
Variable p : nat.
Variable f : nat -> Z.
Hypothesis some : (0 < p)%nat.
Hypothesis even : Nat.Even p.

Definition turned_back (s : nat) (d : Z) : Z := if f s mod 2 =? 0 then d + f s else f s - d.

Lemma reflecting_peer g x s : (reflecting g p x s < p)%nat /\
  exists k, Z.of_nat (reflecting g p x s) = (if Z.of_nat x mod 2 =? 0 then Z.of_nat x + g s else Z.of_nat x - g s) + k * Z.of_nat p.
Proof. apply reduced, some. Qed.

Lemma reflecting_parity g x s : Z.of_nat (reflecting g p x s) mod 2 = (Z.of_nat x + g s) mod 2.
Proof.
  destruct even as [h H], (reflecting_peer g x s) as [_ [k ->]]. replace (k * Z.of_nat p) with (2 * (k * Z.of_nat h)) by lia.
  destruct (Z.eqb_spec (Z.of_nat x mod 2) 0); lia.
Qed.

Let off (q x : rank) : Z := if Z.of_nat q mod 2 =? 0 then Z.of_nat x - Z.of_nat q else Z.of_nat q - Z.of_nat x.
Let before (q : rank) (s : nat) : rank := if f s mod 2 =? 0 then reflecting (fun s => - f s) p q s else reflecting f p q s.

Lemma reflecting_before q s : (q < p)%nat -> (before q s < p)%nat /\ reflecting f p (before q s) s = q.
Proof.
  intros Q. set (g := fun s => if f s mod 2 =? 0 then - f s else f s).
  assert (before q s = reflecting g p q s) as ->.
  { unfold before, reflecting, g. destruct (f s mod 2 =? 0); reflexivity. }
  destruct (reflecting_peer g q s) as [R [k K]]. split; auto. pose proof (reflecting_parity g q s) as Y. set (y := reflecting g p q s) in *. clearbody y.
  destruct (reflecting_peer f y s) as [S [l L]]. apply Nat2Z.inj.
  destruct (Z.eqb_spec (f s mod 2) 0) as [E|E]; unfold g in *; rewrite ?E in *; cbn [Z.eqb] in *;
    [|assert (f s mod 2 =? 0 = false) as E' by (now apply Z.eqb_neq); rewrite E' in *];
    destruct (Z.eqb_spec (Z.of_nat q mod 2) 0), (Z.eqb_spec (Z.of_nat y mod 2) 0); try lia; 
    first [apply (near_enough _ _ (k + l) (Z.of_nat p)); lia].
Qed.

Lemma reflecting_off q x s : (q < p)%nat -> (x < p)%nat -> exists k, off (before q s) x = turned_back s (off q x) + k * Z.of_nat p.
Proof.
  intros Q X. unfold off, turned_back, before. destruct (Z.eqb_spec (f s mod 2) 0) as [E|E].
  - destruct (reflecting_peer (fun s => - f s) q s) as [_ [k K]]. pose proof (reflecting_parity (fun s => - f s) q s) as Y. cbv beta in *.
    set (y := reflecting _ _ _ _) in *. clearbody y.
    destruct (Z.eqb_spec (Z.of_nat q mod 2) 0), (Z.eqb_spec (Z.of_nat y mod 2) 0); try lia; [exists (- k) | exists k]; lia.
  - destruct (reflecting_peer f q s) as [_ [k K]]. pose proof (reflecting_parity f q s) as Y. set (y := reflecting _ _ _ _) in *. clearbody y.
    destruct (Z.eqb_spec (Z.of_nat q mod 2) 0), (Z.eqb_spec (Z.of_nat y mod 2) 0); try lia; [exists k | exists (- k)]; lia.
Qed.

Lemma reflecting_covers n (hits : nat -> Z -> Prop) : (forall d, hits 0%nat d -> d = 0) ->
  (forall s d, (s < n)%nat -> hits (S s) d -> hits s d \/ hits s (turned_back s d)) ->
  (forall d, exists e k, hits n e /\ d = e + k * Z.of_nat p) -> covers p n (reflecting f p).
Proof.
  intros H0 H1. apply (hits_cover p n some (reflecting f p) before off turned_back hits); auto.
  - intros x s. apply reflecting_peer.
  - intros q s. apply reflecting_before.
  - intros q x s. apply reflecting_off.
  - intros q x k Q X. unfold off. intros H. apply Nat2Z.inj.
    destruct (Z.of_nat q mod 2 =? 0); [apply (near_enough _ _ k (Z.of_nat p)) | apply (near_enough _ _ (- k) (Z.of_nat p))]; lia.
  - intros s d k. unfold turned_back. destruct (f s mod 2 =? 0); [exists k | exists (- k)]; ring.
Qed.
End Reflecting.

(* Which sums the numbers of a list make, each taken or left out *)
Fixpoint makes (l : list Z) (d : Z) : Prop := match l with [] => d = 0 | v :: rest => makes rest d \/ makes rest (d - v) end.

Lemma makes_last l v : forall d, makes (l ++ [v]) d <-> makes l d \/ makes l (d - v).
Proof.
  induction l as [|w l IH]; intros d; [reflexivity|]. cbn [app makes]. rewrite !IH. replace (d - v - w) with (d - w - v) by ring. tauto.
Qed.

Lemma makes_permuted l m : Permutation l m -> forall d, makes l d -> makes m d.
Proof.
  induction 1 as [|v l m _ IH|v w l|l m o _ IH _ IH']; intros d; cbn [makes]; auto.
  - intros [M|M]; auto.
  - replace (d - w - v) with (d - v - w) by ring. tauto.
Qed.

Lemma makes_opposite l : forall d, makes l d -> makes (map Z.opp l) (- d).
Proof.
  induction l as [|v l IH]; intros d; cbn [map makes]; [lia|]. intros [M|M]; [left; auto | right].
  replace (- d - - v) with (- (d - v)) by ring. auto.
Qed.

(* Each power of two from 2^first on once, in any order, with any signs *)
Definition powers (l : list Z) (first count : nat) : Prop :=
  Permutation (map Z.abs l) (map (fun i => 2 ^ Z.of_nat i) (seq first count)).

Lemma powers_make l first count : powers l first count ->
  exists lo, forall e, lo <= e < lo + 2 ^ Z.of_nat count -> makes l (2 ^ Z.of_nat first * e).
Proof.
  intros E. apply Permutation_sym, Permutation_map_inv in E as (m & E & L). enough (exists lo, forall e,
    lo <= e < lo + 2 ^ Z.of_nat count -> makes m (2 ^ Z.of_nat first * e)) as [lo H].
  { exists lo. intros e I. apply (makes_permuted m); auto. now apply Permutation_sym. }
  clear l L. revert first m E. induction count as [|count IH]; intros first m E.
  - destruct m; [|discriminate]. exists 0. intros e I. cbn in *. lia.
  - destruct m as [|v m]; [discriminate|]. cbn [seq map] in E. injection E as V E. destruct (IH _ _ E) as [lo H].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r in * by lia. set (a := 2 ^ Z.of_nat first) in *. set (c := 2 ^ Z.of_nat count) in *.
    assert (v = a \/ v = - a) as [W|W] by lia.
    + exists (2 * lo). intros e I. cbn [makes]. assert (exists q, (e = 2 * q \/ e = 2 * q + 1) /\ lo <= q < lo + c) as (q & [->| ->] & Q) by (exists (e / 2); lia).
      * left. replace (a * (2 * q)) with (2 * a * q) by ring. auto.
      * right. replace (a * (2 * q + 1) - v) with (2 * a * q) by (subst v; ring). auto.
    + exists (2 * lo - 1). intros e I. cbn [makes]. assert (exists q, (e = 2 * q \/ e = 2 * q - 1) /\ lo <= q < lo + c) as (q & [->| ->] & Q) by (exists ((e + 1) / 2); lia).
      * left. replace (a * (2 * q)) with (2 * a * q) by ring. auto.
      * right. replace (a * (2 * q - 1) - v) with (2 * a * q) by (subst v; ring). auto.
Qed.

(* All residues are among enough numbers in a row. *)
Lemma residues lo P d : 0 < P -> exists e k, lo <= e < lo + P /\ d = e + k * P.
Proof.
  intros H. exists (lo + (d - lo) mod P), ((d - lo) / P). pose proof (Z.mod_pos_bound (d - lo) P H). pose proof (Z.div_mod (d - lo) P ltac:(lia)). lia.
Qed.

(* First family: each f(s) is beside the offsets that the steps before reach. *)
Fixpoint interval_before (f : nat -> Z) (s : nat) : Z * Z :=
  match s with
  | O => (0, 0)
  | S k => let (lo, hi) := interval_before f k in (Z.min lo (f k - hi), Z.max hi (f k - lo))
  end.
Definition beside (f : nat -> Z) (s : nat) : Prop := let (lo, hi) := interval_before f s in f s = 2 * hi + 1 \/ f s = 2 * lo - 1.

Section Doubling.
Variable f : nat -> Z.
Variable n : nat.
Hypothesis all_beside : forall s, (s < n)%nat -> beside f s.
Let lo s := fst (interval_before f s).
Let hi s := snd (interval_before f s).

Lemma interval_doubles s : (s <= n)%nat -> lo s <= 0 <= hi s /\ hi s - lo s + 1 = 2 ^ Z.of_nat s.
Proof.
  unfold lo, hi. induction s as [|s IH]; intros L; [cbn; lia|]. pose proof (all_beside s L) as B. unfold beside in B. cbn [interval_before].
  destruct (interval_before f s) as [l h]. cbn [fst snd] in *. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. lia.
Qed.

Lemma beside_odd s : (s < n)%nat -> f s mod 2 = 1.
Proof. intros L. pose proof (all_beside s L) as B. unfold beside in B. destruct (interval_before f s). lia. Qed.

Lemma doubling_covers p : (0 < p)%nat -> Nat.Even p -> Z.of_nat p <= 2 ^ Z.of_nat n -> covers p n (reflecting f p).
Proof.
  intros P E B. apply (reflecting_covers p f P E n (fun s d => lo s <= d <= hi s)).
  - intros d. cbn. lia.
  - intros s d L. pose proof (all_beside s L) as A. pose proof (beside_odd s L) as O. pose proof (interval_doubles s ltac:(lia)) as I.
    unfold turned_back, lo, hi in *. rewrite O. unfold beside in A. cbn [interval_before]. destruct (interval_before f s) as [l h]. cbn [fst snd] in *.
    change (1 =? 0) with false. cbn match. lia.
  - intros d. pose proof (interval_doubles n (le_n n)) as I. destruct (residues (lo n) (Z.of_nat p) d ltac:(lia)) as (e & k & L & D). exists e, k. lia.
Qed.
End Doubling.

(* Second family: all move by powers of two. *)
Lemma shifting_peer g p x s : (0 < p)%nat -> (shifting g p x s < p)%nat /\ exists k, Z.of_nat (shifting g p x s) = Z.of_nat x + g s + k * Z.of_nat p.
Proof. apply reduced. Qed.

Lemma shifting_hits f n p (hits : nat -> Z -> Prop) : (0 < p)%nat -> (forall d, hits 0%nat d -> d = 0) ->
  (forall s d, (s < n)%nat -> hits (S s) d -> hits s d \/ hits s (d - f s)) ->
  (forall d, exists e k, hits n e /\ d = e + k * Z.of_nat p) -> covers p n (shifting f p).
Proof.
  intros P H0 H1. apply (hits_cover p n P (shifting f p) (shifting (fun s => - f s) p) (fun q x => Z.of_nat q - Z.of_nat x) (fun s d => d - f s) hits); auto.
  - intros x s. now apply shifting_peer.
  - intros q s Q. destruct (shifting_peer (fun s => - f s) p q s P) as [Y [k K]]. split; auto.
    destruct (shifting_peer f p (shifting (fun s => - f s) p q s) s P) as [Y' [l L]]. apply Nat2Z.inj, (near_enough _ _ (k + l) (Z.of_nat p)); lia.
  - intros q x s Q X. destruct (shifting_peer (fun s => - f s) p q s P) as [Y [k K]]. exists k. lia.
  - intros q x k Q X H. apply Nat2Z.inj, (near_enough _ _ (- k) (Z.of_nat p)); lia.
  - intros s d k. exists k. ring.
Qed.

Lemma shifting_covers f n p : (0 < p)%nat -> Z.of_nat p <= 2 ^ Z.of_nat n -> powers (map f (seq 0 n)) 0 n -> covers p n (shifting f p).
Proof.
  intros P B W. apply (shifting_hits f n p (fun s => makes (map f (seq 0 s)))); auto.
  - intros s d _ M. rewrite seq_S, map_app in M. now apply makes_last in M.
  - intros d. destruct (powers_make _ _ _ W) as [lo M]. destruct (residues lo (Z.of_nat p) d ltac:(lia)) as (e & k & L & D). exists e, k. split; auto.
    specialize (M e ltac:(lia)). change (2 ^ Z.of_nat 0) with 1 in M. now rewrite Z.mul_1_l in M.
Qed.

(* Third family: with an even number c added, odd ranks are renamed by c. *)
Definition renamed (c : Z) (p : nat) (x : rank) : rank :=
  if Z.of_nat x mod 2 =? 0 then x else Z.to_nat ((Z.of_nat x + c) mod Z.of_nat p).

Lemma renamed_peer f c p x s : (0 < p)%nat -> Nat.Even p -> f s mod 2 = 1 -> c mod 2 = 0 -> (x < p)%nat ->
  reflecting (fun s => f s + c) p (renamed c p x) s = renamed c p (reflecting f p x s).
Proof.
  intros P E O C X. pose proof E as [h H]. pose proof (reflecting_parity p f P E f x s) as Y. destruct (reflecting_peer p P f x s) as [R [k K]].
  set (y := reflecting f p x s) in *. clearbody y. unfold renamed. destruct (Z.eqb_spec (Z.of_nat x mod 2) 0) as [X2|X2].
  - destruct (reflecting_peer p P (fun s => f s + c) x s) as [R' [k' K']]. set (z := reflecting _ p x s) in *. clearbody z.
    destruct (Z.eqb_spec (Z.of_nat y mod 2) 0) as [Y2|Y2]; [lia|]. destruct (reduced (Z.of_nat y + c) p P) as [R2 [l L]].
    apply Nat2Z.inj, (near_enough _ _ (k' - k - l) (Z.of_nat p)); try lia. destruct (Z.eqb_spec (Z.of_nat x mod 2) 0); lia.
  - destruct (reduced (Z.of_nat x + c) p P) as [R2 [l L]]. set (w := Z.to_nat _) in *. clearbody w.
    assert (Z.of_nat w mod 2 = 1) as W2. { rewrite L. replace (l * Z.of_nat p) with (2 * (l * Z.of_nat h)) by lia. lia. }
    destruct (reflecting_peer p P (fun s => f s + c) w s) as [R' [k' K']]. set (z := reflecting _ p w s) in *. clearbody z.
    destruct (Z.eqb_spec (Z.of_nat y mod 2) 0) as [Y2|Y2]; [|lia].
    apply Nat2Z.inj, (near_enough _ _ (k' + l - k) (Z.of_nat p)); try lia.
    destruct (Z.eqb_spec (Z.of_nat x mod 2) 0), (Z.eqb_spec (Z.of_nat w mod 2) 0); lia.
Qed.

Lemma renamed_back c p x : (0 < p)%nat -> Nat.Even p -> c mod 2 = 0 -> (x < p)%nat -> (renamed c p x < p)%nat /\ renamed (- c) p (renamed c p x) = x.
Proof.
  intros P [h H] C X. unfold renamed. destruct (Z.eqb_spec (Z.of_nat x mod 2) 0) as [X2|X2].
  - split; auto. now apply Z.eqb_eq in X2 as ->.
  - destruct (reduced (Z.of_nat x + c) p P) as [R [l L]]. set (w := Z.to_nat _) in *. clearbody w.
    assert (Z.of_nat w mod 2 = 1) as W2. { rewrite L. replace (l * Z.of_nat p) with (2 * (l * Z.of_nat h)) by lia. lia. }
    split; auto. rewrite W2. change (1 =? 0) with false. cbn match. destruct (reduced (Z.of_nat w + - c) p P) as [R2 [m M]].
    apply Nat2Z.inj, (near_enough _ _ (l + m) (Z.of_nat p)); lia.
Qed.

Lemma renamed_covers f c p n : (0 < p)%nat -> Nat.Even p -> (forall s, (s < n)%nat -> f s mod 2 = 1) -> c mod 2 = 0 ->
  covers p n (reflecting f p) -> covers p n (reflecting (fun s => f s + c) p).
Proof.
  intros P E O C [_ H]. split; [intros x t _ _; now apply reflecting_peer|]. intros q x Q X.
  destruct (renamed_back (- c) p q P E ltac:(lia) Q) as [Q' Qb], (renamed_back (- c) p x P E ltac:(lia) X) as [X' Xb].
  rewrite Z.opp_involutive in *. rewrite <- Qb, <- Xb. rewrite <- (H _ _ Q' X'). generalize (renamed (- c) p q), (renamed (- c) p x), Q', X'.
  clear q x Q X Q' X' Qb Xb. intros q x Q X.
  assert (forall m t x, (t + m <= n)%nat -> (x < p)%nat ->
    reaches (reflecting (fun s => f s + c) p) (renamed c p q) m t (renamed c p x) = reaches (reflecting f p) q m t x) as G.
  { induction m as [|m IH]; intros t y T Y.
    - cbn. destruct (Nat.eqb_spec y q) as [->|N]; [apply Nat.eqb_refl|]. apply Nat.eqb_neq. intros F. apply N.
      destruct (renamed_back c p y P E C Y) as [_ <-], (renamed_back c p q P E C Q) as [_ <-]. now rewrite F.
    - cbn [reaches]. rewrite renamed_peer by (auto; apply O; lia). rewrite !IH; auto; try lia. now apply reflecting_peer. }
  now apply G.
Qed.

(* Fourth family: even and odd ranks exchange at step m, and move among themselves at all others. *)
Section Mixed.
Variable f : nat -> Z.
Variables n m : nat.
Hypothesis meets : (m < n)%nat.
Hypothesis meets_odd : f m mod 2 = 1.
Hypothesis others_even : forall s, (s < n)%nat -> s <> m -> f s mod 2 = 0.

Fixpoint back_hits (s : nat) (d : Z) : Prop :=
  match s with O => d = 0 | S t => back_hits t d \/ back_hits t (turned_back f t d) end.

(* Taken so do offsets of the same parity add up, and those of the other *)
Let apart (t : nat) : Z := if (t =? m)%nat then 0 else - f t.
Let signed (t : nat) : Z := if (t =? m)%nat then 0 else if (t <? m)%nat then f t else - f t.

Lemma hits_apart s : forall d, (s <= n)%nat -> makes (map apart (seq 0 s)) d -> back_hits s d.
Proof.
  induction s as [|s IH]; intros d L; auto. rewrite seq_S, map_app. cbn [map plus]. rewrite makes_last. cbn [back_hits]. unfold turned_back.
  unfold apart at 3. destruct (Nat.eqb_spec s m) as [->|N].
  - rewrite Z.sub_0_r. intros [M|M]; left; apply IH; auto; lia.
  - rewrite others_even by auto. change (0 =? 0) with true. cbn match. intros [M|M]; [left | right]; apply IH; auto; try lia.
    now replace (d + f s) with (d - - f s) by ring.
Qed.

Lemma hits_meeting k : forall d, (m + S k <= n)%nat ->
  makes (map signed (seq 0 (m + S k))) (d - f m) -> back_hits (m + S k) d.
Proof.
  induction k as [|k IH]; intros d L.
  - rewrite Nat.add_1_r, seq_S, map_app. cbn [map plus]. rewrite makes_last. unfold signed at 3. rewrite Nat.eqb_refl, Z.sub_0_r. intros M.
    cbn [back_hits]. right. unfold turned_back. rewrite meets_odd. change (1 =? 0) with false. cbn match. apply hits_apart; [lia|].
    replace (map apart (seq 0 m)) with (map Z.opp (map signed (seq 0 m))).
    + replace (f m - d) with (- (d - f m)) by ring. apply makes_opposite. tauto.
    + rewrite map_map. apply map_ext_in. intros t T. apply in_seq in T. unfold signed, apart.
      destruct (Nat.eqb_spec t m); [lia|]. destruct (Nat.ltb_spec t m); [reflexivity | lia].
  - replace (m + S (S k))%nat with (S (m + S k)) in * by lia. rewrite seq_S, map_app. cbn [map]. rewrite makes_last. cbn [plus back_hits].
    unfold signed at 3. destruct (Nat.eqb_spec (m + S k) m); [lia|]. destruct (Nat.ltb_spec (m + S k) m); [lia|]. unfold turned_back. rewrite others_even by lia.
    change (0 =? 0) with true. cbn match. intros [M|M]; [left | right]; apply IH; auto; try lia.
    now replace (d + f (m + S k)%nat - f m) with (d - f m - - f (m + S k)%nat) by ring.
Qed.

Definition without_meeting : list nat := seq 0 m ++ seq (S m) (n - S m).

Lemma makes_all g e : g m = 0 -> makes (map g without_meeting) e -> makes (map g (seq 0 n)) e.
Proof.
  intros Z0 M. apply (makes_permuted (0 :: map g without_meeting)); [|now left]. unfold without_meeting.
  replace n with (m + S (n - S m))%nat at 2 by lia. rewrite seq_app, !map_app. cbn [plus seq map]. rewrite Z0. apply Permutation_middle.
Qed.

Lemma signs_any g : (forall t, t <> m -> Z.abs (g t) = Z.abs (f t)) -> powers (map f without_meeting) 1 (n - 1) -> powers (map g without_meeting) 1 (n - 1).
Proof.
  intros E W. unfold powers in *. rewrite map_map in *. erewrite map_ext_in; [exact W|]. intros t T. apply E. unfold without_meeting in T.
  apply in_app_iff in T as [T|T]; apply in_seq in T; lia.
Qed.

Lemma mixed_covers p : (0 < p)%nat -> Nat.Even p -> Z.of_nat p <= 2 ^ Z.of_nat n -> powers (map f without_meeting) 1 (n - 1) ->
  covers p n (reflecting f p).
Proof.
  intros P E B W. apply (reflecting_covers p f P E n back_hits); auto. intros d. destruct E as [h H].
  assert (2 ^ Z.of_nat n = 2 * 2 ^ Z.of_nat (n - 1)) as T. { rewrite <- Z.pow_succ_r by lia. f_equal. lia. }
  assert (forall g y, g m = 0 -> (forall t, t <> m -> Z.abs (g t) = Z.abs (f t)) -> y mod 2 = 0 ->
    exists e k, makes (map g (seq 0 n)) e /\ y = e + k * Z.of_nat p) as Half.
  { intros g y Z0 A Y. destruct (powers_make _ _ _ (signs_any g A W)) as [lo M].
    destruct (residues lo (Z.of_nat h) (y / 2) ltac:(lia)) as (e & k & L & D). exists (2 * e), k. split; [|lia].
    apply makes_all; auto. specialize (M e ltac:(lia)). exact M. }
  destruct (Z.eqb_spec (d mod 2) 0) as [D|D].
  - destruct (Half apart d) as (e & k & M & F); auto.
    + unfold apart. now rewrite Nat.eqb_refl.
    + intros t N. unfold apart. apply Nat.eqb_neq in N. rewrite N. lia.
    + exists e, k. split; auto. now apply hits_apart.
  - destruct (Half signed (d - f m)) as (e & k & M & F); try lia.
    + unfold signed. now rewrite Nat.eqb_refl.
    + intros t N. unfold signed. apply Nat.eqb_neq in N. rewrite N. destruct (t <? m)%nat; lia.
    + exists (e + f m), k. split; [|lia]. replace n with (m + S (n - S m))%nat by lia. apply hits_meeting; [lia|].
      replace (m + S (n - S m))%nat with n by lia. now replace (e + f m - f m) with e by ring.
Qed.
End Mixed.

(* p ranks, or, with the last one apart, one more *)
Definition peers_once (p n : nat) (peer : rank -> nat -> rank) : Prop :=
  all_once (peer_factor p n peer) /\ all_once (with_odd_one (peer_factor p n peer) (half_turn n p)).

Lemma below_power p n : (p <= 2 ^ n)%nat -> Z.of_nat p <= 2 ^ Z.of_nat n.
Proof. intros B. rewrite <- (Nat2Z.inj_pow 2). lia. Qed.

Lemma covering_once p n peer : (0 < p)%nat -> Nat.Even p -> (p <= 2 ^ n)%nat -> covers p n peer -> peers_once p n peer.
Proof.
  intros P [h H] B C. assert (0 < n)%nat as N by (destruct n; [cbn in B|]; lia). split; [now apply covering_peers_once|].
  apply factor_once; cbn [ranks with_odd_one]; [lia|]. apply odd_one_right; [now apply peer_factor_right|]. intros x _. now apply half_turn_in_time.
Qed.

Theorem doublings_once f n p : (forall s, (s < n)%nat -> beside f s) -> (0 < p)%nat -> Nat.Even p -> (p <= 2 ^ n)%nat ->
  peers_once p n (reflecting f p).
Proof. intros A P E B. apply covering_once; auto. apply doubling_covers; auto using below_power. Qed.

Theorem powers_once f n p : powers (map f (seq 0 n)) 0 n -> (0 < p)%nat -> (p <= 2 ^ n)%nat -> all_once (peer_factor p n (shifting f p)).
Proof. intros W P B. apply covering_peers_once; auto. apply shifting_covers; auto using below_power. Qed.

Theorem flips_once f a : (forall s, 2 ^ s <= f s < 2 ^ S s)%nat -> all_once (peer_factor (2 ^ a) a (flipped f)).
Proof. intros T. apply covering_peers_once; [pose proof (Nat.pow_nonzero 2 a); lia|]. now apply top_bits_cover. Qed.

Theorem renamed_once f c n p : (forall s, (s < n)%nat -> beside f s) -> Z.even c = true -> (0 < p)%nat -> Nat.Even p -> (p <= 2 ^ n)%nat ->
  peers_once p n (reflecting (fun s => f s + c) p).
Proof.
  intros A C P E B. rewrite Zeven_mod in C. apply Zeq_bool_eq in C. apply covering_once; auto. apply renamed_covers; auto.
  - intros s S. now apply (beside_odd f n).
  - apply doubling_covers; auto using below_power.
Qed.

Theorem mixed_once f m n p : (m < n)%nat -> Z.odd (f m) = true -> powers (map f (without_meeting n m)) 1 (n - 1) ->
  (0 < p)%nat -> Nat.Even p -> (p <= 2 ^ n)%nat -> all_once (peer_factor p n (reflecting f p)).
Proof.
  intros M O W P E B. apply covering_peers_once; auto. apply (mixed_covers f n m); auto using below_power.
  { rewrite Zodd_mod in O. now apply Zeq_bool_eq in O. }
  intros s S N. assert (In (Z.abs (f s)) (map (fun i => 2 ^ Z.of_nat i) (seq 1 (n - 1)))) as I.
  { apply (Permutation_in _ W), in_map, in_map. apply in_or_app. rewrite !in_seq. lia. }
  apply in_map_iff in I as (i & I & J). apply in_seq in J. destruct i as [|i]; [lia|]. rewrite Nat2Z.inj_succ, Z.pow_succ_r in I by lia. lia.
Qed.
