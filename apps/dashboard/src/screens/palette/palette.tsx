import { useEffect, useState } from 'preact/hooks';
import { markedParts, queryWords } from '../../model/palette-match.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { takeLetters } from '../../parts/early-letters.ts';
import { Icon } from '../../parts/icon.tsx';
import { MaintenanceDialog } from '../../parts/maintenance-dialog.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { devices, progress } from '../../store/account-state.ts';
import { searchDevices } from '../../store/read-states.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './palette.module.css';
import type { PaletteChoice } from './palette-choice.ts';
import { choicesFor } from './palette-choices.ts';
import { paletteTexts as say } from './palette-texts.ts';
import { readThings } from './read-things.ts';

const minLetters = 3;
const searchDelayMs = 250;
const nothing: ReadonlySet<string> = new Set();

/** The devices with the query in their URL, a moment after the last letter. */
function useDevicesByUrl(query: string): ReadonlySet<string> {
  const [found, setFound] = useState<{ readonly query: string; readonly ids: ReadonlySet<string> }>();
  useEffect(() => {
    if (query.length < minLetters) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      searchDevices(query).then(
        (ids) => isCurrent && setFound({ query, ids }),
        () => {}, // The search by name works without it.
      );
    }, searchDelayMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query]);
  return found?.query === query ? found.ids : nothing;
}

function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  return (
    <bdi>
      {markedParts(text, words).map((part, at) => (part.isMatch ? <b key={at}>{part.text}</b> : part.text))}
    </bdi>
  );
}

function Option({
  choice,
  words,
  isChosen,
  onRun,
}: {
  readonly choice: PaletteChoice;
  readonly words: readonly string[];
  readonly isChosen: boolean;
  readonly onRun: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    <div
      id={`choice-${choice.key}`}
      role="option"
      aria-selected={isChosen}
      class={css['option']}
      onClick={onRun}
    >
      <Icon name={choice.icon} />
      <span class="cut">
        <Marked text={choice.words} words={words} /> <span class="mute">{choice.more}</span>
      </span>
      {choice.shortcut !== undefined && <kbd>{choice.shortcut}</kbd>}
    </div>
  );
}

/** The choices in their groups, in order. */
function grouped(choices: readonly PaletteChoice[]): readonly (readonly PaletteChoice[])[] {
  const groups: PaletteChoice[][] = [];
  for (const choice of choices) {
    const last = groups.at(-1);
    if (last?.[0]?.group === choice.group) last.push(choice);
    else groups.push([choice]);
  }
  return groups;
}

/** Searches everything that has a name, and does what the session's rights allow. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosenKey, setChosenKey] = useState<string>();
  const [chosenDevice, setChosenDevice] = useState<string>();
  const [asked, setAsked] = useState<string>();
  // The dialog is open now, and its field has the focus.
  useEffect(() => setText(takeLetters()), []);
  const read = useRead(readThings, []);
  const byUrl = useDevicesByUrl(text.trim());
  const words = queryWords(text);
  const choices = choicesFor(text, {
    things: read.data ?? [],
    byUrl,
    chosenDevice,
    askMaintenance: setAsked,
  });
  const at = Math.max(
    0,
    choices.findIndex(({ key }) => key === chosenKey),
  );
  const choose = (position: number) => {
    const choice = choices[Math.min(choices.length - 1, Math.max(0, position))];
    setChosenKey(choice?.key);
    if (choice?.deviceId !== undefined) setChosenDevice(choice.deviceId);
    document.getElementById(`choice-${choice?.key ?? ''}`)?.scrollIntoView({ block: 'nearest' });
  };
  const run = (choice: PaletteChoice | undefined) => {
    if (choice === undefined) return;
    const isMaintenance =
      choice.key.startsWith('maintenance-') && devices.value.get(choice.key.slice(12))?.status !== 'Maint';
    choice.run();
    if (!isMaintenance) onClose();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') choose(at + 1);
    else if (event.key === 'ArrowUp') choose(at - 1);
    else if (event.key === 'Enter') run(choices[at]);
    else if (event.key === 'Tab' && !event.shiftKey) {
      const act = choices.findIndex(({ group }, position) => group === 'do' && position > at);
      if (act < 0) return;
      choose(act);
    } else return;
    event.preventDefault();
  };
  const device = asked === undefined ? undefined : devices.value.get(asked);
  if (device !== undefined) return <MaintenanceDialog id={device.id} name={device.name} onClose={onClose} />;
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
          setChosenKey(undefined);
          setChosenDevice(undefined);
        }}
      />
      {choices.length === 0 && (
        <p class={css['none']}>{progress.value === 'loading' ? deviceWords.stillLoading : say.none}</p>
      )}
      <ReadState read={read} rows={0} />
      <div id="choices" role="listbox" aria-label={say.title} class={css['choices']}>
        {grouped(choices).map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options in a listbox
          <div key={group[0]?.key} role="group" aria-label={say.groups[group[0]?.group ?? 'actions']}>
            <p class={css['groupHead']} aria-hidden="true">
              {say.groups[group[0]?.group ?? 'actions']}
            </p>
            {group.map((choice) => (
              <Option
                key={choice.key}
                choice={choice}
                words={words}
                isChosen={choice === choices[at]}
                onRun={() => run(choice)}
              />
            ))}
          </div>
        ))}
      </div>
      <p class={css['foot']} aria-hidden="true">
        {say.foot.map(([key, what]) => (
          <span key={key}>
            <kbd>{key}</kbd> {what}
          </span>
        ))}
      </p>
    </Dialog>
  );
}
