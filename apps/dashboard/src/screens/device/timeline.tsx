import { useState } from 'preact/hooks';
import { inFull, percent } from '../../model/format.ts';
import { intervalsOf, runsOf, sumsOf } from '../../model/timeline.ts';
import bar from '../../parts/bar.module.css';
import legend from '../../parts/legend.module.css';
import { Mark } from '../../parts/mark.tsx';
import { Failure } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { now } from '../../store/clock.ts';
import { texts } from '../../texts/index.ts';
import { Choice } from './choice.tsx';
import css from './device.module.css';
import { readChanges } from './read-detail.ts';

const say = texts.device;
const days = { day: 1, week: 7, quarter: 90, year: 365 } as const;
type SpanName = keyof typeof days;
const spans: readonly SpanName[] = ['day', 'week', 'quarter', 'year'];
const dayMs = 86_400_000;
const pixels = 860;
const heights = { Up: 3, Down: 34, Maint: 17, Unknown: 17 } as const;
const shown = ['Up', 'Down', 'Maint', 'Unknown'] as const;

/** Seconds and percent of each status, and the uptime. */
function Sums({ sums }: { readonly sums: ReturnType<typeof sumsOf> }) {
  const observed = (sums.Up.seconds + sums.Down.seconds) / 100;
  const total = shown.reduce((sum, each) => sum + sums[each].seconds, 0);
  return (
    <ul class={legend['legend']}>
      {shown
        .filter((each) => sums[each].seconds >= 1)
        .map((each) => (
          <li key={each}>
            <Mark name={each} /> {texts.states[each]} <b>{inFull(sums[each].seconds)}</b>{' '}
            {percent((sums[each].seconds / total) * 100)}
            {each === 'Down' && `, ${say.outages(sums.Down.times)}`}
          </li>
        ))}
      {observed > 0 && (
        <li>
          {say.uptime} <b>{percent(sums.Up.seconds / observed)}</b> {say.uptimeOf}
        </li>
      )}
    </ul>
  );
}

/**
 * The status over time: the worst wins a pixel, and what is open reaches now. Seconds and percent of each stand below.
 */
export function Timeline({
  id,
  createdAt,
  newest,
}: {
  readonly id: string;
  readonly createdAt: string;
  readonly newest: string | undefined;
}) {
  const [span, setSpan] = useState<SpanName>('day');
  const to = now.value;
  const from = to - days[span] * dayMs;
  const { data = [], problem, again } = useRead(() => readChanges(id, from), [id, span, newest]);
  const created = Date.parse(createdAt);
  const intervals = intervalsOf(data, Math.max(from, created), to);
  const sums = sumsOf(intervals);
  if (problem !== undefined && data.length === 0) return <Failure problem={problem} retry={again} />;
  return (
    <section>
      <div class={css['bar']}>
        <h2>{say.state}</h2>
        <a class="link" href={`/reports?devices=${id}`}>
          {texts.devices.report}
        </a>
        <Choice names={spans} words={say.spans} chosen={span} onChoose={setSpan} />
      </div>
      <svg
        class={bar['timeline']}
        viewBox={`0 0 ${pixels} 34`}
        preserveAspectRatio="none"
        role="img"
        aria-label={shown
          .filter((each) => sums[each].seconds > 0)
          .map((each) => `${texts.states[each]} ${inFull(sums[each].seconds)}`)
          .join(', ')}
      >
        <rect class={bar['none']} x="0" y="33" width={pixels} height="1" />
        {runsOf(intervals, { from, to }, pixels).map(({ x, width, status }) => (
          <rect
            key={x}
            class={bar[status]}
            x={x}
            y={34 - heights[status]}
            width={width}
            height={heights[status]}
          />
        ))}
      </svg>
      <Sums sums={sums} />
    </section>
  );
}
