/**
 * Rewrite rules as data. Each holds bit for bit, for NaN (whose payload is nobody's), infinities and −0 too: its law says why.
 * `x * 0` is not 0 and `x - x` is not 0, so they are not here. A property test takes every rule through the special values.
 *
 * A rule lessens the work, or the ops that compute, or moves a reshape or an expand one step towards the results. So rewriting
 * ends. What a rule leaves out is not computed, and an error that only computing it would raise is not raised, as with any dead
 * code.
 */

import type { Rule } from "../terms/rule.ts";
import { arithmetic } from "./arithmetic.ts";
import { broadcasts } from "./broadcasts.ts";
import { casts } from "./casts.ts";
import { comparisons } from "./comparisons.ts";
import { constants } from "./constants.ts";
import { folds } from "./folds.ts";
import { identities } from "./identities.ts";
import { integers } from "./integers.ts";
import { joins } from "./joins.ts";
import { movements } from "./movements.ts";
import { selects } from "./selects.ts";

/** Of the rules for one op the first that applies is taken. */
export const rules: readonly Rule[] = [
  ...constants,
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
