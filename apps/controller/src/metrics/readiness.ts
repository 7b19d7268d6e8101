import type { Clock } from '@vantage/kernel';
import type { Db } from '../db/index.ts';

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
  let last: { readonly untilMs: number; readonly answer: Promise<string | undefined> } | undefined;
  const ask = async () => {
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
  };
  return () => {
    const nowMs = clock.monoMs();
    if (last === undefined || last.untilMs <= nowMs) last = { untilMs: nowMs + freshMs, answer: ask() };
    return last.answer;
  };
}
