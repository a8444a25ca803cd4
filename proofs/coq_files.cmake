# What a formula's proof needs of the theory, in the order in which it is compiled.
set(coq_files Semantics Bridge Reversal LastChance Trees Factors Products Tori Catalogue Formulas Offsets Families)
