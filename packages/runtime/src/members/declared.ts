/**
 * All members of a tensor: the methods of all files of declarations, with the types of those that belong to no family, their forms in
 * place, and properties. Files of declarations name tensors, and none of them names this file, which only the class imports.
 */
import type { DType } from "@fuseau/ir";
import { type InPlaceOf, type method, methodOf } from "../declare/declaration.ts";
import type * as activation from "../functions/activation.ts";
import * as aliases from "../functions/aliases.ts";
import * as arithmetic from "../functions/arithmetic.ts";
import * as arrange from "../functions/arrange.ts";
import * as comparison from "../functions/comparison.ts";
import * as counts from "../functions/counts.ts";
import type * as elementary from "../functions/elementary.ts";
import * as gradient from "../functions/gradient.ts";
import * as indexing from "../functions/indexing.ts";
import * as inquiry from "../functions/inquiry.ts";
import * as inverses from "../functions/inverse.ts";
import * as linear from "../functions/linear.ts";
import * as movement from "../functions/movement.ts";
import * as normalization from "../functions/normalization.ts";
import * as pieces from "../functions/pieces.ts";
import * as product from "../functions/product.ts";
import * as reduction from "../functions/reduction.ts";
import * as sampling from "../functions/sampling.ts";
import * as scan from "../functions/scan.ts";
import type * as scatter from "../functions/scatter.ts";
import * as sort from "../functions/sort.ts";
import * as special from "../functions/special.ts";
import * as statistics from "../functions/statistics.ts";
import * as uniqueness from "../functions/unique.ts";
import * as viewing from "../functions/view.ts";
import * as choice from "../methods/choice.ts";
import * as conversion from "../methods/conversion.ts";
import * as ownIndexing from "../methods/indexing.ts";
import type { InPlaceMethods } from "../methods/inplace.ts";
import * as fill from "../methods/inplace-fill.ts";
import * as known from "../methods/inquiry.ts";
import * as ownMovement from "../methods/movement.ts";
import * as made from "../methods/new.ts";
import type { Properties } from "../methods/properties.ts";
import type * as random from "../methods/random.ts";
import * as readout from "../methods/readout.ts";
import * as rearrange from "../methods/rearrange.ts";
import type * as ownSpecial from "../methods/special.ts";
import type * as variance from "../methods/variance.ts";
import * as views from "../methods/view.ts";

// Only types of these files are named below; their declarations become methods all the same.
import "../functions/activation.ts";
import "../functions/elementary.ts";
import "../functions/scatter.ts";
import "../methods/random.ts";
import "../methods/special.ts";
import "../methods/variance.ts";
import "../methods/text.ts";

