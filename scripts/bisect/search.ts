/** What has to be switched off. */

/**
 * A least set of switches that makes it good: with any one of them on, it is bad. Each is found by halving. Null where all of them off
 * do not make it good.
 *
 * @param isGood whether it is good with these switches off; it is not with none of them off.
 */
export function leastSwitches<S>(
  switches: readonly S[],
  isGood: (off: readonly S[]) => boolean,
): readonly S[] | null {
  if (!isGood(switches)) return null;
  const found: S[] = [];
  let rest = switches;
  do {
    // Good with as many of the rest off as `good`, bad with as many as `bad`: the one between them is needed.
    let [bad, good] = [0, rest.length];
    while (good - bad > 1) {
      const middle = (bad + good) >> 1;
      if (isGood([...found, ...rest.slice(0, middle)])) good = middle;
      else bad = middle;
    }
    found.push(...rest.slice(good - 1, good));
    rest = rest.slice(0, good - 1);
  } while (rest.length > 0 && !isGood(found));
  return found;
}
