import {
  type Clock,
  createJobParts,
  createWaker,
  declareState,
  type Logger,
  messageOf,
} from '@vantage/kernel';
import type { Transaction } from 'kysely';
import { realTime, shortestRoundMs, type TimeScale } from '../../platform/config/time-scale.ts';
import type { Db, Tables } from '../../platform/db/index.ts';
import { type AttemptDeps, attempt, attemptMs } from './attempt.ts';
import { type ClaimDeps, type Claimed, claim, leaseUs } from './claim.ts';
import { type DueContact, dueContacts, type FullPlaces, type WithoutPlace } from './claim-store.ts';
import { type Outcome, retryTimes } from './notification-state.ts';
import { editedContacts, type Recorded, record, releaseEdited } from './record.ts';

/** Delivers notifications. Any number of controllers may run it. */
export interface Deliveries {
  /** Claims and sends what is due until the signal aborts; then attempts in mid-air get a moment to end. */
  run(signal: AbortSignal): Promise<void>;
  /** Attempts that run now. */
  readonly running: number;
  /** Rounds over the due contacts in which something could be claimed, or nothing was due. */
  readonly rounds: number;
  /** Messages by type of contact, since this process began. */
  readonly counts: DeliveryCounts;
}

/** Numbers of messages by type of contact. */
interface DeliveryCounts {
  readonly delivered: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
  /** Attempts that are repeated. */
  readonly again: Readonly<Record<string, number>>;
}

/** Dependencies of the deliveries. */
export interface DeliveriesDeps extends Omit<ClaimDeps, 'timeScale'>, AttemptDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  /** False while the controller's clock may be wrong: nothing is given up for its age then. */
  readonly mayGiveUp?: () => boolean;
}

/** An attempt that this process runs. */
export type RunningAttempt = DueContact;

/** Attempts at one moment in one process. */
interface Places {
  readonly total: number;
  readonly account: number;
  readonly contact: number;
}

/** Attempts of all contacts together. */
const allPlaces: Places = { total: 128, account: 32, contact: 4 };

/**
 * The part that contacts may have whose latest attempt failed: a dead endpoint holds its places until the time limit of
 * an attempt.
 */
const failingPlaces: Places = { total: 32, account: 8, contact: 1 };

/**
 * The contacts and accounts to which `shareOut` would give no place beside these attempts. Due contacts are read
 * without them: else an account with many contacts would keep those of others from being read. Pure.
 */
export function fullPlaces(running: readonly RunningAttempt[]): FullPlaces {
  const failing = running.filter(({ isFailing }) => isFailing);
  return {
    ...withoutPlace(running, allPlaces),
    failing: { ...withoutPlace(failing, failingPlaces), isAll: failing.length >= failingPlaces.total },
  };
}

function withoutPlace(running: readonly RunningAttempt[], places: Places): WithoutPlace {
  const full = (keyOf: (attempt: RunningAttempt) => number, most: number) =>
    [...Map.groupBy(running, keyOf)].filter(([, of]) => of.length >= most).map(([key]) => key);
  return {
    contactNos: full(({ contactNo }) => contactNo, places.contact),
    accountNos: full(({ accountNo }) => accountNo, places.account),
  };
}

/** A contact and how many attempts may begin for it now. */
interface Share {
  readonly contact: DueContact;
  readonly places: number;
}

/**
 * Shares the free places between the contacts that have something to send. Contacts come in the order of `dueContacts`;
 * each gets its share before the next one. A contact that fails, and an account, cannot use up the places of others.
 * Pure.
 */
export function shareOut(due: readonly DueContact[], running: readonly RunningAttempt[]): readonly Share[] {
  const all = createCount(running);
  const failing = createCount(running.filter(({ isFailing }) => isFailing));
  const shares: Share[] = [];
  for (const contact of due) {
    const free = all.free(contact, allPlaces);
    const places = contact.isFailing ? Math.min(free, failing.free(contact, failingPlaces)) : free;
    if (places <= 0) continue;
    shares.push({ contact, places });
    all.add(contact, places);
    if (contact.isFailing) failing.add(contact, places);
  }
  return shares;
}

function createCount(running: readonly RunningAttempt[]) {
  let total = 0;
  const accounts = new Map<number, number>();
  const contacts = new Map<number, number>();
  const add = ({ accountNo, contactNo }: DueContact, places: number) => {
    total += places;
    accounts.set(accountNo, (accounts.get(accountNo) ?? 0) + places);
    contacts.set(contactNo, (contacts.get(contactNo) ?? 0) + places);
  };
  for (const attempt of running) add(attempt, 1);
  return {
    add,
    free: ({ accountNo, contactNo }: DueContact, places: Places) =>
      Math.min(
        places.total - total,
        places.account - (accounts.get(accountNo) ?? 0),
        places.contact - (contacts.get(contactNo) ?? 0),
      ),
  };
}

/** Notifications are found this often when no NOTIFY comes. */
const pollMs = 1_000;

const contactsARound = 200;

/** At the end, attempts have so long to finish by themselves. */
const drainMs = 1_500;

const retryRecordMs = 500;

const tracked = declareState({
  name: 'delivery_attempts',
  entries: allPlaces.total,
  entryBytes: 131_072,
  filledBy: 'alerts',
  atBound: 'others wait in the database',
});

