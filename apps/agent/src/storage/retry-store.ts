import path from 'node:path';
import { isGood } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { CheckResult } from '@vantage/proto';
import { z } from 'zod';
import {
  afterRecorded,
  type DeviceRetrySequence,
  noRetrySequence,
  type RetryRules,
  resumed,
} from '../schedule/retry-sequence.ts';
import { readWithChecksum, writeWithChecksum } from './checksummed-file.ts';
import { createFaultReporter } from './fault-reporter.ts';

/**
 * The retry sequence of each device, so that a restart continues it. A file has the retry sequences whose results left
 * the disk; the others are derived again from the results in the outbox. A good result therefore costs no write.
 */
export interface RetryStore {
  /** The retry sequence to continue at `nowUs` (corrected microseconds). */
  of(deviceNo: number, nowUs: number): DeviceRetrySequence;
  /** A result is on disk: just written, or found at the start. Call this oldest first. */
  add(result: CheckResult): void;
  /** Drops the retry sequences of devices that are no longer assigned or have another revision. */
  prune(): void;
  /** Resolves when all retry sequences are in the file or the write has failed. */
  written(): Promise<void>;
}

/** The revision and retry rules of a device's assignment. */
export interface AssignedRules {
  readonly revision: number;
  readonly rules: RetryRules;
}

interface StoredSequence {
  readonly revision: number;
  readonly sequence: DeviceRetrySequence;
}

/** The file keeps its first names, so that every version reads it. */
const storedState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('open'),
    chainId: z.string(),
    k: z.int().min(1),
    dueUs: z.int(),
    orderId: z.string(),
  }),
  z.object({ kind: z.literal('over') }),
]);
const storedLast = z.object({ chainId: z.string(), k: z.int().min(0) }).optional();
const storedRow = z.object({ deviceNo: z.int(), revision: z.int(), phase: storedState, last: storedLast });
const content = z.array(storedRow);

/** Opens the file in the folder. `onFault` receives a disk fault once per change. */
export async function openRetryStore(deps: {
  readonly folder: string;
  /** Undefined: the device is not assigned. */
  readonly rulesOf: (deviceNo: number) => AssignedRules | undefined;
  readonly onFault: (text: string) => void;
}): Promise<RetryStore> {
  const { rulesOf } = deps;
  const file = path.join(deps.folder, 'chains.bin');
  const faults = createFaultReporter(deps.onFault);
  const sequences = await load(file, faults.report);
  let isDirty = false;
  let writing = Promise.resolve();

  const put = (deviceNo: number, stored: StoredSequence) => {
    if (stored.sequence.state.kind === 'none') sequences.delete(deviceNo);
    else sequences.set(deviceNo, stored);
    isDirty = true;
  };
  const write = async () => {
    if (!isDirty) return;
    isDirty = false;
    const rows = [...sequences].map(([deviceNo, stored]) => rowOf(deviceNo, stored));
    try {
      await writeWithChecksum(file, Buffer.from(JSON.stringify(rows)));
      faults.clear();
    } catch (error) {
      isDirty = true;
      faults.report(`retry sequences cannot be stored: ${messageOf(error)}`);
    }
  };

  return {
    of(deviceNo, nowUs) {
      const stored = sequences.get(deviceNo);
      const now = rulesOf(deviceNo);
      if (stored === undefined || stored.revision !== now?.revision) return noRetrySequence;
      return resumed(stored.sequence, now.rules, nowUs);
    },
    add(result) {
      const { deviceNo, revision } = result;
      const stored = sequences.get(deviceNo);
      if (stored === undefined && isGood(result.resultCode)) return;
      const now = rulesOf(deviceNo);
      if (now === undefined || now.revision !== revision) return;
      const before = stored?.revision === revision ? stored.sequence : noRetrySequence;
      const after = afterRecorded(before, answerOf(result), now.rules);
      if (after !== before) put(deviceNo, { revision, sequence: after });
    },
    prune() {
      for (const [deviceNo, { revision }] of sequences) {
        if (rulesOf(deviceNo)?.revision === revision) continue;
        sequences.delete(deviceNo);
        isDirty = true;
      }
    },
    written() {
      writing = writing.then(write);
      return writing;
    },
  };
}

function answerOf(result: CheckResult) {
  const { resultCode: code, attempt, retryId, dnsMs, connectMs, sslMs, ttfbMs, ttlbMs } = result;
  const tookMs = dnsMs + connectMs + sslMs + ttfbMs + ttlbMs;
  return { code, attempt, retryId, endUs: Number(result.startUs) + Math.round(tookMs * 1000) };
}

async function load(file: string, fault: (text: string) => void): Promise<Map<number, StoredSequence>> {
  try {
    const { content: bytes } = await readWithChecksum(file);
    const rows = bytes === undefined ? [] : content.parse(JSON.parse(bytes.toString('utf8')));
    return new Map(rows.map((row) => [row.deviceNo, sequenceOf(row)]));
  } catch (error) {
    fault(`the stored retry sequences cannot be read: ${messageOf(error)}`);
    return new Map();
  }
}

function rowOf(deviceNo: number, { revision, sequence: { state, last } }: StoredSequence) {
  const phase =
    state.kind === 'open'
      ? {
          kind: 'open',
          chainId: state.retryId,
          k: state.attempt,
          dueUs: state.dueUs,
          orderId: state.runRequestId,
        }
      : { kind: 'over' };
  return { deviceNo, revision, phase, last: last && { chainId: last.retryId, k: last.attempt } };
}

function sequenceOf({ revision, phase, last }: z.infer<typeof storedRow>): StoredSequence {
  const begun = last && { retryId: last.chainId, attempt: last.k };
  if (phase.kind === 'over') return { revision, sequence: { state: { kind: 'exhausted' }, last: begun } };
  const { chainId: retryId, k: attempt, dueUs, orderId: runRequestId } = phase;
  return {
    revision,
    sequence: { state: { kind: 'open', retryId, attempt, dueUs, runRequestId }, last: begun },
  };
}
