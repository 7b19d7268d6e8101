import { computed } from '@preact/signals';
import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import { suggestionsFor } from '../../model/device-filter.ts';
import { fieldOf, filterFields } from '../../model/filter-text.ts';
import { useDeviceSettings } from '../../store/device-settings.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';
import { filter, knownValues, setFilter, strangers, text } from './list-state.ts';

const suggestions = computed(() => suggestionsFor(text.value, filterFields, knownValues));

/** The explanation of a suggested field: `tag:` is one, `tag:lab` is not. */
function hintOf(words: string): string | undefined {
  const field = words.endsWith(':') ? fieldOf(words.replace(/^-/, '').slice(0, -1)) : undefined;
  return field === undefined ? undefined : say.fieldHints[field];
}

/** The names of masters, schedules and sources are read when somebody filters by them. */
const namesSettings = () => /\b(master|schedule|source|frequency):/i.test(text.value);

/** The unknown words of the filter, and its values that no device has. */
function FilterProblems() {
  const words = [
    ...filter.value.unknown.map((word) => `${deviceWords.unknownField(word)}.`),
    ...strangers.value.map(({ field, value }) => say.stranger(field, value)),
  ];
  return words.length === 0 ? null : <p class="hint bad">{words.join(' ')}</p>;
}

/** The field of the filter, which completes words while they are typed. */
export function FilterField({ field }: { readonly field: RefObject<HTMLInputElement | null> }) {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const id = useId();
  const shown = isOpen ? suggestions.value : [];
  useDeviceSettings(isOpen && namesSettings());
  const accept = (position: number) => {
    const chosen = shown[position];
    if (chosen === undefined) return;
    setFilter(chosen.text);
    setAt(-1);
    field.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0 && shown.length > 0) setAt(Math.min(shown.length - 1, Math.max(-1, at + by)));
    else if (event.key === 'Enter' && at >= 0) accept(at);
    else if (event.key === 'Enter' || (event.key === 'Escape' && shown.length > 0)) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <search class={css['filter']}>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={say.filter}
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        placeholder={say.filterHint}
        value={text.value}
        spellcheck={false}
        autocomplete="off"
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
        onInput={(event) => {
          setFilter(event.currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
      />
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: the focus stays in the field */}
      {/* biome-ignore-start lint/a11y/useKeyWithClickEvents: the field has the keys */}
      <div
        id={id}
        role="listbox"
        aria-label={say.suggestions}
        class={css['suggestions']}
        hidden={shown.length === 0}
      >
        {shown.map(({ words }, position) => (
          <div
            key={words}
            id={`${id}-${position}`}
            role="option"
            aria-selected={position === at}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => accept(position)}
          >
            <code>{words}</code>
            <span class="mute">{hintOf(words)}</span>
          </div>
        ))}
      </div>
      {/* biome-ignore-end lint/a11y/useKeyWithClickEvents: the field has the keys */}
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: the focus stays in the field */}
      <FilterProblems />
    </search>
  );
}
