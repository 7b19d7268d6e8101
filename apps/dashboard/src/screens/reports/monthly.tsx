import { dateWords, parseObjective } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { readScope, scopeParts } from '../../model/rights.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Cancel, Refusal, Submit } from '../../parts/form-end.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useSending } from '../../parts/use-sending.ts';
import { mayWrite } from '../../store/credential.ts';
import {
  type MonthlyReport,
  readMonthlyReports,
  removeMonthlyReport,
  saveMonthlyReport,
} from '../../store/monthly-reports.ts';
import { readContacts } from '../../store/plan.ts';
import { readTagNames } from '../../store/tags.ts';
import { peopleTexts } from '../../texts/people.ts';
import { reportTexts } from '../../texts/report.ts';
import type { MonthlyFacts } from './monthly-facts.ts';
import css from './reports.module.css';

const say = reportTexts.monthly;

async function read(): Promise<MonthlyFacts> {
  const [reports, contacts, allTags] = await Promise.all([
    readMonthlyReports(),
    readContacts(),
    readTagNames(),
  ]);
  return { reports, contacts: contacts.filter(({ Type }) => Type === 'email'), allTags };
}

function Row({
  report,
  facts: { contacts, allTags },
  onEdit,
}: {
  readonly report: MonthlyReport;
  readonly facts: MonthlyFacts;
  readonly onEdit: () => void;
}) {
  const { Name, Contacts, Tags, Objective, Next, LastAnswer, LastMonth } = report;
  const names = contacts.filter(({ contact_id }) => Contacts.includes(contact_id)).map((each) => each.Name);
  const tags = Tags?.map((tag) => tag.Name);
  return (
    <li class={css['monthly']}>
      <div>
        <b>
          <bdi>{Name}</bdi>
        </b>
        <p class="mute">
          {tags === undefined ? say.allDevices : say.devicesOf(scopeParts(tags, allTags))}
          {Objective !== null && ` · ${say.objectiveOf(Objective)}`}
        </p>
      </div>
      <div>
        <p>{say.to(names)}</p>
        <p class="mute">
          {say.next(dateWords(Next.slice(0, 10)))}
          {LastMonth !== null && ` · ${say.last(LastMonth, LastAnswer)}`}
        </p>
      </div>
      {mayWrite.value && (
        <button type="button" class="button" onClick={onEdit} aria-label={say.editOf(Name)}>
          {say.edit}
        </button>
      )}
    </li>
  );
}

/** The reports that go out by mail after each month, and the dialog that changes them. */
export function Monthly() {
  const all = useRead(read, []);
  const { data } = all;
  const [opened, setOpened] = useState<MonthlyReport | 'new'>();
  return (
    <section class={`section ${css['monthlies']}`} aria-labelledby="monthly">
      <h2 id="monthly">{say.title}</h2>
      <p class="mute">{say.hint}</p>
      <ReadState read={all} rows={1} />
      {data !== undefined && data.reports.length > 0 && (
        <ul class={css['rows']}>
          {data.reports.map((report) => (
            <Row key={report.report_id} report={report} facts={data} onEdit={() => setOpened(report)} />
          ))}
        </ul>
      )}
      {data?.reports.length === 0 && <p>{say.none}</p>}
      {data !== undefined && mayWrite.value && (
        <p>
          <button type="button" class="button" onClick={() => setOpened('new')}>
            {say.add}
          </button>
        </p>
      )}
      {data !== undefined && opened !== undefined && (
        <MonthlyDialog
          report={opened === 'new' ? undefined : opened}
          facts={data}
          onClose={() => setOpened(undefined)}
          onDone={all.again}
        />
      )}
    </section>
  );
}

const shown = ['Name', 'Tags', 'Objective'];

interface MonthlyDraft {
  readonly name: string;
  /** Tags and branches with commas between them. */
  readonly tags: string;
  readonly objective: string;
  readonly contacts: readonly string[];
}

function draftOf(report: MonthlyReport | undefined, { contacts, allTags }: MonthlyFacts): MonthlyDraft {
  const [only, ...others] = contacts;
  const first = only !== undefined && others.length === 0 ? [only.contact_id] : [];
  return {
    name: report?.Name ?? '',
    tags: scopeParts(report?.Tags?.map(({ Name }) => Name) ?? [], allTags).join(', '),
    objective: report?.Objective == null ? '' : String(report.Objective),
    contacts: report?.Contacts ?? first,
  };
}

