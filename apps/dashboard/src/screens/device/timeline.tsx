import { percentOf } from '@vantage/domain/report';
import { dayMs } from '@vantage/domain/units';
import { useState } from 'preact/hooks';
import { inFull, percent } from '../../model/format.ts';
import { runsOf, secondsOf } from '../../model/timeline.ts';
import bar from '../../parts/bar.module.css';
import legend from '../../parts/legend.module.css';
import { Mark } from '../../parts/mark.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { now } from '../../store/clock.ts';
import { intervalOf } from '../../store/read-report.ts';
import { texts } from '../../texts/index.ts';
import { Choice } from './choice.tsx';
import css from './device.module.css';
import { readStatusHistory, type StatusHistory } from './read-detail.ts';

const say = texts.device;
const days = { day: 1, week: 7, quarter: 90, year: 365 } as const;
type SpanName = keyof typeof days;
const spans: readonly SpanName[] = ['day', 'week', 'quarter', 'year'];
const pixels = 860;
const heights = { Up: 3, Down: 34, Maint: 17, Unknown: 17 } as const;
const shown = ['Up', 'Down', 'Maint', 'Unknown'] as const;

type Seconds = ReturnType<typeof secondsOf>;

/** Seconds and percent of each status, and the uptime. */
function Sums({ seconds, outages }: { readonly seconds: Seconds; readonly outages: number }) {
  const uptime = percentOf({ up: seconds.Up, down: seconds.Down });
  const total = Object.values(seconds).reduce((sum, each) => sum + each, 0);
  return (
    <ul class={`${legend['legend']} ${css['sums']}`}>
      {shown
        .filter((each) => seconds[each] >= 1)
        .map((each) => (
          <li key={each}>
            <Mark name={each} /> {texts.states[each]} <b>{inFull(seconds[each])}</b>{' '}
            {percent((seconds[each] / total) * 100)}
            {each === 'Down' && `, ${say.outages(outages)}`}
          </li>
        ))}
      {seconds.Excluded >= 1 && (
        <li>
          {say.excluded} <b>{inFull(seconds.Excluded)}</b>
        </li>
      )}
      {uptime !== null && (
        <li class={css['uptime']}>
          {say.uptime} <b>{percent(uptime)}</b> {say.uptimeOf}
        </li>
      )}
    </ul>
  );
}

/** Intervals and seconds of a span. The status that is open is drawn and counted up to now. */
function upToNow(history: StatusHistory | undefined, nowMs: number) {
  if (history === undefined) return { intervals: [], seconds: undefined };
  const open = history.intervals.find(({ End }) => End === null)?.Status;
  return {
    intervals: history.intervals.map((each) => intervalOf(each, nowMs)),
    seconds: secondsOf(history.uptime, open, (nowMs - history.readMs) / 1_000),
  };
}

/** The bar for those who do not see it: its heading, and the time in each status as far as it is known. */
function labelOf(seconds: ReturnType<typeof upToNow>['seconds']): string {
  const parts = shown
    .filter((each) => (seconds?.[each] ?? 0) > 0)
    .map((each) => `${texts.states[each]} ${inFull(seconds?.[each] ?? 0)}`);
  return parts.length === 0 ? say.state : `${say.state}: ${parts.join(', ')}`;
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
  const history = useRead(
    () => readStatusHistory(id, Math.max(from, Date.parse(createdAt))),
    [id, span],
    [newest],
  );
  const { data } = history;
  const { intervals, seconds } = upToNow(data, to);
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
        aria-label={labelOf(seconds)}
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
      <div class={css['sumsPlace']}>
        {data !== undefined && seconds !== undefined && (
          <Sums seconds={seconds} outages={data.uptime.Outages} />
        )}
        <ReadState read={history} rows={0} />
      </div>
    </section>
  );
}
