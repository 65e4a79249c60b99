/**
 * What passes decide by weighing costs against limits. Any answer is right and some are faster, so an answer that was found at one
 * size may be given again at another: then two compilations differ by what they know of sizes, and by nothing else.
 */

/** Takes what was found, and gives what is to be done: the same, or what was decided before. */
export type Decide = <Answer>(found: Answer) => Answer;

/** Every answer is the one found. */
export const asFound: Decide = (found) => found;

/** Keeps the answers in their order. */
export function keeping(answers: unknown[]): Decide {
  return (found) => {
    answers.push(found);
    return found;
  };
}

/** Gives the answers again, in their order. @throws RangeError when more is asked than was: the passes have taken another way. */
export function repeating(answers: readonly unknown[]): Decide {
  let next = 0;
  return <Answer>(): Answer => {
    if (next === answers.length)
      throw new RangeError("more is decided here than where the decisions were made");
    return answers[next++] as Answer;
  };
}
