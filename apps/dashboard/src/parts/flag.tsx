import type { ComponentChildren } from 'preact';
import css from './flag.module.css';

/** A checkbox with its words, for the bar above a list. */
export function Flag({
  isOn,
  set,
  children,
}: {
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class={css['flag']}>
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => set(currentTarget.checked)} />{' '}
      {children}
    </label>
  );
}
