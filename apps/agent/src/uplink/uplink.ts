import { resultCode } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { declareState } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Anchors } from './anchor-monitor.ts';
import { isRemote, type OwnNetworks } from './own-networks.ts';
import { asUplinkDead, reachability } from './reachability.ts';
import { createReferenceChecks } from './reference-checks.ts';

/**
 * Keeps errors that a dead uplink causes from counting against devices.
 *
 * The agent postpones the error of a remote target (one outside its own subnets) until a remote host answers: the
 * controller, to which it sends a heartbeat at once, or another target. If the controller is silent, the agent checks
 * up to three healthy targets as references (`createReferenceChecks`). If no reference answers either, the error
 * becomes code 10. No retry starts before the error is confirmed, however short the outage of the uplink was. If the
 * anchors of the Location say something about a target, they decide instead.
 */
export interface Uplink {
  /** The measurement to write: unchanged, or with code 10. A promise only if it must wait. */
  confirm(deviceNo: number, measurement: Measurement, begunMs?: number): Measurement | Promise<Measurement>;
  /** The controller sent a message. */
  controllerAnswered(): void;
  /** The stream to the controller ended. */
  disconnected(): void;
  /** Forgets devices that are no longer assigned, so that they are not used as references. */
  prune(isAssigned: (deviceNo: number) => boolean): void;
  /** False while the agent knows that no remote host answers. */
  readonly isOnline: boolean;
  /** The reason why the agent is offline, for people; empty while it is online. */
  readonly offlineReason: string;
  /** The oldest error that is not confirmed yet, monotonic milliseconds. */
  readonly unconfirmedFromMs: number | undefined;
}

interface ErrorAtUplink {
  readonly deviceNo: number;
  readonly endMs: number;
  readonly release: (isGenuine: boolean) => void;
}

/** Time limit for the answer to the heartbeat. */
const replyWithinMs = 5000;
/** Minimum time between two rounds of references. */
const minRoundMs = 2000;
const uplinkDead = 'uplink dead: nothing beyond the own networks answers';

/** Removes all other devices from the sets. */
function keepOnly(sets: readonly Set<number>[], isKept: (deviceNo: number) => boolean): void {
  for (const set of sets) for (const deviceNo of [...set]) if (!isKept(deviceNo)) set.delete(deviceNo);
}

const trackedErrors = declareState({
  name: 'errors_at_uplink',
  entries: { each: 'running check' },
  entryBytes: 2_000,
  filledBy: 'targets that fail',
  atBound: 'the limit of checks at one time',
});

const trackedDevices = declareState({
  name: 'uplink_devices',
  entries: { each: 'device' },
  entryBytes: 50,
  filledBy: 'targets',
  atBound: 'devices that are not assigned leave',
});

/**
 * Creates the uplink monitor. `sendHeartbeat` sends a heartbeat now and returns whether there is a stream. `runNow`
 * checks a device before all others, calls `onStart` when the check starts, and returns whether the device is assigned.
 */
