import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { OptionSchema } from './method-schemas.ts';
import { optionWords } from './option-table.ts';
import { kindOf, readSteps, type Steps, stepsOf } from './option-values.ts';
import { type OptionInputProps, useTyped } from './use-typed.ts';

/** A part of a step: a choice, or a text as it is typed. */
function Part({
  words,
  schema,
  text,
  onText,
}: {
  readonly words: string;
  readonly schema: OptionSchema;
  readonly text: string;
  readonly onText: (text: string) => void;
}) {
  const kind = kindOf(schema);
  const choices =
    kind === 'yesNo'
      ? [
          ['true', say.yes],
          ['false', say.no],
        ]
      : (schema.enum ?? []).map((value) => [String(value), String(value)]);
  if (choices.length > 0)
    return (
      <label>
        <span class="label">{words}</span>
        <select value={text} onChange={({ currentTarget }) => onText(currentTarget.value)}>
          <option value="">{say.unset}</option>
          {choices.map(([value, shown]) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <label>
      <span class="label">{words}</span>
      <input
        type="text"
        class={css['code']}
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}

/** The steps of a dialogue, or the rows of another list of objects. */
export function StepList({ field, name, words, schema, value, onValue }: OptionInputProps) {
  const [steps, setSteps] = useTyped<Steps>(value, stepsOf, (typed) => readSteps(typed, schema));
  const parts = Object.entries(schema.items?.properties ?? {});
  const firstPart = parts[0]?.[0] ?? '';
  const isDialogue = name === 'Steps';
  const rowName = (at: number) => (isDialogue ? say.step(at) : `${at}`);
  const change = (next: Steps) => {
    setSteps(next);
    onValue(readSteps(next, schema));
  };
  return (
    <fieldset id={field.id} aria-describedby={field['aria-describedby']} aria-label={words}>
      <ol class={css['rows']}>
        {steps.map((step, at) => (
          // The key is the index: a step keeps its focus while its texts are typed.
          <li key={at} class={css['step']}>
            <div class={css['stepHead']}>
              <b>{rowName(at + 1)}</b>
              <button
                type="button"
                class={css['cross']}
                aria-label={say.removeRow(isDialogue ? rowName(at + 1) : `${words} ${at + 1}`)}
                onClick={() => change(steps.filter((_, index) => index !== at))}
              >
                ×
              </button>
            </div>
            <div class={css['grid']}>
              {parts.map(([part, partSchema]) => (
                <Part
                  key={part}
                  words={optionWords(`${name}.${part}`)}
                  schema={partSchema}
                  text={step[part] ?? ''}
                  onText={(text) =>
                    change(steps.map((each, index) => (index === at ? { ...each, [part]: text } : each)))
                  }
                />
              ))}
            </div>
          </li>
        ))}
      </ol>
      <button type="button" class="button" onClick={() => change([...steps, { [firstPart]: '' }])}>
        {isDialogue ? say.addStep : say.addRow}
      </button>
    </fieldset>
  );
}
