import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, clientNetwork, createSemaphore } from '@vantage/kernel';
import { hashCredential } from '../secrets/credential.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import { parseBasic } from './basic.ts';
import type { KeyRow } from './key-store.ts';
import { createPasswordCheck } from './password-check.ts';
import { badKey, Problem, problemCode } from './problem.ts';
import type { Session } from './session.ts';
import { createZone, type Zone } from './zone.ts';

/** What a request says about who sends it. */
interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  /** The caller's address. */
  readonly address: string;
}

/** The answer for a request: whose it is, and the key as it came (`/hello` shows it to its owner). */
interface Authenticated {
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
const keyHeader = 'service-api-key';

/** A revoked key is refused everywhere within 5 s, even when no notification gets through. */
const keyTtlMs = 4_000;
const kept = 10_000;
/** Keys that nobody has used of late are asked for by so many requests at once: bad ones must not take all database connections. */
const unknownKeys = { running: 3, waiting: 500 } as const;

interface Known {
  readonly row: KeyRow;
  readonly untilMs: number;
}

/**
 * Makes the authenticator. A key is found by its SHA-256 and compared in constant time. A good key is served also to an address that
 * sent too many bad ones (256 random bits cannot be guessed); guesses of a Basic password are limited by key and address.
 */
export function createAuthenticator({
  findKey,
  clock,
  aliasHeaders,
  onLimited,
}: {
  readonly findKey: (hash: Uint8Array) => Promise<KeyRow | undefined>;
  readonly clock: Clock;
  readonly aliasHeaders: readonly string[];
  /** An address has used up its bad keys or guesses; called for each request that is refused for it. */
  readonly onLimited: (text: string, address: string) => void;
}): Authenticator {
  const headerNames = [keyHeader, ...aliasHeaders.map((name) => name.toLowerCase())];
  const badKeys = createAttemptLimit(clock);
  const checkPassword = createPasswordCheck(clock);
  const unknown = createSemaphore(unknownKeys);
  const known = new Map<string, Known>();
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
    const found =
      cached !== undefined ? { value: await findKey(hash) } : await unknown.run(() => findKey(hash));
    if (found === undefined) throw tooMany('Too many requests with unknown keys.', 1);
    const row = found.value;
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
    const { keyNo, basicUser, basicHash } = row;
    if (basicHash === null) return true;
    const given = parseBasic(headers.authorization);
    if (given === undefined) return false;
    const outcome = await checkPassword({ keyNo, basicUser, basicHash }, given, address);
    switch (outcome.kind) {
      case 'good':
        return true;
      case 'bad':
        return false;
      case 'wait':
        onLimited('an address sends too many bad passwords for a key', address);
        throw tooMany('Too many bad passwords for this key from this address.', outcome.waitS);
    }
  };

  return {
    async identify({ headers, query, address }) {
      const key = readKey(headerNames, headers, query);
      if (key === undefined) return undefined;
      const row = await rowOf(hashCredential(key));
      if (row === undefined) {
        const attempt = badKeys.begin(clientNetwork(address));
        if ('waitS' in attempt) {
          onLimited('an address sends too many bad keys', address);
          throw tooMany('Too many bad keys from this address.', attempt.waitS);
        }
        throw badKey();
      }
      if (!(await passwordFits(row, headers, address))) throw badKey();
      const { keyNo, level, accountNo, accountId } = row;
      return {
        key,
        session: {
          keyNo,
          address,
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

/**
 * The one key of a request; several different ones are as bad as a wrong one. Node and proxies join headers of one name by commas, which no key
 * holds (RFC 9110, section 5.3).
 */
function readKey(
  headerNames: readonly string[],
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
): string | undefined {
  const inHeaders = headerNames.flatMap((name) => headers[name] ?? []).flatMap((value) => value.split(','));
  const keys = new Set([...inHeaders, ...query.getAll('api_key')].map((key) => key.trim()));
  if (keys.size > 1) throw badKey('Several different keys were sent.');
  const [key] = keys;
  return key;
}

function tooMany(what: string, waitS: number): Problem {
  return new Problem(problemCode.tooMany, `${what} Try again in ${waitS} s.`, {
    headers: { 'Retry-After': String(waitS) },
  });
}

function makeRoom(map: Map<string, unknown>): void {
  const oldest = map.keys().next().value;
  if (map.size >= kept && oldest !== undefined) map.delete(oldest);
}
