import {
  type Clock,
  clientNetwork,
  createSemaphore,
  declareShare,
  declareState,
  messageOf,
} from '@vantage/kernel';

declareShare({
  name: 'look_ups_of_refused_sign_ins',
  limit: '1 runs, 500 wait',
  filledBy: 'strangers',
  share: '20 a minute of an address, because it has no more attempts; beyond it only the log has them',
});

/** A refused sign-in to an account. */
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
/** Networks that are counted separately within a minute. Further networks count as one for each account. */
const maxNetworks = 1_000;
/** Accounts whose further networks are counted. */
const maxAccounts = 1_000;
const maxEntries = maxNetworks + maxAccounts;
/** Look-ups that run and wait; more are not written. */
const lookUps = { running: 1, waiting: 500 } as const;

const tracked = declareState({
  name: 'refused_sign_ins',
  entries: maxEntries,
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
  const lookUpSlots = createSemaphore(lookUps);
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
    const ofNetwork = `${refused.accountNo} ${clientNetwork(refused.address)}`;
    const isKnown = repeated.has(ofNetwork) || repeated.size < maxNetworks;
    const name = isKnown ? ofNetwork : `${refused.accountNo} others`;
    const entry = repeated.get(name);
    if (entry === undefined) {
      if (repeated.size >= maxEntries) {
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
    const found = await lookUpSlots.run(find);
    if (found === undefined) onLost('too many at once');
    else for (const refused of found.value) await count(refused);
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
