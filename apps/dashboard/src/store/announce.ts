import { effect } from '@preact/signals';
import { type Announcement, announce, noAnnouncements } from '../model/announcements.ts';
import { progress, rows } from './account-state.ts';

/** Sentences that stay for those who read back. */
const keptSentences = 5;

/**
 * Reads outages aloud as they begin (`model/announcements.ts`), in the words of `say`. Returns its end. Devices that
 * are Down when the page opens are no news.
 */
export function announceOutages(say: (announcement: Announcement) => string): () => void {
  const place = document.createElement('div');
  place.className = 'hidden';
  place.setAttribute('aria-live', 'polite');
  document.body.append(place);
  let state = noAnnouncements;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    const nowMs = performance.now();
    const down = rows.value.filter((row) => row.state === 'Down');
    const { next, due, dueAt } = announce(state, down, nowMs);
    state = next;
    if (due !== undefined) {
      // An element of its own: the same words are read again.
      const sentence = document.createElement('p');
      sentence.textContent = say(due);
      place.append(sentence);
      while (place.children.length > keptSentences) place.firstChild?.remove();
    }
    if (dueAt !== undefined) timer = setTimeout(look, dueAt - nowMs);
  };
  const stop = effect(() => {
    if (progress.value === 'ready') look();
  });
  return () => {
    stop();
    clearTimeout(timer);
    place.remove();
  };
}
