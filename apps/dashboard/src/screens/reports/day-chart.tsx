import { dateWords, type Report, spanWords, timeWords, uptimeOf } from '@vantage/domain/report';
import { inFull, percent } from '../../model/format.ts';
import { type ReportPart, reportParts } from '../../model/report-days.ts';
import bar from '../../parts/bar.module.css';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { zone } from '../../store/clock.ts';
import type { ReadReport } from './report-request.ts';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

const height = 72;
const stripTop = 76;
const stripHeight = 8;
/** A part is this wide, with the gap behind it. */
const step = 10;
const gap = 2;

const totalOf = ({ up, down, maintenance, excluded, unknown }: ReportPart) =>
  up + down + maintenance + excluded + unknown;

const nameOf = ({ span }: ReportPart) => spanWords(span);

/** The time Down of each part as a bar, and below it the share that was not observed. */
function PartBars({ parts, devices }: { readonly parts: readonly ReportPart[]; readonly devices: number }) {
  const longest = Math.max(1, ...parts.map(({ down }) => down));
  const width = parts.length * step;
  return (
    <svg
      class={css['dayBars']}
      viewBox={`0 0 ${width} ${stripTop + stripHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class={bar['none']} x="0" y={height - 1} width={width} height="1" />
      {parts.map((part, at) => {
        const { down, unknown } = part;
        const total = totalOf(part);
        const tall = down === 0 ? 0 : Math.max(2, (down / longest) * height);
        const unseen = total === 0 ? 0 : (unknown / total) * stripHeight;
        const x = at * step;
        const shown = unknown > 0 && unseen < 1 ? 1 : unseen;
        return (
          <g key={part.span.first}>
            <title>{say.days.words(nameOf(part), inFull(down, 2), timeWords(unknown, total, devices))}</title>
            <rect class={css['dayBack']} x={x} y="0" width={step} height={stripTop + stripHeight} />
            <rect class={bar['Down']} x={x} y={height - tall} width={step - gap} height={tall} />
            <rect class={bar['Unknown']} x={x} y={stripTop} width={step - gap} height={shown} />
          </g>
        );
      })}
    </svg>
  );
}

function PartRow({ part, devices }: { readonly part: ReportPart; readonly devices: number }) {
  const total = totalOf(part);
  const uptime = uptimeOf(part);
  const timeOf = (seconds: number) => timeWords(seconds, total, devices);
  const cells = [
    [say.columns.uptime, percent(uptime.percent)],
    [say.columns.observed, timeOf(uptime.observed)],
    [say.columns.down, inFull(part.down, 2)],
    [say.columns.maintenance, timeOf(part.maintenance)],
    [say.days.unseen, timeOf(part.unknown)],
  ] as const;
  return (
    <tr>
      <th scope="row">{nameOf(part)}</th>
      {cells.map(([name, words]) => (
        <td key={name} class="num" data-label={name}>
          {words}
        </td>
      ))}
    </tr>
  );
}

/** The days of a report (of a long one its months): a chart, and a table with the same figures. */
export function DayChart({ read, report }: { readonly read: ReadReport; readonly report: Report }) {
  const { span, data, moments, createdMs } = read;
  const until = Math.min(moments.to, createdMs);
  const excluded = report.excluded.map(({ device_id, Start, End }) => ({
    device: device_id,
    from: Date.parse(Start),
    to: End === null ? until : Date.parse(End),
  }));
  const parts = reportParts({ span, zone: zone.value, until, intervals: data.intervals, excluded });
  const devices = data.intervals.size;
  if (devices === 0 || parts.length < 2) return null;
  const isByDay = parts.every(({ span: { first, last } }) => first === last);
  const longest = Math.max(...parts.map(({ down }) => down));
  const passed = parts.filter((part) => totalOf(part) > 0);
  return (
    <ScrollSection label={say.days.title(isByDay)} class="section">
      <h2>{say.days.title(isByDay)}</h2>
      <p class="hint">{say.days.hint(isByDay, longest === 0 ? undefined : inFull(longest, 2))}</p>
      <PartBars parts={parts} devices={devices} />
      <p class={css['dayAxis']} aria-hidden="true">
        <span>{dateWords(span.first)}</span>
        <span>{dateWords(span.last)}</span>
      </p>
      <details class={css['dayTable']}>
        <summary class="hint">{say.days.table}</summary>
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">{say.days.column(isByDay)}</th>
              {[
                say.columns.uptime,
                say.columns.observed,
                say.columns.down,
                say.columns.maintenance,
                say.days.unseen,
              ].map((name) => (
                <th key={name} scope="col" class="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {passed.map((part) => (
              <PartRow key={part.span.first} part={part} devices={devices} />
            ))}
          </tbody>
        </table>
      </details>
    </ScrollSection>
  );
}
