import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, cutElements, moveTo } from './browser.ts';
import { screens } from './every-screen.ts';
import { adminKey, useBrowser } from './system.ts';

const its = useBrowser();
const created = z.object({ device_id: z.string() });
let device = '';
let contact = '';

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  await api.ok('POST', '/tags', { Name: 'berlin/rack-1' });
  for (const FullName of [
    'Router',
    'A switch with a name that is longer than a phone is wide, and goes on',
  ]) {
    const Tags = ['berlin/rack-1'];
    const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: `d-${FullName.length}`, FullName, Tags };
    const answer = await api.ok('POST', '/devices', { ...body, Frequency: 60, Attempts: 1 });
    device = created.parse(answer).device_id;
  }
  const mail = { Name: 'Night desk', Type: 'email', Address: 'night-desk@example.org' };
  ({ contact_id: contact } = z
    .object({ contact_id: z.string() })
    .parse(await api.ok('POST', '/contacts', mail)));
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  await api.ok('POST', '/nschedules', { Name: 'Night', Steps });
});

/**
 * Controls that a finger of 44 px misses: 21 px above and below the middle of the control, something else is hit.
 * Links within a sentence are as small as their text.
 */
const smallControls = `(() => {
  const found = [];
  const controls = 'header button, main button, main select, main summary, main .tapRow a, main .stack tbody th a';
  for (const control of document.querySelectorAll(controls)) {
    if (!control.checkVisibility() || control.closest('thead, dialog, [inert]') !== null) continue;
    control.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = (control.closest('.tapRow') ?? control).getBoundingClientRect();
    const x = left + Math.min(width, innerWidth - left) / 2;
    const hits = [-21, 21].map((by) => document.elementFromPoint(x, top + height / 2 + by));
    if (!hits.every((hit) => hit !== null && control.contains(hit)))
      found.push(control.tagName + ' ' + (control.getAttribute('aria-label') ?? control.textContent).slice(0, 40));
  }
  return found;
})()`;

/** Waits until the text of the screen stays the same. */
async function settled(page: Page): Promise<void> {
  let last = '';
  const isSame = async () => {
    const before = last;
    last = (await page.locator('main').textContent()) ?? '';
    return last === before;
  };
  await expect.poll(isSame, { timeout: 30_000, interval: 300 }).toBe(true);
}

test('at 390 px no table is cut, and each control is as large as a finger', async () => {
  const down = async () =>
    z.array(z.unknown()).parse(await its.system.api.ok('GET', '/devices?Status=Down')).length;
  await expect.poll(down, { timeout: 60_000, interval: 200 }).toBe(2);
  const page = await its.open({ width: 390 });
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  const found: Record<string, unknown> = {};
  const all = [...screens, `/devices/${device}`, `/devices/${device}/edit`, `/schedules/contacts/${contact}`];
  for (const screen of all) {
    await moveTo(page, screen);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    found[screen] = [await page.evaluate(cutElements), await page.evaluate(smallControls)];
  }
  expect(found).toEqual(Object.fromEntries(all.map((screen) => [screen, [[], []]])));
  expect(its.problems).toEqual([]);
});
