import { networkInterfaces } from 'node:os';
import { type Clock, declareShare, descriptorLimit, type Logger, messageOf, newId } from '@vantage/kernel';
import { createDial, traceroute } from '@vantage/probes';
import { type ClockSync, createClockSync } from '../clock/sync.ts';
import type { Config } from '../config/config.ts';
import type { LocalSecretsFile } from '../config/local-secrets.ts';
import type { Timing } from '../config/time-scale.ts';
import type { AgentPolicy } from '../policy/policy.ts';
import { type CheckRunner, createCheckRunner } from '../schedule/check.ts';
import { type Coverage, createCoverage } from '../schedule/coverage.ts';
import { createDiagnosticsCollector, type DiagnosticsCollector } from '../schedule/diagnostics.ts';
import {
  createLateChecks,
  createLatenessMeter,
  createStalls,
  type LatenessMeter,
  type Stalls,
} from '../schedule/due-times.ts';
import { createRateLimiter } from '../schedule/rate-limiter.ts';
import { createScheduleTable, type ScheduleTable } from '../schedule/schedule-table.ts';
import { createScheduler, type Scheduler } from '../schedule/scheduler.ts';
import type { Link } from '../stream/link.ts';
import { type Anchors, createAnchorCheck, createAnchors } from '../uplink/anchors.ts';
import { cachedOwnNetworks, type OwnNetworks } from '../uplink/reachability.ts';
import { createUplink, type Uplink } from '../uplink/uplink.ts';
import { createHeartbeatSender, type SendHeartbeat } from './heartbeat.ts';
import type { Stores } from './stores.ts';

declareShare({
  name: 'checks_of_an_agent',
  limit: 'checksPerMinute of the policy file',
  filledBy: 'devices',
  share: 'an agent is of one account; devices take turns by when they are due',
});

/** Descriptors for the agent itself: its files, the stream, the spawner of scripts, resolvers, and a reserve. */
const ownDescriptors = 48;
/** A check may race two connections, and a redirect or a data channel is another one. */
const perCheck = 2;

/** How many checks may run at one moment so that they leave the agent its own file descriptors: at least one. */
export function checksWithin(limit: number, wanted: number): number {
  return Math.max(1, Math.min(wanted, Math.floor((limit - ownDescriptors) / perCheck)));
}

/** The process stood still when its pulse comes this much late. */
const stallMs = 1500;

/** The parts that run checks, and what the agent knows about their progress. */
export interface Checks {
  readonly table: ScheduleTable;
  readonly scheduler: Scheduler;
  readonly uplink: Uplink;
  readonly anchors: Anchors;
  readonly diagnostics: DiagnosticsCollector;
  readonly sync: ClockSync;
  readonly coverage: Coverage;
  readonly meter: LatenessMeter;
  readonly stalls: Stalls;
  readonly sendHeartbeat: SendHeartbeat;
}

interface ChecksDeps {
  readonly policy: AgentPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly timing: Timing;
  readonly stores: Stores;
  readonly link: Link;
  readonly localSecrets: LocalSecretsFile;
  readonly concurrency: number;
  /** Aborts when the agent is asked to end. */
  readonly signal: AbortSignal;
}