export function createUplink(deps: {
  readonly clock: Clock;
  readonly ownNetworks: () => OwnNetworks;
  readonly sendHeartbeat: (offlineReason: string) => boolean;
  readonly runNow: (deviceNo: number, onStart: () => void) => boolean;
  /** The verdict of the anchors about an error; see `Anchors.judge`. */
  readonly judgeByAnchors: Anchors['judge'];
  /** A remote host answers again. `unchecked`: devices whose errors became code 10 in the meantime. */
  readonly onOnlineAgain: (unchecked: readonly number[]) => void;
}): Uplink {
  const { clock, ownNetworks, sendHeartbeat, runNow, judgeByAnchors, onOnlineAgain } = deps;
  const pending = trackedErrors(new Set<ErrorAtUplink>());
  /** Remote devices whose last check was good, the latest last. */
  const healthy = trackedDevices(new Set<number>());
  /** Devices whose errors became code 10 since the agent went offline. */
  const unchecked = new Set<number>();
  let step:
    | { readonly kind: 'heartbeat' | 'references' | 'pausing'; readonly timer?: Disposable }
    | undefined;
  let roundEndedMs = Number.NEGATIVE_INFINITY;
  let isOffline = false;
  let onlineFromMs = Number.NEGATIVE_INFINITY;

  const references = createReferenceChecks({ clock, runNow, onAllFailed: () => goOffline() });

  const clearStep = () => {
    step?.timer?.[Symbol.dispose]();
    step = undefined;
    references.end();
  };
  const settle = (isGenuine: boolean) => {
    clearStep();
    const all = [...pending];
    pending.clear();
    for (const error of all) {
      if (!isGenuine) unchecked.add(error.deviceNo);
      error.release(isGenuine);
    }
  };
  /** A remote host answered. Errors that were postponed while the agent was offline become code 10. */
  const goOnline = () => {
    const wasOffline = isOffline;
    isOffline = false;
    settle(!wasOffline);
    if (!wasOffline) return;
    onlineFromMs = clock.monoMs();
    const missed = [...unchecked];
    unchecked.clear();
    onOnlineAgain(missed);
  };
  const goOffline = () => {
    roundEndedMs = clock.monoMs();
    isOffline = true;
    settle(false);
  };
  const checkReferences = () => {
    clearStep();
    const waitMs = roundEndedMs + minRoundMs - clock.monoMs();
    if (waitMs > 0) {
      step = { kind: 'pausing', timer: clock.timer(waitMs, checkReferences) };
      return;
    }
    step = { kind: 'references' };
    references.begin([...healthy].reverse(), (deviceNo) => healthy.delete(deviceNo));
  };
  const postpone = (deviceNo: number, measurement: Measurement) =>
    new Promise<Measurement>((resolve) => {
      const release = (isGenuine: boolean) => resolve(isGenuine ? measurement : asUplinkDead(measurement));
      pending.add({ deviceNo, endMs: clock.monoMs(), release });
      if (step === undefined) {
        if (sendHeartbeat(isOffline ? uplinkDead : ''))
          step = { kind: 'heartbeat', timer: clock.timer(replyWithinMs, checkReferences) };
        else checkReferences();
      } else references.failed(deviceNo);
    });
  const confirmSilence = async (deviceNo: number, measurement: Measurement, begunMs: number) => {
    const judging = judgeByAnchors(deviceNo, measurement, begunMs);
    if (judging !== undefined) references.failed(deviceNo);
    const judged = judging && (await judging);
    if (judged !== undefined || isOffline || begunMs >= onlineFromMs)
      return judged ?? postpone(deviceNo, measurement);
    // Packets of this check may have been lost before the agent was online again.
    onOnlineAgain([deviceNo]);
    return asUplinkDead(measurement);
  };
  return {
    confirm(deviceNo, measurement, begunMs = clock.monoMs()) {
      const reached = reachability(measurement);
      if (reached === 'nothing' || !isRemote(measurement, ownNetworks())) return measurement;
      healthy.delete(deviceNo);
      if (reached === 'silent') return confirmSilence(deviceNo, measurement, begunMs);
      if (measurement.code === resultCode.ok) healthy.add(deviceNo);
      goOnline();
      return measurement;
    },
    controllerAnswered: goOnline,
    disconnected() {
      if (step?.kind === 'heartbeat') checkReferences();
    },
    prune(isAssigned) {
      keepOnly([healthy, unchecked], isAssigned);
      references.prune(isAssigned);
    },
    get isOnline() {
      return !isOffline;
    },
    get offlineReason() {
      return isOffline ? uplinkDead : '';
    },
    get unconfirmedFromMs() {
      return pending.size === 0 ? undefined : Math.min(...[...pending].map(({ endMs }) => endMs));
    },
  };
}
