import {
  changedDays,
  dateAfter,
  dateWords,
  objectiveSentences,
  type Report,
  spanPhrase,
  spanWords,
  timeWords,
  uptimeOf,
  uptimeSentence,
} from '@vantage/domain/report';
import { hourMs } from '@vantage/domain/units';
import { count, inFull, percent } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { zone } from '../../store/clock.ts';
import { minuteIn } from './minute-in.ts';
import { type ReadReport, reportSubject } from './report-request.ts';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

/** The percentage in a sentence. */
export function ReportSentence({ read, report }: { readonly read: ReadReport; readonly report: Report }) {
  const { request, chosen, span, moments, createdMs } = read;
  if (moments.from >= createdMs) return <Heading>{say.future(spanPhrase(span).time)}</Heading>;
  const { kind, name } = reportSubject(request, chosen);
  const isOne = kind === 'device' || chosen.length === 1;
  const shown =
    kind === 'all'
      ? say.names.everything(chosen.length)
      : kind === 'some'
        ? say.names.some(chosen.length)
        : name;
  return (
    <Heading>
      <bdi>
        {uptimeSentence(report.total.uptime, {
          subject: say.was(shown, !isOne && kind !== 'tag'),
          span: spanPhrase(span, moments.to > createdMs),
          devices: chosen.length,
        })}
      </bdi>
    </Heading>
  );
}

/** The devices, the span with its zone and hours, and clock changes in it. */
export function ReportSpanLine({
  read: { span, moments, createdMs, chosen },
}: {
  readonly read: ReadReport;
}) {
  const isOpen = moments.to > createdMs;
  const changes = changedDays(span, zone.value).map(({ date, hours }) =>
    say.changedDay(dateWords(date), hours),
  );
  const parts = [
    say.ofDevices(chosen.length),
    say.span(dateWords(span.first), dateWords(dateAfter(span.last)), zone.value),
    say.hours(Math.round((moments.to - moments.from) / hourMs)),
    isOpen ? say.until(minuteIn(zone.value, createdMs)) : '',
    changes.length === 0 ? '' : say.clocks(changes.join(', ')),
  ];
  return <p class="mute">{parts.filter((part) => part !== '').join(' · ')}</p>;
}

/** The figures of all devices together. */
export function ReportTotals({ report }: { readonly report: Report }) {
  const { figures, uptime, devices } = report.total;
  const timeOf = (seconds: number) => timeWords(seconds, uptime.total, devices.length);
  const longest = report.outages[0]?.Seconds;
  const main = [
    [say.sums.uptime, percent(uptime.percent)],
    [say.sums.outages, count(figures.outages)],
    [say.sums.down, inFull(figures.down, 2)],
    [say.sums.longest, longest === undefined ? '–' : inFull(longest, 2)],
  ] as const;
  const secondary = [
    [say.sums.observed, timeOf(uptime.observed)],
    [say.sums.maintenance, timeOf(figures.maintenance)],
    [say.sums.unknown, timeOf(figures.unknown)],
    ...(figures.excluded > 0 ? [[say.sums.excluded, timeOf(figures.excluded)] as const] : []),
  ] as const;
  return (
    <dl class={css['sums']}>
      {main.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {secondary.map(([name, text]) => (
        <div key={name} class={css['secondary']}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The figures of several devices together. */
function sumOf(uptimes: NonNullable<ReadReport['before']>['uptimes']) {
  const sum = (name: keyof (typeof uptimes)[number]['Uptime']) =>
    uptimes.reduce((all, { Uptime }) => all + (Uptime[name] ?? 0), 0);
  return {
    up: sum('UpSeconds'),
    down: sum('DownSeconds'),
    maintenance: sum('MaintenanceSeconds'),
    unknown: sum('UnknownSeconds'),
    excluded: sum('ExcludedSeconds'),
    outages: sum('Outages'),
  };
}

/** A sentence about the objective, and one that compares with the previous span. */
export function ReportVerdict({
  read: { before, moments, createdMs },
  report,
  objective,
}: {
  readonly read: ReadReport;
  readonly report: Report;
  readonly objective: string;
}) {
  const earlier = before === undefined ? undefined : sumOf(before.uptimes);
  const lines = [
    ...objectiveSentences(report, objective, moments.to > createdMs),
    ...(before === undefined || earlier === undefined
      ? []
      : [
          say.previous(spanWords(before.span), uptimeOf(earlier), {
            outages: earlier.outages,
            devices: before.uptimes.length,
          }),
        ]),
  ];
  return lines.length === 0 ? null : <p class={css['verdict']}>{lines.join(' ')}</p>;
}
