// Compares DNSTime with a resolver that takes a known time, at rest and while this process runs 500 checks a second.
import { createDial, createNames, probeFor } from '@vantage/probes';
import { runTest, serveNames } from '@vantage/probes/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTarget } from '../harness/target.ts';
import { bareLookup } from './accuracy-control.ts';
import { runFirst } from './accuracy-processor.ts';
import { expectWithin } from './accuracy-verdict.ts';
import { startLoad } from './load.ts';

const printed: string[] = [];
let first: Disposable | undefined;
beforeAll(() => {
  first = runFirst();
});
afterAll(() => {
  first?.[Symbol.dispose]();
  process.stdout.write(`\n${printed.join('\n')}\n`);
});

/** Checks a name that the resolver answers after `delayMs`. */
async function hold(delayMs: number, limitMs: number, when: string): Promise<void> {
  const tcp = probeFor('TCP');
  if (!tcp) throw new Error('no probe for TCP');
  await using target = await startTarget();
  await using resolver = await serveNames((question) => ({
    delayMs,
    answers: question.type === 'A' ? [{ type: 'A', name: question.name, ttl: 0, data: '127.0.0.1' }] : [],
  }));
  const dial = createDial({ names: createNames({ servers: [resolver.target] }) });
  await expectWithin(
    { ms: limitMs },
    {
      label: `DNSTime ${when}, ${delayMs} ms`,
      printed,
      async check() {
        const seen = await runTest(tcp, `slow.test:${target.port}`, { IPFamily: '4' }, { dial });
        expect(seen, seen.text).toMatchObject({ code: 1 });
        return { dns: seen.phases.dns - delayMs };
      },
      control: () => bareLookup(resolver.target, 'slow.test', delayMs),
    },
  );
}

test.each([20, 50, 100])(
  'DNSTime of a resolver that takes %i ms is right within 2 ms at rest',
  async (delayMs) => {
    await hold(delayMs, 2, 'at rest');
  },
);

test.each([20, 50, 100])(
  'DNSTime of a resolver that takes %i ms is right within 5 ms beside 500 checks a second',
  async (delayMs) => {
    await using load = await startLoad();
    await hold(delayMs, 5, 'loaded');
    expect(load.perSecond()).toBeGreaterThan(400);
  },
);
