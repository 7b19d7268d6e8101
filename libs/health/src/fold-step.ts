import { type BaseStatus, verdictOf } from '@vantage/domain';
import {
  announcedStatus,
  type FoldState,
  type OpenRetrySequence,
  withMember,
  withoutMember,
} from './fold-state.ts';
import type { Observation, Point } from './observation.ts';

/** The settings of a device that the fold needs. */
export interface FoldSettings {
  readonly retries: number;
  /** Results under an older revision do not change the state. */
  readonly targetRevision: number;
}

export type FoldEventType = 'Error' | 'Recovered' | 'Partial' | 'Down' | 'Up' | 'Unknown';

/** A change that a result caused. */
export interface FoldEvent {
  readonly type: FoldEventType;
  /** The status after the event. */
  readonly status: BaseStatus;
  /** End of the check that caused it. */
  readonly atUs: number;
  readonly cause: Point;
  readonly locationNo: number;
  readonly text: string;
  /** The status that ended, and its start; null if none ended. */
  readonly ended: { readonly status: BaseStatus; readonly sinceUs: number } | null;
  /** Start of the status after the event. Down begins at the first error, before `atUs`. */
  readonly sinceUs: number;
  /** Partial: the failing Locations. */
  readonly failing: readonly number[];
  /** Recovered: the device was Partial, and no longer is. */
  readonly endsPartial: boolean;
}

/** A state with the events that led to it. If nothing changed, it is the same state object. */
export interface FoldStep {
  readonly state: FoldState;
  readonly events: readonly FoldEvent[];
}

/*
 * The legal moves. C is an open retry sequence, "all" is every Location that was online at the start of the result.
 *
 *   status    seq.  | good                     error                                       inconclusive (9, 10)
 *   Up        -     | nothing; Recovered, if   open C: Error; complete: Down with it       all: Unknown
 *                   |   it ends a Partial
 *   Up        C     | close C: Recovered, or   count k and Location; complete: Down since  all: close C, Unknown
 *                   |   Partial with it        the first error
 *   Down      -     | Up                       nothing                                     all: Unknown
 *   Unknown   -     | Up                       as for Up; was Down before: Down            nothing
 *   Unknown   C     | close C: Up              as for Up                                   all: close C
 *
 * Events: each change of status has one, named after the new status, and no event repeats the status of the event
 * before it. Two kinds of Unknown have no event. One begins with a check of an agent that was cut off: the
 * LocationOffline of its Location covers all devices. The other begins with a check behind a silent anchor: the
 * AnchorDown covers it (both are "cut off" below). They have an event nevertheless if an Error is recorded without its
 * end. Otherwise they get their event with the next inconclusive check that is not cut off.
 *
 *   status ends            begins              event
 *   Up, Down               Unknown             Unknown; cut off and no C open: none
 *   Unknown, no event      Unknown continues   Unknown, at the first check that is not cut off, or that closes C
 *   Unknown, no event      as it was before    none; C open: Recovered
 *   any other              any                 the new status
 *
 * Complete: every k = 1..Retries failed, and errors came from two Locations if two are online and not inconclusive. An
 * inconclusive result of a run request to another agent of the Location changes nothing, because the assigned agent may
 * have an answer. Results under an older target and superseded late results change nothing. The first result under a
 * new target closes a retry sequence of the old one without an event.
 */

/** Whether the result may change the state: it is not superseded, and not under an older target. */
export function counts(observation: Observation, settings: FoldSettings): boolean {
  return !observation.superseded && observation.revision >= settings.targetRevision;
}

/** Folds one result into the state. */
export function step(before: FoldState, observation: Observation, settings: FoldSettings): FoldStep {
  if (!counts(observation, settings)) return { state: before, events: [] };
  const stale = before.retrySequence !== null && before.retrySequence.revision < settings.targetRevision;
  const state = stale ? { ...before, retrySequence: null } : before;
  const next = apply(state, observation, settings);
  if (next.state === before) return next;
  return {
    state: { ...next.state, at: { startUs: observation.startUs, agentNo: observation.agentNo } },
    events: next.events,
  };
}

