import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../harness/target.ts';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

// Sentences of the page that must agree with the API: how messages went, whether a device is still there, what has just
// failed.

const its = useBrowser();
/** Each look costs the controller and the database. */
const soon = { timeout: 60_000, interval: 200 };
const created = z.object({ device_id: z.string() });
const attempt = z.object({ At: z.string(), Answer: z.string() });
const message = z.object({ State: z.string(), Attempts: z.array(attempt) });
const alerts = z.array(z.object({ alert_id: z.string(), Notifications: z.array(message) }));

/** Answers of the receiver, in their order; the last one repeats. */
const answers = [503, 503, 204];
let asked = 0;
const Secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    response.statusCode = answers[Math.min(asked, answers.length - 1)] ?? 204;
    asked += 1;
    response.end();
  });
});
let hook = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.int() }).parse(receiver.address());
  hook = `http://127.0.0.1:${port}/hook`;
});
afterAll(() => {
  receiver.close();
});

async function addDevice(ShortName: string, port = 9, more: object = {}): Promise<string> {
  const body = { Method: 'TCP', URL: `127.0.0.1:${port}`, ShortName, Frequency: 60, ...more };
  return created.parse(await its.system.api.ok('POST', '/devices', body)).device_id;
}

async function openAt(path: string): Promise<Page> {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}${path}`);
  return page;
}

test('the story of an alert and the messages of a contact show each attempt with its own time and answer', async () => {
  const { api } = its.system;
  const contact = z
    .object({ contact_id: z.string() })
    .parse(
      await api.ok('POST', '/contacts', { Name: 'Night desk', Type: 'webhook', Address: hook, Secret }),
    ).contact_id;
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const schedule = z
    .object({ nschedule_id: z.string() })
    .parse(await api.ok('POST', '/nschedules', { Name: 'Everybody', Steps })).nschedule_id;
  await api.ok('PUT', '/account', { nschedule_id: schedule });
  const id = await addDevice('told', 9, { Frequency: 1, Attempts: 1 });
  const readAlert = async () =>
    alerts.parse(await api.ok('GET', `/alerts?Device=${id}`)).find(({ Notifications }) => {
      const [first] = Notifications;
      return first?.State === 'Delivered' && first.Attempts.length === answers.length;
    });
  await expect.poll(readAlert, soon).toBeDefined();
  const alert = await readAlert();
  const attempts = alert?.Notifications[0]?.Attempts ?? [];
  const page = await openAt(`alerts/${alert?.alert_id}`);
  const story = page.getByRole('region', { name: 'What happened, who was notified' }).getByRole('listitem');
  await story.filter({ hasText: '204' }).waitFor();
  for (const [at, { At, Answer }] of attempts.entries()) {
    const line = story.filter({ has: page.locator(`time[datetime="${At}"]`) }).filter({ hasText: Answer });
    expect(await line.count(), Answer).toBeGreaterThan(0);
    const words = await line.allTextContents();
    expect(words.join(' ')).toContain(at === 2 ? 'delivered' : 'not delivered');
  }
  expect(await violationsOf(page)).toBe('');
  await page.goto(`${its.base}schedules/contacts/${contact}`);
  const row = page.getByRole('listitem').filter({ hasText: 'told' }).filter({ hasText: 'is Down' }).first();
  await row.waitFor();
  // The row shows the state with the time at which it was reached, and every attempt.
  await row.locator('summary').click();
  const ended = z
    .array(z.object({ alert_id: z.string().nullable(), Ended: z.string().nullable() }))
    .parse(await api.ok('GET', `/contacts/${contact}/deliveries`))
    .find(({ alert_id }) => alert_id === alert?.alert_id)?.Ended;
  await row
    .getByText(/^delivered,?/)
    .locator(`time[datetime="${ended}"]`)
    .waitFor();
  // Two attempts may have been made within one second, which the API writes as the same time.
  const lines = row.getByRole('listitem');
  await lines.nth(attempts.length - 1).waitFor();
  const shown: { At: string | null; Answer: string | null }[] = [];
  for (const line of await lines.all())
    shown.push({
      At: await line.locator('time').getAttribute('datetime'),
      Answer: await line.locator('bdi').textContent(),
    });
  expect(shown).toEqual(attempts);
  expect(await violationsOf(page)).toBe('');
});

test('a name of 950 characters has two lines, and the words after it are there: in the list of alerts and above its story', async () => {
  const FullName = 'Rack in the cellar '.repeat(50).trim();
  const id = await addDevice('wordy', 9, { FullName, Frequency: 1, Attempts: 1 });
  const readAlerts = async () => alerts.parse(await its.system.api.ok('GET', `/alerts?Device=${id}`));
  await expect.poll(async () => (await readAlerts()).length, soon).toBe(1);
  const page = await openAt(`alerts/${(await readAlerts())[0]?.alert_id}`);
  for (const words of [
    page.getByRole('link', { name: /^Rack in the cellar .*is Down$/ }),
    page.getByRole('heading', { level: 2, name: /^Rack in the cellar .*is Down$/ }),
  ]) {
    await words.waitFor();
    const { scrollHeight, clientHeight } = await words.evaluate((element) => ({
      scrollHeight: element.scrollHeight,
      clientHeight: element.clientHeight,
    }));
    // Nothing of it is cut off, and it is no higher than three lines.
    expect(scrollHeight).toBeLessThanOrEqual(clientHeight);
    expect(clientHeight).toBeLessThan(100);
  }
  expect(await violationsOf(page)).toBe('');
});

test('a device that is deleted says so on its open screen, and one that cannot be read again says how old it is', async () => {
  const [gone, old] = [await addDevice('gone'), await addDevice('old')];
  const page = await openAt(`devices/${gone}`);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await its.system.api.ok('DELETE', `/devices/${gone}`);
  await page.getByRole('heading', { level: 1, name: 'gone was deleted' }).waitFor();
  expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
  expect(await violationsOf(page)).toBe('');
  const other = await openAt(`devices/${old}`);
  await other.getByRole('button', { name: 'Pause' }).waitFor();
  const problem = { code: 1050, message: 'The database does not answer.' };
  await other.route(`**/v1.1/devices/${old}*`, (route) => route.fulfill({ status: 503, json: problem }));
  const notice = other.getByRole('status').filter({ hasText: 'The database does not answer.' });
  await notice.filter({ hasText: 'What is shown is from' }).waitFor({ timeout: 60_000 });
  expect(await violationsOf(other)).toBe('');
  await other.unroute(`**/v1.1/devices/${old}*`);
  await notice.getByRole('button', { name: 'Try again' }).click();
  await notice.waitFor({ state: 'detached' });
});

test('each outage is announced, also one that begins within ten seconds of the last sentence', async () => {
  await using first = await startTarget();
  await using second = await startTarget();
  const add = (name: string, port: number) => addDevice(name, port, { Frequency: 1, Attempts: 1 });
  await add('loud-1', first.port);
  await add('loud-2', second.port);
  const page = await openAt('devices?q=loud');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  for (const name of ['loud-1', 'loud-2'])
    await row(name).getByText('Up', { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByText('Live').waitFor();
  const announced = page.locator('body > [aria-live=polite]');
  await first.stop();
  await announced.getByText('loud-1 is Down.').waitFor({ timeout: 60_000 });
  await second.stop();
  await announced.getByText('loud-2 is Down.').waitFor({ timeout: 60_000 });
});

test('an answer of the controller ends the wait for the stream', async () => {
  const page = await its.open();
  await its.signIn(page);
  const stream = /events\?stream/;
  await page.clock.install();
  await page.route(stream, (route) => route.abort());
  await page.goto(`${its.base}devices`);
  const lost = page.getByText('The controller does not answer.');
  await lost.waitFor();
  // The waits grow, and then the page's clock stands: only a word of the controller can end one.
  const remaining = async () => {
    const words = (await page.getByText(/^Trying again in/).allTextContents()).join('');
    return Number(/(\d+)/.exec(words)?.[1] ?? 0);
  };
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return remaining();
    }, soon)
    .toBeGreaterThan(9);
  await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 100);
  expect(await remaining()).toBeGreaterThan(5);
  await page.unroute(stream);
  await page.getByRole('link', { name: 'Locations' }).click();
  await expect
    .poll(async () => {
      // The page works, in less time than is left.
      await page.clock.runFor(10);
      return lost.count();
    }, soon)
    .toBe(0);
  await page.context().close();
});
