import { hourUs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AttemptOutcome, retryTimes } from '../notification-state.ts';
import { afterRound, type HookPosition } from './after-round.ts';

const times = retryTimes();
const outcome = fc.constantFrom<AttemptOutcome>(
  { kind: 'delivered', text: '204' },
  { kind: 'delivered', text: '204' },
  { kind: 'again', text: '500' },
  { kind: 'gone', text: '410' },
  { kind: 'interrupted', text: 'stop' },
);

/** Plays rounds over the events 1 to `last`; `answers` are taken in turn. Returns what became of each event. */
function play(answers: readonly AttemptOutcome[], last: number, atOnce: number) {
  let place: HookPosition = { afterNo: 0, attempts: 0, firstAttemptUs: null, failingSinceUs: null };
  let nowUs = 1_000_000;
  const delivered = new Map<number, number>();
  const givenUp: number[] = [];
  let at = 0;
  for (let round = 0; place.afterNo < last && round < 1_000; round += 1) {
    const limit = place.failingSinceUs === null ? atOnce : 1;
    const nos = Array.from(
      { length: Math.min(limit, last - place.afterNo) },
      (_, i) => place.afterNo + 1 + i,
    );
    const results = nos.map((no) => {
      const answer = answers[at++ % answers.length] ?? { kind: 'again' as const, text: '' };
      if (answer.kind === 'delivered') delivered.set(no, (delivered.get(no) ?? 0) + 1);
      return { no, outcome: answer };
    });
    const before = place;
    const next = afterRound(
      place,
      { results, readToNo: nos.at(-1) ?? last, beganUs: nowUs, nowUs: nowUs + 5 },
      times,
    );
    if (next.isGivenUp) givenUp.push(next.afterNo);
    expect(next.afterNo).toBeGreaterThanOrEqual(before.afterNo);
    expect(next.dueUs).toBeGreaterThanOrEqual(nowUs);
    expect(next.failingSinceUs === null).toBe(
      results.every((one) => one.outcome.kind === 'delivered') ||
        (next.answer === undefined && (next.isDelivered || before.failingSinceUs === null)),
    );
    nowUs = Math.max(nowUs, next.dueUs) + 1;
    place = next;
  }
  return { place, delivered, givenUp, nowUs };
}

test('property: each event is accepted or given up, in their order, and only what followed a failure comes twice', () => {
  fc.assert(
    fc.property(
      fc.array(outcome, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 8 }),
      (answers, last, atOnce) => {
        fc.pre(answers.some(({ kind }) => kind === 'delivered') && answers.length % atOnce !== 0);
        const { place, delivered, givenUp } = play(answers, last, atOnce);
        for (let no = 1; no <= place.afterNo; no += 1)
          expect(delivered.has(no) || givenUp.includes(no), `event ${no}`).toBe(true);
        if (answers.every(({ kind }) => kind === 'delivered'))
          expect([...delivered.values()].every((count) => count === 1)).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

test('an event that nobody accepts is tried for 72 hours by the ladder of notifications, then given up', () => {
  const { givenUp, nowUs, place } = play([{ kind: 'again', text: '500' }], 1, 8);
  expect([givenUp, place.afterNo]).toEqual([[1], 1]);
  expect(nowUs).toBeGreaterThan(71 * hourUs);
  expect(nowUs).toBeLessThan(73 * hourUs);
});

test('an event that is refused for good is given up at once, and the next one is tried after 5 s', () => {
  const place = { afterNo: 4, attempts: 0, firstAttemptUs: null, failingSinceUs: null };
  const results = [{ no: 5, outcome: { kind: 'gone', text: '410' } as const }];
  const next = afterRound(place, { results, readToNo: 9, beganUs: 10, nowUs: 20 }, times);
  expect(next).toMatchObject({
    afterNo: 5,
    isGivenUp: true,
    dueUs: 5_000_020,
    failingSinceUs: 10,
    answer: '410',
  });
});
