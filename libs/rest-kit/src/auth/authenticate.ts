import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, clientNetwork, declareShare } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { createAttemptLimit } from '../limits/attempt-limit.ts';
import { createKnownRows } from '../limits/known-rows.ts';
import { badKey, Problem, problemCode } from '../serve/problem.ts';
import type { KeyInForce, SessionInForce } from './callers-in-force.ts';
import { chooseAccount, severalAccounts } from './choose-account.ts';
import { csrfTokenOf } from './csrf-token.ts';
import { type BasicCredentials, createPasswordCheck, parseBasic } from './password-check.ts';
import {
  createPersonCheck,
  emailKey,
  type FindPeople,
  type IdentifiedPerson,
  type PersonSignIn,
} from './person-check.ts';
import { readKey } from './read-key.ts';
import type { Session, SignIn } from './session.ts';
import { readSessionToken } from './session-cookie.ts';
import { createZones } from './zone-cache.ts';

declareShare({
  name: 'bad_keys_of_an_address',
  limit: '20 a minute for each address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});

/** The credentials of a request. */
interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  /** The caller's address. */
  readonly address: string;
}

/**
 * The answer for a request: whose it is, and the key as it came (`/hello` shows it to its owner); a session has none.
 */
export interface Authenticated {
  readonly session: Session;
  readonly key: string | undefined;
  /**
   * Whose it is by what is known now; undefined: the key or session has ended since. It counts as no attempt and waits
   * for no stranger, so a flood of bad keys keeps nothing open. `batch`: what the operations of an atomic batch run on,
   * which see what those before them changed. Rejects while the database is unreachable.
   */
  readonly again: (batch?: Db) => Promise<Session | undefined>;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /**
   * undefined: neither a key nor the cookie of a session in force was sent. A key counts before a cookie. Throws a
   * Problem (1001, or 1006 for an address that keeps sending bad keys).
   */
  identify(credentials: Credentials): Promise<Authenticated | undefined>;
  /** Like `identify`, for a key of a form. */
  identifyKey(key: string, basic: BasicCredentials | undefined, address: string): Promise<Session>;
  /** Like `identify`, for a person of a form. */
  identifyPerson(person: PersonSignIn, address: string): Promise<IdentifiedPerson>;
  /** Like `identify`, for a person whom a trusted proxy signed in. */
  identifyProxied(person: ProxiedSignIn, address: string): Promise<Session>;
  /** Forgets these keys and sessions at once; without arguments all of them. */
  forget(ended?: { readonly keyNos: readonly number[]; readonly sessionNos: readonly number[] }): void;
  /** Forgets what is known of an account (its zone changed). */
  forgetAccount(accountNo: number): void;
}

/** The header that carries the key; `VANTAGE_API_KEY_HEADERS` names more. */
const keyHeader = 'service-api-key';

/** Whom a proxy signed in. */
type ProxiedSignIn = Omit<PersonSignIn, 'password'>;

const notInvited =
  'The proxy signed in a person whom no account has invited. An administrator invites people.';

/** Dependencies of the authenticator. */
interface AuthenticatorDeps {
  /** `batch`: what an atomic batch runs on, where the look-up is a part of one. */
  readonly findKey: (hash: Uint8Array, address: string, batch?: Db) => Promise<KeyInForce | undefined>;
  /** The session in force with this SHA-256 of its token. */
  readonly findSession: (
    hash: Uint8Array,
    address: string,
    batch?: Db,
  ) => Promise<SessionInForce | undefined>;
  /** The people with this e-mail address; see `findPeople` of the store. */
  readonly findPeople: FindPeople;
  /** See `createKnownRows`; left out: never. */
  readonly seesOwnChanges?: (db: Db) => boolean;
  readonly clock: Clock;
  readonly aliasHeaders: readonly string[];
  /** An address has used up its bad keys or guesses; called for each request that is refused for it. */
  readonly onLimited: (text: string, address: string) => void;
}

/**
 * Creates the authenticator. A key is found by its SHA-256 and compared in constant time. A good key is served also to
 * an address that sent too many bad ones (256 random bits cannot be guessed); guesses of a Basic password are limited
 * by key and address.
 */
export function createAuthenticator({
  findKey,
  findSession,
  findPeople,
  seesOwnChanges = () => false,
  clock,
  aliasHeaders,
  onLimited,
}: AuthenticatorDeps): Authenticator {
  const headerNames = [keyHeader, ...aliasHeaders.map((name) => name.toLowerCase())];
  const badKeys = createAttemptLimit(clock);
  const checkPassword = createPasswordCheck(clock);
  const checkPerson = createPersonCheck({ clock, findPeople, checkPassword });
  const keys = createKnownRows({ read: findKey, seesOwnChanges, clock });
  const sessions = createKnownRows({ read: findSession, seesOwnChanges, clock });
  const zoneOf = createZones();

  const passwordFits = async (
    row: KeyInForce,
    basic: BasicCredentials | undefined,
    address: string,
  ): Promise<boolean> => {
    const { keyNo, basicUser, basicHash } = row;
    if (basicHash === null) return true;
    if (basic === undefined) return false;
    const outcome = await checkPassword({ name: String(keyNo), basicUser, basicHash }, basic, address);
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

  const sessionOf = (row: KeyInForce, address: string, signIn?: SignIn): Session => ({
    keyNo: row.keyNo,
    keyName: row.name,
    address,
    level: row.level,
    accountNo: row.accountNo,
    accountId: row.accountId,
    hasBasic: row.basicHash !== null,
    zone: zoneOf(row.timezone),
    ...(row.tagNos && { scope: row.tagNos }),
    ...(signIn && { signIn }),
  });

  const countBad = (address: string) => {
    const attempt = badKeys.begin(clientNetwork(address));
    if (!('waitS' in attempt)) return;
    onLimited('an address sends too many bad keys', address);
    throw tooMany('Too many bad keys from this address.', attempt.waitS);
  };

  const identifySession = async (token: string, address: string) => {
    const row = await sessions.find(hashCredential(token), address);
    if (row === undefined) {
      countBad(address);
      return undefined;
    }
    const csrfToken = csrfTokenOf(token);
    const sessionBy = (known: SessionInForce) => {
      const { sessionNo, endsUs, isByProvider } = known;
      return sessionOf(known, address, { sessionNo, endsUs, isByProvider, csrfToken });
    };
    const again = async (batch?: Db) => {
      const now = await sessions.findAgain(row.hash, address, batch);
      return now && sessionBy(now);
    };
    return { key: undefined, session: sessionBy(row), again };
  };

  const identifyPerson = async (person: PersonSignIn, address: string) => {
    const checked = await checkPerson(person, address);
    if (checked.kind === 'wait') {
      onLimited('an address sends too many bad passwords for a person', address);
      throw tooMany('Too many bad passwords for this person.', checked.waitS);
    }
    if (checked.kind === 'several') throw severalAccounts(checked.people);
    if (checked.kind === 'good')
      return { session: sessionOf(checked.row, address), passwordHash: checked.passwordHash };
    countBad(address);
    throw badKey('Wrong e-mail address or password.');
  };

  const identifyProxied = async ({ email, account }: ProxiedSignIn, address: string) => {
    const people = await findPeople(emailKey(email), account);
    const chosen = chooseAccount(people);
    switch (chosen.kind) {
      case 'one':
        return sessionOf(chosen.member.row, address);
      case 'several':
        throw severalAccounts(people);
      case 'none':
        countBad(address);
        throw badKey(notInvited);
    }
  };

  const identifyKey = async (key: string, basic: BasicCredentials | undefined, address: string) => {
    const row = await keys.find(hashCredential(key), address);
    if (row === undefined) {
      countBad(address);
      throw badKey();
    }
    if (!(await passwordFits(row, basic, address))) throw badKey();
    const again = async (batch?: Db) => {
      const now = await keys.findAgain(row.hash, address, batch);
      return now?.basicHash === row.basicHash ? sessionOf(now, address) : undefined;
    };
    return { key, session: sessionOf(row, address), again };
  };

  return {
    async identify({ headers, query, address }) {
      const key = readKey(headerNames, headers, query);
      if (key !== undefined) return identifyKey(key, parseBasic(headers.authorization), address);
      const token = readSessionToken(headers.cookie);
      return token === undefined ? undefined : identifySession(token, address);
    },
    identifyKey: async (...sent) => (await identifyKey(...sent)).session,
    identifyPerson,
    identifyProxied,
    forget(ended) {
      const isEnded = ({ keyNo }: KeyInForce) => ended === undefined || ended.keyNos.includes(keyNo);
      keys.forget(isEnded);
      sessions.forget((row) => isEnded(row) || ended?.sessionNos.includes(row.sessionNo) === true);
    },
    forgetAccount(accountNo) {
      for (const rows of [keys, sessions]) rows.forget((row) => row.accountNo === accountNo);
    },
  };
}

/** 1006: more attempts than are served; `waitS` is in seconds. */
function tooMany(what: string, waitS: number): Problem {
  return new Problem(problemCode.tooMany, `${what} Try again in ${waitS} s.`, {
    reason: 'too_many_bad_keys',
    headers: { 'Retry-After': String(waitS) },
  });
}
