import { effect } from '@preact/signals';
import { type Announcement, announce, noAnnouncements } from '../model/announcements.ts';
import { progress, rows } from './account-state.ts';

/** Sentences that stay in the document, so that a screen reader can go back to them. */
const maxSentences = 5;

/**
 * Announces outages to screen readers as they begin (`model/announcements.ts`), in the words of `say`. Devices that are
 * Down when the page opens are not announced. Returns a function that stops it.
 */
export function announceOutages(say: (announcement: Announcement) => string): () => void {
  const region = document.createElement('div');
  region.className = 'hidden';
  region.setAttribute('aria-live', 'polite');
  document.body.append(region);
  let state = noAnnouncements;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    clearTimeout(timer);
    const nowMs = performance.now();
    const down = rows.value.filter((row) => row.state === 'Down');
    const { next, due, dueAt } = announce(state, down, nowMs);
    state = next;
    if (due !== undefined) {
      // A new element, so that a repeated sentence is read again.
      const sentence = document.createElement('p');
      sentence.textContent = say(due);
      region.append(sentence);
      while (region.children.length > maxSentences) region.firstChild?.remove();
    }
    if (dueAt !== undefined) timer = setTimeout(update, dueAt - nowMs);
  };
  const stop = effect(() => {
    if (progress.value === 'ready') update();
  });
  return () => {
    stop();
    clearTimeout(timer);
    region.remove();
  };
}
