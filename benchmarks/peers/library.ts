/** The computations that other libraries are timed in. */
import type { Variant } from "../case.ts";

export interface PeerInput {
  readonly elements: Float32Array;
  readonly shape: readonly number[];
}

/** Each makes its inputs, and gives the variants that compute on them. */
export interface PeerLibrary {
  readonly name: string;
  /** `(a * b + c) * d - a`. */
  chain(a: PeerInput, b: PeerInput, c: PeerInput, d: PeerInput): readonly Variant[];
  tanhOfExp(x: PeerInput): readonly Variant[];
  /** Over the rows of a matrix. */
  softmax(x: PeerInput): readonly Variant[];
}

/** A peer that cannot be timed, and why. */
export interface MissingPeer {
  readonly name: string;
  readonly reason: string;
}

export const isMissing = (peer: PeerLibrary | MissingPeer): peer is MissingPeer => "reason" in peer;
