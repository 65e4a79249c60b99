/** A curve of losses, as text for a terminal and as SVG. */

/** The mean of each of at most `count` stretches of equal length. */
export function smoothed(values: readonly number[], count: number): number[] {
  const stretches = Math.min(count, values.length);
  return Array.from({ length: stretches }, (_, k) => {
    const from = Math.floor((k * values.length) / stretches);
    const to = Math.floor(((k + 1) * values.length) / stretches);
    return values.slice(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
  });
}

/** Two dots for each character sideways and four upwards, as Braille has them: bits by column and row from the top. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

/** `width` and `height` in characters, without the scale at the left. */
export function drawText(values: readonly number[], width = 60, height = 10): string {
  const columns = smoothed(values, 2 * width);
  const [least, most] = [Math.min(...columns), Math.max(...columns)];
  const cells = Array.from({ length: height }, () => new Array<number>(width).fill(0));
  const rowOf = (value: number): number =>
    most === least ? 0 : Math.round(((most - value) / (most - least)) * (4 * height - 1));
  // Between two values stand as many dots as lie between their rows.
  for (let x = 0; x < 2 * width; x++) {
    const k = Math.floor((x * columns.length) / (2 * width));
    const y = rowOf(columns[k]!);
    const before = x === 0 ? y : rowOf(columns[Math.floor(((x - 1) * columns.length) / (2 * width))]!);
    const [from, to] = before < y ? [before + 1, y] : before > y ? [y, before - 1] : [y, y];
    for (let dot = from; dot <= to; dot++)
      cells[Math.floor(dot / 4)]![Math.floor(x / 2)]! |= DOTS[x % 2 === 0 ? 0 : 1][dot % 4]!;
  }
  return cells
    .map((row, k) => {
      const value = most - ((most - least) * k) / (height - 1);
      const label = k === 0 || k === height - 1 ? value.toPrecision(4) : "";
      return `${label.padStart(9)} │${String.fromCharCode(...row.map((dots) => 0x2800 + dots))}`;
    })
    .join("\n");
}

/** A drawing of 640 by 360, with the steps below and the values at the left. */
export function drawSvg(title: string, values: readonly number[]): string {
  const points = smoothed(values, 300);
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const x = (k: number): string => (60 + (560 * k) / Math.max(1, points.length - 1)).toFixed(1);
  const y = (value: number): string =>
    (40 + (most === least ? 0 : (280 * (most - value)) / (most - least))).toFixed(1);
  const path = points.map((value, k) => `${x(k)},${y(value)}`).join(" ");
  const text = (left: number, top: number, anchor: string, content: string): string =>
    `<text x="${left}" y="${top}" text-anchor="${anchor}">${content}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360" font-family="sans-serif" font-size="12">
<rect width="640" height="360" fill="white"/>
<path d="M60 40 V320 H620" fill="none" stroke="gray"/>
${text(320, 24, "middle", title)}
${text(54, 44, "end", most.toPrecision(3))}
${text(54, 324, "end", least.toPrecision(3))}
${text(60, 340, "middle", "0")}
${text(620, 340, "middle", `${values.length} steps`)}
<polyline points="${path}" fill="none" stroke="steelblue" stroke-width="1.5"/>
</svg>
`;
}
