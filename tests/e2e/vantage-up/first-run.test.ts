import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { dnsServer, httpServer, noPing, pingAddress, tcpServer, type Watched } from '../watched.ts';
import { system } from './system.ts';

const device = z.object({ device_id: z.string(), Status: z.string(), Retrying: z.boolean().optional() });
const check = z.object({
  Timestamp: z.string(),
  ResultCode: z.int(),
  DNSTime: z.number(),
  ConnectTime: z.number(),
  SSLTime: z.number(),
  TTFB: z.number(),
  TTLB: z.number(),
  RequestTime: z.number(),
});
const event = z.object({ Type: z.string() });
const traceroute = z.looseObject({ check_id: z.string() });
const uptime = z.object({
  Uptime: z.object({
    UpSeconds: z.int(),
    DownSeconds: z.int(),
    MaintenanceSeconds: z.int(),
    UnknownSeconds: z.int(),
    Outages: z.int(),
  }),
});

/**
 * The latest moment of a Down: an interval of a minute, a Timeout of 5 s, two retries after a second each, and 5 s
 * more.
 */
const noLaterThanMs = 60_000 + 5_000 + 2 * (1_000 + 5_000) + 5_000;

/** Polls until `holds` is true, more often at the end of its time. Resolves with the milliseconds that it took. */
async function until(what: string, withinMs: number, holds: () => Promise<boolean>): Promise<number> {
  const from = performance.now();
  while (!(await holds())) {
    const leftMs = withinMs - (performance.now() - from);
    if (leftMs < 0) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await delay(Math.min(2_000, Math.max(200, leftMs)));
  }
  return performance.now() - from;
}

test('the curl line works as printed', async () => {
  const printed = () =>
    system
      .output()
      .split('\n')
      .find((one) => one.trim().startsWith('curl '));
  const line = await vi.waitFor(
    () => {
      expect(printed()).toBeDefined();
      return printed();
    },
    { timeout: 60_000, interval: 20 },
  );
  expect(
    execFileSync('sh', ['-c', line ?? ''], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ).toMatch(/^Hello [\s\S]*Auth level: UW/);
});

test('the path to a device is traced on request, and stays with its check', async () => {
  await using watched = await tcpServer();
  const { api } = system;
  const body = { Method: 'TCP', URL: watched.url, ShortName: 'traced' };
  const { device_id: id } = device.pick({ device_id: true }).parse(await api.ok('POST', '/devices', body));
  const Hops = [{ TTL: 1, Address: '127.0.0.1', RTTMs: expect.any(Number), Text: 'connected' }];
  // The controller serves before its agent is connected.
  const answer = await vi.waitFor(() => api.ok('POST', `/devices/${id}/traceroute`), {
    timeout: 60_000,
    interval: 250,
  });
  const trace = traceroute.parse(answer);
  expect(trace).toMatchObject({ device_id: id, Location: 'local', Reached: true, Hops });
  const kept = await api.ok('GET', `/checks/${trace.check_id}/extended`);
  expect(kept).toMatchObject({ ResultCode: 1, Extended: { Traceroute: { Reached: true, Hops } } });
  await api.ok('DELETE', `/devices/${id}`);
});

const kinds: readonly (readonly [string, (() => Promise<Watched>) | undefined, string])[] = [
  ['HTTP', httpServer, ''],
  ['TCP', tcpServer, ''],
  ['DNS', dnsServer, ''],
  noPing === undefined ? ['PING', pingAddress, ''] : ['PING', undefined, noPing],
];

describe.concurrent('a device is checked from its creation on, through an outage and its end', () => {
  test.for(kinds)(
    '%s',
    { timeout: 300_000 },
    async ([method, make, missing], { skip, expect, onTestFailed }) => {
      if (!make) return skip(missing);
      onTestFailed(() => console.error(system.output()));
      await using watched = await make();
      const { api } = system;
      const created = device.pick({ device_id: true }).parse(
        await api.ok('POST', '/devices', {
          Method: method,
          URL: watched.url,
          ShortName: method,
          Frequency: 1,
          Timeout: 5,
          Retries: 2,
          RetryDelay: 1,
        }),
      );
      const path = `/devices/${created.device_id}`;
      const status = async () => device.parse(await api.ok('GET', path)).Status;
      const checks = async () => z.array(check).parse(await api.ok('GET', `${path}/checks`));
      const types = async () =>
        z
          .array(event)
          .parse(await api.ok('GET', `${path}/events`))
          .map(({ Type }) => Type);

      await until('first check', 5_000, async () => (await checks()).length > 0);
      await until('Up', 5_000, async () => (await status()) === 'Up');
      for (const one of await checks()) {
        expect(one.ResultCode).toBe(1);
        const phases = one.DNSTime + one.ConnectTime + one.SSLTime + one.TTFB + one.TTLB;
        expect(Math.abs(phases - one.RequestTime)).toBeLessThan(0.01);
      }

      await watched.kill();
      await until('Down', noLaterThanMs, async () => (await status()) === 'Down');
      const recorded = await types();
      expect(recorded.indexOf('Error')).toBeGreaterThan(recorded.indexOf('Down'));
      expect(recorded.indexOf('Down')).toBeGreaterThanOrEqual(0);

      await watched.revive();
      await until('Up again', noLaterThanMs, async () => (await status()) === 'Up');
      expect((await types())[0]).toBe('Up');

      const to = new Date();
      const from = new Date(to.getTime() - 600_000);
      const query = `Timestamp1=${from.toISOString()}&Timestamp2=${to.toISOString()}`;
      const { Uptime } = uptime.parse(await api.ok('GET', `${path}/uptime?${query}`));
      expect(Uptime.UpSeconds + Uptime.DownSeconds + Uptime.MaintenanceSeconds + Uptime.UnknownSeconds).toBe(
        600,
      );
      expect(Uptime.DownSeconds).toBeGreaterThan(0);
      expect(Uptime.Outages).toBe(1);
      await api.ok('DELETE', path);
    },
  );
});
