import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import type { Database, Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import { realTime, type TimeScale } from '../../config/time-scale.ts';
import { type AttemptDeps, attempt, attemptMs } from './attempt.ts';
import { type ClaimDeps, type Claimed, claim } from './claim.ts';
import { editedContacts, releaseEdited } from './contact-health.ts';
import { type DueContact, dueContacts } from './due-contacts.ts';
import { type AttemptOutcome, retryTimes } from './notification-state.ts';
import { type Recorded, record } from './record-attempt.ts';
import { leaseUs } from './sending/leases.ts';
import { createSender } from './sending/sender.ts';
import type { Slots } from './sending/slots.ts';

/** Delivers notifications. Any number of controllers may run it. */
export interface Deliveries {
  /** Claims and sends due messages until the signal aborts; then running attempts get a short time to end. */
  run(signal: AbortSignal): Promise<void>;
  /** Attempts that run now. */
  readonly running: number;
  /** Rounds over the due contacts in which something could be claimed, or nothing was due. */
  readonly rounds: number;
  /** Messages by type of contact, since this process started. */
  readonly counts: DeliveryCounts;
}

/** Numbers of messages by type of contact. */
interface DeliveryCounts {
  readonly delivered: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
  /** Attempts that are repeated. */
  readonly again: Readonly<Record<string, number>>;
}

export interface DeliveriesDeps extends Omit<ClaimDeps, 'timeScale'>, AttemptDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  /** False while the controller's clock may be wrong: nothing is given up for its age then. */
  readonly mayGiveUp?: () => boolean;
}

/** Attempts of all contacts together. A failing contact gets one slot, because it occupies it up to the time limit. */
export const contactSlots: Slots = {
  all: { total: 128, account: 32, host: 64, receiver: 4 },
  slow: { total: 64, account: 16, host: 32, receiver: 4 },
  failing: { total: 32, account: 8, host: 16, receiver: 1 },
};

const retryRecordMs = 500;

const track = declareState({
  name: 'delivery_attempts',
  entries: contactSlots.all.total,
  entryBytes: 131_072,
  filledBy: 'alerts',
  atBound: 'others wait in the database',
});

/** Creates the workers of one process. */
export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { db, clock, log, timeScale = realTime } = deps;
  const counts = createCounts();
  const sender = createSender<DueContact>({
    clock,
    log,
    timeScale,
    slots: contactSlots,
    track,
    texts: {
      failed: 'notifications cannot be delivered; trying again',
      recovered: 'notifications are delivered again',
    },
    sending: {
      async due(taken, limit) {
        for (const contactNo of await editedContacts(db.kysely))
          await db.kysely.transaction().execute((trx) => releaseEdited(trx, contactNo, clock.nowUs()));
        return dueContacts(db.kysely, { nowUs: clock.nowUs(), taken, limit });
      },
      async claim({ contactNo }, slots) {
        const claimedMs = clock.monoMs();
        const claimed = await db.kysely
          .transaction()
          .execute((trx) => claim(trx, { contactNo, slots, nowUs: clock.nowUs() }, { ...deps, timeScale }));
        return claimed.map(
          (message) => (ending) => deliver(message, claimedMs, { ...deps, onRecorded: counts.add }, ending),
        );
      },
    },
  });
  return {
    async run(signal) {
      const listening = db.subscribe('notifications', sender.wake).catch(() => undefined);
      await sender.run(signal);
      void listening.then((heard) => heard?.[Symbol.asyncDispose]());
    },
    get running() {
      return sender.running;
    },
    get rounds() {
      return sender.rounds;
    },
    counts,
  };
}

/** Sends one claimed message and records the answer, also when the database is unreachable for a while. */
async function deliver(
  claimed: Claimed,
  claimedMs: number,
  deps: DeliveriesDeps & { readonly onRecorded: (type: string, state: Recorded['state']) => void },
  ending: AbortSignal,
): Promise<void> {
  const { db, clock, log, timeScale, onFailed, onRecorded, mayGiveUp = () => true } = deps;
  const leaseEndMs = claimedMs + leaseUs / 1000;
  // A process that was suspended since the claim must not send: another worker may have the notification by now.
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

/** Logs the start and the end of a problem. */
function logChange(log: Logger, claimed: Claimed, outcome: AttemptOutcome, recorded: Recorded): void {
  const { contact, id } = claimed;
  const fields = { contact_id: contact.contact_id, type: contact.type, answer: outcome.text };
  if (!recorded.isRecorded)
    log.warn(
      { notification_id: id },
      'the lease of a notification ended before its answer: another worker sends it',
    );
  if (recorded.change === 'failing') log.warn(fields, 'a contact cannot be reached; trying again');
  if (recorded.change === 'well') log.info(fields, 'a contact can be reached again');
  if (recorded.state === 'Failed')
    log.error({ notification_id: id, ...fields }, 'a notification failed for good');
}

/** Counts the outcomes of attempts. */
function createCounts() {
  const counts = { delivered: {}, failed: {}, again: {} } satisfies Record<string, Record<string, number>>;
  const increment = (byType: Record<string, number>, type: string) => {
    byType[type] = (byType[type] ?? 0) + 1;
  };
  return {
    ...counts,
    add: (type: string, state: Recorded['state']): void => {
      if (state === 'Delivered') increment(counts.delivered, type);
      else if (state === 'Failed') increment(counts.failed, type);
      else if (state === 'Pending') increment(counts.again, type);
    },
  };
}