/** Joins the parts that run checks. Nothing runs before the scheduler is started. */
export function createChecks(deps: ChecksDeps): Checks {
  const { policy, clock, random, log, stores, link, localSecrets, concurrency, signal } = deps;
  const { time, outbox, retryStore, append } = stores;
  const { requestGraceMs } = deps.timing;
  const monoMs = () => clock.monoMs();
  const coverage = createCoverage();
  const meter = createLatenessMeter();
  const stalls = createStalls({ monoMs, thresholdMs: stallMs });
  const sendHeartbeat = createHeartbeatSender({
    link,
    time,
    outbox,
    coverage,
    isLeaving: () => signal.aborted,
    anchors: () => anchors.states,
  });
  const retrySequenceOf = (deviceNo: number, nowUs: number) => retryStore.of(deviceNo, nowUs);
  const table = createScheduleTable({ time, retrySequenceOf, requestGraceMs });
  const ownNetworks = cachedOwnNetworks({ clock, interfaces: networkInterfaces });
  const check = createCheckRunner({
    clock,
    dial: createDial(),
    policy,
    random,
    localSecrets: () => localSecrets.current,
  });
  const anchors = openAnchors(deps, {
    check,
    stalls,
    ownNetworks,
    onChange: () => sendHeartbeat(uplink.offlineReason),
    onAnswersAgain: (deviceNos) => table.runSoon(deviceNos),
  });
  const uplink = createUplink({
    clock,
    ownNetworks,
    judgeByAnchors: anchors.judge,
    sendHeartbeat,
    runNow: (deviceNo, onStart) => table.runNow(deviceNo, onStart),
    onOnlineAgain: (unchecked) => table.runSoon(unchecked),
  });
  const diagnostics = createDiagnosticsCollector({
    clock,
    policy,
    trace: traceroute,
    isOnline: () => link.isUp && uplink.isOnline,
    append: (value) => append({ case: 'diagnostics', value }),
  });
  const scheduler = createScheduler({
    table,
    time,
    clock,
    check,
    confirm: (deviceNo, measurement, begunMs) => uplink.confirm(deviceNo, measurement, begunMs),
    onResult(value, context) {
      append({ case: 'result', value });
      diagnostics.written(value, context);
    },
    concurrency,
    rateLimiter: createRateLimiter({ checksPerMinute: policy.checksPerMinute, monoMs }),
    coverage,
    lateChecks: createLateChecks(monoMs),
    meter,
    stalls,
    requestGraceMs,
    newId,
    onError: (error) => log.error({ error: messageOf(error) }, 'unexpected error'),
  });
  const sync = createSync(stores, scheduler, log);
  return { table, scheduler, uplink, anchors, diagnostics, sync, coverage, meter, stalls, sendHeartbeat };
}

/** The anchors' monitor. It checks nothing before anchors are set. */
function openAnchors(
  { clock, timing, log, stores }: ChecksDeps,
  parts: {
    readonly check: CheckRunner;
    readonly stalls: Stalls;
    readonly ownNetworks: () => OwnNetworks;
    readonly onChange: () => void;
    readonly onAnswersAgain: (deviceNos: readonly number[]) => void;
  },
): Anchors {
  return createAnchors({
    ...parts,
    clock,
    everyMs: timing.anchorsMs,
    nowMs: () => stores.time.nowUs() / 1000,
    check: createAnchorCheck({ ...parts, monoMs: () => clock.monoMs() }),
    onError: (error) => log.error({ error: messageOf(error) }, 'unexpected error'),
  });
}

/**
 * Creates the clock's synchronisation. Each new offset is recorded, moves the schedule and is stored for the next
 * start.
 */
function createSync({ time, identity, append }: Stores, scheduler: Scheduler, log: Logger): ClockSync {
  return createClockSync({
    time,
    isKnown: identity.wallOffsetUs !== undefined,
    onOffset(clockRecord, movedUs) {
      log.debug({ offsetUs: Number(clockRecord.offsetUs) }, 'clock offset');
      append({ case: 'clock', value: clockRecord });
      scheduler.clockStepped(movedUs);
      scheduler.start();
      void identity.keepWallOffset(time.wallOffsetUs());
    },
  });
}

/** How many checks may run at one moment: fewer than configured where the process may not open enough files. */
export function concurrencyOf(config: Pick<Config, 'concurrency'>, log: Logger): number {
  const limit = descriptorLimit();
  const concurrency = checksWithin(limit, config.concurrency);
  if (concurrency < config.concurrency) {
    const text = `only ${limit} files may be open at once (ulimit -n): at most ${concurrency} checks run at one moment`;
    log.warn({ wanted: config.concurrency }, text);
  }
  return concurrency;
}
