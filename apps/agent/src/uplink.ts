import type { Clock } from '@vantage/kernel';
import { type Measurement, resultCode } from '@vantage/probes';
import { asUplinkDead, isBeyond, type OwnNetworks, wayOf } from './beyond.ts';

/**
 * Keeps errors that a dead uplink would cause from counting against devices (decisions.md section 5).
 *
 * An error of a target beyond the agent's own subnets is held until something beyond answers after it: the controller (asked
 * by a heartbeat at once; normally a matter of milliseconds) or another target. Where the controller is silent, up to three
 * targets that were well are checked at once as witnesses. If none answers either, the error becomes code 10. So a retry
 * never starts before the error before it is known to be real, however short the dead time was.
 */
export interface Uplink {
  /** The measurement as it may be written: as it is, or code 10. Resolves when that is known. */
  judge(deviceNo: number, measurement: Measurement): Promise<Measurement>;
  /** The controller was heard. */
  heard(): void;
  /** The stream to the controller ended. */
  cut(): void;
  /** Devices that are watched no longer are forgotten: they can be no witnesses. */
  prune(isWatched: (deviceNo: number) => boolean): void;
  /** Empty while it sees; else why not. */
  readonly blindReason: string;
  /** Monotonic milliseconds of the oldest error that is not judged yet. */
  readonly undecidedFromMs: number | undefined;
}

interface Held {
  readonly deviceNo: number;
  readonly endMs: number;
  readonly release: (genuine: boolean) => void;
}

/** How long the controller may take to answer the heartbeat that an error asks for. */
const replyWithinMs = 5000;
/** How long witnesses may take. */
const witnessWithinMs = 10_000;
const witnessCount = 3;
/** Rounds of witnesses don't follow each other faster. */
const roundsApartMs = 2000;

/**
 * Makes the judge. `ask` sends a heartbeat now and says whether there is a stream; `look` checks a device at once and says
 * whether it is watched at all.
 */
export function createUplink(deps: {
  readonly clock: Clock;
  readonly ownNetworks: () => OwnNetworks;
  readonly ask: () => boolean;
  readonly look: (deviceNo: number) => boolean;
  /** The agent sees again; `unseen` are the devices it could not see meanwhile. */
  readonly onSight: (unseen: readonly number[]) => void;
}): Uplink {
  const { clock, ownNetworks, ask, look, onSight } = deps;
  const held = new Set<Held>();
  /** Devices beyond that were well when last seen, the latest last. */
  const well = new Set<number>();
  const awaited = new Set<number>();
  /** Devices whose error became a 10 since the agent is blind. */
  const unseen = new Set<number>();
  let step: { readonly kind: 'asking' | 'witnesses' | 'pausing'; readonly timer: Disposable } | undefined;
  let roundEndedMs = Number.NEGATIVE_INFINITY;
  let isBlind = false;

  const rest = () => {
    step?.timer[Symbol.dispose]();
    step = undefined;
    awaited.clear();
  };
  const firstEndMs = () => {
    let firstMs = clock.monoMs();
    for (const { endMs } of held) firstMs = Math.min(firstMs, endMs);
    return firstMs;
  };
  const settle = (genuine: boolean) => {
    rest();
    const all = [...held];
    held.clear();
    for (const each of all) {
      if (!genuine) unseen.add(each.deviceNo);
      each.release(genuine);
    }
  };
  /** Something beyond answered. What was held since the agent knew itself blind fell into that time: it stays a 10. */
  const sees = () => {
    const wasBlind = isBlind;
    isBlind = false;
    settle(!wasBlind);
    if (!wasBlind) return;
    const missed = [...unseen];
    unseen.clear();
    onSight(missed);
  };
  const goBlind = () => {
    roundEndedMs = clock.monoMs();
    isBlind = true;
    settle(false);
  };
  const callWitnesses = () => {
    rest();
    const waitMs = roundEndedMs + roundsApartMs - clock.monoMs();
    if (waitMs > 0) {
      step = { kind: 'pausing', timer: clock.timer(waitMs, callWitnesses) };
      return;
    }
    step = { kind: 'witnesses', timer: clock.timer(witnessWithinMs, goBlind) };
    for (const deviceNo of [...well].reverse()) {
      if (awaited.size === witnessCount) break;
      awaited.add(deviceNo);
      if (look(deviceNo)) continue;
      awaited.delete(deviceNo);
      well.delete(deviceNo);
    }
    if (awaited.size === 0) goBlind();
  };
  const hold = (deviceNo: number, measurement: Measurement) =>
    new Promise<Measurement>((resolve) => {
      held.add({
        deviceNo,
        endMs: clock.monoMs(),
        release: (genuine) => resolve(genuine ? measurement : asUplinkDead(measurement)),
      });
      if (step === undefined) {
        if (ask()) step = { kind: 'asking', timer: clock.timer(replyWithinMs, callWitnesses) };
        else callWitnesses();
      } else if (awaited.delete(deviceNo) && awaited.size === 0) goBlind();
    });

  return {
    async judge(deviceNo, measurement) {
      const way = wayOf(measurement);
      if (way === 'nothing' || !isBeyond(measurement, ownNetworks())) return measurement;
      well.delete(deviceNo);
      if (way === 'silent') return hold(deviceNo, measurement);
      if (measurement.code === resultCode.ok) well.add(deviceNo);
      sees();
      return measurement;
    },
    heard: sees,
    cut() {
      if (step?.kind === 'asking') callWitnesses();
    },
    prune(isWatched) {
      for (const deviceNo of [...well, ...unseen]) {
        if (isWatched(deviceNo)) continue;
        well.delete(deviceNo);
        unseen.delete(deviceNo);
      }
    },
    get blindReason() {
      return !isBlind ? '' : 'uplink dead: nothing beyond the own networks answers';
    },
    get undecidedFromMs() {
      return held.size === 0 ? undefined : firstEndMs();
    },
  };
}
