import type { Browser, Page } from 'playwright-core';
import { bringAxe } from './browser.ts';

/** Options of a new window. */
export interface Window {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** A window, and the list of problems of its present user. */
interface OpenWindow {
  readonly page: Page;
  problems: string[];
}

async function create(browser: Browser): Promise<OpenWindow> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await bringAxe(page);
  const opened: OpenWindow = { page, problems: [] };
  page.on('pageerror', ({ message }) => opened.problems.push(message));
  page.on('console', (line) => {
    if (/Content Security Policy|Trusted/.test(line.text())) opened.problems.push(line.text());
  });
  return opened;
}

/** Shows the page in a theme and at a width. */
async function dress({ page }: OpenWindow, { theme = 'light', width = 1280 }: Window): Promise<void> {
  await page.setViewportSize({ width, height: 844 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: null, media: null });
}

/** A new window; what the page's policy refused, and what a script threw, is added to `problems`. */
export async function openWindow(browser: Browser, problems: string[], window: Window = {}): Promise<Page> {
  const opened = await create(browser);
  opened.problems = problems;
  await dress(opened, window);
  return opened.page;
}

/** The windows of the tests. */
export interface Windows {
  readonly open: (problems: string[], window?: Window) => Promise<Page>;
  /** Takes the windows of a test back. `isGood`: they may be used again; one that cannot be emptied is closed. */
  readonly takeBack: (isGood: boolean) => Promise<void>;
}

const isDone = (work: Promise<void>) =>
  work.then(
    () => true,
    () => false,
  );

/**
 * Opens windows, and uses those again that tests left: the process of a new one would load and compile all code once
 * more. Cookies, stored texts, routes, settings and the document of a test are gone before the next one; a test that
 * leaves more than that (a clock, a listener, a script for each document) closes its window. `base` is the address of
 * the page.
 */
export function createWindows(browser: Browser, base: string): Windows {
  const free: OpenWindow[] = [];
  const taken = new Set<OpenWindow>();
  const empty = async ({ page }: OpenWindow) => {
    const context = page.context();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    await context.clearCookies();
    // A document of the same origin that runs nothing: the process stays, and what the page stored can be removed.
    await page.goto(`${base}v1.1/hello`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  };
  return {
    async open(problems, window = {}) {
      const opened = free.pop() ?? (await create(browser));
      taken.add(opened);
      opened.problems = problems;
      await dress(opened, window);
      return opened.page;
    },
    async takeBack(isGood) {
      for (const opened of taken) {
        taken.delete(opened);
        if (opened.page.isClosed()) continue;
        const isEmpty = isGood && (await isDone(empty(opened)));
        if (isEmpty) free.push(opened);
        else await opened.page.context().close();
      }
    },
  };
}
