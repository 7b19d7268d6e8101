import { equals } from '@bufbuild/protobuf';
import type { Clock } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import { type Assignment, AssignmentSchema, type CheckResult } from '@vantage/proto';
import { createAgenda } from './agenda.ts';
import type { AgentTime } from './agent-time.ts';
import type { Allowance } from './allowance.ts';
import { afterAnswer, beginsTrouble, type Chain } from './chain.ts';
import type { Coverage } from './coverage.ts';
import type { LatenessMeter } from './lateness.ts';
import { createNovelty } from './novelty.ts';
import { type Made, resultOf } from './record.ts';
import { faultOfTurns, lastDueUs, nextDueUs } from './schedule.ts';
import type { Scheduler } from './scheduling.ts';
import { asStoodStill, type Stalls } from './stalls.ts';
import {
  askFirstLook,
  askFor,
  beginWork,
  bringForward,
  createGuest,
  createWatch,
  isGuestDone,
  moveClock,
  nextWork,
  obey,
  reassign,
  rulesOf,
  setChain,
  skipTurns,
  startOf,
  type Watch,
  type Work,
} from './watch.ts';

/** Later than this is not covered; a stall longer than this skips what fell due in it. Milliseconds. */
const toleratedMs = 5000;
/** So many checks of a device in a row may be thrown away because the process stood still meanwhile. */
const thrownAwayMost = 3;
/** A clock put right by less than this leaves the due times alone, microseconds. */
const smallStepUs = 1_000_000;

