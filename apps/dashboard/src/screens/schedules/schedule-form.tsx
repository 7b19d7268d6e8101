import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { FormRefusal } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { type DraftForm, KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { go } from '../../store/address.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { planTexts } from '../../texts/plan-texts.ts';
import {
  isSameSchedule,
  newStep,
  type OpenedSchedule,
  type ScheduleDraft,
  type StepDraft,
  stepsOf,
} from './schedule-draft.ts';
import { scheduleTexts } from './schedule-texts.ts';
import css from './schedules.module.css';
import { StepFields } from './step-fields.tsx';

const say = scheduleTexts;

/** The draft of the form, and the refusal of the API. */
interface ScheduleFormState extends DraftForm<ScheduleDraft> {
  readonly isSaved: boolean;
  readonly problem: unknown;
  readonly setProblem: (problem: unknown) => void;
  /** Counts the saves. */
  readonly round: number;
  readonly setRound: (round: number) => void;
}

const drafts = createDrafts<ScheduleDraft>();

/** The state of the form of a schedule. */
export function useScheduleForm({ id, draft: stored }: OpenedSchedule): ScheduleFormState {
  const form = useDraft(drafts, id ?? 'new', stored);
  const [problem, setProblem] = useState<unknown>();
  const [round, setRound] = useState(0);
  return {
    ...form,
    isSaved: id !== undefined && isSameSchedule(form.draft, stored),
    problem,
    setProblem,
    round,
    setRound,
  };
}

/** Stores the draft. Resolves with the schedule's id. */
async function save(
  { id, etag }: OpenedSchedule,
  draft: ScheduleDraft,
  isForAccount: boolean,
): Promise<string> {
  const body = { Name: draft.name.trim(), Timezone: draft.zone.trim(), Steps: stepsOf(draft) };
  if (id !== undefined) {
    const params = { path: { nschedule_id: id }, header: ifMatch(etag) };
    await ifUnchanged(
      () => take(api.PUT('/nschedules/{nschedule_id}', { params, body })),
      planTexts.conflict,
    );
    return id;
  }
  const { nschedule_id } = await take(api.POST('/nschedules', { body }));
  if (isForAccount) await take(api.PUT('/account', { body: { nschedule_id } }));
  return nschedule_id;
}

async function removeSchedule(nschedule_id: string): Promise<void> {
  await take(api.DELETE('/nschedules/{nschedule_id}', { params: { path: { nschedule_id } } }));
}

function StepForms({
  form,
  contacts,
}: {
  readonly form: ScheduleFormState;
  readonly contacts: readonly Schemas['Contact'][];
}) {
  const { draft, set, problem } = form;
  const problems = problem instanceof ApiProblem ? problem.fields : [];
  const change = (key: number, part: Partial<StepDraft>) =>
    set({ steps: draft.steps.map((step) => (step.key === key ? { ...step, ...part } : step)) });
  const add = () => {
    const key = Math.max(-1, ...draft.steps.map((step) => step.key)) + 1;
    set({ steps: [...draft.steps, newStep(key, draft.steps.length === 0 ? '0' : '15')] });
  };
  return (
    <section class="section">
      <h2>{say.steps}</h2>
      <p class="mute">{say.stepsHint}</p>
      {draft.steps.map((step, at) => (
        <StepFields
          key={step.key}
          step={step}
          number={at + 1}
          contacts={contacts}
          problemOf={(field) => {
            const path = `Steps.${at}.${field}`;
            return problems.find(({ field: refused }) => refused === path || refused.startsWith(`${path}.`))
              ?.message;
          }}
          set={(part) => change(step.key, part)}
          remove={() => set({ steps: draft.steps.filter(({ key }) => key !== step.key) })}
        />
      ))}
      <button type="button" class="button" onClick={add}>
        {say.addStep}
      </button>
    </section>
  );
}

function ScheduleFields({ form }: { readonly form: ScheduleFormState }) {
  const { draft, set, problem } = form;
  const problemOf = (field: string) =>
    problem instanceof ApiProblem
      ? problem.fields.find((refusal) => refusal.field === field)?.message
      : undefined;
  const fields = [
    ['name', planTexts.name, 'Name', undefined],
    ['zone', planTexts.zone, 'Timezone', planTexts.zoneHint],
  ] as const;
  return (
    <div class={css['grid']}>
      {fields.map(([key, name, field, hint]) => (
        <LineField
          key={key}
          name={name}
          problem={problemOf(field)}
          hint={hint}
          value={draft[key]}
          list={key === 'zone' ? 'zones' : undefined}
          onInput={(text) => set({ [key]: text })}
        />
      ))}
      <datalist id="zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}

function ScheduleButtons({
  id,
  form,
  stored,
  isBusy,
}: {
  readonly id: string | undefined;
  readonly form: ScheduleFormState;
  readonly stored: ScheduleDraft;
  readonly isBusy: boolean;
}) {
  return (
    <div class="buttons">
      <button type="submit" class="button main" disabled={isBusy || form.isSaved}>
        {id === undefined ? say.create : planTexts.save}
      </button>
      {id === undefined ? (
        <a class="button" href="/schedules">
          {planTexts.cancel}
        </a>
      ) : (
        <>
          {!form.isSaved && (
            <button type="button" class="button" onClick={form.discard}>
              {planTexts.discard}
            </button>
          )}
          <RemoveButton
            words={say.remove}
            ask={say.removeAsk(stored.name)}
            remove={() => removeSchedule(id)}
            onRemoved={() => {
              form.discard();
              go('/schedules');
            }}
          />
        </>
      )}
    </div>
  );
}

/** Changes a schedule, or creates one. */
export function ScheduleForm({
  opened,
  form,
  onSaved,
}: {
  readonly opened: OpenedSchedule;
  readonly form: ScheduleFormState;
  readonly onSaved: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [isForAccount, setForAccount] = useState(true);
  const { id, draft: stored, contacts } = opened;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const saved = await save(opened, form.draft, isForAccount);
      form.setProblem(undefined);
      form.saved();
      form.setRound(form.round + 1);
      if (id === undefined) go(`/schedules/${saved}`);
      else onSaved();
    } catch (problem) {
      form.setProblem(problem);
    }
    setBusy(false);
  };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <ScheduleFields form={form} />
      <StepForms form={form} contacts={contacts} />
      {id === undefined && (
        <label class={css['forAccount']}>
          <input type="checkbox" checked={isForAccount} onChange={() => setForAccount(!isForAccount)} />{' '}
          {say.useForAccount}
        </label>
      )}
      <FormRefusal words={form.problem === undefined ? undefined : problemWords(form.problem)} />
      <ScheduleButtons id={id} form={form} stored={stored} isBusy={isBusy} />
    </form>
  );
}
