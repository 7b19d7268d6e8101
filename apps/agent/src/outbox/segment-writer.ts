import { type FileHandle, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '@vantage/kernel';
import { createSegment, type EncodedRecord, type OutboxSegment } from './segment.ts';
import { encodeFrames, headBytes, type SegmentFrame } from './segment-frames.ts';

/** Records that are on disk. */
interface WrittenRecords {
  readonly segment: OutboxSegment;
  /** The payloads as parts of one buffer: separate arrays would cost the garbage collector more. */
  readonly payloads: readonly Uint8Array[];
}

/** Writes records to the end of the newest segment file. */
interface SegmentWriter {
  /**
   * Resolves when all records are on disk; the caller adds them to the segment. Rejects when the disk refuses. The file
   * is then as before, an empty file is removed, and the next write begins another file.
   */
  write(batch: readonly EncodedRecord[]): Promise<WrittenRecords>;
  /** The segment of the next records, if its file exists. */
  readonly active: OutboxSegment | undefined;
  /** Closes the active file and returns its segment. */
  seal(): Promise<OutboxSegment | undefined>;
}

/** Creates the writer. It touches the disk at the first write. */
export function createWriter(deps: {
  readonly folder: string;
  readonly nextNo: () => number;
  readonly nowMs: () => number;
}): SegmentWriter {
  let current:
    | { readonly segment: OutboxSegment; readonly file: string; readonly handle: FileHandle }
    | undefined;

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
        return { segment, payloads: payloadsOf(frames, batch) };
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

function framesOf(segment: OutboxSegment, batch: readonly EncodedRecord[]): Buffer {
  let { results } = segment;
  const frames = batch.map(({ record, payload }, i): SegmentFrame => {
    const isResult = record.record.case === 'result';
    if (isResult) results += 1;
    return { index: segment.states.length + i, results, isResult, payload };
  });
  return encodeFrames(frames);
}

function payloadsOf(frames: Buffer, batch: readonly EncodedRecord[]): readonly Uint8Array[] {
  let end = 0;
  return batch.map(({ payload }) => {
    const start = end + headBytes;
    end = start + payload.length;
    return frames.subarray(start, end);
  });
}
