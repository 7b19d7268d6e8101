import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FormField } from '../../parts/form-field.tsx';
import { Unsent } from './device-draft.ts';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { OptionSchema } from './method-schemas.ts';
import { optionWords, splitDefault } from './option-table.ts';
import { kindOf } from './option-values.ts';
import {
  changePart,
  hasFault,
  isWideKind,
  moveRow,
  newRequest,
  type RequestRow,
  requestRows,
} from './request-rows.ts';
import type { OptionInputProps } from './use-typed.ts';

/** The control for an Option. It is an argument, because it shows lists of requests itself. */
type Input = (props: OptionInputProps) => ComponentChildren;

/** A part of a request, with the control for its kind. */
function Part({
  Input: Control,
  name,
  schema,
  value,
  onValue,
}: {
  readonly Input: Input;
  readonly name: string;
  readonly schema: OptionSchema;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
}) {
  const { byDefault, hint } = splitDefault(schema.description);
  const words = optionWords(name);
  const problem = value instanceof Unsent ? value.fault : undefined;
  return (
    <div class={isWideKind(kindOf(schema)) ? css['wide'] : undefined}>
      <FormField name={words} problem={problem} hint={hint.split(' ').length > 3 ? hint : undefined}>
        {(id, hintId) => (
          <Control
            field={{ id, 'aria-describedby': hintId, 'aria-invalid': problem !== undefined }}
            name={name}
            words={words}
            schema={schema}
            value={value}
            placeholder={byDefault}
            onValue={onValue}
          />
        )}
      </FormField>
    </div>
  );
}

/** The head of a request: its name, and the buttons that move and remove it. */
function Head({
  at,
  rows,
  onRows,
}: {
  readonly at: number;
  readonly rows: readonly RequestRow[];
  readonly onRows: (rows: readonly RequestRow[]) => void;
}) {
  const row = rows[at]?.['Name'];
  const title = `${say.step(at + 1)}${typeof row === 'string' && row !== '' ? `: ${row}` : ''}`;
  return (
    <div class={css['stepHead']}>
      <b>{title}</b>
      <button
        type="button"
        class={css['cross']}
        aria-label={say.moveUp(title)}
        disabled={at === 0}
        onClick={() => onRows(moveRow(rows, at, at - 1))}
      >
        ↑
      </button>
      <button
        type="button"
        class={css['cross']}
        aria-label={say.moveDown(title)}
        disabled={at === rows.length - 1}
        onClick={() => onRows(moveRow(rows, at, at + 1))}
      >
        ↓
      </button>
      <button
        type="button"
        class={css['cross']}
        aria-label={say.removeRow(title)}
        onClick={() => onRows(rows.filter((_, index) => index !== at))}
      >
        ×
      </button>
    </div>
  );
}

/** Requests in turn: they are added, moved, removed, and each is opened to edit it. */
export function RequestList({
  field,
  name,
  words,
  schema,
  value,
  onValue,
  Input,
}: OptionInputProps & { readonly Input: Input }) {
  const rows = requestRows(value);
  const parts = Object.entries(schema.items?.properties ?? {});
  const [opened, setOpened] = useState(-1);
  const change = (next: readonly RequestRow[]) => onValue(next.length === 0 ? undefined : next);
  const summary = ({ Method = 'GET', URL = say.deviceAddress }: RequestRow) =>
    `${String(Method)} ${URL instanceof Unsent ? String(URL.typed) : String(URL)}`;
  return (
    <fieldset id={field.id} aria-describedby={field['aria-describedby']} aria-label={words}>
      <ol class={css['rows']}>
        {rows.map((row, at) => (
          // The key is the index: a request keeps its focus while its texts are typed.
          <li key={at} class={css['step']}>
            <Head
              at={at}
              rows={rows}
              onRows={(next) => {
                setOpened(-1);
                change(next);
              }}
            />
            <details
              open={opened === at || hasFault(row)}
              onToggle={(event) => {
                if (event.currentTarget.open) setOpened(at);
              }}
            >
              <summary class={css['code']}>{summary(row)}</summary>
              <div class={css['grid']}>
                {parts.map(([part, partSchema]) => (
                  <Part
                    key={part}
                    Input={Input}
                    name={`${name}.${part}`}
                    schema={partSchema}
                    value={row[part]}
                    onValue={(next) => change(changePart(rows, at, part, next))}
                  />
                ))}
              </div>
            </details>
          </li>
        ))}
      </ol>
      {rows.length < (schema.maxItems ?? Number.POSITIVE_INFINITY) && (
        <button
          type="button"
          class="button"
          onClick={() => {
            change([...rows, newRequest(rows)]);
            setOpened(rows.length);
          }}
        >
          {say.addStep}
        </button>
      )}
    </fieldset>
  );
}
