/** The published declarations, read by every TypeScript that is promised, with no library but ES2022's and all of it checked. */
import { join } from "node:path";
import { command } from "../command.ts";
import { write } from "../project.ts";
import type { Row } from "../row.ts";

const program = `import { softmax, tensor, zeros, type Tensor } from "fuseau";
import { Linear, ReLU, Sequential } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { assertClose, type TensorMatchers } from "fuseau/testing";

const model = new Sequential(new Linear(3, 4), new ReLU(), new Linear(4, 2));
const scores: Tensor<[5, 2], "float32"> = model.forward(zeros([5, 3]));
scores.square().mean().backward();
new Adam(model.parameters()).step();
// @ts-expect-error: the last size of the input must be 3
model.forward(zeros([5, 4]));

const images: Tensor<[5, 3, 4, 1], "float32"> = zeros([5, 3, 4, 1]);
const sum: Tensor<[5, 3, 4, 1], "float32"> = images.add(zeros([3, 1, 1]));
const row: Tensor<[3], "float32"> = softmax(tensor([1, 2, 3]), -1);
export const total: number = sum.sum().item() + row.matmul(row).item();
// @ts-expect-error: sizes that do not fit
zeros([5, 2]).add(zeros([3]));
export const inferred = images.mean([1, 2]);
assertClose(inferred, [[0], [0], [0], [0], [0]], { rtol: 0, atol: 1e-6 });
export const matchers = (expected: TensorMatchers<void>): void => expected.toHaveShape([5, 1]);
inferred.dispose();
`;

const resolutions = [
  { module: "Node16", moduleResolution: "Node16" },
  { module: "NodeNext", moduleResolution: "NodeNext" },
  { module: "ESNext", moduleResolution: "Bundler" },
];

const options = {
  target: "ES2022",
  lib: ["ES2022"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  declaration: true,
};

export const rows: readonly Row[] = ["5.7", "5.8", "5.9", "6.0", "7.0"].map((version) => ({
  group: "TypeScript",
  name: `TypeScript ${version}`,
  packages: [`typescript-${version}`],
  async run(place) {
    write(place.folder, {
      "package.json": { private: true, type: "module" },
      "main.ts": program,
      "main.cts": program,
    });
    const tsc = join(place.hosts, "node_modules", `typescript-${version}`, "bin/tsc");
    for (const resolution of resolutions) {
      const name = resolution.moduleResolution;
      // A bundler's resolution writes no CommonJS.
      const files = name === "Bundler" ? ["main.ts"] : ["main.ts", "main.cts"];
      const compilerOptions = { ...options, ...resolution, outDir: `built-${name}` };
      write(place.folder, { [`${name}.json`]: { compilerOptions, files } });
      await command(process.execPath, [tsc, "--project", `${name}.json`], {
        cwd: place.folder,
        limit: 600_000,
      });
    }
    return "node16, nodenext and bundler resolution; lib es2022 alone, skipLibCheck false";
  },
}));
