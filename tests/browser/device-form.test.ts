import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../harness/target.ts';
import { violationsInBothThemes, violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

// The form of a device has each setting of the API, tries it, says what saving does, and loses no text.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

async function addDevice(body: object): Promise<string> {
  const whole = { Frequency: 60, ...body };
  return created.parse(await its.system.api.ok('POST', '/devices', whole)).device_id;
}

const read = (id: string) => its.system.api.ok('GET', `/devices/${id}`);

async function openAt(path: string): Promise<Page> {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}${path}`);
  await page.getByRole('region', { name: 'What saving does' }).waitFor();
  return page;
}

const save = (page: Page) => page.getByRole('button', { name: /^(Save|Add this)/ }).click();
const saved = (page: Page) => page.getByRole('button', { name: 'Pause' }).waitFor();
const openGroup = (page: Page, name: string) => page.locator('summary', { hasText: name }).click();

test('master, schedules, retry delay, pause, external key and source are set and cleared', async () => {
  const { api } = its.system;
  const { contact_id } = z
    .object({ contact_id: z.string() })
    .parse(await api.ok('POST', '/contacts', { Name: 'NOC', Type: 'email', Address: 'noc@example.org' }));
  const Steps = [{ DelayMinutes: 0, Contacts: [contact_id] }];
  await api.ok('POST', '/nschedules', { Name: 'Round the clock', Steps });
  const window = { Start: '2026-12-06T03:00', Duration: '01:00', Recurrence: 'FREQ=WEEKLY' };
  await api.ok('POST', '/mschedules', { Name: 'Sunday reboot', ...window });
  const tcp = { Method: 'TCP', URL: '127.0.0.1:9' };
  const gateway = await addDevice({ ...tcp, ShortName: 'gw', FullName: 'Gateway of the hall' });
  const id = await addDevice({ ...tcp, ShortName: 'behind' });
  const page = await openAt(`devices/${id}/edit`);
  await page.getByPlaceholder('Find a device').fill('hall gate');
  // The devices are read after the form is shown.
  await page.getByRole('option', { name: /Gateway of the hall/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove Gateway of the hall' }).waitFor();
  await page.getByLabel('Who is notified').selectOption({ label: 'Round the clock' });
  await page.getByText('NOC.').first().waitFor();
  await page.getByLabel('Recurring maintenance').selectOption({ label: 'Sunday reboot' });
  await page.getByLabel('Before a retry, seconds').fill('7');
  await page.getByLabel('Checks', { exact: true }).selectOption('paused');
  await openGroup(page, 'External key and source');
  await page.getByLabel('External key').fill('cmdb-1');
  await page.getByLabel('Source', { exact: true }).fill('net/berlin');
  await page.getByRole('button', { name: 'Save 7 changes' }).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await save(page);
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await read(id)).toMatchObject({
    device_master_id: gateway,
    nschedule_id: expect.any(String),
    mschedule_id: expect.any(String),
    RetryDelay: 7,
    Enabled: false,
    ExternalKey: 'cmdb-1',
    Source: 'net/berlin',
  });
  await page.goto(`${its.base}devices/${id}/edit`);
  await page.getByText('net/berlin manages this device.').waitFor();
  await page.getByRole('button', { name: 'Remove Gateway of the hall' }).click();
  await page.getByLabel('Recurring maintenance').selectOption({ label: 'none' });
  await page.getByLabel('Before a retry, seconds').fill('');
  await save(page);
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const cleared = { device_master_id: null, mschedule_id: null, RetryDelay: 1, ExternalKey: 'cmdb-1' };
  expect(await read(id)).toMatchObject(cleared);
  await page.goto(`${its.base}devices/${gateway}/edit`);
  await page.getByText('No suggestion:').waitFor();
});

test('a new device says who is notified: nobody, the default, or the chosen schedule with its contacts', async () => {
  const { api } = its.system;
  await api.ok('PUT', '/account', { nschedule_id: null });
  const page = await openAt('devices/new?address=127.0.0.1:9');
  const effects = page.getByRole('region', { name: 'What saving does' });
  const who = page.locator('[data-field=nschedule_id]');
  for (const place of [effects, who]) {
    await place.getByText('Nobody is notified.').waitFor();
    await place.getByText('Choose a schedule for this device.').waitFor();
  }
  expect(await violationsInBothThemes(page)).toBe('');
  const contact = z.object({ contact_id: z.string() });
  const Contacts = [];
  for (const Name of ['Night desk', 'Ana Ruiz'])
    Contacts.push(
      contact.parse(await api.ok('POST', '/contacts', { Name, Type: 'email', Address: 'desk@example.org' }))
        .contact_id,
    );
  const Steps = [
    { DelayMinutes: 0, Contacts: Contacts.slice(0, 1) },
    { DelayMinutes: 15, Contacts: Contacts.slice(1), Days: ['Mon'], From: '08:00', To: '18:00' },
  ];
  const made = await api.ok('POST', '/nschedules', { Name: 'Two steps', Steps });
  const { nschedule_id } = z.object({ nschedule_id: z.string() }).parse(made);
  await api.ok('PUT', '/account', { nschedule_id });
  await page.reload();
  await who.getByText('at once: Night desk').waitFor();
  await who.getByText(/after 15\smin: Ana Ruiz; Mon 08:00–18:00/).waitFor();
  expect(await page.getByLabel('Who is notified').locator('option').first().textContent()).toBe(
    'default: Two steps',
  );
  await effects.getByText(/Night desk/).waitFor();
  expect(await page.getByText('Nobody is notified.').count()).toBe(0);
});

test('headers are rows, and the steps of a dialogue have their line breaks', async () => {
  const id = await addDevice({ Method: 'HTTP', URL: 'http://127.0.0.1:9/', ShortName: 'rows' });
  const page = await openAt(`devices/${id}/edit?field=Options.Headers`);
  // The address names the field: its group is open and it has the focus.
  const name = page.getByLabel('Request headers, name 1');
  await page.locator('input:focus').and(name).waitFor();
  await name.fill('X Api');
  await page.getByLabel('Request headers, value 1').fill('k1');
  await save(page);
  await page.getByText('“X Api” is not a name').first().waitFor();
  await name.fill('X-Api');
  await openGroup(page, 'TLS');
  await page.getByLabel('Check the certificate').selectOption('no');
  await save(page);
  await saved(page);
  expect(await read(id)).toMatchObject({ Options: { Headers: { 'X-Api': 'k1' }, TLS: { Verify: false } } });

  const dialogue = await addDevice({ Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'steps' });
  await page.goto(`${its.base}devices/${dialogue}/edit?field=Options.Steps`);
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByLabel('Send', { exact: true }).fill('PING\\r\\n');
  await page.getByLabel('Expect', { exact: true }).fill('+PONG');
  expect(await violationsOf(page)).toBe('');
  await save(page);
  await saved(page);
  expect(await read(dialogue)).toMatchObject({ Options: { Steps: [{ Send: 'PING\r\n', Expect: '+PONG' }] } });
});

test('a trial compares the Locations, and keeps the secrets of a stored device', async () => {
  await using target = await startTarget();
  const { api } = its.system;
  await api.ok('POST', '/locations', { Name: 'Without agent' });
  const Locations = ['local', 'Without agent'];
  const tcp = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: 'both', Locations };
  const page = await openAt(`devices/${await addDevice(tcp)}/edit`);
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Try it' }).click();
  await trial.getByText('connected to 127.0.0.1').waitFor();
  await trial.getByText('no agent of this Location is connected now').waitFor();
  await trial.getByText('It works from local.').waitFor();
  await trial.getByRole('button', { name: 'Details from local' }).click();
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('Timeout, seconds').fill('9');
  await trial.getByText('tried before the last change').waitFor();

  const Options = { Headers: { 'X-Api-Key': 'k1' }, Password: 'p1', User: 'me' };
  const web = { Method: 'HTTP', URL: 'http://127.0.0.1:9/', ShortName: 'secrets', Options };
  await page.getByRole('button', { name: /^Save/ }).click();
  await saved(page);
  await page.goto(`${its.base}devices/${await addDevice(web)}/edit`);
  await trial.getByRole('button', { name: 'Try it' }).click();
  await trial.getByText('It would be Down: it fails from local.').waitFor();
});

test('what another person changed meanwhile is next to what was typed', async () => {
  const id = await addDevice({ Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'both', FullName: 'Before' });
  const page = await openAt(`devices/${id}/edit`);
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  await page.getByLabel('Timeout, seconds').fill('11');
  const theirs = { FullName: 'Theirs', Timeout: 22, Severity: 'warning' };
  await its.system.api.ok('PUT', `/devices/${id}`, theirs);
  await save(page);
  const meanwhile = page.getByRole('alert', { name: 'Changed by someone else meanwhile' });
  await meanwhile.getByText('Severity: critical → warning').waitFor();
  await meanwhile
    .getByRole('row', { name: /Timeout/ })
    .getByRole('radio', { name: /Use theirs/ })
    .check();
  expect(await page.getByLabel('Timeout, seconds').inputValue()).toBe('22');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine');
  expect(await violationsInBothThemes(page)).toBe('');
  await save(page);
  await saved(page);
  expect(await read(id)).toMatchObject({ FullName: 'Mine', Timeout: 22, Severity: 'warning' });
});

test('a draft that was left is joined with what was stored meanwhile', async () => {
  const id = await addDevice({ Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'left' });
  const page = await openAt(`devices/${id}/edit`);
  await page.getByLabel('Timeout, seconds').fill('11');
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(its.base);
  await its.system.api.ok('PUT', `/devices/${id}`, { Timeout: 22, RetryDelay: 5 });
  await page.goBack();
  const meanwhile = page.getByRole('alert', { name: 'Changed by someone else meanwhile' });
  await meanwhile.getByText('Before a retry: 1 → 5').waitFor();
  await save(page);
  await saved(page);
  expect(await read(id)).toMatchObject({ Timeout: 11, RetryDelay: 5 });
});

test('the settings of a device are copied as an apply file and as a request', async () => {
  const id = await addDevice({ Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'as-text', Attempts: 5 });
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/${id}`);
  await page.getByRole('button', { name: 'Copy as…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings of as-text' });
  await dialog.getByText('  - Key: as-text').waitFor();
  await dialog.getByText("/v1.1/devices' ").waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await dialog.getByRole('button', { name: 'Close' }).click();
});

