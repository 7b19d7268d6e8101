import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { browserProgram } from '@vantage/testing/browser-program';
import { type Browser, chromium, type Page } from 'playwright-core';
import { z } from 'zod';

/** Why no browser can be started here; undefined: one can. */
export const browserMissing =
  browserProgram === undefined ? 'Chromium is missing (package chromium-headless-shell)' : undefined;

/** A process of its own that draws costs more than it draws here. */
const args = ['--no-sandbox', '--disable-gpu', '--in-process-gpu'];

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserProgram ?? '', args });
}

/** Signs in by the form. */
export async function signInByForm(page: Page, base: string, key: string): Promise<void> {
  await page.goto(base);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
}

/** The page has painted with its present settings: what they change has reached every frame's styles. */
export const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Shows another screen as a link does, so nothing is loaded again; resolves when the screen before is gone. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent('popstate'));
    ${painted}`);
}

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Gives each document of a page a function that makes axe-core. A window gets the text once, and only a document that
 * is judged runs it.
 */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript(`window.makeAxe = () => {${axeSource}\n};`);
}

const found = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** The rules of axe-core that depend on colours and are on by default. */
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;

/** Without the elements that fit, and without a selector for each element. */
const onlyViolations = { preload: false, resultTypes: ['violations'], selectors: false } as const;

/**
 * The violations that axe-core finds in a page: a line for each rule, with the first element; '' for none.
 * `preload` copies a style sheet into a document of its own, which the policy refuses and the console then tells.
 */
export async function violationsOf(page: Page, only: 'all' | 'colours' = 'all'): Promise<string> {
  const options = { ...onlyViolations, ...(only === 'colours' && { runOnly: colourRules }) };
  const value = await page.evaluate(`(async () => {
    if (typeof axe === 'undefined') makeAxe();
    const { violations } = await axe.run(document, ${JSON.stringify(options)});
    return JSON.stringify(violations);
  })()`);
  const violations = found.parse(JSON.parse(z.string().parse(value)));
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`).join('\n');
}

/** `violationsOf` in light and dark. Only the colours differ between the themes, and they change at once. */
export async function violationsInBothThemes(page: Page): Promise<string> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.evaluate(painted);
  const light = await violationsOf(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(painted);
  const dark = await violationsOf(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
  return [light, dark === '' ? '' : `in the dark: ${dark}`].filter((each) => each !== '').join('\n');
}

/** Tables and sections of the document whose content is wider than they are, and elements beyond the right edge. */
export const cutElements = `[...document.querySelectorAll('main table, main section, main th, main td, main button')]
  .filter((element) => element.checkVisibility() &&
    (element.getBoundingClientRect().right > innerWidth + 1 || element.scrollWidth > element.clientWidth + 1) &&
    element.closest('thead') === null)
  .map((element) => element.tagName + ' ' + element.textContent.slice(0, 60))`;
