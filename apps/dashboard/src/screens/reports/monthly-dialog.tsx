import { parseObjective } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { readScope, scopeParts } from '../../model/rights.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { useSending } from '../../parts/use-sending.ts';
import {
  removeMonthlyReport,
  type StoredMonthlyReport,
  saveMonthlyReport,
} from '../../store/monthly-reports.ts';
import { formTexts } from '../../texts/form-texts.ts';
import type { MonthlyFacts } from './monthly-facts.ts';
import { reportTexts } from './report-texts.ts';
import css from './reports.module.css';

const say = reportTexts.monthly;
const shown = ['Name', 'Tags', 'Objective'];

interface MonthlyDraft {
  readonly name: string;
  /** Tags and branches separated by commas. */
  readonly tags: string;
  readonly objective: string;
  readonly contacts: readonly string[];
}

function draftOf(report: StoredMonthlyReport | undefined, { contacts, allTags }: MonthlyFacts): MonthlyDraft {
  const [only, ...others] = contacts;
  const first = only !== undefined && others.length === 0 ? [only.contact_id] : [];
  return {
    name: report?.Name ?? '',
    tags: scopeParts(report?.Tags?.map(({ Name }) => Name) ?? [], allTags).join(', '),
    objective: report?.Objective == null ? '' : String(report.Objective),
    contacts: report?.Contacts ?? first,
  };
}

/** Chooses the contacts to which the report is sent. */
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
    set({ contacts: has ? draft.contacts.filter((other) => other !== id) : [...draft.contacts, id] });
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

function MonthlyFields({
  draft,
  facts,
  set,
  problemOf,
  unknown,
  isWrong,
}: {
  readonly draft: MonthlyDraft;
  readonly facts: MonthlyFacts;
  readonly set: (change: Partial<MonthlyDraft>) => void;
  /** The refusal of a field. */
  readonly problemOf: (field: string) => string | undefined;
  /** The text about tags that do not exist. */
  readonly unknown: string | undefined;
  /** Whether the objective is invalid. */
  readonly isWrong: boolean;
}) {
  return (
    <>
      <LineField
        name={say.name}
        value={draft.name}
        problem={problemOf('Name')}
        hint={say.nameHint}
        isFirst
        onInput={(name) => set({ name })}
      />
      <ContactChoice draft={draft} facts={facts} set={set} />
      <LineField
        name={say.tags}
        value={draft.tags}
        problem={unknown ?? problemOf('Tags')}
        hint={say.tagsHint}
        onInput={(tags) => set({ tags })}
      />
      <LineField
        name={reportTexts.objective}
        value={draft.objective}
        problem={isWrong ? reportTexts.wrongObjective : problemOf('Objective')}
        hint={say.objectiveHint}
        onInput={(objective) => set({ objective })}
      />
    </>
  );
}

/** The settings of a new or an existing monthly report. */
export function MonthlyDialog({
  report,
  facts,
  onClose,
  onDone,
}: {
  readonly report: StoredMonthlyReport | undefined;
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
  const unknown = written.unknown.length > 0 ? formTexts.unknownTags(written.unknown) : undefined;
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
        <MonthlyFields
          draft={draft}
          facts={facts}
          set={set}
          problemOf={sending.problemOf}
          unknown={unknown}
          isWrong={isWrong}
        />
        <FormRefusal words={sending.words(shown)} />
        <div class="buttons">
          <SubmitButton
            isOff={sending.isBusy || isWrong || unknown !== undefined || draft.contacts.length === 0}
          >
            {say.save}
          </SubmitButton>
          <CancelButton onClose={onClose} />
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
