import { unitHash } from '../phase.ts';

/** An agent that may hold devices; capacity is checks a minute. */
export interface PlanAgent {
  readonly agentNo: number;
  readonly capacity: number;
  /** Away since then, microseconds since 1970, and not given up yet; null while it is connected. */
  readonly awaySinceUs: number | null;
}

/** A device of the Location that is planned. */
export interface PlanDevice {
  readonly deviceNo: number;
  /** All its Locations, in the order of their turns. */
  readonly locationNos: readonly number[];
  /** When it was made, or what is looked at changed; microseconds since 1970. */
  readonly changedUs: number;
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

/** What a Location's plan is made from. */
export interface PlanFacts {
  readonly locationNo: number;
  readonly agents: readonly PlanAgent[];
  readonly devices: readonly PlanDevice[];
  /** Locations that observe now. */
  readonly observing: ReadonlySet<number>;
  /** Locations with a connected agent. */
  readonly lit: ReadonlySet<number>;
  /** Who holds which device of this Location now. */
  readonly holders: ReadonlyMap<number, number>;
  readonly nowUs: number;
}

/** A change of a device asks for a look at once for this long. */
const freshUs = 60_000_000;

/**
 * Who holds what at a Location. Rendezvous hashing, weighted by capacity: each device goes to the agent with the highest score, so
 * that an agent that comes or goes moves only its own share. One that is away keeps what it knows and gets nothing new. Turns go
 * round the device's Locations that observe, this one among them; the first one looks first, a fresh device the first one that can.
 * An agent goes on with retries by itself only where it is the only vantage. Empty without agents. Pure.
 */
export function planLocation(facts: PlanFacts): Holding[] {
  const { locationNo, agents, observing } = facts;
  if (agents.length === 0) return [];
  const connected = agents.filter((agent) => agent.awaySinceUs === null);
  return facts.devices.map((device) => {
    const { deviceNo } = device;
    const ring = device.locationNos.filter((no) => no === locationNo || observing.has(no));
    const turn = Math.max(0, ring.indexOf(locationNo));
    const turns = Math.max(1, ring.length);
    const best = winner(deviceNo, agents);
    const knows =
      best.awaySinceUs === null ||
      (facts.holders.get(deviceNo) === best.agentNo && device.changedUs <= best.awaySinceUs);
    const { agentNo } = knows || connected.length === 0 ? best : winner(deviceNo, connected);
    const runsChain = turns === 1 && agents.length === 1;
    return { deviceNo, agentNo, turn, turns, runsChain, firstLook: looksFirst(ring, device, facts) };
  });
}

function looksFirst(ring: readonly number[], { changedUs }: PlanDevice, facts: PlanFacts): boolean {
  const isFresh = facts.nowUs - changedUs < freshUs;
  const able = isFresh ? ring.find((no) => facts.lit.has(no)) : undefined;
  return (able ?? ring[0] ?? facts.locationNo) === facts.locationNo;
}

/** The agent with the highest score; there is at least one. */
function winner(deviceNo: number, agents: readonly PlanAgent[]): PlanAgent {
  const score = ({ agentNo, capacity }: PlanAgent) =>
    -Math.max(1, capacity) / Math.log(unitHash(deviceNo, agentNo));
  return agents.reduce((a, b) => (score(b) > score(a) ? b : a));
}

/** What must be written to come from the present holdings to the wanted ones. */
export interface Change {
  /** Devices whose open span ends. */
  readonly close: readonly Holding[];
  /** Spans that begin. */
  readonly open: readonly Holding[];
  /** Spans that go on with another word on who runs retry chains. */
  readonly tune: readonly Holding[];
}

/** The difference of two plans. Pure. */
export function diffPlans(present: readonly Holding[], wanted: readonly Holding[]): Change {
  const now = new Map(present.map((holding) => [holding.deviceNo, holding]));
  const then = new Map(wanted.map((holding) => [holding.deviceNo, holding]));
  return {
    close: present.filter((holding) => !isSame(holding, then.get(holding.deviceNo))),
    open: wanted.filter((holding) => !isSame(holding, now.get(holding.deviceNo))),
    tune: wanted.filter((holding) => {
      const before = now.get(holding.deviceNo);
      return isSame(holding, before) && holding.runsChain !== before?.runsChain;
    }),
  };
}

function isSame(a: Holding, b: Holding | undefined): boolean {
  return (
    b !== undefined &&
    a.agentNo === b.agentNo &&
    a.turn === b.turn &&
    a.turns === b.turns &&
    a.firstLook === b.firstLook
  );
}