/** The contacts that get the mail: those of the account that take mail. */
function ContactChoice({
  draft,
  facts: { contacts },
  set,
}: {
  readonly draft: MonthlyDraft;
  readonly facts: MonthlyFacts;
  readonly set: (change: Partial<MonthlyDraft>) => void;
}) {
  const toggle = (id: string) => {
    const has = draft.contacts.includes(id);
    set({ contacts: has ? draft.contacts.filter((each) => each !== id) : [...draft.contacts, id] });
  };
  return (
    <fieldset class={css['choice']}>
      <legend class="label">{say.contacts}</legend>
      {contacts.length === 0 && (
        <p class="hint">
          {say.noContacts} <a href="/schedules/contacts/new">{say.addContact}</a>
        </p>
      )}
      {contacts.map(({ contact_id, Name, Address }) => (
        <label key={contact_id}>
          <input
            type="checkbox"
            checked={draft.contacts.includes(contact_id)}
            onChange={() => toggle(contact_id)}
          />{' '}
          <bdi>{Name}</bdi> <span class="mute">{Address}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Fields({
  draft,
  facts,
  set,
  of,
  unknown,
  isWrong,
}: {
  readonly draft: MonthlyDraft;
  readonly facts: MonthlyFacts;
  readonly set: (change: Partial<MonthlyDraft>) => void;
  /** The refusal of a field. */
  readonly of: (field: string) => string | undefined;
  /** The words about tags that are not there. */
  readonly unknown: string | undefined;
  /** The objective is none. */
  readonly isWrong: boolean;
}) {
  return (
    <>
      <TextField
        name={say.name}
        value={draft.name}
        problem={of('Name')}
        hint={say.nameHint}
        isFirst
        onInput={(name) => set({ name })}
      />
      <ContactChoice draft={draft} facts={facts} set={set} />
      <TextField
        name={say.tags}
        value={draft.tags}
        problem={unknown ?? of('Tags')}
        hint={say.tagsHint}
        onInput={(tags) => set({ tags })}
      />
      <TextField
        name={reportTexts.objective}
        value={draft.objective}
        problem={isWrong ? reportTexts.wrongObjective : of('Objective')}
        hint={say.objectiveHint}
        onInput={(objective) => set({ objective })}
      />
    </>
  );
}

/** The settings of a monthly report: of a new one, or of one that is changed. */
function MonthlyDialog({
  report,
  facts,
  onClose,
  onDone,
}: {
  readonly report: MonthlyReport | undefined;
  readonly facts: MonthlyFacts;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(report, facts));
  const sending = useSending();
  const set = (change: Partial<MonthlyDraft>) => setDraft((old) => ({ ...old, ...change }));
  const written = readScope(draft.tags, facts.allTags);
  const objective = draft.objective.trim();
  const isWrong = objective !== '' && parseObjective(objective) === undefined;
  const unknown = written.unknown.length > 0 ? peopleTexts.form.unknownTags(written.unknown) : undefined;
  const done = () => {
    onDone();
    onClose();
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      await saveMonthlyReport(report?.report_id, {
        Name: draft.name.trim(),
        Contacts: [...draft.contacts],
        Tags: written.tags && [...written.tags],
        Objective: objective === '' ? null : Number(objective),
      });
      done();
    });
  return (
    <Dialog title={report === undefined ? say.add : say.editOf(report.Name)} onClose={onClose}>
      <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
        <Fields draft={draft} facts={facts} set={set} of={sending.of} unknown={unknown} isWrong={isWrong} />
        <Refusal words={sending.words(shown)} />
        <div class="buttons">
          <Submit isOff={sending.isBusy || isWrong || unknown !== undefined || draft.contacts.length === 0}>
            {say.save}
          </Submit>
          <Cancel onClose={onClose} />
          {report !== undefined && (
            <RemoveButton
              words={say.remove}
              ask={say.removeAsk(report.Name)}
              remove={() => removeMonthlyReport(report.report_id)}
              onRemoved={done}
            />
          )}
        </div>
      </form>
    </Dialog>
  );
}
