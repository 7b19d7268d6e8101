import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { z } from 'zod';

/** Debian's. */
const program = '/usr/bin/chromium';

/** Why no browser can be started here; undefined: one can. */
export const browserMissing = existsSync(program) ? undefined : `${program} is missing (package chromium)`;

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
}

const found = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** What axe-core finds wrong in a page: a line for each rule, with the first element. The page's policy admits no script, so the debugger runs it. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const expression = `${axe.source}; axe.run(document).then(({ violations }) => JSON.stringify(violations))`;
  const { result } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const violations = found.parse(JSON.parse(z.string().parse(result.value)));
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
}
