import { dateWords } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { scopeParts } from '../../model/rights.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { mayWrite } from '../../store/credential.ts';
import { readMonthlyReports, type StoredMonthlyReport } from '../../store/monthly-reports.ts';
import { readContacts } from '../../store/notification-schedules.ts';
import { readTagNames } from '../../store/tags.ts';
import { MonthlyDialog } from './monthly-dialog.tsx';
import type { MonthlyFacts } from './monthly-facts.ts';
import { reportTexts } from './report-texts.ts';
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

function MonthlyRow({
  report,
  facts: { contacts, allTags },
  onEdit,
}: {
  readonly report: StoredMonthlyReport;
  readonly facts: MonthlyFacts;
  readonly onEdit: () => void;
}) {
  const { Name, Contacts, Tags, Objective, Next, LastAnswer, LastMonth } = report;
  const names = contacts
    .filter(({ contact_id }) => Contacts.includes(contact_id))
    .map((contact) => contact.Name);
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

/** The reports that are sent by mail after each month, and the dialog that changes them. */
export function MonthlyReports() {
  const all = useRead(read, []);
  const { data } = all;
  const [opened, setOpened] = useState<StoredMonthlyReport | 'new'>();
  return (
    <section class={`section ${css['monthlies']}`} aria-labelledby="monthly">
      <h2 id="monthly">{say.title}</h2>
      <p class="mute">{say.hint}</p>
      <ReadState read={all} rows={1} />
      {data !== undefined && data.reports.length > 0 && (
        <ul class={css['rows']}>
          {data.reports.map((report) => (
            <MonthlyRow
              key={report.report_id}
              report={report}
              facts={data}
              onEdit={() => setOpened(report)}
            />
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
