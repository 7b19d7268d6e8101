import { freshDeviceUs } from '@vantage/domain';
import { unitHash } from '@vantage/domain/schedule-offset';

/** An agent to which devices may be assigned; its capacity is in checks a minute. */
export interface PlanAgent {
  readonly agentNo: number;
  readonly capacity: number;
  /** The start of its disconnection, within the grace time, microseconds since 1970; null while it is connected. */
  readonly awaySinceUs: number | null;
}

/** A device of the Location that is planned. */
export interface PlanDevice {
  readonly deviceNo: number;
  /** All its Locations, in the order of their rotation. */
  readonly locationNos: readonly number[];
  /** When the device was created, or a setting of its checks changed; microseconds since 1970. */
  readonly changedUs: number;
}

/**
 * A device's assignment to an agent: its position in the rotation, whether the agent retries locally, and whether it
 * runs a check at once after a change.
 */
export interface Assignment {
  readonly deviceNo: number;
  readonly agentNo: number;
  readonly rotationIndex: number;
  readonly rotationSize: number;
  readonly retriesLocally: boolean;
  readonly runImmediately: boolean;
}

/** The facts that decide a Location's plan. */
export interface PlanFacts {
  readonly locationNo: number;
  readonly agents: readonly PlanAgent[];
  readonly devices: readonly PlanDevice[];
  /** Locations that are online now. */
  readonly online: ReadonlySet<number>;
  /** Locations with a connected agent. */
  readonly connected: ReadonlySet<number>;
  /** The agent that each device of this Location is assigned to now. */
  readonly assignedAgents: ReadonlyMap<number, number>;
  readonly nowUs: number;
}

/**
 * The assignments of a Location. Rendezvous hashing, weighted by capacity, gives each device to the agent with the
 * highest score, so an agent that joins or leaves moves only its own share. A disconnected agent keeps its devices and
 * gets no new ones. The device's online Locations, including this one, check it in rotation. The first Location runs
 * the first check; for a new device, the first Location with a connected agent. An agent retries locally only if it is
 * the only agent. Empty without agents. Pure.
 */
export function planLocation(facts: PlanFacts): Assignment[] {
  const { locationNo, agents, online } = facts;
  if (agents.length === 0) return [];
  const connected = agents.filter((agent) => agent.awaySinceUs === null);
  return facts.devices.map((device) => {
    const { deviceNo } = device;
    const rotation = device.locationNos.filter((no) => no === locationNo || online.has(no));
    const rotationIndex = Math.max(0, rotation.indexOf(locationNo));
    const rotationSize = Math.max(1, rotation.length);
    const best = winner(deviceNo, agents);
    const hasSettings =
      best.awaySinceUs === null ||
      (facts.assignedAgents.get(deviceNo) === best.agentNo && device.changedUs <= best.awaySinceUs);
    const { agentNo } = hasSettings || connected.length === 0 ? best : winner(deviceNo, connected);
    const retriesLocally = rotationSize === 1 && agents.length === 1;
    return {
      deviceNo,
      agentNo,
      rotationIndex,
      rotationSize,
      retriesLocally,
      runImmediately: runsFirst(rotation, device, facts),
    };
  });
}

function runsFirst(rotation: readonly number[], { changedUs }: PlanDevice, facts: PlanFacts): boolean {
  const isFresh = facts.nowUs - changedUs < freshDeviceUs;
  const able = isFresh ? rotation.find((no) => facts.connected.has(no)) : undefined;
  return (able ?? rotation[0] ?? facts.locationNo) === facts.locationNo;
}

/** The agent with the highest score; there is at least one. */
function winner(deviceNo: number, agents: readonly PlanAgent[]): PlanAgent {
  const score = ({ agentNo, capacity }: PlanAgent) =>
    -Math.max(1, capacity) / Math.log(unitHash(deviceNo, agentNo));
  return agents.reduce((a, b) => (score(b) > score(a) ? b : a));
}

/** The writes that change the present assignments to the wanted ones. */
export interface AssignmentWrites<Present extends Assignment = Assignment> {
  /** Devices whose open span ends. */
  readonly close: readonly Present[];
  /** Spans that begin. */
  readonly open: readonly Assignment[];
  /** Spans that continue with another value of `retriesLocally`. */
  readonly update: readonly Assignment[];
}

/** The difference of two plans. Pure. */
export function diffPlans<Present extends Assignment>(
  present: readonly Present[],
  wanted: readonly Assignment[],
): AssignmentWrites<Present> {
  const now = new Map(present.map((assignment) => [assignment.deviceNo, assignment]));
  const then = new Map(wanted.map((assignment) => [assignment.deviceNo, assignment]));
  return {
    close: present.filter((assignment) => !isSame(assignment, then.get(assignment.deviceNo))),
    open: wanted.filter((assignment) => !isSame(assignment, now.get(assignment.deviceNo))),
    update: wanted.filter((assignment) => {
      const before = now.get(assignment.deviceNo);
      return isSame(assignment, before) && assignment.retriesLocally !== before?.retriesLocally;
    }),
  };
}

function isSame(a: Assignment, b: Assignment | undefined): boolean {
  return (
    b !== undefined &&
    a.agentNo === b.agentNo &&
    a.rotationIndex === b.rotationIndex &&
    a.rotationSize === b.rotationSize &&
    a.runImmediately === b.runImmediately
  );
}