/** Creates the workers of one process. */
export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { db, clock, log, timeScale = realTime } = deps;
  const running = tracked(new Map<string, RunningAttempt & { readonly done: Promise<void> }>());
  const parts = createJobParts({
    log,
    failed: 'notifications cannot be delivered; trying again',
    recovered: 'notifications are delivered again',
  });
  const interrupt = new AbortController();
  const counts = createCounts();
  let rounds = 0;
  let isWoken = false;
  const waker = createWaker(clock);
  const poke = () => {
    isWoken = true;
    waker.wake();
  };

  const start = (claimed: Claimed, contact: DueContact, claimedMs: number) => {
    const done = deliver(claimed, claimedMs, { ...deps, onRecorded: counts.add }, interrupt.signal).finally(
      () => {
        running.delete(claimed.token);
        poke();
      },
    );
    running.set(claimed.token, { ...contact, done });
  };

  const begin = async ({ contact, places }: Share): Promise<void> => {
    const claimedMs = clock.monoMs();
    const claimed = await db.kysely
      .transaction()
      .execute((trx) =>
        claim(trx, { contactNo: contact.contactNo, places, nowUs: clock.nowUs() }, { ...deps, timeScale }),
      );
    for (const one of claimed) start(one, contact, claimedMs);
  };

  const round = async (signal: AbortSignal): Promise<void> => {
    for (const contactNo of await editedContacts(db.kysely))
      await db.kysely.transaction().execute((trx) => releaseEdited(trx, contactNo, clock.nowUs()));
    const attempts = [...running.values()];
    const full = fullPlaces(attempts);
    const due = await dueContacts(db.kysely, { nowUs: clock.nowUs(), full, limit: contactsARound });
    const shares = shareOut(due, attempts);
    let begun = 0;
    for (const share of shares) {
      if (signal.aborted) return;
      if (await parts.attempt(`contact ${share.contact.contactNo}`, () => begin(share))) begun += 1;
    }
    // The damaged rows of one contact do not stop the others.
    if (shares.length === 0 || begun > 0) rounds += 1;
  };

  return {
    async run(signal) {
      const listening = db.subscribe('notifications', poke).catch(() => undefined);
      while (!signal.aborted) {
        isWoken = false;
        await parts.attempt('round', () => round(signal));
        if (!isWoken) await waker.wait(timeScale(pollMs, shortestRoundMs), signal);
      }
      const ended = Promise.allSettled([...running.values()].map(({ done }) => done));
      using _timer = clock.timer(drainMs, () => interrupt.abort(new Error('the controller stops')));
      await ended;
      void listening.then((heard) => heard?.[Symbol.asyncDispose]());
    },
    get running() {
      return running.size;
    },
    get rounds() {
      return rounds;
    },
    counts,
  };
}

/** Sends one claimed message and records the answer, also after moments in which the database was away. */
async function deliver(
  claimed: Claimed,
  claimedMs: number,
  deps: DeliveriesDeps & { readonly onRecorded: (type: string, state: Recorded['state']) => void },
  ending: AbortSignal,
): Promise<void> {
  const { db, clock, log, timeScale, onFailed, onRecorded, mayGiveUp = () => true } = deps;
  const leaseEndMs = claimedMs + leaseUs / 1000;
  // A process that was stopped since the claim must not send: another worker may have the notification by now.
  if (clock.monoMs() + attemptMs > leaseEndMs) return;
  const outcome = await attempt(claimed, deps, ending);
  const write = (trx: Transaction<Tables>) =>
    record(
      trx,
      { ...claimed, outcome, nowUs: clock.nowUs() },
      { times: retryTimes(timeScale, mayGiveUp()), onFailed },
    );
  while (true) {
    try {
      const recorded = await db.kysely.transaction().execute(write);
      logChange(log, claimed, outcome, recorded);
      onRecorded(claimed.contact.type, recorded.state);
      return;
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'an attempt cannot be recorded; trying again');
      if (clock.monoMs() > leaseEndMs || ending.aborted) return;
      await clock.sleep(retryRecordMs, ending).catch(() => {});
    }
  }
}

/** Logs the begin and the end of a problem. */
function logChange(log: Logger, claimed: Claimed, outcome: Outcome, recorded: Recorded): void {
  const { contact, id } = claimed;
  const about = { contact_id: contact.contact_id, type: contact.type, answer: outcome.text };
  if (!recorded.isRecorded)
    log.warn(
      { notification_id: id },
      'the lease of a notification ended before its answer: another worker sends it',
    );
  if (recorded.change === 'failing') log.warn(about, 'a contact cannot be reached; trying again');
  if (recorded.change === 'well') log.info(about, 'a contact can be reached again');
  if (recorded.state === 'Failed')
    log.error({ notification_id: id, ...about }, 'a notification failed for good');
}

/** Counts what attempts ended with. */
function createCounts() {
  const counts = { delivered: {}, failed: {}, again: {} } satisfies Record<string, Record<string, number>>;
  const grow = (of: Record<string, number>, type: string) => {
    of[type] = (of[type] ?? 0) + 1;
  };
  return {
    ...counts,
    add: (type: string, state: Recorded['state']): void => {
      if (state === 'Delivered') grow(counts.delivered, type);
      else if (state === 'Failed') grow(counts.failed, type);
      else if (state === 'Pending') grow(counts.again, type);
    },
  };
}
