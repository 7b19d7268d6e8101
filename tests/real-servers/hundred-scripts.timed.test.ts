// One agent's process runs a hundred scripts within a minute; all succeed, and no process remains.
import { execFileSync } from 'node:child_process';
import { registry } from '@vantage/probes';
import { listen, runTest } from '@vantage/probes/testing';
import { expect, test } from 'vitest';

const scripts = 100;
const atOnce = 5;
const withinMs = 60_000;

/** Descendants of this process that run a script. */
function guests(): number {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n');
  const all = lines.map((line) => line.trim().split(/\s+/));
  const spawners = all.filter(
    ([, parent, ...args]) => parent === `${process.pid}` && args.join(' ').includes('/sandbox/spawner.ts'),
  );
  return all.filter(([, parent]) => spawners.some(([pid]) => pid === parent)).length;
}

test('an agent runs a hundred scripts a minute and leaves no process behind', {
  timeout: 120_000,
}, async () => {
  await using server = await listen((socket) => socket.end('220 ready\r\n'));
  const text = (n: number) => `
    await step('check ${n}', () => tcp({ host: '127.0.0.1', port: ${server.port}, steps: [{ expect: '220' }] }));
    log(${n});`;
  const from = performance.now();
  let next = 0;
  const seen: { readonly n: number; readonly code: number; readonly log: unknown }[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < scripts) {
        const n = next++;
        const { code, extended } = await runTest(registry.Script, text(n), {}, { timeoutMs: 30_000 });
        seen.push({ n, code, log: extended['Log'] });
      }
    }),
  );
  const tookMs = performance.now() - from;
  expect(seen.sort((a, b) => a.n - b.n)).toEqual(
    Array.from({ length: scripts }, (_, n) => ({ n, code: 1, log: [`${n}`] })),
  );
  expect(tookMs).toBeLessThan(withinMs);
  expect(server.hits).toBe(scripts);
  await expect.poll(guests, { timeout: 20_000 }).toBe(0);
});
