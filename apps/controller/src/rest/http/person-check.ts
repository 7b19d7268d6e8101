import { randomBytes } from 'node:crypto';
import type { Clock } from '@vantage/kernel';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { hashPassword } from '../../platform/secrets/password.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import type { PersonRow } from './key-store.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Session } from './session.ts';

/** The credentials of a person. */
export interface PersonSignIn {
  readonly email: string;
  /** The account's name; undefined: the one to which the person was invited first. */
  readonly account: string | undefined;
  readonly password: string;
}

/** A person whose password was right, and the stored text of that password. */
export interface IdentifiedPerson {
  readonly session: Session;
  readonly passwordHash: string;
}

/** Finds a person by the e-mail address in small letters. */
export type FindPerson = (email: string, account: string | undefined) => Promise<PersonRow | undefined>;

type PersonOutcome =
  | ({ readonly kind: 'good' } & PersonRow)
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
 * Creates the check. It does the same work, and counts guesses in the same way, whether there is such a person or not,
 * so nobody learns from the time or the refusals who has an account.
 */
export function createPersonCheck({
  clock,
  findPerson,
  checkPassword,
}: {
  readonly clock: Clock;
  readonly findPerson: FindPerson;
  readonly checkPassword: PasswordCheck;
}): (given: PersonSignIn, address: string) => Promise<PersonOutcome> {
  const guesses = createAttemptLimit(clock, guessesOfPerson);
  let nobody: Promise<string> | undefined;
  return async ({ email, account, password }, address) => {
    const who = hashCredential(`${emailKey(email)}\n${account ?? ''}`).toString('base64');
    const guess = guesses.begin(who);
    if ('waitS' in guess) return { kind: 'wait', waitS: guess.waitS };
    nobody ??= hashPassword(randomBytes(32).toString('base64'));
    const [person, hashOfNobody] = await Promise.all([findPerson(emailKey(email), account), nobody]);
    const key = { name: `person ${who}`, basicUser: '', basicHash: person?.passwordHash ?? hashOfNobody };
    const outcome = await checkPassword(key, { user: '', password: passwordKey(password) }, address);
    if (outcome.kind === 'wait') guess.takeBack();
    if (outcome.kind !== 'good') return outcome;
    guess.takeBack();
    return person === undefined ? { kind: 'bad' } : { kind: 'good', ...person };
  };
}
