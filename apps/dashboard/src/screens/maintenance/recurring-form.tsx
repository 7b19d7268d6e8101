import { useState } from 'preact/hooks';
import { FormRefusal } from '../../parts/form-end.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { type DraftForm, KeptNotice } from '../../parts/use-draft.tsx';
import { go } from '../../store/address.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { planTexts } from '../../texts/plan-texts.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import type { OpenedRecurring } from './opened-recurring.ts';
import { type RecurringDraft, timesOf } from './recurring-draft.ts';
import { RecurringFields } from './recurring-fields.tsx';

const say = maintenanceTexts.recurring;

/** Stores the draft. Resolves with the schedule's id. */
async function save({ schedule, etag }: OpenedRecurring, draft: RecurringDraft): Promise<string> {
  const body = { Name: draft.name.trim(), ...timesOf(draft), EndOnFirstOk: draft.endOnFirstOk };
  if (schedule === undefined) return (await take(api.POST('/mschedules', { body }))).mschedule_id;
  const { mschedule_id } = schedule;
  const params = { path: { mschedule_id }, header: ifMatch(etag) };
  await ifUnchanged(() => take(api.PUT('/mschedules/{mschedule_id}', { params, body })), planTexts.conflict);
  return mschedule_id;
}

async function removeSchedule(mschedule_id: string): Promise<void> {
  await take(api.DELETE('/mschedules/{mschedule_id}', { params: { path: { mschedule_id } } }));
}

/** Changes a maintenance schedule, or creates one. */
export function RecurringForm({
  opened,
  form,
  onSaved,
}: {
  readonly opened: OpenedRecurring;
  readonly form: DraftForm<RecurringDraft>;
  readonly onSaved: () => void;
}) {
  const [problem, setProblem] = useState<unknown>();
  const { schedule } = opened;
  const { draft, set } = form;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const id = await save(opened, draft);
      setProblem(undefined);
      form.saved();
      if (schedule === undefined) go(`/schedules/maintenance/${id}`);
      else onSaved();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <RecurringFields
        draft={draft}
        set={set}
        problemOf={(field) =>
          problem instanceof ApiProblem
            ? problem.fields.find((refusal) => refusal.field === field)?.message
            : undefined
        }
      />
      <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
      <div class="buttons">
        <button type="submit" class="button main">
          {schedule === undefined ? say.create : planTexts.save}
        </button>
        {schedule === undefined ? (
          <a class="button" href="/schedules/maintenance">
            {planTexts.cancel}
          </a>
        ) : (
          <RemoveButton
            words={say.remove}
            ask={say.removeAsk(schedule.Name)}
            remove={() => removeSchedule(schedule.mschedule_id)}
            onRemoved={() => {
              form.discard();
              go('/schedules/maintenance');
            }}
          />
        )}
      </div>
    </form>
  );
}
