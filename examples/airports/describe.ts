/** A study as text. */
import type { Compiled } from "./compiled.ts";
import type { Airport } from "./load.ts";
import type { Remote, StateMean } from "./rank.ts";
import type { Memory, Study, Timings } from "./study.ts";
import { inColumns, table } from "./table.ts";

const SOURCE_NOTE =
  "Places as the file has them: it puts Guam and the Northern Marianas (GU, CQ) at western longitudes, and Samoa (AS) in the north.";

export function describe(study: Study): string {
  const pairs = study.airports ** 2;
  return [
    `${whole(study.airports)} airports, ${whole(pairs)} great-circle distances`,
    section("The ten most remote airports", `${remoteTable(study.remotest)}\n\n${SOURCE_NOTE}`),
    section(
      "Mean distance between two airports of the same state, in km (and how many airports it has)",
      stateColumns(study.states),
    ),
    section("What the compiler did", compiledTable(study)),
    section("Memory", memoryText(study)),
    section(
      "Time, in ms (fused and op by op agree in every bit, JavaScript kernels with the loop by hand, too)",
      timingTable(study.timings),
    ),
  ].join("\n\n");
}

const section = (title: string, text: string): string => `${title}\n\n${text.replace(/^/gm, "  ")}`;

const whole = (count: number): string => count.toLocaleString("en-US");
const tenths = (value: number): string => value.toFixed(1);
const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 0)} MB`;

const placeOf = ({ city, state, country }: Airport): string =>
  state === null ? country : `${city}, ${state}`;

const remoteTable = (remotest: readonly Remote[]): string =>
  table(
    [
      { title: "airport", align: "left" },
      { title: "where", align: "left" },
      { title: "nearest neighbour", align: "left" },
      { title: "km", align: "right" },
    ],
    remotest.map(({ airport, nearest, kilometres }) => [
      `${airport.iata} ${airport.name}`,
      placeOf(airport),
      `${nearest.iata} ${nearest.name}`,
      tenths(kilometres),
    ]),
  );

function stateColumns(states: readonly StateMean[]): string {
  const line = ({ state, airports, kilometres }: StateMean): string =>
    `${state} ${(kilometres === null ? "–" : tenths(kilometres)).padStart(6)} ${`(${airports})`.padStart(5)}`;
  return inColumns(states.map(line), 5);
}

function compiledTable({ compiled }: Study): string {
  const row = (name: string, { ops, kernels, phases, unfusedBytes, fusedBytes }: Compiled): string[] => [
    name,
    whole(ops),
    whole(kernels),
    whole(phases),
    megabytes(unfusedBytes),
    megabytes(fusedBytes),
    megabytes(unfusedBytes - fusedBytes),
  ];
  return table(
    [
      { title: "", align: "left" },
      { title: "ops", align: "right" },
      { title: "kernels", align: "right" },
      { title: "phases", align: "right" },
      { title: "temporaries op by op", align: "right" },
      { title: "fused", align: "right" },
      { title: "avoided", align: "right" },
    ],
    [row("nearest neighbours", compiled.nearest), row("means by state", compiled.means)],
  );
}

function memoryText({ airports, memory, compiled }: Study): string {
  const { arraysBefore, arraysAfter, residentBefore, residentPeak }: Memory = memory;
  const square = airports * airports * Float32Array.BYTES_PER_ELEMENT;
  return [
    `arrays of the fused nearest neighbours: ${megabytes(compiled.nearest.arrayBytes)} (one distance per pair: ${megabytes(square)})`,
    `array buffers: ${megabytes(arraysBefore)} before the fused runs, ${megabytes(arraysAfter)} after`,
    `resident:      ${megabytes(residentBefore)} before the fused runs, ${megabytes(residentPeak)} at the peak`,
  ].join("\n");
}

function timingTable({ nearest, means }: Timings): string {
  const row = (name: string, fused: number, eager: number, byHand?: number): string[] => [
    name,
    tenths(fused),
    tenths(eager),
    byHand === undefined ? "" : tenths(byHand),
    times(eager / fused),
    byHand === undefined ? "" : times(byHand / fused),
  ];
  return table(
    [
      { title: "", align: "left" },
      { title: "fused", align: "right" },
      { title: "op by op", align: "right" },
      { title: "by hand", align: "right" },
      { title: "op by op ÷ fused", align: "right" },
      { title: "by hand ÷ fused", align: "right" },
    ],
    [
      row("nearest neighbours, median", nearest.fused.median, nearest.eager.median, nearest.byHand.median),
      row("nearest neighbours, first call", nearest.fused.first, nearest.eager.first, nearest.byHand.first),
      row("means by state, median", means.fused.median, means.eager.median),
      row("means by state, first call", means.fused.first, means.eager.first),
    ],
  );
}
