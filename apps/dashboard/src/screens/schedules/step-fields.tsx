import { useState } from 'preact/hooks';
import { weekdays } from '../../model/week-hours.ts';
import { TextField } from '../../parts/field.tsx';
import type { Contact } from '../../store/plan.ts';
import { scheduleTexts } from '../../texts/schedules.ts';
import { type StepDraft, severities } from './draft.ts';
import css from './schedules.module.css';

const say = scheduleTexts;

interface StepProps {
  readonly step: StepDraft;
  /** From 1. */
  readonly place: number;
  readonly contacts: readonly Contact[];
  /** Of this step, by the name of the field. */
  readonly problemOf: (field: string) => string | undefined;
  readonly set: (change: Partial<StepDraft>) => void;
  readonly remove: () => void;
}

function Contacts({ step, place, contacts, problemOf, set }: StepProps) {
  const [round, setRound] = useState(0);
  const nameOf = new Map(contacts.map(({ contact_id, Name }) => [contact_id, Name]));
  const free = contacts.filter(({ contact_id }) => !step.contacts.includes(contact_id));
  const problem = problemOf('Contacts');
  const add = (id: string) => {
    set({ contacts: [...step.contacts, id] });
    // The list shows its first line again.
    setRound(round + 1);
  };
  return (
    <div>
      <span class="label">{say.contacts}</span>
      <div class={css['chips']}>
        {step.contacts.map((id) => (
          <span key={id} class={css['chip']}>
            <bdi>{nameOf.get(id) ?? say.gone}</bdi>
            <button
              type="button"
              aria-label={say.take(nameOf.get(id) ?? say.gone, place)}
              onClick={() => set({ contacts: step.contacts.filter((each) => each !== id) })}
            >
              ×
            </button>
          </span>
        ))}
        {free.length > 0 && (
          <select
            key={round}
            class={css['add']}
            aria-label={say.addTo(place)}
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

function Checks<Name extends string>({
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
    onChoose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
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

/** The fields of a step, in place. */
export function StepFields(props: StepProps) {
  const { step, place, problemOf, set, remove } = props;
  const fields = [
    ['delay', say.delay, 'DelayMinutes', say.delayHint],
    ['repeat', say.repeat, 'RepeatMinutes', say.repeatHint],
    ['from', say.from, 'From', say.fromHint],
    ['to', say.to, 'To', say.hoursHint],
  ] as const;
  return (
    <fieldset class={css['step']}>
      <legend>{say.step(place)}</legend>
      <Contacts {...props} />
      <div class={css['four']}>
        {fields.map(([key, name, field, hint]) => (
          <TextField
            key={key}
            name={name}
            problem={problemOf(field)}
            hint={hint}
            value={step[key]}
            onText={(text) => set({ [key]: text })}
          />
        ))}
      </div>
      <div class={css['pair']}>
        <Checks
          legend={say.days}
          hint={say.daysHint}
          names={weekdays}
          chosen={step.days}
          onChoose={(days) => set({ days })}
        />
        <Checks
          legend={say.severities}
          hint={say.severitiesHint}
          names={severities}
          chosen={step.severities}
          onChoose={(chosen) => set({ severities: chosen })}
        />
      </div>
      <div>
        <button type="button" class="button" onClick={remove}>
          {say.removeStep(place)}
        </button>
      </div>
    </fieldset>
  );
}
