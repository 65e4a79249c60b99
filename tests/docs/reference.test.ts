/** docs/reference.md is what the declarations say. */
import { expect, test } from "vitest";
import { reference } from "./reference.ts";

test("the page of all calls is up to date, and each has a docstring", async () => {
  const page = reference();
  expect(
    page.split("\n").filter((line) => /\|\s+\|$/.test(line) && !/^\| (call|property)/.test(line)),
  ).toEqual([]);
  await expect(page).toMatchFileSnapshot("../../docs/reference.md");
});
