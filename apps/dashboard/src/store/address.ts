import { computed, signal } from '@preact/signals';
import { hasUnsaved } from './drafts.ts';

const listPath = '/devices';
const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** The path and the query of the present address. */
export const address = signal(read());

/** The path alone: who shows it does not change with each letter of a filter. */
export const shownPath = computed(() => address.value.path);

/** The last filter of the list of devices; '': none. */
export const listFilter = signal(filterIn(address.value) ?? '');
/** The address of the list of devices with that filter. */
export const listAddress = computed(() =>
  listFilter.value === '' ? listPath : `${listPath}?q=${encodeURIComponent(listFilter.value)}`,
);

/** The filter in an address; undefined: it is not that of the list. */
function filterIn({ path, query }: ReturnType<typeof read>): string | undefined {
  return path === listPath ? (query.get('q') ?? '') : undefined;
}

/** Leaves a form with changes, to be called after the person has agreed; undefined: no form is being left. */
export const leaving = signal<(() => void) | undefined>();

/** The position of the present address in the tab's history. */
let position = 0;
/** Whether the next step through the history was caused by the page itself. */
let isOwnStep = false;

/** The position in the state of a history entry; undefined: another script created the entry. */
function positionIn(state: unknown): number | undefined {
  const isKnown = state !== null && typeof state === 'object' && 'position' in state;
  return isKnown && typeof state.position === 'number' ? state.position : undefined;
}

/** Shows the browser's present address. */
function show(): void {
  address.value = read();
  listFilter.value = filterIn(address.value) ?? listFilter.value;
}

/** Goes to an address of the page. `replace`: Back skips the present address. */
export function go(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return;
  const leave = () => {
    if (!replace) position += 1;
    if (replace) history.replaceState({ position }, '', to);
    else history.pushState({ position }, '', to);
    show();
  };
  const isElsewhere = new URL(to, location.href).pathname !== location.pathname;
  if (isElsewhere && hasUnsaved())
    leaving.value = () => {
      leave();
      window.scrollTo(0, 0);
    };
  else leave();
}

/** Steps through the tab's history without asking. */
function step(by: number): void {
  isOwnStep = true;
  history.go(by);
}

/** Follows Back or Forward. A form with changes stays until the person has agreed to leave it. */
function follow(): void {
  const next = positionIn(history.state);
  const by = (next ?? position) - position;
  if (!isOwnStep && by !== 0 && location.pathname !== address.value.path && hasUnsaved()) {
    step(-by);
    leaving.value = () => step(by);
    return;
  }
  isOwnStep = false;
  position = next ?? position;
  show();
}

/** Lets links, Back and Forward change the screen without a reload. */
export function watchAddress(): void {
  position = positionIn(history.state) ?? 0;
  history.replaceState({ position }, '', location.href);
  addEventListener('popstate', follow);
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (
      link === null ||
      link.target !== '' ||
      link.origin !== location.origin ||
      link.hasAttribute('download')
    )
      return;
    if (/^\/(v1\.1|docs|sign-in|forgotten)\b/.test(link.pathname)) return;
    event.preventDefault();
    if (link.hash !== '' && link.pathname + link.search === location.pathname + location.search) {
      document.getElementById(link.hash.slice(1))?.focus();
      return;
    }
    go(link.pathname + link.search);
    if (link.hash === '' && leaving.value === undefined) window.scrollTo(0, 0);
  });
}
