/** Gradients of windows that overlap: of views, of pools. They are sums of windows, and what each holds of them is counted. */
import {
  type AnyTensor,
  autograd,
  avgPool2d,
  conv2d,
  convTranspose2d,
  full,
  maxPool2d,
  maxPool3d,
  ones,
  randn,
} from "fuseau";
import { describe, expect, it, test } from "vitest";

interface View {
  readonly size: readonly number[];
  readonly stride: readonly number[];
  readonly offset?: number;
}

/** What each element of the base gets, element by element of the view. */
function added(count: number, { size, stride, offset = 0 }: View, g: readonly number[]): number[] {
  const sums = new Array<number>(count).fill(0);
  g.forEach((value, element) => {
    let place = offset;
    let rest = element;
    for (let axis = size.length - 1; axis >= 0; axis--) {
      place += (rest % size[axis]!) * stride[axis]!;
      rest = Math.floor(rest / size[axis]!);
    }
    sums[place]! += value;
  });
  return sums;
}

const gradientOf = (y: AnyTensor, x: AnyTensor, g: AnyTensor): AnyTensor =>
  autograd.grad(y, [x], { gradOutputs: [g] })[0]!;

const opsOf = (x: AnyTensor): string[] => x.explain().kernels.flatMap(({ ops }) => ops);

describe("the gradient of a view whose elements overlap", () => {
  it.each<[string, readonly number[], View, boolean]>([
    ["rows of windows", [3, 20], { size: [3, 16, 5], stride: [20, 1, 1] }, false],
    ["every second window", [3, 20], { size: [3, 8, 5], stride: [20, 2, 1] }, false],
    ["from a place on", [3, 20], { size: [3, 4, 5], stride: [20, 2, 1], offset: 3 }, false],
    ["images", [2, 3, 9, 9], { size: [2, 3, 3, 3, 7, 7], stride: [243, 81, 9, 1, 9, 1] }, false],
    ["dilated ones", [2, 3, 9, 9], { size: [2, 3, 5, 5, 3, 3], stride: [243, 81, 9, 1, 18, 2] }, false],
    ["windows as long as they are many", [1, 9], { size: [5, 5], stride: [1, 1] }, false],
    ["a base with an axis left out", [3, 4, 5], { size: [3, 3, 3], stride: [20, 1, 1], offset: 5 }, false],
    ["axes of one element", [1, 1, 9], { size: [5, 1, 5], stride: [1, 7, 1] }, false],
    ["windows far apart", [2, 3, 9, 9], { size: [2, 3, 4, 4, 3, 3], stride: [243, 81, 18, 2, 9, 1] }, false],
    ["frames of a signal", [2, 40], { size: [2, 4, 11], stride: [40, 8, 1], offset: 3 }, false],
    ["windows that leave gaps", [30], { size: [4, 3], stride: [7, 1], offset: 2 }, false],
    ["fewer windows than blocks of them", [40], { size: [2, 30], stride: [3, 1], offset: 1 }, false],
    ["elements far apart in windows", [40], { size: [6, 5], stride: [1, 7] }, false],
    ["windows within the last block", [12], { size: [3, 5], stride: [3, 1], offset: 1 }, false],
    ["windows across rows", [3, 4], { size: [8, 5], stride: [1, 1] }, true],
    ["steps that meet", [30], { size: [4, 4], stride: [3, 2], offset: 1 }, true],
  ])("%s", (_, shape, view, isScattered) => {
    const x = randn(shape, { dtype: "float64" }).requiresGrad_() as AnyTensor;
    const g = randn(view.size, { dtype: "float64" }) as AnyTensor;
    const gradient = gradientOf(x.asStrided(view.size, view.stride, view.offset), x, g);
    expect(opsOf(gradient).includes("scatter")).toBe(isScattered);
    const count = shape.reduce((product, size) => product * size);
    const expected = added(count, view, g.reshape([-1]).toArray() as number[]);
    (gradient.reshape([-1]).toArray() as number[]).forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k]!, 12);
    });
  });

  test("of a second order is that of the sum", () => {
    const x = randn([2, 9], { dtype: "float64" }).requiresGrad_() as AnyTensor;
    expect(autograd.gradcheck((y: AnyTensor) => y.unfold(1, 4, 1).std(-1), [x])).toBe(true);
    expect(autograd.gradgradcheck((y: AnyTensor) => y.unfold(1, 4, 1).square().sum(-1), [x])).toBe(true);
  });
});

