import { useEffect, useState } from 'preact/hooks';
import { Select } from '../../parts/field.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Mark } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { PlanPage } from '../../parts/plan-page.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { type DraftForm, KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { go } from '../../store/address.ts';
import { ApiProblem, api, take, takeAnswer } from '../../store/api.ts';
import { today } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifUnchanged } from '../../store/if-match.ts';
import {
  changeDevices,
  type Mschedule,
  type PreviewWindow,
  readMscheduleUsers,
} from '../../store/maintenance.ts';
import { ifMatch } from '../../store/plan.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import { planTexts } from '../../texts/plan.ts';
import css from './maintenance.module.css';
import { draftOf, newDraft, type RecurringDraft, timesOf } from './recurring-draft.ts';
import { RecurringFields } from './recurring-fields.tsx';
import { allTags } from './target-fields.tsx';
import { dayWords, recurrenceWords } from './words.ts';

const say = maintenanceTexts.recurring;

interface Opened {
  /** Undefined: it is new. */
  readonly schedule: Mschedule | undefined;
  readonly draft: RecurringDraft;
  readonly etag: string | undefined;
}

async function readOpened(id: string): Promise<Opened> {
  if (id === 'new') {
    const { Timezone } = await take(api.GET('/account'));
    return { schedule: undefined, draft: newDraft(Timezone, today.value), etag: undefined };
  }
  const params = { path: { mschedule_id: id } };
  const { data, etag } = await takeAnswer(api.GET('/mschedules/{mschedule_id}', { params }));
  return { schedule: data, draft: draftOf(data), etag };
}

/** Stores the draft. Resolves with the schedule's id. */
async function save({ schedule, etag }: Opened, draft: RecurringDraft): Promise<string> {
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

const drafts = createDrafts<RecurringDraft>();

function Form({
  opened,
  form,
  onSaved,
}: {
  readonly opened: Opened;
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
            ? problem.fields.find((each) => each.field === field)?.message
            : undefined
        }
      />
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {wordsOf(problem)}
        </p>
      )}
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

function Shown({ opened, again }: { readonly opened: Opened; readonly again: () => void }) {
  const { schedule } = opened;
  const form = useDraft(drafts, schedule?.mschedule_id ?? 'new', opened.draft);
  return (
    <>
      <Heading>
        <bdi>{schedule?.Name ?? say.add}</bdi>
      </Heading>
      {schedule !== undefined && (
        <p class="mute">
          {recurrenceWords(schedule)}, {schedule.Timezone}
        </p>
      )}
      <div class={css['beside']}>
        <div>
          {mayWrite.value && <Form opened={opened} form={form} onSaved={again} />}
          {schedule !== undefined && <RecurringUsers schedule={schedule} />}
        </div>
        <WindowDates draft={form.draft} />
      </div>
    </>
  );
}

/** A schedule of maintenance: its times, the dates that follow from them, and its devices. */
export function Recurring({ id }: ScreenProps) {
  return (
    <PlanPage id={id} title={maintenanceTexts.title} addTitle={say.add} read={readOpened}>
      {(opened, again, key) => <Shown key={key} opened={opened} again={again} />}
    </PlanPage>
  );
}

/** After the last letter, milliseconds. */
const pauseMs = 250;

/** The next windows of a schedule that need not be stored, with what changes of the clocks do to them. */
function WindowDates({ draft }: { readonly draft: RecurringDraft }) {
  const [state, setState] = useState<{ windows: readonly PreviewWindow[]; problem?: unknown }>({
    windows: [],
  });
  const body = timesOf(draft);
  useEffect(() => {
    let isCurrent = true;
    const ask = () => {
      take(api.POST('/mschedules/preview', { body })).then(
        (windows) => isCurrent && setState({ windows }),
        (problem: unknown) => isCurrent && setState({ windows: [], problem }),
      );
    };
    const timer = setTimeout(ask, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [JSON.stringify(body)]);
  return (
    <section class={css['dates']} aria-live="polite">
      <h2>{say.dates}</h2>
      {state.problem !== undefined && (
        <p class="hint">
          {say.noAnswer} {wordsOf(state.problem)}
        </p>
      )}
      <ol>
        {state.windows.map(({ LocalStart, Start, Note }) => (
          <li key={LocalStart}>
            <Mark name={Start === null ? 'Failed' : 'Planned'} />
            <span>
              <span class={Start === null ? css['skipped'] : ''}>
                {dayWords(LocalStart.slice(0, 10))} {LocalStart.slice(0, 4)}, {LocalStart.slice(11)}
              </span>
              {Note !== null && <span class={css['dateNote']}>{Note}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Give({ schedule, onDone }: { readonly schedule: Mschedule; readonly onDone: () => void }) {
  const tags = allTags();
  const [chosen, setTag] = useState('');
  // The tags come with the facts.
  const tag = tags.includes(chosen) ? chosen : '';
  const [said, setSaid] = useState('');
  const give = async () => {
    try {
      const { mschedule_id } = schedule;
      const { Changed, Refused } = await changeDevices({ Filter: { Tag: tag }, Set: { mschedule_id } });
      const [first] = Refused;
      setSaid(
        [say.given(Changed), first === undefined ? '' : say.refused(Refused.length, first.Reason)].join(' '),
      );
      onDone();
    } catch (error) {
      setSaid(wordsOf(error));
    }
  };
  if (tags.length === 0) return null;
  return (
    <div class={css['give']}>
      <Select
        name={say.give}
        problem={undefined}
        value={tag}
        choices={[['', maintenanceTexts.form.chooseTag], ...tags.map((each) => [each, each] as const)]}
        onChoose={setTag}
      />
      <button type="button" class="button" disabled={tag === ''} onClick={() => void give()}>
        {say.giveButton}
      </button>
      <p role="status">{said}</p>
    </div>
  );
}

/** The devices that have a maintenance schedule; others get it by their tag. */
function RecurringUsers({ schedule }: { readonly schedule: Mschedule }) {
  const users = useRead(() => readMscheduleUsers(schedule.mschedule_id), [schedule.mschedule_id]);
  const { data, again } = users;
  return (
    <section class="section">
      <h2>{say.users}</h2>
      <ReadState read={users} rows={0} />
      {data?.total === 0 && <p class="mute">{say.unused}</p>}
      {data !== undefined && data.total > 0 && (
        <p>
          {maintenanceTexts.devices(data.total)}:{' '}
          {data.first.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <a class="link" href={`/devices/${id}`}>
                <bdi>{name}</bdi>
              </a>
            </span>
          ))}
          {data.total > data.first.length &&
            ` ${maintenanceTexts.window.more(data.total - data.first.length)}`}
        </p>
      )}
      {mayWrite.value && <Give schedule={schedule} onDone={again} />}
    </section>
  );
}
