import { listen, serveDirectory } from '@vantage/probes/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// The forms of UDP, NTP, LDAP, RADIUS, SIP and Domain come from their Options; a trial runs one of them.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

test.each([
  [
    'UDP',
    '127.0.0.1:9',
    'ExpectText',
    ['Answer contains', 'Answer contains bytes, hex', 'An answer is required'],
  ],
  [
    'NTP',
    '127.0.0.1',
    'MaxOffsetMs',
    ['Offset at most, ms', 'Stratum at most', 'Root dispersion at most, ms'],
  ],
  ['RADIUS', '127.0.0.1', 'Secret', ['Shared secret', 'User', 'Password']],
  ['SIP', '127.0.0.1', 'Transport', ['Transport', 'Address family']],
  [
    'Domain',
    'domain:example.org',
    'MinDaysLeft',
    ['Days left at least', 'Registrar contains', 'Name servers are'],
  ],
])('the form of %s has its Options in words', async (Method, URL, field, labels) => {
  const device = { Method, URL, ShortName: 'a', Frequency: 60, Enabled: false };
  const { device_id } = created.parse(await its.system.api.ok('POST', '/devices', device));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/${device_id}/edit?field=Options.${field}`);
  for (const label of labels) await page.getByLabel(label, { exact: true }).first().waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
});

test('a directory server is added by its address, tried and saved', async () => {
  await using server = await listen(serveDirectory({ entries: [{ name: 'uid=ann,dc=example' }] }));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/new?address=ldap://${server.target}`);
  await page.getByText('LDAP, because the address starts with ldap://').waitFor();
  await page.locator('summary', { hasText: 'What is sent' }).click();
  await page.getByLabel('Base of the search').fill('dc=example');
  await page.getByLabel('Filter of the search').fill('(uid=ann)');
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Try it' }).click();
  await trial.getByText('anonymous bind accepted, 1 entry found').first().waitFor();
  await page.getByRole('button', { name: /^(Save|Add this)/ }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  const list = z.array(z.object({ Method: z.string(), URL: z.string() }));
  expect(list.parse(await its.system.api.ok('GET', '/devices?Method=LDAP'))).toMatchObject([
    { Method: 'LDAP', URL: server.target },
  ]);
});
