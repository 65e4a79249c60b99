/** One pass over arrays: chains, functions, distances. */
import type { AnyTensor } from "fuseau";
import type { JaxArray } from "../peers/jax-contender.ts";
import type { TfTensor } from "../peers/tensorflow-contender.ts";
import { type Contest, either, faster, floats, onTwoThreads, type Target } from "../wasm/contest.ts";

const WIDTH = 1_000;
const COUNT = 1_000_000;

const chain = (height: number, targets: readonly Target[]): Contest => ({
  name: `chain-${height}`,
  title: `(a*b + c)*d - a, ${height}×${WIDTH}, c and d broadcast rows`,
  inputs: () => [
    floats([height, WIDTH], 1),
    floats([height, WIDTH], 2),
    floats([1, WIDTH], 3),
    floats([1, WIDTH], 4),
  ],
  tolerance: 1e-6,
  fuseau: (a, b, c, d) => a.mul(b).add(c).mul(d).sub(a),
  jax: (_, a, b, c, d) => a.ref.mul(b).add(c).mul(d).sub(a),
  tensorflow: (_, a, b, c, d) => a.mul(b).add(c).mul(d).sub(a),
  size: "large",
  targets,
});

const functions: readonly Target[] = [faster(6, "jax-js"), faster(8, "js")];

const tanhOfExp: Contest = {
  name: "tanh-exp",
  title: "tanh(exp(x)), 1,000,000",
  inputs: () => [floats([COUNT], 1, -3, 3)],
  tolerance: 1e-6,
  fuseau: (x) => x.exp().tanh(),
  jax: ({ numpy }, x) => numpy.tanh(numpy.exp(x)),
  tensorflow: (_, x) => x.exp().tanh(),
  size: "large",
  targets: functions,
};

const gelu: Contest = {
  name: "gelu",
  title: "gelu with erf, 1,000,000",
  inputs: () => [floats([COUNT], 1, -3, 3)],
  tolerance: 1e-6,
  fuseau: (x) => x.gelu(),
  jax: ({ nn }, x) => nn.gelu(x, { approximate: false }),
  tensorflow: (_, x) => x.mul(Math.SQRT1_2).erf().add(1).mul(0.5).mul(x),
  size: "large",
  targets: functions,
};

const RATE = 0.02;
const VOLATILITY = 0.3;
const DRIFT = RATE + 0.5 * VOLATILITY ** 2;

const blackScholes: Contest = {
  name: "black-scholes",
  title: "Black–Scholes price of 1,000,000 calls",
  inputs: () => [floats([COUNT], 1, 10, 50), floats([COUNT], 2, 10, 50), floats([COUNT], 3, 0.25, 2)],
  tolerance: 1e-5,
  fuseau(spot, strike, years) {
    const normal = (x: AnyTensor): AnyTensor => x.mul(Math.SQRT1_2).erf().add(1).mul(0.5);
    const deviation = years.sqrt().mul(VOLATILITY);
    const d1 = spot.div(strike).log().add(years.mul(DRIFT)).div(deviation);
    const discounted = years.mul(-RATE).exp().mul(strike);
    return spot.mul(normal(d1)).sub(discounted.mul(normal(d1.sub(deviation))));
  },
  jax({ numpy, scipySpecial }, spot, strike, years) {
    const normal = (x: JaxArray): JaxArray => scipySpecial.erf(x.mul(Math.SQRT1_2)).add(1).mul(0.5);
    const deviation = numpy.sqrt(years.ref).mul(VOLATILITY);
    const d1 = numpy.log(spot.ref.div(strike.ref)).add(years.ref.mul(DRIFT)).div(deviation.ref);
    const discounted = numpy.exp(years.mul(-RATE)).mul(strike);
    return spot.mul(normal(d1.ref)).sub(discounted.mul(normal(d1.sub(deviation))));
  },
  tensorflow(_, spot, strike, years) {
    const normal = (x: TfTensor): TfTensor => x.mul(Math.SQRT1_2).erf().add(1).mul(0.5);
    const deviation = years.sqrt().mul(VOLATILITY);
    const d1 = spot.div(strike).log().add(years.mul(DRIFT)).div(deviation);
    const discounted = years.mul(-RATE).exp().mul(strike);
    return spot.mul(normal(d1)).sub(discounted.mul(normal(d1.sub(deviation))));
  },
  size: "large",
  targets: functions,
};

const PLACES = 3_000;
const DIAMETER = 2 * 6371.0088;

const greatCircle: Contest = {
  name: "great-circle",
  title: "great-circle distances of 3,000 places to 3,000 others, the least of each row",
  inputs: () => [
    floats([PLACES, 1], 1, -1.5, 1.5),
    floats([PLACES, 1], 2, -3.1, 3.1),
    floats([1, PLACES], 3, -1.5, 1.5),
    floats([1, PLACES], 4, -3.1, 3.1),
  ],
  tolerance: 1e-5,
  fuseau(up, east, otherUp, otherEast) {
    const squaredHalfSine = (angle: AnyTensor): AnyTensor => angle.mul(0.5).sin().square();
    const haversine = up
      .cos()
      .mul(otherUp.cos())
      .mul(squaredHalfSine(east.sub(otherEast)))
      .add(squaredHalfSine(up.sub(otherUp)));
    return haversine.clampMax(1).sqrt().asin().mul(DIAMETER).amin(1);
  },
  jax({ numpy }, up, east, otherUp, otherEast) {
    const squaredHalfSine = (angle: JaxArray): JaxArray => numpy.square(numpy.sin(angle.mul(0.5)));
    const haversine = numpy
      .cos(up.ref)
      .mul(numpy.cos(otherUp.ref))
      .mul(squaredHalfSine(east.sub(otherEast)))
      .add(squaredHalfSine(up.sub(otherUp)));
    return numpy
      .asin(numpy.sqrt(numpy.minimum(haversine, 1)))
      .mul(DIAMETER)
      .min(1);
  },
  tensorflow(_, up, east, otherUp, otherEast) {
    const squaredHalfSine = (angle: TfTensor): TfTensor => angle.mul(0.5).sin().square();
    const haversine = up
      .cos()
      .mul(otherUp.cos())
      .mul(squaredHalfSine(east.sub(otherEast)))
      .add(squaredHalfSine(up.sub(otherUp)));
    return haversine.minimum(1).sqrt().asin().mul(DIAMETER).min(1);
  },
  size: "large",
  targets: [faster(8, "jax-js"), faster(6, "js")],
};

export const pointwiseContests: readonly Contest[] = [
  chain(1_000, [faster(8, "js"), faster(3, "jax-js"), faster(0.65, "C 1")]),
  chain(4_000, [either(onTwoThreads(1.7, "fuseau 1"), onTwoThreads(0.8, "C 2"))]),
  tanhOfExp,
  gelu,
  blackScholes,
  greatCircle,
];
