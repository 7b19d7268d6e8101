import { type Clock, declareState, type Logger, newId } from '@vantage/kernel';
import type { TimeScale } from '../../../platform/config/time-scale.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Sealer } from '../../../platform/secrets/seal.ts';
import { openContact } from '../../../platform/secrets/sealed-contact.ts';
import { createAccountsBehind } from '../accounts-behind.ts';
import { withinTime } from '../attempt.ts';
import type { Channel } from '../channels/channel.ts';
import { leaseUs } from '../claim.ts';
import type { EventSource, ReadEvent } from '../followers.ts';
import { afterAttempt, type Outcome, type RetryTimes, retryTimes } from '../notification-state.ts';
import type { Places } from '../sending/places.ts';
import { createSender } from '../sending/sender.ts';
import {
  accountsBehind,
  accountsWithHooks,
  type ClaimedHook,
  type DueHook,
  dueHooks,
  leaseHook,
  oldEvents,
  recordProgress,
} from './hook-store.ts';

/** Dependencies of the deliveries to hooks. */
export interface HookDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Sealer;
  readonly timeScale?: TimeScale;
  /** The channel of webhooks. */
  readonly channel: Channel;
  readonly events: EventSource;
  /** False while the controller's clock may be wrong: nothing is given up for its age then. */
  readonly mayGiveUp: () => boolean;
}

/** Events that leave at once while the receiver accepts them; one while it does not. */
const atOnceOfHook = 8;
/** Numbers looked through by one query: other accounts' events lie between. */
const rangeNos = 20_000;

/** Hooks that are served at once by this process. */
export const hookPlaces: Places = {
  all: { total: 128, account: 32, host: 64, receiver: 1 },
  slow: { total: 64, account: 16, host: 32, receiver: 1 },
  failing: { total: 32, account: 8, host: 16, receiver: 1 },
};

const track = declareState({
  name: 'hook_deliveries',
  entries: hookPlaces.all.total,
  entryBytes: 131_072,
  filledBy: 'accounts',
  atBound: 'others wait in the database',
});

/** Delivers events to hooks until the signal aborts. Any number of controllers may run it. */
export async function runHooks(deps: HookDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, timeScale } = deps;
  using behind = createAccountsBehind({
    clock,
    events: deps.events,
    readAccounts: () => accountsWithHooks(db.kysely),
    stillBehind: (seen) => accountsBehind(db.kysely, seen),
  });
  let upToNo = 0;
  const sender = createSender<DueHook>({
    clock,
    log,
    timeScale,
    places: hookPlaces,
    track,
    texts: {
      failed: 'events cannot be delivered to hooks; trying again',
      recovered: 'events are delivered to hooks again',
    },
    sending: {
      async due(taken, limit) {
        const seen = await behind.look();
        if (seen === undefined) return [];
        ({ upToNo } = seen);
        const due = await dueHooks(db.kysely, { ...seen, nowUs: clock.nowUs(), taken, limit });
        await behind.forgetDone(seen);
        return due;
      },
      async claim({ hookNo }) {
        const token = newId();
        const hook = await leaseHook(db.kysely, { hookNo, upToNo, nowUs: clock.nowUs(), leaseUs, token });
        const lease = { token, upToNo };
        return hook === undefined ? [] : [(ending) => serveHook(deps, hook, lease, ending)];
      },
    },
  });
  await sender.run(signal);
}

/** Sends the next events of a hook and records how it went. */
async function serveHook(
  deps: HookDeps,
  hook: ClaimedHook,
  { token, upToNo }: { readonly token: string; readonly upToNo: number },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = deps;
  const beganUs = clock.nowUs();
  const { events, readToNo } = await nextEvents(deps, hook, upToNo);
  const results = await Promise.all(
    events.map(async (event) => ({ no: event.no, outcome: await send(deps, hook, event, signal) })),
  );
  const place = {
    afterNo: hook.after_no,
    attempts: hook.attempts,
    firstAttemptUs: hook.first_attempt_us,
    failingSinceUs: hook.failing_since_us,
  };
  const nowUs = clock.nowUs();
  const times = retryTimes(deps.timeScale, deps.mayGiveUp());
  const next = afterRound(place, { results, readToNo, beganUs, nowUs }, times);
  const old = next.isGivenUp
    ? await oldEvents(db.kysely, hook, {
        afterNo: next.afterNo,
        untilUs: Math.round(nowUs - Math.min(times.giveUpUs, nowUs)),
      })
    : undefined;
  const isRecorded = await recordProgress(
    db.kysely,
    { hookNo: hook.hook_no, token },
    {
      after_no: old?.lastNo ?? next.afterNo,
      attempts: next.attempts,
      first_attempt_us: next.firstAttemptUs,
      due_us: next.dueUs,
      failing_since_us: next.failingSinceUs,
      last_answer: next.answer,
      delivered_us: next.isDelivered ? nowUs : undefined,
      givenUp: (next.isGivenUp ? 1 : 0) + (old?.count ?? 0),
    },
  );
  if (!isRecorded) return;
  const about = { hook_id: hook.hook_id, answer: next.answer };
  if (hook.failing_since_us === null && next.failingSinceUs !== null)
    log.warn(about, 'a hook does not accept events; trying again');
  if (hook.failing_since_us !== null && next.failingSinceUs === null)
    log.info(about, 'a hook accepts events again');
  if (next.isGivenUp) log.error(about, 'a hook did not get events: they are given up');
}

