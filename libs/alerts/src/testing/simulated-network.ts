import type { AlertDecision, AlertFacts } from '../alert-facts.ts';
import { type AlertState, newAlertState } from '../alert-state.ts';
import { decide } from '../decide.ts';
import type { RequestedCheck } from '../decide-master.ts';
import type { Schedule } from '../schedule.ts';
import { afterUp } from '../status-changes.ts';

/** A device of the simulation. Times are milliseconds. */
export interface SimulatedDevice {
  readonly master: number | null;
  /** The first regular check, and the time between them. */
  readonly firstMs: number;
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryDelayMs: number;
  /** A check fails when it starts within one of these spans, and takes its Timeout then. */
  readonly fails: readonly (readonly [number, number])[];
}

/** The times of one device's confirmed outages, of their ends, and of its alerts. */
export interface SimulatedHistory {
  readonly downs: number[];
  readonly ups: number[];
  readonly alerts: number[];
}

interface RunningDevice extends SimulatedDevice {
  status: 'Up' | 'Down';
  firstErrorMs: number | null;
  failed: number;
  alert: AlertState | null;
  busy: boolean;
  /** Retries and requested checks that are due while a check of the device runs. */
  readonly waiting: (() => void)[];
  readonly downSpans: [number, number][];
  readonly history: SimulatedHistory;
}

interface OpenRequest {
  readonly deadlineUs: number;
  answer: RequestedCheck | null;
}

const goodMs = 50;
const graceMs = 5_000;
const schedule: Schedule = {
  timezone: 'UTC',
  steps: [
    {
      delayMinutes: 0,
      contactIds: ['a'],
      days: null,
      from: null,
      to: null,
      repeatMinutes: null,
      severities: null,
    },
  ],
};
const times = { minuteUs: 60_000_000, recheckUs: 60_000_000, quietUs: 1_800_000_000 };

/** The state of a simulation. Times are milliseconds. */
interface Simulation {
  nowMs: number;
  /** Sorted; the next task is last. */
  readonly queue: { readonly atMs: number; readonly work: () => void }[];
  readonly devices: readonly RunningDevice[];
  readonly requests: Map<string, OpenRequest>;
}

type CheckKind = 'regular' | 'retry' | 'requested';

/**
 * Runs devices at one Location with one agent, by the rules of checks, retries and status in their plainest form, and
 * decides their alerts after each check. Returns the history of each device.
 */
export function simulate(devices: readonly SimulatedDevice[], untilMs: number): SimulatedHistory[] {
  const simulation: Simulation = {
    nowMs: 0,
    queue: [],
    devices: devices.map((device) => ({
      ...device,
      status: 'Up',
      firstErrorMs: null,
      failed: 0,
      alert: null,
      busy: false,
      waiting: [],
      downSpans: [],
      history: { downs: [], ups: [], alerts: [] },
    })),
    requests: new Map(),
  };
  for (const device of simulation.devices) at(simulation, device.firstMs, () => regular(simulation, device));
  while (simulation.nowMs < untilMs) {
    const next = simulation.queue.pop();
    if (next === undefined) break;
    simulation.nowMs = Math.max(simulation.nowMs, next.atMs);
    next.work();
  }
  return simulation.devices.map(({ history }) => history);
}

function at({ queue }: Simulation, atMs: number, work: () => void): void {
  queue.splice(queue.findLastIndex((task) => task.atMs > atMs) + 1, 0, { atMs, work });
}

function check(
  simulation: Simulation,
  device: RunningDevice,
  kind: CheckKind,
  onAnswer: (isBad: boolean) => void = () => {},
) {
  const { nowMs } = simulation;
  if (device.busy) {
    // Checks of one device never overlap. A regular one is left out, the others run next.
    if (kind !== 'regular') device.waiting.push(() => check(simulation, device, kind, onAnswer));
    return;
  }
  const isBad = device.fails.some(([from, to]) => nowMs >= from && nowMs < to);
  device.busy = true;
  at(simulation, nowMs + (isBad ? device.timeoutMs : goodMs), () => {
    device.busy = false;
    // As in an agent, the next check starts before this answer has an effect.
    device.waiting.shift()?.();
    onAnswer(isBad);
    fold(simulation, device, isBad, kind);
    for (const other of simulation.devices) judge(simulation, other);
  });
}

function regular(simulation: Simulation, device: RunningDevice): void {
  // A retry sequence replaces the regular checks.
  if (device.firstErrorMs === null || device.status === 'Down') check(simulation, device, 'regular');
  at(simulation, simulation.nowMs + device.everyMs, () => regular(simulation, device));
}

