/** A benchmark with all that it imports, as one file of plain JavaScript: where it is, and what removes it. */
export function inOneFile(source: string): Promise<{ readonly file: string; readonly remove: () => void }>;
