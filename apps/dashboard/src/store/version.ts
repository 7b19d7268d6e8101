import { signal } from '@preact/signals';

/** Whether the controller serves another version of the page than this one. */
export const isOutdated = signal(false);

/** The script with which a document begins; its name is a hash of its content. */
const entry = /<script[^>]*\ssrc="([^"]+)"/;

/**
 * Finds out whether the controller has a newer page: after it did not answer for a while, or when a part of the page is
 * not there.
 */
export async function checkVersion(): Promise<void> {
  const own = document.querySelector('script[src]')?.getAttribute('src');
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok !== true) return;
  const [, served] = entry.exec(await answer.text()) ?? [];
  if (served !== undefined && served !== own) isOutdated.value = true;
}
