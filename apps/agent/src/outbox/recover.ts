import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { type Counts, decodeFrames } from './frame.ts';
import type { Loss } from './gaps.ts';
import { addRecord, createSegment, type Segment } from './segment.ts';

/** A segment file of an earlier run: all its records wait again; damaged ones are lost. */
interface Recovered {
  readonly segment: Segment;
  readonly losses: readonly Loss[];
}

/** The segments of earlier runs. */
export interface Found {
  readonly recovered: readonly Recovered[];
  /** The highest number of any segment file, readable or not; 0 without any. */
  readonly lastNo: number;
}

/**
 * Finds the segments of earlier runs, oldest first. A file that cannot be read stays where it is; `onFault` receives
 * the reason. `countsOf` returns the counts of a segment when it was last written.
 */
export async function recoverSegments(
  folder: string,
  countsOf: (no: number) => Counts | undefined,
  onFault: (error: unknown) => void,
  onFound: (record: OutboxRecord) => void = () => {},
): Promise<Found> {
  const recovered: Recovered[] = [];
  let lastNo = 0;
  const names = await readdir(folder).catch((error: unknown) => {
    onFault(error);
    return [];
  });
  for (const name of names.filter((each) => /^\d{12}\.seg$/.test(each)).sort()) {
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
  counts?: Counts,
  onFound: (record: OutboxRecord) => void = () => {},
): Recovered {
  const { frames, damages } = decodeFrames(content, counts);
  const records = frames.map(({ index, payload }) => ({
    index,
    record: fromBinary(OutboxRecordSchema, payload),
  }));
  const starts = records.flatMap(({ index, record: { record } }) =>
    record.case === 'result' ? [{ index, startUs: Number(record.value.startUs) }] : [],
  );
  // The host's clock may be days away from the corrected one, which the results carry.
  const segment = createSegment(found.no, found.file, (starts[0]?.startUs ?? found.bornMs * 1000) / 1000);
  segment.bytes = content.length;
  for (const { index, record } of records) {
    while (segment.states.length < index) segment.states.push('done', false);
    addRecord(segment, record, index < (counts?.done ?? 0) ? 'acked' : 'waiting');
    onFound(record);
  }
  segment.wasAckedBefore = segment.states.includes('acked');
  const ends = (from: number) =>
    frames.find(({ index }) => index > from)?.index ?? counts?.frames ?? from + 1;
  // The controller has the records that were acknowledged before they were damaged.
  const lost = damages.filter(({ index }) => ends(index) > (counts?.done ?? 0));
  const losses = lost.map(({ index, results }) => {
    const before = starts.findLast((each) => each.index < index)?.startUs;
    const after = starts.find((each) => each.index > index)?.startUs;
    const endUs = after ?? Math.round(found.endedMs * 1000);
    const fromUs = before ?? Math.min(endUs, Math.round(found.bornMs * 1000));
    const key = `${found.no} ${Math.round(found.bornMs)} ${index}`;
    const gapId = createHash('sha256').update(key).digest('hex').slice(0, 48);
    return { fromUs, toUs: Math.max(endUs, fromUs), dropped: results, reason: 'damaged on disk', gapId };
  });
  return { segment, losses };
}