/** The next events of a hook; there is no other one for it up to `readToNo`. */
async function nextEvents({ events: source }: HookDeps, hook: ClaimedHook, upToNo: number) {
  const limit = hook.failing_since_us === null ? atOnceOfHook : 1;
  let at = hook.after_no;
  while (at < upToNo) {
    const end = Math.min(upToNo, at + rangeNos);
    const events = await source.read({
      accountNo: hook.account_no,
      timezone: hook.timezone,
      afterNo: at,
      upToNo: end,
      limit,
      types: hook.types ?? undefined,
      tagNos: hook.tag_no === null ? undefined : [hook.tag_no],
    });
    if (events.length > 0)
      return { events, readToNo: events.length < limit ? end : (events.at(-1)?.no ?? end) };
    at = end;
  }
  return { events: [], readToNo: Math.max(at, hook.after_no) };
}

/** One attempt to deliver an event. */
async function send(
  { clock, sealer, channel }: HookDeps,
  hook: ClaimedHook,
  { id, type, timestamp, record }: ReadEvent,
  ending: AbortSignal,
): Promise<Outcome> {
  const body = JSON.stringify({ type: `event.${type}`, timestamp, data: record });
  return withinTime(clock, ending, async (signal, nowUs) => {
    const to = { name: hook.name, ...openContact(sealer, hook.hook_id, hook.sealed) };
    return channel.send({ id, message: { body }, to, nowUs }, signal);
  });
}

/** The place of a hook in the events of its account. Times are microseconds since 1970. */
export interface HookPlace {
  /** The last event that needs no further attempt. */
  readonly afterNo: number;
  /** Attempts of the event after it, and when the first one began. */
  readonly attempts: number;
  readonly firstAttemptUs: number | null;
  readonly failingSinceUs: number | null;
}

/** The events of one round, all sent at once: each with its outcome, in their order. */
interface Round {
  readonly results: readonly { readonly no: number; readonly outcome: Outcome }[];
  /** Up to this number there is no event for the hook besides those in `results`. */
  readonly readToNo: number;
  readonly beganUs: number;
  readonly nowUs: number;
}

/** The place after a round. */
interface AfterRound extends HookPlace {
  readonly dueUs: number;
  readonly isDelivered: boolean;
  /** Whether the event at the head was given up. */
  readonly isGivenUp: boolean;
  /** Of the last attempt that counts; undefined: there was none. */
  readonly answer: string | undefined;
}

/**
 * The moves of a hook. Events are delivered in their order, several at once while the receiver accepts them; so an
 * event that was accepted after one that was not comes again.
 *
 * | results | next place | due |
 * |---|---|---|
 * | none | `readToNo` | at once |
 * | all accepted | `readToNo` | at once |
 * | the first k accepted, the next one not | that one is at the head, with one attempt (k = 0: one more) | after its wait |
 * | the head was refused for good, or is older than `giveUpUs` | after the head | after the first wait |
 * | interrupted | the interrupted one is at the head, its attempts as before | at once |
 *
 * Pure.
 */
export function afterRound(place: HookPlace, round: Round, times: RetryTimes): AfterRound {
  const { results, readToNo, beganUs, nowUs } = round;
  const failed = results.findIndex(({ outcome }) => outcome.kind !== 'delivered');
  const head = results[failed];
  const accepted = head === undefined ? results : results.slice(0, failed);
  const isDelivered = accepted.length > 0;
  const answer = (head ?? accepted.at(-1))?.outcome.text;
  if (head === undefined)
    return {
      afterNo: readToNo,
      attempts: 0,
      firstAttemptUs: null,
      dueUs: nowUs,
      isDelivered,
      failingSinceUs: isDelivered ? null : place.failingSinceUs,
      isGivenUp: false,
      answer,
    };
  const before = isDelivered
    ? {
        afterNo: accepted.at(-1)?.no ?? place.afterNo,
        attempts: 0,
        firstAttemptUs: null,
        failingSinceUs: null,
      }
    : place;
  if (head.outcome.kind === 'interrupted')
    return { ...before, dueUs: nowUs, isDelivered, isGivenUp: false, answer: undefined };
  const attempts = before.attempts + 1;
  const firstAttemptUs = before.firstAttemptUs ?? beganUs;
  const failingSinceUs = before.failingSinceUs ?? beganUs;
  const next = afterAttempt({ attempts, firstAttemptUs, nowUs }, head.outcome, times);
  if (next.state === 'Pending')
    return {
      afterNo: before.afterNo,
      attempts,
      firstAttemptUs,
      failingSinceUs,
      dueUs: next.dueUs,
      isDelivered,
      isGivenUp: false,
      answer,
    };
  return {
    afterNo: head.no,
    attempts: 0,
    firstAttemptUs: null,
    failingSinceUs,
    dueUs: Math.round(nowUs + (times.waitsUs[0] ?? 0)),
    isDelivered,
    isGivenUp: true,
    answer,
  };
}
