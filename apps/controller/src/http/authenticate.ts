import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '@vantage/kernel';
import { createBadKeyLimit } from './bad-key-limit.ts';
import { parseBasic, verifyPassword } from './basic.ts';
import type { KeyRow } from './key-store.ts';
import { badKey, Problem, problemCode } from './problem.ts';
import type { Session } from './session.ts';
import { createZone, type Zone } from './zone.ts';

/** What a request says about who sends it. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  /** The caller's address. */
  readonly address: string;
}

/** The answer for a request: whose it is, and the key as it came (`/hello` shows it to its owner). */
export interface Authenticated {
  readonly session: Session;
  readonly key: string;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /** undefined: no key was sent. Throws a Problem (1001, or 1006 for an address that keeps sending bad keys). */
  identify(credentials: Credentials): Promise<Authenticated | undefined>;
  /** Forgets these keys at once; without arguments all of them. */
  forget(keyNos?: readonly number[]): void;
  /** Forgets what is known of an account (its zone changed). */
  forgetAccount(accountNo: number): void;
}

/** The header that carries the key; `VANTAGE_API_KEY_HEADERS` names more. */
export const keyHeader = 'service-api-key';

/** A revoked key is refused everywhere within 5 s, even when no notification gets through. */
const keyTtlMs = 4_000;
const passwordTtlMs = 60_000;
const kept = 10_000;

interface Known {
  readonly row: KeyRow;
  readonly untilMs: number;
}

/**
 * Makes the authenticator. A key is found by its SHA-256 and compared in constant time. A good key is served also to an address that
 * sent too many bad ones (256 random bits cannot be guessed); a Basic password, which could be, is not tried for it any more.
 */
export function createAuthenticator({
  findKey,
  clock,
  aliasHeaders,
}: {
  readonly findKey: (hash: Uint8Array) => Promise<KeyRow | undefined>;
  readonly clock: Clock;
  readonly aliasHeaders: readonly string[];
}): Authenticator {
  const headerNames = [keyHeader, ...aliasHeaders.map((name) => name.toLowerCase())];
  const limit = createBadKeyLimit(clock);
  const known = new Map<string, Known>();
  const passwords = new Map<string, number>();
  const zones = new Map<string, Zone>();

  const zoneOf = (name: string): Zone => {
    const zone = zones.get(name) ?? createZone(name);
    zones.set(name, zone);
    return zone;
  };

  const rowOf = async (hash: Buffer): Promise<KeyRow | undefined> => {
    const name = hash.toString('base64');
    const cached = known.get(name);
    if (cached !== undefined && cached.untilMs > clock.monoMs()) return cached.row;
    const askedMs = clock.monoMs();
    const row = await findKey(hash);
    if (row === undefined || !timingSafeEqual(row.keyHash, hash)) {
      known.delete(name);
      return undefined;
    }
    makeRoom(known);
    known.set(name, { row, untilMs: askedMs + keyTtlMs });
    return row;
  };

  const passwordFits = async (
    row: KeyRow,
    headers: IncomingHttpHeaders,
    address: string,
  ): Promise<boolean> => {
    const given = parseBasic(headers.authorization);
    if (given === undefined || row.basicHash === null) return false;
    const name = digest(`${row.keyNo}\0${row.basicHash}\0${given.user}\0${given.password}`).toString(
      'base64',
    );
    const verifiedUntil = passwords.get(name);
    if (verifiedUntil !== undefined && verifiedUntil > clock.monoMs()) return true;
    refuseWhenTooMany(limit.wait(address));
    const passwordGood = await verifyPassword(given.password, row.basicHash);
    const userGood = timingSafeEqual(digest(given.user), digest(row.basicUser ?? ''));
    if (!passwordGood || !userGood) return false;
    makeRoom(passwords);
    passwords.set(name, clock.monoMs() + passwordTtlMs);
    return true;
  };

  return {
    async identify({ headers, query, address }) {
      const key = readKey(headerNames, headers, query);
      if (key === undefined) return undefined;
      const row = await rowOf(digest(key));
      const good =
        row !== undefined && (row.basicHash === null || (await passwordFits(row, headers, address)));
      if (!good) {
        refuseWhenTooMany(limit.wait(address));
        limit.count(address);
        throw badKey();
      }
      const { keyNo, level, accountNo, accountId } = row;
      return {
        key,
        session: {
          keyNo,
          level,
          accountNo,
          accountId,
          hasBasic: row.basicHash !== null,
          zone: zoneOf(row.timezone),
        },
      };
    },
    forget(keyNos) {
      for (const [name, { row }] of known)
        if (keyNos === undefined || keyNos.includes(row.keyNo)) known.delete(name);
    },
    forgetAccount(accountNo) {
      for (const [name, { row }] of known) if (row.accountNo === accountNo) known.delete(name);
    },
  };
}

/** The one key of a request; several different ones are as bad as a wrong one. */
function readKey(
  headerNames: readonly string[],
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
): string | undefined {
  const inHeaders = headerNames.flatMap((name) => headers[name] ?? []);
  const keys = new Set([...inHeaders, ...query.getAll('api_key')].map((key) => key.trim()));
  if (keys.size > 1) throw badKey('Several different keys were sent.');
  const [key] = keys;
  return key;
}

function refuseWhenTooMany(waitS: number | undefined): void {
  if (waitS === undefined) return;
  throw new Problem(problemCode.tooMany, `Too many bad keys from this address. Try again in ${waitS} s.`, {
    headers: { 'Retry-After': String(waitS) },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function makeRoom(map: Map<string, unknown>): void {
  const oldest = map.keys().next().value;
  if (map.size >= kept && oldest !== undefined) map.delete(oldest);
}
