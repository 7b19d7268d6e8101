import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startAgent } from '../harness/more-agents.ts';
import { fleetWorld, manyAgents, manyLocations } from '../pictures/fleet-world.ts';
import { violationsInBothThemes } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

const its = useBrowser();

const openAt = async (path: string, key?: string): Promise<Page> => {
  const page = await its.open();
  await its.signIn(page, key);
  await page.goto(`${its.base}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

/** Creates a Location by the dialog, which opens it. */
async function create(page: Page, name: string): Promise<void> {
  await page.goto(`${its.base}locations`);
  await page.getByRole('button', { name: 'New Location' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create this Location' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

const invited = z.object({ agent_id: z.string(), Token: z.string() });

test('an agent is invited, connects, is renamed, moved, revoked and removed, and its Locations are deleted', async () => {
  const page = await openAt('locations');
  await create(page, 'Oslo');
  await create(page, 'Bergen');
  await page.goto(`${its.base}locations`);
  await page.getByRole('button', { name: 'Invite an agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Location', { exact: true }).selectOption('Oslo');
  await dialog.getByLabel('Name of the agent').fill('edge-1');
  await dialog.getByLabel('Address of this controller').fill('localhost');
  const answered = page.waitForResponse(
    (answer) => answer.url().endsWith('/agents/invitations') && answer.ok(),
  );
  await dialog.getByRole('button', { name: 'Create install command' }).click();
  const { agent_id, Token: token } = invited.parse(await (await answered).json());
  await dialog.getByText('localhost is this controller’s own machine').waitFor();
  await dialog.getByText('Waiting for edge-1').waitFor();
  await dialog.getByText(/1[45]:\d\d left/).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await using _agent = startAgent(its.system, 'Oslo', { name: 'edge-1', invited: { token, agent_id } });
  await dialog.getByText('edge-1 is connected').waitFor({ timeout: 60_000 });
  await dialog.getByText('No device is checked from this Location yet').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'edge-1' }).click();
  await page.getByRole('heading', { level: 1, name: 'edge-1' }).waitFor();
  await page.getByLabel('Name').fill('edge-2');
  await page.getByLabel('Location', { exact: true }).selectOption('Bergen');
  await page.getByText('Save moves it to Bergen').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'edge-2' }).waitFor();
  await page.getByRole('link', { name: 'Bergen' }).click();
  await page.getByRole('heading', { level: 1, name: 'Bergen' }).waitFor();
  // A Location with an agent is not deleted.
  await page.getByRole('button', { name: 'Delete this Location' }).click();
  await dialog.getByRole('button', { name: 'Delete this Location' }).click();
  await dialog.getByText(/cannot be deleted while these name it/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'edge-2' }).click();
  for (const words of ['Revoke this agent', 'Remove from the list']) {
    await page.getByRole('button', { name: words }).click();
    await dialog.getByRole('button', { name: words }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  for (const name of ['Oslo', 'Bergen']) {
    await page.getByRole('table').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('button', { name: 'Delete this Location' }).click();
    await dialog.getByRole('button', { name: 'Delete this Location' }).click();
    await page.getByRole('heading', { level: 1, name: /online/ }).waitFor();
  }
  expect(
    z.array(z.looseObject({ Name: z.string() })).parse(await its.system.api.ok('GET', '/locations')),
  ).toHaveLength(1);
  expect(its.problems).toEqual([]);
}, 180_000);

test('a Location gets anchors and another name, and they are stored as typed', async () => {
  const page = await openAt('locations');
  await create(page, 'Lab');
  await page.getByRole('button', { name: 'Add an anchor' }).click();
  await page.getByLabel('Anchor 1').fill('gateway');
  await page.getByLabel('IP address, or address:port').fill('nonsense');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/but "nonsense"/)
    .first()
    .waitFor();
  await page.getByLabel('IP address, or address:port').fill('192.0.2.1');
  await page.getByLabel('Networks behind it').fill('198.51.100.0/24, 203.0.113.0/24');
  await page.getByLabel('Name', { exact: true }).fill('Lab 2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lab 2' }).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  const id = page.url().split('/').at(-1) ?? '';
  expect(await its.system.api.ok('GET', `/locations/${id}`)).toMatchObject({
    Name: 'Lab 2',
    Anchors: [{ Name: 'gateway', Target: '192.0.2.1', Networks: ['198.51.100.0/24', '203.0.113.0/24'] }],
  });
  await its.system.api.ok('DELETE', `/locations/${id}`);
}, 120_000);

test('the fleet says what needs a person, sorts by a figure and finds an agent by its host', async () => {
  const page = await its.open();
  await its.signIn(page);
  await fleetWorld(page);
  await page.goto(`${its.base}locations`);
  await page
    .getByRole('heading', { level: 1, name: '5 of 6 Locations are online, Hamburg is offline' })
    .waitFor();
  for (const words of [
    'Hamburg is offline',
    'The clock of osl-a1 is 2.1 s behind',
    'rot-a1 is near its capacity',
  ])
    await page.getByRole('listitem').filter({ hasText: words }).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await page.getByRole('button', { name: 'Late, p99' }).click();
  await page.getByRole('rowheader').first().filter({ hasText: 'Rotterdam' }).waitFor();
  await page.getByRole('searchbox').fill('edge-6');
  await page.getByRole('rowheader').first().filter({ hasText: 'Oslo' }).waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(2);
  expect(new URL(page.url()).search).toBe('?q=edge-6&sort=-late');
});

test('of 1,000 Locations the first 100 are shown, and a word finds the last one', async () => {
  const page = await its.open({ width: 390 });
  await its.signIn(page);
  await manyLocations(page);
  await page.goto(`${its.base}locations`);
  await page.getByText('100 of 1,000 Locations are shown.').waitFor();
  await page.getByRole('searchbox').fill('site-998');
  await page.getByRole('link', { name: 'Site 998' }).waitFor();
  expect(await page.getByText('Locations are shown.').count()).toBe(0);
});

test('a key that only views sees the fleet and no button that changes it', async () => {
  const page = await openAt('locations', its.system.quickstart().api_key_ur);
  await page.getByRole('link', { name: 'local', exact: true }).first().click();
  await page.getByText('You can view Locations and agents, not change them.').waitFor();
  for (const name of [/Invite/, /Save/, /Delete/])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
});

const invite = async (name: string): Promise<string> => {
  const body = { Location: 'local', Name: name };
  return invited.parse(await its.system.api.ok('POST', '/agents/invitations', body)).agent_id;
};
const agentRow = z.object({ agent_id: z.string(), Location: z.string(), State: z.string() });

test('many agents are moved with an undo, then removed; each dialog says first what it does', async () => {
  const { api } = its.system;
  await api.ok('POST', '/locations', { Name: 'Turku' });
  const ids = [await invite('many-1'), await invite('many-2'), await invite('many-3')];
  const placesOf = async () =>
    z
      .array(agentRow)
      .parse(await api.ok('GET', '/agents'))
      .flatMap(({ agent_id, Location }) => (ids.includes(agent_id) ? [Location] : []));
  const page = await openAt('locations');
  await page.getByRole('searchbox').fill('many-');
  await page.getByRole('checkbox', { name: 'Select all 3 agents that match' }).check();
  const bar = page.getByRole('region', { name: 'Selected agents' });
  await bar.getByText('3 agents selected').waitFor();
  await bar.getByRole('button', { name: 'Move', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('To Location').selectOption('Turku');
  await dialog.getByText('3 agents reconnect within seconds').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await dialog.getByRole('button', { name: 'Move 3 agents to Turku' }).click();
  await page.getByText('3 agents moved to Turku').first().waitFor();
  await expect.poll(placesOf).toEqual(['Turku', 'Turku', 'Turku']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(placesOf).toEqual(['local', 'local', 'local']);
  await page.getByRole('checkbox', { name: 'Select many-1' }).check();
  await page.getByRole('checkbox', { name: 'Select many-2' }).check();
  await page.getByRole('searchbox').fill('many-1');
  await bar.getByText('1 of them is not shown by the filter').waitFor();
  await bar.getByRole('button', { name: 'Upgrade' }).click();
  // This controller has no release key, so the preview is refused with what to do.
  await dialog.getByLabel('Version').fill('9.9.9');
  await dialog.getByText(/release key|signed parcel/).waitFor();
  expect(await dialog.getByRole('button', { name: 'Upgrade 2 agents' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('2 invitations are cancelled').waitFor();
  await dialog.getByRole('button', { name: 'Remove 2 agents' }).click();
  await page.getByText('2 agents removed or revoked').waitFor();
  await expect.poll(placesOf).toEqual(['local']);
  await api.ok('DELETE', `/agents/${ids[2]}`);
  await api.ok('DELETE', `/agents/${ids[2]}`);
  expect(its.problems).toEqual([]);
}, 120_000);

test('of 200 agents those with an old version are found, selected by keyboard and upgraded in one rollout', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  await manyAgents(page);
  await page.goto(`${its.base}locations`);
  await page.getByLabel('Which Locations and agents').selectOption('upgrading');
  await page.getByRole('checkbox', { name: 'Select all 178 agents that match' }).waitFor();
  await page.getByLabel('Version', { exact: true }).selectOption({ label: '0.2.1 (20)' });
  await page.getByRole('checkbox', { name: 'Select all 20 agents that match' }).focus();
  await page.keyboard.press('Space');
  const bar = page.getByRole('region', { name: 'Selected agents' });
  await bar.getByText('20 agents selected').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('18 agents are upgraded in four stages').waitFor();
  await dialog.getByText('2 agents are left out').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await dialog.getByRole('button', { name: 'Upgrade 18 agents' }).click();
  await page.getByText('The upgrade of 18 agents to 0.3.0 began.').waitFor();
  await page.getByRole('link', { name: 'Open upgrades' }).click();
  await page.getByRole('heading', { level: 1, name: 'The upgrade to 0.3.0 is running' }).waitFor();
  await page.getByRole('list', { name: 'Stage 3 of 4: 98 agents may have begun' }).waitFor();
  await page.getByText('It stopped: agent ham-1 failed').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await page.getByRole('button', { name: 'Show all 200 agents' }).click();
  await page.getByRole('link', { name: /-199$/ }).waitFor();
  await page.goto(`${its.base}locations/quarantine`);
  await page.getByText('1,000 or more').waitFor();
  await page.getByText('12 are validated within a minute').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
});

test('a key below UA reads why the quarantine is closed to it', async () => {
  const page = await openAt('locations/quarantine');
  await page.getByText('A key or person of level UA').waitFor();
});
