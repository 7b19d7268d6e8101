import type { Recurrence } from '../../model/recurrence.ts';
import { type DayName, weekdays } from '../../model/week-hours.ts';
import { LineField } from '../../parts/line-field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { planTexts } from '../../texts/plan-texts.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import type { RecurringDraft } from './recurring-draft.ts';

const say = maintenanceTexts.recurring;
const kinds = ['once', 'daily', 'weekly', 'monthly', 'rule'] as const satisfies readonly Recurrence['kind'][];

interface RecurringFieldsProps {
  readonly draft: RecurringDraft;
  readonly set: (change: Partial<RecurringDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function WeekdayFields({
  chosen,
  onChoose,
}: {
  readonly chosen: readonly DayName[];
  readonly onChoose: (days: readonly DayName[]) => void;
}) {
  const toggle = (day: DayName) =>
    onChoose(chosen.includes(day) ? chosen.filter((other) => other !== day) : [...chosen, day]);
  return (
    <fieldset class={css['weekdays']}>
      <legend class="label">
        {say.days} ({say.daysHint})
      </legend>
      {weekdays.map((day) => (
        <label key={day}>
          <input type="checkbox" checked={chosen.includes(day)} onChange={() => toggle(day)} /> {day}
        </label>
      ))}
    </fieldset>
  );
}

function RecurrenceFields({ draft: { recurrence }, set, problemOf }: RecurringFieldsProps) {
  const change = (part: Partial<Recurrence>) => set({ recurrence: { ...recurrence, ...part } });
  const { kind } = recurrence;
  const text =
    kind === 'rule'
      ? (['rule', say.rule, say.ruleHint] as const)
      : (['dayOfMonth', say.dayOfMonth, say.dayOfMonthHint] as const);
  return (
    <>
      <SelectField
        name={say.recurs}
        problem={kind === 'rule' || kind === 'monthly' ? undefined : problemOf('Recurrence')}
        value={kind}
        choices={kinds.map((choice) => [choice, say.kinds[choice]] as const)}
        onChoose={(value) => change({ kind: kinds.find((choice) => choice === value) ?? 'once' })}
      />
      {kind === 'weekly' && <WeekdayFields chosen={recurrence.days} onChoose={(days) => change({ days })} />}
      {(kind === 'rule' || kind === 'monthly') && (
        <LineField
          name={text[1]}
          problem={problemOf('Recurrence')}
          hint={text[2]}
          value={recurrence[text[0]]}
          onInput={(value) => change({ [text[0]]: value })}
        />
      )}
    </>
  );
}

/** The fields of a maintenance schedule. */
export function RecurringFields(props: RecurringFieldsProps) {
  const { draft, set, problemOf } = props;
  return (
    <>
      <LineField
        name={planTexts.name}
        problem={problemOf('Name')}
        value={draft.name}
        onInput={(name) => set({ name })}
      />
      <RecurrenceFields {...props} />
      <MomentField
        name={say.start}
        problem={problemOf('Start')}
        hint={say.startHint}
        value={draft.start}
        onInput={(start) => set({ start })}
      />
      <LineField
        name={planTexts.zone}
        problem={problemOf('Timezone')}
        hint={planTexts.zoneHint}
        value={draft.zone}
        onInput={(zone) => set({ zone })}
      />
      <LineField
        name={say.duration}
        problem={problemOf('Duration')}
        value={draft.duration}
        onInput={(duration) => set({ duration })}
      />
      <label class={css['check']}>
        <input
          type="checkbox"
          checked={draft.endOnFirstOk}
          onChange={() => set({ endOnFirstOk: !draft.endOnFirstOk })}
        />{' '}
        {say.endOnFirstOk}
      </label>
    </>
  );
}
