import { rm } from 'node:fs/promises';
import { Fault, readIfPresent, replaceFile } from '@vantage/kernel';
import { readSecretKeys } from '@vantage/storage/secrets/key-file';
import { createSealer } from '@vantage/storage/secrets/seal';
import { z } from 'zod';

/** The context in which the URL of a copy is sealed. */
export const copySealContext = 'database-copy';

const targetSchema = z.object({
  /** `embedded`, or a URL. */
  to: z.string(),
  /** `to` for people, without a password. */
  name: z.string(),
});

const moveSchema = targetSchema.extend({
  /** The setting of the database that was replaced: `embedded`, or a URL. */
  from: z.string(),
  copyId: z.string(),
});

/** The file in which a controller remembers the copy that replaced the database of its settings. */
export type RememberedMove = z.output<typeof moveSchema>;

/** Undefined: there is no file, or the settings name another database now. */
export async function readMove(file: string, setting: string): Promise<RememberedMove | undefined> {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  const move = moveSchema.parse(JSON.parse(text));
  return move.from === setting ? move : undefined;
}

/** Writes the file; removes it when the move leads back to the database of the settings. */
export async function rememberMove(file: string, move: RememberedMove): Promise<void> {
  if (move.to === move.from) await rm(file, { force: true });
  else await replaceFile(file, JSON.stringify(move));
}

/** Opens the address of a copy, which its source has sealed. Throws a Fault when the key file is missing. */
export async function openTarget(
  secretKeyFile: string,
  sealed: Buffer,
): Promise<z.output<typeof targetSchema>> {
  const keys = await readSecretKeys(secretKeyFile);
  if (keys === undefined)
    throw new Fault(
      'stop',
      'secret_key',
      `the database was copied to another one, whose address is sealed with the key file ${secretKeyFile}, which is missing (VANTAGE_SECRET_KEY_FILE)`,
    );
  const [key, ...older] = keys;
  return targetSchema.parse(createSealer(key, older).open(sealed, copySealContext));
}
