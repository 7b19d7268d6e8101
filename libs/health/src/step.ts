import type { BaseStatus, Point, Sighting } from './result.ts';
import { announcedStatus, type Chain, type FoldState, withMember, withoutMember } from './state.ts';

/** The settings of a device that the fold needs. */
export interface FoldSettings {
  readonly retries: number;
  /** Results under an older revision are history, not state. */
  readonly targetRevision: number;
}

/** The kinds of event that results cause. */
export type FoldEventType = 'Error' | 'Recovered' | 'Partial' | 'Down' | 'Up' | 'Unknown';

/** What a result made happen. */
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
}

/** A state and what led to it; the very same state object says that nothing changed. */
export interface Step {
  readonly state: FoldState;
  readonly events: readonly FoldEvent[];
}

/*
 * The legal moves. C is an open chain, "all" every Location observing at the result's start.
 *
 *   status    chain | good                     error                                       abstains (9, 10)
 *   Up        -     | nothing                  open C: Error                               all: Unknown
 *   Up        C     | close C: Recovered, or   count k and Location; complete: Down since  all: close C, Unknown
 *                   |   Partial with it        the first error
 *   Down      -     | Up                       nothing                                     all: Unknown
 *   Unknown   -     | Up                       open C: Error; was Down before: Down        nothing
 *   Unknown   C     | close C: Up              as for Up                                   all: close C
 *
 * Events: each change of status has one, named after the new status, and no event says again what the one before it said. An
 * Unknown that begins by a check of an agent that was cut off has none (its Location's LocationOffline says it for all devices),
 * unless an Error was told that waits for its end; it gets its event as soon as a check of a connected agent says the same.
 *
 *   status ends            begins              event
 *   Up, Down               Unknown             Unknown; cut off and no C open: none
 *   Unknown, no event      Unknown goes on     Unknown, at the first check that is not cut off, or that closes C
 *   Unknown, no event      as it was before    none; C open: Recovered
 *   any other              any                 the new status
 *
 * Complete: every k = 1..Retries failed, and errors came from two Locations where two observe (those that abstain do
 * not observe). A guest's abstention moves nothing: the Location's own agent may see. A result under an older target, or late where others observed live, moves nothing; the first result
 * under a new target closes a chain of the old one without a word.
 */

/** Whether the result may move anything at all: neither history nor covered by others. */
export function counts(seen: Sighting, settings: FoldSettings): boolean {
  return !seen.covered && seen.revision >= settings.targetRevision;
}

/** Folds one result into the state. */
export function step(before: FoldState, seen: Sighting, settings: FoldSettings): Step {
  if (!counts(seen, settings)) return { state: before, events: [] };
  const stale = before.chain !== null && before.chain.revision < settings.targetRevision;
  const state = stale ? { ...before, chain: null } : before;
  const next = judge(state, seen, settings);
  if (next.state === before) return next;
  return {
    state: { ...next.state, at: { startUs: seen.startUs, agentNo: seen.agentNo } },
    events: next.events,
  };
}

/** What a ResultCode says about the device. */
export function meaning(code: number): 'good' | 'error' | 'abstains' {
  if (code === 1) return 'good';
  return code === 9 || code === 10 ? 'abstains' : 'error';
}

function judge(state: FoldState, seen: Sighting, settings: FoldSettings): Step {
  switch (meaning(seen.code)) {
    case 'good':
      return good(heard(state, seen), seen);
    case 'error':
      return error(heard(state, seen), seen, settings);
    case 'abstains':
      return seen.guest ? { state, events: [] } : abstains(state, seen);
  }
}

/** A real answer: its Location abstains no longer. */
function heard(state: FoldState, seen: Sighting): FoldState {
  const abstaining = withoutMember(state.abstaining, seen.locationNo);
  return abstaining === state.abstaining ? state : { ...state, abstaining };
}

function good(state: FoldState, seen: Sighting): Step {
  if (state.status !== 'Up') {
    const next = enter(state, seen, 'Up', seen.endUs);
    if (next.events.length > 0 || state.chain === null) return next;
    return {
      state: next.state,
      events: [event(next.state, seen, 'Recovered', { sinceUs: next.state.sinceUs })],
    };
  }
  if (state.chain === null) {
    const contradicted = state.partial?.failing.includes(seen.locationNo) ?? false;
    return { state: contradicted ? { ...state, partial: null } : state, events: [] };
  }
  const recovered = event(state, seen, 'Recovered', { sinceUs: state.sinceUs });
  const { failing } = state.chain;
  if (failing.includes(seen.locationNo)) {
    return { state: { ...state, chain: null, partial: null }, events: [recovered] };
  }
  const same = state.partial !== null && sameMembers(state.partial.failing, failing);
  const counted = same ? (state.partial?.chains ?? 0) : 0;
  const chains = Math.min(counted + 1, 3);
  const told = chains === 3 && counted < 3;
  return {
    state: { ...state, chain: null, partial: { failing, chains } },
    events: told
      ? [recovered, event(state, seen, 'Partial', { sinceUs: state.sinceUs, failing })]
      : [recovered],
  };
}

