import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { browserMissing, moveTo, violationsOf } from './browser.ts';
import { type Hands, keyboardOf, pointer } from './hands.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  for (const Name of ['shop/web', 'shop/mail', 'inside']) await api.ok('POST', '/tags', { Name });
  for (const [at, Tag] of ['shop/web', 'shop/mail', 'inside'].entries())
    await api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: '127.0.0.1:9',
      ShortName: `d${at}`,
      FullName: `Server ${Tag}`,
      Tags: [Tag],
      Frequency: 60,
    });
});

const ways: readonly {
  readonly way: string;
  readonly width: number;
  readonly theme: 'light' | 'dark';
  readonly handsOf: (page: Page) => Hands;
}[] = [
  { way: 'with the keyboard alone', width: 1280, theme: 'light', handsOf: keyboardOf },
  { way: 'with a pointer, 390 px wide', width: 390, theme: 'dark', handsOf: () => pointer },
];

/** Gives the page a logo, colours and a footer; a colour that cannot be read is refused beside its field. */
async function dress(page: Page, { press, fill, tick }: Hands): Promise<void> {
  await page
    .getByLabel('Logo', { exact: true })
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') });
  await page.getByText('This file is not an image').waitFor();
  await page
    .getByLabel('Logo', { exact: true })
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await page.screenshot() });
  await page.getByRole('img', { name: 'The logo' }).waitFor();
  await tick(page.getByLabel('our own colours'));
  // The window in which a colour is picked is the browser's own.
  await page.getByLabel('Colour on light').fill('#ffd400');
  await fill(page.getByLabel('Footer'), 'Example Ltd., https://example.org/contact');
  await press(page.getByRole('button', { name: 'Create the page' }));
  await page.getByText(/has a contrast of 1\.\d:1 .*#fbfbfa/).waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('Colour on light').fill('#a3123f');
}

/** Creates a page for the customers of the shop. */
async function make(page: Page, hands: Hands, width: number): Promise<void> {
  const { press, fill } = hands;
  await press(page.getByRole('button', { name: 'Account' }));
  await press(page.getByRole('link', { name: 'Status pages' }));
  await page.getByText('There are no status pages yet.').waitFor();
  await press(page.getByRole('link', { name: 'Create a status page' }));
  await fill(page.getByLabel('Name', { exact: true }), `Our <b>Customers ${width}`);
  await expect
    .poll(() => page.getByLabel('Address', { exact: true }).inputValue())
    .toBe(`our-b-customers-${width}`);
  await fill(page.getByLabel('Devices with these tags'), 'shop/*');
  await page.getByText('It shows 2 devices now.').waitFor();
  await dress(page, hands);
  await press(page.getByRole('button', { name: 'Create the page' }));
  await page.getByRole('heading', { name: `Status page Our <b>Customers ${width}` }).waitFor();
}

/** Opens an incident and closes it; a reader without a key sees both, and nothing of what has another tag. */
async function tell(page: Page, reader: Page, { press, fill }: Hands): Promise<void> {
  const shown = async (text: string) => {
    // What stands behind a tag is the same in HTML.
    const end = text.split('>').at(-1) ?? text;
    const read = async () => (await reader.request.get(address)).text();
    await expect.poll(read, { timeout: 60_000, interval: 1_000 }).toContain(end);
    await reader.goto(address);
    expect(await reader.getByText(text).count()).toBe(1);
  };
  const address = (await page.getByRole('link', { name: /^Open the page/ }).getAttribute('href')) ?? '';
  await page.getByText('No incident is open').waitFor();
  // The first words of an incident are there; the preview shows what readers will see.
  const text = page.getByLabel('Text for the readers');
  await expect.poll(() => text.inputValue()).toContain('We are looking into a problem.');
  await fill(text, 'The shop <i>is</i> slow.');
  const preview = page.getByRole('region', { name: 'As readers see it' });
  await preview.getByText('The shop <i>is</i> slow.').waitFor();
  await press(page.getByRole('button', { name: 'Publish the note' }));
  await page.getByText('An incident is open').waitFor();
  expect(await violationsOf(page)).toBe('');
  await shown('The shop <i>is</i> slow.');
  await reader.getByText('Server shop/web').first().waitFor();
  expect(await reader.getByText('Server inside').count()).toBe(0);
  await reader.getByRole('link', { name: 'https://example.org/contact' }).waitFor();
  expect(await reader.evaluate(`document.querySelector('main img').naturalHeight`)).toBeGreaterThan(30);
  const size = await (await reader.request.get(address)).body();
  expect(size.length).toBeLessThan(20_000);
  expect(await violationsOf(reader)).toBe('');
  await page.getByLabel('Kind').selectOption('Resolved');
  await expect.poll(() => text.inputValue()).toContain('The problem is resolved.');
  await press(page.getByRole('button', { name: 'Publish the note' }));
  await page.getByText('No incident is open').waitFor();
  await shown('The problem is resolved.');
}

