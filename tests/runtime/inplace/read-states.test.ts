/** A state that a loop writes and reads is written in place, whatever garbage of the rounds before still reads it. */
import { type AnyTensor, arange, randn, type Tensor, trace, zeros } from "fuseau";
import { expect, it } from "vitest";

const WIDTH = 32;
const LENGTH = 256;
const BYTES = 4 * LENGTH * WIDTH;

/** The bytes that each of the last rounds of three sequences writes in place. */
function inPlaceBytes(attend: (keys: AnyTensor, query: AnyTensor, k: number) => AnyTensor): number[] {
  const square = (): Tensor<[32, 32]> => randn([WIDTH, WIDTH]).mul(0.2).compute();
  const [query, key, value] = [square(), square(), square()];
  const found: number[] = [];
  for (let sequence = 0; sequence < 3; sequence++) {
    const [keys, values] = [zeros([LENGTH, WIDTH]), zeros([LENGTH, WIDTH])];
    let h: AnyTensor = randn([WIDTH]).compute();
    for (let k = 0; k < 24; k++) {
      const { events } = trace(() => {
        keys.select(0, k).copy_(key.matmul(h) as Tensor<[32]>);
        values.select(0, k).copy_(value.matmul(h) as Tensor<[32]>);
        const scores = attend(keys, query.matmul(h), k);
        h = scores
          .matmul(values.narrow(0, 0, scores.shape[0] as number))
          .add(h)
          .tanh();
        h.sum().item();
      });
      if (k < 20) continue;
      let bytes = 0;
      for (const event of events) if (event.kind === "memory") bytes += event.inPlace;
      found.push(bytes);
    }
  }
  return found;
}

it("keys and values of attention over what is there so far", () => {
  const found = inPlaceBytes((keys, query, k) =>
    keys
      .narrow(0, 0, k + 1)
      .matmul(query)
      .softmax(0),
  );
  expect(new Set(found.slice(4))).toEqual(new Set([2 * BYTES]));
});

it("keys and values of attention with a mask", () => {
  const places = arange(LENGTH).compute();
  const found = inPlaceBytes((keys, query, k) =>
    keys.matmul(query).maskedFill(places.gt(k), Number.NEGATIVE_INFINITY).softmax(0),
  );
  expect(new Set(found.slice(4))).toEqual(new Set([2 * BYTES]));
});

it("a table that is only read from then on keeps nothing of what reads it", () => {
  const table = randn([200, 100]).compute();
  const held: AnyTensor[] = [];
  for (let k = 0; k < 6; k++) {
    held.push(table.narrow(0, 0, 60).mul(2));
    table.select(0, k).fill_(0.5);
    table.select(0, 3).sum().item();
  }
  const results = Array.from({ length: 20 }, () => {
    const { events } = trace(() => table.narrow(0, 0, 90).add(3).square().sum().item());
    return events.reduce((sum, event) => sum + (event.kind === "memory" ? event.results : 0), 0);
  });
  expect(results.at(-1)).toBeLessThan(100);
});
