/** The workers of a pool: starts them in the background, sends them kernels, and gives them up. */
import { ControlBlock } from "./control.ts";
import type { Host, HostWorker } from "./host.ts";
import { SLOTS } from "./layout.ts";
import { type WorkerMessage, workerText } from "./worker-text.ts";

/** After so many of its workers have died, a host gets no new ones. */
const MOST_LOSSES = 8;

/** A kernel as threads share it: each has its own instance of the module. */
export interface SharedKernel {
  /** A `WebAssembly.Module` that imports the pool's memory as `env.memory` and nothing else, and exports `run`. */
  readonly module: object;
  /** `run` of the main thread's instance. The status is 0, or another number when the slice failed. */
  readonly run: (frame: number, phase: number, begin: number, end: number) => number;
}

/** A worker, with the slot of its words in the control block. */
interface Member {
  readonly slot: number;
  readonly worker: HostWorker;
  /** Resolves when it is ready or has failed. */
  readonly started: Promise<void>;
}

export interface WorkersOptions {
  readonly host: Host;
  readonly memory: object;
  /** The most milliseconds that a thread spins before it sleeps. */
  readonly spin: number;
  /** Called when no worker that was given up can write any more. */
  readonly onReleased: () => void;
  /** Called when no worker could be started. None will be tried again. */
  readonly onRefused: () => void;
}

export class Workers {
  readonly control: ControlBlock;
  readonly #options: WorkersOptions;
  readonly #start: NonNullable<Host["startWorker"]>;
  readonly #members: Member[] = [];
  readonly #slots = new Set<number>();
  readonly #silent = new Set<number>();
  readonly #kernels = new Map<SharedKernel, number>();
  #lastKernel = 0;
  #losses = 0;
  #everReady = false;
  #refused = false;

  constructor(start: NonNullable<Host["startWorker"]>, options: WorkersOptions) {
    this.#start = start;
    this.#options = options;
    this.control = new ControlBlock(options.spin, options.host.mayBlock);
  }

  /** Starts workers until there are `count`. Resolves when each is ready or has failed. */
  async grow(workers: number): Promise<void> {
    const mayAdd = () => !this.#refused && this.#losses < MOST_LOSSES && this.#slots.size < SLOTS;
    while (this.#members.length < workers && mayAdd()) this.#add();
    await Promise.all(this.#members.map(({ started }) => started));
  }

  /** Stops workers until there are at most `count`. None of them may be in a slice. */
  shrink(workers: number): void {
    while (this.#members.length > workers) this.#dismiss(this.#members.pop() as Member);
  }

  /** The slots of at most `count` workers that have reported ready. */
  ready(most: number): number[] {
    const slots: number[] = [];
    for (const { slot } of this.#members)
      if (slots.length < most && this.control.isReady(slot)) slots.push(slot);
    return slots;
  }

  /** The number by which workers know a kernel. At the first call the kernel is sent to them. */
  numberOf(kernel: SharedKernel): number {
    const known = this.#kernels.get(kernel);
    if (known !== undefined) return known;
    const id = ++this.#lastKernel;
    this.#kernels.set(kernel, id);
    this.#send({ kind: "module", id, module: kernel.module });
    return id;
  }

  forget(kernel: SharedKernel): void {
    const id = this.#kernels.get(kernel);
    if (id === undefined) return;
    this.#kernels.delete(kernel);
    this.#send({ kind: "forget", id });
  }

  /** Gives up a worker that has failed. A silent one may still write, until the host says that it has ended. */
  retire(slot: number, silent: boolean): void {
    const member = this.#remove(slot);
    if (member === null) return;
    this.#losses++;
    if (silent) this.#silent.add(slot);
    this.#dismiss(member);
  }

  /** True if a silent worker has not been seen to end. */
  get quarantined(): boolean {
    return this.#silent.size > 0;
  }

  #add(): void {
    let slot = 0;
    while (this.#slots.has(slot)) slot++;
    let settle = () => {};
    const started = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const events = {
      ready: () => {
        this.#everReady = true;
        settle();
      },
      gone: () => {
        settle();
        this.#lost(slot);
      },
    };
    this.control.clear(slot);
    let worker: HostWorker;
    try {
      worker = this.#start(workerText, events);
    } catch {
      this.#refuse();
      return;
    }
    this.#slots.add(slot);
    this.#members.push({ slot, worker, started });
    worker.post({
      kind: "start",
      control: this.control.buffer,
      memory: this.#options.memory,
      slot,
      spin: this.#options.spin,
      received: this.control.mail,
      modules: [...this.#kernels].map(([{ module }, id]) => [id, module] as const),
    } satisfies WorkerMessage);
  }

  /** Sends a message to all workers. A sleeping one reads it when the next step is opened. */
  #send(message: WorkerMessage): void {
    if (this.#members.length === 0) return;
    this.control.announceMail();
    for (const { worker } of this.#members) worker.post(message);
  }

  /** Called when a worker has ended that nobody had stopped. */
  #lost(slot: number): void {
    if (this.#remove(slot) === null) return;
    this.#slots.delete(slot);
    this.#losses++;
    if (!this.#everReady) this.#refuse();
  }

  #refuse(): void {
    if (this.#refused) return;
    this.#refused = true;
    this.#options.onRefused();
  }

  #dismiss({ slot, worker }: Member): void {
    this.control.invite(slot, 0);
    void worker.stop().then(() => {
      this.#slots.delete(slot);
      if (this.#silent.delete(slot) && this.#silent.size === 0) this.#options.onReleased();
    });
  }

  #remove(slot: number): Member | null {
    const index = this.#members.findIndex((member) => member.slot === slot);
    return index < 0 ? null : (this.#members.splice(index, 1)[0] as Member);
  }
}
