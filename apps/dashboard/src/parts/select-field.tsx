import { FormField } from './form-field.tsx';

/** A field with a list of values. */
export function SelectField({
  name,
  problem,
  value,
  choices,
  onChoose,
}: {
  readonly name: string;
  readonly problem: string | undefined;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly onChoose: (value: string) => void;
}) {
  return (
    <FormField name={name} problem={problem}>
      {(id) => (
        <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {choices.map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
