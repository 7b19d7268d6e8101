import type { Clock } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '../../db/index.ts';
import { type Problem, problemCode } from '../../http/problem.ts';
import type { Catalog } from '../change.ts';
import { createdFields } from '../field-change.ts';
import { createRefusedSignIns, type RefusedSignIn } from './refused-sign-ins.ts';
import { findKeyTarget, findOnlyAccount, type SignInTarget } from './store.ts';

/** A key that was refused, and why. */
export interface RefusedKey {
  readonly keyHash: Uint8Array;
  readonly address: string;
  readonly problem: Problem;
}

/** Puts refused sign-ins into the audit, until it is disposed of. */
export interface SignInRefusals extends AsyncDisposable {
  note(refused: RefusedKey): void;
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
    note: (refused) => refusals.note(() => findRefusedKey(db.kysely, refused)),
    [Symbol.asyncDispose]: () => refusals[Symbol.asyncDispose](),
  };
}

const reasons: Readonly<Record<SignInTarget['state'], string>> = {
  unknown: 'unknown key',
  revoked: 'revoked key',
  expired: 'expired key',
  'in-force': 'wrong name or password',
};

/** The account that a refused sign-in by key meant, with the reason; undefined: none is known. */
async function findRefusedKey(
  kysely: Kysely<Tables>,
  { keyHash, address, problem }: RefusedKey,
): Promise<RefusedSignIn | undefined> {
  const target = (await findKeyTarget(kysely, keyHash)) ?? (await findOnlyAccount(kysely));
  if (target === undefined) return undefined;
  const { state, ...named } = target;
  const reason = problem.code === problemCode.tooMany ? 'too many attempts' : reasons[state];
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
