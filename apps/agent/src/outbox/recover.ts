import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { OutboxRecordSchema } from '@vantage/proto';
import { decodeFrames } from './frame.ts';
import type { Loss } from './gaps.ts';
import { addRecord, createSegment, type Segment } from './segment.ts';

/** A segment file of an earlier run: all its records wait again; what of it can't be read is lost. */
export interface Recovered {
  readonly segment: Segment;
  readonly losses: readonly Loss[];
}

/** Finds the segments of earlier runs, oldest first. A file that can't be read is left where it is; `onFault` hears why. */
export async function recoverSegments(
  folder: string,
  onFault: (error: unknown) => void,
): Promise<readonly Recovered[]> {
  const recovered: Recovered[] = [];
  const names = await readdir(folder).catch((error: unknown) => {
    onFault(error);
    return [];
  });
  for (const name of names.filter((each) => /^\d{12}\.seg$/.test(each)).sort()) {
    const file = path.join(folder, name);
    try {
      const { birthtimeMs, mtimeMs } = await stat(file);
      const bornMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
      const found = { no: Number(name.slice(0, 12)), file, bornMs, endedMs: mtimeMs };
      recovered.push(recoverSegment(found, await readFile(file)));
    } catch (error) {
      onFault(error);
    }
  }
  return recovered;
}

/** Reads one segment file, whatever happened to it. */
export function recoverSegment(
  found: { readonly no: number; readonly file: string; readonly bornMs: number; readonly endedMs: number },
  content: Buffer,
): Recovered {
  const segment = createSegment(found.no, found.file, found.bornMs);
  const { frames, damages } = decodeFrames(content);
  segment.bytes = content.length;
  const starts: { readonly index: number; readonly startUs: number }[] = [];
  for (const { index, payload } of frames) {
    while (segment.states.length < index) {
      segment.states.push('done');
      segment.isResult.push(false);
    }
    const record = fromBinary(OutboxRecordSchema, payload);
    addRecord(segment, record, 'waiting');
    if (record.record.case === 'result') starts.push({ index, startUs: Number(record.record.value.startUs) });
  }
  const losses = damages.map(({ index, lost }) => {
    const before = starts.findLast((each) => each.index < index)?.startUs;
    const after = starts.find((each) => each.index > index)?.startUs;
    const endUs = after ?? Math.round(found.endedMs * 1000);
    const fromUs = before ?? Math.min(endUs, Math.round(found.bornMs * 1000));
    const key = `${found.no} ${Math.round(found.bornMs)} ${index}`;
    const gapId = createHash('sha256').update(key).digest('hex').slice(0, 48);
    return { fromUs, toUs: Math.max(endUs, fromUs), dropped: lost, reason: 'damaged on disk', gapId };
  });
  return { segment, losses };
}
