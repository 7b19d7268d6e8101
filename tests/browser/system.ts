import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { startOidcProvider, type TestProvider } from '@vantage/testing/oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { repositoryRoot, type System } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';
import { browserMissing, startBrowser } from './browser.ts';
import { createWindows, type Window, type Windows } from './windows.ts';

/** The running system and the browser, for the tests of one file. */
export interface BrowserTests {
  readonly system: System;
  /** Address of the page. */
  readonly base: string;
  /** Refusals of the page's policy, and errors of its scripts, in the windows of this file. */
  readonly problems: string[];
  /** Opens a window for the present test, which leaves it open (`createWindows`). */
  readonly open: (window?: Window) => Promise<Page>;
  /** Gives the window a session of a key that may change things, or of another one. It loads no page. */
  readonly signIn: (page: Page, key?: string) => Promise<void>;
}

let system: System;
let browser: Browser;
let windows: Windows;
/** Has no key. */
let stranger: Api;
let timezone: unknown;
/** A key that may administer. */
export let adminKey: string;
/** The provider of single sign-on. */
export let provider: TestProvider;
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-browser-'));

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const port = `${await freePort()}`;
  const site = `https://localhost:${port}`;
  provider = await startOidcProvider(site);
  const secretFile = path.join(folder, 'secret');
  writeFileSync(secretFile, provider.clientSecret);
  const env = {
    NODE_ENV: 'test',
    // A minute between checks is two seconds here.
    VANTAGE_TEST_TIME_SCALE: '30',
    VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
    VANTAGE_HTTPS_PORT: port,
    VANTAGE_PUBLIC_URL: site,
    // With a folder that is named, invitations do not build the agent's package first.
    VANTAGE_PARCELS: path.join(repositoryRoot, 'agent-installer/dist'),
    VANTAGE_OIDC_ISSUER: provider.issuer,
    VANTAGE_OIDC_CLIENT_ID: provider.clientId,
    VANTAGE_OIDC_CLIENT_SECRET_FILE: secretFile,
    VANTAGE_OIDC_GROUPS: 'noc=UO; admins=UA',
  };
  [system, browser] = await Promise.all([startSystemOnDatabase({ env }), startBrowser()]);
  const { stdout } = await runVantage(['keys', 'issue', '--level', 'UA', '--name', 'admin', '--json'], {
    env: { VANTAGE_DATA: system.dataDir },
  });
  const { base_url: baseUrl, ca_file: caFile, dashboard_url: base } = system.quickstart();
  stranger = createApi({ baseUrl, caFile });
  windows = createWindows(browser, base);
  adminKey = z.object({ key: z.string() }).parse(JSON.parse(stdout)).key;
  timezone = z.object({ Timezone: z.string() }).parse(await system.api.ok('GET', '/account')).Timezone;
}, 180_000);
afterAll(async () => {
  stranger?.close();
  await browser?.close();
  await system?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(({ skip }) => {
  skip(browserMissing !== undefined, browserMissing);
});

afterEach(async ({ task }) => {
  await windows?.takeBack(task.result?.state !== 'fail');
});

/** Kinds of things that a file may leave in the account, in an order in which they can be deleted. */
const kinds = [
  ['devices', 'device_id'],
  ['mschedules', 'mschedule_id'],
  ['pages', 'page_id'],
  ['reports', 'report_id'],
  ['nschedules', 'nschedule_id'],
  ['contacts', 'contact_id'],
  ['tags', 'tag_id'],
] as const;

/** Empties the account. */
async function empty(): Promise<void> {
  await system.api.ok('PUT', '/account', { nschedule_id: null, Timezone: timezone });
  for (const [kind, id] of kinds)
    for (const row of z.array(z.looseObject({})).parse(await system.api.ok('GET', `/${kind}`)))
      await system.api.ok('DELETE', `/${kind}/${z.string().parse(row[id])}`);
}

/** Gives the window of a page a new session of the key, as the form of the sign-in does. */
async function signIn(page: Page, key: string): Promise<void> {
  const { status, headers, text } = await stranger.call('POST', '/session', { Key: key });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(headers['set-cookie']?.toString() ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`no session: ${status} ${text}`);
  const url = system.quickstart().dashboard_url;
  await page.context().addCookies([{ name, value, url, secure: true, httpOnly: true, sameSite: 'Strict' }]);
}

/** The system and the browser for the tests of the file, which begin with an empty account. */
export function useBrowser(): BrowserTests {
  beforeAll(async () => {
    if (browserMissing === undefined) await empty();
  });
  const problems: string[] = [];
  const base = () => system.quickstart().dashboard_url;
  return {
    get system() {
      return system;
    },
    get base() {
      return base();
    },
    problems,
    open: (window) => windows.open(problems, window),
    signIn: (page, key = system.quickstart().api_key_uw) => signIn(page, key),
  };
}
