import { randomBytes } from 'node:crypto';
import { type Clock, declareShare } from '@vantage/kernel';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { hashPassword } from '@vantage/storage/secrets/password';
import { createAttemptLimit } from '../limits/attempt-limit.ts';
import type { PersonInForce } from './callers-in-force.ts';
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
export type FindPeople = (email: string, account: string | undefined) => Promise<readonly PersonInForce[]>;

type PersonOutcome =
  | { readonly kind: 'good'; readonly row: PersonInForce['row']; readonly passwordHash: string }
  /** The password is right in each of these accounts. */
  | { readonly kind: 'several'; readonly people: readonly PersonInForce[] }
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
 * Creates the check. If several accounts have the address, the password decides which one is meant, so inviting a
 * person of another account locks them out of nothing. The check takes the same time and counts guesses in the same way
 * whether or not the person exists, so neither time nor refusals reveal who has an account. An address with passwords
 * in several accounts costs one hash for each.
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
    const credentials = { user: '', password: passwordKey(password) };
    const check = (name: string, basicHash: string) =>
      checkPassword({ name, basicUser: '', basicHash }, credentials, address);
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
