// The first start as a newcomer sees it: what `npm start` prints, a check by its agent, and the page in a browser.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { browserMissing, signInByForm, startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';

const soon = { timeout: 60_000, interval: 200 };
const created = z.object({ device_id: z.string() });
let system: System;
let target: Target;

beforeAll(async () => {
  target = await startTarget();
  system = await startSystem();
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
});

test('the curl line works as printed', async () => {
  const printed = () =>
    system
      .output()
      .split('\n')
      .find((line) => line.trim().startsWith('curl '));
  await expect.poll(printed).toBeDefined();
  const answer = execFileSync('sh', ['-c', printed() ?? ''], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(answer).toMatch(/^Hello [\s\S]*Auth level: UW/);
});

test('a device is Up after its first check', async () => {
  const body = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: 'first', Frequency: 1 };
  const { device_id: id } = created.parse(await system.api.ok('POST', '/devices', body));
  await vi.waitFor(
    async () => expect(await system.api.ok('GET', `/devices/${id}`)).toMatchObject({ Status: 'Up' }),
    soon,
  );
});

test('the page shows the device to whoever signs in', async ({ skip }) => {
  skip(browserMissing !== undefined, browserMissing);
  const browser = await startBrowser();
  const problems: string[] = [];
  const page = await openWindow(browser, problems);
  const { dashboard_url: base, api_key_ur: key } = system.quickstart();
  await signInByForm(page, base, key);
  await page.goto(`${base}devices`);
  await page.getByRole('row', { name: /first/ }).getByText('Up').waitFor();
  expect(problems).toEqual([]);
  await browser.close();
});

test('SIGTERM ends it', async () => {
  await system.stop();
  expect(system.process.exitCode).toBe(0);
});
