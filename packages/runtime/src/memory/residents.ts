/**
 * What a computed result occupies while it is young: a block of linear memory, or an array that the pool may take back. A loop
 * that overwrites its handle drops one result an iteration, and nobody is told of it: finalizers run in no loop that does not
 * yield. So results have *room*, and the one used longest ago leaves when there is no more. It can come back (storage.ts).
 *
 * Room is as much as stays in the caches at first. While nothing comes back it shrinks, down to what one step needs: then a result
 * lies where the one before the last lay. What comes back proves that there was too little. Then room grows, up to the limit, and
 * shrinks more slowly from then on. docs/memory.md has the reasons and what was measured.
 */
import { watchOptions } from "../options.ts";

export interface Resident {
  /** A run reads it now; it cannot leave. */
  readonly isRead: boolean;
  /** Gives its memory up. @throws RangeError when it has to move and memory is out; it stays then. */
  leave(): void;
  /** Gives up what is a mere copy. */
  shed(): void;
}

const MEBIBYTE = 2 ** 20;
const DEFAULT_LIMIT = 512 * MEBIBYTE;
const FIRST_ROOM = 8 * MEBIBYTE;
const LEAST_ROOM = MEBIBYTE / 2;
/** Results that have room at once, however large they are: what a step reads and what it makes. */
const LEAST_RESULTS = 2;
/** Times the room that leave, nothing coming back, before it shrinks; more each time that this was a mistake. */
const SHORTEST_PATIENCE = 1;
const LONGEST_PATIENCE = 2 ** 14;

/** A resident's place in the order of use. */
export class Residence {
  readonly resident: Resident;
  /** Of memory; 0 where it has left. */
  bytes = 0;
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
let leftSince = 0;
let patience = SHORTEST_PATIENCE;
let hasShrunk = false;

watchOptions(({ linearBytesLimit }) => {
  limit = linearBytesLimit ?? DEFAULT_LIMIT;
  room = Math.min(FIRST_ROOM, limit);
  makeRoom(0);
});

/** Something has memory from now on, and is the one used last. */
export function admit(residence: Residence, size: number): void {
  dismiss(residence);
  residence.bytes = size;
  bytes += size;
  append(residence);
}

/** Something has no memory here any more. */
export function dismiss(residence: Residence): void {
  if (!residence.isHere) return;
  bytes -= residence.bytes;
  residence.bytes = 0;
  unlink(residence);
}

/** Something is used. */
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

/** Lets go of what was used longest ago until there is room for so many bytes more. @throws RangeError when memory is out. */
export function makeRoom(needed: number): void {
  const most = Math.min(limit, Math.max(room, LEAST_RESULTS * needed));
  if (bytes + needed <= most) return;
  for (let next = oldest; next !== null; ) {
    const { resident, bytes: left, newer } = next;
    next = newer;
    if (resident.isRead) continue;
    leftSince += left;
    resident.leave();
    if (bytes + needed <= most) break;
  }
  if (leftSince < patience * room) return;
  leftSince = 0;
  hasShrunk = true;
  room = Math.min(limit, Math.max(LEAST_ROOM, room / 2));
}

/** Lets the one go that was used longest ago; false when all that there are must stay. @throws RangeError when memory is out. */
export function leaveOldest(): boolean {
  let found = oldest;
  while (found?.resident.isRead === true) found = found.newer;
  found?.resident.leave();
  return found !== null;
}

/** Something that had left is wanted again. */
export function noteReturn(size: number): void {
  leftSince = 0;
  room = Math.min(limit, room + Math.max(2 * size, hasShrunk ? room : 0));
  if (hasShrunk) patience = Math.min(2 * patience, LONGEST_PATIENCE);
  hasShrunk = false;
}

/** Gives up all mere copies. */
export function shedCopies(): void {
  for (let next = oldest; next !== null; ) {
    const { resident, newer } = next;
    next = newer;
    if (!resident.isRead) resident.shed();
  }
}

export const residentCounters = (): { readonly bytes: number; readonly room: number } => ({ bytes, room });
