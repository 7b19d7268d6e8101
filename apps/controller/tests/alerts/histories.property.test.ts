import type { ScheduleStep } from '@vantage/alerts';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type KnownOutage,
  type Played,
  play,
  type Said,
  type Script,
  type Span,
} from '../../src/alerts/decide/testing/history-play.ts';

/*
 * Histories of a device × schedules × kills, each judged by brute force over its minutes. "Known" is what the
 * controller took in; nothing is asked of minutes in which it was dead.
 *
 *   at each minute                                                          | holds
 *   a message of the end leaves                                             | the device is not known to be Down
 *   Down for DelayMinutes of a step, and for two minutes                    | each contact of the step was notified in this outage, or it
 *                                                                           |   heard in the last 30 minutes that it flaps and is Down
 *   Down for DelayMinutes of a step, and for ten minutes                    | each contact of the step was notified in this outage
 *   three outages within 30 minutes, the first DelayMinutes of a step ago,  | the last that each contact of the step heard is that it
 *     and no change since the third                                         |   is Down or flaps
 *   no step repeats                                                         | a contact hears of an outage at most once a step, and twice
 *                                                                           |   more while it flaps
 *   200 minutes after the last outage                                       | no alert is open; who heard of an outage heard of its end, once
 */

const runs = propertyRuns(500);
const window = 30;
/** A flapping that lasts two hours, with an outage of three minutes every six minutes. */
const twentyOutages = Array.from({ length: 20 }, (_, i): Span => [6 * i + 1, 6 * i + 4]);
const saysDownAfter = 2;
const longDown = 10;

const contacts = ['a', 'b', 'c'];
const span = fc
  .tuple(fc.nat(300), fc.integer({ min: 1, max: 60 }))
  .map(([from, length]): Span => [from, from + length]);
const step: fc.Arbitrary<ScheduleStep> = fc.record({
  delayMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
  contactIds: fc.uniqueArray(fc.constantFrom(...contacts), { minLength: 1, maxLength: 3 }),
  days: fc.constant(null),
  from: fc.constant(null),
  to: fc.constant(null),
  repeatMinutes: fc.option(fc.integer({ min: 5, max: 60 })),
  severities: fc.constant(null),
});
const script: fc.Arbitrary<Script> = fc.record({
  outages: fc
    .array(
      fc.tuple(
        fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 45 })),
        fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 70 })),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((pairs) => {
      let at = 0;
      return pairs.map(([gap, lasts]): Span => {
        const from = at + gap;
        at = from + lasts;
        return [from, at];
      });
    }),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  dead: fc.array(span, { maxLength: 2 }),
  undecided: fc.array(span, { maxLength: 2 }),
  unsent: fc.array(fc.record({ contact: fc.constantFrom(...contacts), span }), { maxLength: 2 }),
});

const isNews = ({ about }: Said) => about === 'opening' || about === 'flapping';
const isDownAt = (outages: readonly KnownOutage[], at: number) =>
  outages.some(({ downAt, upAt }) => at >= downAt && (upAt === null || at < upAt));

/** Whether each contact of the step heard of it from one minute up to another. */
function everybodyHeard({ said }: Played, { contactIds }: ScheduleStep, [from, to]: Span): boolean {
  return contactIds.every((id) =>
    said.some((one) => one.contact === id && isNews(one) && one.decided >= from && one.decided <= to),
  );
}

/** Whether each contact of the step heard in the last 30 minutes, while the device was Down, that it flaps. */
function everybodyHeardDown({ said, outages }: Played, { contactIds }: ScheduleStep, at: number): boolean {
  return contactIds.every((id) =>
    said.some(
      ({ contact, about, decided }) =>
        contact === id && about === 'flapping' && decided > at - window && isDownAt(outages, decided),
    ),
  );
}

/** Whether the last that each contact of the step heard up to a minute is that the device is Down or flaps. */
function everybodyKnows({ said }: Played, { contactIds }: ScheduleStep, at: number): boolean {
  return contactIds.every((id) => {
    const last = said.filter((one) => one.contact === id && one.decided <= at).at(-1);
    return last !== undefined && isNews(last);
  });
}

