/** Programs of many sizes that are made in one step of a loop. */
import { type AnyTensor, clearCaches, ones, rand, stats } from "fuseau";
import { GRU } from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { beforeEach, expect, test } from "vitest";
import { lookForParts } from "../compiled-whole.ts";

lookForParts();

beforeEach(() => clearCaches());

test("the stages of a recurrent network are not all learned in one step, but in later ones", () => {
  const layer = new GRU(4, 8);
  const optimizer = new SGD(layer.parameters(), { lr: 0.01 });
  const made: number[] = [];
  for (const batch of [2, 5, 4, 3, 2, 5, 3, 4, 5, 2, 3, 4, 5, 3, 2, 4]) {
    const before = stats().late.programs;
    const output = layer.forward(rand([8, batch, 4]) as never)[0] as AnyTensor;
    optimizer.zeroGrad();
    const loss = output.square().mean();
    loss.backward();
    optimizer.step();
    loss.item();
    made.push(stats().late.programs - before);
  }
  expect(Math.max(...made), `${made}`).toBeLessThan(5);
  expect(
    made.slice(3).reduce((sum, count) => sum + count, 0),
    `${made}`,
  ).toBeGreaterThan(0);
});

test("loops that write and read nothing learn as many as others", () => {
  /** Writes to some cells of a table, each time something else: it is computed when enough was written. */
  const write = (table: AnyTensor, rounds: number, length: number): void => {
    for (let round = 0; round < rounds; round++) {
      let cell: AnyTensor = table.select(0, round).select(0, 1);
      for (let k = 0; k < length; k++) cell = cell.sin().mul(k + 0.25);
      table.select(0, round).select(0, 2).copy_(cell);
    }
  };
  const tables = Array.from({ length: 24 }, (_, k) =>
    ones([40 + k, 9])
      .mul(0.5)
      .compute(),
  );
  const before = stats().late.programs;
  for (const table of tables) for (const length of [9, 11, 13, 15]) write(table, 6, length);
  expect(stats().late.programs - before).toBeGreaterThanOrEqual(4);
});
