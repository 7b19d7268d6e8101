// DNSTime against a resolver that takes a known time, at rest and while this process runs 500 checks a second.
import { createDial, createNames, probeFor } from '@vantage/probes';
import { runTest, serveNames } from '@vantage/probes/testing';
import { expect, test } from 'vitest';
import { startTarget } from '../harness/target.ts';
import { startLoad } from './load.ts';

/** The median DNSTime of nine checks of a name that the resolver answers after `delayMs`, milliseconds. */
async function medianDnsMs(delayMs: number): Promise<number> {
  const tcp = probeFor('TCP');
  if (!tcp) throw new Error('no probe for TCP');
  await using target = await startTarget();
  await using resolver = await serveNames((question) => ({
    delayMs,
    answers: question.type === 'A' ? [{ type: 'A', name: question.name, ttl: 0, data: '127.0.0.1' }] : [],
  }));
  const dial = createDial({ names: createNames({ servers: [resolver.target] }) });
  const seen: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const measured = await runTest(tcp, `slow.test:${target.port}`, { IPFamily: '4' }, { dial });
    expect(measured, measured.text).toMatchObject({ code: 1 });
    seen.push(measured.phases.dns);
  }
  return seen.toSorted((a, b) => a - b)[4] ?? Number.NaN;
}

test.each([20, 50, 100])('a resolver that takes %i ms is seen within 2 ms at rest', async (delayMs) => {
  expect(Math.abs((await medianDnsMs(delayMs)) - delayMs)).toBeLessThan(2);
});

test('within 5 ms beside 500 checks a second', async () => {
  await using load = await startLoad();
  expect(Math.abs((await medianDnsMs(50)) - 50)).toBeLessThan(5);
  expect(load.checks).toBeGreaterThan(100);
});
