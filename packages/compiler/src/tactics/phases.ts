/**
 * The phases of a kernel: its top statements that loop, store or look up. Pure statements between them are recomputed where they are
 * needed.
 */
import { definitionsOf, isLoop, type LoopKernel, mentionsOf, type Statement } from "@fuseau/ir";

export interface PlannedPhase {
  /** The top statements that it needs and that are no phases, in order. */
  readonly before: readonly Statement[];
  readonly statements: readonly Statement[];
}

/** Consecutive statements without loops are one phase, with the definitions that they need. */
export function planPhases({ body }: LoopKernel): PlannedPhase[] {
  if (body.length === 1) return [{ before: [], statements: body }];
  const groups: Statement[][] = [];
  let open: Statement[] | null = null;
  for (const statement of body) {
    if (isPure(statement)) continue;
    if (standsAlone(statement)) {
      groups.push([statement]);
      open = null;
    } else if (open === null) {
      open = [statement];
      groups.push(open);
    } else open.push(statement);
  }
  return storesLast(groups, body).map((statements) => {
    const needed = neededBy(statements, body);
    if (standsAlone(statements[0]!)) return { before: needed, statements };
    const all = new Set([...needed, ...statements]);
    return { before: [], statements: body.filter((each) => all.has(each)) };
  });
}

/**
 * Moves statements without loops to one phase behind all loops, where no later phase, nor what is recomputed for it, reads what they
 * store. This saves a phase for each. It also keeps what they overwrite readable for all phases.
 */
function storesLast(
  groups: readonly (readonly Statement[])[],
  top: readonly Statement[],
): readonly (readonly Statement[])[] {
  const last: Statement[] = [];
  const kept = groups.filter((statements, k) => {
    if (standsAlone(statements[0]!)) return true;
    const stored = new Set(statements.flatMap((each) => (each.kind === "store" ? [each.buffer] : [])));
    const read = groups
      .slice(k + 1)
      .filter((later) => standsAlone(later[0]!))
      .some((later) =>
        [...mentionsOf([...later, ...neededBy(later, top)]).buffers].some((buffer) => stored.has(buffer)),
      );
    if (!read) last.push(...statements);
    return read;
  });
  return last.length === 0 ? kept : [...kept, last];
}

const isPure = ({ kind }: Statement): boolean => kind === "integer" || kind === "let";
/** A phase of its own. */
const standsAlone = (statement: Statement): boolean => isLoop(statement) || statement.kind === "sort";

/** The definitions at the top that statements depend on. */
const neededBy = (statements: readonly Statement[], top: readonly Statement[]): readonly Statement[] =>
  definitionsOf(mentionsOf(statements).locals, top);
