import path from 'node:path';
import { type Clock, Fault, type Logger } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { requireSupportedServer } from '@vantage/storage/require-server';
import { requireSessions } from '@vantage/storage/require-sessions';
import { checkDatabaseUse } from '@vantage/storage-ops/copy';
import {
  type SupervisedEmbedded,
  superviseEmbedded,
} from '@vantage/storage-ops/embedded/embedded-supervisor';
import type { ControllerConfig } from '../config/controller-config.ts';
import { openTarget, readMove, rememberMove } from './database-move-file.ts';

/** Copies of copies that are followed. */
const maxMoves = 8;

/** The database that a controller uses. */
export interface ControllerDatabase {
  readonly url: string;
  /** The settings, with this database. */
  readonly config: ControllerConfig;
  /** undefined: the database is not embedded. */
  readonly embedded: SupervisedEmbedded | undefined;
  /** It is a copy of the database of the settings (`vantage database copy`). */
  readonly isMoved: boolean;
}

interface DatabaseDeps {
  readonly config: ControllerConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ending: AbortSignal;
  /** Called with the reason why the start waits. */
  readonly onWait: (text: string) => void;
}

/**
 * Finds the database of the settings, or the copy that replaced it (`vantage database copy`), and starts it if it is
 * embedded. Throws a Fault for an incomplete copy.
 */
export async function openControllerDatabase(deps: DatabaseDeps): Promise<ControllerDatabase> {
  const { config, log } = deps;
  const setting = config.databaseUrl ?? 'embedded';
  const file = path.join(config.dataDir, 'database-moved.json');
  let move = await readMove(file, setting);
  for (let left = maxMoves; left > 0; left -= 1) {
    const database = await start(deps, move?.to ?? setting);
    const use = await checkUse(deps, database, move?.copyId);
    if (use.kind === 'serve') {
      if (move !== undefined)
        log.warn(
          { database: move.name },
          'the database of the settings was copied to another one, which is used: correct VANTAGE_DATABASE_URL',
        );
      return { ...database, isMoved: move !== undefined };
    }
    await database.embedded?.stop();
    if (use.kind === 'refuse')
      throw new Fault(
        'stop',
        'copy_unfinished',
        'the database is an unfinished copy (VANTAGE_DATABASE_URL): use the database it came from, and repeat "vantage database copy"',
      );
    const target = await openTarget(config.secretKeyFile, use.sealed);
    move = { from: setting, ...target, copyId: use.copyId };
    await rememberMove(file, move);
  }
  throw new Fault(
    'stop',
    'moved_in_a_circle',
    'the databases name each other as the one in use: set VANTAGE_DATABASE_URL to the newest one',
  );
}

async function start(
  { config, clock, log }: DatabaseDeps,
  to: string,
): Promise<Omit<ControllerDatabase, 'isMoved'>> {
  if (to !== 'embedded') return { url: to, config: { ...config, databaseUrl: to }, embedded: undefined };
  const embedded = await superviseEmbedded({ dir: path.join(config.dataDir, 'postgres'), clock, log });
  return { url: embedded.url, config: { ...config, databaseUrl: undefined }, embedded };
}

/** Waits until the server has started, and checks whether this controller may use the database. */
async function checkUse(
  { clock, log, ending, onWait }: DatabaseDeps,
  { url, embedded }: Pick<ControllerDatabase, 'url' | 'embedded'>,
  from: string | undefined,
) {
  const db = await createDb({ connection: { url }, log, clock, poolSize: 1 });
  try {
    await requireSupportedServer(db.kysely, { clock, ending, log, onWait });
    if (embedded === undefined) await requireSessions(url);
    return await checkDatabaseUse(url, from);
  } catch (error) {
    await embedded?.stop();
    throw error;
  } finally {
    await db.close();
  }
}
