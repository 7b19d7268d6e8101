import type { BaseStatus } from '@vantage/domain';
import type { FoldEvent } from '../fold-step.ts';
import { comparePoints, type Point } from '../observation.ts';

/** The status in a recorded event of the device, and the check that caused it. */
export interface RecordedStatus {
  readonly status: BaseStatus;
  readonly cause: Point;
}

/**
 * The events of a fold that must be recorded in addition to the recorded events of the device. `previous` are the
 * events of the fold without the new results. It is empty if no event before the last recorded one changes. Recorded
 * events stay. The rules:
 *
 *   event of the fold                | is new
 *   Up, Down, Unknown                | unless recorded for this check, or the event before or after it, in the order of
 *                                    |   their causes, has the same status
 *   Error, Recovered, Partial        | unless recorded for this check, or for another check between the same neighbours,
 *                                    |   because a late result has only replaced that check
 *
 * `recorded` are the status events of the device, in the order of their causes. They begin with the last one before the
 * first event of the fold.
 */
export function newEvents(
  previous: readonly FoldEvent[],
  current: readonly FoldEvent[],
  recorded: readonly RecordedStatus[],
): FoldEvent[] {
  const statuses = new Set(alternating(current.filter(isStatus), recorded));
  const others = new Set(moreOf(previous, current));
  return current.filter((event) => (isStatus(event) ? statuses : others).has(event));
}

/** The last status once the new events are recorded too. */
export function lastStatus(
  news: readonly FoldEvent[],
  recorded: readonly RecordedStatus[],
): BaseStatus | undefined {
  return merged(news.filter(isStatus), recorded).at(-1)?.status;
}

function isStatus({ type, status }: FoldEvent): boolean {
  return type === status;
}

type StatusEntry = RecordedStatus & { readonly event?: FoldEvent };

/** Both lists in the order of their causes; for the same cause, the recorded one comes first. */
function merged(events: readonly FoldEvent[], recorded: readonly RecordedStatus[]): StatusEntry[] {
  const fresh = events.map((event): StatusEntry => ({ status: event.status, cause: event.cause, event }));
  return [...recorded, ...fresh].sort((a, b) => comparePoints(a.cause, b.cause));
}

/** The events that fit between the recorded ones without the same status twice in a row. */
function alternating(events: readonly FoldEvent[], recorded: readonly RecordedStatus[]): FoldEvent[] {
  const present: StatusEntry[] = [];
  const isRecorded = new Set(recorded.map(nameOf));
  const fresh = events.filter((event) => !isRecorded.has(nameOf(event)));
  for (const entry of merged(fresh, recorded)) {
    const last = present.at(-1);
    const isAgain = last?.status === entry.status;
    if (isAgain && entry.event !== undefined) continue;
    if (isAgain && last?.event !== undefined) present.pop();
    present.push(entry);
  }
  return present.flatMap(({ event }) => event ?? []);
}

function nameOf({ status, cause }: RecordedStatus): string {
  return `${status}/${cause.startUs}/${cause.agentNo}`;
}

/**
 * The events of `current` that are not in `previous`, even as an event of another check between the same neighbours.
 */
function moreOf(previous: readonly FoldEvent[], current: readonly FoldEvent[]): FoldEvent[] {
  const present = new Set(current.map(keyOf));
  const fresh: FoldEvent[] = [];
  let from = 0;
  for (const event of current) {
    const rest = previous.slice(from);
    const same = rest.findIndex((candidate) => keyOf(candidate) === keyOf(event));
    if (same >= 0) {
      from += same + 1;
      continue;
    }
    const next = rest.findIndex((candidate) => present.has(keyOf(candidate)));
    const between = next < 0 ? rest : rest.slice(0, next);
    const moved = between.findIndex((candidate) => candidate.type === event.type);
    if (moved >= 0) from += moved + 1;
    else fresh.push(event);
  }
  return fresh;
}

function keyOf({ type, cause }: FoldEvent): string {
  return `${type}/${cause.startUs}/${cause.agentNo}`;
}
