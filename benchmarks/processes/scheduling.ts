/** How long a large graph takes to schedule, and to compile as a whole: `scheduling wide 20000`. */
import { compile, type Graph, simplify } from "@fuseau/compiler";
import { build, type Node } from "@fuseau/ir";
import { schedule } from "../../packages/compiler/src/schedule/schedule.ts";
import { generator } from "../measure/inputs.ts";
import { timeOf } from "../measure/processor-time.ts";
import { send } from "./send.ts";

export interface Scheduling {
  readonly nodes: number;
  /** Milliseconds of processor time, of the first call in the process. */
  readonly schedule: number;
  /** Every pass. */
  readonly compile: number;
  readonly kernels: number;
}

const SHAPE = [64, 64];
const INPUTS = 8;
const OUTPUTS = 8;
/** How far back a node of the wide graph reads. */
const REACH = 400;
/** Nodes of one layer. */
const LAYER = 100;
/** Of the layered graph, layers between two of reductions that the next layer broadcasts. */
const FOLDED_LAYERS = 10;

const functions = ["add", "mul", "sub", "maximum"] as const;

class Growing {
  readonly nodes: Node[] = [];
  readonly inputs: number[][] = [];
  readonly next = generator(1);

  constructor() {
    for (let k = 0; k < INPUTS; k++) this.add(build.input("float32", SHAPE), []);
  }

  add(node: Node, from: number[]): number {
    this.inputs.push(from);
    return this.nodes.push(node) - 1;
  }

  /** A function of two nodes. */
  join(a: number, b: number): number {
    const fn = functions[Math.floor(functions.length * this.next())]!;
    return this.add(build.pointwise(fn, [this.nodes[a]!, this.nodes[b]!]), [a, b]);
  }

  /** One of the nodes from `from` on, before `to`. */
  among(from: number, to: number): number {
    return from + Math.floor((to - from) * this.next());
  }

  finish(): Graph {
    const { length } = this.nodes;
    return {
      nodes: this.nodes,
      inputs: this.inputs,
      outputs: Array.from({ length: OUTPUTS }, (_, k) => length - 1 - k),
    };
  }
}

/** Every node reads two of the last few hundred, so that each is read at two places on average. */
function wide(count: number): Graph {
  const graph = new Growing();
  while (graph.nodes.length < count) {
    const { length } = graph.nodes;
    graph.join(length - 1, graph.among(Math.max(0, length - REACH), length));
  }
  return graph.finish();
}

/** Layers that read the one before; every tenth is of means over rows, which the next one broadcasts. */
function layered(count: number): Graph {
  const graph = new Growing();
  let [from, to] = [0, INPUTS];
  for (let layer = 1; graph.nodes.length < count; layer++) {
    const start = graph.nodes.length;
    for (let k = 0; k < LAYER; k++) {
      const x = graph.among(from, to);
      if (layer % FOLDED_LAYERS !== 0) {
        graph.join(x, graph.among(from, to));
        continue;
      }
      const sum = graph.add(build.reduce("sum", graph.nodes[x]!, [1]), [x]);
      const column = graph.add(build.reshape(graph.nodes[sum]!, [SHAPE[0]!, 1]), [sum]);
      graph.join(x, column);
    }
    [from, to] = [start, graph.nodes.length];
  }
  return graph.finish();
}

const [kind, count] = process.argv.slice(2);
const graph = (kind === "wide" ? wide : layered)(Number(count));
const simplified = simplify(graph);
let kernels = 0;
const scheduling = timeOf(() => {
  kernels = schedule(simplified).kernels.length;
}, 1);
const result: Scheduling = {
  nodes: simplified.nodes.length,
  schedule: scheduling,
  compile: timeOf(() => void compile(graph), 1),
  kernels,
};
send(result);
