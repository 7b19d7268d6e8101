import { dateWords } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { scopeParts } from '../../model/rights.ts';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { mayWrite } from '../../store/credential.ts';
import { type MonthlyReport, readMonthlyReports } from '../../store/monthly-reports.ts';
import { readContacts } from '../../store/plan.ts';
import { readTagNames } from '../../store/tags.ts';
import { reportTexts } from '../../texts/report.ts';
import { MonthlyDialog } from './monthly-dialog.tsx';
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
  const { data, problem, again } = useRead(read, []);
  const [opened, setOpened] = useState<MonthlyReport | 'new'>();
  return (
    <section class={`section ${css['monthlies']}`} aria-labelledby="monthly">
      <h2 id="monthly">{say.title}</h2>
      <p class="mute">{say.hint}</p>
      {data === undefined && problem === undefined && <Waiting rows={1} />}
      {data === undefined && problem !== undefined && <Failure problem={problem} retry={again} />}
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
          onDone={again}
        />
      )}
    </section>
  );
}
