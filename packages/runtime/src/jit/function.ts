/** A function made by `jit`: its recordings, the latest first, and the choice among them. */
import { looksForAnomalies } from "../autograd/anomaly.ts";
import { callGiven } from "../entry/operation.ts";
import { noteSmallCall } from "../execute/late/bound.ts";
import { isOfElements } from "../execute/programs/failure.ts";
import { explainExecutable } from "../explain/explain.ts";
import type { Explanation } from "../explain/explanation.ts";
import { type ComputeOptions, getOptions, type Options, optionsOf } from "../options.ts";
import { recording } from "../tape/step.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import { replayDirect } from "./direct.ts";
import { type Dynamic, DynamicEntries } from "./dynamic.ts";
import type { Entry } from "./entry.ts";
import { recordCall } from "./record.ts";
import { type Bound, bindable, isHeld, replay } from "./replay.ts";
import { areAlike, type Given, placesOf } from "./signature.ts";
import { readsViews } from "./views.ts";

type Function = (...args: readonly unknown[]) => unknown;

interface Found {
  readonly entry: Entry;
  /** Null if each call is recorded. */
  readonly bound: Bound | null;
  readonly numbers: number[];
}

/**
 * When so many recordings differ only in which part of a tensor they read, one is made that copies the part out of any view: minibatches.
 */
const VIEWS = 3;

export class Jitted {
  readonly #fn: Function;
  readonly #static: readonly number[];
  readonly #limit: number;
  readonly #own: ComputeOptions | undefined;
  /** The process's options when `#merged` was made from them. */
  #current: Options | null = null;
  #merged: Options = {};
  #entries: Entry[] = [];
  /** Null if no sizes are declared dynamic. */
  readonly #dynamic: DynamicEntries | null;

  constructor(
    fn: Function,
    isStatic: readonly number[],
    limit: number,
    dynamic: readonly Dynamic[],
    options: ComputeOptions | undefined,
  ) {
    this.#fn = fn;
    this.#static = isStatic;
    this.#limit = limit;
    this.#own = options;
    this.#dynamic = dynamic.length === 0 ? null : new DynamicEntries(dynamic, limit);
  }

  get size(): number {
    return this.#entries.length;
  }

  clear(): void {
    this.#entries = [];
    this.#dynamic?.clear();
  }

  call(args: readonly unknown[]): unknown {
    // A jitted function within another is recorded as part of it. While derivatives or batches are traced, tensors have no elements.
    if (tracing !== null || hasStandIns() || looksForAnomalies() || recording.recomputes)
      return this.#callIt(args);
    // Once there is a line, recordings for its sizes are many, and other recordings are few.
    const sized = this.#dynamic === null ? null : this.#findSized(args, this.#dynamic);
    if (sized === null) {
      const direct = this.#direct(args);
      if (direct !== null) return direct;
    }
    const found = sized ?? this.#find(args);
    if (found === null) return this.#record(args);
    const { entry, bound, numbers } = found;
    if (bound === null) return this.#callIt(args);
    try {
      return replay(entry, bound, numbers);
    } catch (error) {
      // Recording the call gives the error the name and the line of what failed. What the host counts must not be counted twice.
      if (!isOfElements(error) || entry.thunks.length > 0) throw error;
      return this.#record(args);
    }
  }

  /** Calls the function as if there were no jit. */
  #callIt(args: readonly unknown[]): unknown {
    return callGiven(this.#fn, args);
  }

