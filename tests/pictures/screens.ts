import type { Page } from 'playwright-core';
import type { Planned } from './planned.ts';
import type { Made } from './worlds.ts';

/** A screen, and what is pressed on it before the picture. */
export type Screen = readonly [name: string, path: string, press?: (page: Page) => Promise<unknown>];

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const plan = 'schedules/maintenance';

/** The screens of those who watch. */
export const watching: readonly Screen[] = [
  ['overview', ''],
  ['devices', 'devices'],
  ['alerts', 'alerts'],
  ['outages', 'outages'],
  ['events', 'events'],
  ['locations', 'locations'],
  ['upgrades', 'locations/upgrades'],
  ['wall', 'wall'],
];

const firstAlert = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('link', { name: /is Down|is offline/ })
    .first()
    .click();

/** An alert with its story, and the palette. */
export const looking: readonly Screen[] = [
  ['alert', 'alerts', firstAlert],
  ['palette', '', (page) => page.keyboard.press('Control+k')],
  [
    'palette-found',
    '',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ber');
    },
  ],
];

/** Lists that begin empty. */
export const lists: readonly Screen[] = [
  ['schedules', 'schedules'],
  ['contacts', 'schedules/contacts'],
  ['calendar-week', plan],
  ['report', 'reports'],
  ['status-pages', 'status-pages'],
  ['people', 'people'],
  ['tags', 'tags'],
  ['secrets', 'secrets'],
  ['hooks', 'hooks'],
  ['account', 'account'],
  ['password', 'password'],
  ['audit', 'audit'],
];

/** Opens the dialog for the maintenance of a device. */
export const maintain = button('Maintenance');

/** The screens of one device: its axis, an opened check, and its form. */
export const deviceScreens = (device: string): readonly Screen[] => [
  ['device', `devices/${device}`],
  ['device-check', `devices/${device}`, (page) => page.locator('button[aria-expanded]').last().click()],
  ['device-note', `devices/${device}`, button('Add a note')],
  ['device-maintenance', `devices/${device}`, maintain],
  ['edit', `devices/${device}/edit`],
];

const selectFirst = (page: Page) => page.getByRole('row').getByRole('checkbox').nth(1).check();
const change = (name: string) => async (page: Page) => {
  await selectFirst(page);
  await page.getByRole('button', { name, exact: true }).click();
};

/** The screens of those who add and repair devices. */
export const repairing = ({ devices: [first = '', , , , , , shop = ''] }: Made): readonly Screen[] => [
  ['device-down', `devices/${first}`],
  ...deviceScreens(shop),
  ['add', 'devices/new?address=192.0.2.1:25'],
  [
    'add-tried',
    'devices/new?address=127.0.0.1:9',
    async (page) => {
      await page.getByRole('button', { name: /^Try/ }).click();
      await page
        .getByText(/refused/)
        .first()
        .waitFor();
    },
  ],
  ['add-many', 'devices/new/many'],
  ['add-many-import', 'devices/new/many', importGatus],
  ['devices-selected', 'devices', selectFirst],
  ['devices-pause', 'devices', change('Pause')],
  ['devices-change', 'devices', change('Change …')],
  ['devices-tags', 'devices', change('Tags')],
  ['devices-columns', 'devices', button('Columns')],
  ['alerts-closed', 'alerts?state=closed'],
  ['account-menu', '', button('Account')],
  ['keys', '', (page) => page.keyboard.press('?')],
  [
    'checklist',
    '',
    (page) =>
      page
        .getByText(/First steps|of 6/)
        .first()
        .scrollIntoViewIfNeeded(),
  ],
];

/** The first Location and its first agent. */
export const fleetScreens = (location: string, agent: string): readonly Screen[] => [
  ['location', `locations/${location}`],
  ['agent', `locations/agents/${agent}`],
  ['location-new', 'locations', button('New Location')],
  ['invite', 'locations', button('Invite an agent')],
];

const selectAgents = (page: Page) => page.getByRole('checkbox', { name: /^Select all/ }).check();
const changeAgents = (name: string) => async (page: Page) => {
  await selectAgents(page);
  await page.getByRole('button', { name, exact: true }).click();
};

/** Many agents, their changes, a rollout and the quarantine. */
export const manyAgentScreens: readonly Screen[] = [
  ['locations', 'locations'],
  ['locations-old', 'locations?state=old&sort=-late'],
  ['locations-selected', 'locations', selectAgents],
  ['agents-upgrade', 'locations?version=0.2.1', changeAgents('Upgrade')],
  [
    'agents-move',
    'locations?version=0.2.1',
    async (page) => {
      await changeAgents('Move')(page);
      await page.getByLabel('To Location').selectOption('Oslo');
    },
  ],
  ['agents-remove', 'locations?version=0.2.1', changeAgents('Remove')],
  ['upgrades', 'locations/upgrades'],
  ['quarantine', 'locations/quarantine'],
];

const gatus = `endpoints:
  - { name: shop, group: web, url: "https://shop.example.org/", interval: 45s, headers: { Authorization: Bearer x },
      conditions: ["[STATUS] == 200"], alerts: [{ type: slack }] }
  - { name: clock, url: "sctp://ntp.example.org:123", conditions: ["[CONNECTED] == true"] }
  - { name: db, url: "tcp://db.example.org:5432", conditions: ["[CONNECTED] == true"] }
`;

/** Reads a file of another tool. */
export async function importGatus(page: Page): Promise<void> {
  await page.getByLabel('Where the file is from').selectOption('gatus');
  await page
    .getByLabel('Files, together')
    .setInputFiles({ name: 'config.yaml', mimeType: 'text/yaml', buffer: Buffer.from(gatus) });
  await page.getByRole('button', { name: 'Read the files' }).click();
  await page.getByText('3 endpoints read').waitFor();
}

/** The screens of those who plan, account and share. */
export const planning = ({ schedule, contact, recurring, page }: Planned): readonly Screen[] => [
  ...lists,
  ['schedule', `schedules/${schedule}`],
  ['schedule-new', 'schedules/new'],
  ['calendar-month', `${plan}?view=month`],
  ['calendar-day', `${plan}?view=day`],
  ['calendar-plan', plan, button('New window')],
  ['recurring', `${plan}/${recurring}`],
  ['contact', `schedules/contacts/${contact}`],
  ['contact-new', 'schedules/contacts/new'],
  ['status-page', `status-pages/${page}`],
  ['status-page-new', 'status-pages/new'],
  ['people-invite', 'people', button('Invite a person')],
  ['people-key', 'people', button('Create a key')],
  ['tag-change', 'tags', button(/^Change /)],
  ['secret-add', 'secrets', button('Add a secret')],
  ['hook-add', 'hooks', button('Add a hook')],
  ['public', 'status/customers'],
];
