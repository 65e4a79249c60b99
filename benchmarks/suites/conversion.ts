/** What `tensor(data)` takes, against the loop that writes each element into an array of the dtype. */
import { type DType, tensor } from "fuseau";
import type { FigureCase } from "../figures.ts";
import { letEscape } from "../measure/escape.ts";
import { inTurn, timed } from "../measure/processor-time.ts";
import type { Figure } from "../measure/report.ts";

const COUNT = 1_000_000;
const [ROWS, COLUMNS] = [1_000, COUNT / 1_000];
const BUDGET = { measure: 40, rounds: 7, warm: 20 };

type Data = Parameters<typeof tensor>[0];

interface Conversion {
  readonly name: string;
  readonly data: Data;
  readonly dtype: DType;
  /** Writes the elements into a new array. */
  readonly loop: () => ArrayLike<number | bigint>;
}

function conversions(): Conversion[] {
  const bytes = Uint8Array.from({ length: COUNT }, (_, k) => k & 1);
  const doubles = Float64Array.from(bytes, (value, k) => value + k / COUNT);
  const integers = Int32Array.from(bytes, (_, k) => k % 1_000);
  const list = Array.from(doubles);
  const rows = Array.from({ length: ROWS }, (_, row) => list.slice(row * COLUMNS, (row + 1) * COLUMNS));
  const copy = <A extends { [k: number]: number }>(from: ArrayLike<number>, to: A): A => {
    for (let k = 0; k < from.length; k++) to[k] = from[k]!;
    return to;
  };
  return [
    { name: "bytes", data: bytes, dtype: "float32", loop: () => copy(bytes, new Float32Array(COUNT)) },
    { name: "bytes", data: bytes, dtype: "bool", loop: () => bytes.map((value) => (value === 0 ? 0 : 1)) },
    { name: "doubles", data: doubles, dtype: "float32", loop: () => copy(doubles, new Float32Array(COUNT)) },
    {
      name: "Int32Array",
      data: integers,
      dtype: "int64",
      loop: () => {
        const elements = new BigInt64Array(COUNT);
        for (let k = 0; k < COUNT; k++) elements[k] = BigInt(integers[k]!);
        return elements;
      },
    },
    { name: "a list", data: list, dtype: "float32", loop: () => copy(list, new Float32Array(COUNT)) },
    {
      name: "a list of lists",
      data: rows,
      dtype: "float32",
      loop: () => copy(rows.flat(), new Float32Array(COUNT)),
    },
  ];
}

export const conversion: FigureCase = {
  name: "conversion",
  title: "tensor(data, { dtype }) of a million elements",
  about: "Processor time over that of a plain loop into a new array.",
  async measure(runs) {
    const figures: Figure[] = [];
    for (const { name, data, dtype, loop } of conversions()) {
      const [own, plain] = await inTurn(
        [
          timed(() => {
            const made = tensor(data as number[], { dtype });
            letEscape(made);
            made.dispose();
          }),
          timed(() => letEscape(loop())),
        ],
        { ...BUDGET, measure: BUDGET.measure * runs },
      );
      figures.push({
        name: `${name} as ${dtype}`,
        figure: 1 / plain!.ratio,
        unit: "× the loop's time",
        note: `${own!.milliseconds.toPrecision(3)} ms, loop ${plain!.milliseconds.toPrecision(3)} ms`,
      });
    }
    return figures;
  },
};