function error(state: FoldState, seen: Sighting, settings: FoldSettings): Step {
  if (state.status === 'Down') return { state, events: [] };
  if (state.before === 'Down') return enter(state, seen, 'Down', seen.endUs);
  if (state.chain === null) {
    const chain: Chain = {
      chainId: seen.chainId,
      opened: { startUs: seen.startUs, agentNo: seen.agentNo },
      firstErrorEndUs: seen.endUs,
      revision: seen.revision,
      failedKs: [],
      failing: [seen.locationNo],
      lastEndUs: seen.endUs,
      lastLocationNo: seen.locationNo,
      lastAgentNo: seen.agentNo,
    };
    return { state: { ...state, chain }, events: [event(state, seen, 'Error', { sinceUs: state.sinceUs })] };
  }
  const chain = counted(state.chain, seen, settings.retries);
  if (isComplete(chain, state, seen, settings.retries)) {
    return enter({ ...state, chain }, seen, 'Down', chain.firstErrorEndUs);
  }
  return { state: chain === state.chain ? state : { ...state, chain }, events: [] };
}

function counted(chain: Chain, seen: Sighting, retries: number): Chain {
  const isRetry = seen.attempt >= 1 && seen.attempt <= retries;
  const failedKs = isRetry ? withMember(chain.failedKs, seen.attempt) : chain.failedKs;
  const failing = withMember(chain.failing, seen.locationNo);
  if (failedKs === chain.failedKs && failing === chain.failing) return chain;
  const last = { lastEndUs: seen.endUs, lastLocationNo: seen.locationNo, lastAgentNo: seen.agentNo };
  return { ...chain, failedKs, failing, ...(isRetry ? last : {}) };
}

function isComplete(chain: Chain, state: FoldState, seen: Sighting, retries: number): boolean {
  for (let k = 1; k <= retries; k += 1) if (!chain.failedKs.includes(k)) return false;
  const observing = withMember(seen.observers, seen.locationNo).filter(
    (no) => !state.abstaining.includes(no),
  );
  return chain.failing.length >= Math.min(2, observing.length);
}

function abstains(state: FoldState, seen: Sighting): Step {
  const abstaining = withMember(state.abstaining, seen.locationNo);
  const next = abstaining === state.abstaining ? state : { ...state, abstaining };
  if (!seen.observers.every((no) => abstaining.includes(no))) return { state: next, events: [] };
  if (state.status !== 'Unknown') return enter(next, seen, 'Unknown', seen.endUs);
  const closed = next.chain === null ? next : { ...next, chain: null };
  if (state.announced || isLocations(state, seen)) return { state: closed, events: [] };
  const told = { ...closed, announced: true };
  return { state: told, events: [event(told, seen, 'Unknown', { sinceUs: told.sinceUs })] };
}

/** Whether an Unknown by this check is told of the Location alone. */
function isLocations(state: FoldState, seen: Sighting): boolean {
  return seen.cutOff && state.chain === null;
}

/**
 * Enters another status. It begins a microsecond after the one it follows at the earliest, though checks overlap or end
 * together: so every status that was told has an interval, and an outage that ended has its end.
 */
function enter(state: FoldState, seen: Sighting, status: BaseStatus, fromUs: number): Step {
  const sinceUs = Math.max(fromUs, state.sinceUs + 1);
  const ended = { status: state.status, sinceUs: state.sinceUs };
  const before = status === 'Unknown' && state.status !== 'Unknown' ? state.status : null;
  const partial = status === 'Up' ? state.partial : null;
  const announced = status !== 'Unknown' || !isLocations(state, seen);
  const next = { ...state, status, sinceUs, before, announced, chain: null, partial };
  const isNews = announced && status !== announcedStatus(state);
  return { state: next, events: isNews ? [event(next, seen, status, { sinceUs, ended })] : [] };
}

function event(
  state: FoldState,
  seen: Sighting,
  type: FoldEventType,
  more: { sinceUs: number; ended?: FoldEvent['ended']; failing?: readonly number[] },
): FoldEvent {
  return {
    type,
    status: state.status,
    atUs: seen.endUs,
    cause: { startUs: seen.startUs, agentNo: seen.agentNo },
    locationNo: seen.locationNo,
    text: seen.text,
    ended: more.ended ?? null,
    sinceUs: more.sinceUs,
    failing: more.failing ?? [],
  };
}

function sameMembers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((member, i) => member === b[i]);
}
