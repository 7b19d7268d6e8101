import { clone, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { type AnchorReport, dayUs, mostAnchors } from '@vantage/domain';
import { AnchorReport_State, type Heartbeat, HeartbeatSchema, type Hello, HelloSchema } from '@vantage/proto';
import { isBigint, isText, toBigint, toReal, toText } from '../../platform/db/index.ts';
import type { AgentStatus } from './agent-presence.ts';

/** Texts of a Hello and of a heartbeat, UTF-16 units. */
const maxTextLength = 100;

/**
 * Why the controller refuses a Hello, with the wire's name of the field; undefined when it accepts it. Checks every
 * field of the wire, so that a new field is bounded before any code reads it. Pure.
 */
export function helloProblem(hello: Hello): string | undefined {
  return scalarsOf(HelloSchema, hello)
    .map(({ field, value }) => problemOf(field.name, value))
    .find((problem) => problem !== undefined);
}

/**
 * A heartbeat whose every field fits a column: a value that is out of range becomes the nearest value in range. Pure.
 */
export function clampHeartbeat(heartbeat: Heartbeat): Heartbeat {
  const clamped = clone(HeartbeatSchema, heartbeat);
  const target = reflect(HeartbeatSchema, clamped);
  for (const { field, value } of scalarsOf(HeartbeatSchema, heartbeat)) target.set(field, nearest(value));
  return clamped;
}

function scalarsOf<D extends DescMessage>(schema: D, message: MessageShape<D>) {
  const source = reflect(schema, message);
  return schema.fields.flatMap((field) =>
    field.fieldKind === 'scalar' ? [{ field, value: source.get(field) }] : [],
  );
}

function problemOf(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return isText(value, maxTextLength)
        ? undefined
        : `${name} must be a text of at most ${maxTextLength} characters without NUL`;
    case 'bigint':
      return isBigint(value) ? undefined : `${name} must be below 2^53`;
    case 'number':
      return toReal(value) === value ? undefined : `${name} must be a number that 32 bits hold`;
    default:
      return undefined;
  }
}

function nearest(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return toText(value, maxTextLength);
    case 'bigint':
      return BigInt(toBigint(value));
    case 'number':
      return toReal(value);
    default:
      return value;
  }
}

/** The status of an agent after one more heartbeat; `before` is the status that is not stored yet. Pure. */
export function afterHeartbeat(
  before: AgentStatus | undefined,
  {
    heartbeat,
    receivedUs,
    ...session
  }: {
    readonly agentNo: number;
    readonly sessionId: string;
    readonly heartbeat: Heartbeat;
    readonly receivedUs: number;
  },
): AgentStatus {
  const clamped = clampHeartbeat(heartbeat);
  return {
    ...session,
    lastSeenUs: receivedUs,
    clockOffsetUs: Number(clamped.clockOffsetUs),
    backlogRecords: Number(clamped.backlogRecords),
    latenessP50Ms: clamped.latenessP50Ms,
    latenessP99Ms: clamped.latenessP99Ms,
    checksSkipped: (before?.checksSkipped ?? 0) + clamped.checksSkipped,
    offlineReason: clamped.offlineReason === '' ? null : clamped.offlineReason,
    anchors: reportsOf(heartbeat.anchors, receivedUs),
  };
}

/** Texts of a report, UTF-16 units. A Target is an address with a port. */
const [targetLength, textLength] = [100, 500];
/** A state that lasts longer than this began then, so that its event is not older than the events that are kept. */
const longestUs = dayUs;

/** The reports on anchors, as far as a Location can have so many, each field within its bounds. */
function reportsOf(anchors: Heartbeat['anchors'], receivedUs: number): readonly AnchorReport[] {
  return anchors.slice(0, mostAnchors).map(({ target, state, sinceUs, text }) => ({
    target: toText(target, targetLength),
    state: stateNames[state] ?? 'new',
    sinceUs: Math.min(receivedUs, Math.max(receivedUs - longestUs, toBigint(sinceUs))),
    text: toText(text, textLength),
  }));
}

/** A state that only a later version knows counts as not checked. */
const stateNames: Readonly<Partial<Record<AnchorReport_State, AnchorReport['state']>>> = {
  [AnchorReport_State.ANSWERS]: 'answers',
  [AnchorReport_State.SILENT]: 'silent',
  [AnchorReport_State.UNCHECKED]: 'unchecked',
};
