import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { formTexts } from '../texts/form-texts.ts';
import css from './search-choice.module.css';

const say = formTexts.search;

/** The attributes that each input of a field has. */
export interface FieldInputProps {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

/** A thing that can be chosen. */
export interface SearchOption {
  readonly id: string;
  readonly words: string;
  /** A text that distinguishes it from others with the same name. */
  readonly hint?: string | undefined;
}

const maxShown = 8;

/** The options whose words contain each word of a text, in any letter case. */
function matching(options: readonly SearchOption[], text: string): readonly SearchOption[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  return options.filter(({ words: name, hint = '' }) => {
    const full = `${name} ${hint}`.toLowerCase();
    return words.every((word) => full.includes(word));
  });
}

/** A search field with the things that match, to be chosen by pointer or keys. */
export function SearchChoice({
  field,
  placeholder,
  options,
  isLoading = false,
  create,
  onPick,
  onRemoveLast,
}: {
  readonly field: FieldInputProps;
  readonly placeholder: string;
  readonly options: readonly SearchOption[];
  /** Whether more options will come. */
  readonly isLoading?: boolean;
  /** The words of a choice that creates the typed thing; absent: only options can be chosen. */
  readonly create?: (text: string) => string;
  readonly onPick: (id: string) => void;
  /** Backspace in the empty field. */
  readonly onRemoveLast?: () => void;
}) {
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const found = isOpen ? matching(options, text) : [];
  const typed = text.trim();
  const isKnown = options.some(({ words }) => words.toLowerCase() === typed.toLowerCase());
  const shown = [
    ...found.slice(0, maxShown),
    ...(create !== undefined && typed !== '' && !isKnown ? [{ id: typed, words: create(typed) }] : []),
  ];
  const at = Math.min(active, shown.length - 1);
  const close = () => {
    setOpen(false);
    setEntered(false);
  };
  const pick = (option: SearchOption | undefined) => {
    if (option === undefined) return;
    onPick(option.id);
    setText('');
    setActive(0);
    setEntered(false);
    input.current?.focus();
  };
  // Enter before the options were read chooses when they are there. It must not send the form.
  useEffect(() => {
    if (isEntered) pick(shown[at]);
  }, [isEntered, shown.length > 0]);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => {
      setOpen(true);
      setActive(isOpen ? Math.min(at + 1, shown.length - 1) : 0);
    },
    ArrowUp: () => setActive(Math.max(0, at - 1)),
    ...(isOpen && { Escape: close }),
    ...(isOpen &&
      (shown.length > 0 || typed !== '') && {
        Enter: () => (shown.length > 0 ? pick(shown[at]) : setEntered(true)),
      }),
    ...(create !== undefined && typed !== '' && { ',': () => pick({ id: typed, words: typed }) }),
    ...(text === '' && onRemoveLast !== undefined && { Backspace: onRemoveLast }),
  };
  const leave = () => {
    close();
    // A new name that was typed is not lost.
    if (create !== undefined && typed !== '') {
      onPick(typed);
      setText('');
    }
  };
  // A text that chose nothing is not dropped silently.
  const isUnchosen = !isOpen && typed !== '';
  return (
    <div class={css['search']} data-bad={isUnchosen || undefined}>
      <input
        {...field}
        ref={input}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${listId}-${at}` : undefined}
        value={text}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={leave}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setActive(0);
          setEntered(false);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          act();
        }}
      />
      {isUnchosen && <p class="hint bad">{say.unchosen(typed)}</p>}
      <div class={css['matches']} hidden={!isOpen}>
        <div id={listId} role="listbox" tabIndex={-1} aria-label={placeholder}>
          {shown.map((option, index) => (
            <button
              key={option.id}
              id={`${listId}-${index}`}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
            >
              <bdi>{option.words}</bdi>
              {option.hint !== undefined && <span class="mute"> {option.hint}</span>}
            </button>
          ))}
        </div>
        {shown.length === 0 && <p class="hint">{isLoading ? say.loading : say.noMatch}</p>}
        {found.length > maxShown && <p class="hint">{say.moreMatches(found.length - maxShown)}</p>}
      </div>
    </div>
  );
}

/** The chosen things, each with a button that removes it. */
export function Chips({
  chosen,
  onRemove,
}: {
  readonly chosen: readonly SearchOption[];
  readonly onRemove: (id: string) => void;
}) {
  if (chosen.length === 0) return null;
  return (
    <ul class={css['chips']}>
      {chosen.map(({ id, words, hint }) => (
        <li key={id} class="tag">
          <bdi class="cut">{words}</bdi>
          {hint !== undefined && <span>{hint}</span>}
          <button
            type="button"
            class={css['cross']}
            aria-label={say.takeOut(words)}
            onClick={() => onRemove(id)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