test('20 outages in two hours are a handful of messages', () => {
  const once = { delayMinutes: 0, days: null, from: null, to: null, repeatMinutes: null, severities: null };
  const steps = [{ ...once, contactIds: ['a'] }];
  const { said } = play({ outages: twentyOutages, steps, dead: [], undecided: [], unsent: [] });
  expect(said.map(({ about, decided }) => `${decided} ${about}`)).toEqual([
    '1 opening',
    '4 end',
    '7 opening',
    '10 end',
    '13 opening',
    '16 flapping',
    '21 flapping',
    '51 flapping',
    '81 flapping',
    '111 flapping',
    '148 end',
  ]);
});

test('no message says Up while the device is Down (property)', () => {
  fc.assert(
    fc.property(script, (one) => {
      const { said, outages } = play(one);
      const wrong = said.filter(
        ({ about, delivered }) => !['opening', 'flapping'].includes(about) && isDownAt(outages, delivered),
      );
      expect(wrong).toEqual([]);
    }),
    { numRuns: runs },
  );
});

test('an outage that lasts reaches each contact of each step that comes due (property)', () => {
  fc.assert(
    fc.property(script, (one) => {
      const played = play(one);
      for (const { downAt, confirmed, upAt } of played.outages) {
        if (confirmed === null) continue;
        for (const each of one.steps)
          for (const lasts of [saysDownAfter, longDown]) {
            const dueAt: number = confirmed + Math.max(each.delayMinutes, lasts);
            const until = upAt ?? played.end;
            const at: number | undefined = [...played.decidedAt].find(
              (tick) => tick >= dueAt && tick < until,
            );
            if (at === undefined || everybodyHeard(played, each, [downAt, at])) continue;
            if (at < downAt + longDown && everybodyHeardDown(played, each, at)) continue;
            expect.fail(`nobody heard of ${downAt} at ${at}: ${JSON.stringify({ one, said: played.said })}`);
          }
      }
    }),
    { numRuns: runs },
  );
});

test('a flapping counts as one problem since its first outage (property)', () => {
  fc.assert(
    fc.property(script, (one) => {
      const played = play(one);
      const confirmed = played.outages.filter((outage) => outage.confirmed !== null);
      for (const [place, first] of confirmed.entries()) {
        const third = confirmed[place + 2];
        if (third?.upAt == null || third.upAt - first.downAt >= window) continue;
        const changes = played.outages.flatMap(({ downAt, upAt }) =>
          upAt === null ? [downAt] : [downAt, upAt],
        );
        const fromAt: number = third.upAt;
        const until = Math.min(fromAt + window, ...changes.filter((change) => change > fromAt));
        for (const each of one.steps) {
          const dueAt: number = Math.max(fromAt, (first.confirmed ?? 0) + each.delayMinutes);
          const at: number | undefined = [...played.decidedAt].find((tick) => tick >= dueAt && tick < until);
          if (at !== undefined && !everybodyKnows(played, each, at))
            expect.fail(
              `nobody heard of the flapping at ${at}: ${JSON.stringify({ one, said: played.said })}`,
            );
        }
      }
    }),
    { numRuns: runs },
  );
});

test('nothing is said twice, and everybody who heard of an outage hears of its end (property)', () => {
  fc.assert(
    fc.property(script, (one) => {
      const { said, outages, openAlerts } = play(one);
      expect(openAlerts).toBe(0);
      for (const contact of contacts) {
        const own = said.filter((each) => each.contact === contact);
        const order = own.map((each) => (isNews(each) ? 'd' : 'u')).join('');
        expect(order).toMatch(/^(d+u)*$/);
        const steps = one.steps.filter(({ contactIds }) => contactIds.includes(contact));
        if (steps.some(({ repeatMinutes }) => repeatMinutes !== null)) continue;
        for (const { downAt, upAt } of outages) {
          const heard = own.filter(
            (each) =>
              isNews(each) && each.decided >= downAt && each.decided < (upAt ?? Number.POSITIVE_INFINITY),
          );
          expect(heard.length).toBeLessThanOrEqual(steps.length + 2);
        }
      }
    }),
    { numRuns: runs },
  );
});
