import type { Clock } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '../../platform/db/index.ts';
import { emailKey, type PersonSignIn } from '../../rest/http/person-check.ts';
import { type Problem, problemCode } from '../../rest/http/problem.ts';
import type { Catalog } from '../change.ts';
import { createdFields } from '../field-change.ts';
import { createRefusedSignIns, type RefusedSignIn } from './refused-sign-ins.ts';
import { findKeyTarget, findPersonTarget, findUnknownTarget, type SignInTarget } from './store.ts';

/** Who was refused: by the SHA-256 of a key, or as a person. */
export type Refused = { readonly keyHash: Uint8Array } | Pick<PersonSignIn, 'email' | 'account'>;

/** A sign-in that was refused, and why. */
export interface RefusedAttempt {
  readonly who: Refused;
  readonly address: string;
  readonly problem: Problem;
}

/** Puts refused sign-ins into the audit, until it is disposed of. */
export interface SignInRefusals extends AsyncDisposable {
  note(refused: RefusedAttempt): void;
}

/** Creates what puts refused sign-ins into the audit. `onLost` is called with the reason when one is not written. */
export function createSignInRefusals({
  db,
  catalog,
  clock,
  onLost,
}: {
  readonly db: Pick<Db, 'kysely'>;
  readonly catalog: Catalog;
  readonly clock: Pick<Clock, 'timer'>;
  readonly onLost: (reason: string) => void;
}): SignInRefusals {
  const refusals = createRefusedSignIns({ clock, write: createRefusalWriter(catalog), onLost });
  return {
    note: (refused) => refusals.note(() => findRefused(db.kysely, refused)),
    [Symbol.asyncDispose]: () => refusals[Symbol.asyncDispose](),
  };
}

async function targetOf(kysely: Kysely<Tables>, who: Refused): Promise<SignInTarget | undefined> {
  if ('keyHash' in who) {
    const key = await findKeyTarget(kysely, who.keyHash);
    return key ?? findUnknownTarget(kysely, { account: undefined, reason: 'unknown key' });
  }
  const person = await findPersonTarget(kysely, { ...who, email: emailKey(who.email) });
  return person ?? findUnknownTarget(kysely, { account: who.account, reason: 'unknown person' });
}

/** The account that a refused sign-in meant, with the reason; undefined: none is known. */
async function findRefused(
  kysely: Kysely<Tables>,
  { who, address, problem }: RefusedAttempt,
): Promise<RefusedSignIn | undefined> {
  const target = await targetOf(kysely, who);
  if (target === undefined) return undefined;
  const { reason: refusedFor, ...named } = target;
  const reason = problem.code === problemCode.tooMany ? 'too many attempts' : refusedFor;
  return { ...named, address, reason };
}

function createRefusalWriter(catalog: Catalog) {
  return ({ accountNo, id, name, address, reason }: RefusedSignIn, attempts: number): Promise<void> =>
    catalog.change({ kind: 'stranger', address }, async (transaction) => {
      const key = name === null ? {} : { Key: name };
      const fields = createdFields({ ...key, Reason: reason, Attempts: attempts });
      transaction.record({ action: 'refuse', kind: 'session', accountNo, id, fields });
    });
}
