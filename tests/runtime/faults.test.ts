import { setOptions, stats, tensor } from "fuseau";
import { afterEach, describe, expect, it } from "vitest";

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

afterEach(() => setOptions({ onFault: "throw" }));

describe("a fault of the compiler's own", () => {
  const expression = () => tensor([1, 2, 3]).mul(2).add(1);

  it("is an InternalError that prints the graph, when asked for", () => {
    expect(() => expression().compute({ limits: faulty() })).toThrow(
      /internal error.*a fault that was put here[\s\S]*= mul\(/,
    );
  });

  it("else gives the unfused answer, and is counted", () => {
    setOptions({ onFault: "unfused" });
    const { count } = stats().faults;
    expect(expression().compute({ limits: faulty() }).toArray()).toEqual([3, 5, 7]);
    expect(stats().faults.count).toBe(count + 1);
    expect(stats().faults.last?.message).toContain("a fault that was put here");
  });
});
