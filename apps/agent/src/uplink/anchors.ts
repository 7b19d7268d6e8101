import { create } from '@bufbuild/protobuf';
import { type Clock, createNetworkTable } from '@vantage/kernel';
import { type Measurement, specOf } from '@vantage/probes';
import { type Anchor, type Assignment, AssignmentSchema } from '@vantage/proto';
import type { CheckRunner } from '../schedule/check.ts';
import type { Stalls } from '../schedule/due-times.ts';
import { createAnchorErrors, type Place } from './anchor-errors.ts';
import { type AnchorCheck, type AnchorState, afterRound, newAnchorState } from './anchor-state.ts';
import { type OwnNetworks, reachability } from './reachability.ts';

/**
 * Decides by the anchors of the Location whether an error says something about the device.
 *
 * The agent checks its anchors every 10 s. It holds an error of a device behind an anchor until the anchor was checked
 * again. When the anchor answers, the error stands. When it is silent, or was silent in its last check before, the
 * error becomes code 10. So no retry starts, and no device is Down, because of something on the way.
 */
export interface Anchors {
  /** Sets the anchors, near to far. An anchor whose Target stays keeps its state. */
  set(anchors: readonly Anchor[]): void;
  /**
   * Judges an error of a check that began at `begunMs` (monotonic; now where it is left out). Undefined at once, or as
   * the result: the anchors say nothing about it, so the rule of the uplink decides. Otherwise the measurement to
   * write: unchanged, or with code 10.
   */
  readonly judge: (
    deviceNo: number,
    measurement: Measurement,
    begunMs?: number,
  ) => Promise<Measurement | undefined> | undefined;
  /** Forgets devices that are no longer assigned. */
  prune(isAssigned: (deviceNo: number) => boolean): void;
  /** Each anchor as the controller should know it, near to far. */
  readonly states: readonly (AnchorState & { readonly target: string })[];
  /** Monotonic milliseconds of the oldest error that waits. */
  readonly unconfirmedFromMs: number | undefined;
  /** Checks nothing more. */
  stop(): void;
}

/** Rounds that an error or a silent anchor asks for begin at least this far apart. */
const roundsApartMs = 1000;