function fold(simulation: Simulation, device: RunningDevice, isBad: boolean, kind: CheckKind): void {
  const { nowMs } = simulation;
  if (!isBad) {
    recover(device, nowMs);
    return;
  }
  // A requested check is no retry of a sequence that runs already.
  if (device.status === 'Down' || (device.firstErrorMs !== null && kind !== 'retry')) return;
  device.firstErrorMs ??= nowMs;
  device.failed += 1;
  if (device.failed <= device.retries) {
    at(simulation, nowMs + device.retryDelayMs, () => {
      if (device.status === 'Up' && device.firstErrorMs !== null) check(simulation, device, 'retry');
    });
    return;
  }
  device.status = 'Down';
  device.downSpans.push([device.firstErrorMs, Number.POSITIVE_INFINITY]);
  device.history.downs.push(nowMs);
  device.alert = newAlertState('judging', nowMs * 1_000, device.firstErrorMs * 1_000);
}

function recover(device: RunningDevice, nowMs: number): void {
  device.firstErrorMs = null;
  device.failed = 0;
  if (device.status === 'Up') return;
  device.status = 'Up';
  device.history.ups.push(nowMs);
  const last = device.downSpans.at(-1);
  if (last) last[1] = nowMs;
  if (device.alert)
    device.alert = afterUp(device.alert, {
      sinceUs: nowMs * 1_000,
      upUs: nowMs * 1_000,
      nowUs: nowMs * 1_000,
    });
}

function judge(simulation: Simulation, device: RunningDevice): void {
  if (device.alert === null) return;
  const decision = decide(device.alert, factsOf(simulation, device, device.alert));
  const { request, dueUs } = decision;
  device.alert = decision.closes ? null : decision.state;
  if (decision.events.some(({ kind }) => kind === 'alert')) device.history.alerts.push(simulation.nowMs);
  if (request !== null) device.alert = { ...decision.state, requestId: send(simulation, device, request) };
  else if (dueUs !== null) at(simulation, dueUs / 1_000, () => judge(simulation, device));
}

function send(
  simulation: Simulation,
  device: RunningDevice,
  request: NonNullable<AlertDecision['request']>,
): string {
  const target = (request.target === 'device' ? device : simulation.devices[device.master ?? -1]) ?? device;
  const startMs = Math.max(simulation.nowMs, request.notBeforeUs / 1_000);
  // A check of the device may run, and ends first.
  const timeouts = request.target === 'device' ? 2 : 1;
  const open: OpenRequest = {
    deadlineUs: (startMs + timeouts * target.timeoutMs + graceMs) * 1_000,
    answer: null,
  };
  const requestId = `${simulation.requests.size}`;
  simulation.requests.set(requestId, open);
  at(simulation, startMs, () =>
    check(simulation, target, 'requested', (isBad) => {
      open.answer = { kind: 'answered', verdict: isBad ? 'bad' : 'good', endUs: simulation.nowMs * 1_000 };
    }),
  );
  return requestId;
}

function factsOf(
  { devices, requests, nowMs }: Simulation,
  device: RunningDevice,
  alert: AlertState,
): AlertFacts {
  const master = device.master === null ? undefined : devices[device.master];
  const request = alert.requestId === null ? undefined : requests.get(alert.requestId);
  const { retries, retryDelayMs } = device;
  return {
    device: {
      enabled: true,
      status: device.status,
      isChecked: true,
      isPartial: false,
      maintenanceUntilUs: null,
      canBeChecked: true,
      retries,
      retryDelayUs: retryDelayMs * 1_000,
      maxConfirmUs: 2 * (retries + 2) * (retryDelayMs + 2 * (device.timeoutMs + graceMs)) * 1_000,
      master: master === undefined ? null : masterFacts(master),
      masterWasDown: master?.downSpans.some(([, to]) => to * 1_000 >= alert.judgedFromUs) ?? false,
    },
    check: request === undefined ? { kind: 'none' } : (request.answer ?? { kind: 'open', ...request }),
    schedule,
    severity: 'critical',
    reason: null,
    acknowledged: false,
    snoozedUntilUs: null,
    isMoment: false,
    times,
    isAboutPartial: false,
    isWarning: false,
    isLocationDeleted: false,
    nowUs: nowMs * 1_000,
  };
}

function masterFacts({ status, firstErrorMs, retries, retryDelayMs, timeoutMs }: RunningDevice) {
  return {
    name: 'router',
    enabled: true,
    status,
    retrying: status === 'Up' && firstErrorMs !== null,
    inMaintenance: false,
    isCheckedHere: true,
    canBeChecked: true,
    retries,
    retryDelayUs: retryDelayMs * 1_000,
    maxSequenceUs: (retries + 1) * (retryDelayMs + timeoutMs + graceMs) * 1_000,
  };
}
