// A half-open link in real time: both connections stay open, and no packet passes. Agent and gateway each notice it
// within 30 s.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSystem } from '../harness/system.ts';
import { startFarAgent } from './far-agent.ts';

const noticedWithinMs = 30_000;

test('agent and gateway notice a half-open link within 30 s, and the agent reconnects when packets pass again', {
  timeout: 300_000,
}, async () => {
  await using system = await startSystem({ timeoutMs: 120_000 });
  await using far = await startFarAgent(system, { location: 'local' });
  const { wire } = far;
  const until = async (holds: () => boolean | Promise<boolean>, withinMs: number) => {
    const from = performance.now();
    while (!(await holds()) && performance.now() - from < withinMs) await delay(100);
    return performance.now() - from;
  };
  await until(async () => (await far.state()) === 'Connected', 60_000);
  await delay(12_000);
  const heard = far.output().length;
  wire.frozen = true;
  const [agentMs, gatewayMs] = await Promise.all([
    until(() => far.output().slice(heard).includes('no connection'), 60_000),
    until(async () => (await far.state()) !== 'Connected', 60_000),
  ]);
  process.stdout.write(
    `half-open: agent ${Math.round(agentMs / 100) / 10} s, gateway ${Math.round(gatewayMs / 100) / 10} s\n`,
  );
  expect(agentMs).toBeLessThanOrEqual(noticedWithinMs);
  expect(gatewayMs).toBeLessThanOrEqual(noticedWithinMs);
  wire.frozen = false;
  expect(await until(async () => (await far.state()) === 'Connected', 90_000)).toBeLessThan(90_000);
});