describe("the gradient of a pool whose windows overlap", () => {
  const image = (): AnyTensor => randn([1, 2, 7, 7], { dtype: "float64" }).requiresGrad_() as AnyTensor;

  it.each([
    [3, { stride: 1 }],
    [3, { stride: 2, padding: 1 }],
    [4, { stride: 3 }],
    [[3, 2], { stride: [2, 1] }],
    [2, { stride: 1 }],
  ] as const)("of %o with %o is right, also of second order", (kernel, options) => {
    const x = image();
    expect(autograd.gradcheck((y: AnyTensor) => maxPool2d(y, kernel, options), [x])).toBe(true);
    expect(autograd.gradcheck((y: AnyTensor) => avgPool2d(y, kernel, options), [x])).toBe(true);
    expect(autograd.gradgradcheck((y: AnyTensor) => avgPool2d(y, kernel, options).square(), [x])).toBe(true);
  });

  test("holds no gradient for each element of each window", () => {
    const x = randn([2, 4, 32, 32]).requiresGrad_() as AnyTensor;
    for (const y of [maxPool2d(x, 5, { stride: 1 }), avgPool2d(x, 5, { stride: 1 })] as AnyTensor[]) {
      const { intermediate } = gradientOf(y, x, randn(y.shape)).explain().bytes;
      // Places of the largest are int64; the padded gradient of an average is a little larger than the image.
      expect(intermediate).toBeLessThan(4 * x.numel() * 4);
    }
  });

  // Where all is -Infinity the padding is no less, so it comes first.
  it.each([
    ["few elements", 2, { padding: 1 }, [1, 1, 0, 1, 1, 0, 0, 0, 0]],
    ["many elements", 3, { stride: 1, padding: 1 }, [4, 2, 0, 2, 1, 0, 0, 0, 0]],
    ["elements far apart", 2, { stride: 1, padding: 1, dilation: 2 }, [1, 2, 0, 2, 4, 0, 0, 0, 0]],
  ] as const)("goes to elements and not to padding, in windows of %s", (_, kernel, options, expected) => {
    const x = full([1, 1, 3, 3], Number.NEGATIVE_INFINITY).requiresGrad_() as AnyTensor;
    const y = maxPool2d(x, kernel, options) as AnyTensor;
    expect(gradientOf(y, x, ones(y.shape)).reshape([-1]).toArray()).toEqual(expected);
  });

  test("is at the positions that the pool names", () => {
    const x = full([1, 1, 3, 2, 2], Number.NEGATIVE_INFINITY).requiresGrad_() as AnyTensor;
    const options = { stride: 2, padding: [0, 1, 1], returnIndices: true } as const;
    const { values, indices } = maxPool3d(x, [1, 3, 2], options);
    expect(indices.reshape([-1]).toArray()).toEqual([0, 1, 8, 9]);
    const gradient = gradientOf(values, x, ones(values.shape)).reshape([-1]).toArray();
    expect(gradient).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]);
  });
});

describe("the gradient of a transposed convolution in steps of two", () => {
  it("is a convolution, and one product for the filters: nothing is padded once for each place of a filter", () => {
    const x = randn([2, 4, 8, 8]).compute().requiresGrad_();
    const filters = randn([4, 3, 4, 4]).compute().requiresGrad_();
    const image = convTranspose2d(x, filters, { stride: 2, padding: 1 });
    for (const gradient of autograd.grad([image.square().sum()], [x, filters] as const)) {
      const ops = opsOf(gradient as AnyTensor);
      expect(ops.filter((op) => op === "contract").length).toBeLessThanOrEqual(2);
      expect(ops.filter((op) => op === "pad").length).toBeLessThan(8);
    }
  });

  it.each([
    { stride: 2, padding: 1 },
    { stride: 3, padding: 0, outputPadding: 2 },
    { stride: 2, padding: 2, dilation: 2 },
    { stride: 2, padding: 1, groups: 2 },
  ])("is that of differences, with %j", (options) => {
    const x = randn([2, 4, 4, 3], { dtype: "float64" }).compute().requiresGrad_();
    const filters = randn([4, 2, 3, 4], { dtype: "float64" }).compute().requiresGrad_();
    const image = (a: typeof x, b: typeof filters) => convTranspose2d(a, b, options) as AnyTensor;
    expect(autograd.gradcheck(image as never, [x, filters] as never)).toBe(true);
    expect(autograd.gradgradcheck(image as never, [x, filters] as never)).toBe(true);
  });
});

it("the filters of a convolution of each channel by itself get a sum of products, along rows of memory", () => {
  const x = randn([2, 8, 28, 28]).compute();
  const filters = randn([8, 1, 3, 3]).compute().requiresGrad_();
  const result = conv2d(x, filters, { padding: 1, groups: 8 });
  const [gradient] = autograd.grad([result.square().sum()], [filters] as const);
  const { kernels } = (gradient as AnyTensor).explain();
  expect(kernels.flatMap(({ ops }) => ops).filter((op) => op === "contract")).toHaveLength(1);
  expect(kernels.find(({ ops }) => ops.includes("sum"))?.loop).not.toMatch(/ [/%] n/);
});
