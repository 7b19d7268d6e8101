import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

const stops = 'button:not(:disabled), a[href], input, select, summary, [role="treeitem"]';

/**
 * One Tab stop for a group of controls. Arrow keys, Home and End move inside. The stop is the control that had the
 * focus last.
 */
export function useRoving(group: RefObject<HTMLElement | null>, direction: 'row' | 'column'): void {
  useLayoutEffect(() => {
    const root = group.current;
    if (root === null) return;
    const items = () => [...root.querySelectorAll<HTMLElement>(stops)];
    let last: HTMLElement | undefined;
    const settle = () => {
      const all = items();
      const stop = all.find((item) => item === last) ?? all[0];
      for (const item of all) item.tabIndex = item === stop ? 0 : -1;
    };
    const focus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && items().includes(target)) {
        last = target;
        settle();
      }
    };
    const [before, after] = direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const all = items();
      const { activeElement } = document;
      const at = activeElement instanceof HTMLElement ? all.indexOf(activeElement) : -1;
      const positions: Readonly<Record<string, number>> = {
        [before]: at - 1,
        [after]: at + 1,
        Home: 0,
        End: all.length - 1,
      };
      const next = at < 0 ? undefined : positions[event.key];
      if (next === undefined) return;
      event.preventDefault();
      all[next]?.focus();
    };
    settle();
    const changes = new MutationObserver(settle);
    changes.observe(root, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    root.addEventListener('focusin', focus);
    root.addEventListener('keydown', press);
    return () => {
      changes.disconnect();
      root.removeEventListener('focusin', focus);
      root.removeEventListener('keydown', press);
    };
  }, [group, direction]);
}
