import { computed, signal } from '@preact/signals';
import { hasUnsaved } from './drafts.ts';

const listPath = '/devices';
const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** Where the page is: the path, and what stands after it. */
export const address = signal(read());

/** The filter of the list of devices as it was shown last; '': none. */
export const listFilter = signal(filterIn(address.value) ?? '');
/** The address of the list of devices with that filter. */
export const listAddress = computed(() =>
  listFilter.value === '' ? listPath : `${listPath}?q=${encodeURIComponent(listFilter.value)}`,
);

/** Undefined: it is not the list. */
function filterIn({ path, query }: ReturnType<typeof read>): string | undefined {
  return path === listPath ? (query.get('q') ?? '') : undefined;
}

/** Leaves a form with changes, once somebody agrees; undefined: nobody is leaving. */
export const leaving = signal<(() => void) | undefined>();

/** The position of the present address in the history of the tab. */
let position = 0;
/** The next step through the history is the page's own. */
let isOwnStep = false;

/** The position that an entry of the history carries; undefined: another script created the entry. */
function positionIn(state: unknown): number | undefined {
  const isKnown = state !== null && typeof state === 'object' && 'position' in state;
  return isKnown && typeof state.position === 'number' ? state.position : undefined;
}

/** Shows the address at which the browser is. */
function show(): void {
  address.value = read();
  listFilter.value = filterIn(address.value) ?? listFilter.value;
}

/** Goes to an address of the page. `replace`: Back does not return to the present one. */
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

/** Steps through the history of the tab without a question. */
function step(by: number): void {
  isOwnStep = true;
  history.go(by);
}

/** Back or Forward brought another address. A form with changes stays until somebody agrees. */
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

/** Lets links and Back change the screen without a reload. */
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
    if (/^\/(v1\.1|docs|sign-in)\b/.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
    if (link.hash === '' && leaving.value === undefined) window.scrollTo(0, 0);
  });
}
