import { signal } from '@preact/signals';

/** Whether the controller serves another version of the page than this one. */
export const isOutdated = signal(false);

/** The script of the document; its name is a hash of its content. */
const entry = /<script[^>]*\ssrc="([^"]+)"/;

/**
 * Finds out whether the controller has a newer page. To be called after the connection was lost, or when a part of the
 * page cannot be loaded.
 */
export async function checkVersion(): Promise<void> {
  const present = document.querySelector('script[src]')?.getAttribute('src');
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok !== true) return;
  const [, served] = entry.exec(await answer.text()) ?? [];
  if (served !== undefined && served !== present) isOutdated.value = true;
}
