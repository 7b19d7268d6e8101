import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FormField } from '../../parts/form-field.tsx';
import type { FieldInputProps } from '../../parts/search-choice.tsx';
import css from './device-form.module.css';

/** A field of the form of a device. `?field=NAME` in the address of the form opens it at the field `name`. */
export function DeviceField({
  field,
  words,
  problem,
  fault,
  hint,
  isWide = false,
  isChecked = false,
  after,
  children,
}: {
  /** The name of the setting in the API. */
  readonly field: string;
  readonly words: string;
  /** The refusal of the API. */
  readonly problem?: string | undefined;
  /** Why the present text cannot be sent. It is shown when the field was left. */
  readonly fault?: string | undefined;
  readonly hint?: string | undefined;
  /** It has the whole width. */
  readonly isWide?: boolean;
  /** Faults are shown before the field was left, because the form was sent. */
  readonly isChecked?: boolean;
  /** Below the hint. */
  readonly after?: ComponentChildren;
  readonly children: (props: FieldInputProps) => ComponentChildren;
}) {
  const [isLeft, setLeft] = useState(false);
  const shown = fault !== undefined && (isLeft || isChecked) ? fault : problem;
  const isBad = (fault ?? problem) !== undefined;
  return (
    <div
      class={isWide ? css['wide'] : undefined}
      data-field={field}
      data-bad={isBad || undefined}
      onFocusOut={() => setLeft(true)}
    >
      <FormField name={words} problem={shown} hint={hint}>
        {(id, hintId) => children({ id, 'aria-describedby': hintId, 'aria-invalid': shown !== undefined })}
      </FormField>
      {after}
    </div>
  );
}

/** The problem of a field: of itself, or of a part of it such as `Options.ExpectStatus.0`. */
export function problemAt(problems: ReadonlyMap<string, string>, field: string): string | undefined {
  for (const [name, words] of problems)
    if (name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`)) return words;
  return undefined;
}
