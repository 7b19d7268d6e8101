import { dateWords, type Line, type Report } from '@vantage/domain/report';
import { dateIn } from '../../model/format.ts';
import { zone } from '../../store/clock.ts';
import { maxOutages } from '../../store/read-report.ts';
import { DayChart } from './day-chart.tsx';
import { ExportButtons } from './export-buttons.tsx';
import { OutageTable } from './outage-table.tsx';
import { ReportLines, StatusBar } from './report-lines.tsx';
import { addressOf, baseOf, type ReadReport, type ReportRequest } from './report-request.ts';
import { ReportSentence, ReportSpanLine, ReportTotals, ReportVerdict } from './report-summary.tsx';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

const maxDevices = 50;
const maxGroups = 100;

/** A moment in the account's zone, to the minute. */
function minuteIn(zoneName: string, ms: number): string {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: zoneName, timeStyle: 'short' }).format(ms);
  return `${dateWords(dateIn(zoneName, ms))} ${time}`;
}

function CountingMethod({
  createdMs,
  hasObjective,
}: {
  readonly createdMs: number;
  readonly hasObjective: boolean;
}) {
  const { title, lines, objective, created } = say.method;
  return (
    <footer class={css['method']}>
      <h2>{title}</h2>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {hasObjective && <p>{objective}</p>}
      <p>
        {created(minuteIn(zone.value, createdMs), zone.value)}
        <span class={css['address']}>{location.href}</span>
      </p>
    </footer>
  );
}

/** The figures of groups and devices. */
function ReportTables({
  read: { moments, data },
  request,
  report,
}: {
  readonly read: ReadReport;
  readonly request: ReportRequest;
  readonly report: Report;
}) {
  const shared = { span: moments, intervals: data.intervals };
  const base = baseOf(request);
  const groupLink = ({ name }: Line) =>
    name === '' ? undefined : addressOf({ ...request, devices: undefined, filter: filterOf(name, base) });
  return (
    <>
      {report.groups.length > 1 && (
        <ReportLines
          {...shared}
          title={say.groups}
          first={say.columns.tag}
          hint={isShared(report.groups) ? say.groupHint : undefined}
          lines={report.groups}
          maxLines={maxGroups}
          linkOf={groupLink}
        />
      )}
      <ReportLines
        {...shared}
        title={say.devices}
        first={say.columns.device}
        lines={report.devices}
        maxLines={maxDevices}
        linkOf={({ key }) => addressOf({ ...request, devices: [key] })}
      />
    </>
  );
}

/** A report as it is shown and printed. */
export function ReportSheet({
  read,
  request,
  report,
  again,
}: {
  readonly read: ReadReport;
  readonly request: ReportRequest;
  readonly report: Report;
  readonly again: () => void;
}) {
  const { moments, createdMs, data, chosen } = read;
  const hasFigures = moments.from < createdMs;
  return (
    <article class={css['sheet']}>
      <ExportButtons read={read} />
      <ReportSentence read={read} report={report} />
      <ReportSpanLine read={read} />
      {hasFigures && (
        <>
          <ReportTotals report={report} />
          <ReportVerdict read={read} report={report} objective={request.objectiveText} />
          {chosen.length === 1 && (
            <StatusBar width={1_132} span={moments} intervals={[...data.intervals.values()].flat()} />
          )}
          <DayChart read={read} report={report} />
          {chosen.length > 1 && <ReportTables read={read} request={request} report={report} />}
          <OutageTable
            title={say.outages}
            hint={outageHint(read, report)}
            outages={report.outages}
            again={again}
          />
          {report.excluded.length > 0 && (
            <OutageTable
              title={say.excludedOutages}
              hint={say.excludedSay}
              outages={report.excluded}
              again={again}
            />
          )}
        </>
      )}
      <CountingMethod createdMs={createdMs} hasObjective={request.objective !== undefined} />
    </article>
  );
}

/** Whether some device is in several groups. */
function isShared(groups: readonly Line[]): boolean {
  const ids = groups.flatMap(({ devices }) => devices);
  return new Set(ids).size < ids.length;
}

/** The filter for a group: its branch, or only the tag if the group is the base itself. */
function filterOf(name: string, base: string): string {
  const tag = name === base ? name : `${name}/*`;
  return /\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`;
}

/** Why the list of outages differs from their number; undefined: it does not. */
function outageHint({ data }: ReadReport, { outages, total }: Report): string | undefined {
  if (data.isCut) return say.isCut(maxOutages);
  const more = outages.length - total.figures.outages;
  return more > 0 ? say.unseen(more) : undefined;
}
