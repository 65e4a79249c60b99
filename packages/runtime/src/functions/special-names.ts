/** The functions of PyTorch's `torch.special`. All but `expit` are exported by themselves too. */
import { gammainc, gammaincc, gammaln, multigammaln, psi } from "./aliases.ts";
import { xlogy } from "./arithmetic.ts";
import { digamma, erf, erfc, erfinv, exp2, expm1, log1p, logit, round, sigmoid, sinc } from "./elementary.ts";
import { logSoftmax, softmax } from "./normalization.ts";
import { polygamma } from "./polygamma.ts";
import { logsumexp } from "./reduction.ts";
import { entr, erfcx, i0, i0e, i1, i1e, logNdtr, ndtr, ndtri, xlog1py, zeta } from "./special.ts";

export const special = {
  digamma,
  entr,
  erf,
  erfc,
  erfcx,
  erfinv,
  exp2,

  /** {@link sigmoid}. */
  expit: sigmoid,

  expm1,
  gammainc,
  gammaincc,
  gammaln,
  i0,
  i0e,
  i1,
  i1e,
  log1p,
  logNdtr,
  logSoftmax,
  logit,
  logsumexp,
  multigammaln,
  ndtr,
  ndtri,
  polygamma,
  psi,
  round,
  sinc,
  softmax,
  xlog1py,
  xlogy,
  zeta,
};
