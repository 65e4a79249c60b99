/**
 * Adds up what reaches a value in a backward pass. The gradients of its pieces (`unbind`, `chunk`, `split`, `select`, slices) are the pieces
 * among zeros. As a sum of those, n pieces would be n values as large as the whole; so pieces that do not overlap are put beside each other, and
 * pieces that are less than half of the whole are added to zeros in place.
 */
import { sameNumbers } from "@fuseau/ir";
import { add } from "../ops/pointwise.ts";
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import { mayBeLookedThrough } from "../tape/step.ts";
import type { Value } from "../value.ts";
import { Part } from "../window/part.ts";
import { wholeWindow } from "../window/window.ts";
import { type Joins, joinAlike } from "./alike.ts";

/** A share that is zero but for a piece along one axis: places from `start` up to `end`. */
interface Piece {
  readonly axis: number;
  readonly start: number;
  readonly end: number;
  readonly inner: Value;
}

/** The sum of gradients of one shape and dtype, of which there is at least one. */
export function sumOfShares(given: readonly Value[], joins: Joins): Value {
  const shares = joinAlike(given, joins);
  if (shares.length === 1) return shares[0] as Value;
  const pieces = shares.map(pieceOf);
  const axis = pieces.find((piece) => piece !== null)?.axis;
  const alike = pieces.filter((piece): piece is Piece => piece !== null && piece.axis === axis);
  if (axis === undefined || alike.length < 2) return shares.reduce((sum, share) => add(sum, share));
  const { shape } = (shares[0] as Value).node;
  const others = shares.filter((_, k) => pieces[k]?.axis !== axis);
  const parts = areFew(alike, axis, shape)
    ? [written(alike, axis, shape)]
    : layersOf(alike).map((layer) => joined(layer, axis, shape));
  return [...others, ...parts].reduce((sum, share) => add(sum, share));
}

/** True of pieces without gaps, such as rows of a table, with places for less than half of the axis. */
const areFew = (pieces: readonly Piece[], axis: number, shape: readonly number[]): boolean =>
  shape.slice(0, axis).every((size) => size === 1) &&
  2 * pieces.reduce((sum, { start, end }) => sum + end - start, 0) < (shape[axis] as number);

/** Null for what is not zero outside of a piece along one axis. */
function pieceOf(share: Value): Piece | null {
  const { node, inputs } = share;
  if (node.op !== "pad" || !mayBeLookedThrough(share)) return null;
  const [inner, fill] = inputs as readonly [Value, Value];
  if (fill.node.op !== "constant" || Number(fill.node.attributes.value) !== 0) return null;
  const { shape } = inner.node;
  const axis = shape.findIndex((size, k) => size !== node.shape[k]);
  if (axis < 0 || !sameNumbers(shape.slice(axis + 1), node.shape.slice(axis + 1))) return null;
  const start = node.attributes.before[axis] as number;
  return { axis, start, end: start + (shape[axis] as number), inner };
}

/** The pieces in as few rows as possible, each without overlaps and in order. Pieces of the same places are one, their sum. */
function layersOf(pieces: readonly Piece[]): Piece[][] {
  const summed = new Map<string, Piece>();
  for (const piece of pieces) {
    const places = `${piece.start} ${piece.end}`;
    const known = summed.get(places);
    summed.set(places, known === undefined ? piece : { ...piece, inner: add(known.inner, piece.inner) });
  }
  const layers: Piece[][] = [];
  for (const piece of [...summed.values()].sort((a, b) => a.start - b.start)) {
    const free = layers.find((layer) => (layer.at(-1) as Piece).end <= piece.start);
    if (free === undefined) layers.push([piece]);
    else free.push(piece);
  }
  return layers;
}

/**
 * Zeros to which the pieces are added in their places, one after another. Pieces of one size are one program wherever they are, whether or not
 * some of them are at the same places: the rows of a table that the host chooses anew in each step.
 */
function written(pieces: readonly Piece[], axis: number, shape: readonly number[]): Value {
  const { strides } = wholeWindow(shape);
  let whole = filled((pieces[0] as Piece).inner.node.dtype, shape, 0);
  for (const { start, inner } of pieces) {
    const window = { shape: inner.node.shape, strides, offset: start * (strides[axis] as number) };
    const before = record.asStrided(whole, window);
    whole = record.update(whole, window, add(before, inner));
    // By their part, what lifts places (execute/places/places.ts) knows that the read and the write are at one place.
    before.part = whole.part = new Part(null);
  }
  return whole;
}

/** The pieces beside each other, with zeros between them. */
function joined(layer: readonly Piece[], axis: number, shape: readonly number[]): Value {
  const { dtype } = (layer[0] as Piece).inner.node;
  const parts: Value[] = [];
  let place = 0;
  const fillUpTo = (start: number): void => {
    if (start > place)
      parts.push(
        filled(
          dtype,
          shape.map((size, k) => (k === axis ? start - place : size)),
          0,
        ),
      );
  };
  for (const { start, end, inner } of layer) {
    fillUpTo(start);
    parts.push(inner);
    place = end;
  }
  fillUpTo(shape[axis] as number);
  return record.concat(parts, axis);
}
