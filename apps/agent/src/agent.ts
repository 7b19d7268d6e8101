import { hostname, networkInterfaces, uptime } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Clock, descriptorLimit, type Logger, messageOf, newId } from '@vantage/kernel';
import { createDial, traceroute } from '@vantage/probes';
import { Goodbye_Reason, type OutboxRecord, OutboxRecordSchema, type RunRequest } from '@vantage/proto';
import { createAgentTime } from './clock/agent-time.ts';
import { createClockSync } from './clock/sync.ts';
import type { Config } from './config/config.ts';
import { createLocalSecrets } from './config/local-secrets.ts';
import { scaledFor } from './config/time-scale.ts';
import { openOutbox } from './outbox/outbox.ts';
import type { AgentPolicy } from './policy/policy.ts';
import { createCheckRunner } from './schedule/check-runner.ts';
import { createCoverage } from './schedule/coverage.ts';
import { checksWithin } from './schedule/descriptors.ts';
import { retryRulesOf } from './schedule/device-schedule.ts';
import { createDiagnosticsCollector } from './schedule/diagnostics.ts';
import { every } from './schedule/every.ts';
import { createLatenessMeter } from './schedule/lateness.ts';
import { createRateLimiter } from './schedule/rate-limiter.ts';
import { createScheduleTable } from './schedule/schedule-table.ts';
import { createScheduler } from './schedule/scheduler.ts';
import { createStalls } from './schedule/stalls.ts';
import { openAssignments } from './storage/assignments.ts';
import { openIdentity } from './storage/identity.ts';
import { openRetryStore } from './storage/retry-store.ts';
import { disconnectLogger } from './stream/disconnect-reason.ts';
import { createHeartbeatSender, type SendHeartbeat } from './stream/heartbeat.ts';
import { createLink, type Incoming } from './stream/link.ts';
import { createUploader } from './stream/uploader.ts';
import { cachedOwnNetworks } from './uplink/reachability.ts';
import { createUplink } from './uplink/uplink.ts';

/** From 0.2.0 on an agent cuts its batches at 1 MiB; the controller gives longer messages to 0.1.0 only. */
const version = '0.2.0';
const heartbeatMs = 10_000;
const coverageMs = 10_000;
/** A change of the machine's own secrets is noticed within this time. */
const secretsMs = 5000;
const pings = { pingIntervalMs: 10_000, pingTimeoutMs: 5000 };
const pulseMs = 250;
/** The process stood still when its pulse comes this much late. */
const stallMs = 1500;
const requestGraceMs = 5000;
/** Without an offset from an earlier run, checks wait this long after Welcome for the first measurement. */
const firstOffsetWithinMs = 5000;

