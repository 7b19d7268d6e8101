import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type Clock,
  clientNetwork,
  createFairSemaphore,
  declareShare,
  declareState,
  greaterNetwork,
  LRUCache,
} from '@vantage/kernel';
import { verifyPassword } from '@vantage/storage/secrets/password';
import { createAttemptLimit } from '../limits/attempt-limit.ts';

declareShare({
  name: 'guesses_of_basic_passwords',
  limit: '20 a minute for each key and address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});
declareShare({
  name: 'hashes_of_passwords',
  limit: '1 computed, 64 wait',
  filledBy: 'strangers',
  share: '32 wait of an address (IPv6: /64); greater networks take turns',
});

/** A key that also needs Basic credentials, or a person. */
interface PasswordKey {
  /** Guesses are counted under it. */
  readonly name: string;
  readonly basicUser: string | null;
  readonly basicHash: string;
}

/** The outcome of a check; `waitS` is in seconds. */
type PasswordOutcome =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad' }
  | { readonly kind: 'wait'; readonly waitS: number };

/** Checks user and password against a key. */
export type PasswordCheck = (
  key: PasswordKey,
  given: BasicCredentials,
  address: string,
) => Promise<PasswordOutcome>;

/** A correct password needs no new hash for this long after its last use. */
const goodMs = 15 * 60_000;
const maxGood = 10_000;
/** One password hash takes 16 MiB and 50 ms of CPU time. */
const hashing = { running: 1, perOwner: { running: 1, waiting: 32 }, waiting: 64 } as const;
const busyS = 1;

const trackedGood = declareState({
  name: 'good_passwords',
  entries: maxGood,
  entryBytes: 250,
  filledBy: 'callers who know a password',
  atBound: 'the least recently used is forgotten',
});

const trackedRunning = declareState({
  name: 'password_checks',
  entries: hashing.running + hashing.waiting,
  entryBytes: 2_000,
  filledBy: 'callers',
  atBound: '503 with Retry-After',
});

/**
 * Creates the check. Guesses are counted by key and client network before their hash is computed; a correct password is
 * uncounted. So guesses at other keys from the same network do not count here. Concurrent checks of the same guess
 * share one computation. A password that was correct recently passes at once, even where the limit is used up.
 */
export function createPasswordCheck(
  clock: Clock,
  verify: (password: string, hash: string) => Promise<boolean> = verifyPassword,
): PasswordCheck {
  const tag = randomBytes(32);
  const digest = (text: string) => createHmac('sha256', tag).update(text).digest();
  const limit = createAttemptLimit(clock);
  const hashSlots = createFairSemaphore<string>({ ...hashing, groupOf: greaterNetwork });
  const good = trackedGood(new LRUCache<string, number>({ max: maxGood }));
  const underWay = trackedRunning(new Map<string, Promise<PasswordOutcome>>());

  const remember = (guess: string) => good.set(guess, clock.monoMs() + goodMs);

  const compute = async (key: PasswordKey, given: BasicCredentials, network: string) => {
    const attempt = limit.begin(`${key.name} ${network}`);
    if ('waitS' in attempt) return { kind: 'wait', waitS: attempt.waitS } as const;
    const done = await hashSlots.run(network, () => verify(given.password, key.basicHash));
    if (done === undefined) {
      attempt.takeBack();
      return { kind: 'wait', waitS: busyS } as const;
    }
    const isUser = timingSafeEqual(digest(given.user), digest(key.basicUser ?? ''));
    if (!done.value || !isUser) return { kind: 'bad' } as const;
    attempt.takeBack();
    return { kind: 'good' } as const;
  };

  return async (key, given, address) => {
    const network = clientNetwork(address);
    const guess = digest([key.name, key.basicHash, given.user, given.password].join('\0')).toString('base64');
    if ((good.get(guess) ?? 0) > clock.monoMs()) {
      remember(guess);
      return { kind: 'good' };
    }
    const name = `${guess} ${network}`;
    const computing =
      underWay.get(name) ?? compute(key, given, network).finally(() => void underWay.delete(name));
    underWay.set(name, computing);
    const outcome = await computing;
    if (outcome.kind === 'good') remember(guess);
    return outcome;
  };
}

/** User and password of HTTP Basic authentication (RFC 7617). */
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/** Reads an Authorization header; undefined when it is no Basic one. */
export function parseBasic(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
