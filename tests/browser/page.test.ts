import type { Page, Response } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import { browserMissing, moveTo, signInByForm, violationsInBothThemes, violationsOf } from './browser.ts';
import { screens } from './every-screen.ts';
import { adminKey, useBrowser } from './system.ts';

const its = useBrowser();
beforeAll(async () => {
  if (browserMissing !== undefined) return;
  await its.system.api.ok('POST', '/devices', {
    Method: 'TCP',
    URL: '127.0.0.1:9',
    ShortName: 'router',
    FullName: 'Router',
    Frequency: 60,
  });
});

test('no screen has a violation in either theme, scrolls sideways, or moves for who wants no motion', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  const found: Record<string, unknown> = {};
  for (const screen of screens) {
    await moveTo(page, screen);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    found[screen] = [
      await violationsInBothThemes(page),
      await tooWide(page, [320, 390]),
      await movingWithoutMotion(page),
    ].flat();
  }
  const expected = Object.keys(found).map((name) => [name, ['']]);
  expect(found).toEqual(Object.fromEntries(expected));
}, 300_000);

test('the address of each screen loads the page', async () => {
  const baseUrl = new URL(its.base).origin;
  const stranger = createApi({ baseUrl, caFile: its.system.quickstart().ca_file });
  const loaded = screens.map(async (screen) => {
    const { status, text } = await stranger.call('GET', screen, undefined, { Accept: 'text/html' });
    return [screen, status, text.includes('<div id="page"')];
  });
  expect(await Promise.all(loaded)).toEqual(screens.map((screen) => [screen, 200, true]));
  stranger.close();
});

/** The widths at which the screen scrolls sideways. */
async function tooWide(page: Page, widths: readonly number[]): Promise<readonly string[]> {
  const size = page.viewportSize() ?? { width: 1280, height: 844 };
  const wide: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ ...size, width });
    if ((await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) !== true)
      wide.push(`scrolls at ${width} px`);
  }
  await page.setViewportSize(size);
  return wide;
}

/** The elements that move although no motion is wanted. */
async function movingWithoutMotion(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const moving = `[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return transitionDuration.split(', ').some((each) => each !== '0s') || animationName !== 'none';
  }).map((element) => element.outerHTML.slice(0, 120))`;
  const found = z.array(z.string()).parse(await page.evaluate(moving));
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  return found;
}

test('the styles of a screen hold over those of its parts', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(its.base);
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  const size = "getComputedStyle(document.querySelector('header button[aria-expanded]')).fontSize";
  expect(await page.evaluate(size)).toBe('11px');
});

test('a key that is pressed while a dialog closes is not lost', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(its.base);
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  // The field of a closed dialog has the focus until the browser draws again.
  await page.evaluate(`document.querySelector('dialog').close();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))`);
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await page.getByRole('combobox').waitFor({ state: 'detached' });
});

test('keys alone reach a device', async () => {
  const page = await its.open({ width: 390 });
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await page.getByRole('link', { name: /Router/ }).waitFor();
  await page.keyboard.press('j');
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toMatch(/^Router/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /Router/ }).waitFor();
});

test('a session that ends keeps the screen, and signing in goes on where one was', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/new`);
  await page.getByLabel('Address', { exact: true }).fill('192.0.2.7');
  await page.evaluate(`fetch('/v1.1/session').then((answer) => answer.json()).then(({ CsrfToken }) =>
    fetch('/v1.1/session', { method: 'DELETE', headers: { 'X-CSRF-Token': CsrfToken } }))`);
  // The stream of events may notice it first; then the dialog covers the button.
  const ended = page.getByText('Your session has ended').waitFor();
  await Promise.race([ended, page.getByRole('button', { name: 'Add this device' }).click()]);
  await ended;
  // What the form tried in the meantime says something else.
  expect(await page.getByText('Your session has ended').count()).toBe(1);
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('API key').fill(its.system.quickstart().api_key_ur);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('192.0.2.7');
  // A key that only views sees nothing that it may not do.
  await page.goto(`${its.base}devices`);
  await page.getByRole('link', { name: /Router/ }).click();
  await page.getByRole('heading', { name: /Router/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
});

test('who signs out is signed out, also when the page is left before the controller answers', async () => {
  const page = await its.open({ width: 390 });
  await its.signIn(page);
  await page.goto(its.base);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const ofSession = /\/v1\.1\/session$/;
  await page.route(ofSession, async (route) => {
    if (route.request().method() === 'DELETE') await released;
    await route.continue().catch(() => {});
  });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Overview' }).waitFor({ state: 'detached' });
  await page.unroute(ofSession);
  await page.goto(`${its.base}devices`);
  await page.getByLabel('API key').waitFor();
  release();

  // A controller that does not answer: it is said, and the next opened page ends the session.
  await signInByForm(page, its.base, its.system.quickstart().api_key_uw);
  await page.route(ofSession, (route) => route.abort());
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alert').getByText('your session may still be open').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.unroute(ofSession);
  await page.reload();
  await page.getByLabel('API key').waitFor();
  await page.getByText('your session may still be open').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByLabel('API key').waitFor();
});

test('the first load is at most 77 kB, from this server alone', async () => {
  const page = await its.open();
  const hosts = new Set<string>();
  const sizes = new Map<string, number>();
  const listen = (response: Response) => {
    hosts.add(new URL(response.url()).host);
    if (new URL(response.url()).pathname.startsWith('/v1.1')) return;
    // What the sign-in shows again comes from the browser's cache.
    sizes.set(response.url(), Number(response.headers()['content-length'] ?? 0));
  };
  page.on('response', listen);
  await page.goto(its.base);
  await page.getByLabel('API key').waitFor();
  await signInByForm(page, its.base, its.system.quickstart().api_key_uw);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect([...hosts]).toEqual([new URL(its.base).host]);
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(77 * 1024);
  page.off('response', listen);
});
