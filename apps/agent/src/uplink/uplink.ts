import { resultCode } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { declareState } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Anchors } from './anchors.ts';
import { asUplinkDead, isRemote, type OwnNetworks, reachability } from './reachability.ts';
import { createWitnesses } from './witnesses.ts';

/**
 * Keeps errors that a dead uplink causes from counting against devices.
 *
 * The agent holds an error of a remote target (one outside its own subnets) until a remote host answers: the
 * controller, which it asks by a heartbeat at once, or another target. Where the controller is silent, the agent checks
 * up to three healthy targets as witnesses (`createWitnesses`). If no witness answers either, the error becomes code
 * 10. So no retry starts before the error is confirmed, however short the dead time was. Where the anchors of the
 * Location say something about a target, they decide instead.
 */
export interface Uplink {
  /** The measurement to write: unchanged, or with code 10. A promise only where it must wait. */
  confirm(deviceNo: number, measurement: Measurement, begunMs?: number): Measurement | Promise<Measurement>;
  /** The controller sent something. */
  controllerAnswered(): void;
  /** The stream to the controller ended. */
  disconnected(): void;
  /** Forgets devices that are no longer assigned: they can be no witnesses. */
  prune(isAssigned: (deviceNo: number) => boolean): void;
  /** False while the agent knows that no remote host answers. */
  readonly isOnline: boolean;
  /** Why the agent is offline, for people; empty while it is online. */
  readonly offlineReason: string;
  /** Monotonic milliseconds of the oldest error that is not confirmed yet. */
  readonly unconfirmedFromMs: number | undefined;
}

interface PendingError {
  readonly deviceNo: number;
  readonly endMs: number;
  readonly release: (isGenuine: boolean) => void;
}

/** The controller may take so long to answer the heartbeat. */
const replyWithinMs = 5000;
/** Rounds of witnesses don't follow each other faster. */
const roundsApartMs = 2000;
const uplinkDead = 'uplink dead: nothing beyond the own networks answers';

/** Removes the other devices from the sets. */
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
 * checks a device before all others, calls `onStart` when the check starts, and returns whether it is assigned.
 */
export function createUplink(deps: {
  readonly clock: Clock;
  readonly ownNetworks: () => OwnNetworks;
  readonly sendHeartbeat: (offlineReason: string) => boolean;
  readonly runNow: (deviceNo: number, onStart: () => void) => boolean;
  /** The verdict of the anchors on an error; see `Anchors.judge`. */
  readonly judgeByAnchors: Anchors['judge'];
  /** A remote host answers again; `unchecked` are the devices whose errors became code 10 meanwhile. */
  readonly onOnlineAgain: (unchecked: readonly number[]) => void;
}): Uplink {
  const { clock, ownNetworks, sendHeartbeat, runNow, judgeByAnchors, onOnlineAgain } = deps;
  const pending = trackedErrors(new Set<PendingError>());
  /** Remote devices whose last check was good, the latest last. */
  const healthy = trackedDevices(new Set<number>());
  /** Devices whose error became code 10 since the agent is offline. */
  const unchecked = new Set<number>();
  let step: { readonly kind: 'asking' | 'witnesses' | 'pausing'; readonly timer?: Disposable } | undefined;
  let roundEndedMs = Number.NEGATIVE_INFINITY;
  let isOffline = false;
  let onlineFromMs = Number.NEGATIVE_INFINITY;

  const witnesses = createWitnesses({ clock, runNow, onAllFailed: () => markOffline() });

  const clearStep = () => {
    step?.timer?.[Symbol.dispose]();
    step = undefined;
    witnesses.end();
  };
  const settle = (isGenuine: boolean) => {
    clearStep();
    const all = [...pending];
    pending.clear();
    for (const each of all) {
      if (!isGenuine) unchecked.add(each.deviceNo);
      each.release(isGenuine);
    }
  };
  /**
   * A remote host answered. Errors that were held while the agent was offline fell into that time: they become code 10.
   */
  const markOnline = () => {
    const wasOffline = isOffline;
    isOffline = false;
    settle(!wasOffline);
    if (!wasOffline) return;
    onlineFromMs = clock.monoMs();
    const missed = [...unchecked];
    unchecked.clear();
    onOnlineAgain(missed);
  };
  const markOffline = () => {
    roundEndedMs = clock.monoMs();
    isOffline = true;
    settle(false);
  };
  const checkWitnesses = () => {
    clearStep();
    const waitMs = roundEndedMs + roundsApartMs - clock.monoMs();
    if (waitMs > 0) {
      step = { kind: 'pausing', timer: clock.timer(waitMs, checkWitnesses) };
      return;
    }
    step = { kind: 'witnesses' };
    witnesses.begin([...healthy].reverse(), (deviceNo) => healthy.delete(deviceNo));
  };
  const hold = (deviceNo: number, measurement: Measurement) =>
    new Promise<Measurement>((resolve) => {
      const release = (isGenuine: boolean) => resolve(isGenuine ? measurement : asUplinkDead(measurement));
      pending.add({ deviceNo, endMs: clock.monoMs(), release });
      if (step === undefined) {
        if (sendHeartbeat(isOffline ? uplinkDead : ''))
          step = { kind: 'asking', timer: clock.timer(replyWithinMs, checkWitnesses) };
        else checkWitnesses();
      } else witnesses.failed(deviceNo);
    });
  const confirmSilence = async (deviceNo: number, measurement: Measurement, begunMs: number) => {
    const judging = judgeByAnchors(deviceNo, measurement, begunMs);
    if (judging !== undefined) witnesses.failed(deviceNo);
    const judged = judging && (await judging);
    if (judged !== undefined || isOffline || begunMs >= onlineFromMs)
      return judged ?? hold(deviceNo, measurement);
    // What this check sent may have been lost before the agent was online again.
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
      markOnline();
      return measurement;
    },
    controllerAnswered: markOnline,
    disconnected() {
      if (step?.kind === 'asking') checkWitnesses();
    },
    prune(isAssigned) {
      keepOnly([healthy, unchecked], isAssigned);
      witnesses.prune(isAssigned);
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