const irregular = {
  addbmm: methodOf(linear.addbmm),
  addcdiv: methodOf(arithmetic.addcdiv),
  addcmul: methodOf(arithmetic.addcmul),
  addmm: methodOf(linear.addmm),
  addmv: methodOf(linear.addmv),
  addr: methodOf(linear.addr),
  adjoint: methodOf(movement.adjoint),
  allclose: methodOf(comparison.allclose),
  aminmax: methodOf(statistics.aminmax),
  argsort: methodOf(sort.argsort),
  argwhere: methodOf(indexing.argwhere),
  asStrided: methodOf(viewing.asStrided),
  assign_: methodOf(ownIndexing.assign_),
  backward: methodOf(gradient.backward),
  baddbmm: methodOf(linear.baddbmm),
  bernoulli: methodOf(sampling.bernoulli),
  bincount: methodOf(counts.bincount),
  bitcast: methodOf(conversion.bitcast),
  broadcastTo: methodOf(movement.broadcastTo),
  cholesky: methodOf(inverses.cholesky),
  choleskyInverse: methodOf(inverses.choleskyInverse),
  choleskySolve: methodOf(inverses.choleskySolve),
  clamp: methodOf(arithmetic.clamp),
  clip: methodOf(arithmetic.clip),
  clone: methodOf(viewing.clone),
  compute: methodOf(readout.compute),
  conj: methodOf(viewing.conj),
  conjPhysical: methodOf(viewing.conjPhysical),
  contiguous: methodOf(views.contiguous),
  copy_: methodOf(fill.copy_),
  corrcoef: methodOf(statistics.corrcoef),
  countNonzero: methodOf(indexing.countNonzero),
  cov: methodOf(statistics.cov),
  cross: methodOf(product.cross),
  cummax: methodOf(scan.cummax),
  cummin: methodOf(scan.cummin),
  det: methodOf(inverses.det),
  detach: methodOf(viewing.detach),
  detach_: methodOf(gradient.detach_),
  diag: methodOf(movement.diag),
  diagEmbed: methodOf(movement.diagEmbed),
  diagflat: methodOf(movement.diagflat),
  diagonal: methodOf(movement.diagonal),
  diff: methodOf(scan.diff),
  dim: methodOf(known.dim),
  dispose: methodOf(readout.dispose),
  dist: methodOf(reduction.dist),
  div: methodOf(arithmetic.div),
  divide: methodOf(aliases.divide),
  elementSize: methodOf(views.elementSize),
  equal: methodOf(comparison.equal),
  expand: methodOf(ownMovement.expand),
  expandAs: methodOf(ownMovement.expandAs),
  explain: methodOf(readout.explain),
  fillDiagonal_: methodOf(fill.fillDiagonal_),
  fill_: methodOf(fill.fill_),
  flatten: methodOf(movement.flatten),
  flip: methodOf(movement.flip),
  frexp: methodOf(special.frexp),
  gather: methodOf(indexing.gather),
  ger: methodOf(aliases.ger),
  histc: methodOf(counts.histc),
  histogram: methodOf(counts.histogram),
  indexPut: methodOf(indexing.indexPut),
  indexPut_: methodOf(ownIndexing.indexPut_),
  indexSelect: methodOf(indexing.indexSelect),
  inner: methodOf(product.inner),
  inverse: methodOf(inverses.inverse),
  isContiguous: methodOf(views.isContiguous),
  isFloatingPoint: methodOf(comparison.isFloatingPoint),
  isNonzero: methodOf(comparison.isNonzero),
  isSameSize: methodOf(inquiry.isSameSize),
  isSetTo: methodOf(views.isSetTo),
  isSigned: methodOf(inquiry.isSigned),
  isclose: methodOf(comparison.isclose),
  isin: methodOf(counts.isin),
  item: methodOf(readout.item),
  kron: methodOf(product.kron),
  kthvalue: methodOf(sort.kthvalue),
  layerNorm: methodOf(normalization.layerNorm),
  ldexp: methodOf(arithmetic.ldexp),
  lerp: methodOf(arithmetic.lerp),
  logcumsumexp: methodOf(scan.logcumsumexp),
  logdet: methodOf(inverses.logdet),
  logsumexp: methodOf(reduction.logsumexp),
  maskedFill: methodOf(indexing.maskedFill),
  maskedScatter: methodOf(indexing.maskedScatter),
  maskedSelect: methodOf(indexing.maskedSelect),
  matrixExp: methodOf(inverses.matrixExp),
  matrixPower: methodOf(product.matrixPower),
  max: methodOf(reduction.max),
  median: methodOf(sort.median),
  min: methodOf(reduction.min),
  mode: methodOf(sort.mode),
  moveaxis: methodOf(arrange.moveaxis),
  movedim: methodOf(arrange.movedim),
  msort: methodOf(sort.msort),
  multinomial: methodOf(sampling.multinomial),
  nanmedian: methodOf(sort.nanmedian),
  nanquantile: methodOf(statistics.nanquantile),
  narrow: methodOf(pieces.narrow),
  narrowCopy: methodOf(pieces.narrowCopy),
  ndimension: methodOf(known.ndimension),
  nelement: methodOf(known.nelement),
  newEmpty: methodOf(made.newEmpty),
  newFull: methodOf(made.newFull),
  newOnes: methodOf(made.newOnes),
  newZeros: methodOf(made.newZeros),
  nonzero: methodOf(indexing.nonzero),
  norm: methodOf(reduction.norm),
  numel: methodOf(inquiry.numel),
  outer: methodOf(product.outer),
  pad: methodOf(movement.pad),
  permute: methodOf(movement.permute),
  pinverse: methodOf(inverses.pinverse),
  quantile: methodOf(statistics.quantile),
  ravel: methodOf(movement.ravel),
  real: methodOf(viewing.real),
  registerHook: methodOf(gradient.registerHook),
  renorm: methodOf(normalization.renorm),
  repeat: methodOf(ownMovement.repeat),
  repeatInterleave: methodOf(arrange.repeatInterleave),
  requiresGrad_: methodOf(gradient.requiresGrad_),
  reshape: methodOf(movement.reshape),
  reshapeAs: methodOf(ownMovement.reshapeAs),
  resolveConj: methodOf(viewing.resolveConj),
  resolveNeg: methodOf(viewing.resolveNeg),
  retainGrad: methodOf(gradient.retainGrad),
  roll: methodOf(movement.roll),
  rot90: methodOf(arrange.rot90),
  select: methodOf(pieces.select),
  sharesStorage: methodOf(views.sharesStorage),
  size: methodOf(known.size),
  slogdet: methodOf(inverses.slogdet),
  sort: methodOf(sort.sort),
  squeeze: methodOf(movement.squeeze),
  squeeze_: methodOf(rearrange.squeeze_),
  stdMean: methodOf(reduction.stdMean),
  storageOffset: methodOf(views.storageOffset),
  stride: methodOf(views.stride),
  sumToSize: methodOf(reduction.sumToSize),
  swapaxes: methodOf(arrange.swapaxes),
  swapaxes_: methodOf(rearrange.swapaxes_),
  swapdims: methodOf(arrange.swapdims),
  swapdims_: methodOf(rearrange.swapdims_),
  t: methodOf(movement.t),
  t_: methodOf(rearrange.t_),
  take: methodOf(indexing.take),
  takeAlongDim: methodOf(indexing.takeAlongDim),
  tensorSplit: methodOf(arrange.tensorSplit),
  tile: methodOf(movement.tile),
  to: methodOf(conversion.to),
  toArray: methodOf(readout.toArray),
  toJSON: methodOf(readout.toJSON),
  toList: methodOf(readout.toList),
  toTransferable: methodOf(readout.toTransferable),
  toTypedArray: methodOf(readout.toTypedArray),
  topk: methodOf(sort.topk),
  trace: methodOf(product.trace),
  transpose: methodOf(movement.transpose),
  transpose_: methodOf(rearrange.transpose_),
  typeAs: methodOf(conversion.typeAs),
  unbind: methodOf(pieces.unbind),
  unflatten: methodOf(arrange.unflatten),
  unfold: methodOf(ownMovement.unfold),
  unique: methodOf(uniqueness.unique),
  uniqueConsecutive: methodOf(uniqueness.uniqueConsecutive),
  unsqueeze: methodOf(movement.unsqueeze),
  unsqueeze_: methodOf(rearrange.unsqueeze_),
  varMean: methodOf(reduction.varMean),
  view: methodOf(ownMovement.view),
  viewAs: methodOf(ownMovement.viewAs),
  where: methodOf(choice.where),
  zero_: methodOf(fill.zero_),
};

