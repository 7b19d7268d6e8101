import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { optionWords } from './option-table.ts';
import { readSteps, type Steps, stepsOf } from './option-values.ts';
import { type OptionInputProps, useTyped } from './use-typed.ts';

/** The steps of a dialogue: what is sent, then what is expected. */
export function StepList({ field, words, schema, value, onValue }: OptionInputProps) {
  const [steps, setSteps] = useTyped<Steps>(value, stepsOf, (typed) => readSteps(typed, schema));
  const parts = Object.keys(schema.items?.properties ?? {});
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
              <b>{say.step(at + 1)}</b>
              <button
                type="button"
                class={css['cross']}
                aria-label={say.removeRow(say.step(at + 1))}
                onClick={() => change(steps.filter((_, index) => index !== at))}
              >
                ×
              </button>
            </div>
            <div class={css['grid']}>
              {parts.map((part) => (
                <label key={part}>
                  <span class="label">{optionWords(`Steps.${part}`)}</span>
                  <input
                    type="text"
                    class={css['code']}
                    autocomplete="off"
                    spellcheck={false}
                    value={step[part] ?? ''}
                    onInput={({ currentTarget }) =>
                      change(
                        steps.map((each, index) =>
                          index === at ? { ...each, [part]: currentTarget.value } : each,
                        ),
                      )
                    }
                  />
                </label>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <button type="button" class="button" onClick={() => change([...steps, { Send: '' }])}>
        {say.addStep}
      </button>
    </fieldset>
  );
}
