import { explain, fromTypedArray } from "fuseau";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../examples/airports/evaluate.ts";
import { distances, meanWithinGroups, type Places } from "../../examples/airports/great-circle.ts";
import { type Airport, loadAirports } from "../../examples/airports/load.ts";
import { surveyOf } from "../../examples/airports/survey.ts";

const airports = loadAirports();
const sample = airports.filter((_, k) => k % 68 === 0);
const find = (iata: string): Airport => airports.find((airport) => airport.iata === iata)!;

const placesOf = (list: readonly Pick<Airport, "latitude" | "longitude">[]): Places => ({
  latitude: fromTypedArray(Float32Array.from(list, ({ latitude }) => latitude)),
  longitude: fromTypedArray(Float32Array.from(list, ({ longitude }) => longitude)),
});

/** Kilometres by the law of haversines, in float64. */
function haversineFormula(a: Airport, b: Airport): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const half = (from: number, to: number): number => Math.sin(radians(to - from) / 2) ** 2;
  const cosines = Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude));
  const haversine = half(a.latitude, b.latitude) + cosines * half(a.longitude, b.longitude);
  return 2 * 6371.0088 * Math.asin(Math.sqrt(haversine));
}

test("the data are whole", () => {
  expect(airports).toHaveLength(3376);
  expect(sample).toHaveLength(50);
  expect(find("JFK")).toMatchObject({ city: "New York", state: "NY", country: "USA" });
  expect(find("ROR").state).toBeNull();
});

describe("distances", () => {
  test.each([
    ["JFK", "LAX", 3974],
    ["ANC", "MIA", 6440],
    ["SEA", "HNL", 4308],
  ])("between %s and %s are about %i km", (from, to, kilometres) => {
    const [, distance] = distances(placesOf([find(from), find(to)])).toArray()[0]!;
    expect(Math.abs(distance! / kilometres - 1)).toBeLessThan(0.005);
  });

  test("agree with the law of haversines to within two metres", () => {
    const all = distances(placesOf(sample)).toArray();
    sample.forEach((a, i) => {
      sample.forEach((b, j) => {
        expect(Math.abs(all[i]![j]! - haversineFormula(a, b))).toBeLessThan(0.002);
      });
    });
  });

  test("reach half way round the Earth", () => {
    const opposite = [
      { latitude: 52, longitude: 13 },
      { latitude: -52, longitude: -167 },
    ];
    const [, distance] = distances(placesOf(opposite)).toArray()[0]!;
    expect(distance).toBeCloseTo(Math.PI * 6371.0088, -1);
  });
});

describe("nearest neighbours", () => {
  const { nearest, nearestByHand } = surveyOf(sample);
  const fused = evaluate(nearest(), { emitter: "js" });

  test("are one kernel without an array of all pairs", () => {
    const { kernels, bytes } = explain(...Object.values(nearest()));
    expect(kernels.map(({ name }) => name)).toHaveLength(1);
    expect(bytes.intermediate).toBe(0);
  });

  test.each([
    ["op by op", () => evaluate(nearest(), { emitter: "js", fusion: "none" })],
    ["in closures", () => evaluate(nearest(), { emitter: "closure" })],
    ["in closures op by op", () => evaluate(nearest(), { emitter: "closure", fusion: "none" })],
  ])("are the same %s, bit for bit", (_, variant) => {
    expect(variant()).toStrictEqual(fused);
  });

  test("are the same by hand, bit for bit", () => {
    const { index, distance } = nearestByHand();
    expect(Array.from(index)).toStrictEqual(Array.from(fused.index));
    expect(distance).toStrictEqual(fused.distance);
  });

  test("are not the airport itself, and nobody is nearer", () => {
    sample.forEach((airport, i) => {
      const others = sample.filter((_, j) => j !== i).map((other) => haversineFormula(airport, other));
      expect(fused.index[i]).not.toBe(i);
      expect(fused.distance[i]).toBeCloseTo(Math.min(...others), 2);
    });
  });
});

describe("means by state", () => {
  const { means } = surveyOf(sample);
  const fused = evaluate(means(), { emitter: "js" });

  test.each([
    ["op by op", () => evaluate(means(), { emitter: "js", fusion: "none" })],
    ["in closures", () => evaluate(means(), { emitter: "closure" })],
  ])("are the same %s, bit for bit", (_, variant) => {
    expect(variant()).toStrictEqual(fused);
  });

  test("count each pair of a group, none with others, and leave out -1", () => {
    const [a, b, c, alone, nowhere] = ["JFK", "LAX", "ANC", "HNL", "ROR"].map(find);
    const places = placesOf([a!, alone!, b!, nowhere!, c!]);
    const group = fromTypedArray(Int32Array.of(1, 0, 1, -1, 1));
    const [ofOne, ofThree, ofNone] = meanWithinGroups(places, group, 3).toArray();
    const mean = (haversineFormula(a!, b!) + haversineFormula(a!, c!) + haversineFormula(b!, c!)) / 3;
    expect(ofOne).toBeNaN();
    expect(ofThree).toBeCloseTo(mean, 1);
    expect(ofNone).toBeNaN();
  });
});
