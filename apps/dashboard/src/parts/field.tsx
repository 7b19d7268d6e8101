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

/** A field with a line of text, or with a local time. */
export function TextField({
  name,
  problem,
  hint,
  value,
  isMoment = false,
  list,
  onText,
}: {
  readonly name: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  readonly value: string;
  /** It is a local time, `2027-03-28T03:10`. */
  readonly isMoment?: boolean;
  /** The id of a list of suggestions. */
  readonly list?: string | undefined;
  readonly onText: (text: string) => void;
}) {
  return (
    <Field name={name} problem={problem} hint={hint}>
      {(id, hintId) => {
        const shared = { id, value, 'aria-invalid': problem !== undefined, 'aria-describedby': hintId };
        return isMoment ? (
          <input
            {...shared}
            type="datetime-local"
            onInput={({ currentTarget }) => onText(currentTarget.value.slice(0, 16))}
          />
        ) : (
          <input
            {...shared}
            type="text"
            autocomplete="off"
            spellcheck={false}
            list={list}
            onInput={({ currentTarget }) => onText(currentTarget.value)}
          />
        );
      }}
    </Field>
  );
}
