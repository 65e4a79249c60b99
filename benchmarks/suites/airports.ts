/** The main job: the nearest neighbour of each of 3,376 airports, from coordinates, without an array of all pairs. */
import { fromTypedArray } from "fuseau";
import { nearest, nearestByHand, type Places } from "../../examples/airports/great-circle.ts";
import { loadAirports } from "../../examples/airports/load.ts";
import { loopVariants } from "../measure/variants.ts";
import { nearestLoops } from "./loops/nearest.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

export interface Coordinates {
  readonly latitude: Float32Array;
  readonly longitude: Float32Array;
}

export function airportCoordinates(): Coordinates {
  const airports = loadAirports();
  return {
    latitude: Float32Array.from(airports, ({ latitude }) => latitude),
    longitude: Float32Array.from(airports, ({ longitude }) => longitude),
  };
}

export const placesAt = ({ latitude, longitude }: Coordinates): Places => ({
  latitude: fromTypedArray(latitude),
  longitude: fromTypedArray(longitude),
});

/** Positions and distances. */
export const nearestOf = (places: Places) => {
  const { index, distance } = nearest(places);
  return [index, distance] as const;
};

export const airports: ExpressionCase = {
  name: "airports",
  title: "nearest neighbour of each of 3,376 airports by great-circle distance, float32",
  about:
    "What belongs to an airport, such as the cosine of its latitude, is computed once for each in the loops too.",
  agreement: 1e-6,
  prepare() {
    const { latitude, longitude } = airportCoordinates();
    const places = placesAt({ latitude, longitude });
    const fromExamples = (): Float64Array => {
      const { index, distance } = nearestByHand(latitude, longitude);
      return Float64Array.of(...index, ...distance);
    };
    return prepared(
      () => nearestOf(places),
      [
        ...loopVariants({ "simple loop (examples)": fromExamples }, []),
        ...loopVariants(nearestLoops, [latitude, longitude, new Float32Array(2 * latitude.length)]),
      ],
    );
  },
};
