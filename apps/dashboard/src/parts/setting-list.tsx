import type { ComponentChildren } from 'preact';
import { Heading } from './heading.tsx';
import css from './setting-list.module.css';

/** The head of a screen with a list of settings: its heading, what they are for, and its buttons. */
export function SettingHead({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={css['head']}>
      <div class={css['title']}>
        <Heading>{title}</Heading>
        <p class="mute">{about}</p>
      </div>
      <div class="buttons">{children}</div>
    </div>
  );
}

/** A row: the name, what is known about it, its state, and its buttons. */
export function SettingRow({
  name,
  more,
  state,
  children,
}: {
  readonly name: ComponentChildren;
  readonly more: ComponentChildren;
  readonly state: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={css['row']}>
      <div class={css['name']}>{name}</div>
      <div class={css['more']}>{more}</div>
      <div class={css['more']}>{state}</div>
      <div class={`buttons ${css['acts']}`}>{children}</div>
    </li>
  );
}

/** A link that downloads a list of the API as CSV, in the account's zone. `kind` is its path and the file's name. */
export function CsvLink({
  kind,
  words,
}: {
  readonly kind: 'tags' | 'secrets' | 'hooks';
  readonly words: string;
}) {
  return (
    <a class="button" href={`/v1.1/${kind}?fmt=csv&filename=${kind}.csv`} download>
      {words}
    </a>
  );
}
