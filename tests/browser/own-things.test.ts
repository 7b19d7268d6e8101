import { createServer } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { browserMissing, moveTo, violationsOf } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

const its = useBrowser();
const password = 'correct horse battery';

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  await api.ok('POST', '/tags', { Name: 'berlin' });
  await api.ok('POST', '/devices', {
    Method: 'TCP',
    URL: '127.0.0.1:9',
    ShortName: 'gate',
    FullName: 'Gate of Berlin',
    Tags: ['berlin'],
    Frequency: 60,
  });
});

test('a tag is added, renamed with its devices, and deleted', async () => {
  const page = await its.open({ width: 390 });
  await its.signIn(page);
  await page.goto(its.base);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await page.getByRole('heading', { name: '1 tag' }).waitFor();
  await page.getByRole('button', { name: 'Add a tag' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('oslo');
  await page.getByRole('dialog').getByRole('button', { name: 'Add the tag' }).click();
  await page.getByRole('listitem').filter({ hasText: 'oslo' }).getByText('no device').waitFor();
  await page.getByRole('button', { name: 'Change berlin' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change berlin' });
  await dialog.getByRole('link', { name: 'Gate of Berlin' }).waitFor();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByLabel('Name').fill('berlin/gates');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const renamed = page.getByRole('listitem').filter({ hasText: 'berlin/gates' });
  await renamed.getByText('1 device').waitFor();
  await renamed.getByRole('link', { name: 'berlin/gates' }).click();
  await page.getByRole('link', { name: 'Gate of Berlin' }).waitFor();
  await moveTo(page, '/tags');
  await page.getByRole('button', { name: 'Change berlin/gates' }).click();
  await page.getByRole('button', { name: 'Delete this tag' }).click();
  const asked = page.getByRole('dialog', { name: 'Delete this tag' });
  await asked.getByText('Delete berlin/gates? 1 device loses it and stays.').waitFor();
  await asked.getByRole('button', { name: 'Delete this tag' }).click();
  await renamed.waitFor({ state: 'detached' });
  expect(await its.system.api.ok('GET', '/devices')).toMatchObject([{ ShortName: 'gate' }]);
  expect(its.problems.join('\n')).toBe('');
});

test('a secret is added, says which device uses it, and cannot be deleted meanwhile', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}secrets`);
  await page.getByRole('button', { name: 'Add a secret' }).click();
  const added = page.getByRole('dialog', { name: 'Add a secret' });
  await added.getByLabel('Name').fill('DB_PASS');
  await added.getByLabel('Value', { exact: true }).fill('hunter2 hunter2');
  await added.getByRole('button', { name: 'Add the secret' }).click();
  await page.getByRole('heading', { name: '1 secret' }).waitFor();
  const { api } = its.system;
  await api.ok('POST', '/devices', {
    Method: 'HTTP',
    URL: 'http://127.0.0.1:9/',
    ShortName: 'database',
    Options: { User: 'me', Password: ['$', '{secret:DB_PASS}'].join('') },
    Frequency: 60,
  });
  await page.getByRole('button', { name: 'Change DB_PASS' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change DB_PASS' });
  await dialog.getByRole('link', { name: 'database' }).waitFor();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Delete this secret' }).click();
  const asked = page.getByRole('dialog', { name: 'Delete this secret' });
  await asked.getByRole('button', { name: 'Delete this secret' }).click();
  await asked.getByText('Devices refer to this secret: database').waitFor();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByLabel('New value').fill('another value');
  await dialog.getByRole('button', { name: 'Set the new value' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(its.problems.join('\n')).toBe('');
});

test('a hook is added with a generated secret, gets the chosen events, and is deleted', async () => {
  const received = Promise.withResolvers<string>();
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => received.resolve(text));
    request.on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}hooks`);
  await page.getByRole('button', { name: 'Add a hook' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a hook' });
  await dialog.getByLabel('Name').fill('Warehouse');
  await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/events`);
  await dialog.getByRole('button', { name: 'Generate a secret' }).click();
  await dialog.getByText('The generated secret').first().waitFor();
  await dialog.getByRole('radio', { name: 'only these' }).check();
  for (const type of ['Down', 'Up'])
    await dialog.getByRole('checkbox', { name: type, exact: true }).uncheck();
  await dialog.getByText('Choose at least one type of events.').waitFor();
  await dialog.getByRole('checkbox', { name: 'Created' }).check();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Add the hook' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'Warehouse' });
  await row.getByText('Created').waitFor();
  const device = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'told', Frequency: 60 };
  await its.system.api.ok('POST', '/devices', device);
  expect(await received.promise).toContain('told');
  await page.getByRole('button', { name: 'Change Warehouse' }).click();
  const change = page.getByRole('dialog', { name: 'Change Warehouse' });
  await change.getByLabel('Name').fill('Data warehouse');
  await change.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change Data warehouse' }).click();
  await page.getByRole('button', { name: 'Delete this hook' }).click();
  const asked = page.getByRole('dialog', { name: 'Delete this hook' });
  await asked.getByRole('button', { name: 'Delete this hook' }).click();
  await page.getByText('There is no hook yet.').waitFor();
  receiver.close();
  expect(its.problems.join('\n')).toBe('');
});

test('a person changes the own password; a key has none to change', async () => {
  const admin = await its.open();
  await its.signIn(admin, adminKey);
  await admin.goto(`${its.base}people`);
  await admin.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('Name').fill('Grace');
  await dialog.getByLabel('E-mail address').fill('grace@example.org');
  await dialog.getByRole('button', { name: 'Create the invitation' }).click();
  const link = await admin
    .getByRole('dialog', { name: 'The invitation is ready' })
    .locator('pre')
    .textContent();
  await moveTo(admin, '/password');
  await admin.getByText('there is no password to change here').waitFor();

  const page = await its.open({ width: 390 });
  await page.goto(link ?? '');
  await page.getByLabel(/^Password/).fill(password);
  await page.getByLabel('The same again').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Change password' }).click();
  await page.getByLabel('Present password').fill('not the password');
  await page.getByLabel('New password', { exact: true }).fill('a much better password');
  await page.getByLabel('The new password again').fill('another one');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The two new passwords differ.').waitFor();
  await page.getByLabel('The new password again').fill('a much better password');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('is wrong').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('Present password').fill(password);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The password is changed.').waitFor();
  expect(its.problems.join('\n')).toBe('');
});
