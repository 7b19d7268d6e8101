import { type Clock, Fault, newId } from '@vantage/kernel';
import { withBaseline } from '@vantage/storage/baseline';
import { refuseDistributed } from '@vantage/storage/distribute/history-tables';
import { migrationNames } from '@vantage/storage/migrate';
import type pg from 'pg';
import { quoted } from '../sql/quoted-names.ts';
import { beginCapture, endCapture } from './capture-changes.ts';
import { type CopiedTable, readReferences, readTables } from './copied-tables.ts';
import { copyAll, copyRound, type FirstCopy } from './copy-rounds.ts';
import { lockCopier, openSession } from './copy-session.ts';
import {
  changeState,
  readMigrationNames,
  readMove,
  readTarget,
  removeMove,
  writeMove,
} from './database-moves.ts';
import { afterRound, type CopyTarget, type DatabaseMove, decideCopy } from './decide-copy.ts';
import { switchOver } from './switch-over.ts';
import type { CopyPair } from './transfer-rows.ts';

export interface NamedDatabase {
  readonly url: string;
  /** For people, without a password. */
  readonly name: string;
}

export interface CopyReport {
  readonly tables: number;
  readonly rows: number;
  /** Rounds of changes before the switch. */
  readonly rounds: number;
  /** The time for which the writers of the source waited during the switch, ms. */
  readonly heldMs: number;
  readonly tookMs: number;
}

export interface CopyDeps {
  readonly from: NamedDatabase;
  readonly to: NamedDatabase;
  /** The URL of the copy for the controllers, sealed. */
  readonly sealed: Buffer | null;
  /** Creates the tables of this version in an empty database. */
  readonly makeTables: (url: string) => Promise<void>;
  readonly clock: Clock;
  /** A line for the operator. */
  readonly say: (text: string) => void;
  readonly onRows: (rows: number, table: string) => void;
}

/** Switches that are tried and given up because the writers would wait too long. */
const maxSwitches = 10;

/**
 * Copies a database that is in use into an empty one, and replaces it by the copy. After an interruption at any point,
 * the same call repeats it: the source stays in use until the copy is complete and compared. Throws a Fault.
 */
