// This program copies a database that is in use into an empty one. The call (JSON, `callSchema`) comes on
// standard input. It answers with JSON on standard output.
import { readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock as clock, createLog, Fault, ignoreMissing, messageOf } from '@vantage/kernel';
import { z } from 'zod';
import type { Config } from '../platform/config/config.ts';
import { loadSettings } from '../platform/config/load-settings.ts';
import { copyDatabase, movedMark, openSession, type Place } from '../platform/db/copy/index.ts';
import { type Embedded, startEmbedded } from '../platform/db/embedded.ts';
import { stateOf } from '../platform/db/pg-error.ts';
import { readSecretKeys } from '../platform/secrets/key-file.ts';
import { createSealer } from '../platform/secrets/seal.ts';
import { copySealContext } from '../platform/server/database-place.ts';
import { makeTables } from './make-tables.ts';

/** `embedded`, a URL, or `@FILE` with the URL. */
const place = z.string().min(1);
const callSchema = z.object({ from: place, to: place });
type Call = z.output<typeof callSchema>;

const log = createLog('copy', 'silent');
const noTableState = '42P01';
const progressMs = 5_000;
/** A controller was seen within this time, µs. */
const aliveUs = 30_000_000;
/** Between two questions for controllers. */
const pollMs = 200;
/** Controllers get this long to go over to the copy. */
const arriveMs = 60_000;
/** How often the embedded database may stop during a copy: its controller ends, and the next one follows the move. */
const maxStops = 5;

const say = (text: string) => void process.stderr.write(`vantage: ${text}\n`);

/** A database of the call. */
interface Opened extends Place {
  /** Controllers find it by this. */
  readonly to: string;
  readonly embedded: Embedded | undefined;
}

/**
 * Copies a database. A controller that ends stops its embedded database, also during a copy: then this starts the
 * database again and repeats the call, which also finishes a copy that has taken its place already.
 */
async function copy(config: Config, call: Call) {
  for (let left = maxStops; ; left -= 1) {
    const from = await open(config, call.from, 'FROM');
    try {
      return await copyFrom(config, from, call.to);
    } catch (error) {
      if (left === 0 || from.embedded === undefined || (await isReached(from.url))) throw error;
      say('the embedded database was stopped during the copy: it is started again, and the copy is repeated');
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

async function copyFrom(config: Config, from: Opened, named: string) {
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
    // A controller that uses the copy stops the server itself. A server that ran before may belong to a controller.
    if (!isInUse && to.embedded?.adopted === false) await to.embedded.stop();
  }
}

async function open(config: Config, named: string, what: 'FROM' | 'TO'): Promise<Opened> {
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
  const isThere = (await stat(path.join(dir, 'cluster', 'PG_VERSION')).catch(ignoreMissing)) !== undefined;
  if (!isThere && what === 'FROM')
    throw new Fault('stop', 'no_database', `${config.dataDir} has no embedded database (VANTAGE_DATA)`);
  const embedded = isThere && what === 'TO' ? await startFree(dir) : await startEmbedded({ dir, log });
  return { url: embedded.url, to: 'embedded', name: 'the embedded database', embedded };
}

/** Starts the embedded database; one that was given up earlier is put aside, and an empty one is made. */
async function startFree(dir: string): Promise<Embedded> {
  const there = await startEmbedded({ dir, log });
  const isGivenUp = (await movedMark(there.url)) !== undefined;
  if (!isGivenUp) return there;
  await there.stop();
  const aside = `${dir}.given-up-${new Date(clock.nowUs() / 1000).toISOString().replaceAll(/[-:]|\..*/g, '')}`;
  await rename(dir, aside);
  say(`the embedded database that was given up earlier is kept in ${aside}: delete it when nobody needs it`);
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

/** All controllers of the source have the key file, and find the copy by this. */
async function sealTarget({ secretKeyFile }: Config, { to, name }: Opened): Promise<Buffer> {
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
 * The controllers that use FROM. Where they are more than `most` they are asked again for as long as one that has ended
 * still counts: it may have been started again a moment ago.
 */
async function settledControllers(url: string, most: number): Promise<readonly string[]> {
  const untilMs = clock.monoMs() + aliveUs / 1000;
  for (;;) {
    const controllers = await controllersOf(url, 'FROM');
    if (controllers.length <= most || clock.monoMs() > untilMs) return controllers;
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

/** Waits for a controller that was not there before; returns how long that took, undefined when none came. */
async function untilArrived(url: string, before: readonly string[]): Promise<number | undefined> {
  const fromMs = clock.monoMs();
  while (clock.monoMs() - fromMs < arriveMs) {
    const there = await controllersOf(url, 'TO').catch(() => []);
    if (there.some((id) => !before.includes(id))) return Math.round(clock.monoMs() - fromMs);
    await clock.sleep(pollMs);
  }
  say('no controller uses the copy yet: start them again');
  return undefined;
}

/** Tells the operator each five seconds how far the first copy is. */
function createProgress(): (rows: number, table: string) => void {
  let saidMs = clock.monoMs();
  return (rows, table) => {
    if (clock.monoMs() - saidMs < progressMs) return;
    saidMs = clock.monoMs();
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
