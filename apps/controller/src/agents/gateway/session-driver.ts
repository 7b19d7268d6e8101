import { silenceMs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { afterEvent, openedSession, type SessionEvent, type SessionState } from './session-state.ts';

/** Keeps the state of one session, with the timers that belong to it. */
export interface SessionDriver {
  readonly state: SessionState;
  /** Aborts when the session has ended. */
  readonly ended: AbortSignal;
  /** Applies an event and resolves `next`. */
  apply(event: SessionEvent): void;
  /** Resolves `next`, because a fact outside of the state changed. */
  wake(): void;
  /** A message of the agent came: its silence begins anew. */
  noteContact(): void;
  /** Resolves at the next event or wake, at the latest at `untilMs` (monotonic). */
  next(untilMs: number | undefined): Promise<void>;
}

/** How long an agent may take to read its goodbye. */
const goodbyeGraceMs = 1_500;

/** Creates the driver. `cut` breaks the transport of an agent that does not take part any more. */
export function createSessionDriver({
  clock,
  cut,
  onSilent,
}: {
  readonly clock: Clock;
  readonly cut: () => void;
  /** The agent is silent for 25 s; the session ends and is cut. */
  readonly onSilent: () => void;
}): SessionDriver {
  const ending = new AbortController();
  let state = openedSession;
  let wake = () => {};
  let grace: Disposable | undefined;
  const fallSilent = () => {
    onSilent();
    apply({ kind: 'unresponsive' });
  };
  let silence = clock.timer(silenceMs, fallSilent);

  function apply(event: SessionEvent): void {
    const before = state.stage.kind;
    state = afterEvent(state, event);
    if (state.stage.kind !== before) enterStage();
    wake();
  }

  function enterStage(): void {
    if (state.stage.kind === 'leaving')
      grace = clock.timer(goodbyeGraceMs, () => apply({ kind: 'unresponsive' }));
    if (state.stage.kind !== 'ended') return;
    silence[Symbol.dispose]();
    grace?.[Symbol.dispose]();
    ending.abort();
    if (state.stage.isCut) cut();
  }

  return {
    get state() {
      return state;
    },
    ended: ending.signal,
    apply,
    wake: () => wake(),
    noteContact() {
      silence[Symbol.dispose]();
      if (!ending.signal.aborted) silence = clock.timer(silenceMs, fallSilent);
    },
    async next(untilMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      using _timer =
        untilMs === undefined ? undefined : clock.timer(Math.max(1, untilMs - clock.monoMs()), resolve);
      await promise;
    },
  };
}
