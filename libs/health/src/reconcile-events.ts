import type { BaseStatus } from '@vantage/domain';
import { comparePoints, type Point } from './observation.ts';
import type { FoldEvent } from './step.ts';

/** A status that an event of the device has said, and the check that caused it. */
export interface RecordedStatus {
  readonly status: BaseStatus;
  readonly cause: Point;
}

/**
 * The events of a fold that must be recorded beside those recorded for the device. `previous` are the events of the
 * fold without the new results. It is empty where no event before the last recorded one changes. Recorded events stay.
 * The rules:
 *
 *   event of the fold                | is new
 *   Up, Down, Unknown                | unless recorded by this check, or the event before it or after it, in the order of their
 *                                    |   causes, says the same status
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

/** The last status after the new events are recorded too; undefined when there is none. */
export function lastStatus(
  news: readonly FoldEvent[],
  recorded: readonly RecordedStatus[],
): BaseStatus | undefined {
  return merged(news.filter(isStatus), recorded).at(-1)?.status;
}

function isStatus({ type, status }: FoldEvent): boolean {
  return type === status;
}

type Entry = RecordedStatus & { readonly event?: FoldEvent };

/** Both lists in the order of their causes; of the same cause the recorded one first. */
function merged(events: readonly FoldEvent[], recorded: readonly RecordedStatus[]): Entry[] {
  const fresh = events.map((event): Entry => ({ status: event.status, cause: event.cause, event }));
  return [...recorded, ...fresh].sort((a, b) => comparePoints(a.cause, b.cause));
}

/** Those of the events that stand between recorded ones without a status twice in a row. */
function alternating(events: readonly FoldEvent[], recorded: readonly RecordedStatus[]): FoldEvent[] {
  const present: Entry[] = [];
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

function moreOf(previous: readonly FoldEvent[], current: readonly FoldEvent[]): FoldEvent[] {
  const present = new Set(current.map(keyOf));
  const fresh: FoldEvent[] = [];
  let from = 0;
  for (const event of current) {
    const rest = previous.slice(from);
    const same = rest.findIndex((one) => keyOf(one) === keyOf(event));
    if (same >= 0) {
      from += same + 1;
      continue;
    }
    const next = rest.findIndex((one) => present.has(keyOf(one)));
    const between = next < 0 ? rest : rest.slice(0, next);
    const moved = between.findIndex((one) => one.type === event.type);
    if (moved >= 0) from += moved + 1;
    else fresh.push(event);
  }
  return fresh;
}

function keyOf({ type, cause }: FoldEvent): string {
  return `${type}/${cause.startUs}/${cause.agentNo}`;
}
