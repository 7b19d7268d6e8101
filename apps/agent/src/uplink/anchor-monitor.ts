import type { Clock } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Anchor } from '@vantage/proto';
import { createAnchorErrors, type MonitoredAnchor } from './anchor-errors.ts';
import { type AnchorCheck, type AnchorState, afterRound, newAnchorState } from './anchor-state.ts';
import { createDecidingAnchors } from './deciding-anchors.ts';
import type { OwnNetworks } from './own-networks.ts';

/**
 * Decides by the anchors of the Location whether an error says something about the device.
 *
 * The agent checks its anchors every 10 s. It postpones the error of a device behind an anchor until the anchor was
 * checked again. If the anchor answers, the error stands. If it is silent, or was silent in its last check before, the
 * error becomes code 10. No retry starts then, and no device becomes Down because of a fault on the route.
 */
export interface Anchors {
  /** Sets the anchors, near to far. An anchor with the same Target keeps its state. */
  set(anchors: readonly Anchor[]): void;
  /**
   * Judges an error of a check that began at `begunMs` (monotonic; default: now). Undefined, at once or as the result:
   * the anchors say nothing about it, so the rule of the uplink decides. Otherwise the measurement to write: unchanged,
   * or with code 10.
   */
  readonly judge: (
    deviceNo: number,
    measurement: Measurement,
    begunMs?: number,
  ) => Promise<Measurement | undefined> | undefined;
  /** Forgets devices that are no longer assigned. */
  prune(isAssigned: (deviceNo: number) => boolean): void;
  /** The reported state of each anchor, near to far. */
  readonly states: readonly (AnchorState & { readonly target: string })[];
  /** The oldest error that waits, monotonic milliseconds. */
  readonly unconfirmedFromMs: number | undefined;
  /** Checks no more anchors. */
  stop(): void;
}

/** Minimum time between two rounds when an error waits or an anchor is silent. */
const minRoundMs = 1000;

/** Creates the monitor. `everyMs`: time between two rounds while all anchors answer and no error waits. */
export function createAnchors(deps: {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly ownNetworks: () => OwnNetworks;
  /** The corrected clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly check: (anchor: Anchor, signal: AbortSignal) => Promise<Omit<AnchorCheck, 'startMs'>>;
  /** The state of an anchor changed. */
  readonly onChange: () => void;
  /** An anchor answers again. `deviceNos`: devices whose errors became code 10 in the meantime. */
  readonly onAnswersAgain: (deviceNos: readonly number[]) => void;
  /** An unexpected error. The round counts as not run. */
  readonly onError: (error: unknown) => void;
}): Anchors {
  const { clock, everyMs, ownNetworks, nowMs, check, onChange, onAnswersAgain, onError } = deps;
  let monitored: readonly MonitoredAnchor[] = [];
  const errors = createAnchorErrors(() => monitored);
  let decidingAnchors = createDecidingAnchors([]);
  let timer: Disposable | undefined;
  let isRunning = false;
  const ending = new AbortController();
  let beganMs = Number.NEGATIVE_INFINITY;

  const checkAnchor = async (at: MonitoredAnchor, index: number, startMs: number) => {
    const { answer, text } = await check(at.anchor, ending.signal);
    if (monitored[index] !== at || ending.signal.aborted) return { answer, text };
    if (answer === 'answered' && at.last === 'silent') at.answersFromMs = startMs;
    at.last = answer;
    errors.checked(index, answer, startMs);
    if (answer === 'answered' && at.missed.size > 0) {
      onAnswersAgain([...at.missed]);
      at.missed.clear();
    }
    return { answer, text };
  };
  const round = async () => {
    const [checked, startMs, startedMs] = [monitored, clock.monoMs(), nowMs()];
    isRunning = true;
    beganMs = startMs;
    const checks = await Promise.all(checked.map((at, index) => checkAnchor(at, index, startMs))).finally(
      () => {
        isRunning = false;
      },
    );
    if (checked === monitored && !ending.signal.aborted)
      conclude(checks.map((check) => ({ ...check, startMs: startedMs })));
  };
  const conclude = (checks: readonly AnchorCheck[]) => {
    const next = afterRound(
      monitored.map(({ state }) => state),
      checks,
    );
    let hasChanged = false;
    for (const [index, at] of monitored.entries()) {
      const state = next[index] ?? at.state;
      hasChanged ||= state.kind !== at.state.kind;
      at.state = state;
    }
    if (hasChanged) onChange();
  };
  const schedule = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (isRunning || ending.signal.aborted || monitored.length === 0) return;
    const isUnsettled = ({ last, state }: MonitoredAnchor) =>
      last === undefined || last === 'silent' || state.contradictions > 0;
    const isUrgent = errors.oldestMs !== undefined || monitored.some(isUnsettled);
    const dueMs = beganMs + (isUrgent ? minRoundMs : everyMs);
    timer = clock.timer(Math.max(0, dueMs - clock.monoMs()), () => {
      round().catch(onError).finally(schedule);
    });
  };

  return {
    set(anchors) {
      const known = new Map(monitored.map((at) => [at.anchor.target, at]));
      monitored = anchors.map((anchor) => {
        const before = known.get(anchor.target);
        if (before !== undefined) return { ...before, anchor };
        const answersFromMs = Number.NEGATIVE_INFINITY;
        return { anchor, state: newAnchorState(nowMs()), last: undefined, answersFromMs, missed: new Set() };
      });
      decidingAnchors = createDecidingAnchors(anchors);
      errors.releaseAll();
      schedule();
    },
    judge(deviceNo, measurement, begunMs = clock.monoMs()) {
      const addresses = measurement.peers.map(({ address }) => address);
      const open = decidingAnchors(addresses, ownNetworks());
      if (open.length === 0) return undefined;
      const judging = errors.postpone({ deviceNo, measurement, begunMs, endMs: clock.monoMs(), open });
      schedule();
      return judging;
    },
    prune(isAssigned) {
      for (const { missed } of monitored)
        for (const deviceNo of [...missed]) if (!isAssigned(deviceNo)) missed.delete(deviceNo);
    },
    get states() {
      return monitored.map(({ anchor, state }) => ({ ...state, target: anchor.target }));
    },
    get unconfirmedFromMs() {
      return errors.oldestMs;
    },
    stop() {
      ending.abort(new Error('the agent ends'));
      timer?.[Symbol.dispose]();
    },
  };
}
