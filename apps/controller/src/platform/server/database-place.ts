import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, Fault, type Logger, readIfPresent, replaceFile } from '@vantage/kernel';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { askDatabase } from '../db/copy/index.ts';
import { type SupervisedEmbedded, superviseEmbedded } from '../db/embedded-supervisor.ts';
import { createDb } from '../db/index.ts';
import { requireSupportedServer } from '../db/server.ts';
import { requireSessions } from '../db/sessions.ts';
import { readSecretKeys } from '../secrets/key-file.ts';
import { createSealer } from '../secrets/seal.ts';

/** The context in which the URL of a copy is sealed. */
export const copySealContext = 'database-copy';

/** `embedded`, or a URL. */
const movedSchema = z.object({
  /** The setting that leads to the database that was given up. */
  from: z.string(),
  to: z.string(),
  /** `to` for people, without a password. */
  name: z.string(),
  copyId: z.string(),
});
type Moved = z.output<typeof movedSchema>;

/** A database may have been copied on so often. */
const mostMoves = 8;

/** The database that a controller uses. */
export interface DatabasePlace {
  readonly url: string;
  /** The settings, with this database. */
  readonly config: Config;
  /** The embedded PostgreSQL, where it is that one. */
  readonly embedded: SupervisedEmbedded | undefined;
  /** `vantage database copy` led here from the database of the settings. */
  readonly isMoved: boolean;
}

interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ending: AbortSignal;
  /** Hears why the start waits. */
  readonly onWait: (text: string) => void;
}

/**
 * Finds the database of the settings, or the one that took its place by `vantage database copy`, and starts it where it
 * is the embedded one. Throws a Fault for a copy that is not whole.
 */
export async function openDatabasePlace(deps: Deps): Promise<DatabasePlace> {
  const { config, log } = deps;
  const setting = config.databaseUrl ?? 'embedded';
  const file = path.join(config.dataDir, 'database-moved.json');
  let moved = await readMoved(file, setting);
  for (let left = mostMoves; left > 0; left -= 1) {
    const place = await start(deps, moved?.to ?? setting);
    const answer = await ask(deps, place, moved?.copyId);
    if (answer.welcome === 'serve') {
      if (moved !== undefined)
        log.warn(
          { database: moved.name },
          'the database of the settings was copied to another one, which is used: correct VANTAGE_DATABASE_URL',
        );
      return { ...place, isMoved: moved !== undefined };
    }
    await place.embedded?.stop();
    if (answer.welcome === 'refuse')
      throw new Fault(
        'stop',
        'copy_unfinished',
        'the database is an unfinished copy (VANTAGE_DATABASE_URL): use the database it came from, and repeat "vantage database copy"',
      );
    moved = { from: setting, ...(await openTarget(config, answer.sealed)), copyId: answer.copyId };
    // The way back leads to the database of the settings itself.
    if (moved.to === setting) await rm(file, { force: true });
    else await replaceFile(file, JSON.stringify(moved));
  }
  throw new Fault(
    'stop',
    'moved_in_a_circle',
    'the databases name each other as the one in use: set VANTAGE_DATABASE_URL to the newest one',
  );
}

/** Undefined where the settings name another database meanwhile. */
async function readMoved(file: string, setting: string): Promise<Moved | undefined> {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  const moved = movedSchema.parse(JSON.parse(text));
  return moved.from === setting ? moved : undefined;
}

async function start({ config, clock, log }: Deps, to: string): Promise<Omit<DatabasePlace, 'isMoved'>> {
  if (to !== 'embedded') return { url: to, config: { ...config, databaseUrl: to }, embedded: undefined };
  const embedded = await superviseEmbedded({ dir: path.join(config.dataDir, 'postgres'), clock, log });
  return { url: embedded.url, config: { ...config, databaseUrl: undefined }, embedded };
}

/** Waits for a server that starts, and asks it. */
async function ask(
  { clock, log, ending, onWait }: Deps,
  { url, embedded }: Pick<DatabasePlace, 'url' | 'embedded'>,
  from: string | undefined,
) {
  const db = await createDb({ connection: { url }, log, clock, poolSize: 1 });
  try {
    await requireSupportedServer(db.kysely, { clock, ending, log, onWait });
    if (embedded === undefined) await requireSessions(url);
    return await askDatabase(url, from);
  } catch (error) {
    await embedded?.stop();
    throw error;
  } finally {
    await db.close();
  }
}

async function openTarget({ secretKeyFile }: Config, sealed: Buffer): Promise<{ to: string; name: string }> {
  const keys = await readSecretKeys(secretKeyFile);
  if (keys === undefined)
    throw new Fault(
      'stop',
      'secret_key',
      `the database was copied to another one, whose address the key file ${secretKeyFile} opens, and it is missing (VANTAGE_SECRET_KEY_FILE)`,
    );
  const [key, ...older] = keys;
  return z
    .object({ to: z.string(), name: z.string() })
    .parse(createSealer(key, older).open(sealed, copySealContext));
}
