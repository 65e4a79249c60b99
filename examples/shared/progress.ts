/** A progress bar: redrawn in place on a terminal, elsewhere a line at each tenth. */

const WIDTH = 30;

export interface Progress {
  /** One step more is done. */
  step(note: string): void;
  end(): void;
}

/** Of `total` steps. Writes to stderr, so that stdout has the results alone. */
export function progress(title: string, total: number): Progress {
  const { stderr } = process;
  const begin = performance.now();
  let done = 0;
  let tenths = -1;
  let drawn = 0;

  const line = (note: string): string => {
    const filled = Math.round((done / total) * WIDTH);
    const seconds = (performance.now() - begin) / 1000;
    const left = (seconds / done) * (total - done);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    return `${title} ${bar} ${done}/${total}  ${seconds.toFixed(0)} s, ${left.toFixed(0)} s left  ${note}`;
  };

  return {
    step(note) {
      done++;
      if (stderr.isTTY) {
        // More often than ten times a second nobody sees.
        if (done < total && performance.now() - drawn < 100) return;
        drawn = performance.now();
        stderr.write(`\r\x1b[K${line(note)}`);
      } else if (Math.floor((10 * done) / total) > tenths) {
        tenths = Math.floor((10 * done) / total);
        stderr.write(`${line(note)}\n`);
      }
    },
    end() {
      if (stderr.isTTY) stderr.write("\n");
    },
  };
}
