import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import declarations from '../../../../../docs/script/vantage-script.d.ts?raw';
import type { FieldInputProps } from '../../parts/search-choice.tsx';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { type Completion, type Completions, completionsAt } from './script-completion.ts';
import css from './script-editor.module.css';
import { readScriptTypes } from './script-types.ts';

/** Where a script failed when it was tried. */
export interface ScriptFault {
  readonly line: number;
  readonly text: string;
}

export interface ScriptEditorProps {
  readonly field: FieldInputProps;
  readonly text: string;
  readonly fault: ScriptFault | undefined;
  readonly onText: (text: string) => void;
}

const types = readScriptTypes(declarations);
const maxShown = 8;
const nothing: Completions = { from: 0, items: [] };

function CompletionList({
  items,
  active,
  onPick,
}: {
  readonly items: readonly Completion[];
  readonly active: number;
  readonly onPick: (item: Completion) => void;
}) {
  const chosen = items[active];
  return (
    <div class={css['completions']}>
      <div role="listbox" tabIndex={-1} aria-label={say.completions}>
        {items.map((item, at) => (
          <button
            key={item.name}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            // The editor keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(item)}
          >
            {item.name}
          </button>
        ))}
      </div>
      <div class={css['doc']} aria-live="polite">
        <code>{chosen?.detail}</code>
        <p>{chosen?.doc}</p>
        <p class="hint">{say.completionKeys}</p>
      </div>
    </div>
  );
}

/** The offset at which a line starts; lines count from 1. */
const startOf = (text: string, line: number) =>
  text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, each) => sum + each.length + 1, 0);

/** A text field for scripts with line numbers, completion, and the line at which the tried script failed. */
export function ScriptEditor({ field, text, fault, onText }: ScriptEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLOListElement>(null);
  const [found, setFound] = useState(nothing);
  const [active, setActive] = useState(0);
  const [isChosen, setChosen] = useState(false);
  const lines = useMemo(() => text.split('\n'), [text]);
  const items = found.items.slice(0, maxShown);
  const close = () => setFound(nothing);
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setFound(completionsAt(value, selectionStart, types));
    setActive(0);
    setChosen(false);
  };
  const insert = ({ name }: Completion) => {
    const { current } = area;
    if (current === null) return;
    current.setRangeText(name, found.from, current.selectionStart, 'end');
    onText(current.value);
    close();
  };
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }) => {
    const isOpen = items.length > 0;
    const chosen = items[active];
    const choose = (by: number) => {
      setActive((active + by + items.length) % items.length);
      setChosen(true);
    };
    const hasCtrl = event.ctrlKey || event.metaKey;
    const keys: Readonly<Record<string, () => void>> = {
      ...(hasCtrl && { ' ': () => look(event.currentTarget) }),
      ...(isOpen && {
        ArrowDown: () => choose(1),
        ArrowUp: () => choose(-1),
        Escape: close,
        ...(chosen !== undefined && { Tab: () => insert(chosen) }),
        // Enter begins a line until a name was chosen by the arrows.
        ...(chosen !== undefined && isChosen && { Enter: () => insert(chosen) }),
      }),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  useEffect(() => {
    if (gutter.current !== null && area.current !== null) gutter.current.scrollTop = area.current.scrollTop;
  }, [lines.length]);
  const showFault = () => {
    if (fault === undefined || area.current === null) return;
    const from = startOf(text, fault.line);
    area.current.focus();
    area.current.setSelectionRange(from, from + (lines[fault.line - 1]?.length ?? 0));
  };
  return (
    <div>
      <div class={css['editor']}>
        <ol ref={gutter} class={css['numbers']} aria-hidden="true">
          {lines.map((_, at) => (
            <li key={at} class={at + 1 === fault?.line ? css['faulty'] : undefined}>
              {at + 1}
            </li>
          ))}
        </ol>
        <textarea
          {...field}
          ref={area}
          class={css['text']}
          rows={Math.min(32, Math.max(16, lines.length + 1))}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={text}
          onInput={({ currentTarget }) => {
            onText(currentTarget.value);
            look(currentTarget);
          }}
          onKeyDown={press}
          onClick={close}
          onBlur={close}
          onScroll={({ currentTarget }) => {
            if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop;
          }}
        />
      </div>
      {items.length > 0 && <CompletionList items={items} active={active} onPick={insert} />}
      {fault !== undefined && (
        <p class="hint bad" role="alert">
          <button type="button" class="link" onClick={showFault}>
            {say.faultyLine(fault.line)}
          </button>
          : {fault.text}
        </p>
      )}
    </div>
  );
}
