import type { TargetedInputEvent } from 'preact';
import { FormField } from './form-field.tsx';

/** A field for one line of text. */
export function LineField({
  name,
  value,
  problem,
  hint,
  isFirst = false,
  list,
  password,
  onInput,
}: {
  readonly name: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  /** It gets the focus when its form opens. */
  readonly isFirst?: boolean;
  /** The id of a list of suggestions. */
  readonly list?: string | undefined;
  /** The text is hidden. Password managers fill it by this purpose. */
  readonly password?: 'current-password' | 'new-password' | undefined;
  readonly onInput: (value: string) => void;
}) {
  return (
    <FormField name={name} problem={problem} hint={hint}>
      {(id, hintId) => {
        const shared = {
          id,
          spellcheck: false,
          autofocus: isFirst,
          value,
          'aria-invalid': problem !== undefined,
          'aria-describedby': hintId,
          onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => onInput(currentTarget.value),
        } as const;
        return password === undefined ? (
          <input {...shared} type="text" autocomplete="off" list={list} />
        ) : (
          <input {...shared} type="password" autocomplete={password} />
        );
      }}
    </FormField>
  );
}
