import { unitHash } from '../phase.ts';

/** An agent that may hold devices; capacity is checks a minute. */
export interface PlanAgent {
  readonly agentNo: number;
  readonly capacity: number;
}

/** A device of the Location that is planned. */
export interface PlanDevice {
  readonly deviceNo: number;
  /** All its Locations, in the order of their turns. */
  readonly locationNos: readonly number[];
}

/** What an agent is to hold: turn k of n, who runs retry chains, who looks first after a change. */
export interface Holding {
  readonly deviceNo: number;
  readonly agentNo: number;
  readonly turn: number;
  readonly turns: number;
  readonly runsChain: boolean;
  readonly firstLook: boolean;
}

/**
 * Who holds what at a Location. Rendezvous hashing, weighted by capacity: each device goes to the agent with the highest score, so
 * that an agent that comes or goes moves only its own share. Turns go round the device's Locations that observe, this one among
 * them. Empty without agents. Pure.
 */
export function planLocation({
  locationNo,
  agents,
  devices,
  observing,
}: {
  readonly locationNo: number;
  readonly agents: readonly PlanAgent[];
  readonly devices: readonly PlanDevice[];
  /** Locations that observe now. */
  readonly observing: ReadonlySet<number>;
}): Holding[] {
  if (agents.length === 0) return [];
  return devices.map(({ deviceNo, locationNos }) => {
    const ring = locationNos.filter((no) => no === locationNo || observing.has(no));
    const turn = Math.max(0, ring.indexOf(locationNo));
    const turns = Math.max(1, ring.length);
    return {
      deviceNo,
      agentNo: winner(deviceNo, agents),
      turn,
      turns,
      runsChain: turns === 1,
      firstLook: turn === 0,
    };
  });
}

function winner(deviceNo: number, agents: readonly PlanAgent[]): number {
  let best = Number.NEGATIVE_INFINITY;
  let holder = 0;
  for (const { agentNo, capacity } of agents) {
    const score = -Math.max(1, capacity) / Math.log(unitHash(deviceNo, agentNo));
    if (score > best) {
      best = score;
      holder = agentNo;
    }
  }
  return holder;
}

/** What must be written to come from the present holdings to the wanted ones. */
export interface Change {
  /** Devices whose open span ends. */
  readonly close: readonly Holding[];
  /** Spans that begin. */
  readonly open: readonly Holding[];
}

/** The difference of two plans. Pure. */
export function diffPlans(present: readonly Holding[], wanted: readonly Holding[]): Change {
  const now = new Map(present.map((holding) => [holding.deviceNo, holding]));
  const then = new Map(wanted.map((holding) => [holding.deviceNo, holding]));
  return {
    close: present.filter((holding) => !isSame(holding, then.get(holding.deviceNo))),
    open: wanted.filter((holding) => !isSame(holding, now.get(holding.deviceNo))),
  };
}

function isSame(a: Holding, b: Holding | undefined): boolean {
  return (
    b !== undefined &&
    a.agentNo === b.agentNo &&
    a.turn === b.turn &&
    a.turns === b.turns &&
    a.runsChain === b.runsChain &&
    a.firstLook === b.firstLook
  );
}
