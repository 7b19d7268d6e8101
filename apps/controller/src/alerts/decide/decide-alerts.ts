import { hourMs } from '@vantage/domain';
import { type Clock, createJobParts, createWaker, declareState, type Logger } from '@vantage/kernel';
import { bisectBatch, type Database, quarantine } from '@vantage/storage';
import { realTime, shortestRoundMs, type TimeScale } from '../../config/time-scale.ts';
import type { OnAlertingEvents, RecordEvents } from '../../results/events/record-events.ts';
import type { Enqueue } from '../deliver/enqueue.ts';
import type { Withdraw, WithdrawEnds } from '../deliver/withdraw.ts';
import { touchRequested } from './change-store.ts';
import { decideDue } from './decide-due.ts';
import { dueAlertNos, postpone, touchOrphans } from './due-store.ts';
import { decideContacts } from './failing-contacts.ts';
import { decideInstallation } from './installation-alerts.ts';
import { createOnEvents } from './on-events.ts';
import { createOnFailed } from './on-failed.ts';
import type { CreateRunRequests } from './request-check.ts';
import { createAlertTimes } from './stored-alert-facts.ts';
import { createZoneReport } from './unknown-zones.ts';

/** The step that decides who is notified of what. */
export interface Alerts {
  /** Opens and ends alerts in the transaction of the events that cause it. */
  readonly onEvents: OnAlertingEvents;
  /** Records a notification that cannot be delivered, and lets other contacts of its schedule get it. */
  readonly onFailed: ReturnType<typeof createOnFailed>;
  /** Decides alerts that are due until the signal aborts. Any number of controllers may run it. */
  run(signal: AbortSignal): Promise<void>;
}

/** Notifications of the database may be lost, so the loop also polls. */
const everyMs = 1_000;
/** One round handles the database's notifications that arrive within this time. */
const gatherMs = 50;
/** The interval of the search for contacts that fail or recovered, and for problems of the installation. */
const contactsEveryMs = 5_000;
/** The interval of the search for unknown time zones. */
const zonesEveryMs = hourMs;
const atOnce = 100;
/** Alerts between two rests of the loop. */
const maxSeen = 10_000;
/** An alert whose decision failed is decided again after this time, microseconds. */
const restUs = 600_000_000;
const job = 'alerts';

const tracked = declareState({
  name: 'seen_alerts',
  entries: maxSeen + atOnce,
  entryBytes: 50,
  filledBy: 'alerts',
  atBound: 'the loop rests, then looks at all again',
});

/** Creates the step. `recordEvents` records events without calling `onEvents`. */
export function createAlerts({
  db,
  clock,
  log,
  recordEvents,
  enqueue,
  withdraw,
  withdrawEnds,
  createRunRequests,
  timeScale = realTime,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly enqueue: Enqueue;
  readonly withdraw: Withdraw;
  readonly withdrawEnds: WithdrawEnds;
  readonly createRunRequests: CreateRunRequests;
  readonly timeScale?: TimeScale;
}): Alerts {
  const times = createAlertTimes(timeScale);
  const deps = { times, log, recordEvents, enqueue, withdraw, createRunRequests };
  const parts = createJobParts({
    log,
    failed: 'alerts cannot be decided; trying again',
    recovered: 'alerts are decided again',
  });
  const zones = createZoneReport(log);
  const waker = createWaker(clock);
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    waker.wake();
  };

  /** Alerts that were claimed, or that another worker had locked, since the loop rested last. */
  const seen = tracked(new Set<number>());
  /** Returns whether more alerts may be due. */
  const round = async (): Promise<boolean> => {
    const nowUs = clock.nowUs();
    const due = await dueAlertNos(db.kysely, nowUs, { limit: atOnce, except: [...seen] });
    for (const alertNo of due) seen.add(alertNo);
    const refused = await bisectBatch(due, (some) =>
      db.kysely.transaction().execute((trx) => decideDue(trx, some, nowUs, deps)),
    );
    await postpone(
      db.kysely,
      refused.map(({ item }) => item),
      nowUs + restUs,
    );
    const named = refused.map(({ item, error }) => ({ item: `alert ${item}`, error }));
    await quarantine(db.kysely, named, { job, nowUs, log });
    return due.length === atOnce && seen.size < maxSeen;
  };

  const rest = async (signal: AbortSignal) => {
    if (!isWoken) await waker.wait(timeScale(everyMs, shortestRoundMs), signal);
    if (isWoken) await clock.sleep(gatherMs, signal).catch(() => {});
  };

  return {
    onEvents: createOnEvents({ recordEvents, withdrawEnds, flappingWindowUs: times.quietUs }),
    onFailed: createOnFailed({ log, recordEvents, enqueue }),
    async run(signal) {
      await using _events = await db.subscribe('events', wake);
      await using _answers = await db.subscribe('answer', (notice) => {
        const answered = async () => {
          if (notice !== undefined) await touchRequested(db.kysely, notice.run_request_id, clock.nowUs());
        };
        void parts.attempt('answers', answered).then(wake);
      });
      let isChanged = true;
      let contactsFromMs = Number.NEGATIVE_INFINITY;
      let orphansFromMs = Number.NEGATIVE_INFINITY;
      let zonesFromMs = Number.NEGATIVE_INFINITY;
      await using _catalog = await db.subscribe('catalog', () => {
        isChanged = true;
      });
      while (!signal.aborted) {
        isWoken = false;
        if (isChanged && clock.monoMs() >= orphansFromMs) {
          isChanged = false;
          orphansFromMs = clock.monoMs() + timeScale(everyMs, shortestRoundMs);
          await parts.attempt('deleted devices and Locations', () => touchOrphans(db.kysely, clock.nowUs()));
        }
        if (clock.monoMs() >= contactsFromMs) {
          contactsFromMs = clock.monoMs() + timeScale(contactsEveryMs, shortestRoundMs);
          await parts.attempt('contacts', () =>
            db.kysely
              .transaction()
              .execute((trx) => decideContacts(trx, { afterUs: times.failingUs, nowUs: clock.nowUs() })),
          );
          await parts.attempt('installation', () =>
            db.kysely.transaction().execute((trx) => decideInstallation(trx, clock.nowUs())),
          );
        }
        if (clock.monoMs() >= zonesFromMs) {
          zonesFromMs = clock.monoMs() + zonesEveryMs;
          await parts.attempt('time zones', () => zones.report(db.kysely));
        }
        let isMore = false;
        await parts.attempt(job, async () => {
          isMore = await round();
        });
        if (isMore) continue;
        seen.clear();
        await rest(signal);
      }
    },
  };
}
