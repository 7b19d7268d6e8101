import { declareState } from '@vantage/kernel';

const tracked = declareState({
  name: 'seen_run_requests',
  entries: 1_000,
  entryBytes: 150,
  filledBy: 'callers of the REST API',
  atBound: 'the oldest is forgotten',
});

/** Creates a function that returns true for an id that is not among the last `max` new ids. */
export function createSeenSet(max: number): (id: string) => boolean {
  const seen = tracked(new Set<string>());
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > max && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
