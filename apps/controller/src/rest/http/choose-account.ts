import { Problem, problemCode } from './problem.ts';

/** Somebody's place in an account, by an e-mail address that they have proven to own. */
export interface Membership {
  /** The name of the account. */
  readonly account: string;
  /** A proxy or provider signed the person in to it before. */
  readonly isProven: boolean;
}

/** An address is looked up in so many accounts; who is in more has to name one. */
export const maxAccounts = 20;

/**
 * The account in which somebody signs in who names none. Whoever invited an address first gets nobody by it: of several
 * accounts it is the only one that they came in to before, else they choose. Pure.
 */
export function chooseAccount<M extends Membership>(
  memberships: readonly M[],
): { readonly kind: 'none' } | { readonly kind: 'one'; readonly one: M } | { readonly kind: 'several' } {
  const [first, second] = memberships;
  if (first === undefined) return { kind: 'none' };
  if (second === undefined) return { kind: 'one', one: first };
  const [known, another] = memberships.filter(({ isProven }) => isProven);
  return known === undefined || another !== undefined ? { kind: 'several' } : { kind: 'one', one: known };
}

/** 1005: the person is in several accounts and has to name one. They have proven who they are, so they may know. */
export function severalAccounts(memberships: readonly Membership[]): Problem {
  const accounts = memberships.map(({ account }) => account);
  const message = `You are in several accounts. Send Account with one of: ${accounts.join('; ')}.`;
  const errors = [{ field: 'Account', message: 'is needed, because you are in several' }];
  return new Problem(problemCode.conflict, message, { errors, accounts });
}
