import { readIfPresent, replaceFile } from '@vantage/kernel';
import { z } from 'zod';

const lostSpan = z.object({ fromUs: z.number(), toUs: z.number().nullable(), seenUs: z.number() });

/**
 * The time that the database lost: it has nothing from `toUs` (null: unknown) to `fromUs`, when a controller wrote its
 * last position. That was noticed at `seenUs`. Microseconds since 1970.
 */
export type LostSpan = z.output<typeof lostSpan>;

/** The file's form; its names are those of the table `database_epochs`. */
const fileSchema = z.object({
  epochId: z.string(),
  mark: z.number(),
  markedUs: z.number(),
  wentBack: lostSpan.optional(),
});

/** The last position with its epoch, and the last time that the database went back. */
export interface RememberedPosition {
  readonly epochId: string;
  readonly position: number;
  readonly writtenUs: number;
  readonly wentBack?: LostSpan | undefined;
}

/** The last position of the controller's previous run; undefined: there is none, or the file cannot be read. */
export async function readRemembered(file: string): Promise<RememberedPosition | undefined> {
  try {
    const { mark, markedUs, ...rest } = fileSchema.parse(JSON.parse((await readIfPresent(file)) ?? ''));
    return { ...rest, position: mark, writtenUs: markedUs };
  } catch {
    return undefined;
  }
}

/**
 * Writes the position without an fsync: after a power cut the file may be older, or unreadable, and then only the
 * agents notice. When the disk rejects the write, the file keeps the previous position; the next write follows in
 * seconds.
 */
export async function remember(
  file: string,
  { epochId, position, writtenUs, wentBack }: RememberedPosition,
): Promise<void> {
  const content = { epochId, mark: position, markedUs: writtenUs, wentBack };
  await replaceFile(file, JSON.stringify(content), { isSynced: false }).catch(() => {});
}
