import type { Clock } from '@vantage/kernel';
import { workerStates } from '../../platform/db/distribute/index.ts';
import type { Db } from '../../platform/db/index.ts';

/** An answer counts for others that ask within this time, so that strangers cannot make work for the database. */
const freshMs = 1_000;
/** A database that needs longer does not answer. */
const patienceMs = 2_000;

/** Creates the function that says why this controller cannot serve; undefined: it can. */
export function createReadiness({
  db,
  clock,
}: {
  readonly db: Pick<Db, 'readinessProblem'>;
  readonly clock: Clock;
}): () => Promise<string | undefined> {
  return keptFor(freshMs, clock, async () => {
    const answered = new AbortController();
    const late = clock.sleep(patienceMs, answered.signal).then(
      () => 'The database does not answer.',
      () => undefined,
    );
    try {
      return await Promise.race([db.readinessProblem(), late]);
    } finally {
      answered.abort();
    }
  });
}

/** Creates the function that names the workers of a distributed history that the coordinator does not reach. */
export function createWorkerWarnings({
  db: { kysely },
  clock,
}: {
  readonly db: Pick<Db, 'kysely'>;
  readonly clock: Clock;
}): () => Promise<readonly string[]> {
  return keptFor(freshMs, clock, async () => {
    const states = await workerStates(kysely).catch(() => []);
    return states
      .filter(({ isUp }) => !isUp)
      .map(
        ({ worker }) =>
          `the worker ${worker} of the history does not answer: results wait at the agents, and lists have no last result of its devices`,
      );
  });
}

function keptFor<T>(ms: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly untilMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const nowMs = clock.monoMs();
    if (last === undefined || last.untilMs <= nowMs) last = { untilMs: nowMs + ms, answer: ask() };
    return last.answer;
  };
}