/** Runs the agent until the signal aborts; resolves when all it knows is on disk. */
export async function runAgent(deps: {
  readonly config: Config;
  readonly policy: AgentPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { config, policy, clock, random, log, signal } = deps;
  const folder = config.dataDir;
  const onFault = (text: string) => log.error(text);
  const onError = (error: unknown) => log.error({ error: messageOf(error) }, 'unexpected error');

  const limit = descriptorLimit();
  const concurrency = checksWithin(limit, config.concurrency);
  if (concurrency < config.concurrency) {
    const text = `only ${limit} files may be open at once (ulimit -n): at most ${concurrency} checks run at one moment`;
    log.warn({ wanted: config.concurrency }, text);
  }
  await using identity = await openIdentity({ folder, newId, onFault });
  const wallOffsetUs = identity.wallOffsetUs ?? 0;
  const time = createAgentTime({ clock, upMs: () => uptime() * 1000, wallOffsetUs });
  await using assignments = await openAssignments({ folder, clock, onFault });
  const graceMs = requestGraceMs / config.testTimeScale;
  const scaled = scaledFor(config.testTimeScale);
  const retryStore = await openRetryStore({
    folder,
    onFault,
    rulesOf(deviceNo) {
      const assignment = assignments.all.get(deviceNo);
      return (
        assignment && { revision: assignment.revision, rules: retryRulesOf(scaled(assignment), graceMs) }
      );
    },
  });
  await using outbox = await openOutbox({
    folder: path.join(folder, 'outbox'),
    maxBytes: config.outboxBytes,
    clock,
    nowMs: () => time.nowUs() / 1000,
    newId,
    onFault: (text) => log.error(`outbox: ${text}`),
    onStored({ record }) {
      if (record.case === 'result') retryStore.add(record.value);
    },
    beforeDelete: () => retryStore.written(),
  });
  const append = (record: OutboxRecord['record']) => outbox.append(create(OutboxRecordSchema, { record }));

  const monoMs = () => clock.monoMs();
  /** A monotonic moment on the corrected clock. */
  const usOf = (atMs: number) => time.nowUs() - (clock.monoMs() - atMs) * 1000;
  const coverage = createCoverage();
  const meter = createLatenessMeter();
  const stalls = createStalls({ monoMs, thresholdMs: stallMs });
  const table = createScheduleTable({
    time,
    retrySequenceOf: (deviceNo, nowUs) => retryStore.of(deviceNo, nowUs),
    requestGraceMs: graceMs,
  });
  const uplink = createUplink({
    clock,
    ownNetworks: cachedOwnNetworks({ clock, interfaces: networkInterfaces }),
    sendHeartbeat: () => sendHeartbeat(),
    runNow: (deviceNo) => table.runNow(deviceNo),
    onOnlineAgain: (unchecked) => table.runSoon(unchecked),
  });
  const diagnostics = createDiagnosticsCollector({
    clock,
    policy,
    trace: traceroute,
    isOnline: () => link.isUp && uplink.offlineReason === '',
    append: (value) => append({ case: 'diagnostics', value }),
  });
  const localSecrets = createLocalSecrets({
    file: config.secretsFile,
    onFault: (text) => log.error(`${text}; what was read before stays in force`),
    onChange: (count) => log.info({ secrets: count }, "this machine's own secrets were read again"),
  });
  const scheduler = createScheduler({
    table,
    time,
    clock,
    check: createCheckRunner({
      clock,
      dial: createDial(),
      policy,
      random,
      localSecrets: () => localSecrets.current,
    }),
    confirm: (deviceNo, measurement) => uplink.confirm(deviceNo, measurement),
    onResult(value, context) {
      append({ case: 'result', value });
      diagnostics.failed(value, context);
    },
    concurrency,
    rateLimiter: createRateLimiter({ checksPerMinute: policy.checksPerMinute, monoMs }),
    coverage,
    meter,
    stalls,
    requestGraceMs: graceMs,
    newId,
    onError,
  });
  const sync = createClockSync({
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
  let logDisconnect = disconnectLogger(log);
  const link = createLink({
    endpoints: config.endpoints,
    token: config.token,
    ca: config.ca,
    clock,
    random,
    pings,
    async hello() {
      const sessionCounter = await identity.nextSession();
      const capacity = Math.min(policy.checksPerMinute, concurrency * 60);
      return { version, bootId: identity.bootId, sessionCounter, capacity, hostName: hostname() };
    },
    onUp({ agentNo, locationName }, endpoint) {
      log.info({ endpoint, agentNo, location: locationName }, 'connected');
      logDisconnect = disconnectLogger(log);
      uplink.controllerAnswered();
      sendHeartbeat();
      uploader.up();
      clock.timer(firstOffsetWithinMs, () => scheduler.start());
    },
    onMessage(message) {
      uplink.controllerAnswered();
      receive(message);
    },
    onDown(disconnect, endpoint) {
      logDisconnect(disconnect, endpoint);
      assignments.forgetPartial();
      uploader.down();
      uplink.disconnected();
      if (disconnect.kind === 'goodbye' && disconnect.reason === Goodbye_Reason.REVOKED) {
        assignments.forget();
        retryStore.prune();
        table.replace([]);
      }
    },
  });
  const uploader = createUploader({
    outbox,
    clock,
    random,
    send: (value) => link.send({ case: 'batch', value }),
    stuck: (why) => link.drop(why),
    onError,
  });
  const sendHeartbeat: SendHeartbeat = createHeartbeatSender({ link, time, outbox, uplink, coverage });
  const scaledRequest = (request: RunRequest) =>
    request.assignment === undefined ? request : { ...request, assignment: scaled(request.assignment) };
  const receive = (message: Incoming) => {
    switch (message.case) {
      case 'assignments': {
        const change = assignments.apply(message.value);
        if (change.kind === 'wait') return;
        retryStore.prune();
        uplink.prune((deviceNo) => assignments.all.has(deviceNo));
        const faults =
          change.kind === 'replace'
            ? table.replace(change.assignments.map(scaled))
            : table.change(change.upserts.map(scaled), change.removedDeviceNos);
        for (const fault of faults) log.error(`assignment refused: ${fault}`);
        return;
      }
      case 'runRequest':
        table.runRequest(scaledRequest(message.value));
        return;
      case 'ack':
        uploader.acked(message.value.batchId);
        return;
      case 'heartbeatReply':
        sync.reply(message.value);
        return;
      case 'welcome':
      case 'goodbye':
      case undefined:
        return;
    }
  };
  const pulse = () => {
    const stalledMs = stalls.tick();
    const sleptMs = time.detectSleep();
    if (sleptMs > 0) {
      stalls.mark();
      sync.forget();
    }
    if (sleptMs > 0 || stalledMs > 0) {
      log.warn({ stalledMs: Math.round(stalledMs), sleptMs: Math.round(sleptMs) }, 'the agent stood still');
      scheduler.gapEnded(Math.max(stalledMs, sleptMs));
      sendHeartbeat();
    }
  };
  const reportCoverage = () => {
    const nowUs = time.nowUs();
    // A dead uplink ends no coverage: the code 10 of each device it hides says so, those in the own subnets go on.
    const { unconfirmedFromMs } = uplink;
    const unconfirmedUs = unconfirmedFromMs === undefined ? nowUs : usOf(unconfirmedFromMs);
    const openFromUs = Math.min(scheduler.waitingUs() ?? nowUs, unconfirmedUs);
    for (const { fromUs, toUs } of coverage.take(nowUs, openFromUs)) {
      const value = { fromUs: BigInt(Math.round(fromUs)), toUs: BigInt(Math.round(toUs)) };
      outbox.append(create(OutboxRecordSchema, { record: { case: 'coverage', value } }));
    }
  };

  log.info({ version, devices: assignments.all.size, records: outbox.records }, 'agent starts');
  table.replace([...assignments.all.values()].map(scaled));
  if (identity.wallOffsetUs !== undefined) scheduler.start();
  using _pulse = every(clock, pulseMs, pulse);
  using _heartbeat = every(clock, heartbeatMs, () => {
    if (link.isUp) sendHeartbeat(meter.take());
    if (identity.wallOffsetUs !== undefined) void identity.keepWallOffset(time.wallOffsetUs());
  });
  using _secrets = every(clock, secretsMs, () => localSecrets.refresh());
  using _coverage = every(clock, coverageMs / config.testTimeScale, reportCoverage);
  await link.run(signal);
  await scheduler.stop();
  await diagnostics.stop();
  reportCoverage();
  await outbox.flushed();
  await retryStore.written();
  log.info({ records: outbox.records }, 'agent ends');
}
