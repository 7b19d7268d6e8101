import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, moveTo } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

// The keyboard reaches the first row of each list in a few presses, and the link at the begin of a page works.

const its = useBrowser();
const maxStops = 5;

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  for (const Name of ['berlin/rack-1', 'berlin/rack-2', 'oslo']) await api.ok('POST', '/tags', { Name });
  const device = { Method: 'TCP', URL: '127.0.0.1:9', FullName: 'Core router', Frequency: 1, Attempts: 1 };
  await api.ok('POST', '/devices', { ...device, ShortName: 'core-0', Tags: ['berlin/rack-1'] });
  const contact = { Name: 'Night desk', Type: 'email', Address: 'night@example.org' };
  const { contact_id } = z
    .object({ contact_id: z.string() })
    .parse(await api.ok('POST', '/contacts', contact));
  await api.ok('POST', '/nschedules', {
    Name: 'Always',
    Steps: [{ DelayMinutes: 0, Contacts: [contact_id] }],
  });
  await api.ok('POST', '/pages', { Name: 'Services', Path: 'tab-stops' });
  await api.ok('POST', '/secrets', { Name: 'TAB_STOPS', Value: 'correct horse' });
});

/** Each list with something that only its first rows have. */
const lists = [
  ['/', 'Core router'],
  ['/devices', 'Core router'],
  ['/alerts', 'Core router'],
  ['/outages', 'Core router'],
  ['/events', 'Core router'],
  ['/locations', 'local'],
  ['/schedules', 'Always'],
  ['/schedules/contacts', 'Night desk'],
  ['/status-pages', 'Services'],
  ['/tags', 'berlin/rack-1'],
  ['/secrets', 'TAB_STOPS'],
  ['/people', 'admin'],
  ['/audit', 'TAB_STOPS'],
] as const;

/** Whether the focus is in a row of a list, or on the list. */
const isInList = `(() => {
  const focus = document.activeElement;
  if (focus?.id === 'list') return true;
  return focus?.closest('main')?.contains(focus) === true && focus.closest('li, tr, [role=row], article') !== null
    && focus.closest('[role=tree], form, thead') === null;
})()`;

test('at most five presses lead from the heading of a screen to its list', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await page.getByRole('link', { name: 'Core router' }).first().waitFor();
  await expect.poll(() => page.getByText('is down').count()).toBeGreaterThan(0);
  const presses: [string, number][] = [];
  for (const [address, row] of lists) {
    await moveTo(page, address === '/' ? '/locations' : '/');
    await moveTo(page, address);
    await page.getByRole('main').getByText(row).first().waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    let count = 0;
    for (; count < 2 * maxStops; count += 1) {
      if ((await page.evaluate(isInList)) === true) break;
      const isSkip = await page.evaluate(`document.activeElement?.getAttribute('href') === '#list'`);
      await page.keyboard.press(isSkip === true ? 'Enter' : 'Tab');
    }
    presses.push([address, count]);
  }
  expect(presses.filter(([, count]) => count > maxStops)).toEqual([]);
});

test('the first stop of a page leads to its content', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  await page.goto(`${its.base}tags`);
  await page.getByRole('heading', { name: '3 tags' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('content');
  expect(new URL(page.url()).hash).toBe('');
});

test('letters that follow the key of the palette at once are for its field', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const module = /\/assets\/palette-[^/]+\.js$/;
  await page.route(module, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(its.base);
  const acknowledge = page.getByRole('button', { name: 'Acknowledge' });
  await acknowledge.waitFor();
  await page.keyboard.press('Control+k');
  // An e acknowledges the cause that is chosen.
  await page.keyboard.type('ber');
  release();
  await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('ber');
  await page.keyboard.type('l');
  expect(await page.getByRole('combobox').inputValue()).toBe('berl');
  await page.keyboard.press('Escape');
  await acknowledge.waitFor();
  // Letters are keys again.
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
});
