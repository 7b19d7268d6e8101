import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { runVantage } from '../harness/run-vantage.ts';
import type { System } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';
import { browserMissing, openWindow, signIn, startBrowser, type Window } from './browser.ts';

/** A running system and a browser, for the tests of one file. */
export interface BrowserTests {
  readonly system: System;
  readonly browser: Browser;
  /** Address of the page. */
  readonly base: string;
  /** Refusals of the page's policy, and errors of its scripts. */
  readonly problems: string[];
  readonly open: (window?: Window) => Promise<Page>;
  /** Signs in with a key that may change things, or with another one. */
  readonly signIn: (page: Page, key?: string) => Promise<void>;
}

/** A key that may administer, of the system of the file's tests; the operator issues it. */
export function useAdmin(its: BrowserTests): { readonly key: string } {
  let key = '';
  beforeAll(async () => {
    if (browserMissing !== undefined) return;
    const env = { VANTAGE_DATA: its.system.dataDir };
    const { stdout } = await runVantage(['keys', 'issue', '--level', 'UA', '--name', 'admin', '--json'], {
      env,
    });
    ({ key } = z.object({ key: z.string() }).parse(JSON.parse(stdout)));
  });
  return {
    get key() {
      return key;
    },
  };
}

/**
 * Starts a system and a browser before the tests of the file, and ends them afterwards. Where no browser can be started
 * the tests are skipped.
 */
export function useBrowser(env: Readonly<Record<string, string>> = { NODE_ENV: 'test' }): BrowserTests {
  let [system, browser]: [System?, Browser?] = [];
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('it is started before the first test');
    return part;
  };
  beforeAll(async () => {
    if (browserMissing !== undefined) return;
    [system, browser] = await Promise.all([startSystemOnDatabase({ env }), startBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
  });
  beforeEach(({ skip }) => {
    skip(browserMissing !== undefined, browserMissing);
  });
  const problems: string[] = [];
  const base = () => started(system).quickstart().dashboard_url;
  return {
    get system() {
      return started(system);
    },
    get browser() {
      return started(browser);
    },
    get base() {
      return base();
    },
    problems,
    open: (window) => openWindow(started(browser), problems, window),
    signIn: (page, key = started(system).quickstart().api_key_uw) => signIn(page, base(), key),
  };
}
