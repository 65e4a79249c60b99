import { clearCaches, ones, setOptions, stats, tensor } from "fuseau";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { textInLanes } from "../../packages/runtime/src/backends/in-lanes.ts";
import { js } from "../../packages/runtime/src/backends/js.ts";

const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);

/** What a fault of the scheduler's would look like: the first look is that of the options' check. */
const faulty = () => {
  let looks = 0;
  return {
    get ops(): number {
      if (looks++ === 0) return 128;
      throw new TypeError("a fault that was put here");
    },
  };
};

// A program of the same graph that another file left in the caches would have its limits compared, and the fault is met at that look.
beforeEach(() => {
  clearCaches();
});

afterEach(() => {
  setOptions({ onFault: "throw" });
  warn.mockClear();
});

describe("a fault of the compiler's own", () => {
  const expression = () => tensor([1, 2, 3]).mul(2).add(1);

  it("is an InternalError that prints the graph, when asked for", () => {
    expect(() => expression().compute({ limits: faulty() })).toThrow(
      /internal error.*a fault that was put here[\s\S]*= mul\(/,
    );
  });

  it("is met in silence, when asked for, and counted", () => {
    setOptions({ onFault: "silent" });
    const { count } = stats().faults;
    expect(expression().neg().compute({ limits: faulty() }).toArray()).toEqual([-3, -5, -7]);
    expect(stats().faults.count).toBe(count + 1);
    expect(warn).not.toHaveBeenCalled();
  });

  it("else gives the unfused answer, and is counted, explained and said once", () => {
    setOptions({ onFault: "unfused" });
    const { count } = stats().faults;
    expect(expression().compute({ limits: faulty() }).toArray()).toEqual([3, 5, 7]);
    expect(stats().faults.count).toBe(count + 1);
    expect(stats().faults.last?.message).toContain("a fault that was put here");
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /internal error.*a fault that was put here[\s\S]*= mul\([\s\S]*op by op.*onFault/,
        ),
      ],
    ]);
    expect(expression().sub(1).explain({ limits: faulty() }).emitterReason).toContain(
      "op by op after a fault",
    );
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe("a fault of the WebAssembly emitter's", () => {
  const host = globalThis as unknown as { readonly WebAssembly: { Module: (bytes: Uint8Array) => object } };
  const failing = (): void => {
    // What the host can do is found out first.
    expect(ones([20_000]).mul(3).explain().emitter).toBe("wasm");
    vi.spyOn(host.WebAssembly, "Module").mockImplementation(function failing() {
      throw new TypeError("a fault that was put there");
    });
  };
  afterEach(() => vi.mocked(host.WebAssembly.Module).mockRestore());
  const expression = () => ones([10_000]).mul(2).add(1).sqrt();

  it("is an InternalError that prints the kernel, when asked for", () => {
    failing();
    const again = expression();
    expect(expression().compute().select(0, 0).item()).toBeCloseTo(Math.sqrt(3), 6);
    expect(() => again.compute()).toThrow(/internal error.*a fault that was put there[\s\S]*kernel\(/);
  });

  it("else has JavaScript run the program, and is counted and explained", () => {
    failing();
    setOptions({ onFault: "unfused" });
    const { count } = stats().faults;
    const { emitter, emitterReason } = expression().explain();
    expect({ emitter, emitterReason }).toEqual({
      emitter: "js",
      emitterReason: expect.stringContaining("fault"),
    });
    expect(expression().compute().select(0, 0).item()).toBeCloseTo(Math.sqrt(3), 6);
    expect(stats().faults.count).toBe(count + 1);
  });
});

describe("a fault of the JavaScript emitter's", () => {
  const fault = new TypeError("a fault that was put there");
  afterEach(() => {
    for (const { compile } of [js, textInLanes]) vi.mocked(compile).mockRestore();
  });
  const failing = (): void => {
    for (const backend of [js, textInLanes])
      vi.spyOn(backend, "compile").mockImplementation(() => {
        throw fault;
      });
  };
  const expression = () => tensor([1, 4, 9]).sqrt().sub(1);

  it("has closures run the program, and is counted and explained", () => {
    failing();
    setOptions({ onFault: "silent" });
    const { count } = stats().faults;
    const { emitter, emitterReason } = expression().explain();
    expect({ emitter, emitterReason }).toEqual({
      emitter: "closure",
      emitterReason: "JavaScript kernels failed by a fault of fuseau's: see stats().faults",
    });
    expect(expression().toArray()).toEqual([0, 1, 2]);
    expect(stats().faults.count).toBe(count + 1);
    expect(stats().faults.last?.message).toMatch(/JavaScript kernels: a fault that was put there/);
  });

  it("is thrown as it is where that emitter was asked for", () => {
    failing();
    expect(() => expression().neg().compute({ emitter: "js" })).toThrow(fault);
  });
});
