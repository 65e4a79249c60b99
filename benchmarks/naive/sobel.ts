import { conv2d, fromTypedArray, tensor } from "fuseau";
import { randomBytes } from "../measure/inputs.ts";
import type { NaiveProgram } from "./program.ts";

const [HEIGHT, WIDTH, FRAMES, BUFFERS] = [1080, 1920, 80, 4];
const buffers = (): readonly Uint8Array[] =>
  Array.from({ length: BUFFERS }, (_, k) => randomBytes(HEIGHT * WIDTH, 4 + k));

/** Edges of 1080p frames as a camera lends them: the same few buffers over and over. */
export const sobel: NaiveProgram = {
  mostTime: 1,
  tolerance: 1e-3,
  fuseau: () => {
    const frames = buffers();
    return () => {
      const across = tensor([
        [
          [
            [-1, 0, 1],
            [-2, 0, 2],
            [-1, 0, 1],
          ],
        ],
      ]);
      let total = 0;
      for (let k = 0; k < FRAMES; k++) {
        const frame = fromTypedArray(frames[k % BUFFERS]!, { shape: [1, 1, HEIGHT, WIDTH] }).to("float32");
        const gx = conv2d(frame, across, { padding: 1 });
        const gy = conv2d(frame, across.transpose(2, 3), { padding: 1 });
        const edges = gx.square().add(gy.square()).sqrt().clamp(0, 255).to("uint8").toTypedArray();
        total += edges[(HEIGHT >> 1) * WIDTH + 11 * k + 5]!;
      }
      return total;
    };
  },
  loop: () => {
    const frames = buffers();
    return () => {
      let total = 0;
      for (let k = 0; k < FRAMES; k++) {
        const s = frames[k % BUFFERS]!;
        const edges = new Uint8Array(HEIGHT * WIDTH);
        for (let i = 1; i < HEIGHT - 1; i++)
          for (let o = i * WIDTH + 1; o < (i + 1) * WIDTH - 1; o++) {
            const [a, b, c] = [s[o - WIDTH - 1]!, s[o - WIDTH]!, s[o - WIDTH + 1]!];
            const [d, e] = [s[o - 1]!, s[o + 1]!];
            const [f, g, h] = [s[o + WIDTH - 1]!, s[o + WIDTH]!, s[o + WIDTH + 1]!];
            const gx = c - a + 2 * (e - d) + h - f;
            const gy = f - a + 2 * (g - b) + h - c;
            edges[o] = Math.min(255, Math.sqrt(gx * gx + gy * gy));
          }
        total += edges[(HEIGHT >> 1) * WIDTH + 11 * k + 5]!;
      }
      return total;
    };
  },
};
