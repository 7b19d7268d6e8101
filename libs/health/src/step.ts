import { type BaseStatus, verdictOf } from '@vantage/domain';
import type { Observation, Point } from './observation.ts';
import { announcedStatus, type FoldState, type RetrySequence, withMember, withoutMember } from './state.ts';

/** The settings of a device that the fold needs. */
export interface FoldSettings {
  readonly retries: number;
  /** Results under an older revision do not change the state. */
  readonly targetRevision: number;
}

/** The kinds of event that results cause. */
export type FoldEventType = 'Error' | 'Recovered' | 'Partial' | 'Down' | 'Up' | 'Unknown';

/** A change that a result caused. */
export interface FoldEvent {
  readonly type: FoldEventType;
  /** Status after it. */
  readonly status: BaseStatus;
  /** End of the check that caused it. */
  readonly atUs: number;
  readonly cause: Point;
  readonly locationNo: number;
  readonly text: string;
  /** The status that just ended and its begin; null where none ended. */
  readonly ended: { readonly status: BaseStatus; readonly sinceUs: number } | null;
  /** Begin of the new status where it is not `atUs` (Down begins at the first error). */
  readonly sinceUs: number;
  /** Partial: the Locations that fail. */
  readonly failing: readonly number[];
  /** Recovered: the device was Partial, and is not any more. */
  readonly endsPartial: boolean;
}

/** A state with the events that led to it. When nothing changed, it is the very same state object. */
export interface Step {
  readonly state: FoldState;
  readonly events: readonly FoldEvent[];
}

/*
 * The legal moves. C is an open retry sequence, "all" every Location online at the result's start.
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
 * before it. An Unknown that begins with a check of an agent that was cut off has no event, because the LocationOffline
 * of its Location covers all devices; nor has one that begins with a check behind a silent anchor, because of its
 * AnchorDown (both are "cut off" below). It has an event when an Error is recorded whose end is missing. Otherwise it
 * gets its event with the next inconclusive check that is not cut off.
 *
 *   status ends            begins              event
 *   Up, Down               Unknown             Unknown; cut off and no C open: none
 *   Unknown, no event      Unknown goes on     Unknown, at the first check that is not cut off, or that closes C
 *   Unknown, no event      as it was before    none; C open: Recovered
 *   any other              any                 the new status
 *
 * Complete: every k = 1..Retries failed, and errors came from two Locations if two are online and not inconclusive. An
 * inconclusive result of a run request to another agent of the Location changes nothing, because the Location's own
 * agent may have an answer. A result under an older target changes nothing, nor does a late result that is superseded.
 * The first result under a new target closes a retry sequence of the old one without an event.
 */

/** Whether the result may change the state: it is not superseded, and not older than the target. */
export function counts(observation: Observation, settings: FoldSettings): boolean {
  return !observation.superseded && observation.revision >= settings.targetRevision;
}

/** Folds one result into the state. */
export function step(before: FoldState, observation: Observation, settings: FoldSettings): Step {
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

function apply(state: FoldState, observation: Observation, settings: FoldSettings): Step {
  switch (verdictOf(observation.code)) {
    case 'good':
      return good(withAnswer(state, observation), observation);
    case 'bad':
      return error(withAnswer(state, observation), observation, settings);
    case 'inconclusive':
      return observation.oneOff ? { state, events: [] } : inconclusive(state, observation);
  }
}

/** The state after a good or bad result: its Location is not inconclusive any more. */
function withAnswer(state: FoldState, observation: Observation): FoldState {
  const inconclusiveLocationNos = withoutMember(state.inconclusiveLocationNos, observation.locationNo);
  return inconclusiveLocationNos === state.inconclusiveLocationNos
    ? state
    : { ...state, inconclusiveLocationNos };
}

function good(state: FoldState, observation: Observation): Step {
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

/** So many retry sequences in a row, in which the same Locations fail and others do not, make a Partial. */
const partialSequences = 3;

function isPartial({ partial }: FoldState): boolean {
  return partial !== null && partial.sequences >= partialSequences;
}

function recovered(state: FoldState, observation: Observation, endsPartial: boolean): FoldEvent {
  return event(state, observation, 'Recovered', { sinceUs: state.sinceUs, endsPartial });
}

function error(state: FoldState, observation: Observation, settings: FoldSettings): Step {
  if (state.status === 'Down') return { state, events: [] };
  if (state.before === 'Down') return enter(state, observation, 'Down', observation.endUs);
  if (state.retrySequence === null) {
    const retrySequence: RetrySequence = {
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
    // Without retries the first error is the last one, too, where no other Location must agree.
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

function counted(retrySequence: RetrySequence, observation: Observation, retries: number): RetrySequence {
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
  retrySequence: RetrySequence,
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

function inconclusive(state: FoldState, observation: Observation): Step {
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

/** Whether the event of the Location alone covers an Unknown by this check. */
function isCoveredByLocation(state: FoldState, observation: Observation): boolean {
  return observation.cutOff && state.retrySequence === null;
}

/**
 * Enters another status. It begins at least a microsecond after the status before it, also when checks overlap or end
 * together. So every status with an event has an interval, and every ended outage has its end.
 */
function enter(state: FoldState, observation: Observation, status: BaseStatus, fromUs: number): Step {
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
