import { silenceMs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { Goodbye_Reason } from '@vantage/proto';

/** Why a session ends from our side, as the agent reads it. */
export interface GoodbyeNotice {
  readonly reason: Goodbye_Reason;
  readonly text: string;
}

/**
 * The stage of a session. `isCut`: the controller cuts the transport, because the agent no longer responds.
 */
type SessionStage =
  | { readonly kind: 'open' }
  /** The goodbye goes out after the answers that are due and the batch in work. */
  | { readonly kind: 'leaving'; readonly goodbye: GoodbyeNotice }
  | { readonly kind: 'ended'; readonly isCut: boolean };

/** The lists that a session sends to its agent. */
export type SessionList = 'plan' | 'runRequests';

/** One session, without its transport. Times are monotonic milliseconds. */
export interface SessionState {
  readonly stage: SessionStage;
  /** Lists that changed since they were last read. */
  readonly changed: Readonly<Record<SessionList, boolean>>;
  /** Since when the parts of the plan are being sent; undefined when they are not. */
  readonly planSinceMs: number | undefined;
  readonly planNotBeforeMs: number;
  /** After a failed read nothing is read before this time. */
  readonly retryAtMs: number;
}

export type SessionEvent =
  /** The controller says goodbye. */
  | { readonly kind: 'leave'; readonly goodbye: GoodbyeNotice }
  | { readonly kind: 'goodbyeSent' }
  /** The agent no longer responds: it is silent, does not read its answers, or did not accept the goodbye. */
  | { readonly kind: 'unresponsive' }
  /** The transport is gone. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'changed'; readonly list: SessionList }
  | { readonly kind: 'planBegan'; readonly nowMs: number }
  | { readonly kind: 'planSent'; readonly nowMs: number }
  | { readonly kind: 'runRequestsBegan' }
  | { readonly kind: 'readFailed'; readonly nowMs: number };

/** The next thing that a session sends. */
type SessionStep =
  | { readonly kind: 'answer' | 'plan' | 'runRequests' | 'end' }
  | { readonly kind: 'goodbye'; readonly goodbye: GoodbyeNotice }
  /** Nothing to send before the next event, or before `untilMs`. */
  | { readonly kind: 'wait'; readonly untilMs: number | undefined };

const planPauseMs = 200;
const maxPlanPauseMs = 10_000;
const retryMs = 1_000;

/** A session that was just opened: its agent has neither plan nor run requests yet. */
export const openedSession: SessionState = {
  stage: { kind: 'open' },
  changed: { plan: true, runRequests: true },
  planSinceMs: undefined,
  planNotBeforeMs: 0,
  retryAtMs: 0,
};

/*
 *   stage   | leave                   | goodbyeSent | unresponsive    | gone  | the other events
 *   open    | leaving                 | ended       | ended, and cut  | ended | open
 *   leaving | leaving (first goodbye) | ended       | ended, and cut  | ended | leaving
 *   ended   | ended                   | ended       | ended           | ended | ended
 */
/** The session after an event. Pure. */
export function afterEvent(state: SessionState, event: SessionEvent): SessionState {
  if (state.stage.kind === 'ended') return state;
  switch (event.kind) {
    case 'leave':
      return state.stage.kind === 'leaving'
        ? state
        : { ...state, stage: { kind: 'leaving', goodbye: event.goodbye } };
    case 'goodbyeSent':
    case 'gone':
      return { ...state, stage: { kind: 'ended', isCut: false } };
    case 'unresponsive':
      return { ...state, stage: { kind: 'ended', isCut: true } };
    case 'changed':
      return { ...state, changed: { ...state.changed, [event.list]: true } };
    case 'planBegan':
      return { ...state, changed: { ...state.changed, plan: false }, planSinceMs: event.nowMs };
    case 'planSent': {
      // A long list that changes often must not take all of the database: the pause is five times the time that the
      // list took.
      const tookMs = event.nowMs - (state.planSinceMs ?? event.nowMs);
      const pauseMs = Math.max(planPauseMs, Math.min(maxPlanPauseMs, 5 * tookMs));
      return { ...state, planSinceMs: undefined, planNotBeforeMs: event.nowMs + pauseMs };
    }
    case 'runRequestsBegan':
      return { ...state, changed: { ...state.changed, runRequests: false } };
    case 'readFailed':
      return {
        ...state,
        changed: { plan: true, runRequests: true },
        planSinceMs: undefined,
        retryAtMs: event.nowMs + retryMs,
      };
  }
}

/**
 * The next thing to send: answers first, also after the end; then the goodbye, once no batch is in work; then the plan,
 * part by part; then run requests. A session that leaves begins no list. Pure.
 */
export function nextStep(
  { stage, changed, planSinceMs, planNotBeforeMs, retryAtMs }: SessionState,
  facts: { readonly hasAnswer: boolean; readonly isBatchInWork: boolean; readonly nowMs: number },
): SessionStep {
  if (facts.hasAnswer) return { kind: 'answer' };
  if (stage.kind === 'ended') return { kind: 'end' };
  if (stage.kind === 'leaving' && !facts.isBatchInWork) return { kind: 'goodbye', goodbye: stage.goodbye };
  if (planSinceMs !== undefined) return { kind: 'plan' };
  if (stage.kind === 'leaving') return { kind: 'wait', untilMs: undefined };
  const planFromMs = Math.max(planNotBeforeMs, retryAtMs);
  if (changed.plan && facts.nowMs >= planFromMs) return { kind: 'plan' };
  if (changed.runRequests && facts.nowMs >= retryAtMs) return { kind: 'runRequests' };
  if (changed.runRequests) return { kind: 'wait', untilMs: retryAtMs };
  return { kind: 'wait', untilMs: changed.plan ? planFromMs : undefined };
}

/** Keeps the state of one session, with the timers that belong to it. */
export interface SessionDriver {
  readonly state: SessionState;
  /** Aborts when the session has ended. */
  readonly ended: AbortSignal;
  /** Applies an event and resolves `next`. */
  apply(event: SessionEvent): void;
  /** Resolves `next`, because a fact outside of the state changed. */
  wake(): void;
  /** The agent sent a message: its silence starts again. */
  noteContact(): void;
  /** Resolves at the next event or wake, at the latest at `untilMs` (monotonic). */
  next(untilMs: number | undefined): Promise<void>;
}

/** An agent has this long to read its goodbye. */
const goodbyeGraceMs = 1_500;

/** Creates the driver. `cut` ends the transport of an agent that no longer responds. */
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
