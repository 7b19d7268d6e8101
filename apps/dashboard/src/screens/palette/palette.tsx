import { useState } from 'preact/hooks';
import { rankOf } from '../../model/state.ts';
import { placesOf } from '../../parts/account-menu.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { pathOf } from '../../parts/frame.tsx';
import { Mark, type MarkName } from '../../parts/mark.tsx';
import { locations, rows } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { mayAdminister, mayWrite, signOut } from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import css from './palette.module.css';

const say = texts.palette;
const most = 12;

interface Choice {
  readonly key: string;
  readonly words: string;
  readonly more?: string;
  readonly mark: MarkName;
  readonly run: () => void;
}

/** The matches, the begin of a name before its middle. */
function choicesOf(text: string): readonly Choice[] {
  const wanted = text.trim().toLowerCase();
  const commands: readonly Choice[] = [
    ...(mayWrite.value
      ? ([
          { key: 'add', words: texts.devices.add, mark: 'Other', run: () => go('/devices/new') },
          { key: 'many', words: texts.many.title, mark: 'Other', run: () => go('/devices/new/many') },
        ] as const)
      : []),
    ...(['overview', 'devices', 'alerts', 'locations', 'schedules', 'reports'] as const).map((screen) => ({
      key: screen,
      words: say.go(texts.screens[screen]),
      mark: 'Other' as const,
      run: () => go(pathOf(screen)),
    })),
    { key: 'maintenance', words: say.maintenance, mark: 'Other', run: () => go('/schedules/maintenance') },
    { key: 'contacts', words: say.contacts, mark: 'Other', run: () => go('/schedules/contacts') },
    ...placesOf(mayAdminister.value).map(({ path, words }) => ({
      key: path,
      words: say.go(words),
      mark: 'Other' as const,
      run: () => go(path),
    })),
    { key: 'wall', words: say.wall, mark: 'Other', run: () => go('/wall') },
    { key: 'out', words: texts.signOut, mark: 'Other', run: () => void signOut() },
  ];
  const found = rows.value
    .filter(({ words }) => words.includes(wanted))
    .sort((a, b) => rankOf(a.state) - rankOf(b.state))
    .slice(0, most)
    .map(({ id, name, shortName, state }) => ({
      key: id,
      words: name,
      more: shortName === name ? texts.states[state] : `${shortName} · ${texts.states[state]}`,
      mark: state,
      run: () => go(`/devices/${id}`),
    }));
  const places = locations.value.map(({ location_id, Name, Online }) => ({
    key: location_id,
    words: Name,
    more: texts.locations.location,
    mark: Online ? ('Up' as const) : ('Offline' as const),
    run: () => go('/locations'),
  }));
  const fitting = [...places, ...commands].filter(({ words }) => words.toLowerCase().includes(wanted));
  const all = wanted === '' ? [...commands, ...found.slice(0, 5)] : [...found, ...fitting];
  const isBegin = ({ words }: Choice) => (words.toLowerCase().startsWith(wanted) ? 0 : 1);
  return all.sort((a, b) => isBegin(a) - isBegin(b)).slice(0, most);
}

/** Searches every object, and does every command that the rights allow. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = choicesOf(text);
  const run = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    choice.run();
  };
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) setAt(Math.min(choices.length - 1, Math.max(0, at + by)));
    else if (event.key === 'Enter') run(choices[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={say.title} onClose={onClose} isWide isHeadHidden>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-label={say.title}
        aria-activedescendant={choices[at] === undefined ? undefined : `choice-${choices[at].key}`}
        placeholder={say.hint}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text}
        onKeyDown={press}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
      />
      {choices.length === 0 && <p class={css['none']}>{say.none}</p>}
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: the focus stays in the field */}
      {/* biome-ignore-start lint/a11y/useKeyWithClickEvents: the field has the keys */}
      <div id="choices" role="listbox" aria-label={say.title} class={css['choices']}>
        {choices.map((choice, index) => (
          <div
            key={choice.key}
            id={`choice-${choice.key}`}
            role="option"
            aria-selected={index === at}
            class={css['option']}
            onClick={() => run(choice)}
          >
            <Mark name={choice.mark} />
            <bdi>{choice.words}</bdi>
            <span class="mute">{choice.more}</span>
          </div>
        ))}
      </div>
      {/* biome-ignore-end lint/a11y/useKeyWithClickEvents: the field has the keys */}
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: the focus stays in the field */}
    </Dialog>
  );
}
