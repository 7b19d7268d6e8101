// This program copies a database that is in use into an empty one. It reads the call (JSON, `callSchema`) from standard
// input, and writes the answer (JSON) to standard output.
import { readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock as clock, createLog, Fault, ignoreMissing, messageOf } from '@vantage/kernel';
import { stateOf } from '@vantage/storage/pg-error';
import { readSecretKeys } from '@vantage/storage/secrets/key-file';
import { createSealer } from '@vantage/storage/secrets/seal';
import { copyDatabase, findSuccessor, type NamedDatabase, openSession } from '@vantage/storage-ops/copy';
import { type Embedded, startEmbedded } from '@vantage/storage-ops/embedded/embedded';
import { z } from 'zod';
import type { ControllerConfig } from '../config/controller-config.ts';
import { loadSettings } from '../config/load-settings.ts';
import { copySealContext } from '../server/database-move-file.ts';
import { makeTables } from './make-tables.ts';

/** `embedded`, a URL, or `@FILE` with the URL. */
const database = z.string().min(1);
const callSchema = z.object({ from: database, to: database });
type CopyCall = z.output<typeof callSchema>;

const log = createLog('copy', 'silent');
const noTableState = '42P01';
const progressMs = 5_000;
/** A running controller was seen within this time, µs. */
const aliveUs = 30_000_000;
const pollMs = 200;
/** The time that controllers have to switch to the copy. */
const arriveMs = 60_000;
/** The embedded database stops when its controller ends, also during a copy. */
const maxStops = 5;

const say = (text: string) => void process.stderr.write(`vantage: ${text}\n`);

/** A database of the call. */
interface OpenedDatabase extends NamedDatabase {
  /** Controllers find it by this: `embedded`, or its URL. */
  readonly to: string;
  readonly embedded: Embedded | undefined;
}

/**
 * Copies a database. A controller that ends stops its embedded database, also during a copy. Then this restarts the
 * database and repeats the call, which also finishes a copy that has already replaced the source.
 */
async function copy(config: ControllerConfig, call: CopyCall) {
  for (let left = maxStops; ; left -= 1) {
    const from = await open(config, call.from, 'FROM');
    try {
      return await copyFrom(config, from, call.to);
    } catch (error) {
      if (left === 0 || from.embedded === undefined || (await isReached(from.url))) throw error;
      say('the embedded database was stopped during the copy: it is restarted, and the copy is repeated');
    } finally {
      if (from.embedded?.adopted === false) await from.embedded.stop();
    }
  }
}

async function isReached(url: string): Promise<boolean> {
  const client = await openSession(url, 'FROM').catch(() => undefined);
  await client?.end();
  return client !== undefined;
}

async function copyFrom(config: ControllerConfig, from: OpenedDatabase, named: string) {
  const to = await open(config, named, 'TO');
  let isInUse = false;
  try {
    const controllers = await settledControllers(
      from.url,
      to.embedded === undefined ? Number.POSITIVE_INFINITY : 1,
    );
    if (to.embedded !== undefined && controllers.length > 1)
      throw new Fault(
        'stop',
        'several_controllers',
        `${controllers.length} controllers use FROM, and only one can use an embedded database: stop the others first`,
      );
    const sealed = await sealTarget(config, to);
    const report = await copyDatabase({ from, to, sealed, makeTables, clock, say, onRows: createProgress() });
    const backMs = controllers.length > 0 ? await untilArrived(to.url, controllers) : undefined;
    isInUse = backMs !== undefined;
    return {
      from: from.name,
      to: to.name,
      ...report,
      backMs: backMs === undefined ? null : report.heldMs + backMs,
    };
  } finally {
    // A controller that uses the copy stops the server. A server that was already running may belong to a controller.
    if (!isInUse && to.embedded?.adopted === false) await to.embedded.stop();
  }
}

async function open(config: ControllerConfig, named: string, what: 'FROM' | 'TO'): Promise<OpenedDatabase> {
  if (named !== 'embedded') {
    const url = named.startsWith('@') ? await readUrl(named.slice(1)) : named;
    if (!/^postgres(ql)?:\/\/./.test(url))
      throw new Fault(
        'stop',
        'settings',
        `${what} must be embedded, postgres://user:password@host:5432/name, or @FILE with such a line`,
      );
    return { url, to: url, name: withoutPassword(url), embedded: undefined };
  }
  const dir = path.join(config.dataDir, 'postgres');
  const exists = (await stat(path.join(dir, 'cluster', 'PG_VERSION')).catch(ignoreMissing)) !== undefined;
  if (!exists && what === 'FROM')
    throw new Fault('stop', 'no_database', `${config.dataDir} has no embedded database (VANTAGE_DATA)`);
  const embedded = exists && what === 'TO' ? await startUnused(dir) : await startEmbedded({ dir, log });
  return { url: embedded.url, to: 'embedded', name: 'the embedded database', embedded };
}

