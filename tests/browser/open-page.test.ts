import { expect, test } from 'vitest';
import { z } from 'zod';
import { runVantage } from '../harness/run-vantage.ts';
import { startTarget } from '../harness/target.ts';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

// What an open page shows when something happens to its session, its controller or its computer.

const its = useBrowser();
const created = z.object({ device_id: z.string() });
const issued = z.object({ key: z.string() });

async function operate(...args: string[]): Promise<unknown> {
  const { stdout } = await runVantage([...args, '--json'], { env: { VANTAGE_DATA: its.system.dataDir } });
  return JSON.parse(stdout);
}

async function addDevice(ShortName: string): Promise<string> {
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName, Frequency: 60 };
  return created.parse(await its.system.api.ok('POST', '/devices', body)).device_id;
}

test('a controller that is restarted: a page and a wall keep what they show, and what happened meanwhile comes', async () => {
  await using target = await startTarget();
  const { api } = its.system;
  const body = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: 'front', FullName: 'Front door' };
  await api.ok('POST', '/devices', { ...body, Frequency: 1 });
  const side = { ...body, ShortName: 'side', FullName: 'Side door', Frequency: 60 };
  const { device_id: id } = created.parse(await api.ok('POST', '/devices', side));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices`);
  await page.getByRole('link', { name: 'Side door' }).waitFor();
  await page.getByText('Live').waitFor();
  // Nobody signs in at a wall.
  const wall = await its.open();
  await wall.goto(`${its.base}wall#${its.system.quickstart().api_key_ur}`);
  await wall.getByRole('heading', { name: 'All quiet' }).waitFor();
  const { controller } = its.system.quickstart().pids;
  process.kill(controller, 'SIGKILL');
  await page
    .getByText(/No news|The controller does not answer/)
    .first()
    .waitFor();
  expect(await page.getByRole('link', { name: 'Side door' }).count()).toBe(1);
  await expect.poll(() => its.system.quickstart().pids.controller, { timeout: 60_000 }).not.toBe(controller);
  await target.stop();
  const pause = () =>
    api.ok('PUT', `/devices/${id}`, { Enabled: false }).then(
      () => true,
      () => false,
    );
  await expect.poll(pause, { timeout: 60_000, interval: 200 }).toBe(true);
  await page
    .getByRole('row', { name: /Side door/ })
    .getByText('Paused')
    .waitFor();
  await page.getByText('Live').waitFor();
  await page.getByText('The controller does not answer.').waitFor({ state: 'detached' });
  // It is the same version of the page.
  expect(await page.getByText('a newer version of this page').count()).toBe(0);
  await wall.getByRole('heading', { name: '1 down, 1 cause' }).waitFor({ timeout: 60_000 });
  await wall.getByRole('heading', { name: 'Front door' }).waitFor();
  await wall.getByText('connection refused').waitFor();
  expect(its.problems).toEqual([]);
});

test('a revoked key: the sign-in opens above what is shown, and another key goes on there', async () => {
  const name = 'revoked';
  const id = await addDevice(name);
  const { key } = issued.parse(await operate('keys', 'issue', '--level', 'UW', '--name', 'guest'));
  const page = await its.open();
  await its.signIn(page, key);
  await page.goto(`${its.base}devices/${id}/edit`);
  await page.getByLabel('Name', { exact: true }).fill('a name that is kept');
  await operate('keys', 'revoke', key.slice(0, 6));
  // The page may have noticed by itself: then the sign-in lies over the button.
  await page.getByRole('button', { name: 'Save' }).dispatchEvent('click');
  await page.getByText('Your session has ended').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Key, name or password is wrong').waitFor();
  await page.getByLabel('API key').fill(its.system.quickstart().api_key_uw);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('a name that is kept');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'a name that is kept' }).waitFor();
});

test('a page that the browser froze shows what happened meanwhile when it goes on', async () => {
  const id = await addDevice('frozen');
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices`);
  await page.getByRole('link', { name: 'frozen' }).waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await its.system.api.ok('PUT', `/devices/${id}`, { Enabled: false });
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  await page
    .getByRole('row', { name: /frozen/ })
    .getByText('Paused')
    .waitFor();
  await page.getByText('Live').waitFor();
  await page.context().close();
});