  /** Tries the first entry with a direct path. */
  #direct(args: readonly unknown[]): unknown {
    const options = this.#options();
    for (let k = 0; k < this.#entries.length; k++) {
      const entry = this.#entries[k] as Entry;
      if (entry.direct === null || entry.isGradOn !== recording.isActive || entry.options !== options)
        continue;
      try {
        const result = replayDirect(entry.direct, args);
        if (result === null) continue;
        this.#noteUse(k);
        return result;
      } catch (error) {
        if (!isOfElements(error)) throw error;
        return this.#record(args);
      }
    }
    return null;
  }

  /** Moves the entry to the front, where it is tried first. One whose program is outgrown is dropped: the next call records it anew. */
  #noteUse(k: number): void {
    const entry = this.#entries[k] as Entry;
    for (let at = k; at > 0; at--) this.#entries[at] = this.#entries[at - 1] as Entry;
    this.#entries[0] = entry;
    if (entry.executable !== null && noteSmallCall(entry.executable)) this.#entries.shift();
  }

  #record(args: readonly unknown[]): unknown {
    const isStatic = (k: number): boolean => this.#static.includes(k);
    this.#dynamic?.check(placesOf(args, isStatic, { tensors: [], numbers: [] }));
    const copiesViews = this.#entries.filter((entry) => this.#isOfOtherViews(entry, args)).length >= VIEWS;
    const { result, entry } = recordCall(this.#fn, args, isStatic, this.#options(), copiesViews);
    this.#dynamic?.note(entry, args);
    this.#entries.unshift(entry);
    if (this.#entries.length > this.#limit) this.#entries.pop();
    return result;
  }

  /** True if it was recorded for such arguments, apart from what they are views of. */
  #isOfOtherViews(entry: Entry, args: readonly unknown[]): boolean {
    if (entry.isGradOn !== recording.isActive || entry.options !== this.#options()) return false;
    const given: Given = { tensors: [], numbers: [] };
    return areAlike(entry.places, args, given) && readsViews(entry, given.tensors);
  }

  /** @throws Error if there is no program for such arguments. */
  explain(args: readonly unknown[]): Explanation {
    const entry = this.#entryFor(args);
    if (entry === null)
      throw new Error(
        this.#entries.some((entry) => areAlike(entry.places, args, { tensors: [], numbers: [] }))
          ? "explain: the next call with such arguments is recorded anew, since what it uses is not as it was when it was called: there are other options or gradients, or what it writes is shared with another tensor now (call it once; explain itself runs nothing)"
          : "explain: the function was not called with such arguments yet, so that there is no program (call it once; explain itself runs nothing)",
      );
    const { refusal, executable } = entry;
    if (refusal !== null) throw new Error(`explain: such calls are recorded each time: ${refusal}`);
    if (executable === null) throw new Error("explain: with such arguments the function computes nothing");
    return explainExecutable(executable);
  }

  /** The entry that the next call with such arguments would run, if nothing else happens before; null if it would be recorded. */
  #entryFor(args: readonly unknown[]): Entry | null {
    const options = this.#options();
    const sizes: Given = { tensors: [], numbers: [], sizes: [] };
    const sized = this.#dynamic?.find(args, recording.isActive, options, sizes) ?? null;
    if (sized !== null && isHeld(sized, sizes)) return sized;
    for (const entry of this.#entries) {
      if (entry.isGradOn !== recording.isActive || entry.options !== options) continue;
      const given: Given = { tensors: [], numbers: [] };
      if (areAlike(entry.places, args, given) && (entry.refusal !== null || isHeld(entry, given)))
        return entry;
    }
    return null;
  }

  #options(): Options {
    const current = getOptions();
    if (this.#current !== current) {
      this.#current = current;
      this.#merged = this.#own === undefined ? current : optionsOf("jit", this.#own);
    }
    return this.#merged;
  }

  #find(args: readonly unknown[]): Found | null {
    const options = this.#options();
    for (let k = 0; k < this.#entries.length; k++) {
      const entry = this.#entries[k] as Entry;
      if (entry.isGradOn !== recording.isActive || entry.options !== options) continue;
      const given: Given = { tensors: [], numbers: [] };
      if (!areAlike(entry.places, args, given)) continue;
      const bound = entry.refusal === null ? bindable(entry, given) : null;
      if (bound === null && entry.refusal === null) continue;
      this.#noteUse(k);
      return { entry, bound, numbers: given.numbers };
    }
    return null;
  }

  /** A recording for these arguments that was made from those at other sizes, with what it is bound to; null if there is none. */
  #findSized(args: readonly unknown[], dynamic: DynamicEntries): Found | null {
    const given: Given = { tensors: [], numbers: [], sizes: [] };
    const entry = dynamic.find(args, recording.isActive, this.#options(), given);
    const bound = entry === null ? null : bindable(entry, given);
    return entry === null || bound === null ? null : { entry, bound, numbers: given.numbers };
  }
}
