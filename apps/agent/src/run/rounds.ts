import { create } from '@bufbuild/protobuf';
import { type Clock, every, type Logger } from '@vantage/kernel';
import { CoverageSpanSchema } from '@vantage/proto';
import type { LocalSecretsFile } from '../config/local-secrets.ts';
import type { Timing } from '../config/time-scale.ts';
import type { Link } from '../stream/link.ts';
import type { Checks } from './checks.ts';
import type { Stores } from './stores.ts';

const pulseMs = 250;
const heartbeatMs = 10_000;
/** The agent notices a change of the machine's own secrets within this time. */
const secretsMs = 5000;
const diskMs = 5000;

interface RoundsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly timing: Timing;
  readonly stores: Stores;
  readonly checks: Checks;
  readonly link: Link;
  readonly localSecrets: LocalSecretsFile;
}

/**
 * Starts the agent's periodic work: pulse, heartbeats, coverage, the room of its disk, its own secrets. Disposing ends
 * it.
 */
export function startRounds(deps: RoundsDeps): Disposable {
  const { clock, timing, stores, checks, link, localSecrets } = deps;
  const { identity, time } = stores;
  using rounds = new DisposableStack();
  rounds.use(every(clock, pulseMs, () => pulse(deps)));
  rounds.use(
    every(clock, heartbeatMs, () => {
      if (link.isUp) checks.sendHeartbeat(checks.uplink.offlineReason, checks.meter.take());
      if (identity.wallOffsetUs !== undefined) void identity.keepWallOffset(time.wallOffsetUs());
    }),
  );
  rounds.use(every(clock, diskMs, () => void stores.disk.check()));
  rounds.use(every(clock, secretsMs, () => localSecrets.refresh()));
  rounds.use(every(clock, timing.coverageMs, () => reportCoverage(deps)));
  return rounds.move();
}

/** Notices that the host slept or that the process stood still. */
function pulse({ stores, checks, log }: RoundsDeps): void {
  const { stalls, scheduler, sync, uplink } = checks;
  const stalledMs = stalls.tick();
  const sleptMs = stores.time.detectSleep();
  if (sleptMs > 0) {
    stalls.mark();
    sync.forget();
  }
  if (sleptMs === 0 && stalledMs === 0) return;
  log.warn({ stalledMs: Math.round(stalledMs), sleptMs: Math.round(sleptMs) }, 'the agent stood still');
  scheduler.gapEnded(Math.max(stalledMs, sleptMs));
  checks.sendHeartbeat(uplink.offlineReason);
}

/** Writes the time spans that are covered since the last report into the outbox. */
export function reportCoverage({
  clock,
  stores,
  checks,
}: Pick<RoundsDeps, 'clock' | 'stores' | 'checks'>): void {
  const { time, append } = stores;
  const nowUs = time.nowUs();
  // A dead uplink or anchor ends no coverage: each device that it hides has a result of code 10, those in the own
  // subnets go on.
  const nowMs = clock.monoMs();
  const unconfirmedMs = Math.min(
    checks.uplink.unconfirmedFromMs ?? nowMs,
    checks.anchors.unconfirmedFromMs ?? nowMs,
  );
  const unconfirmedUs = nowUs - (nowMs - unconfirmedMs) * 1000;
  const openFromUs = Math.min(checks.scheduler.waitingUs() ?? nowUs, unconfirmedUs);
  for (const { fromUs, toUs } of checks.coverage.take(nowUs, openFromUs)) {
    append({
      case: 'coverage',
      value: create(CoverageSpanSchema, {
        fromUs: BigInt(Math.round(fromUs)),
        toUs: BigInt(Math.round(toUs)),
      }),
    });
  }
}
