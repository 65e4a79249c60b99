/** A compensated sum's value. A sum that is not finite has lost track of its error: then the plain sum is right. */
export function compensated(sum: number, lost: number): number {
  const whole = sum + lost;
  return Number.isFinite(whole) ? whole : sum;
}