test('the default Locations are chosen by their names', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}account`);
  await page.getByLabel('Default Locations').fill('loc');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove local' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('saved', { exact: false }).first().waitFor();
  expect(await its.system.api.ok('GET', '/account')).toMatchObject({ DefaultLocations: ['local'] });
});

test('a device that is refused leaves no new tag behind', async () => {
  const page = await openAt('devices/new?address=127.0.0.1:9');
  await page.getByPlaceholder('Add a tag').fill('left/behind');
  await page.getByLabel('Short name').fill('not a short name');
  await save(page);
  await page
    .getByText(/ShortName|letters, digits/)
    .first()
    .waitFor();
  await page.locator('[data-field="ShortName"] .bad').waitFor();
  const names = async () => JSON.stringify(await its.system.api.ok('GET', '/tags'));
  expect(await names()).not.toContain('left/behind');
  await page.getByLabel('Short name').fill('tagged');
  await save(page);
  await saved(page);
  expect(await names()).toContain('left/behind');
});

test('a device is duplicated without its secrets', async () => {
  const Options = { Password: 'p1', User: 'me', ExpectText: 'Welcome' };
  const web = { Method: 'HTTP', URL: 'http://127.0.0.1:9/', ShortName: 'first', Timeout: 17, Options };
  const id = await addDevice({ ...web, FullName: 'The first', ExternalKey: 'cmdb-7' });
  const page = await openAt(`devices/${id}/edit`);
  await page.getByRole('link', { name: 'Duplicate', exact: true }).click();
  await page.getByText('enter them again: Password').waitFor();
  // Devices of other tests may have it, too.
  await page.getByText(/The first.* ha(s|ve) the same address and Method\./).waitFor();
  expect(await violationsOf(page)).toBe('');
  await save(page);
  await page.getByRole('heading', { name: 'The first (copy)' }).waitFor();
  const copy = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await read(copy)).toMatchObject({
    Timeout: 17,
    ExternalKey: null,
    Options: { User: 'me', ExpectText: 'Welcome' },
  });
});

test('a script is completed from its declarations, and the line that fails is marked', async () => {
  const URL = "log('one');\nexpect(false, 'it is not so');\n";
  const id = await addDevice({ Method: 'Script', URL, ShortName: 'script' });
  const page = await openAt(`devices/${id}/edit`);
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Line 2' }).waitFor({ timeout: 60_000 });
  const editor = page.getByLabel('Script', { exact: true });
  await editor.press('Control+End');
  await editor.pressSequentially("await http({ url: 'http://a.example/', expectT");
  await page.getByRole('option', { name: 'expectText' }).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await editor.press('Tab');
  expect(await editor.inputValue()).toMatch(/expectText$/);
  // The fault belongs to the tried text.
  await page.getByRole('button', { name: 'Line 2' }).waitFor({ state: 'detached' });
  await editor.press('Tab');
  await page.locator(':focus').and(editor).waitFor({ state: 'detached' });
});

test('of many Locations some are found by their names', async () => {
  const page = await its.open();
  await its.signIn(page);
  const { api } = its.system;
  const names = Array.from({ length: 9 }, (_, at) => `Site ${at}`);
  for (const Name of names) await api.ok('POST', '/locations', { Name });
  await page.goto(`${its.base}devices/new?address=127.0.0.1:9`);
  const search = page.getByPlaceholder('Find a Location');
  await search.fill('site 7');
  await page.getByRole('option', { name: /Site 7/ }).click();
  await page.getByRole('button', { name: 'Remove Site 7' }).waitFor();
  await page.getByText('from Site 7').waitFor();
  await search.press('Backspace');
  await page.getByText('none chosen: the default Locations').waitFor();
  expect(await violationsOf(page)).toBe('');
});
