import { createKumaDatabase } from '@vantage/imports/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { importGatus } from '../pictures/screens.ts';
import { moveTo, violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// Files of other tools on the page.

const its = useBrowser();

test("another tool's file is read, its secret asked for, its devices added, and all of it undone", async () => {
  const { api } = its.system;
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/new/many`);
  await importGatus(page);
  await page.getByText('3 endpoints read: 2 devices, 1 not taken over').waitFor();
  await page.getByText(/^clock: /).waitFor();
  await page.getByText('Taken over in part: 1').click();
  await page.getByText('shop: its alerts').waitFor();
  await page.getByText('Rounded: 1').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await page.getByLabel(/Headers.Authorization of "shop"/).fill('Bearer correct-horse');
  await page.getByRole('button', { name: 'Store 1 secret' }).click();
  await page.getByText('shop.Headers.Authorization is stored').waitFor();
  await page.getByRole('button', { name: 'Add 2 devices' }).click();
  await page.getByText('2 devices imported').waitFor();
  await page.getByRole('link', { name: 'shop' }).first().waitFor();
  const keys = z.array(z.object({ ExternalKey: z.string().nullable() }));
  const stored = async () =>
    keys
      .parse(await api.ok('GET', '/devices'))
      .flatMap(({ ExternalKey }) => (ExternalKey === null ? [] : [ExternalKey]));
  expect(await stored()).toHaveLength(2);
  await page.keyboard.press('z');
  await expect.poll(stored).toEqual([]);
  // A damaged database is named with what to do instead, and nothing is sent.
  await moveTo(page, '/devices/new/many');
  await page.getByLabel('Where the file is from').selectOption('uptime-kuma');
  await page.getByLabel('Files, together').setInputFiles({
    name: 'kuma.db',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('SQLite format 3\0'),
  });
  await page.getByRole('button', { name: 'Read the files' }).click();
  await page.getByText('The database cannot be read: it is no SQLite database.').waitFor();
  using kuma = createKumaDatabase(2);
  kuma.insert('monitor', { id: 3, name: 'Intranet', type: 'http', url: 'https://intranet.example/' });
  kuma.insert('heartbeat', { monitor_id: 3, status: 1, msg: 'x'.repeat(5_000), time: '2026-01-01' });
  await page.getByLabel('Files, together').setInputFiles(kuma.file);
  await page.getByRole('button', { name: 'Read the files' }).click();
  await page.getByText('1 monitor read: 1 device').waitFor();
  await page.getByRole('button', { name: 'Add 1 device' }).waitFor();
  expect(its.problems.join('\n')).toBe('');
});