/** Makes the scheduler. `check` looks once; `judge` says what may be written of it. */
export function createScheduler(deps: {
  readonly time: AgentTime;
  readonly clock: Clock;
  readonly check: (assignment: Assignment, signal: AbortSignal) => Promise<Measurement>;
  readonly judge: (deviceNo: number, measurement: Measurement) => Promise<Measurement>;
  readonly onResult: (result: CheckResult, made: Made) => void;
  /** The chain that an earlier run left a device with. */
  readonly chainOf: (deviceNo: number, nowUs: number) => Chain;
  /** A surprise: the check is as if it had not been made. */
  readonly onError: (error: unknown) => void;
  readonly concurrency: number;
  readonly allowance: Allowance;
  readonly coverage: Coverage;
  readonly meter: LatenessMeter;
  readonly stalls: Stalls;
  /** How long past RetryDelay the controller's word on a retry is waited for. */
  readonly orderGraceMs: number;
  readonly newId: () => string;
}): Scheduler {
  const { time, clock, coverage, meter, stalls } = deps;
  const watches = new Map<number, Watch>();
  const agenda = createAgenda<Watch>();
  const ending = new AbortController();
  /** Orders come again after a reconnect; each is obeyed once. */
  const isNewOrder = createNovelty(1000);
  let started = false;
  let running = 0;
  let timer: Disposable | undefined;
  let onIdle: (() => void) | undefined;

  const queue = (watch: Watch) => {
    if (!watch.busy && !watch.gone) agenda.set(watch, nextWork(watch).atUs);
  };
  const wakeIn = (ms: number) => {
    timer?.[Symbol.dispose]();
    timer = clock.timer(Math.min(1000, Math.max(1, Math.ceil(ms))), pump);
  };
  const pump = () => {
    if (!started || ending.signal.aborted) return;
    if (stalls.beat() > toleratedMs) skipMissed();
    while (running < deps.concurrency) {
      const first = agenda.first();
      if (first === undefined) return;
      const waitUs = first.atUs - time.nowUs();
      if (waitUs > 0) return wakeIn(waitUs / 1000);
      const allowed = deps.allowance.take();
      if (!allowed.ok) return wakeIn(allowed.waitMs);
      agenda.delete(first.key);
      const watch = first.key;
      run(watch, nextWork(watch)).catch((error: unknown) => {
        deps.onError(error);
        rest(watch);
      });
    }
  };
  const skip = (watch: Watch, nowUs: number) => {
    const gap = skipTurns(watch, nowUs);
    if (gap === undefined) return;
    meter.skipped(gap.skipped);
    coverage.broken(gap.fromUs, nowUs);
  };
  const skipMissed = () => {
    const nowUs = time.nowUs();
    for (const watch of watches.values()) {
      if (watch.busy || watch.chain.phase.kind === 'open') continue;
      skip(watch, nowUs);
      queue(watch);
    }
  };

  const run = async (watch: Watch, work: Work) => {
    const { assignment } = watch;
    const startUs = startOf(watch, time.nowUs());
    const startMs = clock.monoMs();
    const blockMs = Math.max(0, (startUs - work.atUs) / 1000);
    watch.busy = true;
    watch.lastStartUs = startUs;
    running += 1;
    begin(watch, work, startUs);
    const seen = await deps.check(assignment, ending.signal).finally(() => {
      running -= 1;
    });
    pump();
    if (ending.signal.aborted) return idle();
    const stoodStill = stalls.since(startMs);
    if (stoodStill && watch.thrownAway < thrownAwayMost) return again(watch, work);
    watch.thrownAway = 0;
    const measured = stoodStill && seen.code !== 1 ? asStoodStill(seen) : seen;
    const endUs = startUs + Math.round((clock.monoMs() - startMs) * 1000);
    const judged = await deps.judge(assignment.deviceNo, measured);
    if (ending.signal.aborted) return;
    const attempt = work.kind === 'retry' ? work.k : 0;
    const answer = {
      code: judged.code,
      attempt,
      chainId: work.kind === 'retry' ? work.chainId : '',
      endUs,
    };
    const after = afterAnswer(watch.chain, answer, rulesOf(assignment, deps.orderGraceMs), deps.newId);
    const { deviceNo, revision } = assignment;
    const orderId = work.kind === 'turn' ? '' : work.orderId;
    const facts = { deviceNo, startUs, revision, blockMs, attempt, chainId: after.chainId, orderId };
    const begins = beginsTrouble(watch.chain, after.chain);
    deps.onResult(resultOf(facts, judged), { assignment, measurement: judged, beginsTrouble: begins });
    if (watch.guest) watch.gone = isGuestDone(watch, work);
    else if (watch.assignment.revision === revision) setChain(watch, after.chain, time.nowUs());
    watch.checkedRevision = revision;
    rest(watch);
  };
  const begin = (watch: Watch, work: Work, startUs: number) => {
    const { lateUs, passed } = beginWork(watch, work, startUs);
    meter.started(Math.max(0, lateUs / 1000));
    meter.skipped(passed);
    if (lateUs > toleratedMs * 1000) coverage.broken(work.atUs, startUs);
  };
  /** The process stood still: what was seen meanwhile, good or bad, is not how the device is. */
  const again = (watch: Watch, work: Work) => {
    watch.thrownAway += 1;
    skip(watch, time.nowUs());
    if (work.kind !== 'retry') {
      const orderId = work.kind === 'asked' ? work.orderId : '';
      askFor(watch, orderId, time.nowUs());
    }
    rest(watch);
  };
  /** The device is free again: turns that passed while its own check ran leave one to do now. */
  const rest = (watch: Watch) => {
    const nowUs = time.nowUs();
    watch.busy = false;
    watch.freeUs = nowUs;
    if (watch.gone) watches.delete(watch.assignment.deviceNo);
    if (watch.dueUs <= nowUs) watch.dueUs = lastDueUs(watch.assignment, nowUs);
    queue(watch);
    pump();
  };
  const idle = () => {
    if (running === 0) onIdle?.();
  };

  const put = (assignment: Assignment): string | undefined => {
    const fault = assignment.spec === undefined ? 'no check in it' : faultOfTurns(assignment);
    if (fault !== undefined) return `device ${assignment.deviceNo}: ${fault}`;
    const nowUs = time.nowUs();
    const old = watches.get(assignment.deviceNo);
    const isSame = old !== undefined && equals(AssignmentSchema, old.assignment, assignment);
    if (isSame && !old.gone) return undefined;
    const watch = old ?? createWatch(assignment, nowUs, deps.chainOf(assignment.deviceNo, nowUs));
    watches.set(assignment.deviceNo, watch);
    if (old !== undefined) reassign(old, assignment, nowUs);
    askFirstLook(watch, nowUs);
    queue(watch);
    return undefined;
  };
  const remove = (deviceNo: number) => {
    const watch = watches.get(deviceNo);
    if (watch === undefined) return;
    watch.gone = true;
    agenda.delete(watch);
    if (!watch.busy) watches.delete(deviceNo);
  };
  const change: Scheduler['change'] = (upserts, removedDeviceNos) => {
    for (const deviceNo of removedDeviceNos) remove(deviceNo);
    const faults = upserts.map(put).filter((fault) => fault !== undefined);
    pump();
    return faults;
  };
  const moveAll = (move: (watch: Watch, nowUs: number) => void) => {
    const nowUs = time.nowUs();
    for (const watch of watches.values()) {
      move(watch, nowUs);
      queue(watch);
    }
    pump();
  };

  return {
    replace(assignments) {
      const named = new Set(assignments.map(({ deviceNo }) => deviceNo));
      return change(
        assignments,
        [...watches].flatMap(([deviceNo, { guest }]) => (guest || named.has(deviceNo) ? [] : [deviceNo])),
      );
    },
    change,
    order(order) {
      const nowUs = time.nowUs();
      const watch = watches.get(order.deviceNo) ?? createGuest(order.assignment, nowUs);
      if (watch === undefined || watch.gone || !isNewOrder(order.orderId)) return;
      watches.set(order.deviceNo, watch);
      obey(watch, order, nowUs, deps.orderGraceMs);
      queue(watch);
      pump();
    },
    look(deviceNo) {
      const watch = watches.get(deviceNo);
      if (watch === undefined || watch.gone) return false;
      askFor(watch, '', time.nowUs());
      queue(watch);
      pump();
      return true;
    },
    lookSoon(deviceNos) {
      const named = new Set(deviceNos);
      moveAll((watch, nowUs) => {
        if (named.has(watch.assignment.deviceNo)) bringForward(watch, nowUs);
      });
    },
    clockStepped(byUs) {
      if (Math.abs(byUs) < smallStepUs) return;
      coverage.stepped(time.nowUs() - byUs, time.nowUs());
      moveAll((watch, nowUs) => {
        moveClock(watch, byUs, nowUs);
        askFirstLook(watch, nowUs);
      });
    },
    gapEnded(lengthMs) {
      if (lengthMs > toleratedMs) skipMissed();
      pump();
    },
    waitingUs() {
      const first = agenda.first();
      return first !== undefined && first.atUs <= time.nowUs() ? first.atUs : undefined;
    },
    start() {
      if (started) return;
      started = true;
      coverage.begin(time.nowUs());
      moveAll((watch, nowUs) => {
        if (!watch.guest) watch.dueUs = nextDueUs(watch.assignment, nowUs);
      });
    },
    async stop() {
      timer?.[Symbol.dispose]();
      ending.abort(new Error('the agent ends'));
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
    get running() {
      return running;
    },
  };
}
