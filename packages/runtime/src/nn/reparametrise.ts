/** Weights that are computed from other parameters. Source: torch.nn.utils.weight_norm, spectral_norm. */
import { declareFunction } from "../declare/declaration.ts";
import { type AnyTensor, type HookHandle, noGrad, normalize, randn } from "../js.ts";
import { didYouMean } from "../messages/nearest.ts";
import { ConvTranspose1d, ConvTranspose2d, ConvTranspose3d } from "./convolution.ts";
import { checkModule, type Module } from "./module.ts";
import { buffer, isParameter, type Parameter, parameter } from "./parameter.ts";

/** A weight that is computed, and what its removal does. */
interface Computed {
  readonly made: "weightNorm" | "spectralNorm";
  readonly compute: () => AnyTensor;
  readonly hook: HookHandle | null;
}

const computed = new WeakMap<Module, Map<string, Computed>>();

/** @throws TypeError unless the module has a parameter of that name. */
function parameterOf(module: Module, name: string): Parameter {
  checkModule("module", module);
  const own: unknown = Reflect.get(module, name);
  if (!isParameter(own))
    throw new TypeError(
      computed.get(module)?.has(name) === true
        ? `${name} of ${module.constructor.name} is computed already (removeWeightNorm and removeSpectralNorm make it a parameter again)`
        : `${module.constructor.name} has no parameter in a field "${name}"${didYouMean(name, Object.keys(module))}`,
    );
  return own;
}

/** Puts what a parameter is computed from in its place. */
function replaceField(module: Module, name: string, fields: Readonly<Record<string, AnyTensor>>): void {
  Reflect.deleteProperty(module, name);
  Object.assign(module, fields);
}

/** Makes a field one that is read by `get`, and is neither listed nor saved. */
function define(module: Module, name: string, get: () => AnyTensor, how: Computed): void {
  Object.defineProperty(module, name, { get, configurable: true, enumerable: false });
  const all = computed.get(module) ?? new Map<string, Computed>();
  computed.set(module, all.set(name, how));
}

/** Makes the present weight a parameter again, in the place of the fields that it was computed from. */
function restored<M extends Module>(
  module: M,
  name: string,
  made: Computed["made"],
  fields: readonly string[],
): M {
  checkModule("module", module);
  const how = computed.get(module)?.get(name);
  if (how?.made !== made) throw new TypeError(`${made} of "${name}" not found in ${module.constructor.name}`);
  how.hook?.remove();
  const weight = noGrad(how.compute).detach().clone();
  const requiresGrad = fields.some((field) => (Reflect.get(module, field) as AnyTensor).requiresGrad);
  computed.get(module)!.delete(name);
  for (const field of [name, ...fields]) Reflect.deleteProperty(module, field);
  Object.assign(module, { [name]: parameter(weight, { requiresGrad }) });
  return module;
}

/** The norms of the slices along `dim`, or of all elements. */
const norms = (v: AnyTensor, dim: number | null): AnyTensor =>
  dim === null
    ? v.norm()
    : v.norm(
        2,
        v.shape.map((_, axis) => axis).filter((axis) => axis !== dim),
        { keepdim: true },
      );

export interface WeightNormOptions {
  /** The axis whose slices have a length each; null and -1 have one for all, as in PyTorch. Default 0. */
  readonly dim?: number | null;
}

/**
 * Learns length and direction of a weight by themselves (Salimans and Kingma, 2016): the parameter `weight` becomes `weightG` and `weightV`,
 * and is g·v/‖v‖ from then on. Returns the module.
 * @throws TypeError unless the module has a parameter of that name.
 */