/** Starts the embedded database. A database that a copy replaced earlier is moved, and an empty one is created. */
async function startUnused(dir: string): Promise<Embedded> {
  const existing = await startEmbedded({ dir, log });
  const isReplaced = (await findSuccessor(existing.url)) !== undefined;
  if (!isReplaced) return existing;
  await existing.stop();
  const target = `${dir}.given-up-${new Date(clock.nowUs() / 1000).toISOString().replaceAll(/[-:]|\..*/g, '')}`;
  await rename(dir, target);
  say(`the embedded database that was replaced earlier is now in ${target}: delete it if you do not need it`);
  return startEmbedded({ dir, log });
}

async function readUrl(file: string): Promise<string> {
  const line = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Fault('stop', 'unreadable', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  return line.trim();
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):.*@/s, '$1@').replaceAll(/([?&])(?:ssl)?password=[^&]*/g, '$1');
}

/** Seals the address of the copy for the controllers of the source, which all have the key file. */
async function sealTarget(
  { secretKeyFile }: ControllerConfig,
  { to, name }: OpenedDatabase,
): Promise<Buffer> {
  const keys = await readSecretKeys(secretKeyFile);
  if (keys === undefined)
    throw new Fault(
      'stop',
      'secret_key',
      `the key file ${secretKeyFile} is missing (VANTAGE_DATA, VANTAGE_SECRET_KEY_FILE): run this where a controller runs`,
    );
  const [key, ...older] = keys;
  return createSealer(key, older).seal({ to, name }, copySealContext);
}

/**
 * The controllers that use FROM. While there are more than `max`, it polls for as long as a controller that has ended
 * still counts, because a controller that was just restarted counts twice.
 */
async function settledControllers(url: string, max: number): Promise<readonly string[]> {
  const untilMs = clock.monoMs() + aliveUs / 1000;
  for (;;) {
    const controllers = await controllersOf(url, 'FROM');
    if (controllers.length <= max || clock.monoMs() > untilMs) return controllers;
    await clock.sleep(pollMs);
  }
}

/** The controllers that use a database. */
async function controllersOf(url: string, what: 'FROM' | 'TO'): Promise<readonly string[]> {
  const client = await openSession(url, what);
  try {
    const { rows } = await client.query<{ id: string }>(
      'select controller_id as id from controllers where last_seen_us > $1',
      [clock.nowUs() - aliveUs],
    );
    return rows.map(({ id }) => id);
  } catch (error) {
    if (stateOf(error) === noTableState) return [];
    throw error;
  } finally {
    await client.end();
  }
}

/** Waits for a new controller; returns how long that took, undefined: none came. */
async function untilArrived(url: string, before: readonly string[]): Promise<number | undefined> {
  const fromMs = clock.monoMs();
  while (clock.monoMs() - fromMs < arriveMs) {
    const controllers = await controllersOf(url, 'TO').catch(() => []);
    if (controllers.some((id) => !before.includes(id))) return Math.round(clock.monoMs() - fromMs);
    await clock.sleep(pollMs);
  }
  say('no controller uses the copy yet: restart them');
  return undefined;
}

/** Reports the progress of the first copy to the operator every five seconds. */
function createProgress(): (rows: number, table: string) => void {
  let reportedMs = clock.monoMs();
  return (rows, table) => {
    if (clock.monoMs() - reportedMs < progressMs) return;
    reportedMs = clock.monoMs();
    say(`${rows.toLocaleString('en')} rows so far (${table})`);
  };
}

try {
  const call = callSchema.parse(JSON.parse(await text(process.stdin)));
  const loaded = loadSettings();
  if (!loaded.ok) throw new Fault('stop', 'settings', loaded.problems.join('\n'));
  process.stdout.write(JSON.stringify({ ok: true, answer: await copy(loaded.config, call) }));
} catch (error) {
  const code = error instanceof Fault ? error.code : 'failed';
  process.stdout.write(JSON.stringify({ ok: false, error: { code, message: messageOf(error) } }));
}
