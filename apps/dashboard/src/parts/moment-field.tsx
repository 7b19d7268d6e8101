import { FormField } from './form-field.tsx';

/** A field for a local time: `2027-03-28T03:10`. */
export function MomentField({
  name,
  value,
  problem,
  hint,
  onInput,
}: {
  readonly name: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  readonly onInput: (value: string) => void;
}) {
  return (
    <FormField name={name} problem={problem} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          type="datetime-local"
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={hintId}
          onInput={({ currentTarget }) => onInput(currentTarget.value.slice(0, 16))}
        />
      )}
    </FormField>
  );
}
