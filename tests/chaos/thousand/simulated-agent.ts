import { create } from '@bufbuild/protobuf';
import { batchRecords } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import {
  type Assignment,
  type Assignments,
  CheckResultSchema,
  CoverageSpanSchema,
  Goodbye_Reason,
  type OutboxRecord,
  OutboxRecordSchema,
} from '@vantage/proto';
import { isOwnDue, nextOwnDueUs } from '../../../apps/agent/src/schedule/own-due-times.ts';
import {
  type ControllerLink,
  createLink,
  type LinkHandlers,
} from '../../../apps/agent/src/stream/controller-link.ts';
import type { AgentIdentity } from '../../../apps/controller/src/testing/agent-identity.ts';

/** Sums over the agents of a process. */
export interface Counts {
  results: number;
  acknowledged: number;
  heartbeats: number;
  replies: number;
  connects: number;
}

/**
 * An agent with the real link, and with checks that take no time and are all good. What is not acknowledged is sent
 * again.
 */
export interface SimulatedAgent {
  readonly isUp: boolean;
  readonly devices: number;
  /** Records that are not acknowledged. */
  readonly waiting: number;
  /** Creates no more records. */
  rest(): void;
  /** Creates the results that are due and sends them. Call it some times a second. */
  tick(): void;
  heartbeat(): void;
  run(signal: AbortSignal): Promise<void>;
}

const pings = { pingIntervalMs: 10_000, pingTimeoutMs: 5000 };

/** The devices of an agent and when each is due. */
function createSchedule(clock: Clock) {
  const dues = new Map<number, { assignment: Assignment; dueUs: number }>();
  const put = (assignment: Assignment) => {
    const known = dues.get(assignment.deviceNo);
    const keeps = known !== undefined && isOwnDue(assignment, known.dueUs);
    const dueUs = keeps ? known.dueUs : nextOwnDueUs(assignment, clock.nowUs());
    dues.set(assignment.deviceNo, { assignment, dueUs });
  };
  return {
    get size() {
      return dues.size;
    },
    apply({ snapshot, upserts, removedDeviceNos }: Assignments) {
      const assigned = new Set(upserts.map(({ deviceNo }) => deviceNo));
      if (snapshot) for (const no of dues.keys()) if (!assigned.has(no)) dues.delete(no);
      for (const no of removedDeviceNos) dues.delete(no);
      for (const assignment of upserts) put(assignment);
    },
    /** The assignments that are due now, with their due times. */
    take(nowUs: number) {
      return [...dues.values()].flatMap((due) => {
        const { assignment, dueUs } = due;
        if (dueUs > nowUs) return [];
        due.dueUs = nextOwnDueUs(assignment, nowUs);
        return { assignment, dueUs };
      });
    },
  };
}

/** Records until they are acknowledged; one batch is on its way at a time. */
function createRecords(link: ControllerLink, counts: Counts) {
  const records: OutboxRecord[] = [];
  let inFlight: { readonly batchId: bigint; readonly size: number } | undefined;
  let batches = 0n;
  const send = () => {
    if (inFlight !== undefined || records.length === 0) return;
    const some = records.slice(0, batchRecords);
    batches += 1n;
    if (link.send({ case: 'batch', value: { batchId: batches, records: some } }))
      inFlight = { batchId: batches, size: some.length };
  };
  return {
    get size() {
      return records.length;
    },
    append: (record: OutboxRecord['record']) => void records.push(create(OutboxRecordSchema, { record })),
    send,
    acked(batchId: bigint) {
      if (batchId !== inFlight?.batchId) return;
      counts.acknowledged += inFlight.size;
      records.splice(0, inFlight.size);
      inFlight = undefined;
      send();
    },
    streamEnded() {
      inFlight = undefined;
    },
  };
}

/** Creates an agent; it connects in `run`. */
export function createSimulatedAgent(deps: {
  readonly endpoints: readonly string[];
  readonly ca: string;
  readonly identity: AgentIdentity;
  readonly clock: Clock;
  readonly random: () => number;
  readonly counts: Counts;
  readonly note: (text: string) => void;
  /** The controller said that the agent is revoked. */
  readonly onRevoked?: () => void;
}): SimulatedAgent {
  const { endpoints, ca, identity, clock, random, counts, note } = deps;
  const { agentId, cert, key } = identity;
  const link = createLink({
    endpoints,
    proxy: undefined,
    clock,
    random,
    pings,
    prove: async () => ({ kind: 'certificate', cert, key, ca }),
    onRefused: () => note('refused'),
  });
  const schedule = createSchedule(clock);
  const records = createRecords(link, counts);
  let sessions = 0n;
  let sequence = 0n;
  let coveredUs = clock.nowUs();
  let isResting = false;

  const heartbeat = () => {
    if (!link.isUp) return;
    const nowUs = clock.nowUs();
    const span = create(CoverageSpanSchema, { fromUs: BigInt(coveredUs), toUs: BigInt(nowUs) });
    if (!isResting) records.append({ case: 'coverage', value: span });
    coveredUs = nowUs;
    sequence += 1n;
    const backlogRecords = BigInt(records.size);
    const value = { sequence, sentUs: BigInt(nowUs), backlogRecords, coveredToUs: BigInt(nowUs) };
    if (link.send({ case: 'heartbeat', value })) counts.heartbeats += 1;
  };
  const handlers: LinkHandlers = {
    async hello() {
      sessions += 1n;
      const names = { version: '0.1.0', bootId: agentId, hostName: agentId };
      return { ...names, sessionCounter: sessions, capacity: 6000 };
    },
    onUp() {
      counts.connects += 1;
      heartbeat();
      records.send();
    },
    onMessage(message) {
      if (message.case === 'assignments') schedule.apply(message.value);
      else if (message.case === 'ack') records.acked(message.value.batchId);
      else if (message.case === 'heartbeatReply') counts.replies += 1;
    },
    onDown(disconnect) {
      records.streamEnded();
      if (disconnect.kind === 'goodbye' && disconnect.reason === Goodbye_Reason.REVOKED) deps.onRevoked?.();
      if (disconnect.kind !== 'lost') note(`${disconnect.kind}: ${disconnect.text}`);
    },
  };
  return {
    get isUp() {
      return link.isUp;
    },
    get devices() {
      return schedule.size;
    },
    get waiting() {
      return records.size;
    },
    rest() {
      isResting = true;
    },
    tick() {
      const due = isResting ? [] : schedule.take(clock.nowUs());
      for (const { assignment, dueUs } of due) {
        const { deviceNo, revision } = assignment;
        const startUs = BigInt(Math.round(dueUs) + Math.floor(random() * 1000));
        const outcome = { resultCode: 1, checkResult: 'connected', connectMs: 3.2, ttfbMs: 4.7 };
        records.append({
          case: 'result',
          value: create(CheckResultSchema, { deviceNo, startUs, revision, ...outcome }),
        });
      }
      counts.results += due.length;
      records.send();
    },
    heartbeat,
    run: (signal) => link.run(handlers, signal),
  };
}
