/** Operations without a derivative, and what is no operation on tensors. */
const listed = {
  /** Truths, counts, places and integers. */
  discrete: `all allclose any argmax argmin argsort argwhere bincount bitwiseAnd bitwiseLeftShift bitwiseNot bitwiseOr bitwiseRightShift
    bitwiseXor bucketize countNonzero eq equal gcd ge greater greaterEqual gt histc histogram isclose isfinite isin isinf isnan isneginf isposinf isreal lcm le less lessEqual linalg.matrixRank
    logicalAnd logicalNot logicalOr logicalXor lt ne nonzero notEqual oneHot searchsorted signbit unravelIndex Tensor.bitcast Tensor.bool Tensor.byte
    Tensor.char Tensor.int Tensor.long Tensor.short`,
  /** PyTorch has none for them either; \`nextafter\` throws when it is asked for. */
  underived: "heaviside nextafter unique uniqueConsecutive",
  /** PyTorch's gradient, which takes what is given for logarithms of shares: tests/runtime/ctc-loss.test.ts has it. */
  normalised: "ctcLoss",
  /** Made of nothing, or of a shape. */
  creation: `arange bartlettWindow blackmanWindow empty emptyLike eye fromJSON fromTransferable fromTypedArray full fullLike hammingWindow hannWindow kaiserWindow linspace logspace ones onesLike scalarTensor tensor
    trilIndices triuIndices zeros zerosLike Tensor.newEmpty Tensor.newFull Tensor.newOnes Tensor.newZeros`,
  /** Other numbers at every call: tests/runtime has their derivatives, where they have one. */
  random: `alphaDropout bernoulli binomial dropout dropout1d dropout2d dropout3d featureAlphaDropout gumbelSoftmax multinomial normal poisson rand randLike randint
    randintLike randn randnLike randperm`,
  /** Of derivatives themselves. */
  autograd: `backward checkpoint detach detach_ enableGrad isGradEnabled noGrad registerHook requiresGrad_ retainGrad`,
  /** Elements that leave the graph, and casts that round more than differences show. */
  readout: `compute Tensor.half Tensor.dispose Tensor.item Tensor.toArray Tensor.toJSON Tensor.toList Tensor.toTransferable
    Tensor.toTypedArray Tensor.toString Tensor.numpy Tensor.tolist Tensor.astype Tensor.cpu Tensor.cuda`,
  /** Takes functions: what is inside has its own derivatives. */
  functions: "guarded jit perCall precompile tidy",
  /** Asks about tensors, dtypes and settings. */
  inquiry: `broadcastShapes canCast clearCaches dump explain finfo float getOptions getRngState getThreads iinfo initialSeed isFloatingPoint
    isNonzero isSameSize isSigned isTensor manualSeed numel promoteTypes ready replay resultType seed setOptions setRngState setThreads stats Tensor.dim
    Tensor.ndimension Tensor.nelement Tensor.size Tensor.elementSize Tensor.isContiguous Tensor.isSetTo Tensor.sharesStorage
    Tensor.storageOffset Tensor.stride trace`,
};

export const withoutDerivative: ReadonlySet<string> = new Set(
  Object.values(listed).flatMap((text) => text.split(/\s+/)),
);
/** Those that give tensors: none of them requires a gradient. */
export const discrete: readonly string[] = listed.discrete.split(/\s+/);
