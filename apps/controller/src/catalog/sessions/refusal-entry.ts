import {
  type Clock,
  clientNetwork,
  createSemaphore,
  declareShare,
  declareState,
  messageOf,
} from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '../../platform/db/index.ts';
import { emailKey, type PersonSignIn } from '../../rest/http/person-check.ts';
import { type Problem, problemCode } from '../../rest/http/problem.ts';
import { type Catalog, createdFields } from '../change.ts';
import { findKeyTarget, findPersonTargets, findUnknownTarget, type SignInTarget } from './store.ts';

declareShare({
  name: 'look_ups_of_refused_sign_ins',
  limit: '1 runs, 500 wait',
  filledBy: 'strangers',
  share: '20 a minute of an address, because it has no more attempts; beyond it only the log has them',
});

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

/** Whether a Problem refuses somebody. Who only has to name an account has proven who they are. Pure. */
export function isRefused({ code }: Problem): boolean {
  return code !== problemCode.conflict;
}

async function targetsOf(kysely: Kysely<Tables>, who: Refused): Promise<readonly SignInTarget[]> {
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

function createRefusalWriter(catalog: Catalog) {
  return ({ accountNo, id, name, address, reason }: RefusedSignIn, attempts: number): Promise<void> =>
    catalog.change({ kind: 'stranger', address }, async (transaction) => {
      const key = name === null ? {} : { Key: name };
      const fields = createdFields({ ...key, Reason: reason, Attempts: attempts });
      transaction.record({ action: 'refuse', kind: 'session', accountNo, id, fields });
    });
}

/** Somebody was refused who tried to sign in to an account. */
export interface RefusedSignIn {
  readonly accountNo: number;
  /** The id of the key, else of the account. */
  readonly id: string;
  /** The name of the key; null: it is unknown. */
  readonly name: string | null;
  readonly address: string;
  readonly reason: string;
}

/** Writes refused sign-ins; whoever was refused does not wait for it. */
interface RefusedSignIns extends AsyncDisposable {
  /** `find` finds out which accounts may be meant; of none nothing is written. */
  note(find: () => Promise<readonly RefusedSignIn[]>): void;
}

const everyMs = 60_000;
/** Networks of callers that are told apart within a minute; further ones are one for each account. */
const networksKept = 1_000;
/** Accounts whose further networks are counted. */
const accountsKept = 1_000;
const kept = networksKept + accountsKept;
/** Look-ups that run and wait; more are not written. */
const lookUps = { running: 1, waiting: 500 } as const;

const tracked = declareState({
  name: 'refused_sign_ins',
  entries: kept,
  entryBytes: 2_000,
  filledBy: 'strangers',
  atBound: 'further networks count as one for each account; beyond 1,000 accounts they are not written',
});

/**
 * Creates the writer: of each account and network of callers the first refusal is written at once, then one entry a
 * minute with the number of further ones. Disposing it writes what is left.
 */
export function createRefusedSignIns({
  clock,
  write,
  onLost,
}: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly write: (refused: RefusedSignIn, attempts: number) => Promise<unknown>;
  /** Called with the reason when a refusal is not written. */
  readonly onLost: (reason: string) => void;
}): RefusedSignIns {
  const repeated = tracked(new Map<string, { attempts: number; last: RefusedSignIn }>());
  const timers = new Set<Disposable>();
  const places = createSemaphore(lookUps);
  const pending = new Set<Promise<unknown>>();

  const inBackground = (work: Promise<unknown>) => {
    const done = work
      .catch((error: unknown) => onLost(messageOf(error)))
      .finally(() => void pending.delete(done));
    pending.add(done);
  };
  const begin = (name: string, refused: RefusedSignIn) => {
    repeated.set(name, { attempts: 0, last: refused });
    const timer = clock.timer(everyMs, () => {
      timers.delete(timer);
      const entry = repeated.get(name);
      repeated.delete(name);
      if (entry === undefined || entry.attempts === 0) return;
      inBackground(write(entry.last, entry.attempts));
      begin(name, entry.last);
    });
    timers.add(timer);
  };
  const count = async (refused: RefusedSignIn) => {
    const own = `${refused.accountNo} ${clientNetwork(refused.address)}`;
    const isKnown = repeated.has(own) || repeated.size < networksKept;
    const name = isKnown ? own : `${refused.accountNo} others`;
    const entry = repeated.get(name);
    if (entry === undefined) {
      if (repeated.size >= kept) {
        onLost('too many at once');
        return;
      }
      begin(name, refused);
      await write(refused, 1);
      return;
    }
    entry.attempts += 1;
    entry.last = refused;
  };
  const lookUp = async (find: () => Promise<readonly RefusedSignIn[]>) => {
    const found = await places.run(find);
    if (found === undefined) onLost('too many at once');
    else for (const each of found.value) await count(each);
  };
  return {
    note: (find) => inBackground(lookUp(find)),
    async [Symbol.asyncDispose]() {
      await Promise.all(pending);
      for (const timer of timers) timer[Symbol.dispose]();
      for (const { last, attempts } of repeated.values())
        if (attempts > 0) inBackground(write(last, attempts));
      repeated.clear();
      await Promise.all(pending);
    },
  };
}
