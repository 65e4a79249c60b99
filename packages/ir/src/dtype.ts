/**
 * The element types, and PyTorch's promotion between them, as data.
 * Source: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
 */

export type Category = "bool" | "int" | "float";

/** The facts about a dtype that the rest of the compiler reads. To add a dtype is to add a row. */
export interface DTypeInfo {
  readonly category: Category;
  /** Bytes of one stored element. */
  readonly bytes: number;
  /** True when it has negative values. */
  readonly signed: boolean;
  /** The dtype's number in hashes and compact keys; never reused. */
  readonly code: number;
}

const infos = {
  bool: { category: "bool", bytes: 1, signed: false, code: 0 },
  uint8: { category: "int", bytes: 1, signed: false, code: 1 },
  int8: { category: "int", bytes: 1, signed: true, code: 2 },
  int16: { category: "int", bytes: 2, signed: true, code: 3 },
  int32: { category: "int", bytes: 4, signed: true, code: 4 },
  int64: { category: "int", bytes: 8, signed: true, code: 5 },
  float16: { category: "float", bytes: 2, signed: true, code: 6 },
  float32: { category: "float", bytes: 4, signed: true, code: 7 },
  float64: { category: "float", bytes: 8, signed: true, code: 8 },
} as const;
infos satisfies Record<string, DTypeInfo>;

/** The name of an element type, as PyTorch spells it. */
export type DType = keyof typeof infos;
export type FloatDType = "float16" | "float32" | "float64";
export type IntDType = "uint8" | "int8" | "int16" | "int32" | "int64";

export const dtypes: { readonly [D in DType]: DTypeInfo } = infos;
export const dtypeNames: readonly DType[] = Object.keys(infos) as DType[];

/** The dtype of a floating result when no operand decides it (PyTorch's default dtype). */
export const defaultFloat = "float32";

export const isDType = (name: unknown): name is DType =>
  typeof name === "string" && Object.hasOwn(infos, name);
export const isFloat = (dtype: DType): dtype is FloatDType => infos[dtype].category === "float";
export const isInt = (dtype: DType): dtype is IntDType => infos[dtype].category === "int";

/** True of integers and bools that have no negative values. */
export const isUnsigned = (dtype: DType): dtype is "bool" | "uint8" => !infos[dtype].signed;

/** promotion[a][b] is the smallest dtype that PyTorch lets hold both. Symmetric; int8 and uint8 meet in int16. */
const table = {
  bool: {
    bool: "bool",
    uint8: "uint8",
    int8: "int8",
    int16: "int16",
    int32: "int32",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  uint8: {
    bool: "uint8",
    uint8: "uint8",
    int8: "int16",
    int16: "int16",
    int32: "int32",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  int8: {
    bool: "int8",
    uint8: "int16",
    int8: "int8",
    int16: "int16",
    int32: "int32",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  int16: {
    bool: "int16",
    uint8: "int16",
    int8: "int16",
    int16: "int16",
    int32: "int32",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  int32: {
    bool: "int32",
    uint8: "int32",
    int8: "int32",
    int16: "int32",
    int32: "int32",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  int64: {
    bool: "int64",
    uint8: "int64",
    int8: "int64",
    int16: "int64",
    int32: "int64",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  float16: {
    bool: "float16",
    uint8: "float16",
    int8: "float16",
    int16: "float16",
    int32: "float16",
    int64: "float16",
    float16: "float16",
    float32: "float32",
    float64: "float64",
  },
  float32: {
    bool: "float32",
    uint8: "float32",
    int8: "float32",
    int16: "float32",
    int32: "float32",
    int64: "float32",
    float16: "float32",
    float32: "float32",
    float64: "float64",
  },
  float64: {
    bool: "float64",
    uint8: "float64",
    int8: "float64",
    int16: "float64",
    int32: "float64",
    int64: "float64",
    float16: "float64",
    float32: "float64",
    float64: "float64",
  },
} as const;
table satisfies Record<DType, Record<DType, DType>>;

/** PyTorch's `promote_types`, computed by the type checker. */
export type Promote<A extends DType, B extends DType> = (typeof table)[A][B];

/** PyTorch's `promote_types`: the dtype that holds both, by the lattice of categories and widths. */
export const promoteTypes = <A extends DType, B extends DType>(a: A, b: B): Promote<A, B> => table[a][b];

/** How much an operand counts in promotion, from most to least: a tensor with dimensions, a 0-d tensor, a plain number. */
export type Weight = "tensor" | "zeroDim" | "scalar";

/**
 * PyTorch's `result_type`. Tensors with dimensions decide. A 0-d tensor counts only if its category (bool < int < float) is higher than
 * theirs, and a plain number only if its category is higher than that of every tensor.
 */
export function resultType(operands: readonly { readonly dtype: DType; readonly weight: Weight }[]): DType {
  let tensor: DType | undefined;
  let zeroDim: DType | undefined;
  let scalar: DType | undefined;
  for (const { dtype, weight } of operands) {
    if (weight === "tensor") tensor = tensor === undefined ? dtype : table[tensor][dtype];
    else if (weight === "zeroDim") zeroDim = zeroDim === undefined ? dtype : table[zeroDim][dtype];
    else scalar = scalar === undefined ? dtype : table[scalar][dtype];
  }
  return combine(combine(tensor, zeroDim), scalar) ?? defaultFloat;
}

/** The stronger operand's dtype, unless the weaker one is of a higher category. */
function combine(stronger: DType | undefined, weaker: DType | undefined): DType | undefined {
  if (stronger === undefined) return weaker;
  if (weaker === undefined || isFloat(stronger)) return stronger;
  return stronger === "bool" || isFloat(weaker) ? table[stronger][weaker] : stronger;
}

/** PyTorch's `can_cast`: true when the category does not fall (float → int → bool is refused). */
export function canCast(from: DType, to: DType): boolean {
  const order: Record<Category, number> = { bool: 0, int: 1, float: 2 };
  return order[infos[from].category] <= order[infos[to].category];
}

/** The array that stores a dtype: bool as bytes 0 and 1, float16 as its 16 bits, int64 as BigInts. */
export interface ArrayTypes {
  bool: Uint8Array;
  uint8: Uint8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  float16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
}
export type TypedArray = ArrayTypes[DType];

interface Constructor<Array> {
  new (length: number): Array;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Array;
}

const constructors: { readonly [D in DType]: Constructor<ArrayTypes[D]> } = {
  bool: Uint8Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** A zeroed array of `length` elements. Throws the engine's RangeError when there is not enough memory. */
export const allocate = <D extends DType>(dtype: D, length: number): ArrayTypes[D] =>
  new constructors[dtype](length);

/** A view of `length` elements of a buffer, from byte `offset` on, which must be a multiple of the element's bytes. */
export const arrayIn = <D extends DType>(
  dtype: D,
  buffer: ArrayBuffer,
  byteOffset: number,
  length: number,
): ArrayTypes[D] => new constructors[dtype](buffer, byteOffset, length);

/** True when `array` is of the class that stores `dtype`. */
export const stores = (dtype: DType, array: unknown): boolean => array instanceof constructors[dtype];
