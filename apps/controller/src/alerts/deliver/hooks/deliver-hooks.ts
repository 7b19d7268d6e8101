import { type Clock, declareState, type Logger, newId } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { openContact } from '@vantage/storage/secrets/sealed-contact';
import type { TimeScale } from '../../../config/time-scale.ts';
import type { Channel } from '../../channels/channel.ts';
import type { EventSource, ReadEvent } from '../account-events.ts';
import { createAccountsBehind } from '../accounts-behind.ts';
import { withinTime } from '../attempt.ts';
import { type AttemptOutcome, retryTimes } from '../notification-state.ts';
import { createSender } from '../sending/sender.ts';
import type { Slots } from '../sending/slots.ts';
import { afterRound } from './after-round.ts';
import {
  accountsBehind,
  accountsWithHooks,
  type ClaimedHook,
  type DueHook,
  dueHooks,
  leaseHook,
  oldEvents,
  recordProgress,
} from './hook-progress-store.ts';

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

/** Events that are sent at the same time while the receiver accepts them; otherwise it gets single events. */
const atOnceOfHook = 8;
/** Numbers that one query scans: most of them are events of other accounts. */
const rangeNos = 20_000;

/** Hooks that this process serves at the same time. */
export const hookSlots: Slots = {
  all: { total: 128, account: 32, host: 64, receiver: 1 },
  slow: { total: 64, account: 16, host: 32, receiver: 1 },
  failing: { total: 32, account: 8, host: 16, receiver: 1 },
};

const track = declareState({
  name: 'hook_deliveries',
  entries: hookSlots.all.total,
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
    slots: hookSlots,
    track,
    texts: {
      failed: 'events cannot be delivered to hooks; trying again',
      recovered: 'events are delivered to hooks again',
    },
    sending: {
      async due(taken, limit) {
        const seen = await behind.read();
        if (seen === undefined) return [];
        ({ upToNo } = seen);
        const due = await dueHooks(db.kysely, { ...seen, nowUs: clock.nowUs(), taken, limit });
        await behind.forgetDone(seen);
        return due;
      },
      async claim({ hookNo }) {
        const token = newId();
        const hook = await leaseHook(db.kysely, { hookNo, upToNo, nowUs: clock.nowUs(), token });
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
  const position = {
    afterNo: hook.after_no,
    attempts: hook.attempts,
    firstAttemptUs: hook.first_attempt_us,
    failingSinceUs: hook.failing_since_us,
  };
  const nowUs = clock.nowUs();
  const times = retryTimes(deps.timeScale, deps.mayGiveUp());
  const next = afterRound(position, { results, readToNo, beganUs, nowUs }, times);
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
  const fields = { hook_id: hook.hook_id, answer: next.answer };
  if (hook.failing_since_us === null && next.failingSinceUs !== null)
    log.warn(fields, 'a hook does not accept events; trying again');
  if (hook.failing_since_us !== null && next.failingSinceUs === null)
    log.info(fields, 'a hook accepts events again');
  if (next.isGivenUp) log.error(fields, 'a hook did not get events: they are given up');
}

/** The next events of a hook. It has no others up to `readToNo`. */
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
): Promise<AttemptOutcome> {
  const body = JSON.stringify({ type: `event.${type}`, timestamp, data: record });
  return withinTime(clock, ending, async (signal, nowUs) => {
    const to = { name: hook.name, ...openContact(sealer, hook.hook_id, hook.sealed) };
    return channel.send({ id, message: { body }, to, nowUs }, signal);
  });
}
