// The Methods without a server in the table: PING against this host, Script against nginx.
import type { Method } from '@vantage/domain';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { retryBecause } from '@vantage/testing/retry';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropPings, firewallMissing } from '../harness/firewall.ts';
import { startNginx } from './servers.ts';
import { createServersFixture, type Server, type ServersFixture, serversMissing } from './servers-fixture.ts';

const printed: string[] = [];
afterAll(() => void process.stdout.write(`\n${printed.join('\n')}\n`));

async function look(method: Method, cell: string, url: string, options: unknown, code: number) {
  const probe = probeFor(method);
  if (!probe) throw new Error(`no probe for ${method}`);
  const startedMs = performance.now();
  const seen = await runTest(probe, url, options, { timeoutMs: 3000 });
  printed.push(`${method.padEnd(7)} ${cell.padEnd(20)} ${String(seen.code).padStart(2)}  ${seen.text}`);
  expect(seen, seen.text).toMatchObject({ code });
  expect(performance.now() - startedMs).toBeLessThan(4000);
  return seen;
}

const busy = 'a busy machine adds to a time limit';
const noWall = firewallMissing();
describe('PING', retryBecause(busy), () => {
  beforeEach(({ skip }) => skip(noWall !== undefined, noWall));

  test('ok', () => look('PING', 'ok', '127.0.0.1', { Count: 3, IntervalMs: 20 }, 1));
  test('silent', async () => {
    using _wall = dropPings();
    await look('PING', 'firewall drop', '127.0.0.1', { Count: 2, IntervalMs: 20 }, 2);
  });
  test('wrong expectation', () => look('PING', 'wrong expectation', '127.0.0.1', { MaxRTTMs: 0.001 }, 7));
});

const missing = serversMissing('nginx');
describe('Script', retryBecause(busy), () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  let fixture: ServersFixture;
  let nginx: Server;
  beforeAll(async () => {
    if (missing !== undefined) return;
    fixture = await createServersFixture();
    nginx = await startNginx(fixture);
  });
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });
  const program = (port: number, wanted: string) =>
    `const answer = await http({ url: 'http://127.0.0.1:${port}/' });
     expect(answer.body.includes('${wanted}'), 'the page contains ${wanted}');`;

  test('ok', () => look('Script', 'ok', program(nginx.port, 'it works'), {}, 1));
  test('wrong expectation', () => look('Script', 'wrong expectation', program(nginx.port, 'another'), {}, 4));
  test('refused', async () => look('Script', 'refused', program(await freePort(), 'it works'), {}, 3));
  test('never ends', () => look('Script', 'never ends', 'for (;;) {}', {}, 2));
});
