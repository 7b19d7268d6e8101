import { type Clock, clientNetwork, createSemaphore, declareState, messageOf } from '@vantage/kernel';

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
export interface RefusedSignIns extends AsyncDisposable {
  /** `find` finds out which account is meant; undefined: none, so nothing is written. */
  note(find: () => Promise<RefusedSignIn | undefined>): void;
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
  const lookUp = async (find: () => Promise<RefusedSignIn | undefined>) => {
    const found = await places.run(find);
    if (found === undefined) onLost('too many at once');
    else if (found.value !== undefined) await count(found.value);
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
