import path from 'node:path';
import { isGood } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { CheckResult } from '@vantage/proto';
import { z } from 'zod';
import {
  afterRecorded,
  noRetrySequence,
  type RetryRules,
  type RetrySequence,
  resumed,
} from '../schedule/retry-sequence.ts';
import { createFaultReporter, readWithChecksum, writeWithChecksum } from './disk.ts';

/**
 * The retry sequence of each device by the results that are on disk, so that a restart continues it. A file holds the
 * retry sequences whose results left the disk; the others are derived again from the outbox. So a good result costs no
 * write.
 */
export interface RetryStore {
  /** The retry sequence to continue at `nowUs` (corrected microseconds). */
  of(deviceNo: number, nowUs: number): RetrySequence;
  /** A result is on disk: just written, or found there at the start. Oldest first. */
  add(result: CheckResult): void;
  /** Drops the retry sequences of devices that are no longer assigned, or have another revision. */
  prune(): void;
  /** Resolves when all retry sequences are in the file, or could not be written. */
  written(): Promise<void>;
}

/** The settings of a device's assignment. */
export interface Rules {
  readonly revision: number;
  readonly rules: RetryRules;
}

interface StoredSequence {
  readonly revision: number;
  readonly sequence: RetrySequence;
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

/** Opens the file in the folder. `onFault` receives a fault of the disk once per change. */
export async function openRetryStore(deps: {
  readonly folder: string;
  /** Undefined: not assigned. */
  readonly rulesOf: (deviceNo: number) => Rules | undefined;
  readonly onFault: (text: string) => void;
}): Promise<RetryStore> {
  const { rulesOf } = deps;
  const file = path.join(deps.folder, 'chains.bin');
  const faults = createFaultReporter(deps.onFault);
  const kept = await load(file, faults.report);
  let isDirty = false;
  let writing = Promise.resolve();

  const put = (deviceNo: number, own: StoredSequence) => {
    if (own.sequence.state.kind === 'none') kept.delete(deviceNo);
    else kept.set(deviceNo, own);
    isDirty = true;
  };
  const write = async () => {
    if (!isDirty) return;
    isDirty = false;
    const rows = [...kept].map(([deviceNo, own]) => rowOf(deviceNo, own));
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
      const own = kept.get(deviceNo);
      const now = rulesOf(deviceNo);
      if (own === undefined || own.revision !== now?.revision) return noRetrySequence;
      return resumed(own.sequence, now.rules, nowUs);
    },
    add(result) {
      const { deviceNo, revision } = result;
      const own = kept.get(deviceNo);
      if (own === undefined && isGood(result.resultCode)) return;
      const now = rulesOf(deviceNo);
      if (now === undefined || now.revision !== revision) return;
      const before = own?.revision === revision ? own.sequence : noRetrySequence;
      const after = afterRecorded(before, answerOf(result), now.rules);
      if (after !== before) put(deviceNo, { revision, sequence: after });
    },
    prune() {
      for (const [deviceNo, { revision }] of kept) {
        if (rulesOf(deviceNo)?.revision === revision) continue;
        kept.delete(deviceNo);
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
