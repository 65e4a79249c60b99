/**
 * Rewrite rules as data. Each holds bit for bit, for NaN (whose payload is nobody's), infinities and −0 too: its law says why.
 * `x * 0` is not 0 and `x - x` is not 0, so they are not here. A property test takes every rule through the special values.
 *
 * A rule lessens the work, or the ops that compute, or moves a reshape or an expand one step towards the results; so rewriting
 * ends. What a rule leaves out is not computed, and an error that only computing it would raise is not raised, as with any
 * dead code.
 */
import { foldConstant } from "./fold-constant.ts";
import type { Rule } from "./rule.ts";
import { arithmetic } from "./rules/arithmetic.ts";
import { broadcasts } from "./rules/broadcasts.ts";
import { casts } from "./rules/casts.ts";
import { comparisons } from "./rules/comparisons.ts";
import { folds } from "./rules/folds.ts";
import { identities } from "./rules/identities.ts";
import { integers } from "./rules/integers.ts";
import { joins } from "./rules/joins.ts";
import { movements } from "./rules/movements.ts";
import { selects } from "./rules/selects.ts";

/** Of the rules for one op the first that applies is taken. */
export const rules: readonly Rule[] = [
  ...identities,
  ...arithmetic,
  ...comparisons,
  ...selects,
  ...casts,
  ...integers,
  ...broadcasts,
  ...movements,
  ...joins,
  ...folds,
];

/** Tried at every pointwise term whose operands are all constants. */
export const foldConstants: Rule = {
  at: [],
  law: "an exact op on constants → the constant it gives, by the same functions that kernels call",
  apply: foldConstant,
};
