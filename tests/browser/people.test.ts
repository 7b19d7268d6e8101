import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createApi } from '../harness/api.ts';
import { browserMissing, moveTo, violationsOf } from './browser.ts';
import { type Hands, keyboardOf, pointer } from './hands.ts';
import { adminKey, useBrowser } from './system.ts';

const its = useBrowser();
const password = 'correct horse battery';

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  for (const Name of ['berlin/rack-1', 'berlin/rack-2', 'oslo']) await api.ok('POST', '/tags', { Name });
  for (const [at, Tag] of ['berlin/rack-1', 'berlin/rack-2', 'oslo'].entries())
    await api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: '127.0.0.1:9',
      ShortName: `d${at}`,
      FullName: `Switch ${Tag}`,
      Tags: [Tag],
      Frequency: 60,
    });
});

/** Opens a screen by the menu of the account. */
async function openPlace(page: Page, { press }: Hands, name: string): Promise<void> {
  await press(page.getByRole('button', { name: 'Account' }));
  await press(page.getByRole('link', { name, exact: true }));
}

/** Reads the keys and people again: the screen does so when it is opened. */
async function openPeopleAgain(page: Page): Promise<void> {
  await moveTo(page, '/');
  await moveTo(page, '/people');
}

/** The invited person chooses a password at the link, is signed in by that, and sees what the scope leaves. */
async function accept(link: string): Promise<void> {
  const page = await its.open({ width: 390 });
  await page.goto(link);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByLabel('The same again').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await page.getByRole('link', { name: 'Switch berlin/rack-1' }).waitFor();
  await page.getByRole('link', { name: 'Switch berlin/rack-2' }).waitFor();
  expect(await page.getByRole('link', { name: /Switch/ }).count()).toBe(2);
  // Neither the menu nor a link shows keys and people.
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText('Signed in as').waitFor();
  expect(await page.getByRole('link', { name: 'Keys and people' }).count()).toBe(0);
  await moveTo(page, '/people');
  await page.getByText('Only a key or person of level UA').waitFor();
  expect(await violationsOf(page)).toBe('');
}

const ways: readonly { readonly way: string; readonly width: number; handsOf: (page: Page) => Hands }[] = [
  { way: 'with the keyboard alone', width: 1280, handsOf: keyboardOf },
  { way: 'with a pointer, 390 px wide', width: 390, handsOf: () => pointer },
];

test.each(ways)(
  'a colleague is invited with a scope and sees only that: $way',
  async ({ width, handsOf }) => {
    const page = await its.open({ width });
    await its.signIn(page, adminKey);
    await page.goto(its.base);
    const hands = handsOf(page);
    const { press, fill } = hands;
    const [name, email] = [`Ada ${width}`, `ada-${width}@example.org`];
    await openPlace(page, hands, 'Keys and people');
    await press(page.getByRole('button', { name: 'Invite a person' }));
    const dialog = page.getByRole('dialog', { name: 'Invite a person' });
    await fill(dialog.getByLabel('Name'), name);
    await fill(dialog.getByLabel('E-mail address'), 'no address');
    await fill(dialog.getByLabel('Only devices with these tags'), 'bergen/*');
    await dialog.getByText('There is no tag bergen/*.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create the invitation' }).isDisabled()).toBe(true);
    await fill(dialog.getByLabel('Only devices with these tags'), 'berlin/*');
    await dialog.getByText(`${name} may view and acknowledge only berlin/*.`).waitFor();
    expect(await violationsOf(page)).toBe('');
    await press(dialog.getByRole('button', { name: 'Create the invitation' }));
    // What the API refuses stands below its field, and the texts stay.
    await expect.poll(() => dialog.getByLabel('E-mail address').getAttribute('aria-invalid')).toBe('true');
    await fill(dialog.getByLabel('E-mail address'), email);
    await press(dialog.getByRole('button', { name: 'Create the invitation' }));
    const made = page.getByRole('dialog', { name: 'The invitation is ready' });
    const link = (await made.locator('pre').textContent()) ?? '';
    expect(link).toMatch(/^https:\/\/.+\/invitation\/[0-9a-f]{64}$/);
    expect(await violationsOf(page)).toBe('');
    await press(made.getByRole('button', { name: 'Done' }));
    const row = page.getByRole('listitem').filter({ hasText: email });
    await row.getByText('may view and acknowledge only berlin/*').waitFor();
    await row.getByText('invited, not accepted yet').waitFor();

    await accept(link);

    await openPeopleAgain(page);
    await row.getByText('signs in with a password').waitFor();
    await press(row.getByRole('link', { name: 'What they did' }));
    await page.getByRole('heading', { name: `What ${name} did` }).waitFor();
    await page.getByText('signed in').first().waitFor();
    expect(await violationsOf(page)).toBe('');
    await page.goBack();
    await press(row.getByRole('button', { name: `Change ${name}` }));
    await press(page.getByRole('button', { name: 'Delete this person' }).first());
    await page.getByText(`Delete ${name}?`).waitFor();
    expect(await violationsOf(page)).toBe('');
    await press(
      page.getByRole('dialog', { name: 'Delete this person' }).getByRole('button', { name: 'Delete' }),
    );
    await row.waitFor({ state: 'detached' });
    expect(its.problems.join('\n')).toBe('');
  },
);

