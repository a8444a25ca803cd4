(* Bruck's allgather, near ranks first, for every p: how often rank r receives the block of rank r - d. *)
Require Import ZArith Lia Bool.
Require Import Obligations Shifts.
Open Scope Z_scope.

Section Bruck.
Variable p : Z.
Hypothesis positive : 0 < p.

(* After s steps, displacement d: what was there, and what comes from the rank 2^s to the left, if the step sends it *)
Fixpoint got (s : nat) (d : Z) : Z :=
  match s with
  | O => if d =? 0 then 1 else 0
  | S k =>
      let w := power k in
      got k d + (if (0 <=? d - w) && (d - w <? Z.min w (p - w)) then got k (d - w) else 0)
  end.

Definition width (s : nat) : Z := Z.min (power s) p.

Theorem bruck s : forall d, 0 <= d < p -> got s d = if d <? width s then 1 else 0.
Proof.
  unfold width. induction s as [|k IH]; intros d D.
  - cbn [got power]. destruct (d =? 0) eqn:E, (d <? Z.min 1 p) eqn:F; lia.
  - cbn [got power]. pose proof (power_positive k). rewrite IH by auto.
    destruct (Z_lt_ge_dec (power k) p) as [L|G].
    + pose proof (near_step (power k) p (Z.min (2 * power k) p) d (Z.min (power k) (p - power k))) as N.
      destruct ((0 <=? d - power k) && (d - power k <? Z.min (power k) (p - power k))) eqn:E.
      * rewrite IH by lia. destruct (d <? Z.min (power k) p) eqn:A, (d - power k <? Z.min (power k) p) eqn:B,
          (d <? Z.min (2 * power k) p) eqn:C; lia.
      * destruct (d <? Z.min (power k) p) eqn:A, (d <? Z.min (2 * power k) p) eqn:C; lia.
    + destruct ((0 <=? d - power k) && (d - power k <? Z.min (power k) (p - power k))) eqn:E; [lia|].
      destruct (d <? Z.min (power k) p) eqn:A, (d <? Z.min (2 * power k) p) eqn:C; lia.
Qed.

(* With ceil(log2 p) steps every block comes exactly once. *)
Corollary bruck_gathers s d : p <= power s -> 0 <= d < p -> got s d = 1.
Proof. intros P D. rewrite bruck by auto. unfold width. destruct (d <? Z.min (power s) p) eqn:E; lia. Qed.
End Bruck.

Print Assumptions bruck_gathers.
