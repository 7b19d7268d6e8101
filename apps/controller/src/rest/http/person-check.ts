import { randomBytes } from 'node:crypto';
import { type Clock, declareShare } from '@vantage/kernel';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { hashPassword } from '../../platform/secrets/password.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import type { PersonRow } from './key-store.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Session } from './session.ts';

declareShare({
  name: 'guesses_at_a_person',
  limit: '60 a minute for each person',
  filledBy: 'strangers',
  share: '20 of an address (IPv6: /64)',
});

/** The credentials of a person. */
export interface PersonSignIn {
  readonly email: string;
  /** The account's name; undefined: the one whose password it is. */
  readonly account: string | undefined;
  readonly password: string;
}

/** A person whose password was right, and the stored text of that password. */
export interface IdentifiedPerson {
  readonly session: Session;
  readonly passwordHash: string;
}

/** Finds people by the e-mail address in small letters: in the account with this name, else in all. */
export type FindPeople = (email: string, account: string | undefined) => Promise<readonly PersonRow[]>;

type PersonOutcome =
  | { readonly kind: 'good'; readonly row: PersonRow['row']; readonly passwordHash: string }
  /** The password is right in each of these accounts. */
  | { readonly kind: 'several'; readonly people: readonly PersonRow[] }
  | { readonly kind: 'bad' }
  | { readonly kind: 'wait'; readonly waitS: number };

/** Guesses a minute at the password of one address from everywhere. */
const guessesOfPerson = 60;

/** The form of an e-mail address under which people are stored and counted. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** The form of a password that is hashed: keyboards differ in how they compose letters (RFC 8265, section 4.2.2). */
export function passwordKey(password: string): string {
  return password.normalize('NFC');
}

/**
 * Creates the check. Of several accounts that have the address, the one counts whose password is right, so an account
 * that invites somebody else's person keeps them from nothing. It does the same work, and counts guesses in the same
 * way, whether there is such a person or not, so nobody learns from the time or the refusals who has an account; an
 * address with passwords in several accounts takes as many computations.
 */
export function createPersonCheck({
  clock,
  findPeople,
  checkPassword,
}: {
  readonly clock: Clock;
  readonly findPeople: FindPeople;
  readonly checkPassword: PasswordCheck;
}): (given: PersonSignIn, address: string) => Promise<PersonOutcome> {
  const guesses = createAttemptLimit(clock, guessesOfPerson);
  let nobody: Promise<string> | undefined;
  return async ({ email, account, password }, address) => {
    const who = hashCredential(`${emailKey(email)}\n${account ?? ''}`).toString('base64');
    const guess = guesses.begin(who);
    if ('waitS' in guess) return { kind: 'wait', waitS: guess.waitS };
    nobody ??= hashPassword(randomBytes(32).toString('base64'));
    const [people, hashOfNobody] = await Promise.all([findPeople(emailKey(email), account), nobody]);
    const given = { user: '', password: passwordKey(password) };
    const check = (name: string, basicHash: string) =>
      checkPassword({ name, basicUser: '', basicHash }, given, address);
    const known = people.flatMap((person) =>
      person.passwordHash === null ? [] : [{ ...person, passwordHash: person.passwordHash }],
    );
    if (known.length === 0) {
      const outcome = await check(`person ${who}`, hashOfNobody);
      if (outcome.kind === 'wait') guess.takeBack();
      return outcome.kind === 'wait' ? outcome : { kind: 'bad' };
    }
    const right: typeof known = [];
    for (const person of known) {
      const outcome = await check(`person ${person.row.keyNo}`, person.passwordHash);
      if (outcome.kind === 'wait') {
        guess.takeBack();
        return outcome;
      }
      if (outcome.kind === 'good') right.push(person);
    }
    const [one, another] = right;
    if (one === undefined) return { kind: 'bad' };
    guess.takeBack();
    if (another !== undefined) return { kind: 'several', people: right };
    return { kind: 'good', row: one.row, passwordHash: one.passwordHash };
  };
}
