import { expect, test } from 'vitest';
import { z } from 'zod';
import { moveTo, violationsOf } from './browser.ts';
import { keyboardOf } from './hands.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();
const created = z.object({ contact_id: z.string() });
const schedules = z.array(
  z.object({ nschedule_id: z.string(), Name: z.string(), Steps: z.array(z.unknown()) }),
);

async function makeContact(Name: string): Promise<string> {
  const body = { Name, Type: 'email', Address: 'noc@example.org' };
  return created.parse(await its.system.api.ok('POST', '/contacts', body)).contact_id;
}

test('by keyboard alone, a schedule is made and the server says who is notified, before and after it is stored', async () => {
  const [noc, chief] = [await makeContact('NOC'), await makeContact('Chief')];
  const page = await its.open();
  await its.signIn(page);
  await page.goto(its.base);
  const { press, fill } = keyboardOf(page);
  await press(page.getByRole('link', { name: 'Schedules' }));
  await page.getByText('There are no schedules yet').waitFor();
  await press(page.getByRole('link', { name: 'New schedule' }));
  await page.getByText('step 1 has no contact').waitFor();
  await fill(page.getByLabel('Name', { exact: true }), 'Night and day');
  await fill(page.getByLabel('Time zone'), 'Europe/Berlin');
  const choose = async (place: number, name: string) => {
    const list = page.getByLabel(`Add a contact to step ${place}`);
    await list.focus();
    await page.keyboard.type(name);
  };
  await choose(1, 'NOC');
  await press(page.getByRole('button', { name: 'Add a step' }));
  await choose(2, 'Chief');
  const second = page.getByRole('group', { name: 'Step 2' });
  await fill(second.getByLabel('Minutes after the alert'), '30');
  await fill(second.getByLabel('From', { exact: true }), '08:00');
  await fill(second.getByLabel('To', { exact: true }), '18:00');
  await page.getByLabel('Time of the alert').fill('2027-03-28T03:10');
  // The night in which the clocks go forward; nothing is stored yet.
  await page.getByText('A device is Down, Sunday 28 Mar at 03:10: these are notified').waitFor();
  await page.getByText('Sun 03:10, at once: NOC.').waitFor();
  await page.getByText('Sun 08:00, after 4 h 50 min: Chief.').waitFor();
  await page.getByText('which is not saved yet').waitFor();
  expect(await its.system.api.ok('GET', '/nschedules')).toEqual([]);
  expect(await violationsOf(page)).toBe('');
  await press(page.getByRole('button', { name: 'Create this schedule' }));
  await page.getByRole('heading', { level: 1, name: 'Night and day' }).waitFor();
  await page.getByText(/the account, as its default: \d+ devices? without a schedule/).waitFor();
  const [stored] = schedules.parse(await its.system.api.ok('GET', '/nschedules'));
  expect(stored?.Steps).toEqual([
    { DelayMinutes: 0, Contacts: [noc] },
    { DelayMinutes: 30, Contacts: [chief], From: '08:00', To: '18:00' },
  ]);
  expect(its.problems).toEqual([]);
});

