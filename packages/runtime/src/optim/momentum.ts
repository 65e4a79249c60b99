import { trimmed } from "../messages/stack.ts";

/** The momentum of an optimizer, or the first of Adam's betas. */
interface Moving {
  momentum?: number;
  betas?: readonly [number, number];
}

/**
 * Sets that of a group.
 * @throws TypeError when it has neither.
 */
export function setMomentum(schedule: object, group: object, momentum: number): void {
  const moving: Moving = group;
  if (moving.betas !== undefined) moving.betas = [momentum, moving.betas[1]];
  else if (moving.momentum !== undefined) moving.momentum = momentum;
  else
    throw trimmed(
      new TypeError(
        `${schedule.constructor.name}: optimizer must support momentum or beta1 with \`cycleMomentum\` option enabled (cycleMomentum: false changes the rate alone)`,
      ),
      schedule.constructor,
    );
}
