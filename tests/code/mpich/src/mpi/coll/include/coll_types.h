/* What the stand-in takes from a checkout, as little as it needs. */
typedef struct MPIR_Treealgo_tree_t MPIR_Treealgo_tree_t;
