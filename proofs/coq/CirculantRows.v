(* Which blocks ranks get in a broadcast of many blocks on a circulant graph. Phases have a round for each skip, and in round j rank y gets
   a block from rank y - s j. The skips are s 0 = 1, s 1 = 2, .., and s (k+1) is 2 s k or one less. The ranks here are on a line without
   end; a rank between s k and s (k+1) is at level k, and its row has the rounds below k.

   In these rounds it gets each block up to k, but for its first one, which it has from the phase before. Rank s k is the first one to have
   block k. Rank y = s k + r, where r < s k, first gets what rank r does, then block k in the round that is r's level, and then any block
   that it lacks and is offered. There always is one: it has block k itself, those who offer are before s k, so they don't have it, and they
   have as many blocks. One is short of a round: the one before s (k-1), which offers to rank s k = 2 s (k-1) - 1 in round k-1. It has all
   blocks below k-1; so rank s k must have got block k-1 by then. It takes the largest one that it can, so it has.

   Of the choice below only that is needed. It is the one that makes Traeff's tables. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics.
Import ListNotations.

(* A block, and the rank that has it as its first one and from which it came *)
Notation entry := (nat * nat)%type (only parsing).

(* A rank's first block, and what it gets in each round *)
Notation row := (nat * list entry)%type (only parsing).

(* The largest block of those that come from beyond `least`; the first one if there are none. *)
Definition better (least : nat) (e best : entry) : bool := (least <? snd e) && ((snd best <=? least) || (fst best <? fst e)).
Definition chosen (least : nat) (l : list entry) : entry :=
  fold_left (fun best e => if better least e best then e else best) (tl l) (hd (0, 0) l).

Lemma chosen_from least l : forall e, In (fold_left (fun best e => if better least e best then e else best) l e) (e :: l).
Proof.
  induction l as [|x l IH]; intros e; cbn [fold_left]; [now left|]. destruct (better least x e).
  - right. apply IH.
  - destruct (IH e) as [E|I]; [left; exact E | right; now right].
Qed.

Lemma chosen_in least l : l <> [] -> In (chosen least l) l.
Proof. destruct l as [|e l]; [congruence|]. intros _. apply chosen_from. Qed.

Lemma better_true least e best : better least e best = true <-> least < snd e /\ (snd best <= least \/ fst best < fst e).
Proof. unfold better. now rewrite andb_true_iff, orb_true_iff, !Nat.ltb_lt, Nat.leb_le. Qed.

Lemma chosen_largest least l : forall e x, In x (e :: l) -> least < snd x ->
  let y := fold_left (fun best e => if better least e best then e else best) l e in least < snd y /\ fst x <= fst y.
Proof.
  induction l as [|z l IH]; intros e x X L; cbn [fold_left].
  - destruct X as [->|[]]. auto.
  - destruct (better least z e) eqn:B; [|apply not_true_iff_false in B]; rewrite better_true in B.
    + destruct X as [->|[->|X]]; [|apply IH; auto; now left | apply IH; auto; now right].
      destruct (IH z z (or_introl eq_refl) ltac:(lia)). cbn zeta in *. split; auto. lia.
    + destruct X as [->|[->|X]]; [apply IH; auto; now left | | apply IH; auto; now right].
      destruct (IH e e (or_introl eq_refl) ltac:(lia)). cbn zeta in *. split; auto. lia.
Qed.

Section Line.
Variable s : nat -> nat.

(* The number of the largest skip that is at most y *)
Fixpoint climbed (fuel k y : nat) : nat := match fuel with O => k | S n => if s (S k) <=? y then climbed n (S k) y else k end.
Definition level (y : nat) : nat := climbed y 0 y.

(* What rank z has before round j, and what rank y gets that has some blocks *)
Definition offers (rows : nat -> row) (z j : nat) : list entry := (fst (rows z), z) :: firstn j (snd (rows z)).
Definition lacks (base : nat) (got : list entry) (e : entry) : bool := negb (existsb (Nat.eqb (fst e)) (base :: map fst got)).
Definition next (rows : nat -> row) (y base : nat) (got : list entry) : entry :=
  let j := length got in chosen (y - s (S j)) (filter (lacks base got) (offers rows (y - s j) j)).
Fixpoint grown (rows : nat -> row) (y base n : nat) (got : list entry) : list entry :=
  match n with O => got | S n => grown rows y base n (got ++ [next rows y base got]) end.

(* What rank s k + r gets that rank r gets, too, and block k *)
Definition begun (rows : nat -> row) (k r : nat) : list entry :=
  if r =? 0 then [] else map (fun e => (fst e, snd e + s k)) (snd (rows r)) ++ [(k, s k)].
Definition new_row (rows : nat -> row) (y : nat) : row :=
  let k := level y in let r := y - s k in
  let base := if r =? 0 then k else fst (rows r) in
  let first := begun rows k r in
  (base, grown rows y base (k - length first) first).

(* The rows below n *)
Fixpoint rows_below (n : nat) : nat -> row :=
  match n with
  | O => fun _ => (0, [])
  | S m => let rows := rows_below m in let new := new_row rows m in fun y => if y =? m then new else rows y
  end.
Definition row_of (y : nat) : row := new_row (rows_below y) y.
Definition base_of (y : nat) : nat := fst (row_of y).
Definition gets (y : nat) : list nat := map fst (snd (row_of y)).

Lemma rows_same n y : y < n -> rows_below n y = row_of y.
Proof.
  induction n as [|n IH]; intros L; [lia|]. cbn [rows_below]. destruct (Nat.eqb_spec y n) as [->|N]; [reflexivity|]. apply IH. lia.
Qed.

Hypothesis first : s 0 = 1.
Hypothesis second : s 1 = 2.
Hypothesis doubles : forall k, 2 * s k <= S (s (S k)) /\ s (S k) <= 2 * s k.

Lemma rises k : s k < s (S k).
Proof. enough (0 < s k < s (S k)) by tauto. induction k as [|k IH]; [lia|]. pose proof (doubles (S k)). lia. Qed.

Lemma rises_on j k : j < k -> s j < s k.
Proof. induction 1 as [|k _ IH]; [apply rises|]. pose proof (rises k). lia. Qed.

Lemma rises_to j k : j <= k -> s j <= s k.
Proof. induction 1 as [|k _ IH]; [lia|]. pose proof (rises k). lia. Qed.

Lemma beyond k : k < s k.
Proof. induction k as [|k IH]; [lia|]. pose proof (rises k). lia. Qed.

Lemma climbed_spec fuel : forall k y, s k <= y -> y <= k + fuel -> s (climbed fuel k y) <= y < s (S (climbed fuel k y)).
Proof.
  induction fuel as [|n IH]; intros k y K F; cbn [climbed].
  - pose proof (beyond k). lia.
  - destruct (Nat.leb_spec (s (S k)) y); [apply IH; auto; lia | lia].
Qed.

Lemma level_spec y : 0 < y -> s (level y) <= y < s (S (level y)).
Proof. intros Y. apply climbed_spec; lia. Qed.

Lemma level_at_least y k : s k <= y -> k <= level y.
Proof.
  intros K. pose proof (beyond k). pose proof (level_spec y ltac:(lia)). destruct (le_lt_dec k (level y)) as [|L]; auto.
  pose proof (rises_to _ _ L). lia.
Qed.

Lemma level_below y k : 0 < y -> y < s k -> level y < k.
Proof.
  intros Y K. pose proof (level_spec y Y). destruct (le_lt_dec k (level y)) as [L|]; auto. pose proof (rises_to _ _ L). lia.
Qed.

Lemma level_is y k : s k <= y < s (S k) -> level y = k.
Proof.
  intros K. pose proof (level_at_least y k ltac:(lia)). pose proof (beyond k). pose proof (level_below y (S k) ltac:(lia) ltac:(lia)). lia.
Qed.

(* Rank y has each block up to its level once, and gets in round j what rank y - s j has by then. *)
Record right_row (y : nat) : Prop := {
  full : length (snd (row_of y)) = level y;
  distinct : NoDup (base_of y :: gets y);
  bounded : forall e, In e (base_of y :: gets y) -> e <= level y;
  offered : forall j e, nth_error (snd (row_of y)) j = Some e -> In e (offers row_of (y - s j) j) }.

Lemma lacks_true base got e : lacks base got e = true <-> ~ In (fst e) (base :: map fst got).
Proof.
  unfold lacks. rewrite negb_true_iff. split.
  - intros F I. assert (existsb (Nat.eqb (fst e)) (base :: map fst got) = true) as T by
      (apply existsb_exists; exists (fst e); split; [exact I | apply Nat.eqb_refl]). congruence.
  - intros N. apply not_true_iff_false. intros T. apply existsb_exists in T as (x & X & E). apply Nat.eqb_eq in E. subst x. contradiction.
Qed.

Lemma grown_prefix rows y base n : forall got, exists more, grown rows y base n got = got ++ more.
Proof.
  induction n as [|n IH]; intros got; cbn [grown]; [exists []; now rewrite app_nil_r|].
  destruct (IH (got ++ [next rows y base got])) as (more & E). exists (next rows y base got :: more). rewrite E, <- app_assoc. reflexivity.
Qed.

Lemma in_first {A} n (l : list A) x : In x (firstn n l) -> In x l.
Proof. intros I. rewrite <- (firstn_skipn n l). apply in_or_app. now left. Qed.

Lemma nodup_first {A} n : forall l : list A, NoDup l -> NoDup (firstn n l).
Proof.
  induction n as [|n IH]; intros l D; [constructor|]. destruct D as [|x l N D]; constructor; auto.
  intros I. apply N. now apply in_first in I.
Qed.

Lemma nodup_last {A} (l : list A) x : NoDup l -> ~ In x l -> NoDup (l ++ [x]).
Proof.
  induction 1 as [|y l N D IH]; cbn; intros X; [repeat constructor; auto|]. constructor; [|apply IH; tauto].
  intros I. apply in_app_or in I as [I|[->|[]]]; tauto.
Qed.

Lemma nth_last {A} (l : list A) x j y : nth_error (l ++ [x]) j = Some y -> nth_error l j = Some y \/ (j = length l /\ y = x).
Proof.
  intros E. destruct (le_lt_dec (length l) j) as [L|L]; [right | left; now rewrite nth_error_app1 in E].
  rewrite nth_error_app2 in E by auto. destruct (j - length l) as [|n] eqn:J; cbn in E.
  - injection E as <-. split; auto. lia.
  - now destruct n.
Qed.

Lemma map_nth_error_inv {A B} (f : A -> B) l j y : nth_error (map f l) j = Some y -> exists x, y = f x /\ nth_error l j = Some x.
Proof. rewrite nth_error_map. destruct (nth_error l j) as [x|]; [|discriminate]. cbn. intros E. injection E as <-. now exists x. Qed.

(* What is left of y without its largest skip *)
Definition rest (y : nat) : nat := y - s (level y).

Lemma rest_is y : 0 < y -> y = s (level y) + rest y /\ rest y < s (level y).
Proof. intros Y. pose proof (level_spec y Y). pose proof (doubles (level y)). unfold rest. lia. Qed.

Lemma rest_below y : 0 < y -> rest y < y.
Proof. intros Y. pose proof (rest_is y Y). pose proof (beyond (level y)). lia. Qed.

Lemma row_is y : 0 < y -> let first := begun row_of (level y) (rest y) in
  let base := if rest y =? 0 then level y else base_of (rest y) in
  row_of y = (base, grown (rows_below y) y base (level y - length first) first).
Proof.
  intros Y. cbv zeta. pose proof (rest_below y Y) as B. transitivity (new_row (rows_below y) y); [reflexivity|].
  unfold new_row, base_of, begun. cbv zeta. fold (rest y). destruct (Nat.eqb_spec (rest y) 0); auto. now rewrite rows_same.
Qed.

Lemma base_is y : 0 < y -> base_of y = if rest y =? 0 then level y else base_of (rest y).
Proof. intros Y. unfold base_of at 1. now rewrite row_is. Qed.

(* The row begins as that of what is left. *)
Lemma row_begins y : 0 < y -> exists more, snd (row_of y) = begun row_of (level y) (rest y) ++ more.
Proof. intros Y. rewrite row_is by auto. cbn [snd]. apply grown_prefix. Qed.

Lemma begun_length k r : 0 < r -> right_row r -> length (begun row_of k r) = S (level r).
Proof. intros R G. unfold begun. destruct (Nat.eqb_spec r 0); [lia|]. rewrite app_length, map_length, (full r G). cbn. lia. Qed.

(* Rank y has block k once the rounds of what is left are over. *)
Lemma has_largest y j : 0 < y ->
  (0 < rest y -> right_row (rest y) /\ level (rest y) < j) -> In (level y, s (level y)) (offers row_of y j).
Proof.
  intros Y R. pose proof (rest_is y Y) as [E L]. unfold offers. destruct (Nat.eq_dec (rest y) 0) as [Z|N].
  - left. fold (base_of y). rewrite base_is, Z by auto. cbn. f_equal. lia.
  - right. destruct R as [G J]; [lia|]. destruct (row_begins y Y) as (more & ->).
    pose proof (begun_length (level y) (rest y) ltac:(lia) G) as B.
    rewrite firstn_app, firstn_all2 by lia. apply in_or_app. left. unfold begun. destruct (Nat.eqb_spec (rest y) 0); [lia|].
    apply in_or_app. right. now left.
Qed.

(* A row as it grows *)
Section Growing.
Variable y : nat.
Hypothesis some : 0 < y.
Hypothesis before : forall z, 0 < z < y -> right_row z.
Let k := level y.
Let r := rest y.
Let base := if r =? 0 then k else base_of r.

Lemma y_is : y = s k + r /\ r < s k.
Proof. exact (rest_is y some). Qed.

(* Rank s k = 2 s (k-1) - 1 *)
Definition is_odd : Prop := 1 < k /\ r = 0 /\ S (s k) = 2 * s (k - 1).

Record grows (got : list entry) : Prop := {
  grows_distinct : NoDup (base :: map fst got);
  grows_bounded : forall e, In e (base :: map fst got) -> e <= k;
  grows_has : In k (base :: map fst got);
  grows_offered : forall j e, nth_error got j = Some e -> In e (offers row_of (y - s j) j);
  grows_enough : r < s (length got);
  grows_odd : is_odd -> k - 1 <= length got -> In (k - 1) (map fst got) }.

(* Something is offered that the rank lacks. *)
Lemma offers_new got : grows got -> length got < k -> let j := length got in
  filter (lacks base got) (offers row_of (y - s j) j) <> [].
Proof.
  intros G L j. destruct y_is as [Y R]. pose proof (rises_on j k L) as J. pose proof (grows_enough got G) as E. fold j in E.
  set (z := y - s j). assert (0 < z < y) as Z by (pose proof (beyond j); lia). pose proof (before z Z) as Rz.
  assert (level z < k) as Lz by (apply level_below; lia).
  assert (map fst (offers row_of z j) = base_of z :: firstn j (gets z)) as M
    by (unfold offers, gets; cbn [map fst]; now rewrite firstn_map).
  intros F. assert (forall e, In e (base_of z :: firstn j (gets z)) -> In e (base :: map fst got)) as I.
  { intros e X. rewrite <- M in X. apply in_map_iff in X as (x & <- & X). destruct (in_dec Nat.eq_dec (fst x) (base :: map fst got)); auto.
    assert (In x []) as []. rewrite <- F. apply filter_In. split; auto. now apply lacks_true. }
  assert (forall e, In e (base_of z :: firstn j (gets z)) -> e <= level z) as B.
  { intros e X. apply (bounded z Rz). destruct X as [X|X]; [now left | right; now apply in_first in X]. }
  assert (NoDup (base_of z :: firstn j (gets z))) as D by exact (nodup_first (S j) _ (distinct z Rz)).
  set (all := base :: map fst got) in *. assert (length all = S j) as A by (unfold all; cbn; now rewrite map_length).
  assert (incl (base_of z :: firstn j (gets z)) (remove Nat.eq_dec k all)) as Ik.
  { intros e X. apply in_in_remove; [|now apply I]. specialize (B e X). lia. }
  pose proof (remove_length_lt Nat.eq_dec all k (grows_has got G)) as K.
  assert (length (gets z) = level z) as Fz by (unfold gets; rewrite map_length; apply (full z Rz)).
  destruct (le_lt_dec j (level z)) as [H|H].
  - pose proof (NoDup_incl_length D Ik) as C. cbn [length] in C. rewrite firstn_length in C. lia.
  - assert (z < s j) as O. { destruct (le_lt_dec (s j) z) as [W|]; auto. apply level_at_least in W. lia. }
    assert (k = S j) as Kj.
    { destruct (Nat.eq_dec k (S j)); auto. exfalso. pose proof (rises_to (S (S j)) k ltac:(lia)).
      pose proof (doubles (S j)). pose proof (rises j). lia. }
    pose proof (doubles j) as Dj. rewrite <- Kj in Dj.
    assert (is_odd) as Odd.
    { unfold is_odd. replace (k - 1) with j by lia. repeat split; lia. }
    pose proof (grows_odd got G Odd ltac:(fold j; lia)) as P.
    assert (incl (base_of z :: firstn j (gets z)) (remove Nat.eq_dec (k - 1) (remove Nat.eq_dec k all))) as Ij.
    { intros e X. apply in_in_remove; [|now apply Ik]. specialize (B e X). lia. }
    assert (In (k - 1) (remove Nat.eq_dec k all)) as Pk by (apply in_in_remove; [lia | now right]).
    pose proof (remove_length_lt Nat.eq_dec _ _ Pk). pose proof (NoDup_incl_length D Ij) as C. cbn [length] in C.
    rewrite firstn_length in C. assert (j = S (level z)).
    { destruct j as [|i]; [lia|]. assert (s i <= z) as W. { pose proof (rises i). lia. } apply level_at_least in W. lia. }
    lia.
Qed.

Lemma offers_below z j : z < y -> offers (rows_below y) z j = offers row_of z j.
Proof. intros Z. unfold offers. now rewrite rows_same. Qed.

(* Such a rank takes block k-1 in round k-2, if it hasn't got it yet. *)
Lemma takes_odd got : grows got -> is_odd -> S (S (length got)) = k -> ~ In (k - 1) (base :: map fst got) ->
  fst (next (rows_below y) y base got) = k - 1.
Proof.
  intros G (K & R & O) L N. destruct y_is as [Y _]. set (j := length got) in *. set (z := y - s j).
  pose proof (rises_on j k ltac:(lia)) as J. pose proof (beyond j). pose proof (rises j).
  assert (k - 1 = S j) as P by lia. rewrite P in *.
  assert (level z = S j) as Lz. { apply level_is. rewrite L. pose proof (doubles j). unfold z. lia. }
  assert (0 < z) as Z by (unfold z; lia). pose proof (rest_is z Z) as [Ez _]. rewrite Lz in Ez. pose proof (doubles j) as D.
  assert (In (S j, s (S j)) (offers row_of z j)) as I.
  { rewrite <- Lz. apply has_largest; auto. intros W. split; [apply before; lia|]. apply level_below; auto. unfold z in *. lia. }
  unfold next. fold j z. rewrite offers_below by (unfold z; lia). set (l := filter _ _).
  assert (In (S j, s (S j)) l) as Il by (apply filter_In; split; [exact I | now apply lacks_true]).
  assert (forall e, In e l -> fst e <= S j) as B.
  { intros e X. apply filter_In in X as [X _]. rewrite <- Lz. apply (bounded z (before z ltac:(unfold z; lia))).
    destruct X as [<-|X]; [now left | right]. apply in_first in X. now apply in_map. }
  clearbody l. destruct l as [|e m]; [destruct Il|]. pose proof (chosen_largest (y - s (S j)) m e _ Il) as C. cbn [fst snd] in C.
  destruct C as [_ C]; [lia|]. pose proof (B _ (chosen_from (y - s (S j)) m e)). unfold chosen. cbn [tl hd]. lia.
Qed.

Lemma next_right got : grows got -> length got < k -> grows (got ++ [next (rows_below y) y base got]).
Proof.
  intros G L. destruct y_is as [Y R]. set (e := next _ _ _ _). set (j := length got) in *. set (z := y - s j).
  pose proof (rises_on j k L) as J. pose proof (beyond j). pose proof (grows_enough got G) as E. fold j in E.
  assert (0 < z < y) as Z by (unfold z; lia).
  assert (In e (offers row_of z j) /\ ~ In (fst e) (base :: map fst got)) as [I N].
  { rewrite <- lacks_true, <- filter_In, <- (offers_below z j) by lia. apply chosen_in. rewrite offers_below by lia. now apply offers_new. }
  split.
  - rewrite map_app. apply (nodup_last (base :: map fst got)); auto. apply (grows_distinct got G).
  - intros x X. rewrite map_app in X. apply (in_app_or (base :: map fst got)) in X as [X|[<-|[]]]; [now apply (grows_bounded got G)|].
    apply Nat.le_trans with (level z); [|apply Nat.lt_le_incl, level_below; lia]. apply (bounded z (before z Z)).
    destruct I as [<-|X]; [now left | right]. apply in_first in X. now apply in_map.
  - rewrite map_app. apply (in_or_app (base :: map fst got)). left. apply (grows_has got G).
  - intros i x X. apply nth_last in X as [X|[-> ->]]; auto. now apply (grows_offered got G).
  - rewrite app_length. cbn. fold j. pose proof (rises_to j (j + 1) ltac:(lia)). lia.
  - intros O K. rewrite app_length in K. cbn in K. fold j in K. rewrite map_app. apply in_or_app.
    destruct (in_dec Nat.eq_dec (k - 1) (map fst got)) as [|M]; [now left | right]. left.
    destruct (le_lt_dec (k - 1) j) as [|F]; [exfalso; apply M; now apply (grows_odd got G)|]. destruct O as (K1 & R0 & O).
    apply takes_odd; auto; [now repeat split | fold j; lia|]. intros [B|B]; auto. unfold base in B. rewrite R0 in B. cbn in B. lia.
Qed.

Lemma grown_right n : forall got, grows got -> length got + n = k ->
  grows (grown (rows_below y) y base n got) /\ length (grown (rows_below y) y base n got) = k.
Proof.
  induction n as [|n IH]; intros got G L; cbn [grown]; [split; auto; lia|].
  apply IH; [apply next_right; auto; lia | rewrite app_length; cbn; lia].
Qed.

Lemma begun_right : grows (begun row_of k r) /\ length (begun row_of k r) <= k.
Proof.
  destruct y_is as [Y R]. destruct (Nat.eq_dec r 0) as [Z|Z].
  - assert (begun row_of k r = []) as -> by (unfold begun; now rewrite Z). split; [|cbn; lia].
    assert (base = k) as B by (unfold base; now rewrite Z). split; cbn [map length]; rewrite ?B.
    + repeat constructor. auto.
    + intros e [<-|[]]. auto.
    + now left.
    + intros [|j] e E; discriminate.
    + lia.
    + intros (K & _) L. lia.
  - assert (begun row_of k r = map (fun e => (fst e, snd e + s k)) (snd (row_of r)) ++ [(k, s k)]) as ->
      by (unfold begun; apply Nat.eqb_neq in Z; now rewrite Z).
    assert (right_row r) as G by (apply before; pose proof (rest_below y some); unfold r in *; lia).
    pose proof (level_below r k ltac:(lia) R) as Lr. pose proof (level_spec r ltac:(lia)) as Sr.
    assert (base = base_of r) as B by (unfold base; apply Nat.eqb_neq in Z; now rewrite Z).
    assert (map fst (map (fun e => (fst e, snd e + s k)) (snd (row_of r)) ++ [(k, s k)]) = gets r ++ [k]) as M
      by (rewrite map_app, map_map; reflexivity).
    assert (length (map (fun e => (fst e, snd e + s k)) (snd (row_of r))) = level r) as W by (rewrite map_length; apply (full r G)).
    split; [|rewrite app_length, W; cbn; lia]. split; rewrite ?M, ?B.
    + apply (nodup_last (base_of r :: gets r)); [apply (distinct r G)|]. intros I. apply (bounded r G) in I. lia.
    + intros e I. apply (in_app_or (base_of r :: gets r)) in I as [I|[<-|[]]]; auto. apply (bounded r G) in I. lia.
    + apply (in_or_app (base_of r :: gets r)). right. now left.
    + intros j e E. apply nth_last in E as [E|[-> ->]].
      * assert (j < level r) as Lj by (rewrite <- W; apply nth_error_Some; congruence).
        pose proof (rises_on j _ Lj) as Sj. pose proof (beyond j).
        apply map_nth_error_inv in E as (x & -> & E). apply (offered r G) in E.
        set (z := r - s j) in *. replace (y - s j) with (s k + z) by lia.
        assert (level (s k + z) = k /\ rest (s k + z) = z) as [Lz Rz].
        { assert (level (s k + z) = k) as Q by (apply level_is; pose proof (level_spec y some) as Sy; fold k in Sy; lia).
          split; auto. unfold rest. rewrite Q. lia. }
        unfold offers in *. fold (base_of (s k + z)). rewrite base_is, Rz by lia. fold (base_of z) in E.
        destruct (Nat.eqb_spec z 0) as [|Nz]; [lia|]. destruct E as [E|E]; [left; subst x; cbn; f_equal; lia | right].
        destruct (row_begins (s k + z) ltac:(lia)) as (more & ->). rewrite Lz, Rz. unfold begun. destruct (Nat.eqb_spec z 0); [lia|].
        rewrite <- app_assoc, firstn_app. apply in_or_app. left. rewrite firstn_map. apply in_map_iff. exists x. auto.
      * rewrite W.
        assert (level (s k + (r - s (level r))) = k) as Q by (apply level_is; pose proof (level_spec y some) as Sy; fold k in Sy; lia).
        replace (y - s (level r)) with (s k + (r - s (level r))) by lia.
        assert (rest (s k + (r - s (level r))) = rest r) as Rr by (unfold rest at 1; rewrite Q; unfold rest; lia).
        rewrite <- Q at 1 2. apply has_largest; [lia|]. rewrite Rr. intros P. pose proof (rest_is r ltac:(lia)).
        pose proof (rest_below r ltac:(lia)). split; [apply before; pose proof (rest_below y some); unfold r in *; lia|].
        apply level_below; lia.
    + rewrite app_length, W. cbn. rewrite Nat.add_1_r. lia.
    + intros (_ & Z0 & _). contradiction.
Qed.

Lemma grows_right : right_row y.
Proof.
  destruct begun_right as [G L].
  pose proof (row_is y some : row_of y = (base, grown (rows_below y) y base (k - length (begun row_of k r)) _)) as E.
  destruct (grown_right (k - length (begun row_of k r)) _ G ltac:(lia)) as [H F].
  split; unfold base_of, gets; rewrite E; cbn [fst snd]; auto.
  - apply (grows_distinct _ H).
  - apply (grows_bounded _ H).
  - apply (grows_offered _ H).
Qed.
End Growing.

Theorem rows_right y : 0 < y -> right_row y.
Proof.
  induction y as [y IH] using lt_wf_ind. intros Y. apply grows_right; auto. intros z Z. apply IH; lia.
Qed.
End Line.
