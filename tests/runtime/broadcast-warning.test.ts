import { add, backcompat, ones, randn, tensor, tril, zeros } from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const { broadcastWarning } = backcompat;
const told: string[] = [];
const usual = broadcastWarning.handler;

beforeEach(() => {
  told.length = 0;
  broadcastWarning.handler = (message) => told.push(message);
});
afterEach(() => {
  broadcastWarning.enabled = false;
  broadcastWarning.handler = usual;
});

describe("operands of different shapes with equally many elements", () => {
  it("are broadcast without a word, unless one asks", () => {
    expect(broadcastWarning.enabled).toBe(false);
    expect(add(ones([4, 1]), randn([4])).shape).toEqual([4, 4]);
    expect(told).toEqual([]);
  });
  it("are told of once per call site", () => {
    broadcastWarning.enabled = true;
    for (let k = 0; k < 3; k++) expect(add(ones([4, 1]), randn([4])).shape).toEqual([4, 4]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(
      /^add: self and other do not have the same shape, but are broadcastable, and have the same number of elements\. .*\(shapes \[4, 1\] and \[4\] give \[4, 4\]; .* at .*broadcast-warning\.test\.ts:\d+:\d+\)$/,
    );
    ones([4, 1]).mul(randn([4]));
    ones([4, 1])
      .to("int32")
      .maximum(randn([4]));
    expect(told).toHaveLength(3);
  });
  it("are told of again after it was switched on again", () => {
    for (let k = 0; k < 2; k++) {
      broadcastWarning.enabled = true;
      for (let j = 0; j < 2; j++) zeros([2, 1]).lt(tensor([1, 2]));
    }
    expect(told).toHaveLength(2);
  });
});

describe("nothing is said", () => {
  it("of operands that are alike, or differ in size, or do not broadcast", () => {
    broadcastWarning.enabled = true;
    ones([4]).add(ones([4]));
    ones([4, 1]).add(ones([1, 3]));
    ones([4]).add(2);
    ones([1]).add(tensor(2));
    expect(() => ones([2, 3]).add(ones([3, 2]) as never)).toThrow();
    expect(told).toEqual([]);
  });
  it("of what ops do inside", () => {
    broadcastWarning.enabled = true;
    tril(ones([4, 4]));
    ones([1, 4]).softmax(-1);
    ones([4]).std();
    expect(told).toEqual([]);
  });
});
