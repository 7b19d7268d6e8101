import { readFile } from 'node:fs/promises';
import type { FaultReporter } from '../storage/fault-reporter.ts';
import type { OutboxSegment } from './segment.ts';
import { decodeFrames } from './segment-frames.ts';

/** Reads the encoded records of a segment file by index. Damaged records are missing. The payloads share one buffer. */
async function readPayloads(file: string): Promise<Map<number, Uint8Array>> {
  const { frames } = decodeFrames(await readFile(file));
  return new Map(frames.map(({ index, payload }) => [index, payload]));
}

/**
 * Creates a function that reads the records of a segment; undefined when the file cannot be read now. The latest
 * segment that no longer grows stays in memory.
 */
export function createSegmentReader(faults: FaultReporter) {
  let cached: { readonly no: number; readonly payloads: ReadonlyMap<number, Uint8Array> } | undefined;
  return async ({ no, file, memory }: OutboxSegment, isGrowing: boolean) => {
    const known = memory ?? (cached?.no === no ? cached.payloads : undefined);
    const payloads =
      known ?? (file === undefined ? undefined : await readPayloads(file).catch(faults.report));
    if (payloads !== undefined && memory === undefined) cached = isGrowing ? undefined : { no, payloads };
    return payloads ?? undefined;
  };
}
