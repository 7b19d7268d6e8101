import { timingSafeEqual } from 'node:crypto';
import {
  type Clock,
  clientNetwork,
  createFairSemaphore,
  declareShare,
  declareState,
  greaterNetwork,
  LRUCache,
} from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { tooMuch } from '../serve/problem.ts';

declareShare({
  name: 'look_ups_of_keys',
  limit: '3 run, 500 wait',
  filledBy: 'strangers',
  share: '2 and 250 an address (IPv6: /64); greater networks take turns',
});

/** A revoked key and an ended session are refused everywhere within 5 s, even when no notification gets through. */
const ttlMs = 4_000;
const maxKnown = 10_000;
/**
 * Bounds the concurrent look-ups of credentials that are not remembered. Invalid credentials must not occupy all
 * database connections.
 */
const lookUps = { running: 3, perOwner: { running: 2, waiting: 250 }, waiting: 500 } as const;

/** Rows of credentials in force, found by the SHA-256 of the credential. */
interface KnownRows<Row> {
  /** undefined: no such credential is in force. Throws a Problem (1006) when too many look-ups of unknown ones wait. */
  find(hash: Buffer, address: string): Promise<Row | undefined>;
  /** The same for a credential that was found before. It does not queue behind unknown credentials. */
  findAgain(hash: Uint8Array, address: string, batch?: Db): Promise<Row | undefined>;
  forget(isEnded: (row: Row) => boolean): void;
}

const trackedRows = declareState({
  name: 'known_keys_and_sessions',
  entries: maxKnown,
  entryBytes: 1_200,
  filledBy: 'keys, sessions',
  atBound: 'the least recently used is forgotten',
});

/** Creates the rows. The most recently used rows are cached for 4 seconds. */
export function createKnownRows<Row extends { readonly hash: Uint8Array }>({
  read,
  seesOwnChanges,
  clock,
}: {
  /** `address` is the caller's. */
  readonly read: (hash: Uint8Array, address: string, batch?: Db) => Promise<Row | undefined>;
  /** The atomic batch changed an account: it reads its own rows, which others see only after its commit. */
  readonly seesOwnChanges: (batch: Db) => boolean;
  readonly clock: Pick<Clock, 'monoMs'>;
}): KnownRows<Row> {
  const known = trackedRows(
    new LRUCache<string, { readonly row: Row; readonly untilMs: number }>({ max: maxKnown }),
  );
  const unknown = createFairSemaphore<string>({ ...lookUps, groupOf: greaterNetwork });
  const find = async (hash: Uint8Array, address: string, wasKnown: boolean, batch?: Db) => {
    if (batch !== undefined && seesOwnChanges(batch)) return read(hash, address, batch);
    const name = Buffer.from(hash).toString('base64');
    const cached = known.get(name);
    if (cached !== undefined && cached.untilMs > clock.monoMs()) return cached.row;
    const readMs = clock.monoMs();
    const readRow = () => read(hash, address);
    const found =
      wasKnown || cached !== undefined
        ? { value: await readRow() }
        : await unknown.run(clientNetwork(address), readRow);
    if (found === undefined) throw tooMuch('Too many requests with unknown keys. Try again in 1 s.');
    const row = found.value;
    if (row === undefined || !timingSafeEqual(row.hash, hash)) {
      known.delete(name);
      return undefined;
    }
    known.set(name, { row, untilMs: readMs + ttlMs });
    return row;
  };
  return {
    find: (hash, address) => find(hash, address, false),
    findAgain: (hash, address, batch) => find(hash, address, true, batch),
    forget(isEnded) {
      for (const [name, { row }] of known) if (isEnded(row)) known.delete(name);
    },
  };
}
