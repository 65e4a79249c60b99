/** The arithmetic of sizes: exact as far as a literal can spell a number. */
import type { Add, Compare, Divide, DivideUp, Minimum, Multiply, Product, Subtract } from "@fuseau/ir";
import { expectTypeOf, test } from "vitest";

test("carries and borrows", () => {
  expectTypeOf<Add<999, 1>>().toEqualTypeOf<1000>();
  expectTypeOf<Add<1, 999_999_999>>().toEqualTypeOf<1_000_000_000>();
  expectTypeOf<Add<123_456, 98>>().toEqualTypeOf<123_554>();
  expectTypeOf<Add<0, 0>>().toEqualTypeOf<0>();
  expectTypeOf<Subtract<1000, 1>>().toEqualTypeOf<999>();
  expectTypeOf<Subtract<100_000, 99_999>>().toEqualTypeOf<1>();
  expectTypeOf<Subtract<2003, 1007>>().toEqualTypeOf<996>();
  expectTypeOf<Subtract<5, 7>>().toEqualTypeOf<0>();
});

test("multiplies and divides", () => {
  expectTypeOf<Multiply<1_000_000, 1_000_000>>().toEqualTypeOf<1_000_000_000_000>();
  expectTypeOf<Multiply<12_345, 6789>>().toEqualTypeOf<83_810_205>();
  expectTypeOf<Multiply<99, 99>>().toEqualTypeOf<9801>();
  expectTypeOf<Multiply<7, 0>>().toEqualTypeOf<0>();
  expectTypeOf<Divide<2_147_483_647, 3>>().toEqualTypeOf<[715_827_882, 1]>();
  expectTypeOf<Divide<1_000_100, 10>>().toEqualTypeOf<[100_010, 0]>();
  expectTypeOf<Divide<7, 60>>().toEqualTypeOf<[0, 7]>();
  expectTypeOf<Divide<0, 7>>().toEqualTypeOf<[0, 0]>();
  expectTypeOf<DivideUp<10, 3>>().toEqualTypeOf<4>();
  expectTypeOf<DivideUp<9, 3>>().toEqualTypeOf<3>();
  expectTypeOf<Product<[512, 1204, 1000]>>().toEqualTypeOf<616_448_000>();
  expectTypeOf<Product<[]>>().toEqualTypeOf<1>();
});

test("compares", () => {
  expectTypeOf<Compare<10, 9>>().toEqualTypeOf<"greater">();
  expectTypeOf<Compare<129, 131>>().toEqualTypeOf<"less">();
  expectTypeOf<Compare<130, 130>>().toEqualTypeOf<"equal">();
  expectTypeOf<Minimum<12, 9>>().toEqualTypeOf<9>();
});

test("does not know what it cannot know", () => {
  expectTypeOf<Add<number, 1>>().toEqualTypeOf<number>();
  expectTypeOf<Product<[number, 3]>>().toEqualTypeOf<number>();
  expectTypeOf<Product<[number, 0]>>().toEqualTypeOf<0>();
  expectTypeOf<Product<[1_000_000_000, 1_000_000_000, 1_000_000_000]>>().toEqualTypeOf<number>();
});
