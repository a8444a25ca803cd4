(* Plans of last-chance sending. One pass over the steps, from the last one on, finds for each rank when it last reaches the owner:
   `reaches` would try all sequences of steps. If peers look alike from all owners, one pass serves all of them. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge LastChance Trees Factors Catalogue Tables Plans.
Import ListNotations.

Section Stages.
Variables p n : nat.
Variable peer : rank -> nat -> rank.
Variable q : rank.

(* The step at which a rank passes on, of those from t on; n for the owner; None if it doesn't reach the owner with these steps *)
Definition one_more (t : nat) (later : rank -> option nat) : rank -> option nat :=
  memo p (fun x => match later x with
                   | Some u => Some u
                   | None => match later (peer x t) with Some _ => Some t | None => None end
                   end).
Fixpoint stage (m t : nat) : rank -> option nat :=
  match m with
  | O => fun x => if x =? q then Some n else None
  | S k => one_more t (stage k (S t))
  end.
Definition chances : rank -> option nat := stage n 0.

Lemma stage_next k t x : stage (S k) t x =
  match stage k (S t) x with Some u => Some u | None => match stage k (S t) (peer x t) with Some _ => Some t | None => None end end.
Proof. apply memo_same. Qed.

Lemma stage_reaches m : forall t x, reaches peer q m t x = match stage m t x with Some _ => true | None => false end.
Proof.
  induction m as [|m IH]; intros t x; [cbn; now destruct (x =? q)|]. rewrite stage_next. cbn [reaches]. rewrite !IH.
  destruct (stage m (S t) x); auto. cbn [orb]. destruct (stage m (S t) (peer x t)); auto.
Qed.

Lemma stage_late m : forall t x u, t + m = n -> stage m t x = Some u -> t <= u <= n.
Proof.
  induction m as [|m IH]; intros t x u T.
  - cbn. destruct (x =? q); [|discriminate]. intros E. injection E as <-. lia.
  - rewrite stage_next. destruct (stage m (S t) x) as [v|] eqn:E.
    + intros F. injection F as <-. apply IH in E; lia.
    + destruct (stage m (S t) (peer x t)); [|discriminate]. intros F. injection F as <-. lia.
Qed.

(* A later stage is kept. *)
Lemma stage_keeps m : forall k t x u, stage m (k + t) x = Some u -> stage (k + m) t x = Some u.
Proof.
  intros k. induction k as [|k IH]; intros t x u H; auto. cbn [plus]. rewrite stage_next.
  rewrite (IH (S t) x u); auto. replace (k + S t) with (S k + t) by lia. exact H.
Qed.

Theorem last_chance_stage t x : t < n ->
  last_chance peer n q t x = match chances x with Some u => if t =? u then Some (peer x t) else None | None => None end.
Proof.
  intros T. unfold last_chance, chances. rewrite !stage_reaches. set (k := n - S t).
  assert (forall u, stage k (S t) x = Some u -> stage n 0 x = Some u) as Later.
  { intros u H. replace n with (S t + k) at 1 by (unfold k; lia). apply stage_keeps. now rewrite Nat.add_0_r. }
  assert (stage n 0 x = Some t -> stage (S k) t x = Some t) as Back.
  { clear Later. intros H. enough (forall j i, i + j = t -> stage (j + S k) i x = Some t -> stage (S k) t x = Some t) as E.
    { apply (E t 0); auto. now replace (t + S k) with n by (unfold k; lia). }
    clear H. induction j as [|j IH]; intros i I H; [now replace t with i at 1 by lia|].
    apply (IH (S i)); [lia|]. cbn [plus] in H. rewrite stage_next in H. destruct (stage (j + S k) (S i) x) as [u|]; auto.
    destruct (stage (j + S k) (S i) (peer x i)); [|discriminate]. injection H as H. lia. }
  rewrite stage_next in Back. destruct (stage k (S t) x) as [u|] eqn:E.
  - rewrite andb_false_r, (Later u eq_refl). apply stage_late in E; [|unfold k; lia].
    destruct (Nat.eqb_spec t u); auto. lia.
  - cbn [negb]. rewrite andb_true_r. destruct (stage k (S t) (peer x t)) as [v|] eqn:F.
    + replace (stage n 0 x) with (Some t); [now rewrite Nat.eqb_refl|]. symmetry.
      replace n with (t + S k) at 1 by (unfold k; lia). apply stage_keeps. rewrite Nat.add_0_r, stage_next, E, F. reflexivity.
    + destruct (stage n 0 x) as [u|]; auto. destruct (Nat.eqb_spec t u) as [<-|]; auto. specialize (Back eq_refl). discriminate.
Qed.

Definition chance (peers : nat -> rank -> rank) (u : option nat) (x : rank) : option (nat * rank) :=
  match u with Some t => if t <? n then Some (t, peers t x) else None | None => None end.

Lemma chance_planned peers : (forall t x, peers t x = peer x t) ->
  planned p n (last_chance peer n q) (fun x => chance peers (chances x) x).
Proof.
  intros E. split.
  - intros x v d _. unfold chance. destruct (chances x) as [t|]; [|discriminate]. destruct (Nat.ltb_spec t n) as [L|L]; [|discriminate].
    intros H. injection H as <- _. exact L.
  - intros t x T _. rewrite last_chance_stage by auto. unfold chance. destruct (chances x) as [v|]; auto.
    destruct (Nat.ltb_spec v n); cbn [at_time]; destruct (Nat.eqb_spec t v) as [->|]; auto; lia.
Qed.
End Stages.

(* Peers, each asked for once *)
Definition peer_table (p n : nat) (peer : rank -> nat -> rank) : nat -> rank -> rank := memo n (fun t => memo p (fun x => peer x t)).

Lemma peer_table_same p n peer t x : peer_table p n peer t x = peer x t.
Proof. unfold peer_table. now rewrite !memo_same. Qed.

(* Peers that look alike from all owners: `seen q` renames ranks so that q becomes 0. *)
Section Alike.
Variables p n : nat.
Variable peer : rank -> nat -> rank.
Variable seen : rank -> rank -> rank.

Definition alike : Prop := forall q x, q < p -> x < p ->
  (seen q x = 0 <-> x = q) /\ forall t, t < n -> peer x t < p /\ seen q (peer x t) = peer (seen q x) t.

Lemma alike_reaches q : alike -> q < p -> forall m t x, t + m <= n -> x < p -> reaches peer q m t x = reaches peer 0 m t (seen q x).
Proof.
  intros A Q. induction m as [|m IH]; intros t x T X; destruct (A q x Q X) as [Z C].
  - cbn. destruct (Nat.eqb_spec x q), (Nat.eqb_spec (seen q x) 0); auto; tauto.
  - cbn [reaches]. destruct (C t ltac:(lia)) as [B E]. rewrite <- E, !IH by (auto; lia). reflexivity.
Qed.

Definition peers_plan : plan :=
  let chance_0 := chances p n peer 0 in
  let peers := peer_table p n peer in
  Plan p n (fun q x => chance n peers (chance_0 (seen q x)) x).

Theorem peers_plans : alike -> plans (peer_factor p n peer) peers_plan.
Proof.
  intros A q Q. cbn in Q. split; [|split]; auto. cbn [ranks steps path peer_factor peers_plan plan_sends].
  split.
  - intros x u d _. unfold chance. destruct (chances p n peer 0 (seen q x)) as [t|]; [|discriminate].
    destruct (Nat.ltb_spec t n) as [L|L]; [|discriminate]. intros H. injection H as <- _. exact L.
  - intros t x T X. destruct (A q x Q X) as [_ C]. destruct (C t T) as [B E].
    pose proof (last_chance_stage p n peer 0 t (seen q x) T) as F. unfold last_chance in *. unfold chance.
    rewrite <- E, <- !(alike_reaches q A Q) in F by (auto; lia).
    destruct (reaches peer q (n - S t) (S t) (peer x t) && _), (chances p n peer 0 (seen q x)) as [v|]; try discriminate; auto;
      destruct (Nat.ltb_spec v n); cbn [at_time]; destruct (Nat.eqb_spec t v); try discriminate; auto; try lia.
    subst v. now rewrite peer_table_same.
Qed.
End Alike.

(* One owner alone, for trees *)
Definition tree_plan (p n : nat) (peer : rank -> nat -> rank) (root : rank) : plan :=
  let chance_root := chances p n peer root in
  let peers := peer_table p n peer in
  Plan p n (fun _ x => chance n peers (chance_root x) x).

Theorem tree_plan_follows p n peer root : follows root (peer_factor p n peer) (tree_plan p n peer root).
Proof. split; [|split]; auto. apply chance_planned, peer_table_same. Qed.
