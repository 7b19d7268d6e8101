import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, moveTo, violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();
/** Each look costs the controller and the database. */
const soon = { timeout: 60_000, interval: 200 };
const status = z.object({ Status: z.string() });
const listed = z.array(z.object({ Source: z.string(), Start: z.string(), Reason: z.string().nullable() }));
let device = '';

/** The next last Sunday of March: the clocks of Europe go forward from 02:00 to 03:00. */
function nextLeap(): string {
  const year = new Date().getUTCFullYear();
  const dates = [year, year + 1].map((each) => {
    const last = new Date(Date.UTC(each, 2, 31));
    last.setUTCDate(31 - last.getUTCDay());
    return last.toISOString().slice(0, 10);
  });
  return dates.find((date) => date > new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10)) ?? '';
}

const weekBefore = (date: string) => new Date(Date.parse(date) - 7 * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  await api.ok('PUT', '/account', { Timezone: 'Europe/Berlin' });
  await api.ok('POST', '/tags', { Name: 'lab' });
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'router', Tags: ['lab'], Frequency: 60 };
  device = z.object({ device_id: z.string() }).parse(await api.ok('POST', '/devices', body)).device_id;
  const noc = z
    .object({ contact_id: z.string() })
    .parse(await api.ok('POST', '/contacts', { Name: 'NOC', Type: 'email', Address: 'noc@example.org' }));
  const steps = [{ DelayMinutes: 5, Contacts: [noc.contact_id] }];
  const { nschedule_id } = z
    .object({ nschedule_id: z.string() })
    .parse(await api.ok('POST', '/nschedules', { Name: 'All', Steps: steps }));
  await api.ok('PUT', '/account', { nschedule_id });
});

test('a window that the clocks skip is said before the schedule is stored, shown in the calendar, and made by hand', async () => {
  const leap = nextLeap();
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}schedules/maintenance`);
  await page.getByText('There is no maintenance in this time').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('link', { name: 'New recurring maintenance' }).click();
  await page.getByLabel('Name').fill('Sunday reboot');
  await page.getByLabel('First window starts').fill(`${weekBefore(leap)}T02:30`);
  await page.getByText(`02:30 does not exist on ${leap} in Europe/Berlin`).waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Create this schedule' }).click();
  await page.getByText('no device has it').waitFor();
  await page.getByLabel('Apply to all devices tagged').selectOption('lab');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('1 device has it now.').waitFor();
  await moveTo(page, `/schedules/maintenance?view=week&at=${leap}`);
  await page.getByText(`02:30 does not exist on ${leap}`).waitFor();
  await page.getByRole('button', { name: 'Plan a window at 03:30 that day' }).click();
  await page.getByText('1 device: router').waitFor();
  // 03:30 that day is an hour and a half after midnight.
  await page.getByText('All: Sun 03:35, after 5 min: NOC.').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Plan it for 1 device' }).click();
  await page
    .getByRole('button', { name: /Maintenance 03:30/ })
    .first()
    .waitFor();
  const rows = listed.parse(await its.system.api.ok('GET', '/maintenance'));
  expect(rows.filter(({ Source }) => Source === 'Manual')).toMatchObject([
    { Start: `${leap}T03:30:00+02:00` },
  ]);
  await moveTo(page, `/schedules/maintenance?view=month&at=${leap}`);
  await page
    .getByRole('button', { name: /planned Maintenance/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Cancel this window' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(its.problems).toEqual([]);
});

test('a window that starts now is seen, is in the way of another one, and is ended; at 390 px too', async () => {
  const page = await its.open({ theme: 'dark', width: 390 });
  await its.signIn(page);
  await page.goto(`${its.base}schedules/maintenance`);
  const choose = () => page.getByLabel('Tag', { exact: true }).selectOption({ index: 1 });
  await page.getByRole('button', { name: 'New window' }).click();
  // Nobody has chosen anything yet, so a hasty click plans nothing.
  await page.getByText('No device is chosen yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Plan it' }).isDisabled()).toBe(true);
  await choose();
  await page.getByText('1 device: router').waitFor();
  await page.getByLabel('Reason').fill('Disk');
  await page.getByLabel('Duration, HH:MM').fill('soon');
  await page.getByRole('button', { name: 'Plan it for 1 device' }).click();
  await page
    .getByRole('alert')
    .getByText(/Duration must be/)
    .waitFor();
  await page.getByLabel('Duration, HH:MM').fill('00:30');
  await page.getByRole('button', { name: 'Plan it for 1 device' }).click();
  const line = page.getByRole('button', { name: /running now Disk/ }).first();
  await line.waitFor();
  const read = async () => status.parse(await its.system.api.ok('GET', `/devices/${device}`)).Status;
  await expect.poll(read, soon).toBe('Maint');
  expect(await violationsOf(page)).toBe('');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.getByRole('button', { name: 'New window' }).click();
  await choose();
  await page.getByText(/1 device of them already has maintenance at that time: Disk/).waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await line.click();
  await page.getByRole('button', { name: 'End it now' }).click();
  await line.waitFor({ state: 'detached' });
  await expect.poll(read, soon).not.toBe('Maint');
  expect(its.problems).toEqual([]);
});

test('a window is drawn with the pointer into a day; who only views finds neither a button nor a form', async () => {
  const page = await its.open();
  await its.signIn(page);
  const date = weekBefore(nextLeap());
  await page.goto(`${its.base}schedules/maintenance?view=day&at=${date}`);
  await page.getByText('Or drag in the calendar').waitFor();
  const box = await page.locator('[class*=column]').first().boundingBox();
  const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
  await page.mouse.move(x + width - 20, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width - 20, y + (height * 15) / 24, { steps: 4 });
  await page.mouse.up();
  // The styles of parts go before those of plain elements, whichever file comes first.
  expect(await page.evaluate("getComputedStyle(document.querySelector('dialog h2')).fontSize")).toBe('16px');
  expect(await page.getByLabel('Start').inputValue()).toBe(`${date}T12:00`);
  expect(await page.getByLabel('Duration, HH:MM').inputValue()).toBe('03:00');
  const viewer = await its.open();
  await its.signIn(viewer, its.system.quickstart().api_key_ur);
  await viewer.goto(`${its.base}schedules/maintenance`);
  await viewer.getByRole('link', { name: 'Sunday reboot' }).click();
  await viewer.getByRole('heading', { name: 'Its next windows' }).waitFor();
  expect(await viewer.getByRole('button', { name: /New|Save|Delete|Give/ }).count()).toBe(0);
  expect(await violationsOf(viewer)).toBe('');
});