test('a key is made, shown once, used, seen in the audit and revoked', async () => {
  const page = await its.open({ theme: 'dark' });
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await openPlace(page, pointer, 'Keys and people');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  await dialog.getByLabel('Name').fill('deploy');
  await dialog.getByRole('radio', { name: /^Change/ }).check();
  await dialog.getByLabel('Only devices with these tags').fill('oslo');
  await dialog.getByLabel('Ends').selectOption('in 90 days');
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  const made = page.getByRole('dialog', { name: 'The key is ready' });
  const key = (await made.locator('pre').first().textContent()) ?? '';
  await made.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'deploy' });
  await row.getByText('may change only oslo').waitFor();
  await row.getByText('never used').waitFor();
  await row.getByText(/^ends on 2/).waitFor();
  expect(await page.getByText(key).count()).toBe(0);

  const { base_url: baseUrl, ca_file: caFile } = its.system.quickstart();
  const api = createApi({ baseUrl, caFile, key });
  await api.ok('POST', '/devices', {
    Method: 'TCP',
    URL: '127.0.0.1:9',
    ShortName: 'extra',
    FullName: 'Door',
    Tags: ['oslo'],
  });
  await openPeopleAgain(page);
  await row.getByText('from 127.0.0.1').waitFor();
  await row.getByRole('link', { name: 'What it did' }).click();
  await page.getByText('created device').waitFor();
  await page.getByRole('link', { name: 'Door' }).waitFor();
  // A filter is the address, and says when nothing fits it.
  await page.getByLabel('Action').selectOption('deleted');
  await page.getByText('No entry matches these filters.').waitFor();
  expect(new URL(page.url()).search).toBe('?actor=deploy&action=Delete');
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('link', { name: 'Show everything' }).click();
  await page.getByText('The operator’s command line').first().waitFor();

  await moveTo(page, '/people');
  await row.getByRole('button', { name: 'Change deploy' }).click();
  await page.getByRole('button', { name: 'Revoke this key' }).click();
  const asked = page.getByRole('dialog', { name: 'Revoke this key' });
  await asked.getByText('Revoke deploy?').waitFor();
  await asked.getByRole('button', { name: 'Revoke this key' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await api.call('GET', '/devices')).body).toMatchObject({ code: 1001 });
  api.close();
  expect(its.problems.join('\n')).toBe('');
});

test('the account says what needs attention, shows what is used, and changes its zone', async () => {
  const page = await its.open({ width: 390 });
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await openPlace(page, pointer, 'Account and health');
  await page.getByRole('heading', { name: 'Vantage: 1 thing to fix' }).waitFor();
  await page.getByText('No backup was ever made.').waitFor();
  await page.getByText('3 of 10,000').waitFor();
  // The mail server has a form of its own.
  const settings = page.getByRole('region', { name: 'Settings' });
  await page.getByLabel('Time zone').fill('Nowhere/City');
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true');
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await settings.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect(await its.system.api.ok('GET', '/account')).toMatchObject({ Timezone: 'Europe/Berlin' });

  const viewer = await its.open();
  await its.signIn(viewer, its.system.quickstart().api_key_ur);
  await viewer.goto(`${its.base}account`);
  await viewer.getByText('sees the health of Vantage').waitFor();
  await viewer.getByText('Time zone: Europe/Berlin').waitFor();
  expect(await viewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
});
