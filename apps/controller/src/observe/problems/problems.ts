import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** Alerts begin and end within a minute: this, and a look of the step alerts. */
const everyMs = 15_000;

/**
 * The problems of the installation that a controller sees, stored for the step alerts: `read` returns those that it
 * knows itself, the age of the backups comes from the database.
 */
export function createProblems(deps: {
  readonly kysely: Kysely<Tables>;
  readonly controllerId: string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
  /** A backup may be so old; 0: any age is good. */
  readonly backupMaxDays: number;
  readonly read: () => readonly Problem[];
}): { run(signal: AbortSignal): Promise<void> } {
  const { kysely, controllerId, clock, log } = deps;
  const parts = createJobParts({
    log,
    failed: 'problems of this installation cannot be stored',
    recovered: 'problems of this installation are stored again',
  });
  const store = async () => {
    const reason = oldBackup(await readBackupAges(kysely), deps.backupMaxDays);
    const old: readonly Problem[] = reason === undefined ? [] : [{ kind: 'backup.old', reason }];
    await storeProblems(kysely, controllerId, [...deps.read(), ...old]);
  };
  return {
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('problems', store);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}

/** Kinds of alerts about the installation itself; each account is notified. */
type ProblemKind = 'clock.wrong' | 'disk.low' | 'backup.old';

/** A problem that an operator has to see to. */
export interface Problem {
  readonly kind: ProblemKind;
  /** One sentence for people. */
  readonly reason: string;
  /** Only these accounts are notified; undefined: all. */
  readonly accountNos?: readonly number[] | undefined;
}

/** The clock of the database: those of the controllers may be wrong. */
const databaseUs = sql`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** A row counts for this time; a controller that still sees the problem writes it again before. */
const countsForUs = 120_000_000;

/**
 * Stores the problems that a controller sees now, removes those that it saw before, and those of controllers that
 * ended.
 */
async function storeProblems(
  kysely: Kysely<Tables>,
  controllerId: string,
  problems: readonly Problem[],
): Promise<void> {
  const kinds = problems.map(({ kind }) => kind);
  await sql`
    delete from installation_problems
    where ends_us < ${databaseUs} or (controller_id = ${controllerId} and kind <> all(${kinds}::text[]))`.execute(
    kysely,
  );
  for (const { kind, reason, accountNos } of problems)
    await sql`
      insert into installation_problems (controller_id, kind, reason, ends_us, account_nos)
      values (${controllerId}, ${kind}, ${reason}, ${databaseUs} + ${countsForUs}::bigint, ${accountNos ?? null}::int[])
      on conflict (controller_id, kind) do update set reason = excluded.reason, ends_us = excluded.ends_us,
        account_nos = excluded.account_nos`.execute(kysely);
}

/** The ages of the newest backup and of the newest verified one, seconds; null: there is none. */
export interface BackupAges {
  readonly made: number | null;
  readonly verified: number | null;
}

/** Reads the ages of the backups, by the clock of the database. */
async function readBackupAges(kysely: Kysely<Tables>): Promise<BackupAges> {
  const { rows } = await sql<BackupAges>`
    select ((${databaseUs} - at_us) / 1000000)::float8 as made,
      ((${databaseUs} - verified_us) / 1000000)::float8 as verified
    from last_backup`.execute(kysely);
  return rows[0] ?? { made: null, verified: null };
}

const daySeconds = 86_400;

/**
 * A sentence when the backups are too old; undefined: they are not. Pure.
 *
 * | backups | what counts |
 * |---|---|
 * | never one | nothing: the operator has another way, or none |
 * | some, none verified | the newest one |
 * | some verified | the newest verified one: a backup that nobody tried may be none |
 *
 * `maxDays` 0: nobody wants to know.
 */
export function oldBackup({ made, verified }: BackupAges, maxDays: number): string | undefined {
  const age = verified ?? made;
  if (age === null || maxDays === 0 || age <= maxDays * daySeconds) return undefined;
  const days = Math.floor(age / daySeconds);
  const which = verified === null ? 'the newest backup' : 'the newest backup that was verified';
  return `${which} is ${days} ${days === 1 ? 'day' : 'days'} old`;
}

/** Watches of this controller. */
interface Watched {
  readonly clocks: {
    readonly problem: string | undefined;
    readonly alarm: Pick<Problem, 'reason' | 'accountNos'> | undefined;
  };
  readonly disk: { readonly problem: string | undefined };
  readonly certificates: { readonly problem: string | undefined };
}

/** Sentences for the operator while the controller serves. */
export function warningsOf({ clocks, disk, certificates }: Watched): readonly string[] {
  const clockProblem = clocks.problem === undefined ? undefined : `a clock may be wrong: ${clocks.problem}`;
  return [clockProblem, disk.problem, certificates.problem].filter((text) => text !== undefined);
}

/** The problems of which accounts are notified. */
export function problemsOf({ clocks: { alarm }, disk }: Watched): readonly Problem[] {
  const clock: readonly Problem[] = alarm === undefined ? [] : [{ kind: 'clock.wrong', ...alarm }];
  const room: readonly Problem[] =
    disk.problem === undefined ? [] : [{ kind: 'disk.low', reason: disk.problem }];
  return [...clock, ...room];
}
