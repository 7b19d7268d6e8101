import { randomFillSync } from 'node:crypto';

const bytes = 24;
/** Random bytes for the next ids: a system call for each id would cost more than the rest of `newId`. */
const pool = Buffer.alloc(bytes * 128);
let used = pool.length;

/** The form of an id in a regular expression: 48 lowercase hex characters. */
export const idForm = '[0-9a-f]{48}';
const wholeId = new RegExp(`^${idForm}$`);

/** A new opaque id: 192 random bits. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString('hex', used, used + bytes);
  pool.fill(0, used, used + bytes); // A memory dump must not show earlier ids.
  used += bytes;
  return id;
}

/** Whether a text has the form of an id. A text of another form needs no lookup. */
export function isId(text: string): boolean {
  return wholeId.test(text);
}
