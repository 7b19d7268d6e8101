import { type Assignment, type Order, Order_Kind } from '@vantage/proto';
import {
  afterRetryBegan,
  afterRetryOrder,
  afterTaken,
  type Chain,
  type ChainRules,
  noChain,
} from './chain.ts';
import { afterGapUs, duesBetween, faultOfTurns, nextDueUs } from './schedule.ts';

/** One device that the agent looks at, between its checks. The scheduler owns and changes it. */
export interface Watch {
  assignment: Assignment;
  /** Next ordinary turn, corrected microseconds. */
  dueUs: number;
  chain: Chain;
  /** Checks asked for beside turns and retries, oldest first. */
  asked: { readonly orderId: string; readonly atUs: number }[];
  /** A check of it is running: nothing else of it starts. */
  busy: boolean;
  /** Taken away while a check was running. */
  gone: boolean;
  /** Start of its newest check; the next one starts later. */
  lastStartUs: number;
  /** When its newest check ended; lateness is counted from there at the earliest. */
  freeUs: number;
  /** Revision of its newest check. */
  checkedRevision: number | undefined;
  /** How many of its checks in a row were thrown away because the process stood still meanwhile. */
  thrownAway: number;
  /** Another agent holds the device: it is looked at by order only, without turns, and then let go. */
  guest: boolean;
}

/** What a device waits for next. */
export type Work =
  | { readonly kind: 'turn'; readonly atUs: number }
  | {
      readonly kind: 'retry';
      readonly atUs: number;
      readonly k: number;
      readonly chainId: string;
      readonly orderId: string;
    }
  | { readonly kind: 'asked'; readonly atUs: number; readonly orderId: string };

/** A device that nobody looked at yet in this run; `chain` is what an earlier one left open. */
export function createWatch(assignment: Assignment, nowUs: number, chain: Chain = noChain): Watch {
  return {
    assignment,
    dueUs: nextDueUs(assignment, nowUs),
    chain,
    asked: [],
    busy: false,
    gone: false,
    lastStartUs: 0,
    freeUs: 0,
    checkedRevision: undefined,
    thrownAway: 0,
    guest: false,
  };
}

/** Leaves out the turns that fell due before `nowUs` in a gap; how many, and from when on. Undefined: none did. */
export function skipTurns(
  watch: Watch,
  nowUs: number,
): { readonly skipped: number; readonly fromUs: number } | undefined {
  const { assignment, dueUs } = watch;
  if (dueUs > nowUs) return undefined;
  watch.dueUs = afterGapUs(assignment, dueUs, nowUs);
  return { skipped: 1 + duesBetween(assignment, dueUs, nowUs), fromUs: dueUs };
}

/** A device that an order brought along; undefined when it brought none, or one that cannot be looked at. */
export function createGuest(assignment: Assignment | undefined, nowUs: number): Watch | undefined {
  if (assignment?.spec === undefined || faultOfTurns(assignment) !== undefined) return undefined;
  return { ...createWatch(assignment, nowUs), dueUs: Number.POSITIVE_INFINITY, guest: true };
}

/** Whether a guest's work was all that it was asked for: no other order came meanwhile. */
export function isGuestDone(watch: Watch, work: Work): boolean {
  const { phase } = watch.chain;
  const isOrdered = phase.kind === 'open' && !(work.kind === 'retry' && work.orderId === phase.orderId);
  return watch.guest && !isOrdered && watch.asked.length === 0;
}

/** The earliest thing to do; a retry chain stands in for ordinary turns. */
export function nextWork(watch: Watch): Work {
  const { phase } = watch.chain;
  const regular: Work =
    phase.kind === 'open'
      ? { kind: 'retry', atUs: phase.dueUs, k: phase.k, chainId: phase.chainId, orderId: phase.orderId }
      : { kind: 'turn', atUs: watch.dueUs };
  const asked = watch.asked[0];
  return asked !== undefined && asked.atUs <= regular.atUs ? { kind: 'asked', ...asked } : regular;
}

/** Looks within a minute where the next turn is further off. */
export function bringForward(watch: Watch, nowUs: number): void {
  if (!watch.guest) watch.dueUs = Math.min(watch.dueUs, afterGapUs(watch.assignment, nowUs, nowUs));
}

