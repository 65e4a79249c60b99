/** State dicts: tensors by name, in PyTorch's names and layouts. */
import { type AnyTensor, noGrad, ShapeError } from "../js.ts";
import { checkStored } from "../messages/given.ts";

/** Tensors by name, as `torch.nn.Module.state_dict` has them. */
export type StateDict = Readonly<Record<string, AnyTensor>>;

export interface LoadOptions {
  /** The names must be equal. Default true. */
  readonly strict?: boolean;
}

/** Names that only one side has. */
export interface LoadResult {
  readonly missingKeys: readonly string[];
  readonly unexpectedKeys: readonly string[];
}

/** Writes `state` over `own`. */
export function loadState(
  owner: string,
  own: ReadonlyMap<string, AnyTensor>,
  state: StateDict,
  { strict = true }: LoadOptions = {},
): LoadResult {
  const missingKeys = [...own.keys()].filter((name) => !Object.hasOwn(state, name));
  const unexpectedKeys = Object.keys(state).filter((name) => !own.has(name));
  const said = [listed("Unexpected", unexpectedKeys), listed("Missing", missingKeys)].filter((x) => x !== "");
  if (strict && said.length > 0)
    throw new TypeError(
      `loadStateDict: Error(s) in loading state_dict for ${owner}: ${said.join("; ")} ({ strict: false } leaves them alone)`,
    );
  const pairs = [...own].filter(([name]) => Object.hasOwn(state, name));
  for (const [name, target] of pairs) checkSource(name, target, state[name]);
  noGrad(() => {
    for (const [name, target] of pairs) target.copy_(state[name]!);
  });
  return { missingKeys, unexpectedKeys };
}

const listed = (which: string, names: readonly string[]): string =>
  names.length === 0 ? "" : `${which} key(s) in state_dict: ${names.map((name) => `"${name}"`).join(", ")}`;

function checkSource(name: string, target: AnyTensor, source: unknown): void {
  const { shape } = checkStored(name, source as AnyTensor);
  if (shape.join() !== target.shape.join())
    throw new ShapeError(
      `loadStateDict: size mismatch for ${name}: copying a param with shape [${shape.join(", ")}] from checkpoint, the shape in current model is [${target.shape.join(", ")}].`,
    );
}
