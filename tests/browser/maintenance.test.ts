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

const planned = z.array(z.object({ Reason: z.string().nullable(), Start: z.string(), DeviceCount: z.int() }));

test('a branch, a filter and some devices get a window; their number is said before, and the list plans one too', async () => {
  const { api } = its.system;
  for (const [ShortName, tag] of [
    ['rack-1', 'berlin/rack-1'],
    ['rack-2', 'berlin/rack-2'],
    ['oslo-1', 'oslo'],
  ] as const) {
    await api.ok('POST', '/tags', { Name: tag });
    const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName, Tags: [tag], Frequency: 60 };
    await api.ok('POST', '/devices', body);
  }
  const date = weekBefore(nextLeap());
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}schedules/maintenance?view=day&at=${date}`);
  const plan = async (reason: string, words: string, ...effects: readonly string[]) => {
    for (const text of [words, ...effects]) await page.getByText(text).waitFor();
    await page.getByLabel('Reason').fill(reason);
    expect(await violationsOf(page)).toBe('');
    await page.getByRole('button', { name: `Plan it for ${words.split(':')[0]}` }).click();
    await page.getByRole('button', { name: new RegExp(`${reason}.*, ${words.split(':')[0]}`) }).waitFor();
  };
  const open = async (target: string) => {
    await page.getByRole('button', { name: 'New window' }).click();
    await page.getByLabel('For', { exact: true }).selectOption(target);
  };
  await open('a tag or a branch');
  await page.getByLabel('Tag', { exact: true }).selectOption('berlin/*');
  await plan('Racks', '2 devices: rack-1, rack-2');
  await open('a filter');
  const filter = page.getByLabel('Filter');
  // An order alone, an unknown field and a filter without devices choose nothing.
  for (const [text, words] of [
    ['sort:name', 'No device is chosen yet.'],
    ['colour:red', 'The filter does not know'],
    ['tag:nowhere', 'No device matches the filter.'],
  ] as const) {
    await filter.fill(text);
    await page.getByText(words).waitFor();
    expect(await page.getByRole('button', { name: 'Plan it' }).isDisabled()).toBe(true);
  }
  await filter.fill('url:127.0.0.1 -tag:berlin/* -tag:lab');
  await plan('Filtered', '1 device: oslo-1');
  await open('chosen devices');
  for (const name of ['router', 'oslo-1']) {
    await page.getByRole('combobox', { name: 'Devices' }).fill(name);
    await page.getByRole('option', { name }).click();
  }
  await page.getByLabel('Start', { exact: true }).fill(`${date}T06:00`);
  // A device has one planned window, so it leaves the one before.
  await plan('Some', '2 devices: oslo-1, router', '1 device of them leaves another planned window: Filtered');
  await page.goto(`${its.base}devices?q=tag:berlin/*`);
  await page.getByRole('checkbox', { name: /all/i }).first().check();
  await page.getByRole('button', { name: 'Maintenance', exact: true }).click();
  await page.getByLabel('Start', { exact: true }).fill(`${date}T22:00`);
  await page.getByLabel('Reason').fill('List');
  await page.getByText('you can cancel it in the calendar').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Plan maintenance of 2 devices' }).click();
  await page.getByText('2 devices changed').waitFor();
  const rows = planned.parse(await api.ok('GET', '/maintenance'));
  const shown = rows.filter(({ Reason }) => Reason !== null).map((row) => [row.Reason, row.DeviceCount]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ['Some', 2],
      ['List', 2],
    ]),
  );
  expect(shown).not.toContainEqual(['Filtered', 1]);
  expect(rows.find(({ Reason }) => Reason === 'List')?.Start).toBe(`${date}T22:00:00+01:00`);
  expect(its.problems).toEqual([]);
});

test('the week shows the present time and 24:00; a day whose clocks change has its missing or second hour', async () => {
  const leap = nextLeap();
  const year = Number(leap.slice(0, 4));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}schedules/maintenance`);
  await page.locator('[class*=nowLine]').waitFor();
  await page.getByText('24:00').waitFor();
  await moveTo(page, `/schedules/maintenance?view=week&at=${leap}`);
  await page.getByText('02:00–03:00 is skipped').waitFor();
  await page.getByRole('heading', { name: /· 23.h/ }).waitFor();
  expect(await page.locator('[class*=nowLine]').count()).toBe(0);
  const october = new Date(Date.UTC(year, 9, 31));
  october.setUTCDate(31 - october.getUTCDay());
  const back = october.toISOString().slice(0, 10);
  await moveTo(page, `/schedules/maintenance?view=day&at=${back}`);
  await page.getByText('02:00–03:00 again').waitFor();
  await page.getByRole('heading', { name: /· 25.h/ }).waitFor();
  expect(await violationsOf(page)).toBe('');
  // Two hours from 01:00 on the clocks are three hours that pass.
  const box = await page.locator('[class*=column]').first().boundingBox();
  const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
  await page.mouse.move(x + width - 20, y + height / 25);
  await page.mouse.down();
  await page.mouse.move(x + width - 20, y + (height * 4) / 25, { steps: 4 });
  await page.mouse.up();
  expect(await page.getByLabel('Start').inputValue()).toBe(`${back}T01:00`);
  expect(await page.getByLabel('Duration, HH:MM').inputValue()).toBe('03:00');
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
