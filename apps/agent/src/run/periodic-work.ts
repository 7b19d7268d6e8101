import { type Clock, every, type Logger } from '@vantage/kernel';
import type { Timing } from '../config/agent-timing.ts';
import type { LocalSecretsFile } from '../config/local-secrets-file.ts';
import type { ControllerLink } from '../stream/controller-link.ts';
import type { Checks } from './checks.ts';
import { reportCoverage } from './report-coverage.ts';
import type { Stores } from './stores.ts';

const pulseMs = 250;
const heartbeatMs = 10_000;

/** The agent notices a change of the local secrets within this time. */
const secretsMs = 5000;

const diskMs = 5000;

interface PeriodicWorkDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly timing: Timing;
  readonly stores: Stores;
  readonly checks: Checks;
  readonly link: ControllerLink;
  readonly localSecrets: LocalSecretsFile;
}

/** Starts the agent's periodic work: pulse, heartbeats, coverage, free disk space, local secrets. Disposing ends it. */
export function startPeriodicWork(deps: PeriodicWorkDeps): Disposable {
  const { clock, timing, stores, checks, link, localSecrets } = deps;
  const { identity, time } = stores;
  using work = new DisposableStack();
  work.use(every(clock, pulseMs, () => pulse(deps)));
  work.use(
    every(clock, heartbeatMs, () => {
      if (link.isUp) checks.sendHeartbeat(checks.uplink.offlineReason, checks.meter.take());
      if (identity.wallOffsetUs !== undefined) void identity.keepWallOffset(time.wallOffsetUs());
    }),
  );
  work.use(every(clock, diskMs, () => void stores.disk.check()));
  work.use(every(clock, secretsMs, () => localSecrets.refresh()));
  work.use(every(clock, timing.coverageMs, () => reportCoverage(deps)));
  return work.move();
}

/** Detects that the host slept or that the process stood still. */
function pulse({ stores, checks, log }: PeriodicWorkDeps): void {
  const { stalls, scheduler, sync, uplink } = checks;
  const stalledMs = stalls.tick();
  const sleptMs = stores.time.detectSleep();
  if (sleptMs > 0) {
    stalls.noteSleep();
    sync.forget();
  }
  if (sleptMs === 0 && stalledMs === 0) return;
  log.warn({ stalledMs: Math.round(stalledMs), sleptMs: Math.round(sleptMs) }, 'the agent stood still');
  scheduler.gapEnded(Math.max(stalledMs, sleptMs));
  checks.sendHeartbeat(uplink.offlineReason);
}