/** Closes the page with a password, and deletes it. */
async function close(page: Page, { press, fill }: Hands): Promise<void> {
  await page.getByLabel('Who may read it').selectOption('Password');
  await press(page.getByRole('button', { name: 'Save' }));
  // What the API refuses stands below its field.
  await page.getByText('is required for the Access Password').waitFor();
  await fill(page.getByLabel('Password of the page'), 'see-our-status');
  await press(page.getByRole('button', { name: 'Save' }));
  await page.getByText('Saved. Readers see it').waitFor();
  expect(await violationsOf(page)).toBe('');
  await moveTo(page, '/status-pages');
  await page.getByText('people with its password may read it').waitFor();
  await page.getByText('devices tagged shop/*').waitFor();
  expect(await violationsOf(page)).toBe('');
  await press(page.getByRole('link', { name: /^Edit Our/ }));
  await press(page.getByRole('button', { name: 'Delete this page' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Delete this page' }));
  await page.getByText('There are no status pages yet.').waitFor();
}

test.each(ways)(
  'a page is made for customers, an incident is opened with a note and closed: $way',
  async ({ width, theme, handsOf }) => {
    const page = await its.open({ width, theme });
    const reader = await its.open({ width, theme });
    await its.signIn(page);
    await page.goto(its.base);
    const hands = handsOf(page);
    await make(page, hands, width);
    await tell(page, reader, hands);
    await close(page, hands);
    expect(its.problems.join('\n')).toBe('');
  },
);

test('a page that somebody else changed meanwhile is not overwritten, and who only views changes none', async () => {
  const { api } = its.system;
  const { page_id: id } = (await api.ok('POST', '/pages', { Name: 'Both', Path: 'both' })) as {
    page_id: string;
  };
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}status-pages/${id}`);
  await page.getByText('No incident is open').waitFor();
  const At = '2026-02-25T09:30:00Z';
  await api.ok('PUT', `/pages/${id}`, { Notes: [{ At, Kind: 'Information', Text: 'from elsewhere' }] });
  await page.getByRole('button', { name: 'Publish the note' }).click();
  await page.getByText('This page was changed by someone else in the meantime.').waitFor();
  expect(await api.ok('GET', `/pages/${id}`)).toMatchObject({ Notes: [{ Text: 'from elsewhere' }] });

  const viewer = await its.open();
  await its.signIn(viewer, its.system.quickstart().api_key_ur);
  await viewer.goto(`${its.base}status-pages`);
  await viewer.getByRole('link', { name: 'Open the page Both' }).waitFor();
  expect(await viewer.getByRole('link', { name: /^(Edit|Make)/ }).count()).toBe(0);
  await moveTo(viewer, `/status-pages/${id}`);
  await viewer.getByText('You can view, not change.').waitFor();
  await api.ok('DELETE', `/pages/${id}`);
});
