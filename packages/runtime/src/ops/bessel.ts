/**
 * Modified Bessel functions of the first kind, by Chebyshev series in float64.
 * Source: S. L. Moshier, Methods and Programs for Mathematical Functions (Cephes), i0.c and i1.c.
 */
import { cast } from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { floating } from "./operand.ts";
import { abs, add, div, exp, gt, le, lt, map, mul, not, sqrt, sub, where } from "./pointwise.ts";

/** exp(−|x|)·I(x): up to 8 a series in |x|/2 − 2, beyond a series in 32/|x| − 2 divided by √|x|. */
interface Series {
  readonly near: readonly number[];
  readonly far: readonly number[];
}

const order0: Series = {
  near: [
    -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,
    -1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12,
    -1.726826291441556e-11, 9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-9,
    -1.300025009986248e-8, 6.046995022541919e-8, -2.670793853940612e-7, 1.1173875391201037e-6,
    -4.4167383584587505e-6, 1.6448448070728896e-5, -5.754195010082104e-5, 0.00018850288509584165,
    -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998,
    -0.02373741480589947, 0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984,
    0.6767952744094761,
  ],
  far: [
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17,
    -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15,
    -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13,
    7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11,
    1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-9, 2.266668990498178e-8,
    2.0489185894690638e-7, 2.8913705208347567e-6, 6.889758346916825e-5, 0.0033691164782556943,
    0.8044904110141088,
  ],
};

/** The series of I1(x)/x up to 8, and of I1 beyond. */
const order1: Series = {
  near: [
    2.7779141127610464e-18, -2.111421214358166e-17, 1.5536319577362005e-16, -1.1055969477353862e-15,
    7.600684294735408e-15, -5.042185504727912e-14, 3.223793365945575e-13, -1.9839743977649436e-12,
    1.1736186298890901e-11, -6.663489723502027e-11, 3.625590281552117e-10, -1.8872497517228294e-9,
    9.381537386495773e-9, -4.445059128796328e-8, 2.0032947535521353e-7, -8.568720264695455e-7,
    3.4702513081376785e-6, -1.3273163656039436e-5, 4.781565107550054e-5, -0.00016176081582589674,
    0.0005122859561685758, -0.0015135724506312532, 0.004156422944312888, -0.010564084894626197,
    0.024726449030626516, -0.05294598120809499, 0.1026436586898471, -0.17641651835783406, 0.25258718644363365,
  ],
  far: [
    7.517296310842105e-18, 4.414348323071708e-18, -4.6503053684893586e-17, -3.209525921993424e-17,
    2.96262899764595e-16, 3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15,
    1.0420276984128802e-14, 4.272440016711951e-14, -2.1015418427726643e-14, -4.0835511110921974e-13,
    -7.198551776245908e-13, 2.0356285441470896e-12, 1.4125807436613782e-11, 3.2526035830154884e-11,
    -1.8974958123505413e-11, -5.589743462196584e-10, -3.835380385964237e-9, -2.6314688468895196e-8,
    -2.512236237870209e-7, -3.882564808877691e-6, -0.00011058893876262371, -0.009761097491361469,
    0.7785762350182801,
  ],
};

/** The sum of a Chebyshev series whose constant term counts half, the highest term first, by Clenshaw's recurrence. */
function chebyshev(y: Value, coefficients: readonly number[]): Value {
  const [highest, ...rest] = coefficients;
  let before: Value | number = 0;
  let previous: Value | number = 0;
  let sum: Value = add(mul(y, 0), highest!);
  for (const coefficient of rest) {
    before = previous;
    previous = sum;
    sum = add(sub(mul(y, previous), before), coefficient);
  }
  return mul(sub(sum, before), 0.5);
}

/** exp(−|x|) times the function of |x|, in float64. */
function scaledSeries(size: Value, { near, far }: Series): readonly [near: Value, far: Value] {
  return [chebyshev(sub(mul(size, 0.5), 2), near), div(chebyshev(sub(div(32, size), 2), far), sqrt(size))];
}

/** I0(x), or if scaled exp(−|x|)·I0(x). */
export function besselI0(given: Value, scaled: boolean): Value {
  const x = floating(given);
  const compute = (): Value => {
    const size = abs(cast(x, "float64"));
    const [near, far] = scaledSeries(size, order0);
    const value = where(le(size, 8), near, far);
    return cast(scaled ? value : mul(exp(size), value), x.node.dtype);
  };
  return withRule(scaled ? "i0e" : "i0", [x], compute, (result, g) => {
    const slope = besselI1(x, scaled);
    return [mul(g, scaled ? sub(slope, mul(map("sign", x), result)) : slope)];
  });
}

/** I1(x), or if scaled exp(−|x|)·I1(x). */
export function besselI1(given: Value, scaled: boolean): Value {
  const x = floating(given);
  const compute = (): Value => {
    const wide = cast(x, "float64");
    const size = abs(wide);
    const [near, far] = scaledSeries(size, order1);
    const value = where(le(size, 8), mul(near, size), far);
    const signed = where(lt(wide, 0), map("neg", value), value);
    return cast(scaled ? signed : mul(exp(size), signed), x.node.dtype);
  };
  return withRule(scaled ? "i1e" : "i1", [x], compute, (result, g) => {
    // I1(x)/x tends to ½ at 0. NaN counts as 0 there, as in PyTorch.
    const isTiny = not(gt(abs(x), x.node.dtype === "float64" ? 2 ** -52 : 2 ** -23));
    const safe = where(isTiny, 1, x);
    const inverse = map("reciprocal", safe);
    const factor = scaled ? add(map("sign", safe), inverse) : inverse;
    return [mul(g, where(isTiny, 0.5, sub(besselI0(safe, scaled), mul(result, factor))))];
  });
}
