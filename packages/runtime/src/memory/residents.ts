/**
 * Limits the memory of recent results: blocks of linear memory, and arrays that the pool may take back. A loop that overwrites its handle
 * drops one result each iteration, and nobody is told: finalizers do not run in a loop that does not yield. So results share a limit,
 * *room*, and when it is exceeded, the one used longest ago leaves. It can come back (storage.ts).
 * At first, room is what fits in the caches. While nothing comes back, it shrinks to what one step needs, so that a result is where the one
 * before the last was. If something comes back, there was too little room. Then it grows, up to the limit, and shrinks more slowly from
 * then on. docs/memory.md has the reasons and the measurements.
 */
import { watchOptions } from "../options.ts";

export interface Resident {
  /** True while a run reads it: it cannot leave then. */
  readonly isRead: boolean;
  /**
   * Gives up its memory.
   * @throws RangeError when it has to move and memory is out; then it stays.
   */
  leave(): void;
  /** Gives up a copy, if it has one. */
  shed(): void;
}

const MEBIBYTE = 2 ** 20;
const DEFAULT_LIMIT = 512 * MEBIBYTE;
const FIRST_ROOM = 8 * MEBIBYTE;
const LEAST_ROOM = MEBIBYTE / 2;
/** So many results have room in any case, however large they are: what a step reads and what it makes. */
const LEAST_RESULTS = 2;
/**
 * Room shrinks when so many times its size has left, and nothing came back. What comes back then may be the end of a long chain: the number
 * grows each time that shrinking was a mistake.
 */
const SHORTEST_PATIENCE = 1;
const PATIENCE_AFTER_MISTAKE = 16;
const PATIENCE_GROWTH = 4;
const LONGEST_PATIENCE = 2 ** 14;

/** A resident in the list by time of use. */
export class Residence {
  readonly resident: Resident;
  /** Bytes of its memory; 0 after it has left. */
  bytes = 0;
  /** The room in which it would have stayed when it left, less all that had left before. */
  missed = 0;
  isHere = false;
  older: Residence | null = null;
  newer: Residence | null = null;

  constructor(resident: Resident) {
    this.resident = resident;
  }
}

let oldest: Residence | null = null;
let newest: Residence | null = null;
let bytes = 0;
let limit = DEFAULT_LIMIT;
let room = FIRST_ROOM;
/** All bytes that ever left. */
let left = 0;
let leftSince = 0;
let patience = SHORTEST_PATIENCE;
let hasShrunk = false;

watchOptions(({ linearBytesLimit }) => {
  limit = linearBytesLimit ?? DEFAULT_LIMIT;
  room = Math.min(FIRST_ROOM, limit);
  makeRoom(0);
});

/** A resident has memory now. It counts as just used. */
export function admit(residence: Residence, size: number): void {
  dismiss(residence);
  residence.bytes = size;
  bytes += size;
  append(residence);
}

/** A resident has no memory here any more. */
export function dismiss(residence: Residence): void {
  if (!residence.isHere) return;
  bytes -= residence.bytes;
  residence.bytes = 0;
  unlink(residence);
}

/** A resident was used. */
export function touch(residence: Residence): void {
  if (residence === newest || !residence.isHere) return;
  unlink(residence);
  append(residence);
}

function append(residence: Residence): void {
  residence.isHere = true;
  residence.older = newest;
  if (newest === null) oldest = residence;
  else newest.newer = residence;
  newest = residence;
}

function unlink(residence: Residence): void {
  const { older, newer } = residence;
  if (older === null) oldest = newer;
  else older.newer = newer;
  if (newer === null) newest = older;
  else newer.older = older;
  residence.older = residence.newer = null;
  residence.isHere = false;
}

/**
 * Makes residents leave, those used longest ago first, until there is room for `needed` bytes.
 * @throws RangeError when memory is out.
 */
export function makeRoom(needed: number): void {
  const most = Math.min(limit, Math.max(room, LEAST_RESULTS * needed));
  if (bytes + needed <= most) return;
  for (let next = oldest; next !== null; ) {
    const leaving = next;
    next = next.newer;
    if (leaving.resident.isRead) continue;
    leftSince += leaving.bytes;
    sendAway(leaving, most);
    if (bytes + needed <= most) break;
  }
  if (leftSince < patience * room) return;
  leftSince = 0;
  hasShrunk = true;
  room = Math.min(limit, Math.max(LEAST_ROOM, room / 2));
}

function sendAway(residence: Residence, most: number): void {
  residence.missed = most - left;
  left += residence.bytes;
  residence.resident.leave();
}

/**
 * Makes the resident leave that was used longest ago; false if all of them must stay.
 * @throws RangeError when memory is out.
 */
export function leaveOldest(): boolean {
  let found = oldest;
  while (found?.resident.isRead === true) found = found.newer;
  if (found === null) return false;
  sendAway(found, room);
  return true;
}

/**
 * A resident that had left was asked for again. What leaves after it was used later: so it would have stayed if there had been room for all
 * that left since. That may be long ago, and room grows by steps.
 */
export function noteReturn({ missed }: Residence, size: number): void {
  leftSince = 0;
  const step = Math.max(2 * size, hasShrunk ? room : 0);
  room = Math.min(limit, Math.max(room, Math.min(missed + left, room + step)));
  if (hasShrunk)
    patience = Math.min(Math.max(PATIENCE_AFTER_MISTAKE, PATIENCE_GROWTH * patience), LONGEST_PATIENCE);
  hasShrunk = false;
}

/** Gives up all copies. */
export function shedCopies(): void {
  for (let next = oldest; next !== null; ) {
    const { resident, newer } = next;
    next = newer;
    if (!resident.isRead) resident.shed();
  }
}

export const residentCounters = (): { readonly bytes: number; readonly room: number } => ({ bytes, room });
