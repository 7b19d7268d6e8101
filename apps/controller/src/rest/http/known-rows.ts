import { timingSafeEqual } from 'node:crypto';
import { type Clock, createSemaphore, declareState } from '@vantage/kernel';
import { Problem, problemCode } from './problem.ts';

/** A revoked key and an ended session are refused everywhere within 5 s, even when no notification gets through. */
const ttlMs = 4_000;
const kept = 10_000;
/**
 * Credentials that nobody has used of late are looked up by so many requests at once: bad ones must not take all
 * database connections.
 */
const lookUps = { running: 3, waiting: 500 } as const;

/** Rows of credentials in force, found by the SHA-256 of the credential. */
export interface KnownRows<Row> {
  /** undefined: no such credential is in force. Throws a Problem (1006) where too many unknown ones are asked for. */
  find(hash: Buffer, address: string): Promise<Row | undefined>;
  forget(isEnded: (row: Row) => boolean): void;
}

const tracked = declareState({
  name: 'known_keys_and_sessions',
  entries: kept,
  entryBytes: 1_200,
  filledBy: 'keys, sessions',
  atBound: 'the oldest is forgotten',
});

/** Creates the rows. Those used last are remembered for 4 seconds. */
export function createKnownRows<Row extends { readonly hash: Uint8Array }>({
  read,
  seesOwnChanges,
  clock,
}: {
  /** `address` is the caller's. */
  readonly read: (hash: Uint8Array, address: string) => Promise<Row | undefined>;
  /** The caller's transaction changed an account: it reads its own rows, which nobody else sees before its commit. */
  readonly seesOwnChanges: () => boolean;
  readonly clock: Pick<Clock, 'monoMs'>;
}): KnownRows<Row> {
  const known = tracked(new Map<string, { readonly row: Row; readonly untilMs: number }>());
  const unknown = createSemaphore(lookUps);
  return {
    async find(hash, address) {
      if (seesOwnChanges()) return read(hash, address);
      const name = hash.toString('base64');
      const cached = known.get(name);
      if (cached !== undefined && cached.untilMs > clock.monoMs()) return cached.row;
      const askedMs = clock.monoMs();
      const ask = () => read(hash, address);
      const found = cached !== undefined ? { value: await ask() } : await unknown.run(ask);
      if (found === undefined) throw tooMany('Too many requests with unknown keys.', 1);
      const row = found.value;
      if (row === undefined || !timingSafeEqual(row.hash, hash)) {
        known.delete(name);
        return undefined;
      }
      const oldest = known.keys().next().value;
      if (known.size >= kept && oldest !== undefined) known.delete(oldest);
      known.set(name, { row, untilMs: askedMs + ttlMs });
      return row;
    },
    forget(isEnded) {
      for (const [name, { row }] of known) if (isEnded(row)) known.delete(name);
    },
  };
}

/** 1006: more attempts than are served; `waitS` is in seconds. */
export function tooMany(what: string, waitS: number): Problem {
  return new Problem(problemCode.tooMany, `${what} Try again in ${waitS} s.`, {
    headers: { 'Retry-After': String(waitS) },
  });
}
