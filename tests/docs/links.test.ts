/** Links between the pages lead to files and headings that are there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const pages = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(new URL("docs/", root))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];

const textOf = (page: URL): string => readFileSync(page, "utf8");

/** A heading as GitHub makes an anchor of it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");

const anchorsOf = (page: URL): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading as string));

test.each(pages)("%s links to what is there", (page) => {
  const here = new URL(page, root);
  const dead = [...textOf(here).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
    ([link, path = "", anchor]) => {
      const there = path === "" ? here : new URL(path, here);
      if (!existsSync(there)) return [link];
      return anchor !== undefined && there.pathname.endsWith(".md") && !anchorsOf(there).includes(anchor)
        ? [link]
        : [];
    },
  );
  expect(dead).toEqual([]);
});
