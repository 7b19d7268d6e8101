import { timingSafeEqual } from 'node:crypto';
import {
  type Clock,
  clientNetwork,
  createFairSemaphore,
  declareShare,
  declareState,
  greaterNetwork,
} from '@vantage/kernel';
import { tooMuch } from './problem.ts';

declareShare({
  name: 'look_ups_of_keys',
  limit: '3 run, 500 wait',
  filledBy: 'strangers',
  share: '2 and 250 an address (IPv6: /64); greater networks take turns',
});

/** A revoked key and an ended session are refused everywhere within 5 s, even when no notification gets through. */
const ttlMs = 4_000;
const kept = 10_000;
/**
 * Bounds the concurrent look-ups of credentials that are not remembered. Invalid credentials must not occupy all
 * database connections.
 */
const lookUps = { running: 3, perOwner: { running: 2, waiting: 250 }, waiting: 500 } as const;

/** Rows of credentials in force, found by the SHA-256 of the credential. */
interface KnownRows<Row> {
  /** undefined: no such credential is in force. Throws a Problem (1006) when too many look-ups of unknown ones wait. */
  find(hash: Buffer, address: string): Promise<Row | undefined>;
  /** The same for a credential that was found before: it waits for no unknown one. */
  findAgain(hash: Uint8Array, address: string): Promise<Row | undefined>;
  forget(isEnded: (row: Row) => boolean): void;
}

const trackedRows = declareState({
  name: 'known_keys_and_sessions',
  entries: kept,
  entryBytes: 1_200,
  filledBy: 'keys, sessions',
  atBound: 'the one that was used longest ago is forgotten',
});

/** Creates the rows. Those used last are remembered for 4 seconds. */
export function createKnownRows<Row extends { readonly hash: Uint8Array }>({
  read,
  seesOwnChanges,
  clock,
}: {
  /** `address` is the caller's. */
  readonly read: (hash: Uint8Array, address: string) => Promise<Row | undefined>;
  /** The caller's transaction changed an account: it reads its own rows, which others see only after its commit. */
  readonly seesOwnChanges: () => boolean;
  readonly clock: Pick<Clock, 'monoMs'>;
}): KnownRows<Row> {
  const known = trackedRows(new Map<string, { readonly row: Row; readonly untilMs: number }>());
  const unknown = createFairSemaphore<string>({ ...lookUps, groupOf: greaterNetwork });
  const find = async (hash: Uint8Array, address: string, wasKnown: boolean) => {
    if (seesOwnChanges()) return read(hash, address);
    const name = Buffer.from(hash).toString('base64');
    const cached = known.get(name);
    if (cached !== undefined) {
      // Set again, so that the order of the map is that of the last use.
      known.delete(name);
      known.set(name, cached);
      if (cached.untilMs > clock.monoMs()) return cached.row;
    }
    const askedMs = clock.monoMs();
    const ask = () => read(hash, address);
    const found =
      wasKnown || cached !== undefined
        ? { value: await ask() }
        : await unknown.run(clientNetwork(address), ask);
    if (found === undefined) throw tooMuch('Too many requests with unknown keys. Try again in 1 s.');
    const row = found.value;
    if (row === undefined || !timingSafeEqual(row.hash, hash)) {
      known.delete(name);
      return undefined;
    }
    const oldest = known.keys().next().value;
    if (known.size >= kept && oldest !== undefined && !known.has(name)) known.delete(oldest);
    known.set(name, { row, untilMs: askedMs + ttlMs });
    return row;
  };
  return {
    find: (hash, address) => find(hash, address, false),
    findAgain: (hash, address) => find(hash, address, true),
    forget(isEnded) {
      for (const [name, { row }] of known) if (isEnded(row)) known.delete(name);
    },
  };
}
