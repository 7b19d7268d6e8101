import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import type { Loss } from './data-gaps.ts';
import { addRecord, createSegment, type OutboxSegment, type SegmentCounts } from './segment.ts';
import { decodeFrames } from './segment-frames.ts';

/** A segment file of an earlier run: all its records wait again, and damaged records are lost. */
interface RecoveredSegment {
  readonly segment: OutboxSegment;
  readonly losses: readonly Loss[];
}

interface RecoveredSegments {
  readonly recovered: readonly RecoveredSegment[];
  /** The highest number of any segment file, readable or not; 0 without any. */
  readonly lastNo: number;
}

/**
 * Finds the segments of earlier runs, oldest first. An unreadable file stays in the folder, and `onFault` receives the
 * reason. `countsOf` returns the counts of a segment at its last write.
 */
export async function recoverSegments(
  folder: string,
  countsOf: (no: number) => SegmentCounts | undefined,
  onFault: (error: unknown) => void,
  onFound: (record: OutboxRecord) => void = () => {},
): Promise<RecoveredSegments> {
  const recovered: RecoveredSegment[] = [];
  let lastNo = 0;
  const names = await readdir(folder).catch((error: unknown) => {
    onFault(error);
    return [];
  });
  for (const name of names.filter((name) => /^\d{12}\.seg$/.test(name)).sort()) {
    const file = path.join(folder, name);
    const no = Number(name.slice(0, 12));
    lastNo = no;
    try {
      const { birthtimeMs, mtimeMs } = await stat(file);
      const bornMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
      const found = { no, file, bornMs, endedMs: mtimeMs };
      recovered.push(recoverSegment(found, await readFile(file), countsOf(no), onFound));
    } catch (error) {
      onFault(error);
    }
  }
  return { recovered, lastNo };
}

/** Reads one segment file, damaged or not. */
function recoverSegment(
  found: { readonly no: number; readonly file: string; readonly bornMs: number; readonly endedMs: number },
  content: Buffer,
  counts?: SegmentCounts,
  onFound: (record: OutboxRecord) => void = () => {},
): RecoveredSegment {
  const { frames, damages } = decodeFrames(content, counts);
  const records = frames.map(({ index, payload }) => ({
    index,
    payload,
    record: fromBinary(OutboxRecordSchema, payload),
  }));
  const starts = records.flatMap(({ index, record: { record } }) =>
    record.case === 'result' ? [{ index, startUs: Number(record.value.startUs) }] : [],
  );
  // The results carry the corrected clock. The clock of the host may differ from it by days.
  const segment = createSegment(found.no, found.file, (starts[0]?.startUs ?? found.bornMs * 1000) / 1000);
  segment.bytes = content.length;
  for (const { index, record, payload } of records) {
    while (segment.states.length < index) segment.states.push('done', false);
    addRecord(segment, { record, payload }, index < (counts?.done ?? 0) ? 'acked' : 'waiting');
    onFound(record);
  }
  segment.wasAckedBefore = segment.states.includes('acked');
  const ends = (from: number) =>
    frames.find(({ index }) => index > from)?.index ?? counts?.frames ?? from + 1;
  // The controller has the records that were acknowledged before they were damaged.
  const lost = damages.filter(({ index }) => ends(index) > (counts?.done ?? 0));
  const losses = lost.map(({ index, results }) => {
    const before = starts.findLast((start) => start.index < index)?.startUs;
    const after = starts.find((start) => start.index > index)?.startUs;
    const endUs = after ?? Math.round(found.endedMs * 1000);
    const fromUs = before ?? Math.min(endUs, Math.round(found.bornMs * 1000));
    const key = `${found.no} ${Math.round(found.bornMs)} ${index}`;
    const gapId = createHash('sha256').update(key).digest('hex').slice(0, 48);
    return { fromUs, toUs: Math.max(endUs, fromUs), dropped: results, reason: 'damaged on disk', gapId };
  });
  return { segment, losses };
}