/** Creates the monitor. `everyMs`: from one round to the next while all is well. */
export function createAnchors(deps: {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly ownNetworks: () => OwnNetworks;
  /** The corrected clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly check: (anchor: Anchor, signal: AbortSignal) => Promise<Omit<AnchorCheck, 'startMs'>>;
  /** The state of an anchor changed. */
  readonly onChange: () => void;
  /** An anchor answers again; these are the devices whose errors became code 10 meanwhile. */
  readonly onAnswersAgain: (deviceNos: readonly number[]) => void;
  /** An unexpected error: the round counts as if it had not been made. */
  readonly onError: (error: unknown) => void;
}): Anchors {
  const { clock, everyMs, ownNetworks, nowMs, check, onChange, onAnswersAgain, onError } = deps;
  let places: readonly Place[] = [];
  const errors = createAnchorErrors(() => places);
  let deciders = createDeciders([]);
  let timer: Disposable | undefined;
  let isRunning = false;
  const ending = new AbortController();
  let beganMs = Number.NEGATIVE_INFINITY;

  const checkOne = async (at: Place, place: number, startMs: number) => {
    const { answer, text } = await check(at.anchor, ending.signal);
    if (places[place] !== at || ending.signal.aborted) return { answer, text };
    if (answer === 'answered' && at.last === 'silent') at.answersFromMs = startMs;
    at.last = answer;
    errors.checked(place, answer, startMs);
    if (answer === 'answered' && at.missed.size > 0) {
      onAnswersAgain([...at.missed]);
      at.missed.clear();
    }
    return { answer, text };
  };
  const round = async () => {
    const [checked, startMs, startedMs] = [places, clock.monoMs(), nowMs()];
    isRunning = true;
    beganMs = startMs;
    const checks = await Promise.all(checked.map((at, place) => checkOne(at, place, startMs))).finally(() => {
      isRunning = false;
    });
    if (checked === places && !ending.signal.aborted)
      conclude(checks.map((one) => ({ ...one, startMs: startedMs })));
  };
  const conclude = (checks: readonly AnchorCheck[]) => {
    const next = afterRound(
      places.map(({ state }) => state),
      checks,
    );
    let hasChanged = false;
    for (const [place, at] of places.entries()) {
      const state = next[place] ?? at.state;
      hasChanged ||= state.kind !== at.state.kind;
      at.state = state;
    }
    if (hasChanged) onChange();
  };
  const schedule = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (isRunning || ending.signal.aborted || places.length === 0) return;
    const isUnsettled = ({ last, state }: Place) =>
      last === undefined || last === 'silent' || state.contradictions > 0;
    const isUrgent = errors.oldestMs !== undefined || places.some(isUnsettled);
    const dueMs = beganMs + (isUrgent ? roundsApartMs : everyMs);
    timer = clock.timer(Math.max(0, dueMs - clock.monoMs()), () => {
      round().catch(onError).finally(schedule);
    });
  };

  return {
    set(anchors) {
      const known = new Map(places.map((at) => [at.anchor.target, at]));
      places = anchors.map((anchor) => {
        const before = known.get(anchor.target);
        if (before !== undefined) return { ...before, anchor };
        const answersFromMs = Number.NEGATIVE_INFINITY;
        return { anchor, state: newAnchorState(nowMs()), last: undefined, answersFromMs, missed: new Set() };
      });
      deciders = createDeciders(anchors);
      errors.releaseAll();
      schedule();
    },
    judge(deviceNo, measurement, begunMs = clock.monoMs()) {
      const addresses = measurement.peers.map(({ address }) => address);
      const open = deciders(addresses, ownNetworks());
      if (open.length === 0) return undefined;
      const judging = errors.hold({ deviceNo, measurement, begunMs, endMs: clock.monoMs(), open });
      schedule();
      return judging;
    },
    prune(isAssigned) {
      for (const { missed } of places)
        for (const deviceNo of [...missed]) if (!isAssigned(deviceNo)) missed.delete(deviceNo);
    },
    get states() {
      return places.map(({ anchor, state }) => ({ ...state, target: anchor.target }));
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

/** Long enough for three packets, and for the first repetition of a TCP connection's first packet after 1 s. */
const timeoutMs = 2000;

/**
 * Creates the check of one anchor: PING, or a TCP connection where it has a port. It runs like the check of a device,
 * so the agent's policy applies. A refused connection counts as silent, because a router may refuse in the target's
 * name.
 */
export function createAnchorCheck(deps: {
  readonly check: CheckRunner;
  readonly stalls: Pick<Stalls, 'since'>;
  readonly monoMs: () => number;
}): (anchor: Anchor, signal: AbortSignal) => Promise<Omit<AnchorCheck, 'startMs'>> {
  return async (anchor, signal) => {
    const startMs = deps.monoMs();
    const measurement = await deps.check(assignmentOf(anchor), signal);
    const reached = reachability(measurement);
    // A process that stood still gave the anchor no time to answer.
    if (reached === 'silent' && deps.stalls.since(startMs))
      return { answer: 'unchecked', text: 'this agent stood still during the check' };
    const answer = reached === 'nothing' ? 'unchecked' : reached;
    return { answer, text: measurement.text };
  };
}

function assignmentOf({ target, port }: Anchor): Assignment {
  const method = port === 0 ? 'PING' : 'TCP';
  return create(AssignmentSchema, { spec: specOf({ method, url: target, timeoutMs, options: {} }) });
}

/** An anchor without Networks has everything behind it. */
const everything = '::/0';

/**
 * Returns the places of the anchors that decide about an error of a check with these addresses. Empty: the anchors say
 * nothing about it.
 */
type Deciders = (addresses: readonly string[], own: OwnNetworks) => readonly number[];

/*
 * Anchors are numbered near to far. Their Networks form one table: an address belongs to the anchor that names it most
 * exactly.
 *
 *   addresses of the check                    | anchors that decide
 *   in the agent's own subnets                | none of them: nothing lies between
 *   in the Networks of anchors                | for each address the anchor with the longest prefix; of equal ones the farther one
 *   in the Networks of no anchor              | none
 *   none at all (the name was not resolved)   | all, because any of them may be on the way to the name server
 */

/** Creates the function that finds the deciding anchors. Pure. */
export function createDeciders(anchors: readonly Pick<Anchor, 'networks'>[]): Deciders {
  const anchorOf = createNetworkTable(
    anchors.flatMap(({ networks }, value) =>
      (networks.length === 0 ? [everything] : networks).map((network) => ({ network, value })),
    ),
  );
  const all = anchors.map((_anchor, place) => place);
  return (addresses, own) => {
    if (addresses.length === 0) return all;
    const places = addresses.filter((address) => !own(address)).flatMap((address) => anchorOf(address) ?? []);
    return [...new Set(places)].sort((a, b) => a - b);
  };
}
