import { type FileHandle, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '@vantage/kernel';
import type { OutboxRecord } from '@vantage/proto';
import { encodeFrame } from './frame.ts';
import { createSegment, type Segment } from './segment.ts';

/** A record with its bytes. */
export interface Unwritten {
  readonly record: OutboxRecord;
  readonly payload: Uint8Array;
}

/** Writes records to the end of the newest segment's file. */
export interface SegmentWriter {
  /**
   * Resolves with the segment when all records are on disk; the caller adds the records to the segment. Rejects when
   * the disk refuses: the file is then as it was before, an empty one is removed, and the next write begins another.
   */
  write(batch: readonly Unwritten[]): Promise<Segment>;
  /** The segment of the next records, if its file exists. */
  readonly active: Segment | undefined;
  /** Closes the active file; returns its segment. */
  seal(): Promise<Segment | undefined>;
}

/** Creates the writer; nothing is on disk before the first write. */
export function createWriter(deps: {
  readonly folder: string;
  readonly nextNo: () => number;
  readonly nowMs: () => number;
}): SegmentWriter {
  let current: { readonly segment: Segment; readonly file: string; readonly handle: FileHandle } | undefined;

  const begin = async () => {
    const no = deps.nextNo();
    const file = path.join(deps.folder, `${String(no).padStart(12, '0')}.seg`);
    const handle = await open(file, 'wx', 0o600);
    current = { segment: createSegment(no, file, deps.nowMs()), file, handle };
    await syncFolder(deps.folder);
    return current;
  };
  const giveBack = async () => {
    if (current === undefined) return;
    const { segment, file, handle } = current;
    current = undefined;
    await handle.truncate(segment.bytes).catch(() => undefined);
    await handle.close().catch(() => undefined);
    if (segment.states.length === 0) await unlink(file).catch(() => undefined);
  };

  return {
    async write(batch) {
      try {
        const { segment, handle } = current ?? (await begin());
        const frames = framesOf(segment, batch);
        await handle.appendFile(frames);
        await handle.datasync();
        segment.bytes += frames.length;
        return segment;
      } catch (error) {
        await giveBack();
        throw error;
      }
    },
    get active() {
      return current?.segment;
    },
    async seal() {
      const sealed = current;
      current = undefined;
      await sealed?.handle.close();
      return sealed?.segment;
    },
  };
}

function framesOf(segment: Segment, batch: readonly Unwritten[]): Buffer {
  let { results } = segment;
  const frames = batch.map(({ record, payload }, i) => {
    const isResult = record.record.case === 'result';
    if (isResult) results += 1;
    return encodeFrame({ index: segment.states.length + i, results, isResult }, payload);
  });
  return Buffer.concat(frames);
}
