import { hostname, networkInterfaces, uptime } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Clock, descriptorLimit, type Logger, messageOf, newId } from '@vantage/kernel';
import { createDial, traceroute } from '@vantage/probes';
import { Goodbye_Reason, type Order, type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { createAgentTime } from './agent-time.ts';
import { createAllowance } from './allowance.ts';
import { openAssignments } from './assignments.ts';
import { cachedOwnNetworks } from './beyond.ts';
import { openChains } from './chains.ts';
import { createClockSync } from './clock-sync.ts';
import type { Config } from './config.ts';
import { createCoverage } from './coverage.ts';
import { checksWithin } from './descriptors.ts';
import { every } from './every.ts';
import { createEvidence } from './evidence.ts';
import { type Beat, createBeat } from './heartbeat.ts';
import { openIdentity } from './identity.ts';
import { createLatenessMeter } from './lateness.ts';
import { createLink, type Incoming } from './link.ts';
import { createLocalSecrets } from './local-secrets.ts';
import { createLook } from './look.ts';
import { openOutbox } from './outbox/outbox.ts';
import { partingTeller } from './parting.ts';
import type { AgentPolicy } from './policy.ts';
import { createScheduler } from './scheduler.ts';
import { createStalls } from './stalls.ts';
import { scaledFor } from './time-scale.ts';
import { createUplink } from './uplink.ts';
import { createUploader } from './uploader.ts';
import { rulesOf } from './watch.ts';

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
const orderGraceMs = 5000;
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
  const graceMs = orderGraceMs / config.testTimeScale;
  const scaled = scaledFor(config.testTimeScale);
  const chains = await openChains({
    folder,
    onFault,
    rulesOf(deviceNo) {
      const assignment = assignments.all.get(deviceNo);
      return assignment && { revision: assignment.revision, rules: rulesOf(scaled(assignment), graceMs) };
    },
  });
  let wakeUploader = () => {};
  await using outbox = await openOutbox({
    folder: path.join(folder, 'outbox'),
    maxBytes: config.outboxBytes,
    clock,
    nowMs: () => time.nowUs() / 1000,
    newId,
    onAvailable: () => wakeUploader(),
    onFault: (text) => log.error(`outbox: ${text}`),
    onKept({ record }) {
      if (record.case === 'result') chains.take(record.value);
    },
    beforeForget: () => chains.written(),
  });
  const append = (record: OutboxRecord['record']) => outbox.append(create(OutboxRecordSchema, { record }));

  const monoMs = () => clock.monoMs();
  /** A monotonic moment on the corrected clock. */
  const usOf = (atMs: number) => time.nowUs() - (clock.monoMs() - atMs) * 1000;
  const coverage = createCoverage();
  const meter = createLatenessMeter();
  const stalls = createStalls({ monoMs, thresholdMs: stallMs });
  const uplink = createUplink({
    clock,
    ownNetworks: cachedOwnNetworks({ clock, interfaces: networkInterfaces }),
    ask: () => beat(),
    look: (deviceNo) => scheduler.look(deviceNo),
    onSight: (unseen) => scheduler.lookSoon(unseen),
  });
  const evidence = createEvidence({
    clock,
    policy,
    trace: traceroute,
    canSee: () => link.isUp && uplink.blindReason === '',
    append: (value) => append({ case: 'evidence', value }),
  });
  const localSecrets = createLocalSecrets({
    file: config.secretsFile,
    onFault: (text) => log.error(`${text}; what was read before stays in force`),
    onChange: (count) => log.info({ secrets: count }, "this machine's own secrets were read again"),
  });
  const scheduler = createScheduler({
    time,
    clock,
    check: createLook({
      clock,
      dial: createDial(),
      policy,
      random,
      localSecrets: () => localSecrets.current,
    }),
    judge: (deviceNo, measurement) => uplink.judge(deviceNo, measurement),
    onResult(value, made) {
      append({ case: 'result', value });
      evidence.failed(value, made);
    },
    concurrency,
    allowance: createAllowance({ checksPerMinute: policy.checksPerMinute, monoMs }),
    coverage,
    meter,
    stalls,
    chainOf: (deviceNo, nowUs) => chains.of(deviceNo, nowUs),
    orderGraceMs: graceMs,
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
  let tellParting = partingTeller(log);
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
      tellParting = partingTeller(log);
      uplink.heard();
      beat();
      uploader.up();
      clock.timer(firstOffsetWithinMs, () => scheduler.start());
    },
    onMessage(message) {
      uplink.heard();
      receive(message);
    },
    onDown(parting, endpoint) {
      tellParting(parting, endpoint);
      assignments.forgetParts();
      uploader.down();
      uplink.cut();
      if (parting.kind === 'goodbye' && parting.reason === Goodbye_Reason.REVOKED) {
        assignments.forget();
        chains.prune();
        scheduler.replace([]);
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

  wakeUploader = () => uploader.available();
  const beat: Beat = createBeat({ link, time, outbox, uplink, coverage });
  const scaledOrder = (order: Order) =>
    order.assignment === undefined ? order : { ...order, assignment: scaled(order.assignment) };
  const receive = (message: Incoming) => {
    switch (message.case) {
      case 'assignments': {
        const taken = assignments.take(message.value);
        if (taken.kind === 'wait') return;
        chains.prune();
        uplink.prune((deviceNo) => assignments.all.has(deviceNo));
        const faults =
          taken.kind === 'replace'
            ? scheduler.replace(taken.assignments.map(scaled))
            : scheduler.change(taken.upserts.map(scaled), taken.removedDeviceNos);
        for (const fault of faults) log.error(`assignment refused: ${fault}`);
        return;
      }
      case 'order':
        scheduler.order(scaledOrder(message.value));
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
    const stalledMs = stalls.beat();
    const sleptMs = time.noticeSleep();
    if (sleptMs > 0) {
      stalls.mark();
      sync.forget();
    }
    if (sleptMs > 0 || stalledMs > 0) {
      log.warn({ stalledMs: Math.round(stalledMs), sleptMs: Math.round(sleptMs) }, 'the agent stood still');
      scheduler.gapEnded(Math.max(stalledMs, sleptMs));
      beat();
    }
  };
  const tellCoverage = () => {
    const nowUs = time.nowUs();
    // A dead uplink ends no coverage: the code 10 of each device it hides says so, those in the own subnets go on.
    const { undecidedFromMs } = uplink;
    const undecidedUs = undecidedFromMs === undefined ? nowUs : usOf(undecidedFromMs);
    const openFromUs = Math.min(scheduler.waitingUs() ?? nowUs, undecidedUs);
    for (const { fromUs, toUs } of coverage.take(nowUs, openFromUs)) {
      const value = { fromUs: BigInt(Math.round(fromUs)), toUs: BigInt(Math.round(toUs)) };
      outbox.append(create(OutboxRecordSchema, { record: { case: 'coverage', value } }));
    }
  };

  log.info({ version, devices: assignments.all.size, records: outbox.records }, 'agent starts');
  scheduler.replace([...assignments.all.values()].map(scaled));
  if (identity.wallOffsetUs !== undefined) scheduler.start();
  using _pulse = every(clock, pulseMs, pulse);
  using _heartbeat = every(clock, heartbeatMs, () => {
    if (link.isUp) beat(meter.take());
    if (identity.wallOffsetUs !== undefined) void identity.keepWallOffset(time.wallOffsetUs());
  });
  using _secrets = every(clock, secretsMs, () => localSecrets.refresh());
  using _coverage = every(clock, coverageMs / config.testTimeScale, tellCoverage);
  await link.run(signal);
  await scheduler.stop();
  await evidence.stop();
  tellCoverage();
  await outbox.flushed();
  await chains.written();
  log.info({ records: outbox.records }, 'agent ends');
}
