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
const FIRST_ROOM = 32 * MEBIBYTE;
const LEAST_ROOM = MEBIBYTE / 2;
/** Results that have room at once, however large they are: what a step reads and what it makes. */
const LEAST_RESULTS = 2;
/** Times the room that leave, nothing coming back, before it shrinks; more each time that this was a mistake. */
const SHORTEST_PATIENCE = 1;
const LONGEST_PATIENCE = 2 ** 14;

/** Bytes of each, the one used longest ago first. */
const residents = new Map<Resident, number>();
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
export function admit(resident: Resident, size: number): void {
  dismiss(resident);
  residents.set(resident, size);
  bytes += size;
}

/** Something has no memory here any more. */
export function dismiss(resident: Resident): void {
  bytes -= residents.get(resident) ?? 0;
  residents.delete(resident);
}

/** Something is used. */
export function touch(resident: Resident): void {
  const size = residents.get(resident);
  if (size === undefined) return;
  residents.delete(resident);
  residents.set(resident, size);
}

/** Lets go of what was used longest ago until there is room for so many bytes more. @throws RangeError when memory is out. */
export function makeRoom(needed: number): void {
  const most = Math.min(limit, Math.max(room, LEAST_RESULTS * needed));
  if (bytes + needed <= most) return;
  for (const resident of residents.keys()) {
    if (resident.isRead) continue;
    leftSince += residents.get(resident) as number;
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
  for (const resident of residents.keys()) {
    if (resident.isRead) continue;
    resident.leave();
    return true;
  }
  return false;
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
  for (const resident of [...residents.keys()]) if (!resident.isRead) resident.shed();
}

export const residentCounters = (): { readonly bytes: number; readonly room: number } => ({ bytes, room });
