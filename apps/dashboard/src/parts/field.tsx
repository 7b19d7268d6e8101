import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A field with its name, and what is wrong with it. */
export function Field({
  name,
  problem,
  hint,
  children,
}: {
  readonly name: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  readonly children: (id: string, hintId: string) => ComponentChildren;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  const said = problem ?? hint;
  return (
    <div>
      <label class="label" for={id}>
        {name}
      </label>
      {children(id, hintId)}
      <p id={hintId} class={problem === undefined ? 'hint' : 'hint bad'}>
        {said}
      </p>
    </div>
  );
}

/** A field with a list of values. */
export function Select({
  name,
  problem,
  value,
  choices,
  onChoose,
}: {
  readonly name: string;
  readonly problem: string | undefined;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly onChoose: (value: string) => void;
}) {
  return (
    <Field name={name} problem={problem}>
      {(id) => (
        <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {choices.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
