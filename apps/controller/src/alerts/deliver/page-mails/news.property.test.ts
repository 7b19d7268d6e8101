import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newsOf } from './news.ts';

const event = fc.record({
  type: fc.constantFrom('Down', 'Up'),
  facts: fc.record({
    ShortName: fc.constantFrom('a', 'b', 'c'),
    FullName: fc.constant(null),
    Timestamp: fc.constant('2026-01-02T03:04:05+00:00'),
    Duration: fc.option(fc.integer({ min: 0, max: 100_000 })),
    Late: fc.boolean(),
  }),
});
const note = fc.record({ AtUs: fc.nat(), Kind: fc.constant('Resolved'), Text: fc.constantFrom('x', 'y\nz') });

test('property: each service stands once, as it is after all events; late results and nothing are no news', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), fc.array(note, { maxLength: 3 }), (events, notes) => {
      const news = newsOf('Page', events, notes);
      const fresh = events.filter(({ facts }) => !facts.Late);
      expect(news === undefined).toBe(fresh.length + notes.length === 0);
      if (news === undefined) return;
      for (const name of ['a', 'b', 'c']) {
        const last = fresh.findLast(({ facts }) => facts.ShortName === name);
        const own = news.lines.filter((line) => line.startsWith(`${name} is`));
        expect(own).toHaveLength(last === undefined ? 0 : 1);
        if (last !== undefined) expect(own[0]?.includes('is down')).toBe(last.type === 'Down');
      }
      expect(news.subject).toMatch(/^Page: [^\n]+$/);
    }),
  );
});

test('of many services at most forty stand in a mail', () => {
  const facts = { FullName: null, Timestamp: '2026-01-02T03:04:05+00:00', Duration: null, Late: false };
  const events = Array.from({ length: 60 }, (_, i) => ({
    type: 'Down',
    facts: { ...facts, ShortName: `d${i}` },
  }));
  const news = newsOf('Page', events, []);
  expect([news?.subject, news?.lines.length, news?.lines.at(-1)]).toEqual([
    'Page: 60 services are down',
    41,
    'And 20 more.',
  ]);
});
