import type { Browser, Page } from 'playwright-core';
import { bringAxe } from './browser.ts';

/** How a window is opened. */
export interface Window {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** A window, and the list of problems of its present user. */
interface Held {
  readonly page: Page;
  problems: string[];
}

async function create(browser: Browser): Promise<Held> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await bringAxe(page);
  const held: Held = { page, problems: [] };
  page.on('pageerror', ({ message }) => held.problems.push(message));
  page.on('console', (line) => {
    if (/Content Security Policy|Trusted/.test(line.text())) held.problems.push(line.text());
  });
  return held;
}

/** Shows the page in a theme and at a width. */
async function dress({ page }: Held, { theme = 'light', width = 1280 }: Window): Promise<void> {
  await page.setViewportSize({ width, height: 844 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: null, media: null });
}

/** A new window; what the page's policy refused, and what a script threw, is added to `problems`. */
export async function openWindow(browser: Browser, problems: string[], window: Window = {}): Promise<Page> {
  const held = await create(browser);
  held.problems = problems;
  await dress(held, window);
  return held.page;
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
  const free: Held[] = [];
  const taken = new Set<Held>();
  const empty = async ({ page }: Held) => {
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
      const held = free.pop() ?? (await create(browser));
      taken.add(held);
      held.problems = problems;
      await dress(held, window);
      return held.page;
    },
    async takeBack(isGood) {
      for (const held of taken) {
        taken.delete(held);
        if (held.page.isClosed()) continue;
        const isEmpty = isGood && (await isDone(empty(held)));
        if (isEmpty) free.push(held);
        else await held.page.context().close();
      }
    },
  };
}
