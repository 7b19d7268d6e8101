import { type Clock, createJobParts, createWaker, declareState, type Logger } from '@vantage/kernel';
import { realTime, shortestRoundMs, type TimeScale } from '../../../config/time-scale.ts';
import type { TakenSlots } from './due-receivers.ts';
import { type Due, fullNames, nameOfReceiver, type Slots, shareOut } from './slots.ts';

/** One attempt that was claimed. `ending` interrupts it. */
type ClaimedAttempt = (ending: AbortSignal) => Promise<void>;

/** The messages of one kind that a sender sends. */
export interface SenderSource<D extends Due> {
  /** Receivers with something that is due and not under way, in turns by account. */
  due(taken: TakenSlots, limit: number): Promise<readonly D[]>;
  /** Claims at most this number of attempts for a receiver; empty when another worker has the receiver. */
  claim(due: D, slots: number): Promise<readonly ClaimedAttempt[]>;
}

/** Sends what is due. Any number of controllers may run one. */
interface MessageSender {
  /** Claims and sends until the signal aborts; then running attempts get a short time to end. */
  run(signal: AbortSignal): Promise<void>;
  /** Starts the next round at once, because something may be due. */
  readonly wake: () => void;
  /** Attempts that run now. */
  readonly running: number;
  /** Rounds over the due receivers in which something could be claimed, or nothing was due. */
  readonly rounds: number;
}

/** The sender reads the due receivers at this interval when `wake` is not called. */
const pollMs = 1_000;
/** At the end, running attempts have this time to finish. */
const drainMs = 1_500;
/** An attempt that takes longer than this makes its receiver a slow one. */
const slowMs = 2_000;
/** Attempts that end together are answered by one round. */
const gatherMs = 20;
const receiversARound = 200;
/** The time limit of a round: a receiver that becomes due meanwhile waits for its end. */
const roundMs = 500;
const maxSlow = 4_096;
/**
 * A receiver whose rows cannot be claimed is paused, so that it hides no receiver that is due after it.
 * The pause is a second at first, because the database may have failed, and doubles each time.
 */
const pauses = { baseMs: 1_000, capMs: 60_000 };
const maxPaused = 4_096;

const trackedSlow = declareState({
  name: 'slow_receivers',
  entries: maxSlow,
  entryBytes: 200,
  filledBy: 'accounts',
  atBound: 'the one that was slow longest ago counts as quick',
});

const trackedPaused = declareState({
  name: 'receivers_that_rest',
  entries: maxPaused,
  entryBytes: 200,
  filledBy: 'damaged rows',
  atBound: 'the one that rests for longest is tried again',
});

/**
 * Creates a sender, the only mechanism that sends messages to contacts, events to hooks, and mails. Due messages are
 * leased in the database. They share the slots of this process in turns, so that no receiver, host or account uses up
 * the slots that others need. `texts` are log messages.
 */
export function createSender<D extends Due>({
  clock,
  log,
  timeScale = realTime,
  slots,
  sending,
  texts,
  track,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale | undefined;
  readonly slots: Slots;
  readonly sending: SenderSource<D>;
  readonly texts: { readonly failed: string; readonly recovered: string };
  /** Declares the attempts as state of the program. */
  readonly track: <C extends { readonly size: number }>(attempts: C) => C;
}): MessageSender {
  const running = track(new Set<RunningAttempt>());
  const slow = trackedSlow(new Set<string>());
  const paused = trackedPaused(new Map<string, { readonly failures: number; readonly untilMs: number }>());
  const parts = createJobParts({ log, ...texts });
  const interrupt = new AbortController();
  const waker = createWaker(clock);
  let rounds = 0;
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    waker.wake();
  };

  const isLong = ({ beganMs }: RunningAttempt) => clock.monoMs() - beganMs >= slowMs;
  const learn = (attempt: RunningAttempt) => {
    const { receiver } = attempt.due;
    slow.delete(receiver);
    if (!isLong(attempt)) return;
    slow.add(receiver);
    const [oldest] = slow;
    if (slow.size > maxSlow && oldest !== undefined) slow.delete(oldest);
  };
  const start = (due: D, claimed: ClaimedAttempt) => {
    const attempt: RunningAttempt = { due, beganMs: clock.monoMs(), done: Promise.resolve() };
    attempt.done = parts
      .attempt(due.receiver, () => claimed(interrupt.signal))
      .then(() => {
        running.delete(attempt);
        learn(attempt);
        wake();
      });
    running.add(attempt);
  };

  const pause = (receiver: string) => {
    const failures = (paused.get(receiver)?.failures ?? 0) + 1;
    const ms = Math.min(pauses.capMs, pauses.baseMs * 2 ** (failures - 1));
    paused.delete(receiver);
    paused.set(receiver, { failures, untilMs: clock.monoMs() + ms });
    const [oldest] = paused.keys();
    if (paused.size > maxPaused && oldest !== undefined) paused.delete(oldest);
    // Other receivers may be due after it.
    isWoken = true;
  };

  const round = async (signal: AbortSignal): Promise<void> => {
    const attempts = [...running];
    for (const attempt of attempts) if (isLong(attempt)) learn(attempt);
    const current = attempts.map((attempt) => ({
      ...attempt.due,
      isSlow: attempt.due.isSlow || isLong(attempt),
    }));
    const nowMs = clock.monoMs();
    const out = [...paused].flatMap(([receiver, { untilMs }]) => (untilMs > nowMs ? [receiver] : []));
    const taken = { full: [...fullNames(current, slots), ...out.map(nameOfReceiver)], slow: [...slow] };
    const shares = shareOut(await sending.due(taken, receiversARound), current, slots);
    const untilMs = clock.monoMs() + roundMs;
    let begun = 0;
    for (const { due, slots: granted } of shares) {
      if (signal.aborted) return;
      if (clock.monoMs() >= untilMs) {
        isWoken = true;
        break;
      }
      const isClaimed = await parts.attempt(`claims of ${due.receiver}`, async () => {
        for (const attempt of await sending.claim(due, granted)) start(due, attempt);
      });
      if (!isClaimed) pause(due.receiver);
      else {
        paused.delete(due.receiver);
        begun += 1;
      }
    }
    // The damaged rows of one receiver do not stop the others.
    if ((shares.length === 0 && out.length === 0) || begun > 0) rounds += 1;
  };

  return {
    async run(signal) {
      while (!signal.aborted) {
        isWoken = false;
        await parts.attempt('round', () => round(signal));
        if (!isWoken) await waker.wait(timeScale(pollMs, shortestRoundMs), signal);
        await clock.sleep(gatherMs, signal).catch(() => {});
      }
      const ended = Promise.allSettled([...running].map(({ done }) => done));
      using _timer = clock.timer(drainMs, () => interrupt.abort(new Error('the controller stops')));
      await ended;
    },
    wake,
    get running() {
      return running.size;
    },
    get rounds() {
      return rounds;
    },
  };
}

interface RunningAttempt {
  readonly due: Due;
  readonly beganMs: number;
  done: Promise<void>;
}
