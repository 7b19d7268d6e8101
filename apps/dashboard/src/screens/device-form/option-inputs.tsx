import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import {
  jsonText,
  kindOf,
  listText,
  type Pairs,
  pairsOf,
  readJson,
  readList,
  readNumber,
  readPairs,
  readText,
} from './option-values.ts';
import { RequestList } from './request-list.tsx';
import { StepList } from './step-list.tsx';
import { type OptionInputProps, useTyped } from './use-typed.ts';

interface Choice {
  readonly value: unknown;
  readonly words: string;
}

function ChoiceInput({
  field,
  value,
  placeholder,
  onValue,
  choices,
}: OptionInputProps & { readonly choices: readonly Choice[] }) {
  const at = choices.findIndex((choice) => choice.value === value);
  return (
    <select
      {...field}
      value={at}
      onChange={({ currentTarget }) => onValue(choices[Number(currentTarget.value)]?.value)}
    >
      <option value={-1}>{placeholder === undefined ? say.unset : say.byDefault(placeholder)}</option>
      {choices.map(({ words }, index) => (
        <option key={words} value={index}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** A text in one line or in several ones. */
function TextInput({
  props: { field, value, placeholder, onValue },
  kind,
  format,
  read,
}: {
  readonly props: OptionInputProps;
  readonly kind: 'line' | 'area' | 'secret' | 'number';
  readonly format: (value: unknown) => string;
  readonly read: (text: string) => unknown;
}) {
  const [typed, setTyped] = useTyped(value, format, read);
  const change = (text: string) => {
    setTyped(text);
    onValue(read(text));
  };
  const shared = { ...field, autocomplete: 'off', spellcheck: false, placeholder, value: typed } as const;
  if (kind === 'area')
    return (
      <textarea
        {...shared}
        rows={Math.min(8, Math.max(1, typed.split('\n').length))}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
    change(currentTarget.value);
  if (kind === 'secret') return <input {...shared} type="password" onInput={onInput} />;
  return (
    <input {...shared} type="text" inputMode={kind === 'number' ? 'decimal' : 'text'} onInput={onInput} />
  );
}

/** Rows of names and values. The last row is empty, to be filled. */
function PairRows({ field, words, schema, value, onValue }: OptionInputProps) {
  const [rows, setRows] = useTyped<Pairs>(value, pairsOf, (typed) => readPairs(typed, schema));
  const change = (next: Pairs) => {
    setRows(next);
    onValue(readPairs(next, schema));
  };
  const shown: Pairs = rows.at(-1)?.every((text) => text === '') ? rows : [...rows, ['', '']];
  const write = (at: number, [name, text]: Pairs[number]) =>
    change(shown.map((row, index) => (index === at ? [name, text] : row)));
  return (
    <fieldset class={css['rows']} aria-label={words}>
      {shown.map(([name, text], at) => {
        const isEmpty = at === shown.length - 1;
        return (
          // The key is the index: a row keeps its focus while its name is typed.
          <div key={at} class={css['pair']}>
            <input
              {...(at === 0 ? field : {})}
              type="text"
              class={isEmpty ? css['blank'] : undefined}
              autocomplete="off"
              spellcheck={false}
              placeholder={say.pairName}
              aria-label={say.pairNameOf(words, at + 1)}
              value={name}
              onInput={({ currentTarget }) => write(at, [currentTarget.value, text])}
            />
            <input
              type="text"
              class={isEmpty ? css['blank'] : undefined}
              autocomplete="off"
              spellcheck={false}
              placeholder={say.pairValue}
              aria-label={say.pairValueOf(words, at + 1)}
              value={text}
              onInput={({ currentTarget }) => write(at, [name, currentTarget.value])}
            />
            {isEmpty ? (
              <span />
            ) : (
              <button
                type="button"
                class={css['cross']}
                aria-label={say.removeRow(name === '' ? String(at + 1) : name)}
                onClick={() => change(shown.filter((_, index) => index !== at))}
              >
                ×
              </button>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

/** The control for an Option, by its schema. */
export function OptionInput(props: OptionInputProps) {
  const { schema } = props;
  const kind = kindOf(schema);
  const plain = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
  switch (kind) {
    case 'choice':
      return (
        <ChoiceInput
          {...props}
          choices={(schema.enum ?? []).map((value) => ({ value, words: String(value) }))}
        />
      );
    case 'yesNo':
      return (
        <ChoiceInput
          {...props}
          choices={[
            { value: true, words: say.yes },
            { value: false, words: say.no },
          ]}
        />
      );
    case 'number':
      return (
        <TextInput props={props} kind="number" format={plain} read={(text) => readNumber(text, schema)} />
      );
    case 'secret':
      return <TextInput props={props} kind="secret" format={plain} read={(text) => readText(text, schema)} />;
    case 'text':
      return <TextInput props={props} kind="line" format={plain} read={(text) => readText(text, schema)} />;
    case 'area':
      return <TextInput props={props} kind="area" format={plain} read={(text) => readText(text, schema)} />;
    case 'list':
    case 'lines':
      return (
        <TextInput
          props={props}
          kind={kind === 'list' ? 'line' : 'area'}
          format={(value) => listText(value, schema)}
          read={(text) => readList(text, schema)}
        />
      );
    case 'pairs':
      return <PairRows {...props} />;
    case 'steps':
      return <StepList {...props} />;
    case 'requests':
      return <RequestList {...props} Input={OptionInput} />;
    case 'json':
      return <TextInput props={props} kind="area" format={jsonText} read={readJson} />;
  }
}
