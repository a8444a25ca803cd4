(* Schedules in which a rank has two places for a block: the block itself, and one copy in scratch. At a step each place takes from one
   place at most, of the same block. What is known of places before a step says what is known after it. *)
Require Import Arith Bool List Lia.
From Collectives Require Import Semantics Bridge Reversal Cells.
Import ListNotations.

(* From which rank, from its copy or not, and how, a rank's place for a block takes at a step, if it does *)
Definition taking := rank -> block -> bool -> option (rank * bool * op).

(* How often which rank contributed to what a place holds, as far as that is known *)
Definition knowledge := rank -> block -> bool -> option (rank -> nat).

Section Copies.
Variable p : nat.

Definition copy_of (b : block) (k : bool) : block := if k then p + b else b.
Definition takes (g : taking) (x : rank) (b : block) (k : bool) : list cell_transfer :=
  match g x b k with Some (y, j, o) => [cell_move y x (copy_of b j) (copy_of b k) o] | None => [] end.
Definition taken (g : taking) : list cell_transfer :=
  flat_map (fun x => flat_map (fun b => flat_map (takes g x b) [false; true]) (seq 0 p)) (seq 0 p).

Definition known (K : knowledge) (s : state) : Prop := forall x b k C, x < p -> b < p -> K x b k = Some C ->
  exists v, s (cell p x (copy_of b k)) 0 = Some v /\ forall i, times v i = if i / p =? b then C (i mod p) else 0.

(* Taking is allowed where K holds, and K' holds afterwards. *)
Definition leads (K : knowledge) (g : taking) (K' : knowledge) : Prop := forall x b k, x < p -> b < p ->
  match g x b k with
  | None => forall C', K' x b k = Some C' -> exists C, K x b k = Some C /\ forall c, c < p -> C' c = C c
  | Some (y, j, o) => y < p /\ (y, j) <> (x, k) /\ exists D, K y b j = Some D /\
      match o with
      | Copy => forall C', K' x b k = Some C' -> forall c, c < p -> C' c = D c
      | Reduce => exists C, K x b k = Some C /\ forall C', K' x b k = Some C' -> forall c, c < p -> C' c = C c + D c
      end
  end.

Lemma copy_below b k : b < p -> copy_of b k < p + p.
Proof. destruct k; cbn; lia. Qed.

Lemma copy_inj b k b' k' : b < p -> b' < p -> copy_of b k = copy_of b' k' -> b = b' /\ k = k'.
Proof. destruct k, k'; cbn; lia. Qed.

Lemma in_taken g t : In t (taken g) -> exists x b k y j o, x < p /\ b < p /\ g x b k = Some (y, j, o) /\
  t = cell_move y x (copy_of b j) (copy_of b k) o.
Proof.
  intros T. apply in_flat_map in T as (x & X & T). apply in_flat_map in T as (b & B & T). apply in_flat_map in T as (k & _ & T).
  rewrite in_below in *. unfold takes in T. destruct (g x b k) as [[[y j] o]|] eqn:G; [|contradiction].
  destruct T as [<-|[]]. exists x, b, k, y, j, o. auto.
Qed.

Definition place_of (x : rank) (b : block) (k : bool) : rank := cell p x (copy_of b k).

Lemma place_inj x b k x' b' k' : x < p -> x' < p -> b < p -> b' < p -> place_of x b k = place_of x' b' k' -> x = x' /\ b = b' /\ k = k'.
Proof. intros X X' B B' E. apply cell_inj in E as [-> E]; auto. apply copy_inj in E; tauto. Qed.

Lemma writes_taken g x b k : x < p -> b < p -> writes (map (laid p) (taken g)) (place_of x b k) 0 = map (laid p) (takes g x b k).
Proof.
  intros X B. unfold writes.
  assert (forall l, filter (into (place_of x b k) 0) (map (laid p) l) = map (laid p) (filter (fun t => into (place_of x b k) 0 (laid p t)) l)) as M.
  { induction l as [|t l IH]; cbn [map filter]; auto. destruct (into _ 0 (laid p t)); cbn [map]; now rewrite IH. }
  rewrite M. f_equal. unfold taken.
  assert (forall x' b' k' t, x' < p -> b' < p -> In t (takes g x' b' k') -> taker t = x' /\ fills t = copy_of b' k') as I.
  { intros x' b' k' t _ _ T. unfold takes in T. destruct (g x' b' k') as [[[y j] o]|]; [|contradiction]. now destruct T as [<-|[]]. }
  assert (forall x' b' k' t, x' < p -> b' < p -> In t (takes g x' b' k') -> (x', b', k') <> (x, b, k) ->
    into (place_of x b k) 0 (laid p t) = false) as O.
  { intros x' b' k' t X' B' T N. destruct (I _ _ _ _ X' B' T) as [E F]. apply not_true_iff_false. rewrite into_true. cbn [laid dst what].
    rewrite E, F. intros [D _]. apply place_inj in D as (-> & -> & ->); auto. }
  rewrite filter_flat_map, (flat_map_one _ _ x), filter_flat_map, (flat_map_one _ _ b), filter_flat_map, (flat_map_one _ _ k);
    auto using seq_NoDup; try (now apply in_below).
  - apply filter_all. intros t T. destruct (I _ _ _ _ X B T) as [E F]. apply into_true. cbn [laid dst what]. now rewrite E, F.
  - repeat constructor; cbn; intuition discriminate.
  - destruct k; cbn; auto.
  - intros k' _ N. apply filter_none. intros t T. apply (O x b k'); auto. congruence.
  - intros b' B' N. apply in_below in B'. apply filter_none. intros t T. apply in_flat_map in T as (k' & _ & T).
    apply (O x b' k'); auto. congruence.
  - intros x' X' N. apply in_below in X'. apply filter_none. intros t T. apply in_flat_map in T as (b' & B' & T).
    apply in_below in B'. apply in_flat_map in T as (k' & _ & T). apply (O x' b' k'); auto. congruence.
Qed.

Lemma pairs_map {A B} (f : A -> B) (P : B -> B -> Prop) l : ForallOrdPairs (fun a b => P (f a) (f b)) l -> ForallOrdPairs P (map f l).
Proof. induction 1 as [|a l F _ IH]; cbn; constructor; auto. now rewrite Forall_map. Qed.

(* No two transfers of a step go into one place. *)
Lemma taken_compatible g : ForallOrdPairs compatible (map (laid p) (taken g)).
Proof.
  apply pairs_map.
  assert (forall x x' b b' k k' t u, x < p -> x' < p -> b < p -> b' < p -> In t (takes g x b k) -> In u (takes g x' b' k') ->
    (x, b, k) <> (x', b', k') -> compatible (laid p t) (laid p u)) as C.
  { intros x x' b b' k k' t u X X' B B' T U N D _. exfalso. apply N. unfold takes in *.
    destruct (g x b k) as [[[y j] o]|]; [|contradiction]. destruct (g x' b' k') as [[[y' j'] o']|]; [|contradiction].
    destruct T as [<-|[]], U as [<-|[]]. cbn [laid dst taker fills] in D. apply place_inj in D as (-> & -> & ->); auto. }
  apply pairs_flat_map; [apply seq_NoDup| |].
  - intros x X. apply in_below in X. apply pairs_flat_map; [apply seq_NoDup| |].
    + intros b B. apply in_below in B. apply pairs_flat_map; [repeat constructor; cbn; intuition discriminate| |].
      * intros k _. unfold takes. destruct (g x b k) as [[[y j] o]|]; repeat constructor.
      * intros k k' t u _ _ N T U. apply (C x x b b k k'); auto. congruence.
    + intros b b' t u B B' N T U. apply in_below in B, B'. apply in_flat_map in T as (k & _ & T), U as (k' & _ & U).
      apply (C x x b b' k k'); auto. congruence.
  - intros x x' t u X X' N T U. apply in_below in X, X'. apply in_flat_map in T as (b & B & T), U as (b' & B' & U).
    apply in_below in B, B'. apply in_flat_map in T as (k & _ & T), U as (k' & _ & U). apply (C x x' b b' k k'); auto. congruence.
Qed.

Lemma taken_inside K g K' : leads K g K' -> Forall (inside p (p + p)) (taken g).
Proof.
  intros L. apply Forall_forall. intros t T. apply in_taken in T as (x & b & k & y & j & o & X & B & G & ->).
  specialize (L x b k X B). rewrite G in L. unfold inside. cbn. intuition auto using copy_below.
Qed.

Lemma taken_step K g K' s : leads K g K' -> known K s ->
  well_formed_step (p * (p + p)) 1 s (map (laid p) (taken g)) /\ known K' (after s (map (laid p) (taken g))).
Proof.
  intros L H. split; [split; [|apply taken_compatible]|].
  - rewrite Forall_map. apply Forall_forall. intros t T. apply in_taken in T as (x & b & k & y & j & o & X & B & G & ->).
    specialize (L x b k X B). rewrite G in L. destruct L as (Y & N & D & E & Lo).
    destruct (H y b j D Y B E) as (v & V & _). unfold allowed. cbn [laid src dst what how giver taker reads fills does].
    split; [now apply cell_below, copy_below|]. split; [now apply cell_below, copy_below|]. split; [auto|].
    split; [intros F; apply place_inj in F as (-> & _ & ->); auto|]. split; [congruence|].
    intros ->. destruct Lo as (C & F & _). destruct (H x b k C X B F) as (w & W & _). congruence.
  - intros x b k C X B E. fold (place_of x b k). unfold after. rewrite writes_taken by auto. unfold takes. specialize (L x b k X B).
    destruct (g x b k) as [[[y j] o]|].
    + destruct L as (Y & N & D & Dk & Lo). destruct (H y b j D Y B Dk) as (v & V & Tv). cbn [map fold_left].
      unfold write. cbn [laid how src what giver reads does]. rewrite V. destruct o.
      * destruct Lo as (F & Fk & S). destruct (H x b k F X B Fk) as (w & W & Tw). unfold place_of. rewrite W. cbn [sum].
        exists (w ++ v). split; auto. intros i. unfold times in *. rewrite count_occ_app, Tw, Tv.
        destruct (i / p =? b); auto. rewrite (S C E); auto. apply Nat.mod_upper_bound. lia.
      * exists v. split; auto. intros i. rewrite Tv. destruct (i / p =? b); auto. rewrite (Lo C E); auto. apply Nat.mod_upper_bound. lia.
    + destruct (L C E) as (D & Dk & S). destruct (H x b k D X B Dk) as (v & V & Tv). cbn [map fold_left]. exists v. split; auto.
      intros i. rewrite Tv. destruct (i / p =? b); auto. rewrite S; auto. apply Nat.mod_upper_bound. lia.
Qed.

(* K says all that K' says. *)
Definition says (K K' : knowledge) : Prop := forall x b k C', x < p -> b < p -> K' x b k = Some C' ->
  exists C, K x b k = Some C /\ forall c, c < p -> C' c = C c.

Lemma says_known K K' s : says K K' -> known K s -> known K' s.
Proof.
  intros S H x b k C X B E. destruct (S x b k C X B E) as (D & F & A). destruct (H x b k D X B F) as (v & V & T).
  exists v. split; auto. intros i. rewrite T. destruct (i / p =? b); auto. rewrite A; auto. apply Nat.mod_upper_bound. lia.
Qed.

(* Steps that lead from K to K' *)
Inductive run_leads : knowledge -> list taking -> knowledge -> Prop :=
  | no_steps K K' : says K K' -> run_leads K [] K'
  | less_known K K' gs M : says K K' -> run_leads K' gs M -> run_leads K gs M
  | one_more K g L gs M : leads K g L -> run_leads L gs M -> run_leads K (g :: gs) M.

Lemma run_leads_app K gs L hs M : run_leads K gs L -> run_leads L hs M -> run_leads K (gs ++ hs) M.
Proof.
  induction 1 as [K K' S|K K' gs L S _ IH|K g L' gs L G _ IH]; cbn [app]; intros R.
  - now apply (less_known _ K').
  - apply (less_known _ K'); auto.
  - apply (one_more _ _ L'); auto.
Qed.

Lemma says_same K : says K K.
Proof. intros x b k C _ _ E. exists C. auto. Qed.

Theorem leads_run K gs K' : run_leads K gs K' -> forall s, known K s ->
  Forall (Forall (inside p (p + p))) (map taken gs) /\
  well_formed (p * (p + p)) 1 s (laid_out p (map taken gs)) /\ known K' (final s (laid_out p (map taken gs))).
Proof.
  induction 1 as [K K' S|K K' gs M S _ IH|K g L gs M G _ IH]; intros s H.
  - cbn. split; auto. split; auto. now apply (says_known K).
  - apply IH. now apply (says_known K).
  - destruct (taken_step K g L s G H) as [W H']. destruct (IH _ H') as (I & W' & F).
    split; [constructor; eauto using taken_inside|]. cbn. auto.
Qed.

(* Everybody begins with its own contribution to each block, and no copies. An allreduce ends with all contributions. *)
Definition own : knowledge := fun x _ k => if k then None else Some (fun c => if c =? x then 1 else 0).
Definition all_of_it : knowledge := fun _ _ k => if k then None else Some (fun _ => 1).

Theorem takings_once gs : 0 < p -> run_leads own gs all_of_it -> exactly_once_in_cells Allreduce p p p (map taken gs).
Proof.
  intros P R. set (s := cell_start Allreduce p p). assert (known own s) as H.
  { intros x b k C X B E. destruct k; [discriminate|]. injection E as <-. unfold s, cell_start, begins_with. cbn [copy_of contributes].
    rewrite cell_div by auto. apply Nat.ltb_lt in B as ->. exists [cell p x b]. split; auto. intros i. unfold times. cbn [count_occ].
    pose proof (cell_of p i P) as I. pose proof (Nat.mod_upper_bound i p ltac:(lia)).
    destruct (Nat.eq_dec (cell p x b) i) as [<-|N].
    - now rewrite cell_div, cell_mod, !Nat.eqb_refl.
    - destruct (Nat.eqb_spec (i / p) b), (Nat.eqb_spec (i mod p) x); auto. exfalso. apply N. now subst. }
  destruct (leads_run _ _ _ R s H) as (I & W & F). split; [now apply allreduce_posed | split; auto]. split; auto.
  intros x b X B _. destruct (F x b false (fun _ => 1) X B eq_refl) as (v & V & T). exists v. split; auto.
  intros i. rewrite T. cbn [contributes]. now rewrite andb_true_r.
Qed.
End Copies.
