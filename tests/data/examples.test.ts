/** The examples that train, a few steps of each: examples/train.ts runs them wholly. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { drawSvg, drawText, smoothed } from "../../examples/shared/curve.ts";
import { examples } from "../../examples/training/examples.ts";

const folder = `${mkdtempSync(join(tmpdir(), "fuseau-examples-"))}/`;
afterAll(() => rmSync(folder, { recursive: true }));

test.each([...examples.keys()])("%s learns, and its weights come back", async (name) => {
  const { lines, losses } = await examples.get(name)!(true, folder);
  const [before, after] = smoothed(losses, 2) as [number, number];
  expect(after).toBeLessThan(before);
  expect(lines.at(-1)).toBe("the saved weights predict the same after loading");
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([`${name}.safetensors`, `${name}.svg`]));
  expect(readFileSync(`${folder}${name}.svg`, "utf8")).toContain(`${losses.length} steps`);
});

test("a curve falls from the upper left to the lower right", () => {
  expect(drawText([4, 3, 2, 1], 2, 2)).toBe("    4.000 │⠱⡀\n    1.000 │⠀⢣");
  expect(smoothed([1, 3, 5, 7], 2)).toEqual([2, 6]);
  expect(drawSvg("two", [1, 0])).toContain('points="60.0,40.0 620.0,320.0"');
});
