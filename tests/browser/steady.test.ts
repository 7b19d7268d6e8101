import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTarget, type Target } from '../harness/target.ts';
import { browserMissing, painted } from './browser.ts';
import { screens } from './every-screen.ts';
import { adminKey, useBrowser } from './system.ts';

// A screen that stays open does not move, although checks run and ages grow.

const its = useBrowser();
const created = z.object({ device_id: z.string() });
const statusOf = z.object({ Status: z.string() });
let ill: Target;
let device = '';

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const [well, broken] = [await startTarget(), await startTarget()];
  ill = broken;
  const add = async (ShortName: string, port: number) => {
    const body = { Method: 'TCP', URL: `127.0.0.1:${port}`, ShortName, Frequency: 1, Attempts: 1 };
    return created.parse(await its.system.api.ok('POST', '/devices', body)).device_id;
  };
  device = await add('core-0', broken.port);
  await add('front', well.port);
  await ill.stop();
  // Its outage must not begin while the screens are watched.
  const { api } = its.system;
  const status = async () => statusOf.parse(await api.ok('GET', `/devices/${device}`)).Status;
  await vi.waitFor(async () => expect(await status()).toBe('Down'), { timeout: 200_000, interval: 1_000 });
}, 300_000);

/** Collects every layout shift of the browser from the call on, with the elements that moved. */
const watchShifts = `window.shifts = [];
  const told = ({ x, y, width }) => [x, y, width].map(Math.round).join();
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push(value.toFixed(5) + ' ' + sources.map(({ node, previousRect, currentRect }) =>
        told(previousRect) + ' to ' + told(currentRect) + ': '
          + (node?.outerHTML ?? node?.parentElement?.outerHTML ?? 'removed').slice(0, 200)).join('; '));
  }).observe({ type: 'layout-shift' })`;

/** The page read the changes since its last read, which it does at least once a minute. */
const isPoll = (url: string) => url.includes('/states?') && url.includes('ChangedSince');
const polls = 2;
/** Windows that are open at the same time. */
const together = 15;

/** Resolves when a window has the answers to all its requests but the stream. */
function answersOf(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().includes('stream')) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return () => expect.poll(() => open.size).toBe(0);
}

async function openAndStay(screen: string): Promise<readonly string[]> {
  const page = await its.open();
  const answers = answersOf(page);
  await its.signIn(page, adminKey);
  await page.goto(new URL(screen, its.base).href);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await answers();
  await page.evaluate(painted);
  await page.evaluate(watchShifts);
  for (let poll = 0; poll < polls; poll += 1)
    await page.waitForResponse((answer) => isPoll(answer.url()), { timeout: 0 });
  await page.evaluate(painted);
  const shifts = z.array(z.string()).parse(await shiftsOf(page));
  await page.context().close();
  return shifts;
}

const shiftsOf = (page: Page) => page.evaluate('window.shifts');

test('a screen that stays open while checks run does not move', async () => {
  const all = [...screens, `/devices/${device}`, `/devices/${device}/edit`];
  const found: (readonly [string, readonly string[]])[] = [];
  for (let at = 0; at < all.length; at += together)
    found.push(
      ...(await Promise.all(
        all.slice(at, at + together).map(async (screen) => [screen, await openAndStay(screen)] as const),
      )),
    );
  expect(found.filter(([, shifts]) => shifts.length > 0)).toEqual([]);
}, 600_000);
