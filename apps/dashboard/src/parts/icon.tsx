import type { ComponentChildren, JSX } from 'preact';
import type { DeviceState } from '../model/state.ts';
import { deviceWords } from '../texts/device-words.ts';
import css from './icon.module.css';

/** The icons: the states of devices and Locations, and the outcomes of messages. */
export type IconName = DeviceState | 'Offline' | 'Delivered' | 'Failed' | 'Planned' | 'Other';

/** Functions, because an element that Preact shows twice keeps its former ancestors in memory. */
const shapes: Readonly<Record<IconName, () => JSX.Element>> = {
  Up: () => <circle cx="6" cy="6" r="3.5" fill="currentColor" />,
  Down: () => <path d="M6 .8 11.6 11H.4z" fill="currentColor" />,
  Retrying: () => <path d="M6 2.4 10.2 10H1.8z" fill="none" stroke="currentColor" stroke-width="1.5" />,
  Partial: () => (
    <g>
      <path d="M6 2.4 10.2 10H1.8z" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M6 2.4 10.2 10H6z" fill="currentColor" />
    </g>
  ),
  Maint: () => <rect x="1.5" y="1.5" width="9" height="9" rx="1" fill="currentColor" />,
  Unknown: () => (
    <circle
      cx="6"
      cy="6"
      r="4.6"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-dasharray="2.4 1.7"
    />
  ),
  Paused: () => <path d="M3 1.5h2v9H3zM7 1.5h2v9H7z" fill="currentColor" />,
  Offline: () => (
    <g fill="none" stroke="currentColor" stroke-width="1.5">
      <circle cx="6" cy="6" r="4.6" />
      <path d="M2.8 9.2 9.2 2.8" />
    </g>
  ),
  Delivered: () => (
    <path d="M1.5 6.5 4.5 9.5 10.5 2.5" fill="none" stroke="currentColor" stroke-width="1.6" />
  ),
  Failed: () => <path d="M2 2 10 10M10 2 2 10" fill="none" stroke="currentColor" stroke-width="1.6" />,
  Planned: () => (
    <g fill="none" stroke="currentColor" stroke-width="1.3">
      <circle cx="6" cy="6" r="4.8" />
      <path d="M6 3v3.2l2.2 1.3" />
    </g>
  ),
  Other: () => <circle cx="6" cy="6" r="2" fill="currentColor" />,
};

/** A status by shape and colour. `word` is for screen readers, where no visible word follows the icon. */
export function Icon({ name, word }: { readonly name: IconName; readonly word?: string }) {
  const named =
    word === undefined ? ({ 'aria-hidden': 'true' } as const) : { role: 'img' as const, 'aria-label': word };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: its name is a label, because a title would show as a tooltip
    <svg class={`${css['icon']} ${css[name]}`} viewBox="0 0 12 12" {...named}>
      {shapes[name]()}
    </svg>
  );
}

/** A state as icon and word, then `children`. */
export function StateWord({
  state,
  children,
}: {
  readonly state: DeviceState | 'Offline';
  readonly children?: ComponentChildren;
}) {
  return (
    <span class={`${css['word']} ${css[`${state}Word`]}`}>
      <Icon name={state} />
      <span>{deviceWords.states[state]}</span>
      {children !== undefined && <span class={css['more']}>{children}</span>}
    </span>
  );
}
