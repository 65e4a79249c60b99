/**
 * Packs an operand for tiles: panels of `width` lanes (rows of A, columns of B), each panel unit by unit along k, the lanes of a
 * unit contiguous. If k is odd, the second half of the last unit is 0. Lanes missing in the last panel have any content: no
 * result depends on them.
 */
import {
  add,
  and,
  type Expression,
  equal,
  less,
  min,
  mul,
  quotient,
  quotientUp,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Kind, vectorLanes } from "./kinds.ts";
import { clampedLanes, spacedFrom, unitsAcross, unitsAlong, unitsOfVector, vectorBytes } from "./units.ts";

/** pack(source, laneBytes, depthBytes, lanes, depth, to): strides in bytes, depth in elements. */
export function pack(module: ModuleBuilder, kind: Kind, width: number): FunctionIndex {
  const { elementBytes, unitElements, unitBytes } = kind;
  return module.procedure(
    `pack_${kind.name}_${width}`,
    "source laneBytes depthBytes lanes depth to",
    (target, { source, laneBytes, depthBytes, lanes, depth, to }) => {
      const panelBytes = target.define(mul(quotientUp(depth, unitElements), width * unitBytes));
      /** The units that are packed in whole vectors. */
      const packed = target.define(0);
      target.when(
        equal(laneBytes, elementBytes),
        () => {
          target.assign(packed, wholeUnits(kind, depth, rowsAtOnce / unitElements));
          target.call(packAcross(module, kind, width), [source, depthBytes, lanes, packed, panelBytes, to]);
        },
        () => {
          target.when(equal(depthBytes, elementBytes), () => {
            target.assign(packed, wholeUnits(kind, depth, unitsOfVector(kind)));
            target.call(packAlong(module, kind, width), [source, laneBytes, lanes, packed, panelBytes, to]);
          });
        },
      );
      target.call(packRest(module, kind, width), [source, laneBytes, depthBytes, lanes, depth, packed, to]);
    },
  );
}

/** pack(source, depthBytes, depth, to): a single lane. */
export function packVector(module: ModuleBuilder, kind: Kind): FunctionIndex {
  const { elementBytes, unitElements, unitBytes } = kind;
  return module.procedure(
    `pack_vector_${kind.name}`,
    "source depthBytes depth to",
    (target, { source, depthBytes, depth, to }) => {
      const packed = target.define(0);
      target.when(equal(depthBytes, elementBytes), () => {
        target.assign(packed, wholeUnits(kind, depth, unitsOfVector(kind)));
        target.forEach(0, packed, unitsOfVector(kind), (unit) => {
          const from = add(source, mul(unit, unitElements * elementBytes));
          target.store("v128.store", add(to, mul(unit, unitBytes)), { op: kind.loadVector, args: [from] });
        });
      });
      target.call(packRest(module, kind, 1), [source, 0, depthBytes, 1, depth, packed, to]);
    },
  );
}

/** The units in whole groups of `group`, leaving out a unit of which an element is missing. */
function wholeUnits({ unitElements }: Kind, depth: Expression, group: number): Expression {
  return mul(quotient(depth, group * unitElements), group);
}

/** Rows that are read at a time if lanes are contiguous. */
const rowsAtOnce = 4;

/** Panels that are filled at a time if lanes are contiguous: whole cache lines of the rows. */
const panelsAtOnce = 8;

/** Packs several rows of several panels at a time. The last panel may read lanes past the end. */
function packAcross(module: ModuleBuilder, kind: Kind, width: number): FunctionIndex {
  const { elementBytes, unitElements, unitBytes } = kind;
  const lanesAtOnce = panelsAtOnce * width;
  return module.procedure(
    `pack_across_${kind.name}_${width}`,
    "source depthBytes lanes units panelBytes to",
    (target, { source, depthBytes, lanes, units, panelBytes, to }) => {
      target.forEach(0, lanes, lanesAtOnce, (lane) => {
        const lanesHere = target.define(min(sub(lanes, lane), lanesAtOnce));
        const from = target.define(add(source, mul(lane, elementBytes)));
        const place = target.define(to);
        target.forEach(0, units, rowsAtOnce / unitElements, () => {
          const rows = spacedFrom(target, from, depthBytes, rowsAtOnce);
          const panel = target.define(place);
          target.forEach(0, lanesHere, width, () => {
            for (let element = 0; element < rowsAtOnce; element += unitElements) {
              const unitRows = rows.slice(element, element + unitElements);
              const vectors = unitsAcross(target, kind, unitRows);
              storeLanes(target, kind, vectors, width, panel, (element / unitElements) * width * unitBytes);
            }
            for (const row of rows) target.advance(row, width * elementBytes);
            target.advance(panel, panelBytes);
          });
          target.advance(from, mul(depthBytes, rowsAtOnce));
          target.advance(place, (rowsAtOnce / unitElements) * width * unitBytes);
        });
        target.advance(to, mul(panelBytes, panelsAtOnce));
      });
    },
  );
}

/** Packs panel by panel, several units of each lane at a time. Beyond the last lane, that lane is packed again. */
function packAlong(module: ModuleBuilder, kind: Kind, width: number): FunctionIndex {
  const { unitBytes } = kind;
  return module.procedure(
    `pack_along_${kind.name}_${width}`,
    "source laneBytes lanes units panelBytes to",
    (target, { source, laneBytes, lanes, units, panelBytes, to }) => {
      target.forEach(0, lanes, width, (lane) => {
        const addresses = clampedLanes(target, source, lane, lanes, laneBytes, width);
        const place = target.define(to);
        target.forEach(0, units, unitsOfVector(kind), () => {
          storeAlong(target, kind, addresses, place);
          for (const address of addresses) target.advance(address, vectorBytes(kind));
          target.advance(place, unitsOfVector(kind) * width * unitBytes);
        });
        target.advance(to, panelBytes);
      });
    },
  );
}

