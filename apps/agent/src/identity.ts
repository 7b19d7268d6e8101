import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { z } from 'zod';
import { ensureFolder, readChecked, writeChecked } from './disk.ts';

/** What the agent knows of itself across its runs. */
export interface Identity {
  /** A random id of this run. */
  readonly bootId: string;
  /** Controller minus this host's wall clock, microseconds, as last known; undefined before the first measurement. */
  readonly wallOffsetUs: number | undefined;
  /** The number of the next session: on disk before it is used, one higher each time. */
  nextSession(): Promise<bigint>;
  keepWallOffset(offsetUs: number): Promise<void>;
}

const kept = z.object({ session: z.int().min(0), wallOffsetUs: z.int().optional() });

/** A difference smaller than this is not worth a write, microseconds. */
const worthKeepingUs = 100_000;

/** Opens what is kept in the folder. A disk that refuses is told to `onFault`; the agent goes on from what it knows. */
export async function openIdentity(deps: {
  readonly folder: string;
  readonly newId: () => string;
  readonly onFault: (text: string) => void;
}): Promise<Identity> {
  const { onFault } = deps;
  const file = path.join(deps.folder, 'identity.json');
  const found = await load(file, deps.folder, onFault);
  let session = found?.session ?? 0;
  let wallOffsetUs = found?.wallOffsetUs;
  const write = async () => {
    const text = JSON.stringify({ session, wallOffsetUs });
    await writeChecked(file, Buffer.from(text)).catch((error: unknown) =>
      onFault(`${file} cannot be written: ${messageOf(error)}`),
    );
  };
  let writing = Promise.resolve();
  const inTurn = () => {
    writing = writing.then(write);
    return writing;
  };
  return {
    bootId: deps.newId(),
    wallOffsetUs,
    async nextSession() {
      session += 1;
      const own = BigInt(session);
      await inTurn();
      return own;
    },
    async keepWallOffset(offsetUs) {
      if (wallOffsetUs !== undefined && Math.abs(offsetUs - wallOffsetUs) < worthKeepingUs) return;
      wallOffsetUs = Math.round(offsetUs);
      await inTurn();
    },
  };
}

async function load(file: string, folder: string, onFault: (text: string) => void) {
  try {
    await ensureFolder(folder);
    const { content } = await readChecked(file);
    if (content === undefined) return undefined;
    const parsed = kept.safeParse(JSON.parse(content.toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    onFault(`${file} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}
