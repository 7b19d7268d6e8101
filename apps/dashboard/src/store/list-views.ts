import { computed, signal } from '@preact/signals';
import { accountId, onSignInEnd } from './present-sign-in.ts';

/** A saved view of the list of devices: a name for an address. */
export interface SavedView {
  readonly name: string;
  /** The query of the address, `q=status:down&columns=…`. */
  readonly query: string;
}

// What this browser remembers for an account. The address of a list is complete without it.

const maxViews = 50;
const changes = signal(0);
onSignInEnd(() => {
  changes.value += 1;
});

const keyOf = (what: string) => `vantage-${what}:${accountId.value ?? ''}`;

function stored(what: string): string | null {
  void changes.value;
  return accountId.value === undefined ? null : localStorage.getItem(keyOf(what));
}

function store(what: string, value: string | undefined): void {
  if (accountId.value === undefined) return;
  if (value === undefined) localStorage.removeItem(keyOf(what));
  else localStorage.setItem(keyOf(what), value);
  changes.value += 1;
}

/** The columns that were chosen last; null: none. */
export const rememberedColumns = computed(() => stored('columns'));
export const rememberColumns = (columns: string | undefined): void => store('columns', columns);

const isView = (value: unknown): value is SavedView =>
  value !== null &&
  typeof value === 'object' &&
  'name' in value &&
  typeof value.name === 'string' &&
  'query' in value &&
  typeof value.query === 'string';

export const savedViews = computed<readonly SavedView[]>(() => {
  try {
    const value: unknown = JSON.parse(stored('views') ?? '[]');
    return Array.isArray(value) ? value.filter(isView) : [];
  } catch {
    // Another program wrote into the browser's memory.
    return [];
  }
});

/** Saves a view. It replaces one of the same name; the oldest of too many is dropped. */
export function saveView(view: SavedView): void {
  const others = savedViews.value.filter(({ name }) => name !== view.name);
  store('views', JSON.stringify([...others, view].slice(-maxViews)));
}

export function removeView(name: string): void {
  store('views', JSON.stringify(savedViews.value.filter((view) => view.name !== name)));
}
