import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayWrite, session } from '../store/credential.ts';
import { Heading } from './heading.tsx';
import { ReadState } from './read-state.tsx';
import css from './setting-list.module.css';
import type { ReadResult } from './use-read.ts';

const texts = { csv: 'CSV', change: 'Change', changeOf: (name: string) => `Change ${name}` };

interface SettingListProps<Row, Item> {
  /** The path of the list in the API, and the name of its CSV file. */
  readonly kind: 'tags' | 'secrets' | 'hooks';
  readonly say: {
    readonly name: string;
    readonly title: (n: number) => string;
    /** One sentence about their purpose. */
    readonly about: string;
    readonly none: string;
    readonly add: string;
  };
  readonly read: ReadResult<readonly Row[]>;
  /** The rows. `open` opens the dialog of one. */
  readonly list: (rows: readonly Row[], open: (item: Item) => void) => ComponentChildren;
  /** The dialog that adds one (`item` undefined) or changes `item`. */
  readonly dialog: (item: Item | undefined, close: () => void) => ComponentChildren;
}

/** A list of settings of one kind: heading, purpose, buttons, rows, and the dialog that adds or changes one. */
export function SettingList<Row, Item = Row>(props: SettingListProps<Row, Item>) {
  const { kind, say, read, list, dialog } = props;
  const [opened, setOpened] = useState<Item | 'new'>();
  const { data } = read;
  return (
    <>
      <div class={css['head']}>
        <div class={css['title']}>
          <Heading>{data === undefined || data.length === 0 ? say.name : say.title(data.length)}</Heading>
          <p class="mute">{say.about}</p>
        </div>
        <div class="buttons">
          <a class="button" href={`/v1.1/${kind}?fmt=csv&filename=${kind}.csv`} download>
            {texts.csv}
          </a>
          {mayWrite.value && (
            <button type="button" class="button main" onClick={() => setOpened('new')}>
              {say.add}
            </button>
          )}
        </div>
      </div>
      <ReadState read={read} />
      {data?.length === 0 && <p class="mute section">{say.none}</p>}
      {data !== undefined && data.length > 0 && list(data, setOpened)}
      {opened !== undefined && dialog(opened === 'new' ? undefined : opened, () => setOpened(undefined))}
    </>
  );
}

/** The title of the dialog of `SettingList`. */
export const settingTitle = (add: string, name: string | undefined): string =>
  name === undefined ? add : texts.changeOf(name);

/** A row: the name, what is known about it, its state, and a button that opens its dialog. */
export function SettingRow({
  name,
  label,
  more,
  state,
  onChange,
}: {
  /** The name for the button's description. */
  readonly name: string;
  /** The name as it is shown. */
  readonly label: ComponentChildren;
  readonly more: ComponentChildren;
  readonly state: ComponentChildren;
  readonly onChange: () => void;
}) {
  return (
    <li class={css['row']}>
      <div class={css['name']}>{label}</div>
      <div class={css['more']}>{more}</div>
      <div class={css['more']}>{state}</div>
      <div class={`buttons ${css['acts']}`}>
        {mayWrite.value && (
          <button type="button" class="button" aria-label={texts.changeOf(name)} onClick={onChange}>
            {texts.change}
          </button>
        )}
      </div>
    </li>
  );
}

/** A screen that callers who are limited to tags do not see. */
export function AccountWideScreen({
  say,
  children,
}: {
  readonly say: { readonly name: string; readonly noRights: string };
  readonly children: ComponentChildren;
}) {
  return (
    <div class="page">
      {session.value?.tags === null ? (
        children
      ) : (
        <>
          <Heading>{say.name}</Heading>
          <p>{say.noRights}</p>
        </>
      )}
    </div>
  );
}
