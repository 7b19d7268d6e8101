import path from 'node:path';
import { parseJson } from '@vantage/kernel';
import { z } from 'zod';
import { openDualCopyFile } from '../storage/dual-copy-file.ts';
import { type AckPosition, type DatabaseHistory, isLost } from './database-history.ts';

/**
 * The newest acknowledgement of each epoch. The file has the epochs; a mark is written when the agent ends, because a
 * write for each ack would cost an fsync. After a kill the marks are unknown, and count as the highest.
 */
export interface Epochs extends AsyncDisposable {
  /** At most 8, the newest last. */
  readonly ids: readonly string[];
  acked(position: AckPosition): Promise<void>;
  /** Whether the database lost acknowledgements of an earlier run. */
  lostEarlier(history: DatabaseHistory): boolean;
}

const most = 8;
const unknownMark = Number.MAX_SAFE_INTEGER;
const stored = z.array(z.object({ epochId: z.string(), mark: z.number() }));

/** Opens the file. Never throws for a fault of the disk; `onFault` receives it, and the epochs are in memory only. */
export async function openEpochs(folder: string, onFault: (error: unknown) => void): Promise<Epochs> {
  const reported = (error: unknown) => {
    onFault(error);
    return undefined;
  };
  const file = await openDualCopyFile(path.join(folder, 'epochs.bin')).catch(reported);
  const earlier = readStored(file?.text);
  const marks = new Map(earlier.map(({ epochId, mark }) => [epochId, mark]));
  const write = async (isOver: boolean) => {
    const positions = [...marks].map(([epochId, mark]) => ({ epochId, mark: isOver ? mark : unknownMark }));
    await file?.write(JSON.stringify(positions)).catch(reported);
  };
  return {
    get ids() {
      return [...marks.keys()];
    },
    async acked({ epochId, mark }) {
      const known = marks.get(epochId);
      marks.set(epochId, Math.max(known ?? 0, mark));
      if (known !== undefined) return;
      for (const oldest of [...marks.keys()].slice(0, -most)) marks.delete(oldest);
      await write(false);
    },
    lostEarlier: (history) => earlier.some((position) => isLost(position, history)),
    async [Symbol.asyncDispose]() {
      await write(true);
      await file?.[Symbol.asyncDispose]();
    },
  };
}

function readStored(text: string | undefined): readonly AckPosition[] {
  return stored.safeParse(parseJson(text)).data ?? [];
}
