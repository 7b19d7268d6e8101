import type { Clock } from '@vantage/kernel';
import type { Database } from '@vantage/storage';

/** An answer is reused for this time, so that callers without a key cannot load the database. */
const freshMs = 1_000;
/** A database that needs longer counts as down. */
const timeoutMs = 2_000;

/** Creates the function that returns the reason why this controller cannot serve; undefined: it can. */
export function createReadiness({
  db,
  clock,
}: {
  readonly db: Pick<Database, 'readinessProblem'>;
  readonly clock: Clock;
}): () => Promise<string | undefined> {
  return reusedFor(freshMs, clock, async () => {
    const answered = new AbortController();
    const late = clock.sleep(timeoutMs, answered.signal).then(
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

function reusedFor<T>(ms: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly untilMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const nowMs = clock.monoMs();
    if (last === undefined || last.untilMs <= nowMs) last = { untilMs: nowMs + ms, answer: ask() };
    return last.answer;
  };
}
