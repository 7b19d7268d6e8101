import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { fitSlope } from './slope.ts';

const numbers = z.array(z.number());
const one = z.number();

/** Runs before the scripts of the page: it keeps the shifts of its layout, and when its list was there. */
const watching = `window.shifts = 0; window.listedAt = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver(() => {
    if (window.listedAt === 0 && document.querySelector('[data-device]')) window.listedAt = performance.now();
  }).observe(document, { childList: true, subtree: true });`;

/** The first load of the list of devices, milliseconds since the navigation began. */
export interface FirstLoad {
  readonly paintMs: number;
  readonly listedMs: number;
  readonly requests: number;
  readonly shift: number;
}

/** Opens the list of devices. The files of the page are read anew. */
export async function measureLoad(page: Page, url: string): Promise<FirstLoad> {
  await page.addInitScript(watching);
  await page.goto(url);
  await page.locator('[data-device]').first().waitFor();
  // While devices keep changing.
  await page.waitForTimeout(3_000);
  const value = async (expression: string) => one.parse(await page.evaluate(expression));
  return {
    paintMs: await value(`performance.getEntriesByName('first-contentful-paint')[0].startTime`),
    listedMs: await value('window.listedAt'),
    requests: await value(
      `performance.getEntriesByType('resource').filter(({ name, startTime }) => name.includes('/v1.1/states') && startTime < window.listedAt).length`,
    ),
    shift: await value('window.shifts'),
  };
}

/** The times between a letter and the next picture, milliseconds (Event Timing, in steps of 8 ms). */
export async function measureTyping(page: Page, words: string): Promise<readonly number[]> {
  await page.evaluate(`window.typed = [];
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.typed.push(duration);
    }).observe({ type: 'event', durationThreshold: 16 })`);
  const field = page.getByRole('combobox', { name: 'Filter' });
  await field.click();
  await page.keyboard.type(words, { delay: 150 });
  await page.waitForTimeout(1_000);
  const slow = numbers.parse(await page.evaluate('window.typed'));
  await field.fill('');
  // Chromium reports no event of less than 16 ms.
  return [...slow, ...Array.from({ length: Math.max(0, words.length - slow.length) }, () => 8)];
}

/** The times between pictures while the list scrolls for three seconds, and those of a page that does nothing. */
export async function measureFrames(page: Page, isScrolling: boolean): Promise<readonly number[]> {
  const step = isScrolling ? 'scrollBy(0, 90)' : '';
  return numbers.parse(
    await page.evaluate(`new Promise((resolve) => {
      const times = [];
      const frame = (at) => {
        times.push(at);
        ${step};
        if (at - times[0] < 3000) requestAnimationFrame(frame);
        else resolve(times.slice(1).map((each, index) => each - times[index]));
      };
      requestAnimationFrame(frame);
    })`),
  );
}

/** The milliseconds, at most 10,000, from the press of a button until a timeline has at least this number of parts. */
export async function measureTimeline(page: Page, name: string, parts: number): Promise<number> {
  return one.parse(
    await page.evaluate(`new Promise((resolve) => {
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent === '${name}');
      const from = performance.now();
      const look = () => requestAnimationFrame((at) => {
        const { childElementCount } = document.querySelector('main svg[role=img]');
        if (childElementCount > ${parts} || at - from > 10000) resolve(at - from);
        else look();
      });
      button.click();
      look();
    })`),
  );
}

/** Memory of a page's scripts after a collection, kB, and its nodes. */
export async function memoryOf(
  session: CDPSession,
): Promise<{ readonly kb: number; readonly nodes: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  return { kb: value('JSHeapUsedSize') / 1_024, nodes: value('Nodes') };
}

/** The slope of values that are a minute apart, by least squares. */
export function slopeOf(values: readonly number[]): number {
  return fitSlope(values.map((value, at) => ({ at, value }))).slope;
}
