/** Writes the phases of a kernel as functions of a module. */
import { type LoopKernel, mentionsOf, type ReduceStatement, type Statement } from "@fuseau/ir";
import { splitDots } from "../../tactics/dots.ts";
import { inLanes } from "../../tactics/lanes.ts";
import type { Machine } from "../../tactics/machine.ts";
import { Numbering } from "../../tactics/numbering.ts";
import { type PlannedPhase, planPhases } from "../../tactics/phases.ts";
import { isDivided, phaseOf } from "../../tactics/work.ts";
import { hasDots, inWorkItems, parallelNest } from "../../tactics/work-items.ts";
import type { Context } from "./contract/context.ts";
import { writeContraction } from "./contract/contract.ts";
import type { ModuleBuilder } from "./encode/module.ts";
import { Partials } from "./folds/partials.ts";
import { RowFold } from "./folds/row-fold.ts";
import { writeBlock, writeRange } from "./loops/block.ts";
import { Reduction } from "./loops/reduce.ts";
import { writeParallel } from "./loops/work-items.ts";
import { kinds, relaxedKinds } from "./matmul/kinds.ts";
import { type Frame, frameOf } from "./plan/frame.ts";
import type { KernelWorkspace, WrittenPhase } from "./plan/kernel.ts";
import { Workspaces } from "./plan/workspaces.ts";
import type { AccumulatorHome } from "./sites/accumulator-home.ts";
import { PhaseFunction, parameters } from "./sites/phase-function.ts";
import { Site } from "./sites/site.ts";

export class KernelWriter {
  readonly frame: Frame;
  readonly #module: ModuleBuilder;
  readonly #kernel: LoopKernel;
  readonly #machine: Machine;
  readonly #workspaces: Workspaces;
  /** True if a loop of the kernel may be a matrix product. */
  readonly #multiplies: boolean;
  readonly #planned: readonly PlannedPhase[];
  /** Folds at the top of the kernel, whose results later phases read. */
  readonly #partials = new Map<number, Partials>();
  readonly #rows = new Map<number, AccumulatorHome>();
  /** Workspaces that only one phase uses. The phase may run on several threads, each of which needs its own. */
  readonly #perThread = new Set<number>();
  readonly #contraction: Context;

  constructor(module: ModuleBuilder, kernel: LoopKernel, machine: Machine, relaxed: boolean) {
    this.#machine = machine;
    this.#module = module;
    this.#kernel = kernel;
    this.#workspaces = new Workspaces(kernel);
    this.#claim(0);
    this.#multiplies = hasDots(kernel.body);
    const scheduled = (each: Statement): Statement =>
      inLanes(each, { machine, dtypeOf: (slot) => kernel.buffers[slot]!.dtype });
    this.#planned = planPhases(
      this.#multiplies ? { ...kernel, body: splitDots(kernel).map(scheduled) } : kernel,
    );
    this.frame = frameOf(kernel);
    this.#contraction = {
      module,
      workspaces: this.#workspaces,
      kinds: relaxed ? relaxedKinds : kinds,
      numbering: new Numbering(kernel),
      open: (planned, name) => this.#open(planned, name),
      claim: (from) => this.#claim(from),
    };
  }

  writePhases(): WrittenPhase[] {
    return this.#planned.flatMap((planned, k) => {
      const name = `phase${k}`;
      const products = this.#multiplies ? writeContraction(this.#contraction, planned, name) : null;
      return products ?? [this.#write(planned, name)];
    });
  }

  workspaces(): KernelWorkspace[] {
    return this.#workspaces.list.map((workspace, k) => ({ ...workspace, perThread: this.#perThread.has(k) }));
  }

  /** True for scratch that a single phase uses, whose work items share nothing. */
  perThread(): boolean[] {
    const buffers = this.#kernel.buffers.slice(0, this.#workspaces.bound);
    if (!buffers.some(({ access }) => access === "scratch")) return buffers.map(() => false);
    const users = this.#planned.map(
      (planned) => mentionsOf([...planned.before, ...planned.statements]).buffers,
    );
    return buffers.map(({ access }, slot) => {
      const phases = users.flatMap((used, k) => (used.has(slot) ? [k] : []));
      return access === "scratch" && phases.length === 1 && isDivided(this.#planned[phases[0]!]!.statements);
    });
  }

  /** Begins the function of a phase. Its site knows the results of earlier phases that the phase reads. */
  #open({ before, statements }: PlannedPhase, name: string): Site {
    const { kinds: products, numbering } = this.#contraction;
    const fn = new PhaseFunction(
      this.#module,
      name,
      this.#kernel,
      this.#workspaces,
      this.frame,
      products,
      numbering,
      this.#machine,
    );
    const site = new Site(fn, null);
    this.#openFolds(site, [...before, ...statements]);
    writeBlock(site, before);
    return site;
  }

  #write(planned: PlannedPhase, name: string): WrittenPhase {
    const { before } = planned;
    // Statements that turned out to be no product are scheduled here.
    const statements = planned.statements.map((each) => inWorkItems(each, this.#contraction.numbering));
    const site = this.#open(planned, name);
    const { fn } = site;
    const own = this.#workspaces.list.length;
    const [first] = statements;
    if (first?.kind === "for" && isDivided(statements)) {
      const nest = parallelNest(first);
      if (nest !== null) writeParallel(site, nest);
      else writeRange(site, first, site.input(parameters.begin, "i32"), parameters.end, first.axis.axis);
      this.#claim(own);
    } else if (first?.kind === "reduce" && isDivided(statements)) this.#writeBlocks(site, first);
    else {
      writeBlock(site, statements);
      site.flush();
      for (const [id, home] of site.accumulators) if (home instanceof RowFold) this.#rows.set(id, home);
    }
    site.flush();
    fn.finish();
    return { index: fn.target.index, phase: phaseOf({ before, statements }, this.#kernel.order.block) };
  }

  /** Makes the results of folds in earlier phases known. */
  #openFolds(site: Site, statements: readonly Statement[]): void {
    if (this.#partials.size === 0 && this.#rows.size === 0) return;
    for (const id of mentionsOf(statements).results) {
      this.#partials.get(id)?.read(site);
      const row = this.#rows.get(id);
      if (row !== undefined) site.accumulators.set(id, row);
    }
  }

  /** The workspaces from number `from` on belong to the current phase alone. */
  #claim(from: number): void {
    for (let k = from; k < this.#workspaces.list.length; k++) this.#perThread.add(k);
  }

  #writeBlocks(site: Site, statement: ReduceStatement): void {
    const { target } = site.fn;
    const partials = statement.accumulators.map((accumulator) => {
      const partial = new Partials(this.#workspaces, statement, accumulator, this.#kernel.order.block);
      this.#partials.set(accumulator.accumulator, partial);
      return partial;
    });
    const own = this.#workspaces.list.length;
    const reduction = new Reduction(site, statement, false);
    site.flush();
    const block = target.local("i32");
    target.get(parameters.begin).set(block);
    target.forRange(block, parameters.end, 1, () => {
      reduction.walkOne(new Site(site.fn, site), block);
      const behind = new Site(site.fn, site);
      reduction.folds.forEach((fold, k) => {
        partials[k]!.write(behind, block, fold.whole(behind));
      });
      behind.flush();
    });
    this.#claim(own);
  }
}
