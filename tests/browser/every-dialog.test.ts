import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, moveTo, violationsInBothThemes } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

// axe-core judges the screens of one thing each, all dialogs and all panels, in both themes.

const its = useBrowser();
const ids = new Map<string, string>();

async function create(path: string, id: string, body: object): Promise<string> {
  const made = z.looseObject({}).parse(await its.system.api.ok('POST', path, body));
  const value = z.string().parse(made[id]);
  ids.set(id, value);
  return value;
}

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  await create('/tags', 'tag_id', { Name: 'berlin/rack-1' });
  const device = { Method: 'TCP', URL: '127.0.0.1:9', FullName: 'Core router', Frequency: 1, Attempts: 1 };
  await create('/devices', 'device_id', { ...device, ShortName: 'core-0', Tags: ['berlin/rack-1'] });
  const contact = { Name: 'Night desk', Type: 'email', Address: 'night@example.org' };
  const contactId = await create('/contacts', 'contact_id', contact);
  const Steps = [{ DelayMinutes: 0, Contacts: [contactId] }];
  const nschedule_id = await create('/nschedules', 'nschedule_id', { Name: 'Always', Steps });
  await api.ok('PUT', '/account', { nschedule_id });
  await create('/mschedules', 'mschedule_id', {
    Name: 'Patch Sunday',
    Start: '2026-01-04T02:30',
    Duration: '02:00',
    Recurrence: 'FREQ=WEEKLY;BYDAY=SU',
  });
  await create('/pages', 'page_id', { Name: 'Services', Path: 'every-dialog' });
  await create('/secrets', 'secret_id', { Name: 'EVERY_DIALOG', Value: 'correct horse' });
  const agents = z.array(z.object({ agent_id: z.string(), location_id: z.string() }));
  const [agent] = agents.parse(await api.ok('GET', '/agents'));
  ids.set('agent_id', agent?.agent_id ?? '').set('location_id', agent?.location_id ?? '');
});

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const inRow = (name: string) => async (page: Page) => {
  await page.getByRole('checkbox', { name: /select all/ }).check();
  await page.getByRole('button', { name, exact: true }).click();
};

/** Addresses with the ids of things in braces, and what opens a dialog or panel there. */
const places: readonly (readonly [address: string, opened?: string, open?: (page: Page) => Promise<void>])[] =
  [
    ['/devices/{device_id}'],
    ['/devices/{device_id}', 'Add a note', button('Add a note')],
    ['/devices/{device_id}', 'Maintenance', button('Maintenance')],
    ['/devices/{device_id}', 'Copy as', button('Copy as…')],
    ['/devices/{device_id}', 'own range', button('Own…')],
    ['/devices/{device_id}/edit'],
    ['/devices/{device_id}/edit', 'delete', button('Delete this device')],
    ['/devices', 'views', button('Views')],
    ['/devices', 'columns', button('Columns')],
    ['/devices', 'export', button('Export')],
    ['/devices', 'change', inRow('Change …')],
    ['/devices', 'tags', inRow('Tags')],
    ['/devices', 'pause', inRow('Pause')],
    ['/devices', 'maintenance', inRow('Maintenance')],
    ['/devices', 'delete', inRow('Delete')],
    ['/alerts', 'snooze', button('Snooze until …')],
    ['/alerts', 'hand over', button('Hand over …')],
    ['/outages', 'note', button(/^Note/)],
    ['/', 'account menu', button('Account')],
    ['/locations', 'invite', button('Invite an agent')],
    ['/locations', 'new Location', button('New Location')],
    ['/locations/{location_id}'],
    ['/locations/agents/{agent_id}'],
    ['/schedules/{nschedule_id}'],
    ['/schedules/contacts/{contact_id}'],
    ['/schedules/maintenance/{mschedule_id}'],
    ['/schedules/maintenance', 'new window', button('New window')],
    ['/status-pages/{page_id}'],
    ['/reports', 'monthly', button('Send a report monthly')],
    ['/tags', 'add', button('Add a tag')],
    ['/tags', 'change', button(/^Change /)],
    ['/secrets', 'add', button('Add a secret')],
    ['/secrets', 'change', button(/^Change /)],
    ['/hooks', 'add', button('Add a hook')],
    ['/people', 'key', button('Create a key')],
    ['/people', 'invite', button('Invite a person')],
    ['/people', 'change a key', button(/^Change/)],
    ['/', 'palette', (page) => page.keyboard.press('Control+k')],
    ['/', 'keys', (page) => page.keyboard.press('?')],
    ['/wall'],
  ];

test('no screen of one thing, no dialog and no panel has a violation in either theme', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await page.getByText('is down').first().waitFor();
  const found: [string, string][] = [];
  for (const [template, opened = '', open] of places) {
    const address = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? '');
    await moveTo(page, '/password');
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await moveTo(page, address);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    await open?.(page);
    found.push([`${template} ${opened}`, await violationsInBothThemes(page)]);
    if ((await page.locator('dialog[open]').count()) > 0) {
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
  }
  expect(found.filter(([, violations]) => violations !== '')).toEqual([]);
}, 600_000);
