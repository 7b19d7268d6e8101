import {
  changedDays,
  dateAfter,
  dateWords,
  type Line,
  objectiveSentences,
  percentOf,
  type Report,
  spanText,
  spanWords,
} from '@vantage/domain/report';
import { hourMs } from '@vantage/domain/units';
import { useState } from 'preact/hooks';
import { count, dateIn, inFull, percent } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { zone } from '../../store/clock.ts';
import { mostOutages, readCsv } from '../../store/read-report.ts';
import { reportSource } from '../../store/report-source.ts';
import { reportTexts as say } from '../../texts/report.ts';
import { type AskedReport, addressOf, baseOf, type ReadReport, subjectOf } from './asked.ts';
import { Bar, Lines } from './lines.tsx';
import { Outages } from './outages.tsx';
import css from './reports.module.css';

const mostDevices = 50;
const mostGroups = 100;

/** A moment in the account's zone, to the minute. */
function minuteIn(zoneName: string, ms: number): string {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: zoneName, timeStyle: 'short' }).format(ms);
  return `${dateWords(dateIn(zoneName, ms))} ${time}`;
}

/** The percentage in a sentence. */
function Sentence({ read, report }: { readonly read: ReadReport; readonly report: Report }) {
  const { asked, chosen, span, moments, madeAt } = read;
  const words = spanWords(span);
  if (moments.from >= madeAt) return <Heading>{say.future(words)}</Heading>;
  if (report.total.percent === null) return <Heading>{say.nothing(words)}</Heading>;
  const { kind, name } = subjectOf(asked, chosen);
  const isOne = kind === 'device' || chosen.length === 1;
  const shown =
    kind === 'all'
      ? say.names.everything(chosen.length)
      : kind === 'some'
        ? say.names.some(chosen.length)
        : name;
  return (
    <Heading>
      <bdi>{say.was(shown, !isOne && kind !== 'tag')}</bdi> {percent(report.total.percent)}{' '}
      {say.of(words, moments.to > madeAt)}
    </Heading>
  );
}

/** From when to when, in which zone, how many hours. */
function About({ read: { span, moments, madeAt, chosen } }: { readonly read: ReadReport }) {
  const isOpen = moments.to > madeAt;
  const changes = changedDays(span, zone.value).map(({ date, hours }) =>
    say.changedDay(dateWords(date), hours),
  );
  const parts = [
    say.ofDevices(chosen.length),
    say.span(dateWords(span.first), dateWords(dateAfter(span.last)), zone.value),
    say.hours(Math.round((moments.to - moments.from) / hourMs)),
    isOpen ? say.until(minuteIn(zone.value, madeAt)) : '',
    changes.length === 0 ? '' : say.clocks(changes.join(', ')),
  ];
  return <p class="mute">{parts.filter((part) => part !== '').join(' · ')}</p>;
}