function apply(state: FoldState, observation: Observation, settings: FoldSettings): FoldStep {
  switch (verdictOf(observation.code)) {
    case 'good':
      return good(withAnswer(state, observation), observation);
    case 'bad':
      return error(withAnswer(state, observation), observation, settings);
    case 'inconclusive':
      return observation.oneOff ? { state, events: [] } : inconclusive(state, observation);
  }
}

/** The state after a good or bad result: its Location is no longer inconclusive. */
function withAnswer(state: FoldState, observation: Observation): FoldState {
  const inconclusiveLocationNos = withoutMember(state.inconclusiveLocationNos, observation.locationNo);
  return inconclusiveLocationNos === state.inconclusiveLocationNos
    ? state
    : { ...state, inconclusiveLocationNos };
}

function good(state: FoldState, observation: Observation): FoldStep {
  if (state.status !== 'Up') {
    const next = enter(state, observation, 'Up', observation.endUs);
    if (next.events.length > 0 || state.retrySequence === null) return next;
    return {
      state: next.state,
      events: [event(next.state, observation, 'Recovered', { sinceUs: next.state.sinceUs })],
    };
  }
  if (state.retrySequence === null) {
    const contradicted = state.partial?.failing.includes(observation.locationNo) ?? false;
    if (!contradicted) return { state, events: [] };
    const events = isPartial(state) ? [recovered(state, observation, true)] : [];
    return { state: { ...state, partial: null }, events };
  }
  const { failing } = state.retrySequence;
  if (failing.includes(observation.locationNo)) {
    const events = [recovered(state, observation, isPartial(state))];
    return { state: { ...state, retrySequence: null, partial: null }, events };
  }
  const same = state.partial !== null && sameMembers(state.partial.failing, failing);
  const answered = recovered(state, observation, isPartial(state) && !same);
  const counted = same ? (state.partial?.sequences ?? 0) : 0;
  const sequences = Math.min(counted + 1, partialSequences);
  const becamePartial = sequences === partialSequences && counted < partialSequences;
  return {
    state: { ...state, retrySequence: null, partial: { failing, sequences } },
    events: becamePartial
      ? [answered, event(state, observation, 'Partial', { sinceUs: state.sinceUs, failing })]
      : [answered],
  };
}

/** The number of consecutive retry sequences with the same failing Locations that make a device Partial. */
const partialSequences = 3;

function isPartial({ partial }: FoldState): boolean {
  return partial !== null && partial.sequences >= partialSequences;
}

function recovered(state: FoldState, observation: Observation, endsPartial: boolean): FoldEvent {
  return event(state, observation, 'Recovered', { sinceUs: state.sinceUs, endsPartial });
}

function error(state: FoldState, observation: Observation, settings: FoldSettings): FoldStep {
  if (state.status === 'Down') return { state, events: [] };
  if (state.before === 'Down') return enter(state, observation, 'Down', observation.endUs);
  if (state.retrySequence === null) {
    const retrySequence: OpenRetrySequence = {
      retryId: observation.retryId,
      opened: { startUs: observation.startUs, agentNo: observation.agentNo },
      firstErrorEndUs: observation.endUs,
      revision: observation.revision,
      failedAttempts: [],
      failing: [observation.locationNo],
      lastEndUs: observation.endUs,
      lastLocationNo: observation.locationNo,
      lastAgentNo: observation.agentNo,
    };
    const opened = {
      state: { ...state, retrySequence },
      events: [event(state, observation, 'Error', { sinceUs: state.sinceUs })],
    };
    // Without retries, the first error suffices if no other Location must agree.
    if (!isComplete(retrySequence, state, observation, settings.retries)) return opened;
    const down = enter(opened.state, observation, 'Down', retrySequence.firstErrorEndUs);
    return { state: down.state, events: [...opened.events, ...down.events] };
  }
  const retrySequence = counted(state.retrySequence, observation, settings.retries);
  if (isComplete(retrySequence, state, observation, settings.retries)) {
    return enter({ ...state, retrySequence }, observation, 'Down', retrySequence.firstErrorEndUs);
  }
  return { state: retrySequence === state.retrySequence ? state : { ...state, retrySequence }, events: [] };
}

