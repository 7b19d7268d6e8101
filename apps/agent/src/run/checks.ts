import { networkInterfaces } from 'node:os';
import { type Clock, declareShare, type Logger, messageOf, newId } from '@vantage/kernel';
import { createDial, traceroute } from '@vantage/probes';
import { type ClockSync, createClockSync } from '../clock/clock-sync.ts';
import type { Timing } from '../config/agent-timing.ts';
import type { LocalSecretsFile } from '../config/local-secrets-file.ts';
import type { AgentPolicy } from '../policy/agent-policy.ts';
import { createCheckRateLimiter } from '../schedule/check-rate-limiter.ts';
import { type CheckRunner, createCheckRunner } from '../schedule/check-runner.ts';
import { type Coverage, createCoverage } from '../schedule/coverage.ts';
import { createDiagnosticsCollector, type DiagnosticsCollector } from '../schedule/diagnostics-collector.ts';
import { createLateChecks } from '../schedule/late-checks.ts';
import { createLatenessMeter, type LatenessMeter } from '../schedule/lateness-meter.ts';
import { createScheduleTable, type ScheduleTable } from '../schedule/schedule-table.ts';
import { createScheduler, type Scheduler } from '../schedule/scheduler.ts';
import { createStalls, type Stalls } from '../schedule/stalls.ts';
import type { ControllerLink } from '../stream/controller-link.ts';
import { createAnchorCheck } from '../uplink/anchor-check.ts';
import { type Anchors, createAnchors } from '../uplink/anchor-monitor.ts';
import { cachedOwnNetworks, type OwnNetworks } from '../uplink/own-networks.ts';
import { createUplink, type Uplink } from '../uplink/uplink.ts';
import { createHeartbeatSender, type SendHeartbeat } from './send-heartbeat.ts';
import type { Stores } from './stores.ts';

declareShare({
  name: 'checks_of_an_agent',
  limit: 'checksPerMinute of the policy file',
  filledBy: 'devices',
  share: 'an agent is of one account; devices take turns by when they are due',
});

/** The process stood still when its pulse is late by this much. */
const stallMs = 1500;

/** The parts that run checks, and the state of their progress. */
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
  /** Sets the listener for the addresses that each check used or tried. */
  onChecked(listener: (deviceNo: number, addresses: readonly string[]) => void): void;
}

interface ChecksDeps {
  readonly policy: AgentPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly timing: Timing;
  readonly stores: Stores;
  readonly link: ControllerLink;
  readonly localSecrets: LocalSecretsFile;
  readonly concurrency: number;
  /** Aborts when the agent is to stop. */
  readonly signal: AbortSignal;
}

/** Joins the parts that run checks. Nothing runs before the scheduler is started. */
export function createChecks(deps: ChecksDeps): Checks {
  const { policy, clock, random, log, stores, link, localSecrets, concurrency, signal } = deps;
  const { time, outbox, retryStore, append } = stores;
  const { requestGraceMs } = deps.timing;
  const monoMs = () => clock.monoMs();
  let onChecked: (deviceNo: number, addresses: readonly string[]) => void = () => {};
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
      const { peers } = context.measurement;
      if (peers.length > 0)
        onChecked(
          value.deviceNo,
          peers.map(({ address }) => address),
        );
    },
    concurrency,
    rateLimiter: createCheckRateLimiter({ checksPerMinute: policy.checksPerMinute, monoMs }),
    coverage,
    lateChecks: createLateChecks(monoMs),
    meter,
    stalls,
    requestGraceMs,
    newId,
    onError: (error) => log.error({ error: messageOf(error) }, 'unexpected error'),
  });
  const sync = createSync(stores, scheduler, log);
  return {
    table,
    scheduler,
    uplink,
    anchors,
    diagnostics,
    sync,
    coverage,
    meter,
    stalls,
    sendHeartbeat,
    onChecked(listener) {
      onChecked = listener;
    },
  };
}

/** Creates the monitor of the anchors. It checks nothing before anchors are set. */
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
 * Creates the clock synchronisation. Each new offset is recorded, moves the schedule and is stored for the next start.
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
