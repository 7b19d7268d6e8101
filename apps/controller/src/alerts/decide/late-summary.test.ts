import type { MessageFacts } from '@vantage/alerts';
import { expect, test } from 'vitest';
import { withOutage } from './late-summary.ts';

const outage = (n: number) => ({
  device_id: `d${n}`,
  ShortName: `web-${n}`,
  FullName: null,
  Start: 1_000_000_000 - n * 1_000_000,
  End: 1_060_500_000,
});

test('a summary has the number of all outages, the first 50 with their length, and the earliest begin', () => {
  let facts: MessageFacts = {};
  for (let n = 0; n < 60; n += 1) facts = withOutage(facts, outage(n));
  expect(facts).toMatchObject({ Count: 60, Since: 941_000_000 });
  const { Outages } = facts;
  expect(Outages).toHaveLength(50);
  expect(Outages).toMatchObject(
    Array.from({ length: 50 }, (_, n) => ({ ...outage(n), Seconds: 60 + n, IsOver: true })),
  );
});

test('an outage that began later than the others leaves the begin of the summary', () => {
  const facts = withOutage(withOutage({}, outage(5)), outage(2));
  expect(facts).toMatchObject({ Count: 2, Since: outage(5).Start });
});