function counted(
  retrySequence: OpenRetrySequence,
  observation: Observation,
  retries: number,
): OpenRetrySequence {
  const isRetry = observation.attempt >= 1 && observation.attempt <= retries;
  const failedAttempts = isRetry
    ? withMember(retrySequence.failedAttempts, observation.attempt)
    : retrySequence.failedAttempts;
  const failing = withMember(retrySequence.failing, observation.locationNo);
  if (failedAttempts === retrySequence.failedAttempts && failing === retrySequence.failing)
    return retrySequence;
  const last = {
    lastEndUs: observation.endUs,
    lastLocationNo: observation.locationNo,
    lastAgentNo: observation.agentNo,
  };
  return { ...retrySequence, failedAttempts, failing, ...(isRetry ? last : {}) };
}

function isComplete(
  retrySequence: OpenRetrySequence,
  state: FoldState,
  observation: Observation,
  retries: number,
): boolean {
  for (let k = 1; k <= retries; k += 1) if (!retrySequence.failedAttempts.includes(k)) return false;
  const online = withMember(observation.onlineLocationNos, observation.locationNo).filter(
    (no) => !state.inconclusiveLocationNos.includes(no),
  );
  return retrySequence.failing.length >= Math.min(2, online.length);
}

function inconclusive(state: FoldState, observation: Observation): FoldStep {
  const inconclusiveLocationNos = withMember(state.inconclusiveLocationNos, observation.locationNo);
  const next =
    inconclusiveLocationNos === state.inconclusiveLocationNos ? state : { ...state, inconclusiveLocationNos };
  if (!observation.onlineLocationNos.every((no) => inconclusiveLocationNos.includes(no)))
    return { state: next, events: [] };
  if (state.status !== 'Unknown') return enter(next, observation, 'Unknown', observation.endUs);
  const closed = next.retrySequence === null ? next : { ...next, retrySequence: null };
  if (state.announced || isCoveredByLocation(state, observation)) return { state: closed, events: [] };
  const becamePartial = { ...closed, announced: true };
  return {
    state: becamePartial,
    events: [event(becamePartial, observation, 'Unknown', { sinceUs: becamePartial.sinceUs })],
  };
}

/** Whether the event of the Location suffices for an Unknown by this check. */
function isCoveredByLocation(state: FoldState, observation: Observation): boolean {
  return observation.cutOff && state.retrySequence === null;
}

/**
 * Enters another status. It begins at least a microsecond after the status before it, even if checks overlap or end
 * together. So every status with an event has an interval, and every ended outage has an end.
 */
function enter(state: FoldState, observation: Observation, status: BaseStatus, fromUs: number): FoldStep {
  const sinceUs = Math.max(fromUs, state.sinceUs + 1);
  const ended = { status: state.status, sinceUs: state.sinceUs };
  const before = status === 'Unknown' && state.status !== 'Unknown' ? state.status : null;
  const partial = status === 'Up' ? state.partial : null;
  const announced = status !== 'Unknown' || !isCoveredByLocation(state, observation);
  const next = { ...state, status, sinceUs, before, announced, retrySequence: null, partial };
  const isNew = announced && status !== announcedStatus(state);
  return { state: next, events: isNew ? [event(next, observation, status, { sinceUs, ended })] : [] };
}

function event(
  state: FoldState,
  observation: Observation,
  type: FoldEventType,
  more: { sinceUs: number; ended?: FoldEvent['ended']; failing?: readonly number[]; endsPartial?: boolean },
): FoldEvent {
  return {
    type,
    status: state.status,
    atUs: observation.endUs,
    cause: { startUs: observation.startUs, agentNo: observation.agentNo },
    locationNo: observation.locationNo,
    text: observation.text,
    ended: more.ended ?? null,
    sinceUs: more.sinceUs,
    failing: more.failing ?? [],
    endsPartial: more.endsPartial ?? false,
  };
}

function sameMembers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((member, i) => member === b[i]);
}