/** Packs one unit at a time: operands without contiguous axis, and the last units. */
function packRest(module: ModuleBuilder, kind: Kind, width: number): FunctionIndex {
  const { unitElements, unitBytes } = kind;
  const names = "source laneBytes depthBytes lanes depth packed to";
  return module.procedure(`pack_rest_${kind.name}_${width}`, names, (target, parameters) => {
    const { source, laneBytes, depthBytes, lanes, depth, packed, to } = parameters;
    const units = target.define(quotientUp(depth, unitElements));
    target.forEach(0, lanes, width, (lane) => {
      const sources = clampedLanes(target, source, lane, lanes, laneBytes, width);
      const place = target.define(add(to, mul(add(mul(lane, units), mul(packed, width)), unitBytes)));
      target.forEach(packed, units, 1, (unit) => {
        const element = target.define(mul(unit, unitElements));
        storeUnits(target, kind, sources, target.define(mul(element, depthBytes)), place, (from) =>
          pushUnit(target, kind, from, depthBytes, sub(depth, element)),
        );
      });
    });
  });
}

/**
 * pack(source, ofLane, ofDepth, lanes, depth, to): packs an operand read by tables: the element of a lane at place k is
 * `ofLane[lane] + ofDepth[k]` bytes behind `source`. A unit is an element as it is in memory.
 */
export function packTabled(module: ModuleBuilder, kind: Kind, width: number): FunctionIndex {
  const names = "source ofLane ofDepth lanes depth to";
  return module.procedure(`pack_tabled_${kind.name}_${width}`, names, (target, parameters) => {
    const { source, ofLane, ofDepth, lanes, depth, to } = parameters;
    const entry = (table: Expression, k: Expression): Expression => ({
      op: "i32.load",
      args: [add(table, mul(k, 4))],
    });
    const group = unitsOfVector(kind);
    const grouped = target.define(mul(quotient(depth, group), group));
    target.forEach(0, lanes, width, (first) => {
      const sources = Array.from({ length: width }, (_, i) =>
        target.define(add(source, entry(ofLane, min(add(first, i), sub(lanes, 1))))),
      );
      const single = (k: Expression): void =>
        storeUnits(target, kind, sources, target.define(entry(ofDepth, k)), to, (from) => {
          target.push(from).op(kind.loadElement);
        });
      target.forEach(0, grouped, group, (k) => {
        const [begin, ...others] = Array.from({ length: group }, (_, i) =>
          target.define(entry(ofDepth, add(k, i))),
        ) as [Variable, ...Variable[]];
        const areNeighbours = others
          .map((offset, i) => equal(sub(offset, begin), (i + 1) * kind.elementBytes))
          .reduce(and);
        target.when(
          areNeighbours,
          () => {
            const addresses = sources.map((lane) => target.define(add(lane, begin)));
            storeAlong(target, kind, addresses, to);
            target.advance(to, group * width * kind.unitBytes);
          },
          () => {
            for (let i = 0; i < group; i++) single(add(k, i));
          },
        );
      });
      target.forEach(grouped, depth, 1, single);
    });
  });
}

/** Stores a vector of units of each lane, whose elements along k are contiguous. */
function storeAlong(target: FunctionBuilder, kind: Kind, addresses: readonly Variable[], to: Variable): void {
  const width = addresses.length;
  for (let first = 0; first < width; first += 4) {
    // If fewer than four lanes are left, some are loaded twice.
    const four = [0, 1, 2, 3].map((i) => addresses[first + (i % (width - first))]!);
    unitsAlong(target, kind, four).forEach((vectors, unit) => {
      const offset = (unit * width + first) * kind.unitBytes;
      storeLanes(target, kind, vectors, Math.min(4, width - first), to, offset);
    });
  }
}

/** Stores a unit of each lane, `behind` bytes behind the lane's address. */
function storeUnits(
  target: FunctionBuilder,
  { unitBytes }: Kind,
  sources: readonly Variable[],
  behind: Variable,
  to: Variable,
  load: (from: Expression) => void,
): void {
  sources.forEach((source, i) => {
    target.get(to.local);
    load(add(source, behind));
    target.op(unitBytes === 4 ? "i32.store" : "i64.store", i * unitBytes);
  });
  target.advance(to, sources.length * unitBytes);
}

/** Pushes a unit whose first element is at `from`; `left` elements are left along k. */
function pushUnit(
  target: FunctionBuilder,
  kind: Kind,
  from: Expression,
  depthBytes: Expression,
  left: Expression,
): void {
  target.push(from).op(kind.loadElement);
  if (kind.unitElements === 1) return;
  target.i32(0xffff).op("i32.and");
  target.push(less(1, left)).ifElse(
    "i32",
    () => {
      target.push(add(from, depthBytes)).op(kind.loadElement).i32(16).op("i32.shl");
    },
    () => target.i32(0),
  );
  target.op("i32.or");
}

/** Stores the first lanes of some vectors: whole vectors, or half of the last. */
function storeLanes(
  target: FunctionBuilder,
  kind: Kind,
  vectors: readonly Local[],
  lanes: number,
  to: Variable,
  offset: number,
): void {
  vectors.forEach((vector, i) => {
    const left = lanes - i * vectorLanes(kind);
    if (left <= 0) return;
    target.get(to.local).get(vector);
    if (left >= vectorLanes(kind)) target.op("v128.store", offset + 16 * i);
    else target.op("v128.store64_lane", [offset + 16 * i, 0]);
  });
}
