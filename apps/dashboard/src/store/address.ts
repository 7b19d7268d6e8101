import { computed, signal } from '@preact/signals';

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

/** Shows the address at which the browser is. */
function show(): void {
  address.value = read();
  listFilter.value = filterIn(address.value) ?? listFilter.value;
}

/** Goes to an address of the page. `replace`: Back does not return to the present one. */
export function go(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  show();
}

/** Lets links and Back change the screen without a reload. */
export function watchAddress(): void {
  addEventListener('popstate', show);
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
    if (link.hash === '') window.scrollTo(0, 0);
  });
}
