import path from 'node:path';
import { parseJson } from '@vantage/kernel';
import { z } from 'zod';
import { openDualCopyFile } from '../storage/dual-copy-file.ts';
import { type AckPosition, type EpochHistory, isLost } from './ack-position.ts';

/**
 * The latest acknowledgement of each epoch. The file always lists the epochs. It has their sequences only between an
 * orderly end and the first acknowledgement of the next run, because writing each ack would cost an fsync. After a kill
 * the sequences are unknown and count as the highest.
 */
interface AckEpochs extends AsyncDisposable {
  /** At most 8, the newest last. */
  readonly ids: readonly string[];
  acked(position: AckPosition): Promise<void>;
  /** Whether the database lost acknowledgements of an earlier run. */
  lostEarlier(history: EpochHistory): boolean;
}

const maxEpochs = 8;
const unknownSequence = Number.MAX_SAFE_INTEGER;
/** The file keeps the first name of the sequence, `mark`, so that every version reads it. */
const storedEpochs = z.array(z.object({ epochId: z.string(), mark: z.number() }));

/** Opens the file. Never throws for a disk fault: `onFault` receives it, and the epochs stay in memory. */
export async function openAckEpochs(folder: string, onFault: (error: unknown) => void): Promise<AckEpochs> {
  const reported = (error: unknown) => {
    onFault(error);
    return undefined;
  };
  const file = await openDualCopyFile(path.join(folder, 'epochs.bin')).catch(reported);
  const earlier = parseEpochs(file?.text);
  const sequences = new Map(earlier.map(({ epochId, sequence }) => [epochId, sequence]));
  // The sequences of an earlier run must leave the file at the first ack of this run: a kill would hide that ack.
  let hasSequencesInFile = earlier.some(({ sequence }) => sequence !== unknownSequence);
  const write = async (hasEnded: boolean) => {
    const epochs = [...sequences].map(([epochId, sequence]) => ({
      epochId,
      mark: hasEnded ? sequence : unknownSequence,
    }));
    try {
      await file?.write(JSON.stringify(epochs));
      hasSequencesInFile = hasEnded;
    } catch (error) {
      onFault(error);
    }
  };
  return {
    get ids() {
      return [...sequences.keys()];
    },
    async acked({ epochId, sequence }) {
      const known = sequences.get(epochId);
      sequences.set(epochId, Math.max(known ?? 0, sequence));
      if (known !== undefined && !hasSequencesInFile) return;
      for (const oldest of [...sequences.keys()].slice(0, -maxEpochs)) sequences.delete(oldest);
      await write(false);
    },
    lostEarlier: (history) => earlier.some((position) => isLost(position, history)),
    async [Symbol.asyncDispose]() {
      await write(true);
      await file?.[Symbol.asyncDispose]();
    },
  };
}

function parseEpochs(text: string | undefined): readonly AckPosition[] {
  const epochs = storedEpochs.safeParse(parseJson(text)).data ?? [];
  return epochs.map(({ epochId, mark }) => ({ epochId, sequence: mark }));
}
