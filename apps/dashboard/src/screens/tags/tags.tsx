import { useState } from 'preact/hooks';
import { type TagRow, tagRows } from '../../model/tag-rows.ts';
import { Icon } from '../../parts/icon.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { CsvLink, SettingHead, SettingRow } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { progress, rows } from '../../store/account-state.ts';
import { api, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { listOf } from './tag-address.ts';
import { TagDialog } from './tag-dialog.tsx';
import { tagTexts as say } from './tag-texts.ts';
import css from './tags.module.css';

/** More rows would make the screen slow; the field above the list finds the others. */
const maxShown = 200;

function TagList({
  found,
  onChange,
}: {
  readonly found: readonly TagRow[];
  readonly onChange: (tag: TagRow) => void;
}) {
  return (
    <ul class="section">
      {found.slice(0, maxShown).map((tag) => (
        <SettingRow
          key={tag.id}
          name={
            <a class="link" href={listOf(tag.name)}>
              <bdi>{tag.name}</bdi>
            </a>
          }
          more={
            progress.value !== 'ready' ? (
              '–'
            ) : tag.worst === undefined ? (
              <span class="mute">{say.unused}</span>
            ) : (
              <>
                <Icon name={tag.worst} word={deviceWords.states[tag.worst]} /> {say.devices(tag.devices)}
              </>
            )
          }
          state={tag.down > 0 && <b class="bad">{say.down(tag.down)}</b>}
        >
          {mayWrite.value && (
            <button
              type="button"
              class="button"
              aria-label={say.changeOf(tag.name)}
              onClick={() => onChange(tag)}
            >
              {say.change}
            </button>
          )}
        </SettingRow>
      ))}
    </ul>
  );
}

/** All tags with the devices that have them. Levels that may change settings also add, rename and delete tags. */
export function TagsScreen() {
  const all = useRead(() => take(api.GET('/tags')), [], [minute.value]);
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<TagRow | 'new'>();
  const { data } = all;
  const found = tagRows(data ?? [], rows.value, text);
  return (
    <div class="page">
      <SettingHead title={data === undefined ? say.name : say.title(data.length)} about={say.about}>
        <CsvLink kind="tags" words={say.csv} />
        {mayWrite.value && (
          <button type="button" class="button main" onClick={() => setOpened('new')}>
            {say.add}
          </button>
        )}
      </SettingHead>
      <ReadState read={all} />
      {data !== undefined && (
        <div class="section">
          {data.length === 0 ? (
            <p class="mute">{say.none}</p>
          ) : (
            <div class={css['find']}>
              <LineField name={say.filter} value={text} problem={undefined} onInput={setText} />
            </div>
          )}
          {data.length > 0 && found.length === 0 && <p class="mute">{say.noMatch(text.trim())}</p>}
          <TagList found={found} onChange={setOpened} />
          {found.length > maxShown && <p class="hint">{say.more(found.length - maxShown)}</p>}
        </div>
      )}
      {opened !== undefined && (
        <TagDialog
          tag={opened === 'new' ? undefined : opened}
          onChanged={all.again}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}
