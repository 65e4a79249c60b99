/** Plain loops over flat arrays: what convolutions, pools and sums of products are, without any of the library. */

export interface Plain {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((count, size) => count * size, 1);

/** Every index of a shape, in row-major order. */
export function* indices(shape: readonly number[]): Generator<number[]> {
  const total = sizeOf(shape);
  for (let flat = 0; flat < total; flat++) {
    const index = new Array<number>(shape.length);
    let rest = flat;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape[axis]!;
      rest = Math.floor(rest / shape[axis]!);
    }
    yield index;
  }
}

function place(shape: readonly number[], index: readonly number[]): number {
  let flat = 0;
  for (let axis = 0; axis < index.length; axis++) flat = flat * shape[axis]! + index[axis]!;
  return flat;
}

function isInside(shape: readonly number[], index: readonly number[]): boolean {
  for (let axis = 0; axis < index.length; axis++)
    if (index[axis]! < 0 || index[axis]! >= shape[axis]!) return false;
  return true;
}

/** The element, or `outside` beyond the edges. */
export const at = ({ shape, data }: Plain, index: readonly number[], outside = 0): number =>
  isInside(shape, index) ? data[place(shape, index)]! : outside;

export interface Steps {
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
}

/** Where a window that is at `index` ([N, O, ...]) reads for `within` ([C, ...]) the kernel. */
function readPlaces(index: readonly number[], within: readonly number[], steps: Steps): number[] {
  const { stride, dilation, padding } = steps;
  const read: number[] = [];
  for (let k = 0; k < within.length - 1; k++)
    read.push(index[k + 2]! * stride[k]! + within[k + 1]! * dilation[k]! - padding[k]!);
  return read;
}

/** x [N, C, ...], weight [O, C / groups, ...]. */
export function convolve(x: Plain, weight: Plain, steps: Steps, groups: number): Plain {
  const [count, , ...sizes] = x.shape as [number, number, ...number[]];
  const [results, perGroup, ...kernel] = weight.shape as [number, number, ...number[]];
  const counts = sizes.map(
    (size, k) =>
      Math.floor(
        (size + 2 * steps.padding[k]! - steps.dilation[k]! * (kernel[k]! - 1) - 1) / steps.stride[k]!,
      ) + 1,
  );
  const shape = [count, results, ...counts];
  const places = [...indices([perGroup, ...kernel])];
  const data = Array.from(indices(shape), (index) => {
    const [n, o] = index as [number, number];
    const first = Math.floor(o / (results / groups)) * perGroup;
    let sum = 0;
    for (const within of places) {
      const c = within[0]!;
      sum +=
        at(x, [n, first + c, ...readPlaces(index, within, steps)]) *
        weight.data[place(weight.shape, [o, ...within])]!;
    }
    return sum;
  });
  return { shape, data };
}

/** The gradients of x and of the weight of {@link convolve}, given that of the result. */
export function convolveBackward(
  x: Plain,
  weight: Plain,
  g: Plain,
  steps: Steps,
  groups: number,
): [Plain, Plain] {
  const [results, perGroup, ...kernel] = weight.shape as [number, number, ...number[]];
  const [ofX, ofWeight] = [x, weight].map(({ data }) => new Array<number>(data.length).fill(0)) as [
    number[],
    number[],
  ];
  const places = [...indices([perGroup, ...kernel])];
  for (const index of indices(g.shape)) {
    const [n, o] = index as [number, number];
    const first = Math.floor(o / (results / groups)) * perGroup;
    const slope = at(g, index);
    for (const within of places) {
      const from = [n, first + within[0]!, ...readPlaces(index, within, steps)];
      if (!isInside(x.shape, from)) continue;
      const inX = place(x.shape, from);
      const inWeight = place(weight.shape, [o, ...within]);
      ofX[inX]! += slope * weight.data[inWeight]!;
      ofWeight[inWeight]! += slope * x.data[inX]!;
    }
  }
  return [
    { shape: x.shape, data: ofX },
    { shape: weight.shape, data: ofWeight },
  ];
}

/** x [N, C, ...], weight [C, O / groups, ...]: each element adds its image of the kernel. */
export function convolveTransposed(
  x: Plain,
  weight: Plain,
  steps: Steps,
  extra: readonly number[],
  groups: number,
): Plain {
  const [count, channels, ...sizes] = x.shape as [number, number, ...number[]];
  const [, perGroup, ...kernel] = weight.shape as [number, number, ...number[]];
  const results = sizes.map(
    (size, k) =>
      (size - 1) * steps.stride[k]! -
      2 * steps.padding[k]! +
      steps.dilation[k]! * (kernel[k]! - 1) +
      extra[k]! +
      1,
  );
  const shape = [count, perGroup * groups, ...results];
  const data = new Array<number>(sizeOf(shape)).fill(0);
  for (const [n, c, ...from] of indices(x.shape)) {
    const group = Math.floor(c! / (channels / groups));
    for (const [o, ...within] of indices([perGroup, ...kernel])) {
      const to = from.map(
        (start, k) => start * steps.stride[k]! + within[k]! * steps.dilation[k]! - steps.padding[k]!,
      );
      if (!to.every((part, k) => part >= 0 && part < results[k]!)) continue;
      data[place(shape, [n!, group * perGroup + o!, ...to])]! +=
        at(x, [n!, c!, ...from]) * at(weight, [c!, o!, ...within]);
    }
  }
  return { shape, data };
}

/** Sums products of labelled axes by brute force. */
export function einsum(inputs: readonly string[], output: string, operands: readonly Plain[]): Plain {
  const sizes = new Map<string, number>();
  inputs.forEach((labels, k) => {
    for (const [axis, label] of [...labels].entries()) sizes.set(label, operands[k]!.shape[axis]!);
  });
  const summed = [...sizes.keys()].filter((label) => !output.includes(label));
  const shape = [...output].map((label) => sizes.get(label)!);
  const data = [...indices(shape)].map((kept) => {
    let sum = 0;
    for (const folded of indices(summed.map((label) => sizes.get(label)!))) {
      const where = new Map([
        ...[...output].map((label, k) => [label, kept[k]!] as const),
        ...summed.map((label, k) => [label, folded[k]!] as const),
      ]);
      sum += inputs.reduce(
        (product, labels, k) =>
          product *
          at(
            operands[k]!,
            [...labels].map((label) => where.get(label)!),
          ),
        1,
      );
    }
    return sum;
  });
  return { shape, data };
}
