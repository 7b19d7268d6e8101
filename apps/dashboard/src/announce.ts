import { effect } from '@preact/signals';
import { counts, progress, rows } from './store/account-state.ts';
import { texts } from './texts/index.ts';

const betweenMs = 10_000;

/** Reads new outages aloud, at most one sentence in 10 s. Returns its end. */
export function announce(): () => void {
  const place = document.createElement('div');
  place.className = 'hidden';
  place.setAttribute('aria-live', 'polite');
  document.body.append(place);
  let known: ReadonlySet<string> | undefined;
  let lastAt = 0;
  const stop = effect(() => {
    // What is Down when the page opens is no news.
    if (progress.value !== 'ready') return;
    const down = rows.value.filter(({ state }) => state === 'Down');
    const fresh = down.filter(({ id }) => known !== undefined && !known.has(id));
    known = new Set(down.map(({ id }) => id));
    if (fresh.length === 0 || Date.now() - lastAt < betweenMs) return;
    lastAt = Date.now();
    place.textContent = texts.announce(
      fresh
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', '),
      counts.value.Down,
    );
  });
  return () => {
    stop();
    place.remove();
  };
}
