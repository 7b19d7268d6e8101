import { Field } from './field.tsx';

/** A field of one line with its name, its hint, and what the API refuses in it. */
export function TextField({
  name,
  value,
  problem,
  hint,
  isFirst = false,
  onInput,
}: {
  readonly name: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  /** The focus goes here when its form opens. */
  readonly isFirst?: boolean;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field name={name} problem={problem} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          type="text"
          autocomplete="off"
          autofocus={isFirst}
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={hintId}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}
