import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { signInByForm } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import type { Screen } from './screens.ts';

/** Where pictures are written, and of what. */
export interface PictureChoice {
  readonly folder: string;
  /** undefined: all worlds. */
  readonly world: string | undefined;
  readonly widths: readonly number[];
  readonly themes: readonly ('light' | 'dark')[];
  /** The names of screens; undefined: all. */
  readonly screens: RegExp | undefined;
}

/** A world as one person sees it. */
export interface Sight {
  readonly base: string;
  readonly key: string;
  /** Changes what the network answers. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Takes pictures of screens in a world. A screen on which something could not be pressed is named in the output. */
export type TakePictures = (world: string, screens: readonly Screen[], sight: Sight) => Promise<void>;

const usualHeight = 844;
const maxHeight = 6_000;

/** The window shows a screen as far as it is read. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page
    .getByText(/Reading (all|the others)|^Reading/)
    .first()
    .waitFor({ state: 'detached' });
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await page.waitForTimeout(600);
}

/** The window becomes as tall as the screen: in a picture of a scrolled page, what is fixed covers something. */
async function showWhole(page: Page): Promise<void> {
  const { width = 1280, height = usualHeight } = page.viewportSize() ?? {};
  const tall = z.number().parse(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width, height: Math.min(maxHeight, Math.max(height, tall)) });
  await page.evaluate('scrollTo(0, 0)');
}

export function createTaker(browser: Browser, choice: PictureChoice): TakePictures {
  mkdirSync(choice.folder, { recursive: true });
  const takeOne = async (page: Page, { world, screen, base, ending }: Picture) => {
    const [name, address, press] = screen;
    try {
      await page.setViewportSize({ width: Number.parseInt(ending, 10), height: usualHeight });
      await page.goto(`${base}${address}`);
      await settle(page);
      await press?.(page);
      if (press !== undefined) await settle(page);
    } catch (error) {
      process.stdout.write(`${world} ${name} ${ending}: ${String(error)}\n`);
    }
    const file = path.join(choice.folder, `${world}-${name}-${ending}.png`);
    if (world !== 'thousands') await showWhole(page);
    await page.screenshot({ path: file });
  };
  return async (world, screens, { base, key, prepare }) => {
    if (choice.world !== undefined && choice.world !== world) return;
    const chosen = screens.filter(([name]) => choice.screens?.test(name) ?? true);
    if (chosen.length === 0) return;
    for (const theme of choice.themes)
      for (const width of choice.widths) {
        const page = await openWindow(browser, [], { theme, width });
        await signInByForm(page, base, key);
        await prepare?.(page);
        for (const screen of chosen)
          await takeOne(page, { world, screen, base, ending: `${width}-${theme}` });
        await page.context().close();
      }
  };
}

interface Picture {
  readonly world: string;
  readonly screen: Screen;
  readonly base: string;
  /** The width and the theme. */
  readonly ending: string;
}
