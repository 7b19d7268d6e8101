import type { Line, Moments } from '@vantage/domain/report';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count, inFull, percent } from '../../model/format.ts';
import { type Interval, runsOf } from '../../model/timeline.ts';
import bar from '../../parts/bar.module.css';
import { reportTexts as say } from '../../texts/report.ts';
import css from './reports.module.css';

const columns = say.columns;
const pixels = 208;
const tall = 16;
const heights = { Up: 3, Down: 16, Maint: 8, Unknown: 8 } as const;

/** The status of devices over the span: the worst wins a pixel. What the figures beside it say is not repeated. */
export function Bar({
  intervals,
  span,
  width = pixels,
}: {
  readonly intervals: readonly Interval[];
  readonly span: Moments;
  readonly width?: number;
}) {
  return (
    <svg class={bar['day']} viewBox={`0 0 ${width} ${tall}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class={bar['none']} x="0" y={tall - 1} width={width} height="1" />
      {runsOf(intervals, span, width).map(({ x, width: wide, status }) => (
        <rect
          key={x}
          class={bar[status]}
          x={x}
          y={tall - heights[status]}
          width={wide}
          height={heights[status]}
        />
      ))}
    </svg>
  );
}

const short = (seconds: number) => inFull(seconds, 2);

function Head({
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

/** Lines of a report, the first ones until all are asked for. */
export function Lines({
  title,
  first,
  hint,
  lines,
  most,
  span,
  intervals,
  linkOf,
}: {
  readonly title: string;
  readonly first: string;
  readonly hint?: string | undefined;
  readonly lines: readonly Line[];
  readonly most: number;
  readonly span: Moments;
  readonly intervals: ReadonlyMap<string, readonly Interval[]>;
  readonly linkOf: (line: Line) => string | undefined;
}) {
  const [isAll, setAll] = useState(false);
  const figures = figuresOf(lines);
  const shown = isAll ? lines : lines.slice(0, most);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class={`section ${css['table']}`} aria-label={title} tabIndex={0}>
      <h2>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <table>
        <Head first={first} figures={figures} hasBars={intervals.size > 0} />
        <tbody>
          {shown.map((line) => (
            <Row
              key={line.key}
              line={line}
              link={linkOf(line)}
              figures={figures}
              bar={
                intervals.size > 0 && (
                  <td class={css['barColumn']}>
                    <Bar span={span} intervals={line.devices.flatMap((id) => intervals.get(id) ?? [])} />
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
    </section>
  );
}

type Figure = Exclude<keyof typeof columns, 'tag' | 'device' | 'bar'>;

/** The columns of figures: a budget where there is an objective, exclusions where there are some. */
function figuresOf(lines: readonly Line[]): readonly Figure[] {
  const hasBudget = lines.some(({ budget }) => budget !== undefined);
  const hasExcluded = lines.some(({ figures }) => figures.excluded > 0);
  return [
    ...(['uptime', 'outages', 'down'] as const),
    ...(hasBudget ? (['left'] as const) : []),
    ...(['maintenance', 'unknown'] as const),
    ...(hasExcluded ? (['excluded'] as const) : []),
  ];
}

/** A figure of a line in words. */
function wordsOf({ figures, percent: value, budget }: Line, name: Figure): string {
  if (name === 'uptime') return percent(value);
  if (name === 'outages') return count(figures.outages);
  if (name !== 'left') return short(figures[name]);
  if (value === null || budget === undefined) return '–';
  return budget.left < 0 ? say.over(short(-budget.left)) : short(budget.left);
}

/** The class of a figure's cell: seconds that do not count are paler. */
function classOf({ budget }: Line, name: Figure): string {
  if (name === 'left' && budget?.isKept === false) return `num ${css['broken']}`;
  return name === 'maintenance' || name === 'unknown' || name === 'excluded' ? 'num mute' : 'num';
}

function Row({
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
      {figures.map((each) => (
        <td key={each} class={classOf(line, each)}>
          {wordsOf(line, each)}
        </td>
      ))}
      {shownBar}
    </tr>
  );
}
