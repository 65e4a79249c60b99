/** Functions of single integers that need a loop, as functions of a module. Bit for bit ../../intrinsics/integer.ts and int64.ts. */
import type { FunctionBuilder, Local } from "../encode/function.ts";
import type { Operation } from "../encode/operations.ts";
import type { Callee } from "../lanes/straight.ts";

type Type = "i32" | "i64";

/** Appends operations of a type to a function. */
class Words {
  readonly target: FunctionBuilder;
  readonly type: Type;

  constructor(target: FunctionBuilder, type: Type) {
    this.target = target;
    this.type = type;
  }

  op(name: "add" | "sub" | "mul" | "div_s" | "rem_u" | "and" | "shr_s" | "eq" | "ne" | "eqz" | "lt_s"): this {
    this.target.op(`${this.type}.${name}` as Operation);
    return this;
  }

  get(...locals: readonly Local[]): this {
    for (const local of locals) this.target.get(local);
    return this;
  }

  set(local: Local): this {
    this.target.set(local);
    return this;
  }

  constant(value: number): this {
    if (this.type === "i32") this.target.i32(value);
    else this.target.i64(BigInt(value));
    return this;
  }

  local(): Local {
    return this.target.local(this.type);
  }

  /** The magnitude of a local, wrapped: that of the least integer is its bits as an unsigned number. */
  magnitude(x: Local): this {
    this.constant(0).get(x).op("sub").get(x);
    this.get(x).constant(0).op("lt_s");
    this.target.select();
    return this;
  }
}

const A = 0;
const B = 1;

const callee = (name: string, type: Type, write: (words: Words) => void): Callee => ({
  name: `${name}.${type}`,
  parameters: [type, type],
  result: type,
  write: (target) => write(new Words(target, type)),
});

/** Leaves a divisor of the magnitudes; Euclid's algorithm on unsigned numbers. */
function pushGcd(words: Words): void {
  const [x, y, rest] = [words.local(), words.local(), words.local()];
  words.magnitude(A).set(x).magnitude(B).set(y);
  words.target.block((end) => {
    words.target.loop((again) => {
      words.get(y).op("eqz").target.brIf(end);
      words.get(x, y).op("rem_u").set(rest).get(y).set(x).get(rest).set(y);
      words.target.br(again);
    });
  });
  words.get(x);
}

const gcd = (type: Type): Callee => callee("gcd", type, pushGcd);

/** A divisor of 2^(bits − 1) reads as negative, which changes at most the sign of the product. */
const lcm = (type: Type): Callee =>
  callee("lcm", type, (words) => {
    const [divisor, product] = [words.local(), words.local()];
    pushGcd(words);
    words.set(divisor).get(divisor).op("eqz");
    words.target.ifThen(() => words.constant(0).target.return());
    words.get(A, divisor).op("div_s").get(B).op("mul").set(product).magnitude(product);
  });

/** To a negative power, 1 and −1 have values; all others give 0. */
const pow = (type: Type): Callee =>
  callee("pow", type, (words) => {
    const { target } = words;
    const [result, square] = [words.local(), words.local()];
    words.get(B).constant(0).op("lt_s");
    target.ifThen(() => {
      words.constant(1).constant(0).get(A).constant(1).op("eq");
      target.select();
      // For −1: 1 − 2 (b mod 2).
      words.constant(1).get(B).constant(1).op("and").constant(2).op("mul").op("sub").set(square).set(result);
      words.get(square, result, A).constant(-1).op("eq");
      target.select().return();
    });
    words.constant(1).set(result).get(A).set(square);
    target.loop((again) => {
      words.get(B).constant(1).op("and").constant(0).op("ne");
      target.ifThen(() => words.get(result, square).op("mul").set(result));
      words.get(B).constant(1).op("shr_s").set(B).get(square, square).op("mul").set(square);
      words.get(B).constant(0).op("ne");
      target.brIf(again);
    });
    words.get(result);
  });

const ofTypes = (make: (type: Type) => Callee): Readonly<Record<Type, Callee>> => ({
  i32: make("i32"),
  i64: make("i64"),
});

export const integerFunctions: Readonly<Record<"gcd" | "lcm" | "pow", Readonly<Record<Type, Callee>>>> = {
  gcd: ofTypes(gcd),
  lcm: ofTypes(lcm),
  pow: ofTypes(pow),
};
