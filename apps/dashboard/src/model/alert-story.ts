import type { Schemas } from '@vantage/client';
import type { PlannedMessage } from './planned-messages.ts';

type StoryAlert = Pick<Schemas['Alert'], 'Opened' | 'Acknowledged' | 'Closed' | 'Notifications'>;
type AlertMessage = Schemas['Alert']['Notifications'][number];

/**
 * The outcome of a message in one line of a story. `again`: an attempt failed and another one follows. The last four
 * have no attempt; their time is that of the decision to send the message.
 */
export type Course = 'delivered' | 'again' | 'failed' | 'waiting' | 'merged' | 'withdrawn' | 'recorded';

/** One attempt to deliver a message, or a message without an attempt. */
export interface MessageLine {
  readonly what: 'message';
  /** ISO 8601: the time of the attempt; without an attempt, of the decision to send the message. */
  readonly at: string;
  /** Name of the contact. */
  readonly to: string;
  /** Kind of the message, `device.down`. */
  readonly kind: string;
  readonly course: Course;
  /** The answer of the receiver; undefined: no attempt yet. */
  readonly answer: string | undefined;
}

/** A line in the story of an alert. */
export type StoryLine =
  | MessageLine
  | { readonly what: 'opened' | 'acknowledged' | 'closed'; readonly at: string }
  | { readonly what: 'event'; readonly at: string; readonly event: Schemas['Event'] }
  | { readonly what: 'planned'; readonly at: string; readonly planned: PlannedMessage };

/** A line, or several attempts of the same message that failed in the same way, one after the other. */
export type StoryPart = StoryLine | RepeatedLines;

interface RepeatedLines {
  readonly what: 'attempts';
  readonly at: string;
  readonly lines: readonly MessageLine[];
}

/** Fewer attempts than these are not folded. */
const minFolded = 3;

/** Folds attempts that follow each other and only repeat what the one before said. The first of them stays. Pure. */
export function foldAttempts<Line extends StoryLine>(
  lines: readonly Line[],
): readonly (Line | MessageLine | RepeatedLines)[] {
  const isRepeat = (line: StoryLine, before: StoryLine | undefined): line is MessageLine =>
    line.what === 'message' &&
    before?.what === 'message' &&
    line.course === 'again' &&
    before.course === 'again' &&
    line.to === before.to &&
    line.kind === before.kind &&
    line.answer === before.answer;
  const parts: (Line | MessageLine | RepeatedLines)[] = [];
  let run: MessageLine[] = [];
  const close = () => {
    const [first] = run;
    if (first !== undefined && run.length >= minFolded)
      parts.push({ what: 'attempts', at: first.at, lines: run });
    else parts.push(...run);
    run = [];
  };
  for (const [index, line] of lines.entries())
    if (isRepeat(line, lines[index - 1])) run.push(line);
    else {
      close();
      parts.push(line);
    }
  close();
  return parts;
}

const withoutAttempt: Readonly<Record<AlertMessage['State'], Course>> = {
  Pending: 'waiting',
  Delivered: 'merged',
  Failed: 'failed',
  Withdrawn: 'withdrawn',
  Shadow: 'recorded',
};

/** The messages of an alert with all attempts, in chronological order. Pure. */
export const messagesOf = ({ Notifications }: Pick<StoryAlert, 'Notifications'>): readonly MessageLine[] =>
  Notifications.flatMap(linesOf).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));

/** The lines of a message, oldest first: each attempt has its own time and answer. Pure. */
export function linesOf({ Name: to, Kind: kind, At, State, Attempts }: AlertMessage): readonly MessageLine[] {
  if (Attempts.length === 0)
    return [{ what: 'message', at: At, to, kind, course: withoutAttempt[State], answer: undefined }];
  return Attempts.map((attempt, index) => {
    const isLast = index === Attempts.length - 1;
    const end = State === 'Delivered' ? 'delivered' : State === 'Failed' ? 'failed' : 'again';
    const course = isLast ? end : 'again';
    return { what: 'message', at: attempt.At, to, kind, course, answer: attempt.Answer };
  });
}

/** The events that open and end the alert. The others are its messages, or changes of its device's settings. */
const told: ReadonlySet<string> = new Set([
  'Error',
  'Recovered',
  'Partial',
  'Down',
  'Up',
  'Unknown',
  'MaintStart',
  'MaintEnd',
  'Alert',
  'AlertSuppressed',
  'LocationOffline',
  'LocationOnline',
]);

/**
 * An alert with its events, all its messages, and those that are still to come, in chronological order. Events are
 * newest first, as the API lists them. Pure.
 */
export function storyOf(
  { Opened, Acknowledged, Closed, Notifications }: StoryAlert,
  events: readonly Schemas['Event'][] = [],
  planned: readonly PlannedMessage[] = [],
): readonly StoryLine[] {
  const shown = events.filter(({ Type }) => told.has(Type)).toReversed();
  const isDecided = shown.some(({ Type }) => Type === 'Alert' || Type === 'AlertSuppressed');
  const isEnded = shown.some(({ Type }) => Type === 'Up' || Type === 'LocationOnline');
  const lines: readonly StoryLine[] = [
    ...shown.map((event) => ({ what: 'event', at: event.Timestamp, event }) as const),
    ...(isDecided ? [] : [{ what: 'opened', at: Opened } as const]),
    ...messagesOf({ Notifications }),
    ...(Acknowledged === null ? [] : [{ what: 'acknowledged', at: Acknowledged.At } as const]),
    ...(Closed === null || isEnded ? [] : [{ what: 'closed', at: Closed } as const]),
    ...planned.map((message) => ({ what: 'planned', at: message.at, planned: message }) as const),
  ];
  return lines.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
