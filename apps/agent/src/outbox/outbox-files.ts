import { unlink } from 'node:fs/promises';
import type { Clock } from '@vantage/kernel';
import type { OutboxRecord } from '@vantage/proto';
import { ensureFolder } from '../storage/disk.ts';
import { createFaultReporter } from '../storage/fault-reporter.ts';
import { openAckEpochs } from './ack-epochs.ts';
import { openDataGaps } from './data-gaps.ts';
import { createOutboxState } from './outbox-state.ts';
import { recoverSegments } from './recover-segments.ts';
import { createRetainedRecords, retentionLimits } from './retained-records.ts';
import { openSegmentCounts } from './segment-counts.ts';
import { createSegmentStore } from './segment-store.ts';

export interface OutboxDeps {
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  /** The corrected clock. */
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** The disk refused an operation. Called once per change. */
  readonly onFault: (text: string) => void;
  /** A record is on disk: an earlier run left it, or it was just written. Called in the order of creation. */
  readonly onStored?: (record: OutboxRecord) => void;
  /** Records are about to leave the disk. State that was derived from them must be on disk when this resolves. */
  readonly beforeDelete?: () => Promise<void>;
  /** Time for which acknowledged records are retained, milliseconds; 0: not at all. */
  readonly retainMs?: number;
}

/** Opens the files of the outbox with the segments of earlier runs. */
export async function openOutboxFiles(deps: OutboxDeps) {
  const { folder, maxBytes, nowMs, newId, onStored = () => {}, beforeDelete = async () => {} } = deps;
  const faults = createFaultReporter(deps.onFault);
  const { report: onFault } = faults;
  await ensureFolder(folder).catch(onFault);
  const gaps = await openDataGaps({ folder, newId, onFault });
  const counts = await openSegmentCounts(folder, onFault);
  const epochs = await openAckEpochs(folder, onFault);
  const state = createOutboxState();
  let available = () => {};
  const { recovered, lastNo } = await recoverSegments(folder, (no) => counts.of(no), onFault, onStored);
  // Never reuse a number: the files may still have counts and gaps of its earlier segment.
  let newestNo = Math.max(lastNo, counts.lastNo, gaps.lastSegmentNo);
  const nextNo = () => {
    newestNo += 1;
    return newestNo;
  };
  const onAvailable = () => available();
  const files = { folder, state, gaps, counts, faults };
  const calls = { nowMs, nextNo, onAvailable, onStored, beforeDelete };
  const retainMs = deps.retainMs ?? retentionLimits.ms;
  const retained = createRetainedRecords({
    live: state.segments,
    retainMs,
    nowMs: deps.clock.monoMs,
    async remove({ file }) {
      await beforeDelete();
      if (file !== undefined) await unlink(file).catch(onFault);
    },
  });
  const store = createSegmentStore({ ...files, ...calls, retained, maxBytes });
  for (const { segment, losses } of recovered) {
    const isReported = gaps.reports(segment.no);
    if (!isReported) for (const loss of losses) await store.report(loss);
    if (!isReported && segment.waiting > 0) state.segments.set(segment.no, segment);
    else if (isReported) await store.remove(segment);
    else await store.keep(segment);
  }
  return {
    state,
    store,
    gaps,
    counts,
    epochs,
    retained,
    faults,
    available: onAvailable,
    onAvailable: (listener: () => void) => {
      available = listener;
    },
  };
}
