import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { startOidcProvider, type TestProvider } from '../harness/oidc-provider.ts';
import type { System } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';
import { browserMissing, openWindow, startBrowser, violationsOf } from './browser.ts';

let system: System;
let browser: Awaited<ReturnType<typeof startBrowser>>;
let provider: TestProvider;
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-sso-'));

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const port = `${await freePort()}`;
  const site = `https://localhost:${port}`;
  provider = await startOidcProvider(site);
  const secretFile = path.join(folder, 'secret');
  writeFileSync(secretFile, provider.clientSecret);
  const env = {
    VANTAGE_HTTPS_PORT: port,
    VANTAGE_PUBLIC_URL: site,
    VANTAGE_OIDC_ISSUER: provider.issuer,
    VANTAGE_OIDC_CLIENT_ID: provider.clientId,
    VANTAGE_OIDC_CLIENT_SECRET_FILE: secretFile,
    VANTAGE_OIDC_GROUPS: 'noc=UO; admins=UA',
  };
  [system, browser] = await Promise.all([startSystemOnDatabase({ env }), startBrowser()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await system?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(({ skip }) => {
  skip(browserMissing !== undefined, browserMissing);
});

test('a person signs in by the provider without a password, stays signed in, and signs out of both', async () => {
  const problems: string[] = [];
  const page = await openWindow(browser, problems);
  provider.person = { sub: 'ada', email: 'ada@example.org', name: 'Ada', groups: ['noc'] };
  await page.goto(system.quickstart().dashboard_url);
  const link = page.getByRole('link', { name: 'Sign in with single sign-on' });
  await link.waitFor();
  expect(await violationsOf(page)).toBe('');
  await link.click();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await page.reload();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${provider.issuer}/session/end**`);
  await page.goto(system.quickstart().dashboard_url);
  await page.getByLabel('API key').waitFor();
  expect(problems).toEqual([]);
});

test('who is in no group reads why, and can go back', async () => {
  const page = await openWindow(browser, []);
  provider.person = { sub: 'eve', email: 'eve@example.org', groups: [] };
  await page.goto(new URL('/sign-in', system.quickstart().dashboard_url).href);
  await page.getByText('You are in none of the groups that may sign in here.').waitFor();
  await page.goto(system.quickstart().dashboard_url);
  await page.getByLabel('API key').waitFor();
});

test('who administers reads how people sign in, and a test says what works', async () => {
  const page = await openWindow(browser, [], { theme: 'dark', width: 390 });
  provider.person = { sub: 'root', email: 'root@example.org', name: 'Root', groups: ['admins'] };
  await page.goto(new URL('/sign-in', system.quickstart().dashboard_url).href);
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await page.goto(`${system.quickstart().dashboard_url}people`);
  await page.getByText('members of noc may acknowledge, all devices').waitFor();
  await page.getByRole('button', { name: 'Test signing in' }).click();
  await page.getByText('All 5 parts work.').waitFor();
  expect(await violationsOf(page)).toBe('');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await page.content()).not.toContain(provider.clientSecret);
  await provider[Symbol.asyncDispose]();
  await page.getByRole('button', { name: 'Test signing in' }).click();
  await page.getByText('1 part does not work.').waitFor();
  await page.getByText(`The provider at ${provider.issuer} cannot be asked`).waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.context().close();
});
