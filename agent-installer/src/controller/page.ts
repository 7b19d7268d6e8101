import { buildPage, isPageBuilt } from '../../../apps/cli/bin/page.mjs';
import { root } from '../root.ts';

/** Builds the page where its sources changed, as `npm start` does. Throws where it cannot be built. */
export function ensurePage(say: (text: string) => void): void {
  const said: string[] = [];
  buildPage({
    root,
    node: process.execPath,
    say(text) {
      said.push(text);
      say(text);
    },
  });
  if (!isPageBuilt(root)) throw new Error(said.join('\n'));
}
