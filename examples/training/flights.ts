/** How late American flights of 2001 are, by a perceptron over hour, day, distance and the two airports. From vega-datasets. */
import { readFileSync } from "node:fs";
import { type AnyTensor, concat, fromTypedArray, Generator, mseLoss, type Tensor } from "fuseau";
import { DataLoader, randomSplit, TensorDataset } from "fuseau/data";
import { Embedding, type FloatDType, Linear, Module } from "fuseau/nn";
import { AdamW } from "fuseau/optim";
import { type Outcome, train } from "../shared/train.ts";

interface Flight {
  /** "2001/01/01 00:47" */
  readonly date: string;
  /** Minutes; negative for a flight that was early. */
  readonly delay: number;
  /** Miles. */
  readonly distance: number;
  readonly origin: string;
  readonly destination: string;
}

type Features = Tensor<[number, typeof FEATURES], "float32">;
/** Waves of the three months: storms last for days. */
const WAVES = 12;
const FEATURES = 30;

type Places = Tensor<[number, 2], "int64">;

/** An hour's worth of delay is 1: numbers near 1 are learned fastest. */
const MINUTES = 60;
/** In milliseconds. */
const DAY = 86_400_000;

class DelayModel extends Module {
  readonly airports: Embedding<8>;
  readonly hidden: Linear<46, 64>;
  readonly second: Linear<64, 64>;
  readonly out: Linear<64, 1>;

  constructor(airports: number, generator: Generator) {
    super();
    this.airports = new Embedding(airports, 8, { generator });
    this.hidden = new Linear(46, 64, { generator });
    this.second = new Linear(64, 64, { generator });
    this.out = new Linear(64, 1, { generator });
  }

  /** A delay in hours for each row. */
  forward(features: Features, places: Places): Tensor<[number], FloatDType> {
    const known = concat([features, this.airports.forward(places).flatten(1)], 1);
    const hidden = this.hidden.forward(known).relu();
    return this.out.forward(this.second.forward(hidden).relu()).squeeze(1);
  }
}

function loadFlights(quick: boolean): {
  readonly dataset: TensorDataset<[Features, Places, Tensor<[number], "float32">]>;
  readonly airports: number;
} {
  const file = new URL(`../data/flights-${quick ? "2k" : "20k"}.json`, import.meta.resolve("vega-datasets"));
  const flights = JSON.parse(readFileSync(file, "utf8")) as readonly Flight[];
  const names = [...new Set(flights.flatMap(({ origin, destination }) => [origin, destination]))].sort();
  const numbers = new Map(names.map((name, k) => [name, BigInt(k)]));
  const features = Float32Array.from(flights.flatMap(featuresOf));
  const places = BigInt64Array.from(
    flights.flatMap(({ origin, destination }) => [numbers.get(origin)!, numbers.get(destination)!]),
  );
  const delays = Float32Array.from(flights, ({ delay }) => delay / MINUTES);
  return {
    airports: names.length,
    dataset: new TensorDataset(
      fromTypedArray(features, { shape: [flights.length, FEATURES] }),
      fromTypedArray(places, { shape: [flights.length, 2] }),
      fromTypedArray(delays),
    ),
  };
}

/** The distance in thousands of miles; hour, weekday and day as places on circles, the day on circles of several lengths. */
function featuresOf({ date, distance }: Flight): number[] {
  const [, year, month, day, hour, minute] = /^(\d+)\/(\d+)\/(\d+) (\d+):(\d+)$/.exec(date)!.map(Number);
  const time = Date.UTC(year!, month! - 1, day!);
  const ofQuarter = (time - Date.UTC(year!, 0)) / DAY / 90;
  const turns = [(hour! + minute! / 60) / 24, new Date(time).getUTCDay() / 7];
  for (let wave = 1; wave <= WAVES; wave++) turns.push((wave * ofQuarter) / 2);
  const angles = turns.map((turn) => 2 * Math.PI * turn);
  return [distance / 1000, ofQuarter, ...angles.map(Math.sin), ...angles.map(Math.cos)];
}

export function flights(quick: boolean, folder: string): Promise<Outcome> {
  const { dataset, airports } = loadFlights(quick);
  const [training, testing] = randomSplit(dataset, [0.9, 0.1], { generator: new Generator(1) });
  const generator = new Generator(4);
  const [features, places, delays] = testing.batchAt([...testing.indexes.keys()]);
  return train(
    {
      name: "flights",
      make: () => new DelayModel(airports, generator),
      optimizer: (model) => new AdamW(model.parameters(), { lr: 1e-3, weightDecay: 0.1 }),
      epochs: quick ? 6 : 8,
      batches: new DataLoader(training, { batchSize: 128, shuffle: true, generator }),
      loss: (model, [x, at, y]) => mseLoss(model.forward(x, at), y),
      predict: (model) => model.forward(features, places),
      judge: (model) => {
        const squares = (guess: AnyTensor): number => Number(mseLoss(guess, delays).item());
        const [missed, spread] = [
          squares(model.forward(features, places)),
          squares(delays.mean().expand(delays.shape)),
        ];
        return [
          `explains ${(100 * (1 - missed / spread)).toFixed(1)} % of the variance of the delays of ${delays.shape[0]} flights that it has not seen`,
          `(${(MINUTES * Math.sqrt(missed)).toFixed(2)} minutes of ${(MINUTES * Math.sqrt(spread)).toFixed(2)} are left; the mean of each hour explains 4 %)`,
        ];
      },
    },
    folder,
  );
}
