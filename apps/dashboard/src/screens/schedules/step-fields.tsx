import { useState } from 'preact/hooks';
import { severityChoices } from '../../model/severity-choices.ts';
import { weekdays } from '../../model/week-hours.ts';
import { LineField } from '../../parts/line-field.tsx';
import type { NotificationContact } from '../../store/notification-schedules.ts';
import { stepTexts } from '../../texts/step-words.ts';
import type { StepDraft } from './schedule-draft.ts';
import { scheduleTexts } from './schedule-texts.ts';
import css from './schedules.module.css';

const say = scheduleTexts;

interface StepProps {
  readonly step: StepDraft;
  /** The number of the step, from 1. */
  readonly number: number;
  readonly contacts: readonly NotificationContact[];
  /** The refusal of a field of this step. */
  readonly problemOf: (field: string) => string | undefined;
  readonly set: (change: Partial<StepDraft>) => void;
  readonly remove: () => void;
}

function StepContacts({ step, number, contacts, problemOf, set }: StepProps) {
  const [round, setRound] = useState(0);
  const nameOf = new Map(contacts.map(({ contact_id, Name }) => [contact_id, Name]));
  const free = contacts.filter(({ contact_id }) => !step.contacts.includes(contact_id));
  const problem = problemOf('Contacts');
  const add = (id: string) => {
    set({ contacts: [...step.contacts, id] });
    // A new key resets the list to its first line.
    setRound(round + 1);
  };
  return (
    <div>
      <span class="label">{say.contacts}</span>
      <div class={css['chips']}>
        {step.contacts.map((id) => (
          <span key={id} class={css['chip']}>
            <bdi>{nameOf.get(id) ?? stepTexts.gone}</bdi>
            <button
              type="button"
              aria-label={say.removeContact(nameOf.get(id) ?? stepTexts.gone, number)}
              onClick={() => set({ contacts: step.contacts.filter((other) => other !== id) })}
            >
              ×
            </button>
          </span>
        ))}
        {free.length > 0 && (
          <select
            key={round}
            class={css['add']}
            aria-label={say.addTo(number)}
            value=""
            onChange={({ currentTarget }) => add(currentTarget.value)}
          >
            <option value="">{say.choose}</option>
            {free.map(({ contact_id, Name, Type }) => (
              <option key={contact_id} value={contact_id}>
                {Name} ({Type})
              </option>
            ))}
          </select>
        )}
        {contacts.length === 0 && <span class="mute">{say.noContacts}</span>}
      </div>
      {problem !== undefined && <p class="hint bad">{problem}</p>}
    </div>
  );
}

function CheckboxGroup<Name extends string>({
  legend,
  hint,
  names,
  chosen,
  onChoose,
}: {
  readonly legend: string;
  readonly hint: string;
  readonly names: readonly Name[];
  readonly chosen: readonly Name[];
  readonly onChoose: (names: readonly Name[]) => void;
}) {
  const toggle = (name: Name) =>
    onChoose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <fieldset>
      <legend class="label">
        {legend} ({hint})
      </legend>
      <div class={css['checks']}>
        {names.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} /> {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The fields of a step. */
export function StepFields(props: StepProps) {
  const { step, number, problemOf, set, remove } = props;
  const fields = [
    ['delay', say.delay, 'DelayMinutes', say.delayHint],
    ['repeat', say.repeat, 'RepeatMinutes', say.repeatHint],
    ['from', say.from, 'From', say.fromHint],
    ['to', say.to, 'To', say.hoursHint],
  ] as const;
  return (
    <fieldset class={css['step']}>
      <legend>{say.step(number)}</legend>
      <StepContacts {...props} />
      <div class={css['four']}>
        {fields.map(([key, name, field, hint]) => (
          <LineField
            key={key}
            name={name}
            problem={problemOf(field)}
            hint={hint}
            value={step[key]}
            onInput={(text) => set({ [key]: text })}
          />
        ))}
      </div>
      <div class={css['pair']}>
        <CheckboxGroup
          legend={say.days}
          hint={say.daysHint}
          names={weekdays}
          chosen={step.days}
          onChoose={(days) => set({ days })}
        />
        <CheckboxGroup
          legend={say.severities}
          hint={say.severitiesHint}
          names={severityChoices}
          chosen={step.severities}
          onChoose={(chosen) => set({ severities: chosen })}
        />
      </div>
      <div>
        <button type="button" class="button" onClick={remove}>
          {say.removeStep(number)}
        </button>
      </div>
    </fieldset>
  );
}
