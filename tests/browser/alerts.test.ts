import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../harness/target.ts';
import { browserMissing, violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

// What people do with alerts, outages and events.

const its = useBrowser();
/** Each look costs the controller and the database. */
const soon = { timeout: 60_000, interval: 200 };
const created = z.object({ device_id: z.string() });
const shownAlert = z.object({
  alert_id: z.string(),
  State: z.string(),
  SnoozedUntil: z.string().nullable(),
  Acknowledged: z.object({ By: z.string(), Note: z.string().nullable() }).nullable(),
});
type ShownAlert = z.output<typeof shownAlert>;

async function addDown(ShortName: string, more: object = {}): Promise<string> {
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName, Frequency: 1, Attempts: 1, ...more };
  return created.parse(await its.system.api.ok('POST', '/devices', body)).device_id;
}

async function alertOf(device: string): Promise<ShownAlert | undefined> {
  const query = `/alerts?Device=${device}&Kind=device.down`;
  return z.array(shownAlert).parse(await its.system.api.ok('GET', query))[0];
}

async function openedAlert(device: string): Promise<string> {
  await expect.poll(async () => (await alertOf(device))?.State, soon).toBeDefined();
  return (await alertOf(device))?.alert_id ?? '';
}

async function openAt(path: string, key?: string): Promise<Page> {
  const page = await its.open();
  await its.signIn(page, key);
  await page.goto(`${its.base}${path}`);
  return page;
}

let core: string;
let behind: readonly string[];
beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  for (const Name of ['berlin', 'oslo']) await api.ok('POST', '/tags', { Name });
  core = await addDown('core', { Tags: ['berlin'] });
  behind = [
    await addDown('leaf-1', { device_master_id: core }),
    await addDown('leaf-2', { device_master_id: core }),
  ];
}, 120_000);

test('a cause is one row with its symptoms folded, and its story tells the first error and the decision', async () => {
  for (const device of [core, ...behind]) await openedAlert(device);
  const page = await openAt('alerts');
  await page.getByRole('heading', { level: 1, name: '1 open alert' }).waitFor();
  const symptoms = page.getByRole('button', { name: /and 1 more are Down because of it/ });
  const list = page.locator('[class*=list]').first();
  await symptoms.waitFor();
  expect(await list.getByRole('link', { name: /leaf/ }).count()).toBe(0);
  await symptoms.click();
  for (const name of ['leaf-1', 'leaf-2']) await list.getByRole('link', { name }).waitFor();
  // On a wide window the story of the first alert is shown without a choice.
  const story = page.getByRole('region', { name: 'What happened, who was notified' });
  await story.getByText('First error, from local').waitFor();
  await story.getByText('Down, confirmed from local without a retry').waitFor();
  await page.getByRole('heading', { name: '2 devices behind it' }).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as file' }).click();
  const text = readFileSync(await (await saving).path(), 'utf8');
  expect(text).toMatch(/^core is Down\n/);
  expect(text).toContain('2 devices Down because of it: leaf-1, leaf-2');
  expect(text).toMatch(/\d\d:\d\d:\d\d .*First error, from local/);
  expect(await violationsOf(page)).toBe('');
});