export const weightNorm = declareFunction(
  "weightNorm(module, name?: text, { dim })",
  <M extends Module>(module: M, name = "weight", { dim = 0 }: WeightNormOptions = {}): M => {
    const v = parameterOf(module, name);
    const axis = dim === null || dim === -1 ? null : dim < 0 ? dim + v.ndim : dim;
    if (axis !== null && (axis < 0 || axis >= v.ndim))
      throw new RangeError(
        `Dimension out of range (expected to be in range of [${-v.ndim}, ${v.ndim - 1}], but got ${dim}) (${name} has shape [${v.shape.join(", ")}])`,
      );
    const g = noGrad(() => norms(v, axis)).clone();
    replaceField(module, name, {
      [`${name}G`]: parameter(g, { requiresGrad: v.requiresGrad }),
      [`${name}V`]: v,
    });
    const part = (which: "G" | "V"): AnyTensor => Reflect.get(module, `${name}${which}`) as AnyTensor;
    const compute = (): AnyTensor => part("V").mul(part("G").div(norms(part("V"), axis)));
    define(module, name, compute, { made: "weightNorm", compute, hook: null });
    return module;
  },
);

/** Undoes {@link weightNorm}: the present weight is a parameter again. Returns the module. */
export const removeWeightNorm = declareFunction(
  "removeWeightNorm(module, name?: text)",
  <M extends Module>(module: M, name = "weight"): M =>
    restored(module, name, "weightNorm", [`${name}G`, `${name}V`]),
);

const transposed = [ConvTranspose1d, ConvTranspose2d, ConvTranspose3d];

export interface SpectralNormOptions {
  /** Steps of the power iteration in each `forward` of training. Default 1. */
  readonly nPowerIterations?: number;
  /** What norms are at least. Default 1e-12. */
  readonly eps?: number;
  /** The axis of the outputs. Default 1 for transposed convolutions, else 0. */
  readonly dim?: number | null;
}

/**
 * Divides a weight by its largest singular value (Miyato et al., 2018), which a power iteration follows: one step in each `forward` of
 * training. The parameter `weight` becomes `weightOrig`, and the vectors of the iteration are buffers `weightU` and `weightV`. Returns the
 * module.
 * @throws TypeError unless the module has a parameter of that name.
 */
export const spectralNorm = declareFunction(
  "spectralNorm(module, name?: text, { nPowerIterations, eps, dim })",
  <M extends Module>(
    module: M,
    name = "weight",
    { nPowerIterations = 1, eps = 1e-12, dim = null }: SpectralNormOptions = {},
  ): M => {
    const original = parameterOf(module, name);
    const axis = dim ?? (transposed.some((kind) => module instanceof kind) ? 1 : 0);
    const field = (which: "Orig" | "U" | "V"): AnyTensor =>
      Reflect.get(module, `${name}${which}`) as AnyTensor;
    const matrix = (weight: AnyTensor): AnyTensor => {
      const first: AnyTensor = weight.movedim(axis, 0);
      return first.reshape([first.shape[0]!, -1]);
    };
    const unit = (x: AnyTensor): AnyTensor => normalize(x, { dim: 0, eps });
    const { shape } = matrix(original);
    const { dtype } = original;
    const begin = (size: number): AnyTensor =>
      buffer(noGrad(() => unit(randn([size] as readonly number[], { dtype }))));
    replaceField(module, name, {
      [`${name}Orig`]: original,
      [`${name}U`]: begin(shape[0]!),
      [`${name}V`]: begin(shape[1]!),
    });
    const iterate = (): void =>
      noGrad(() => {
        const weight = matrix(field("Orig"));
        for (let k = 0; k < nPowerIterations; k++) {
          field("V").copy_(unit(weight.t().matmul(field("U"))));
          field("U").copy_(unit(weight.matmul(field("V"))));
        }
      });
    const compute = (): AnyTensor => {
      const [u, v] = noGrad(() => [field("U").clone(), field("V").clone()] as const);
      return field("Orig").div(u.dot(matrix(field("Orig")).matmul(v)));
    };
    let weight: AnyTensor = noGrad(() => original.detach());
    const hook = module.registerForwardPreHook(() => {
      if (module.training) iterate();
      weight = compute();
    });
    define(module, name, () => weight, { made: "spectralNorm", compute, hook });
    return module;
  },
);

/** Undoes {@link spectralNorm}: the present weight is a parameter again. Returns the module. */
export const removeSpectralNorm = declareFunction(
  "removeSpectralNorm(module, name?: text)",
  <M extends Module>(module: M, name = "weight"): M =>
    restored(module, name, "spectralNorm", [`${name}Orig`, `${name}U`, `${name}V`]),
);