function Sums({ report }: { readonly report: Report }) {
  const { figures, percent: value } = report.total;
  const longest = report.outages[0]?.Seconds;
  const main = [
    [say.sums.uptime, percent(value)],
    [say.sums.outages, count(figures.outages)],
    [say.sums.down, inFull(figures.down, 2)],
    [say.sums.longest, longest === undefined ? '–' : inFull(longest, 2)],
  ] as const;
  const apart = [
    [say.sums.maintenance, inFull(figures.maintenance, 2)],
    [say.sums.unknown, inFull(figures.unknown, 2)],
    ...(figures.excluded > 0 ? [[say.sums.excluded, inFull(figures.excluded, 2)] as const] : []),
  ] as const;
  return (
    <dl class={css['sums']}>
      {main.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {apart.map(([name, text]) => (
        <div key={name} class={css['apart']}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The objective, and the span before, each in a sentence. */
function Judged({
  read: { before, moments, madeAt },
  report,
  objective,
}: {
  readonly read: ReadReport;
  readonly report: Report;
  readonly objective: string;
}) {
  const earlier = before?.uptimes.reduce(
    (sum, { Uptime }) => ({
      up: sum.up + Uptime.UpSeconds,
      down: sum.down + Uptime.DownSeconds,
      outages: sum.outages + Uptime.Outages,
    }),
    { up: 0, down: 0, outages: 0 },
  );
  const lines = [
    ...objectiveSentences(report, objective, moments.to > madeAt),
    ...(before === undefined || earlier === undefined
      ? []
      : [say.previous(spanWords(before.span), percentOf(earlier), earlier.outages)]),
  ];
  return lines.length === 0 ? null : <p class={css['judged']}>{lines.join(' ')}</p>;
}

function Method({ madeAt, hasObjective }: { readonly madeAt: number; readonly hasObjective: boolean }) {
  const { title, lines, objective, made } = say.method;
  return (
    <footer class={css['method']}>
      <h2>{title}</h2>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {hasObjective && <p>{objective}</p>}
      <p>
        {made(minuteIn(zone.value, madeAt), zone.value)}
        <span class={css['address']}>{location.href}</span>
      </p>
    </footer>
  );
}

/** The figures of groups and devices. */
function Tables({
  read: { moments, data },
  asked,
  report,
}: {
  readonly read: ReadReport;
  readonly asked: AskedReport;
  readonly report: Report;
}) {
  const shared = { span: moments, intervals: data.intervals };
  const base = baseOf(asked);
  const groupLink = ({ name }: Line) =>
    name === '' ? undefined : addressOf({ ...asked, devices: undefined, filter: filterOf(name, base) });
  return (
    <>
      {report.groups.length > 1 && (
        <Lines
          {...shared}
          title={say.groups}
          first={say.columns.tag}
          hint={isShared(report.groups) ? say.groupHint : undefined}
          lines={report.groups}
          most={mostGroups}
          linkOf={groupLink}
        />
      )}
      <Lines
        {...shared}
        title={say.devices}
        first={say.columns.device}
        lines={report.devices}
        most={mostDevices}
        linkOf={({ key }) => addressOf({ ...asked, devices: [key] })}
      />
    </>
  );
}

/** The sheet of a report, as it is shown and printed. */
export function Sheet({
  read,
  asked,
  report,
  again,
}: {
  readonly read: ReadReport;
  readonly asked: AskedReport;
  readonly report: Report;
  readonly again: () => void;
}) {
  const { moments, madeAt, data, chosen } = read;
  const hasFigures = moments.from < madeAt;
  return (
    <article class={css['sheet']}>
      <Take read={read} />
      <Sentence read={read} report={report} />
      <About read={read} />
      {hasFigures && (
        <>
          <Sums report={report} />
          <Judged read={read} report={report} objective={asked.objectiveText} />
          {chosen.length === 1 && (
            <Bar width={1_132} span={moments} intervals={[...data.intervals.values()].flat()} />
          )}
          {chosen.length > 1 && <Tables read={read} asked={asked} report={report} />}
          <Outages
            title={say.outages}
            hint={outageHint(read, report)}
            outages={report.outages}
            again={again}
          />
          {report.excluded.length > 0 && (
            <Outages
              title={say.excludedOutages}
              hint={say.excludedSay}
              outages={report.excluded}
              again={again}
            />
          )}
        </>
      )}
      <Method madeAt={madeAt} hasObjective={asked.objective !== undefined} />
    </article>
  );
}

/** Whether a device counts in several groups. */
function isShared(groups: readonly Line[]): boolean {
  const ids = groups.flatMap(({ devices }) => devices);
  return new Set(ids).size < ids.length;
}

/** The filter of a group: its branch, or the tag itself where the group is that of the base. */
function filterOf(name: string, base: string): string {
  const tag = name === base ? name : `${name}/*`;
  return /\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`;
}

/** Why the list of outages differs from their number. */
function outageHint({ data }: ReadReport, { outages, total }: Report): string | undefined {
  if (data.isCut) return say.isCut(mostOutages);
  const more = outages.length - total.figures.outages;
  return more > 0 ? say.unseen(more) : undefined;
}

/** Offers a text as a file. */
function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Ways to take a report along: a table, paper, its address. */
function Take({ read: { span, chosen, moments, madeAt } }: { readonly read: ReadReport }) {
  const [said, setSaid] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const ids = chosen.map(({ id }) => id);
  const until = { from: moments.from, to: Math.min(moments.to, madeAt) };
  const csv = async () => {
    setProblem(undefined);
    try {
      save(await readCsv(reportSource, ids, until), say.csvName(spanText(span)));
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid(say.copied);
    } catch {
      // Without the right to the clipboard the address is in the address line.
      setSaid(location.href);
    }
  };
  return (
    <div class={`buttons ${css['take']}`}>
      {problem !== undefined && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      <button type="button" class="button" onClick={() => void copy()}>
        {say.link}
      </button>
      <button type="button" class="button" disabled={until.to <= until.from} onClick={() => void csv()}>
        {say.csv}
      </button>
      <button type="button" class="button" onClick={() => print()}>
        {say.print}
      </button>
      <span class="mute" role="status">
        {said}
      </span>
    </div>
  );
}
