import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, cutElements, violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();
const created = z.object({ device_id: z.string() });
const names = ['Shop', 'Mail', 'Router'] as const;
/** Ids of the devices, in the order of their names. */
const ids: string[] = [];
const october = 'span=2026-10';

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  await api.ok('PUT', '/account', { Timezone: 'Europe/Berlin' });
  for (const [at, FullName] of names.entries()) {
    const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: `r-${at}`, FullName, Frequency: 60 };
    ids.push(created.parse(await api.ok('POST', '/devices', body)).device_id);
  }
});

/** October of three devices: one is Down over midnight, one is observed from noon on, one is in maintenance. */
async function withTimelines(page: Page): Promise<void> {
  const interval = (Start: string, End: string, Status: string) => ({ Start, End, Status });
  const [begin, end] = ['2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+01:00'];
  const [down, up] = ['2026-10-11T21:14:00+02:00', '2026-10-12T01:20:12+02:00'];
  const [from, to] = ['2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00'];
  const noon = '2026-10-01T12:00:00+02:00';
  const timelines = [
    [interval(begin, down, 'Up'), interval(down, up, 'Down'), interval(up, end, 'Up')],
    [interval(noon, end, 'Up')],
    [interval(begin, from, 'Up'), interval(from, to, 'Maint'), interval(to, end, 'Up')],
  ].map((Intervals, at) => ({ device_id: ids[at], ShortName: `r-${at}`, FullName: names[at], Intervals }));
  await page.route(/\/v1\.1\/timeline/, (route) => {
    const wanted = new URL(route.request().url()).searchParams.get('Device')?.split(',') ?? [];
    return route.fulfill({ json: timelines.filter(({ device_id = '' }) => wanted.includes(device_id)) });
  });
}

test('a chart shows each day, with the same figures as a table; on a phone no table is cut', async () => {
  const page = await its.open({ width: 390 });
  await its.signIn(page);
  await withTimelines(page);
  await page.goto(`${its.base}reports?${october}`);
  const days = page.getByRole('region', { name: 'By day' });
  await days.getByText('at most 2 h 46 min in a day').waitFor();
  expect(await days.locator('svg g').count()).toBe(31);
  await days.getByText('As a table').click();
  const rowOf = async (name: string) => {
    const row = days.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    return (await row.getByRole('cell').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
  };
  expect(await rowOf('1 October 2026')).toEqual(['100 %', '83.3 % of the time', '0 s', '0 s', '12 h']);
  expect(await rowOf('11 October 2026')).toEqual([
    '96.157 %',
    '100 % of the time',
    '2 h 46 min',
    '0 s',
    '0 s',
  ]);
  // A day of 25 hours, one of three devices in maintenance.
  expect(await rowOf('25 October 2026')).toEqual(['100 %', '66.6 % of the time', '0 s', '1 d 1 h', '0 s']);
  expect(await page.evaluate(cutElements)).toEqual([]);
  expect(await violationsInBothThemes(page)).toBe('');
  await page.goto(`${its.base}reports?span=2026-01-01..2026-12-31`);
  await page
    .getByRole('region', { name: 'By month' })
    .locator('svg g')
    .nth(11)
    .waitFor({ state: 'attached' });
  expect(its.problems).toEqual([]);
});
