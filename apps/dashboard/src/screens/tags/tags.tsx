import { useState } from 'preact/hooks';
import { type ListedTag, type TagRow, tagRows } from '../../model/tag-rows.ts';
import { Icon } from '../../parts/icon.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { SettingList, SettingRow } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { progress, rows } from '../../store/account-state.ts';
import { api, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { listOf } from './tag-address.ts';
import { TagDialog } from './tag-dialog.tsx';
import { tagTexts as say } from './tag-texts.ts';
import css from './tags.module.css';

/** More rows would make the screen slow; the field above the list finds the others. */
const maxShown = 200;

function DeviceCount({ tag: { worst, devices } }: { readonly tag: TagRow }) {
  if (progress.value !== 'ready') return '–';
  if (worst === undefined) return <span class="mute">{say.unused}</span>;
  return (
    <>
      <Icon name={worst} word={deviceWords.states[worst]} /> {say.devices(devices)}
    </>
  );
}

/** The tags whose name contains the text of the field. */
function TagList({
  tags,
  open,
}: {
  readonly tags: readonly ListedTag[];
  readonly open: (tag: TagRow) => void;
}) {
  const [text, setText] = useState('');
  const found = tagRows(tags, rows.value, text);
  return (
    <div class="section">
      <div class={css['find']}>
        <LineField name={say.filter} value={text} problem={undefined} onInput={setText} />
      </div>
      {found.length === 0 && <p class="mute">{say.noMatch(text.trim())}</p>}
      <ul class="section">
        {found.slice(0, maxShown).map((tag) => (
          <SettingRow
            key={tag.id}
            name={tag.name}
            label={
              <a class="link" href={listOf(tag.name)}>
                <bdi>{tag.name}</bdi>
              </a>
            }
            more={<DeviceCount tag={tag} />}
            state={tag.down > 0 && <b class="bad">{say.down(tag.down)}</b>}
            onChange={() => open(tag)}
          />
        ))}
      </ul>
      {found.length > maxShown && <p class="hint">{say.more(found.length - maxShown)}</p>}
    </div>
  );
}

/** All tags with the devices that have them. Levels that may change settings also add, rename and delete tags. */
export function TagsScreen() {
  const read = useRead(() => take(api.GET('/tags')), [], [minute.value]);
  return (
    <div class="page">
      <SettingList<ListedTag, TagRow>
        kind="tags"
        say={say}
        read={read}
        list={(tags, open) => <TagList tags={tags} open={open} />}
        dialog={(tag, close) => <TagDialog tag={tag} onChanged={read.again} onClose={close} />}
      />
    </div>
  );
}