test('the answer is also about other kinds: Up goes to those who heard of Down, others have their own severity', async () => {
  const quiet = { Name: 'Quiet', Type: 'email', Address: 'quiet@example.org', Notify: ['device.down'] };
  const { contact_id: quietId } = created.parse(await its.system.api.ok('POST', '/contacts', quiet));
  const Contacts = [await makeContact('Desk'), quietId];
  const Steps = [
    { DelayMinutes: 0, Contacts, RepeatMinutes: 60 },
    { DelayMinutes: 30, Contacts: [await makeContact('Notes')], Severities: ['info'] },
  ];
  const { nschedule_id } = z
    .object({ nschedule_id: z.string() })
    .parse(await its.system.api.ok('POST', '/nschedules', { Name: 'Kinds', Steps }));
  const page = await its.open({ width: 390 });
  await its.signIn(page);
  await page.goto(`${its.base}schedules/${nschedule_id}`);
  await page.getByText(/at once: Desk, Quiet\./).waitFor();
  const kind = page.getByLabel('What happens');
  await kind.selectOption('A device is Up again');
  await page.getByText('At once, at any hour: Desk.').waitFor();
  await page.getByText('Not Quiet: Notify of the contact does not have device.up.').waitFor();
  await page.getByText('only if it was notified of Down before').waitFor();
  expect(await violationsOf(page)).toBe('');
  await kind.selectOption('A certificate ends soon');
  await page.getByText(/A certificate ends soon, .*: these are notified/).waitFor();
  await page.getByText(/at once: Desk\./).waitFor();
  // It is about one moment, so nothing is repeated.
  expect(await page.getByText(/, again:/).count()).toBe(0);
  await kind.selectOption('Late results arrive');
  // They are of severity info, whatever the severity of a device is.
  await page.getByText(/after 30 min: Notes\./).waitFor();
  expect(await page.getByRole('button', { name: 'critical', exact: true }).count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await its.system.api.ok('DELETE', `/nschedules/${nschedule_id}`);
  expect(its.problems).toEqual([]);
});

test('a wrong field says what is accepted below it, and a schedule in use is not deleted', async () => {
  const contact = await makeContact('Ops');
  const body = { Name: 'Ops', Steps: [{ DelayMinutes: 0, Contacts: [contact] }] };
  const { nschedule_id } = z
    .object({ nschedule_id: z.string() })
    .parse(await its.system.api.ok('POST', '/nschedules', body));
  const device = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'router', nschedule_id, Frequency: 60 };
  await its.system.api.ok('POST', '/devices', device);
  const page = await its.open({ theme: 'dark', width: 390 });
  await its.signIn(page);
  await page.goto(`${its.base}schedules/${nschedule_id}`);
  await page.getByRole('link', { name: 'router' }).waitFor();
  await page.getByLabel('Minutes after the alert').fill('soon');
  await page.getByLabel('From', { exact: true }).fill('8 o’clock');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/must be a time of day as HH:MM/)
    .first()
    .waitFor();
  // The preview says so before the refusal of Save arrives.
  const invalid = () => page.getByLabel('Minutes after the alert').getAttribute('aria-invalid');
  await expect.poll(invalid, { timeout: 30_000 }).toBe('true');
  expect(await violationsOf(page)).toBe('');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  expect(await page.getByLabel('Minutes after the alert').inputValue()).toBe('0');
  await page.getByRole('button', { name: 'Delete this schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Delete the schedule Ops?').waitFor();
  await dialog.getByRole('button', { name: 'Delete this schedule' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/router/)
    .waitFor();
  expect(await violationsOf(page)).toBe('');
});

test('the schedule of the account says so, with the number of devices that have none of their own', async () => {
  const { api } = its.system;
  const made = z
    .object({ nschedule_id: z.string() })
    .parse(await api.ok('POST', '/nschedules', { Name: 'Default of all', Steps: [] }));
  await api.ok('PUT', '/account', { nschedule_id: made.nschedule_id });
  const device = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'plain', Frequency: 60 };
  const { device_id } = z.object({ device_id: z.string() }).parse(await api.ok('POST', '/devices', device));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}schedules`);
  const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Default of all' }) });
  await row.getByText('Used by account (default, for 1 device)').waitFor();
  await row.getByRole('link').click();
  await page.getByText('the account, as its default: 1 device without a schedule of their own').waitFor();
  await api.ok('PUT', '/account', { nschedule_id: null });
  await api.ok('DELETE', `/devices/${device_id}`);
  await api.ok('DELETE', `/nschedules/${made.nschedule_id}`);
});

test('who only views reads the steps and the answer, and finds neither a field nor a button', async () => {
  const page = await its.open();
  await its.signIn(page, its.system.quickstart().api_key_ur);
  await page.goto(`${its.base}schedules`);
  await page.getByRole('link', { name: 'Ops' }).click();
  await page.getByText('at once: Ops').first().waitFor();
  await page.getByText(/at once: Ops\./).waitFor();
  expect(await page.getByRole('button', { name: /Save|Delete|Add/ }).count()).toBe(0);
  await moveTo(page, '/schedules/new');
  await page.getByText('You can view, not change.').waitFor();
  expect(await violationsOf(page)).toBe('');
});