/**
 * The methods of a file: those of a family have its type, others are listed above. The list is named here and not passed as an argument, so
 * that the type checker resolves its types one by one: they refer to Tensor, whose members these become.
 */
type MethodsOf<File> = {
  readonly [Name in keyof File]: File[Name] extends { readonly [method]: infer M }
    ? M
    : Name extends keyof typeof irregular
      ? (typeof irregular)[Name]
      : never;
};

interface DeclaredMethods
  extends MethodsOf<typeof activation>,
    MethodsOf<typeof aliases>,
    MethodsOf<typeof arithmetic>,
    MethodsOf<typeof arrange>,
    MethodsOf<typeof choice>,
    MethodsOf<typeof comparison>,
    MethodsOf<typeof conversion>,
    MethodsOf<typeof counts>,
    MethodsOf<typeof elementary>,
    MethodsOf<typeof fill>,
    MethodsOf<typeof gradient>,
    MethodsOf<typeof indexing>,
    MethodsOf<typeof inquiry>,
    MethodsOf<typeof inverses>,
    MethodsOf<typeof known>,
    MethodsOf<typeof linear>,
    MethodsOf<typeof made>,
    MethodsOf<typeof movement>,
    MethodsOf<typeof normalization>,
    MethodsOf<typeof ownIndexing>,
    MethodsOf<typeof ownMovement>,
    MethodsOf<typeof ownSpecial>,
    MethodsOf<typeof pieces>,
    MethodsOf<typeof product>,
    MethodsOf<typeof random>,
    MethodsOf<typeof readout>,
    MethodsOf<typeof rearrange>,
    MethodsOf<typeof reduction>,
    MethodsOf<typeof sampling>,
    MethodsOf<typeof scan>,
    MethodsOf<typeof scatter>,
    MethodsOf<typeof sort>,
    MethodsOf<typeof special>,
    MethodsOf<typeof statistics>,
    MethodsOf<typeof uniqueness>,
    MethodsOf<typeof variance>,
    MethodsOf<typeof viewing>,
    MethodsOf<typeof views>,
    InPlaceOf<typeof activation>,
    InPlaceOf<typeof aliases>,
    InPlaceOf<typeof arithmetic>,
    InPlaceOf<typeof comparison>,
    InPlaceOf<typeof elementary>,
    InPlaceOf<typeof movement>,
    InPlaceOf<typeof ownSpecial>,
    InPlaceOf<typeof scan>,
    InPlaceOf<typeof scatter>,
    InPlaceOf<typeof special> {}

export interface Members<S extends number[], D extends DType>
  extends DeclaredMethods,
    InPlaceMethods,
    Properties<S, D> {}
