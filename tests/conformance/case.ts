/** The schema of a case: what PyTorch was asked, and what it answered. */
import type { DType } from "fuseau";

/** A number of JSON, or the name of one that JSON has not. */
export type Numeral = number | "nan" | "inf" | "-inf" | "-0" | (string & {});

/** A tensor, flat and row-major; integers beyond 2^53 are strings, bools 0 and 1. */
export interface StoredTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly Numeral[];
}

export type StoredArgument =
  | null
  | boolean
  | number
  | string
  | { readonly ref: string }
  | { readonly float: Numeral }
  | { readonly int: string }
  | { readonly dtype: DType }
  | { readonly slice: readonly (number | null)[] }
  | { readonly ellipsis: true }
  | readonly StoredArgument[];

/** One call. Without `out` it is made for its side effect. */
export interface Step {
  readonly out?: string | readonly string[];
  readonly op: string;
  readonly args: readonly StoredArgument[];
  readonly kwargs?: Readonly<Record<string, StoredArgument>>;
}

export type Expected =
  | StoredTensor
  | { readonly size: readonly number[] }
  | { readonly dtypeValue: string }
  | { readonly value: StoredArgument };

/** What PyTorch raised, and at which step. */
export interface ExpectedError {
  readonly type: string;
  readonly message: string;
  readonly step: number;
}

export interface Case {
  readonly id: string;
  readonly cat: string;
  readonly inputs: Readonly<Record<string, StoredTensor>>;
  readonly program: readonly Step[];
  /** What the names hold after the whole program. */
  readonly expect?: Readonly<Record<string, Expected>>;
  readonly error?: ExpectedError;
  /** d loss / d input; null where the input is not reached. */
  readonly grad?: {
    readonly loss: string;
    readonly wrt: readonly string[];
    readonly expect: Readonly<Record<string, StoredTensor | null>>;
  };
  /** The directional derivative of each named result; inputs without a tangent have zero. */
  readonly jvp?: {
    readonly t: Readonly<Record<string, string>>;
    readonly expect: Readonly<Record<string, StoredTensor>>;
  };
  /** The derivative of the sum over inputs of ⟨d loss / d input, v⟩: a Hessian-vector product. */
  readonly grad2?: {
    readonly loss: string;
    readonly wrt: readonly string[];
    readonly v: Readonly<Record<string, string>>;
    readonly expect: Readonly<Record<string, StoredTensor | null>>;
  };
  /** The program is run under vmap, and `expect` has the batched results. */
  readonly vmap?: {
    readonly in: Readonly<Record<string, number | null>>;
    readonly size: number;
    readonly out: number;
  };
  /** Every bit must agree; −0 equals 0 unless `signedZero`. */
  readonly exact?: boolean;
  readonly signedZero?: boolean;
  readonly tol?: { readonly rtol: number; readonly atol: number };
}
