import type { Schemas } from '@vantage/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldAttempts, linesOf, messagesOf, type StoryLine, storyOf } from './alert-story.ts';

type Event = Schemas['Event'];

const message = { contact_id: 'c', Name: 'Me', Kind: 'device.down', Step: 1, At: '2026-11-29T09:45:27Z' };
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 29, 9, 45, seconds)).toISOString();
const attempts = [
  { At: at(27), Answer: 'no mail server' },
  { At: at(32), Answer: 'no mail server' },
  { At: at(166), Answer: 'accepted' },
];

test.each([
  ['Delivered', attempts, ['again', 'again', 'delivered']],
  ['Failed', attempts.slice(0, 2), ['again', 'failed']],
  ['Pending', attempts.slice(0, 2), ['again', 'again']],
  ['Pending', [], ['waiting']],
  ['Delivered', [], ['merged']],
  ['Failed', [], ['failed']],
  ['Withdrawn', [], ['withdrawn']],
  ['Shadow', [], ['recorded']],
] as const)('a %s message with the attempts %j goes %j', (State, Attempts, courses) => {
  const lines = linesOf({ ...message, State, Attempts: [...Attempts] });
  expect(lines.map(({ course }) => course)).toEqual(courses);
  const times = Attempts.length === 0 ? [message.At] : Attempts.map((attempt) => attempt.At);
  expect(lines.map((line) => line.at)).toEqual(times);
  expect(lines.map(({ answer }) => answer)).toEqual(
    Attempts.length === 0 ? [undefined] : Attempts.map(({ Answer }) => Answer),
  );
});

test('a delivery stands behind a closing that came before it, because its last attempt was later', () => {
  const story = storyOf({
    Opened: at(20),
    Acknowledged: { By: 'Ada', Note: null, At: at(90) },
    Closed: at(120),
    Notifications: [{ ...message, State: 'Delivered', Attempts: [...attempts] }],
  });
  expect(story.map(({ what }) => what)).toEqual([
    'opened',
    'message',
    'message',
    'acknowledged',
    'closed',
    'message',
  ]);
});

test('attempts of messages that overlap are in the order of their times', () => {
  const lines = messagesOf({
    Notifications: [
      { ...message, State: 'Delivered', Attempts: [...attempts] },
      { ...message, Name: 'You', State: 'Delivered', Attempts: [{ At: at(30), Answer: 'accepted' }] },
    ],
  });
  expect(lines.map(({ to }) => to)).toEqual(['Me', 'You', 'Me', 'Me']);
});

const seconds = fc.integer({ min: 0, max: 100_000 });
const arbitraryMessage = fc.record({
  decided: seconds,
  waits: fc.array(fc.integer({ min: 0, max: 3_600 }), { maxLength: 5 }),
  state: fc.constantFrom('Pending', 'Delivered', 'Failed', 'Withdrawn', 'Shadow'),
});

test('no line of a story has a time that the API does not say, each attempt is there, and all are in order', () => {
  fc.assert(
    fc.property(fc.array(arbitraryMessage, { maxLength: 6 }), seconds, (messages, opened) => {
      const Notifications = messages.map(({ decided, waits, state }) => {
        let sum = decided;
        const Attempts = waits.map((wait) => {
          sum += wait;
          return { At: at(sum), Answer: `answer at ${sum}` };
        });
        return { ...message, At: at(decided), State: state, Attempts };
      });
      const story = storyOf({ Opened: at(opened), Acknowledged: null, Closed: null, Notifications });
      const shown = story.flatMap((line) =>
        line.what === 'message' && line.answer !== undefined ? [`${line.at} ${line.answer}`] : [],
      );
      const made = Notifications.flatMap(({ Attempts }) =>
        Attempts.map(({ At, Answer }) => `${At} ${Answer}`),
      );
      expect(shown.toSorted()).toEqual(made.toSorted());
      const delivered = story.filter((line) => line.what === 'message' && line.course === 'delivered');
      const ends = Notifications.filter(
        ({ State, Attempts }) => State === 'Delivered' && Attempts.length > 0,
      );
      expect(delivered.map((line) => line.at).toSorted()).toEqual(
        ends.map(({ Attempts }) => Attempts.at(-1)?.At ?? '').toSorted(),
      );
      const times = story.map((line) => Date.parse(line.at));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});

test('the events tell the first error, the decision and the end, and what is planned comes last', () => {
  const event = (Type: Event['Type'], seconds: number) => ({ Type, Timestamp: at(seconds) }) as Event;
  const events = [
    event('Up', 50),
    event('Changed', 30),
    event('Alert', 20),
    event('Down', 19),
    event('Error', 10),
  ];
  const planned = [{ at: at(90), to: ['Head'], steps: [2], isRepeat: false }];
  const alert = { Opened: at(20), Acknowledged: null, Closed: at(50), Notifications: [] };
  const told = storyOf(alert, events, planned).map((line) =>
    line.what === 'event' ? line.event.Type : line.what,
  );
  expect(told).toEqual(['Error', 'Down', 'Alert', 'Up', 'planned']);
  // Without events, the alert itself says when it opened and closed.
  expect(storyOf(alert).map(({ what }) => what)).toEqual(['opened', 'closed']);
});

test('folded attempts are those that repeat the one before, and no line is lost', () => {
  const answers = fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 });
  fc.assert(
    fc.property(answers, fc.boolean(), (Answers, isOver) => {
      const Attempts = Answers.map((Answer, index) => ({ At: at(index), Answer }));
      const lines = linesOf({ ...message, State: isOver ? 'Delivered' : 'Pending', Attempts });
      const parts = foldAttempts(lines);
      expect(
        parts.flatMap((part): readonly StoryLine[] => (part.what === 'attempts' ? part.lines : [part])),
      ).toEqual(lines);
      for (const [index, part] of parts.entries()) {
        if (part.what !== 'attempts') continue;
        const before = parts[index - 1];
        expect(part.lines.length).toBeGreaterThanOrEqual(3);
        for (const line of part.lines)
          expect([line.answer, line.course]).toEqual([
            before?.what === 'message' ? before.answer : undefined,
            'again',
          ]);
      }
    }),
  );
});
