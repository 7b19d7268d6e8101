import { Problem, problemCode } from '../serve/problem.ts';

/** A person of an account, found by an e-mail address. */
export interface Membership {
  /** The name of the account. */
  readonly account: string;
  /** A proxy or provider signed the person in to it before. */
  readonly isProven: boolean;
}

/** An e-mail address is looked up in at most this many accounts; a person in more must name one. */
export const maxAccounts = 20;

/**
 * Chooses the account of a person who names none. An invitation captures no sign-in: of several accounts, the only one
 * to which a proxy or provider signed the person in before is chosen, else the person chooses. Pure.
 */
export function chooseAccount<M extends Membership>(
  memberships: readonly M[],
): { readonly kind: 'none' } | { readonly kind: 'one'; readonly member: M } | { readonly kind: 'several' } {
  const [first, second] = memberships;
  if (first === undefined) return { kind: 'none' };
  if (second === undefined) return { kind: 'one', member: first };
  const [known, another] = memberships.filter(({ isProven }) => isProven);
  return known === undefined || another !== undefined ? { kind: 'several' } : { kind: 'one', member: known };
}

/** 1005: the person must name one of their accounts. The password, proxy or provider proved who they are. */
export function severalAccounts(memberships: readonly Membership[]): Problem {
  const accounts = memberships.map(({ account }) => account);
  const message = `You are in several accounts. Send Account with one of: ${accounts.join('; ')}.`;
  const errors = [{ field: 'Account', message: 'is needed, because you are in several' }];
  return new Problem(problemCode.conflict, message, { errors, accounts });
}