test('an alert is snoozed until a moment, handed over, and taken back', async () => {
  const page = await openAt(`alerts/${await openedAlert(core)}`);
  await page.getByRole('button', { name: 'Snooze until …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Until').fill('2020-01-01T10:00');
  await dialog.getByRole('button', { name: 'Snooze', exact: true }).click();
  await dialog.getByText('Choose a time within the next 4 days.').waitFor();
  await dialog.getByRole('button', { name: '4 hours' }).click();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Snooze', exact: true }).click();
  await page.getByText('snoozed until').waitFor();
  const snoozed = await alertOf(core);
  expect(snoozed?.State).toBe('Snoozed');
  const hours = (Date.parse(snoozed?.SnoozedUntil ?? '') - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(3.9);
  expect(hours).toBeLessThan(4.1);
  await page.getByRole('button', { name: 'End the snooze' }).click();
  await expect.poll(async () => (await alertOf(core))?.State, soon).toBe('Open');
  await page.getByRole('button', { name: 'Hand over …' }).click();
  await dialog.getByLabel('To').fill('Jana Wolf');
  await dialog.getByLabel('Note, kept with the alert').fill('your router');
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Hand over', exact: true }).click();
  await page.getByText('acknowledged by Jana Wolf: “your router”').first().waitFor();
  expect((await alertOf(core))?.Acknowledged).toEqual({ By: 'Jana Wolf', Note: 'your router' });
  await page.getByRole('button', { name: 'Remove acknowledgement' }).click();
  await page.getByRole('button', { name: /^Acknowledge\b/ }).waitFor();
  await expect.poll(() => alertOf(core), soon).toMatchObject({ State: 'Open', Acknowledged: null });
});

test('alerts are filtered by the address, and all that match are acknowledged after the server counted them', async () => {
  const other = await addDown('shop', { Tags: ['oslo'] });
  await openedAlert(other);
  const page = await openAt('alerts');
  await page.getByRole('heading', { level: 1, name: '2 open alerts' }).waitFor();
  await page.getByText('Filter', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill('oslo');
  await page.getByRole('combobox', { name: 'Tag' }).press('Enter');
  await page.waitForURL(/\/alerts\?tag=oslo$/);
  await page.getByRole('heading', { name: 'Alerts that match' }).waitFor();
  await page.getByRole('link', { name: /^shop is Down/ }).waitFor();
  expect(await page.getByRole('link', { name: /^core is Down/ }).count()).toBe(0);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const csv = readFileSync(await (await saving).path(), 'utf8').split('\r\n');
  expect([csv[0]?.startsWith('alert_id,'), csv.filter((line) => line !== '').length]).toEqual([true, 2]);
  await page.getByRole('button', { name: 'Snooze all that match …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 open alert matches.').waitFor();
  await dialog.getByRole('button', { name: '4 hours' }).click();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Snooze', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const snoozed = await alertOf(other);
  expect([snoozed?.State, (await alertOf(core))?.State]).toEqual(['Snoozed', 'Open']);
  await its.system.api.ok('PUT', `/alerts/${snoozed?.alert_id}/reopen`, {});
  await page.reload();
  await page.getByRole('button', { name: 'Acknowledge all that match …' }).click();
  await dialog.getByText('1 open alert matches.').waitFor();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Acknowledge 1 alert' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect([(await alertOf(other))?.State, (await alertOf(core))?.State]).toEqual(['Acknowledged', 'Open']);
  // The address alone shows the same list.
  await page.reload();
  await page.getByRole('heading', { name: 'Alerts that match' }).waitFor();
  // Who may only view has no button.
  const reader = await openAt('alerts?tag=oslo', its.system.quickstart().api_key_ur);
  await reader.getByRole('link', { name: /^shop is Down/ }).waitFor();
  expect(await reader.getByRole('button', { name: /\b(Acknowledge|Snooze|Hand over)\b/ }).count()).toBe(0);
});

test('closed alerts go on with “Load older ones”', async () => {
  const page = await its.open();
  await its.signIn(page);
  const row = (n: number) => ({
    alert_id: n.toString(16).padStart(48, '0'),
    device_id: null,
    ShortName: `gone-${n}`,
    FullName: null,
    Kind: 'device.down',
    State: 'Closed',
    Opened: '2026-01-01T10:00:00Z',
    Closed: '2026-01-01T11:00:00Z',
    Since: '2026-01-01T10:00:00Z',
    Severity: 'critical',
    Reason: null,
    Shadow: false,
    Location: null,
    location_id: null,
    CheckResult: 'x',
    Contact: null,
    contact_id: null,
    Acknowledged: null,
    SnoozedUntil: null,
    Notifications: [],
  });
  await page.route(/\/v1\.1\/alerts\?.*State=Closed/, (route) => {
    const before = new URL(route.request().url()).searchParams.get('Before');
    const from = before === null ? 120 : Number.parseInt(before, 16) - 1;
    const json = Array.from({ length: Math.min(50, from) }, (_, at) => row(from - at));
    return route.fulfill({ json, headers: from > 50 ? { Link: '</alerts>; rel="next"' } : {} });
  });
  await page.goto(`${its.base}alerts?state=closed`);
  const lines = page.getByRole('listitem').filter({ hasText: 'gone-' });
  for (const expected of [50, 100, 120]) {
    await expect.poll(() => lines.count(), soon).toBe(expected);
    if (expected < 120) await page.getByRole('button', { name: 'Load older ones' }).click();
  }
  expect(await page.getByRole('button', { name: 'Load older ones' }).count()).toBe(0);
});

test('the outages of the account have their timeline, and a note that is excluded from uptime', async () => {
  const page = await openAt('outages?span=1');
  await page.getByText(/^\d outages of \d devices, \d not over$/).waitFor();
  await page.getByRole('img', { name: /^Devices Down at once: at most [34] at once$/ }).waitFor();
  await page.getByRole('button', { name: 'Note on the outage of core' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Note, one line').fill('the power was off');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('the power was off').waitFor();
  const outages = z
    .array(z.object({ Note: z.string().nullable(), Excluded: z.boolean() }))
    .parse(await its.system.api.ok('GET', `/outages?Device=${core}`));
  expect(outages).toMatchObject([{ Note: 'the power was off', Excluded: true }]);
  await page.getByRole('combobox', { name: 'Device' }).fill('leaf-1');
  await page.getByRole('combobox', { name: 'Device' }).press('Enter');
  await page.getByText('1 outage of 1 device, 1 not over').waitFor();
  expect(new URL(page.url()).searchParams.get('device')).toBe(behind[0]);
  await page.getByRole('combobox', { name: 'Device' }).fill('nothing of this name');
  await page.getByRole('combobox', { name: 'Device' }).press('Enter');
  await page.getByText('No device has this name.').waitFor();
  expect(await violationsOf(page)).toBe('');
});

test('events have filters and history in the address, and wait with what is new', async () => {
  const { api } = its.system;
  const body = { Method: 'TCP', URL: '127.0.0.1:9', Enabled: false };
  for (let at = 0; at < 105; at += 1) await api.ok('POST', '/devices', { ...body, ShortName: `many-${at}` });
  const page = await openAt('events?type=Created');
  const lines = page.getByRole('listitem');
  await expect.poll(() => lines.count(), soon).toBe(100);
  const first = await lines.first().textContent();
  await page.getByText('Live', { exact: true }).waitFor();
  await api.ok('POST', '/devices', { ...body, ShortName: 'newest', FullName: 'the newest' });
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await lines.first().textContent()).toBe(first);
  await page.getByRole('button', { name: '1 new' }).click();
  await lines.filter({ hasText: 'the newest' }).waitFor();
  await page.getByRole('link', { name: 'Older' }).click();
  await page.waitForURL(/before=[0-9a-f]{48}/);
  await lines.filter({ hasText: 'core was created' }).waitFor();
  await page.goBack();
  await lines.filter({ hasText: 'the newest' }).waitFor();
  await page.getByLabel('Type').selectOption('Down');
  await lines.filter({ hasText: 'core' }).waitFor();
  expect(await lines.filter({ hasText: 'was created' }).count()).toBe(0);
  expect(await violationsOf(page)).toBe('');
});

test('the overview tells why, who and how often, and its keys acknowledge, snooze and start maintenance', async () => {
  await using target = await startTarget();
  const id = await addDown('edge', { URL: `127.0.0.1:${target.port}` });
  const page = await openAt('');
  await page.getByText('Live', { exact: true }).waitFor();
  await target.stop();
  const cause = page.locator(`article[data-device="${id}"]`);
  await cause.waitFor({ timeout: 60_000 });
  await cause.getByText(/TCP from local · confirmed/).waitFor();
  await openedAlert(id);
  await cause.getByRole('button', { name: 'Snooze 1 h' }).waitFor();
  const isChosen = async () => (await cause.locator('kbd').count()) > 0;
  for (let at = 0; at < 5 && !(await isChosen()); at += 1) await page.keyboard.press('j');
  expect(await isChosen()).toBe(true);
  await page.keyboard.press('s');
  await expect.poll(async () => (await alertOf(id))?.State, soon).toBe('Snoozed');
  await its.system.api.ok('PUT', `/alerts/${await openedAlert(id)}/reopen`);
  await cause.getByRole('button', { name: 'Acknowledge' }).waitFor({ timeout: 90_000 });
  await page.keyboard.press('e');
  await cause.getByText(/acknowledged by/).waitFor();
  expect((await alertOf(id))?.State).toBe('Acknowledged');
  await page.keyboard.press('m');
  await page.getByRole('dialog', { name: 'Start maintenance: edge' }).waitFor();
  expect(await violationsOf(page)).toBe('');
});
