/**
 * Rewrite rules as data. Each holds bit for bit, also for NaN (of any payload), infinities and −0; its law says why. `x * 0` is not 0 and
 * `x - x` is not 0, so neither is a rule. A property test takes every rule through the special values.
 *
 * A rule reduces the work or the number of ops, or moves a reshape or an expand one step towards the results, so rewriting ends. What a
 * rule removes is not computed. An error that only its computation would raise is not raised, as with any dead code.
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

/** The first rule that applies is used. */
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