/** Takes off what is begun at `startUs`: how late it is, microseconds, and how many turns it passes over. */
export function beginWork(
  watch: Watch,
  work: Work,
  startUs: number,
): { readonly lateUs: number; readonly passed: number } {
  const lateUs = startUs - Math.max(work.atUs, watch.freeUs);
  switch (work.kind) {
    case 'turn':
      watch.dueUs = nextDueUs(watch.assignment, Math.max(startUs, work.atUs));
      return { lateUs, passed: duesBetween(watch.assignment, work.atUs, startUs) };
    case 'retry':
      watch.chain = afterRetryBegan(watch.chain, work.chainId, work.k);
      return { lateUs, passed: 0 };
    case 'asked':
      watch.asked.shift();
      return { lateUs, passed: 0 };
  }
}

/** Puts a check beside the standing ones on the list, once for each order and once without any. */
export function askFor(watch: Watch, orderId: string, atUs: number): void {
  if (watch.asked.some((each) => each.orderId === orderId)) return;
  watch.asked.push({ orderId, atUs });
  watch.asked.sort((a, b) => a.atUs - b.atUs);
}

/** Does with a device what an order says. `graceMs`: see `rulesOf`. */
export function obey(watch: Watch, order: Order, nowUs: number, graceMs: number): void {
  const atUs = Math.max(Number(order.notBeforeUs), nowUs);
  switch (order.kind) {
    case Order_Kind.NOW:
      askFor(watch, order.orderId, atUs);
      return;
    case Order_Kind.RETRY:
      setChain(watch, afterRetryOrder(watch.chain, { ...order, atUs }) ?? watch.chain, nowUs);
      return;
    case Order_Kind.CHAIN_TAKEN:
      if (!watch.guest)
        setChain(watch, afterTaken(watch.chain, nowUs, rulesOf(watch.assignment, graceMs)), nowUs);
      return;
    case Order_Kind.UNSPECIFIED:
      return;
  }
}

/** A device changed less than this ago is looked at once, microseconds. */
const freshUs = 60_000_000;

/** Has a device that was changed just now looked at without waiting for its turn, where this agent is to look first. */
export function askFirstLook(watch: Watch, nowUs: number): void {
  const { firstLook, changedUs, revision } = watch.assignment;
  const isWanted = firstLook && watch.checkedRevision !== revision && nowUs - Number(changedUs) < freshUs;
  if (isWanted) askFor(watch, '', nowUs);
}

/** Gives a device other settings; under other ones of its target a chain is none any more. */
export function reassign(watch: Watch, assignment: Assignment, nowUs: number): void {
  if (watch.assignment.revision !== assignment.revision) watch.chain = noChain;
  watch.gone = false;
  watch.guest = false;
  watch.assignment = assignment;
  watch.dueUs = nextDueUs(assignment, nowUs);
}

/** Sets where the chain stands; ordinary turns that passed while it was open are not made up for. */
export function setChain(watch: Watch, chain: Chain, nowUs: number): void {
  const ends = watch.chain.phase.kind === 'open' && chain.phase.kind !== 'open';
  watch.chain = chain;
  if (ends && watch.dueUs <= nowUs) watch.dueUs = nextDueUs(watch.assignment, nowUs);
}

/** Follows a clock that was put right by `byUs` and now says `nowUs`. */
export function moveClock(watch: Watch, byUs: number, nowUs: number): void {
  const { phase } = watch.chain;
  if (phase.kind === 'open') {
    watch.chain = { ...watch.chain, phase: { ...phase, dueUs: phase.dueUs + byUs } };
  }
  // Put back, the clock would leave what was asked for in a future that was never meant.
  if (byUs < 0) watch.asked = watch.asked.map(({ orderId, atUs }) => ({ orderId, atUs: atUs + byUs }));
  if (!watch.guest) watch.dueUs = nextDueUs(watch.assignment, nowUs);
  watch.freeUs += byUs;
}

/** A start that is unique and increasing for the device; a clock put back by more than a minute is followed. */
export function startOf(watch: Watch, nowUs: number): number {
  const backUs = watch.lastStartUs - nowUs;
  return backUs >= 0 && backUs < freshUs ? watch.lastStartUs + 1 : nowUs;
}

/** The retry rules of an assignment; `graceMs` is how long past RetryDelay the controller's word is waited for. */
export function rulesOf(assignment: Assignment, graceMs: number): ChainRules {
  return {
    retries: assignment.retries,
    retryDelayMs: assignment.retryDelayMs,
    timeoutMs: assignment.spec?.timeoutMs ?? 0,
    runsChain: assignment.runsChain,
    graceMs,
  };
}
