import type { Clock } from '@vantage/kernel';
import { emailKey, type PersonSignIn } from '@vantage/rest-kit/person-check';
import { type Problem, problemCode } from '@vantage/rest-kit/problem';
import type { Db, Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { Catalog } from '../../resources/change.ts';
import { createdFields } from '../../resources/field-changes.ts';
import { createRefusedSignIns, type RefusedSignIn } from './refused-sign-ins.ts';
import {
  findKeyTarget,
  findPersonTargets,
  findUnknownTarget,
  type SignInTarget,
} from './sign-in-target-store.ts';

/** The refused caller: by the SHA-256 of a key, or as a person. */
export type RefusedCaller = { readonly keyHash: Uint8Array } | Pick<PersonSignIn, 'email' | 'account'>;

/** A sign-in that was refused, with the reason. */
export interface RefusedAttempt {
  readonly who: RefusedCaller;
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
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Pick<Clock, 'timer'>;
  readonly onLost: (reason: string) => void;
}): SignInRefusals {
  const refusals = createRefusedSignIns({ clock, write: createRefusalWriter(db, catalog), onLost });
  return {
    note: (refused) => refusals.note(() => findRefused(db.kysely, refused)),
    [Symbol.asyncDispose]: () => refusals[Symbol.asyncDispose](),
  };
}

/** Whether a Problem is a refusal. A person who only has to name an account has proven their identity. Pure. */
export function isRefused({ code }: Problem): boolean {
  return code !== problemCode.conflict;
}

async function targetsOf(kysely: Kysely<Tables>, who: RefusedCaller): Promise<readonly SignInTarget[]> {
  if ('keyHash' in who) {
    const key = await findKeyTarget(kysely, who.keyHash);
    if (key !== undefined) return [key];
  } else {
    const people = await findPersonTargets(kysely, { ...who, email: emailKey(who.email) });
    if (people.length > 0) return people;
  }
  const unknown =
    'keyHash' in who
      ? { account: undefined, reason: 'unknown key' }
      : { account: who.account, reason: 'unknown person' };
  const only = await findUnknownTarget(kysely, unknown);
  return only === undefined ? [] : [only];
}

/** The accounts that a refused sign-in may have meant, with the reason. */
async function findRefused(
  kysely: Kysely<Tables>,
  { who, address, problem }: RefusedAttempt,
): Promise<readonly RefusedSignIn[]> {
  const targets = await targetsOf(kysely, who);
  return targets.map(({ reason: refusedFor, ...named }) => {
    const reason = problem.code === problemCode.tooMany ? 'too many attempts' : refusedFor;
    return { ...named, address, reason };
  });
}

function createRefusalWriter(db: Db, catalog: Catalog) {
  return ({ accountNo, id, name, address, reason }: RefusedSignIn, attempts: number): Promise<void> =>
    catalog.change(db, { kind: 'stranger', address }, async (transaction) => {
      const key = name === null ? {} : { Key: name };
      const fields = createdFields({ ...key, Reason: reason, Attempts: attempts });
      transaction.record({ action: 'refuse', kind: 'session', accountNo, id, fields });
    });
}
