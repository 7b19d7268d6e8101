import type { Schemas } from '@vantage/client';

type Alert = Pick<Schemas['Alert'], 'Opened' | 'Acknowledged' | 'Closed' | 'Notifications'>;
type Message = Schemas['Alert']['Notifications'][number];

/**
 * The course of a message in one line of a story. `again`: an attempt failed and another one follows. The last four
 * have no attempt, so their time is that of the decision, when no contact was reached yet.
 */
export type Course = 'delivered' | 'again' | 'failed' | 'waiting' | 'carried' | 'withdrawn' | 'recorded';

/** One attempt to deliver a message, or a message without an attempt. */
export interface MessageLine {
  readonly what: 'message';
  /** ISO 8601: when the attempt was made; of a message without an attempt, when it was decided. */
  readonly at: string;
  /** Name of the contact. */
  readonly to: string;
  /** Kind of the message, `device.down`. */
  readonly kind: string;
  readonly course: Course;
  /** The answer of the receiver; undefined: there was no attempt. */
  readonly answer: string | undefined;
}

/** A line of a story. */
export type StoryLine =
  | MessageLine
  | { readonly what: 'opened' | 'acknowledged' | 'closed'; readonly at: string };

const withoutAttempt: Readonly<Record<Message['State'], Course>> = {
  Pending: 'waiting',
  Delivered: 'carried',
  Failed: 'failed',
  Withdrawn: 'withdrawn',
  Shadow: 'recorded',
};

/** The lines of one message, oldest first: each attempt has its own time and answer. Pure. */
export function linesOf({ Name: to, Kind: kind, At, State, Attempts }: Message): readonly MessageLine[] {
  if (Attempts.length === 0)
    return [{ what: 'message', at: At, to, kind, course: withoutAttempt[State], answer: undefined }];
  return Attempts.map((attempt, index) => {
    const isLast = index === Attempts.length - 1;
    const end = State === 'Delivered' ? 'delivered' : State === 'Failed' ? 'failed' : 'again';
    const course = isLast ? end : 'again';
    return { what: 'message', at: attempt.At, to, kind, course, answer: attempt.Answer };
  });
}

/** An alert with all its messages, in the order in which things happened. Pure. */
export function storyOf({ Opened, Acknowledged, Closed, Notifications }: Alert): readonly StoryLine[] {
  const lines: readonly StoryLine[] = [
    { what: 'opened', at: Opened },
    ...Notifications.flatMap(linesOf),
    ...(Acknowledged === null ? [] : [{ what: 'acknowledged', at: Acknowledged.At } as const]),
    ...(Closed === null ? [] : [{ what: 'closed', at: Closed } as const]),
  ];
  return lines.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
