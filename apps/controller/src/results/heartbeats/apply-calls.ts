import type { Span } from '@vantage/domain';
import {
  adaptHeartbeat,
  type HeartbeatCall,
  type HeartbeatState,
  judgeHeartbeat,
  type MissedCall,
  newHeartbeat,
  nextMomentUs,
  type RunEnd,
  receiveCall,
  rewindHeartbeat,
} from '@vantage/health';
import type { ParsedResult } from '../ingest/parse-record.ts';
import { type CallWords, endResult, type LogEntry, missedResult } from './heartbeat-results.ts';
import { heartbeatSettings } from './heartbeat-settings.ts';
import type { NextHeartbeat, StoredHeartbeat } from './heartbeat-store.ts';

/** A call of a known device. */
export type DeviceCall = CallWords & {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly atUs: number;
};

/** The outcome of a device's calls, or of the passing of time, before its texts are made. */
export interface Outcome {
  readonly device: StoredHeartbeat;
  readonly next: NextHeartbeat;
  readonly steps: readonly Step[];
}

/** Something that becomes a check. */
type Step =
  | { readonly kind: 'missed'; readonly missed: MissedCall }
  | { readonly kind: 'end'; readonly end: RunEnd; readonly call: DeviceCall };

/** Takes the calls of one device, in order. `outagesUntil` has the outages up to a moment. Pure. */
export function applyCalls(
  device: StoredHeartbeat,
  calls: readonly DeviceCall[],
  outagesUntil: (toUs: number) => readonly Span[],
): Outcome {
  const settings = heartbeatSettings(device);
  let state = device.state;
  const steps: Step[] = [];
  for (const call of calls) {
    const before = current({ ...device, state }, settings, call.atUs);
    const { exitStatus, ...rest } = call;
    const heard: HeartbeatCall = { ...rest, ...(exitStatus === undefined ? {} : { exitStatus }) };
    const received = receiveCall(before, settings, heard, outagesUntil(call.atUs));
    for (const missed of received.missed) steps.push({ kind: 'missed', missed });
    if (received.end !== null) steps.push({ kind: 'end', end: received.end, call });
    ({ state } = received);
  }
  return outcome(device, settings, state ?? newHeartbeat(settings, device.createdUs), steps, []);
}

/** Judges one device up to a moment. Pure. */
export function applyTime(device: StoredHeartbeat, toUs: number, outages: readonly Span[]): Outcome {
  const settings = heartbeatSettings(device);
  const { state, missed } = judgeHeartbeat(current(device, settings, toUs), settings, toUs, outages);
  const steps = missed.map((one): Step => ({ kind: 'missed', missed: one }));
  return outcome(device, settings, state, steps, outages);
}

function current(
  { state, createdUs }: Pick<StoredHeartbeat, 'state' | 'createdUs'>,
  settings: ReturnType<typeof heartbeatSettings>,
  nowUs: number,
): HeartbeatState {
  if (state === null) return newHeartbeat(settings, createdUs);
  return adaptHeartbeat(rewindHeartbeat(state, settings, nowUs), settings, nowUs);
}

function outcome(
  device: StoredHeartbeat,
  settings: ReturnType<typeof heartbeatSettings>,
  state: HeartbeatState,
  steps: readonly Step[],
  outages: readonly Span[],
): Outcome {
  const judgeUs = nextMomentUs(state, settings, outages);
  return { device, steps, next: { deviceNo: device.deviceNo, revision: device.revision, state, judgeUs } };
}

/** The runs of an outcome whose words belong into its checks. Pure. */
export function endedRuns({ device: { deviceNo }, steps }: Outcome) {
  return steps.flatMap((step) => {
    if (step.kind === 'end') return { deviceNo, runId: step.call.runId };
    return step.missed.kind === 'overrun' ? { deviceNo, runId: step.missed.run.runId } : [];
  });
}

/**
 * The checks of an outcome, no two with the same start, and the state, which is not before the last of them. `logOf`
 * has what the calls of a run said. Pure.
 */
export function checksOf(
  { device, next, steps }: Outcome,
  logOf: (runId: string) => readonly LogEntry[],
): { readonly results: readonly ParsedResult[]; readonly next: NextHeartbeat } {
  const settings = heartbeatSettings(device);
  let lastUs = 0;
  const results = steps.map((step): ParsedResult => {
    const made =
      step.kind === 'end'
        ? endResult(device, step.end, step.call, logOf(step.call.runId))
        : missedResult(
            device,
            settings,
            step.missed,
            step.missed.kind === 'overrun' ? logOf(step.missed.run.runId) : [],
          );
    lastUs = Math.max(made.startUs, lastUs + 1);
    return { ...made, startUs: lastUs, endUs: lastUs };
  });
  return { results, next: { ...next, state: { ...next.state, atUs: Math.max(next.state.atUs, lastUs) } } };
}
