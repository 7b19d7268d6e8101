import { FormField } from './form-field.tsx';

/** A field for one line of text. */
export function LineField({
  name,
  value,
  problem,
  hint,
  isFirst = false,
  list,
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
  readonly onInput: (value: string) => void;
}) {
  return (
    <FormField name={name} problem={problem} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          type="text"
          autocomplete="off"
          spellcheck={false}
          autofocus={isFirst}
          list={list}
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={hintId}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </FormField>
  );
}
