/** Methods of functions whose tensor does not come first. */
import { floatUnary } from "../declare/families.ts";
import { polygamma as polygammaOf } from "../ops/special.ts";

/** The n-th derivative of the digamma function, as float. */
export const polygamma = floatUnary<[n: number]>("polygamma(n)", (x, n) => polygammaOf(n, x));
