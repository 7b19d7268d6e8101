// Everything runs on a machine that has no network but its loopback: no route, no DNS.
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { inside, ip, netnsMissing } from '../harness/netns.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';

const why = netnsMissing();
const netns = `vt-alone-${process.pid}`;
let system: System | undefined;
beforeAll(async () => {
  if (why !== undefined) return;
  ip('netns', 'add', netns);
  ip('-n', netns, 'link', 'set', 'lo', 'up');
  system = await startSystem({ prefix: ['ip', ...inside(netns)], timeoutMs: 400_000 });
}, 480_000);
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  if (why === undefined) ip('netns', 'del', netns);
}, 120_000);
beforeEach(({ skip }) => skip(why !== undefined, why));

/** Runs a command inside the namespace; resolves with the JSON that it answers. */
async function vantage(...args: readonly string[]): Promise<unknown> {
  const { base_url, api_key_uw, ca_file } = (system as System).quickstart();
  const env = { ...process.env, VANTAGE_SERVER: base_url, VANTAGE_KEY: api_key_uw, VANTAGE_CA: ca_file };
  const command = inside(netns, path.join(repositoryRoot, 'vantage'), ...args, '--json');
  const child = spawn('ip', command, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout));
}

test('the namespace has neither a route nor DNS', () => {
  expect(ip('-n', netns, 'route', 'show')).toBe('');
  expect(() =>
    execFileSync('ip', inside(netns, 'getent', 'ahosts', 'example.org'), { stdio: 'pipe' }),
  ).toThrow();
});

test('a device becomes Up on a machine without DNS and route, and its page is there', async () => {
  const { port } = new URL((system as System).quickstart().base_url);
  const made = z
    .object({ device_id: z.string() })
    .parse(
      await vantage(
        'devices',
        'create',
        'Method=TCP',
        `URL=127.0.0.1:${port}`,
        'ShortName=alone',
        'Frequency=1',
      ),
    );
  await vi.waitFor(
    async () => expect(await vantage('devices', 'get', made.device_id)).toMatchObject({ Status: 'Up' }),
    { timeout: 240_000, interval: 500 },
  );
  const { dashboard_url, ca_file } = (system as System).quickstart();
  const page = execFileSync('ip', inside(netns, 'curl', '-sS', '--cacert', ca_file, dashboard_url), {
    encoding: 'utf8',
  });
  expect(page).toMatch(/<!doctype html>/i);
}, 360_000);
