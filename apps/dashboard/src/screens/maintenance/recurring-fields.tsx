import type { Recurrence } from '../../model/recurrence.ts';
import { type Weekday, weekdays } from '../../model/week-hours.ts';
import { Select, TextField } from '../../parts/field.tsx';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import { planTexts } from '../../texts/plan.ts';
import css from './maintenance.module.css';
import type { RecurringDraft } from './recurring-draft.ts';

const say = maintenanceTexts.recurring;
const kinds = ['once', 'daily', 'weekly', 'monthly', 'rule'] as const satisfies readonly Recurrence['kind'][];

interface FieldsProps {
  readonly draft: RecurringDraft;
  readonly set: (change: Partial<RecurringDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function Days({
  chosen,
  onChoose,
}: {
  readonly chosen: readonly Weekday[];
  readonly onChoose: (days: readonly Weekday[]) => void;
}) {
  const toggle = (day: Weekday) =>
    onChoose(chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day]);
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

function Recurs({ draft: { recurrence }, set, problemOf }: FieldsProps) {
  const change = (part: Partial<Recurrence>) => set({ recurrence: { ...recurrence, ...part } });
  const { kind } = recurrence;
  const text =
    kind === 'rule'
      ? (['rule', say.rule, say.ruleHint] as const)
      : (['dayOfMonth', say.dayOfMonth, say.dayOfMonthHint] as const);
  return (
    <>
      <Select
        name={say.recurs}
        problem={kind === 'rule' || kind === 'monthly' ? undefined : problemOf('Recurrence')}
        value={kind}
        choices={kinds.map((each) => [each, say.kinds[each]] as const)}
        onChoose={(value) => change({ kind: kinds.find((each) => each === value) ?? 'once' })}
      />
      {kind === 'weekly' && <Days chosen={recurrence.days} onChoose={(days) => change({ days })} />}
      {(kind === 'rule' || kind === 'monthly') && (
        <TextField
          name={text[1]}
          problem={problemOf('Recurrence')}
          hint={text[2]}
          value={recurrence[text[0]]}
          onText={(value) => change({ [text[0]]: value })}
        />
      )}
    </>
  );
}

/** The fields of a schedule of maintenance. */
export function RecurringFields(props: FieldsProps) {
  const { draft, set, problemOf } = props;
  const before = [['name', planTexts.name, 'Name', undefined]] as const;
  const after = [
    ['start', say.start, 'Start', say.startHint],
    ['zone', planTexts.zone, 'Timezone', planTexts.zoneHint],
    ['duration', say.duration, 'Duration', undefined],
  ] as const;
  const input = ([key, name, field, hint]: (typeof before)[number] | (typeof after)[number]) => (
    <TextField
      key={key}
      name={name}
      problem={problemOf(field)}
      hint={hint}
      value={draft[key]}
      isMoment={key === 'start'}
      onText={(text) => set({ [key]: text })}
    />
  );
  return (
    <>
      {before.map(input)}
      <Recurs {...props} />
      {after.map(input)}
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
