/**
 * Decisions that passes make by comparing costs with limits. Every answer is correct, and some are faster. So the answers found at one
 * size may be replayed at another. The two compilations then differ only in what follows from the sizes.
 */

/** Receives the answer found, and gives the one to use: the same, or that of an earlier compilation. */
export type Decide = <Answer>(found: Answer) => Answer;

/** Uses every answer found. */
export const asFound: Decide = (found) => found;

/** Records the answers in order. */
export function keeping(answers: unknown[]): Decide {
  return (found) => {
    answers.push(found);
    return found;
  };
}

/** Replays the answers in order. @throws RangeError when there are more decisions than answers: the passes have taken another path. */
export function repeating(answers: readonly unknown[]): Decide {
  let next = 0;
  return <Answer>(): Answer => {
    if (next === answers.length) throw new RangeError("there are more decisions than were recorded");
    return answers[next++] as Answer;
  };
}
