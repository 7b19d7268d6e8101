import path from 'node:path';
import { messageOf } from '@vantage/kernel';
import { z } from 'zod';
import { ensureFolder, readChecked } from './disk.ts';
import { openTwiceKept } from './twice-kept.ts';

/** What the agent knows of itself across its runs. */
export interface Identity extends AsyncDisposable {
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
  const { folder, onFault } = deps;
  const file = path.join(folder, 'identity.bin');
  const refused = (what: string) => (error: unknown) => {
    onFault(`${file} cannot be ${what}: ${messageOf(error)}`);
    return undefined;
  };
  await ensureFolder(folder).catch(refused('made'));
  const store = await openTwiceKept(file).catch(refused('opened'));
  const found = parse(store?.text ?? (await earlierForm(folder).catch(refused('read'))));
  let session = found?.session ?? 0;
  let wallOffsetUs = found?.wallOffsetUs;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    writing = writing.then(async () => {
      await store?.write(JSON.stringify({ session, wallOffsetUs })).catch(refused('written'));
    });
    return writing;
  };
  return {
    bootId: deps.newId(),
    wallOffsetUs,
    async nextSession() {
      session += 1;
      const own = BigInt(session);
      await write();
      return own;
    },
    async keepWallOffset(offsetUs) {
      if (wallOffsetUs !== undefined && Math.abs(offsetUs - wallOffsetUs) < worthKeepingUs) return;
      wallOffsetUs = Math.round(offsetUs);
      await write();
    },
    async [Symbol.asyncDispose]() {
      await writing;
      await store?.[Symbol.asyncDispose]();
    },
  };
}

function parse(text: string | undefined): z.output<typeof kept> | undefined {
  if (text === undefined) return undefined;
  try {
    return kept.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The file in which earlier versions kept the same. */
async function earlierForm(folder: string): Promise<string | undefined> {
  const { content } = await readChecked(path.join(folder, 'identity.json'));
  return content?.toString('utf8');
}