export async function copyDatabase(deps: CopyDeps): Promise<CopyReport> {
  const fromMs = deps.clock.monoMs();
  const source = await openSession(deps.from.url, 'FROM');
  const target = await openSession(deps.to.url, 'TO').catch(async (error: unknown) => {
    await source.end();
    throw error;
  });
  try {
    await lockBoth(deps, source, target);
    const move = await readMove(source);
    const step = decideCopy(move, await makeTarget(deps, target));
    if (step.step === 'refuse') throw new Fault('drop', step.code, step.why);
    const done = step.step === 'begin' ? await copyUntilSwitch(deps, { source, target }) : nothingCopied;
    const copyId = (await readMove(source))?.copyId ?? '';
    await changeState(target, copyId, 'prepared', 'arrived');
    deps.say(`${deps.to.name} replaced ${deps.from.name}`);
    await validateReferences(target, deps.say);
    return { ...done, tookMs: Math.round(deps.clock.monoMs() - fromMs) };
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

const nothingCopied = { tables: 0, rows: 0, rounds: 0, heldMs: 0 };

/** Locks out other copies from or to these databases. The second lock fails where both are the same database. */
async function lockBoth({ clock }: CopyDeps, source: pg.Client, target: pg.Client): Promise<void> {
  // After a kill, controllers that start on the source take this lock for a short time.
  for (const [client, name] of [
    [source, 'FROM'],
    [target, 'TO'],
  ] as const)
    for (let left = 20; !(await lockCopier(client)); left -= 1) {
      if (left === 0)
        throw new Fault(
          'stop',
          'copy_running',
          `${name} is being copied by another command, or FROM and TO are the same database`,
        );
      await clock.sleep(200);
    }
}

/** The state of the target, with the tables of this version. */
async function makeTarget({ to, makeTables }: CopyDeps, target: pg.Client): Promise<CopyTarget> {
  const found = await readTarget(target);
  if (found !== undefined) return found;
  await makeTables(to.url);
  return { isUsed: false, move: undefined };
}

async function requireVersion(client: pg.Client, name: string): Promise<void> {
  const known = await migrationNames();
  const found = withBaseline(await readMigrationNames(client));
  if (found.length === known.length && known.every((migration, at) => found[at] === migration)) return;
  const why =
    found.length === 0
      ? `${name} holds no Vantage`
      : `${name} has the tables of another version: start this version on it first, then copy`;
  throw new Fault('drop', 'other_version', why);
}

async function copyUntilSwitch(deps: CopyDeps, pair: CopyPair) {
  const { source, target } = pair;
  await requireVersion(source, 'FROM');
  await requireVersion(target, 'TO');
  await refuseDistributed(source, 'FROM is not copied');
  await refuseDistributed(target, 'nothing is copied to TO');
  const tables = await readTables(source);
  const move: DatabaseMove = { state: 'copying', copyId: newId(), target: deps.to.name };
  try {
    await emptyTarget(deps, target, move);
    await writeMove(source, { ...move, atUs: deps.clock.nowUs() });
    await beginCapture(source, tables);
    deps.say('changes are recorded from now on');
    const first = await copyAll(pair, tables, deps.onRows);
    await target.query('analyze');
    deps.say(`${first.rows.toLocaleString('en')} rows of ${tables.length} tables are copied`);
    const { rounds, heldMs } = await copyChangesUntilSwitch(deps, { pair, tables, first, move });
    return { tables: tables.length, rows: first.rows, rounds, heldMs };
  } catch (error) {
    await giveUp(source, move.copyId);
    throw error;
  }
}

/** Removes what a failed copy left in its source. After a lost connection the next attempt does so. */
async function giveUp(source: pg.Client, copyId: string): Promise<void> {
  try {
    if ((await readMove(source))?.state === 'moved') return;
    await endCapture(source);
    await removeMove(source, copyId);
  } catch {
    // The caller reports the fault that ended the copy.
  }
}

/** Records that the target is incomplete before anything is written to it, so that no controller uses it. */
async function emptyTarget({ clock }: CopyDeps, target: pg.Client, move: DatabaseMove): Promise<void> {
  await writeMove(target, { ...move, state: 'unfinished', atUs: clock.nowUs() });
  const tables = await readTables(target);
  await target.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  const references = [...(await readReferences(target)).keys()];
  const drops = references.map((name) => `alter table ${name.replace(' ', ' drop constraint ')}`);
  const disabledTriggers = tables.map(({ name }) => `alter table ${quoted(name)} disable trigger user`);
  await target.query([...drops, ...disabledTriggers].join(';'));
}

interface StartedCopy {
  readonly pair: CopyPair;
  readonly tables: readonly CopiedTable[];
  readonly first: FirstCopy;
  readonly move: DatabaseMove;
}

/** Runs rounds of changes, one of them with a comparison of all rows, until one is fast enough for the switch. */
async function copyChangesUntilSwitch(deps: CopyDeps, { pair, tables, first, move }: StartedCopy) {
  const { clock, say, sealed } = deps;
  const { copyId, target } = move;
  let sizes: ReadonlyMap<string, number> | undefined;
  let isQuick = false;
  let switches = 0;
  for (let count = 1; ; count += 1) {
    const verifies = isQuick && sizes === undefined;
    const round = await copyRound(pair, tables, { clock, partitions: first.partitions, verifies });
    say(
      `round ${count}: ${round.keys.toLocaleString('en')} changes in ${(round.tookMs / 1000).toFixed(1)} s`,
    );
    if (verifies) {
      sizes = round.sizes;
      say('all rows are compared');
    }
    const next = afterRound({ count, tookMs: round.tookMs });
    isQuick = next === 'switch';
    if (next === 'give up' || switches > maxSwitches)
      throw new Fault(
        'retry',
        'too_busy',
        'changes come in faster than they can be copied: copy again when less is checked',
      );
    // The comparison takes long. The next round has few changes again.
    if (next !== 'switch' || sizes === undefined || verifies) continue;
    switches += 1;
    const heldMs = await switchOver({
      pair,
      tables,
      sizes,
      clock,
      say,
      partitions: first.partitions,
      move: { copyId, target, sealed },
    });
    if (heldMs !== undefined) return { rounds: count, heldMs: Math.round(heldMs) };
    say('the last changes took too long: the system continues with FROM, and the switch is tried again');
  }
}

/** Validates the references, which were created without checking the rows, while controllers use the copy. */
async function validateReferences(target: pg.Client, say: (text: string) => void): Promise<void> {
  const { rows } = await target.query<{ within: string; name: string }>(
    `select conrelid::regclass::text as within, quote_ident(conname) as name from pg_constraint
     where contype = 'f' and conparentid = 0 and not convalidated and connamespace = 'public'::regnamespace`,
  );
  for (const { within, name } of rows)
    await target.query(`alter table ${within} validate constraint ${name}`).catch((error: unknown) => {
      say(`the reference ${name} of ${within} is not validated: ${String(error)}`);
    });
}
