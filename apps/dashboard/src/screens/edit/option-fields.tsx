import { useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts/index.ts';
import { type FieldsProps, optionsOf, UnparsedText } from './draft.ts';
import css from './edit.module.css';
import type { MethodSchema, OptionSchema } from './method-schemas.ts';

const say = texts.edit;

/** Kinds of fields, by the schema of an Option. */
function kindOf({
  type,
  enum: choices,
  format,
}: OptionSchema): 'choice' | 'yesNo' | 'number' | 'secret' | 'text' | 'json' {
  if (choices !== undefined) return 'choice';
  if (type === 'boolean') return 'yesNo';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return format === 'password' ? 'secret' : 'text';
  return 'json';
}

interface InputProps {
  readonly id: string;
  readonly hintId: string;
  readonly value: unknown;
  readonly isBad: boolean;
  /** Undefined: not set. */
  readonly onValue: (value: unknown) => void;
}

function Choice({
  id,
  hintId,
  value,
  onValue,
  choices,
}: InputProps & { readonly choices: readonly (readonly [unknown, string])[] }) {
  const at = choices.findIndex(([each]) => each === value);
  return (
    <select
      id={id}
      aria-describedby={hintId}
      value={at}
      onChange={({ currentTarget }) => onValue(choices[Number(currentTarget.value)]?.[0])}
    >
      <option value={-1}>{say.unset}</option>
      {choices.map(([, words], index) => (
        <option key={words} value={index}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** The value that a text stands for. */
function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return new UnparsedText(text);
  }
}

const jsonText = (value: unknown) =>
  value instanceof UnparsedText ? value.text : value === undefined ? '' : JSON.stringify(value);

/** Lists and objects as JSON. The text stays as it was typed. */
function Json({ id, hintId, value, isBad, onValue }: InputProps) {
  const [text, setText] = useState(() => jsonText(value));
  const change = (next: string) => {
    setText(next);
    onValue(parsed(next));
  };
  return (
    <textarea
      id={id}
      rows={1}
      spellcheck={false}
      aria-describedby={hintId}
      aria-invalid={isBad}
      value={text}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function Input({ schema, ...props }: InputProps & { readonly schema: OptionSchema }) {
  const { id, hintId, value, isBad, onValue } = props;
  const kind = kindOf(schema);
  switch (kind) {
    case 'choice':
      return <Choice {...props} choices={(schema.enum ?? []).map((each) => [each, String(each)] as const)} />;
    case 'yesNo':
      return <Choice {...props} choices={[[true, say.yes] as const, [false, say.no] as const]} />;
    case 'json':
      return <Json {...props} />;
    case 'number':
    case 'secret':
    case 'text': {
      const read = (text: string) => {
        if (text === '') return undefined;
        return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
      };
      const shared = { id, autocomplete: 'off', 'aria-describedby': hintId, 'aria-invalid': isBad } as const;
      const text = typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
      const change = (next: string) => onValue(read(next));
      return kind === 'secret' ? (
        <input
          {...shared}
          type="password"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          type="text"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      );
    }
  }
}

/** Every Option of the Method, from its schema in the OpenAPI document. */
export function OptionFields({
  draft,
  set,
  problems,
  schema,
}: FieldsProps & {
  readonly problems: ReadonlyMap<string, string>;
  readonly schema: MethodSchema | undefined;
}) {
  const names = Object.keys(schema ?? {});
  const options = optionsOf(draft);
  const isSet = Object.keys(options).length;
  if (schema === undefined || names.length === 0) return null;
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = options;
    const next = value === undefined ? rest : { ...rest, [name]: value };
    set({ options: { ...draft.options, [draft.method]: next } });
  };
  const hasProblem = names.some((name) => problems.has(`Options.${name}`));
  return (
    <details class={css['options']} open={hasProblem || undefined}>
      <summary>
        {say.optionsOf(draft.method)} <span class="mute">{say.setInside(isSet)}</span>
      </summary>
      <div class={css['grid']} key={draft.method}>
        {names.map((name) => {
          const option = schema[name] ?? {};
          return (
            <Field
              key={name}
              name={name === 'Method' ? say.requestMethod : name}
              problem={problems.get(`Options.${name}`)}
              hint={option.description}
            >
              {(id, hintId) => (
                <Input
                  id={id}
                  hintId={hintId}
                  schema={option}
                  value={options[name]}
                  isBad={problems.has(`Options.${name}`)}
                  onValue={(value) => change(name, value)}
                />
              )}
            </Field>
          );
        })}
      </div>
    </details>
  );
}
