import { readIfPresent, replaceFile } from '@vantage/kernel';
import { z } from 'zod';
import type { RememberedMark } from './decide-history.ts';

/** The last mark with its epoch. */
export type Remembered = RememberedMark & { readonly epochId: string };

const stored = z.object({ epochId: z.string(), mark: z.number(), markedUs: z.number() });

/** The last mark of the controller's earlier run; undefined without one, and where the file cannot be read. */
export async function readRemembered(file: string): Promise<Remembered | undefined> {
  try {
    return stored.safeParse(JSON.parse((await readIfPresent(file)) ?? '')).data;
  } catch {
    return undefined;
  }
}

/**
 * Writes the mark without an fsync: after a power cut the file may be older, or unreadable, and then only the agents
 * notice. A disk that refuses it keeps the old one; the next mark comes in seconds.
 */
export async function remember(file: string, mark: Remembered): Promise<void> {
  await replaceFile(file, JSON.stringify(mark), { isSynced: false }).catch(() => {});
}
