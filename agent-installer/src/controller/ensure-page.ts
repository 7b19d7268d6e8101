import { buildPage, isPageBuilt } from '../../../apps/cli/bin/page.mjs';
import { root } from '../root.ts';

/** Builds the dashboard where its sources have changed, as `npm start` does. Throws where the build fails. */
export function ensurePage(say: (text: string) => void): void {
  const messages: string[] = [];
  buildPage({
    root,
    node: process.execPath,
    say(text) {
      messages.push(text);
      say(text);
    },
  });
  if (!isPageBuilt(root)) throw new Error(messages.join('\n'));
}
