import { useKeys } from '../../parts/keys.ts';
import { mayOperate } from '../../store/credential.ts';
import {
  active,
  clearSelection,
  selectAll,
  selected,
  setFilter,
  steady,
  text,
  toggle,
} from './list-state.ts';

function rowAt(by: number) {
  const shown = steady.rows.value;
  const at = shown.findIndex(({ id }) => id === active.value);
  return shown[Math.min(shown.length - 1, Math.max(0, at + by))];
}

/** The row may be rendered only after the list has scrolled. */
const renderMs = 30;

function move(by: number): void {
  const id = rowAt(by)?.id ?? '';
  active.value = id;
  setTimeout(
    () => document.querySelector<HTMLElement>(`[data-device="${id}"] a`)?.focus({ preventScroll: true }),
    renderMs,
  );
}

function extend(by: number): void {
  const both = [active.value, rowAt(by)?.id ?? ''].filter((id) => id !== '');
  move(by);
  selected.value = new Set([...selected.value, ...both]);
}

function stepBack(): void {
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
  else if (selected.value.size > 0) clearSelection();
  // Back returns to the filter.
  else if (text.value !== '') setFilter('', { replace: false });
}

const toggleActive = () => {
  if (steady.rows.value.some(({ id }) => id === active.value)) toggle(active.value);
};

/** The keys of the list. Those of its rows (e, s, m, r, i) are in `DeviceKeys`. */
export function useListKeys(focusSearch: () => void): void {
  useKeys({
    '/': focusSearch,
    j: () => move(1),
    k: () => move(-1),
    Escape: stepBack,
    ...(mayOperate.value
      ? { J: () => extend(1), K: () => extend(-1), x: toggleActive, 'Ctrl+a': selectAll }
      : {}),
  });
}
