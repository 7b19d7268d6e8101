import { type Line, type Moments, timeWords } from '@vantage/domain/report';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count, inFull, percent } from '../../model/format.ts';
import { runsOf, type StatusInterval } from '../../model/timeline.ts';
import bar from '../../parts/bar.module.css';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

const columns = say.columns;
const pixels = 208;
const barHeight = 16;
const heights = { Up: 3, Down: 16, Maint: 8, Unknown: 8 } as const;

/**
 * The status of devices over the span. It is hidden from screen readers, because the figures next to it say the same.
 */
export function StatusBar({
  intervals,
  span,
  width = pixels,
}: {
  readonly intervals: readonly StatusInterval[];
  readonly span: Moments;
  readonly width?: number;
}) {
  return (
    <svg
      class={bar['day']}
      viewBox={`0 0 ${width} ${barHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class={bar['none']} x="0" y={barHeight - 1} width={width} height="1" />
      {runsOf(intervals, span, width).map(({ x, width: wide, status }) => (
        <rect
          key={x}
          class={bar[status]}
          x={x}
          y={barHeight - heights[status]}
          width={wide}
          height={heights[status]}
        />
      ))}
    </svg>
  );
}

const short = (seconds: number) => inFull(seconds, 2);

function LinesHead({
  first,
  figures,
  hasBars,
}: {
  readonly first: string;
  readonly figures: readonly Figure[];
  readonly hasBars: boolean;
}) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {figures.map((name) => (
          <th key={name} scope="col" class="num">
            {columns[name]}
          </th>
        ))}
        {hasBars && (
          <th scope="col" class={css['barColumn']}>
            {columns.bar}
          </th>
        )}
      </tr>
    </thead>
  );
}

/** Lines of a report: at most `maxLines`, until a person wants to see all. */
export function ReportLines({
  title,
  first,
  hint,
  lines,
  maxLines,
  span,
  intervals,
  linkOf,
}: {
  readonly title: string;
  readonly first: string;
  readonly hint?: string | undefined;
  readonly lines: readonly Line[];
  readonly maxLines: number;
  readonly span: Moments;
  readonly intervals: ReadonlyMap<string, readonly StatusInterval[]>;
  readonly linkOf: (line: Line) => string | undefined;
}) {
  const [isAll, setAll] = useState(false);
  const figures = figuresOf(lines);
  const shown = isAll ? lines : lines.slice(0, maxLines);
  return (
    <ScrollSection label={title} class={`section ${css['table']}`}>
      <h2>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <table class="stack">
        <LinesHead first={first} figures={figures} hasBars={intervals.size > 0} />
        <tbody>
          {shown.map((line) => (
            <LineRow
              key={line.key}
              line={line}
              link={linkOf(line)}
              figures={figures}
              bar={
                intervals.size > 0 && (
                  <td class={css['barColumn']}>
                    <StatusBar
                      span={span}
                      intervals={line.devices.flatMap((id) => intervals.get(id) ?? [])}
                    />
                  </td>
                )
              }
            />
          ))}
        </tbody>
      </table>
      {shown.length < lines.length && (
        <p class={css['more']}>
          <button type="button" class="button" onClick={() => setAll(true)}>
            {say.showAll(lines.length)}
          </button>
        </p>
      )}
    </ScrollSection>
  );
}

type Figure = Exclude<keyof typeof columns, 'tag' | 'device' | 'bar'>;

/** The columns of figures: with a budget if there is an objective, and with exclusions if there are any. */
function figuresOf(lines: readonly Line[]): readonly Figure[] {
  const hasBudget = lines.some(({ budget }) => budget !== undefined);
  const hasExcluded = lines.some(({ figures }) => figures.excluded > 0);
  return [
    ...(['uptime', 'observed', 'outages', 'down'] as const),
    ...(hasBudget ? (['left'] as const) : []),
    ...(['maintenance', 'unknown'] as const),
    ...(hasExcluded ? (['excluded'] as const) : []),
  ];
}

/** A figure of a line in words. */
function figureWords({ figures, uptime, budget, devices }: Line, name: Figure): string {
  if (name === 'uptime') return percent(uptime.percent);
  if (name === 'outages') return count(figures.outages);
  if (name === 'down') return short(figures.down);
  if (name !== 'left')
    return timeWords(name === 'observed' ? uptime.observed : figures[name], uptime.total, devices.length);
  if (uptime.percent === null || budget === undefined) return '–';
  return budget.left < 0 ? say.over(short(-budget.left)) : short(budget.left);
}

/** The class of a figure's cell: seconds that do not count are shown paler. */
function classOf({ budget }: Line, name: Figure): string {
  if (name === 'left' && budget?.isKept === false) return `num ${css['broken']}`;
  return name === 'uptime' || name === 'outages' || name === 'down' || name === 'left' ? 'num' : 'num mute';
}

function LineRow({
  line,
  link,
  figures,
  bar: shownBar,
}: {
  readonly line: Line;
  readonly link: string | undefined;
  readonly figures: readonly Figure[];
  readonly bar: ComponentChildren;
}) {
  const { name } = line;
  return (
    <tr>
      <th scope="row" class={css['name']} title={name}>
        {link === undefined ? (
          <bdi>{name === '' ? say.untagged : name}</bdi>
        ) : (
          <a href={link}>
            <bdi>{name}</bdi>
          </a>
        )}
      </th>
      {figures.map((figure) => (
        <td key={figure} class={classOf(line, figure)} data-label={columns[figure]}>
          {figureWords(line, figure)}
        </td>
      ))}
      {shownBar}
    </tr>
  );
}
