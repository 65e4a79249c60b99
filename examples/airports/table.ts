/** Tables as text. */

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

const GAP = "  ";

/** A line of titles, a rule, and the rows; each column as wide as its widest cell. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, k) => Math.max(title.length, ...rows.map((row) => row[k]!.length)));
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, k) =>
        align === "left" ? cells[k]!.padEnd(widths[k]!) : cells[k]!.padStart(widths[k]!),
      )
      .join(GAP)
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  const rule = widths.map((width) => "─".repeat(width)).join(GAP);
  return [line(titles), rule, ...rows.map(line)].join("\n");
}

/** The lines of a list set in columns, read downwards. */
export function inColumns(lines: readonly string[], count: number): string {
  const height = Math.ceil(lines.length / count);
  const width = Math.max(0, ...lines.map((line) => line.length));
  const row = (k: number): string =>
    Array.from({ length: count }, (_, column) => (lines[column * height + k] ?? "").padEnd(width))
      .join(GAP.repeat(2))
      .trimEnd();
  return Array.from({ length: height }, (_, k) => row(k)).join("\n");
}
