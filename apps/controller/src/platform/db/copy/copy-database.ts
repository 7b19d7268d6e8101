import { type Clock, Fault, newId } from '@vantage/kernel';
import type pg from 'pg';
import { quoted } from '../backup/snapshot.ts';
import { withBaseline } from '../baseline.ts';
import { refuseDistributed } from '../distribute/history-tables.ts';
import { migrationNames } from '../migrate.ts';
import { beginCapture, endCapture } from './capture.ts';
import { changeState, readMark, readMigrationNames, readTarget, removeMark, writeMark } from './marks.ts';
import { copyAll, copyRound, type FirstCopy } from './rounds.ts';
import { lockCopier, openSession } from './session.ts';
import { afterRound, decideCopy, type FoundTarget, type Mark } from './states.ts';
import { switchOver } from './switch-over.ts';
import { type CopiedTable, readReferences, readTables } from './tables.ts';
import type { Pair } from './transfer.ts';

/** A database: how it is reached, and its name for people (without a password). */
export interface Place {
  readonly url: string;
  readonly name: string;
}

/** The outcome of a copy. */
export interface CopyReport {
  readonly tables: number;
  readonly rows: number;
  /** Rounds of changes before the switch. */
  readonly rounds: number;
  /** The writers of the source waited so long, ms; then they went over to the copy. */
  readonly heldMs: number;
  readonly tookMs: number;
}

/** The parts of a copy. */
export interface CopyDeps {
  readonly from: Place;
  readonly to: Place;
  /** The URL of the copy for the controllers, sealed. */
  readonly sealed: Buffer | null;
  /** Creates the tables of this version in an empty database. */
  readonly makeTables: (url: string) => Promise<void>;
  readonly clock: Clock;
  /** A line for the operator. */
  readonly say: (text: string) => void;
  readonly onRows: (rows: number, table: string) => void;
}

/** At most so many switches are tried that would have held the writers for too long. */
const mostSwitches = 10;

/**
 * Copies a database that is in use into an empty one, and gives it up for the copy. Interrupted at any moment, it is
 * repeated by the same call: the source stays in use until the copy is whole and compared. Throws a Fault.
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
    const mark = await readMark(source);
    const step = decideCopy(mark, await makeTarget(deps, target));
    if (step.step === 'refuse') throw new Fault('drop', step.code, step.why);
    const done = step.step === 'begin' ? await copyUntilSwitch(deps, { source, target }) : nothingCopied;
    const copyId = (await readMark(source))?.copyId ?? '';
    await changeState(target, copyId, 'prepared', 'arrived');
    deps.say(`${deps.to.name} took the place of ${deps.from.name}`);
    await validateReferences(target, deps.say);
    return { ...done, tookMs: Math.round(deps.clock.monoMs() - fromMs) };
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

const nothingCopied = { tables: 0, rows: 0, rounds: 0, heldMs: 0 };

/** Nobody else may copy from or to one of them; a database of which both are one has one lock. */
async function lockBoth({ clock }: CopyDeps, source: pg.Client, target: pg.Client): Promise<void> {
  // Writers of a source whose copy was killed share this lock for a moment.
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
async function makeTarget({ to, makeTables }: CopyDeps, target: pg.Client): Promise<FoundTarget> {
  const found = await readTarget(target);
  if (found !== undefined) return found;
  await makeTables(to.url);
  return { isUsed: false, mark: undefined };
}

async function requireVersion(client: pg.Client, name: string): Promise<void> {
  const known = await migrationNames();
  const there = withBaseline(await readMigrationNames(client));
  if (there.length === known.length && known.every((migration, at) => there[at] === migration)) return;
  const why =
    there.length === 0
      ? `${name} holds no Vantage`
      : `${name} has the tables of another version: start this version on it first, then copy`;
  throw new Fault('drop', 'other_version', why);
}

async function copyUntilSwitch(deps: CopyDeps, pair: Pair) {
  const { source, target } = pair;
  await requireVersion(source, 'FROM');
  await requireVersion(target, 'TO');
  await refuseDistributed(source, 'FROM is not copied');
  await refuseDistributed(target, 'nothing is copied to TO');
  const tables = await readTables(source);
  const mark: Mark = { state: 'copying', copyId: newId(), target: deps.to.name };
  try {
    await emptyTarget(deps, target, mark);
    await writeMark(source, { ...mark, atUs: deps.clock.nowUs() });
    await beginCapture(source, tables);
    deps.say('changes are noted from here on');
    const first = await copyAll(pair, tables, deps.onRows);
    await target.query('analyze');
    deps.say(`${first.rows.toLocaleString('en')} rows of ${tables.length} tables are copied`);
    const { rounds, heldMs } = await copyChangesUntilSwitch(deps, { pair, tables, first, mark });
    return { tables: tables.length, rows: first.rows, rounds, heldMs };
  } catch (error) {
    await giveUp(source, mark.copyId);
    throw error;
  }
}

/** Takes away what a copy that failed left in its source; a lost connection leaves it to the next try. */
async function giveUp(source: pg.Client, copyId: string): Promise<void> {
  try {
    if ((await readMark(source))?.state === 'moved') return;
    await endCapture(source);
    await removeMark(source, copyId);
  } catch {
    // The fault that ended the copy is reported, not this one.
  }
}

/** Marks the target before anything is written to it, so that no controller takes it for a whole one. */
async function emptyTarget({ clock }: CopyDeps, target: pg.Client, mark: Mark): Promise<void> {
  await writeMark(target, { ...mark, state: 'unfinished', atUs: clock.nowUs() });
  const tables = await readTables(target);
  await target.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  const references = [...(await readReferences(target)).keys()];
  const drops = references.map((name) => `alter table ${name.replace(' ', ' drop constraint ')}`);
  const silences = tables.map(({ name }) => `alter table ${quoted(name)} disable trigger user`);
  await target.query([...drops, ...silences].join(';'));
}

interface Started {
  readonly pair: Pair;
  readonly tables: readonly CopiedTable[];
  readonly first: FirstCopy;
  readonly mark: Mark;
}

/** Rounds of changes, one of them with a comparison of all rows, until one is quick enough for the switch. */
async function copyChangesUntilSwitch(deps: CopyDeps, { pair, tables, first, mark }: Started) {
  const { clock, say, sealed } = deps;
  const { copyId, target } = mark;
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
    if (next === 'give up' || switches > mostSwitches)
      throw new Fault(
        'retry',
        'too_busy',
        'changes come in faster than they can be copied: copy again when less is checked',
      );
    // The comparison lasts: a round after it has little to do.
    if (next !== 'switch' || sizes === undefined || verifies) continue;
    switches += 1;
    const heldMs = await switchOver({
      pair,
      tables,
      sizes,
      clock,
      say,
      partitions: first.partitions,
      mark: { copyId, target, sealed },
    });
    if (heldMs !== undefined) return { rounds: count, heldMs: Math.round(heldMs) };
    say('the last changes took too long: the system goes on with FROM, and the copy is tried again');
  }
}

/** References were created without checking the rows; controllers that use the copy do not wait for this. */
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
