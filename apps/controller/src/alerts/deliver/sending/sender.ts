import { type Clock, createJobParts, createWaker, declareState, type Logger } from '@vantage/kernel';
import { realTime, shortestRoundMs, type TimeScale } from '../../../platform/config/time-scale.ts';
import { type Due, fullNames, nameOfReceiver, type Places, shareOut, type Taken } from './places.ts';

/** One attempt that was claimed. `ending` interrupts it. */
type Attempting = (ending: AbortSignal) => Promise<void>;

/** The messages of one kind that a sender sends. */
export interface Sending<D extends Due> {
  /** Receivers with something that is due and not under way, in turns by account. */
  due(taken: Taken, limit: number): Promise<readonly D[]>;
  /** Claims at most this number of attempts for a receiver; empty when another worker has the receiver. */
  claim(due: D, places: number): Promise<readonly Attempting[]>;
}

/** Sends what is due. Any number of controllers may run one. */
interface Sender {
  /** Claims and sends until the signal aborts; then attempts in mid-air get a moment to end. */
  run(signal: AbortSignal): Promise<void>;
  /** Something may be due: the next round begins at once. */
  readonly wake: () => void;
  /** Attempts that run now. */
  readonly running: number;
  /** Rounds over the due receivers in which something could be claimed, or nothing was due. */
  readonly rounds: number;
}

/** The sender reads the due receivers at this interval when `wake` is not called. */
const pollMs = 1_000;
/** At the end, attempts have this time to finish by themselves. */
const drainMs = 1_500;
/** An attempt that takes longer than this makes its receiver a slow one. */
const slowMs = 2_000;
/** Attempts that end together are answered by one round. */
const gatherMs = 20;
const receiversARound = 200;
/** The longest round: a receiver that becomes due meanwhile waits for its end. */
const roundMs = 500;
const maxSlow = 4_096;
/**
 * A receiver whose rows cannot be claimed is left out for a while, so that it hides no receiver that is due after it.
 * The pause is a second at first, because the database may have failed, and doubles each time.
 */
const rests = { baseMs: 1_000, capMs: 60_000 };
const maxResting = 4_096;

const trackedSlow = declareState({
  name: 'slow_receivers',
  entries: maxSlow,
  entryBytes: 200,
  filledBy: 'accounts',
  atBound: 'the one that was slow longest ago counts as quick',
});

const trackedResting = declareState({
  name: 'receivers_that_rest',
  entries: maxResting,
  entryBytes: 200,
  filledBy: 'damaged rows',
  atBound: 'the one that rests for longest is tried again',
});

/**
 * Creates a sender: the one mechanism that sends messages to contacts, events to hooks, and mails. Due messages are
 * leased in the database. They use the places of this process in turns, so that no receiver, host or account uses up
 * the places that others need. `texts` are the lines of the log.
 */
export function createSender<D extends Due>({
  clock,
  log,
  timeScale = realTime,
  places,
  sending,
  texts,
  track,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale | undefined;
  readonly places: Places;
  readonly sending: Sending<D>;
  readonly texts: { readonly failed: string; readonly recovered: string };
  /** Declares the attempts as a state of the program. */
  readonly track: <C extends { readonly size: number }>(attempts: C) => C;
}): Sender {
  const running = track(new Set<Running>());
  const slow = trackedSlow(new Set<string>());
  const resting = trackedResting(new Map<string, { readonly failures: number; readonly untilMs: number }>());
  const parts = createJobParts({ log, ...texts });
  const interrupt = new AbortController();
  const waker = createWaker(clock);
  let rounds = 0;
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    waker.wake();
  };

  const isLong = ({ beganMs }: Running) => clock.monoMs() - beganMs >= slowMs;
  const learn = (attempt: Running) => {
    const { receiver } = attempt.due;
    slow.delete(receiver);
    if (!isLong(attempt)) return;
    slow.add(receiver);
    const [oldest] = slow;
    if (slow.size > maxSlow && oldest !== undefined) slow.delete(oldest);
  };
  const start = (due: D, attempting: Attempting) => {
    const attempt: Running = { due, beganMs: clock.monoMs(), done: Promise.resolve() };
    attempt.done = parts
      .attempt(due.receiver, () => attempting(interrupt.signal))
      .then(() => {
        running.delete(attempt);
        learn(attempt);
        wake();
      });
    running.add(attempt);
  };

  const rest = (receiver: string) => {
    const failures = (resting.get(receiver)?.failures ?? 0) + 1;
    const ms = Math.min(rests.capMs, rests.baseMs * 2 ** (failures - 1));
    resting.delete(receiver);
    resting.set(receiver, { failures, untilMs: clock.monoMs() + ms });
    const [oldest] = resting.keys();
    if (resting.size > maxResting && oldest !== undefined) resting.delete(oldest);
    // Others may be due after it.
    isWoken = true;
  };

  const round = async (signal: AbortSignal): Promise<void> => {
    const attempts = [...running];
    for (const attempt of attempts) if (isLong(attempt)) learn(attempt);
    const current = attempts.map((one) => ({ ...one.due, isSlow: one.due.isSlow || isLong(one) }));
    const nowMs = clock.monoMs();
    const out = [...resting].flatMap(([receiver, { untilMs }]) => (untilMs > nowMs ? [receiver] : []));
    const taken = { full: [...fullNames(current, places), ...out.map(nameOfReceiver)], slow: [...slow] };
    const shares = shareOut(await sending.due(taken, receiversARound), current, places);
    const untilMs = clock.monoMs() + roundMs;
    let begun = 0;
    for (const { due, places: given } of shares) {
      if (signal.aborted) return;
      if (clock.monoMs() >= untilMs) {
        isWoken = true;
        break;
      }
      const isClaimed = await parts.attempt(`claims of ${due.receiver}`, async () => {
        for (const one of await sending.claim(due, given)) start(due, one);
      });
      if (!isClaimed) rest(due.receiver);
      else {
        resting.delete(due.receiver);
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

interface Running {
  readonly due: Due;
  readonly beganMs: number;
  done: Promise<void>;
}
