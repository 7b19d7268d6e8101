import { hourMs } from '@vantage/domain/units';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Bucket, bucketsOf, bucketsOfSums, phases } from '../../model/buckets.ts';
import { milliseconds } from '../../model/format.ts';
import { percentile } from '../../model/percentile.ts';
import legend from '../../parts/legend.module.css';
import { ReadState } from '../../parts/read-state.tsx';
import { chosenTheme } from '../../parts/theme.ts';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { serverNow, zone } from '../../store/clock.ts';
import { texts } from '../../texts/index.ts';
import { Choice } from './choice.tsx';
import css from './device.module.css';
import type { Plot } from './phase-plot.ts';
import type { Check } from './read-detail.ts';

const say = texts.device;
const spans: readonly HistorySpan[] = ['day', 'week', 'quarter'];
const everywhere = '';
const readAgainMs = 60_000;

const known = (values: readonly (number | null | undefined)[]) =>
  values.filter((value) => value !== null && value !== undefined);
const medianOf = (values: readonly (number | null | undefined)[]) => percentile(known(values), 0.5);

/** The colours of the legend, which the canvas takes over. */
function coloursIn(place: HTMLElement) {
  const colourOf = (name: string | undefined) => {
    const mark = place.querySelector(`.${name}`);
    return mark === null ? '' : getComputedStyle(mark).backgroundColor;
  };
  return {
    phases: phases.map(([name]) => colourOf(legend[`${name}Key`])),
    band: colourOf(css['bandKey']),
    grid: colourOf(css['gridKey']),
    text: colourOf(css['textKey']),
    lost: colourOf(css['lostKey']),
  };
}

/** The names of the phases with the times of one bucket, or the medians of all. */
function Legend({
  history,
  looked,
  span,
}: {
  readonly history: History;
  readonly looked: Bucket | undefined;
  readonly span: HistorySpan;
}) {
  const shown = looked === undefined ? history.buckets : [looked];
  return (
    <ul class={legend['legend']}>
      {phases.map(([name], at) => (
        <li key={name} hidden={!history.buckets.some((bucket) => (bucket.phases?.[at] ?? 0) > 0)}>
          <i class={legend[`${name}Key`]} /> {say.phaseNames[name]}{' '}
          <b>{milliseconds(medianOf(shown.map((bucket) => bucket.phases?.[at])))}</b>
        </li>
      ))}
      <li>
        {say.together} <b>{milliseconds(medianOf(shown.map((bucket) => bucket.median)))}</b>
      </li>
      <li>
        <i class={css['bandKey']} /> p95 <b>{milliseconds(medianOf(shown.map((bucket) => bucket.p95)))}</b>
      </li>
      <li>
        <i class={css['lostKey']} /> {say.loss}{' '}
        <b>{say.lossOf(Math.max(0, ...known(shown.map((bucket) => bucket.loss))))}</b>
      </li>
      <li class="mute">
        {looked === undefined ? say.mediansOf[span] : <Moment at={new Date(looked.at).toISOString()} />}
      </li>
      <li class="hidden">
        <i class={css['gridKey']} />
        <i class={css['textKey']} />
      </li>
    </ul>
  );
}

/** The canvas. Its code is loaded when the first chart is shown. */
function Chart({
  history,
  onLook,
  onPick,
}: {
  readonly history: History;
  readonly onLook: (bucket: Bucket | undefined) => void;
  readonly onPick: (bucket: Bucket) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const theme = chosenTheme.value;
  useEffect(() => {
    const { current } = place;
    const section = current?.parentElement;
    if (current === null || section === null || section === undefined) return;
    let plot: Plot | undefined;
    let isCurrent = true;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = async () => {
      const { showPlot } = await import('./phase-plot.ts');
      if (!isCurrent) return;
      plot?.end();
      plot = showPlot(
        current,
        { ...history, zone: zone.value, colours: coloursIn(section) },
        { onLook, onPick },
      );
    };
    const redraw = () => void draw();
    const resize = () => plot?.resize();
    redraw();
    dark.addEventListener('change', redraw);
    addEventListener('resize', resize);
    return () => {
      isCurrent = false;
      plot?.end();
      dark.removeEventListener('change', redraw);
      removeEventListener('resize', resize);
    };
  }, [history, theme]);
  const p50 = milliseconds(medianOf(history.buckets.map(({ median }) => median)));
  const p95 = milliseconds(medianOf(history.buckets.map((bucket) => bucket.p95)));
  return (
    <div
      ref={place}
      class={css['chart']}
      role="img"
      aria-label={`${say.phases}: ${say.percentiles(p50, p95)}`}
    />
  );
}

/**
 * Where the time of the checks goes: phases of the median check of each bucket, the 95th percentile, and loss on the
 * same axis.
 */
export function Phases({ id, onPick }: { readonly id: string; readonly onPick: (check: Check) => void }) {
  const [span, setSpan] = useState<HistorySpan>('day');
  const [place, setPlace] = useState(everywhere);
  const [looked, setLooked] = useState<Bucket>();
  const location = place === everywhere ? undefined : place;
  const read = useRead(() => readHistory(id, span, location), [id, span, place]);
  const { data, again } = read;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || again(), readAgainMs);
    return () => clearInterval(timer);
  }, [id]);
  const pick = ({ check_id }: Bucket) => {
    const check = data?.checks.find((each) => each.check_id === check_id);
    if (check !== undefined) onPick(check);
  };
  const all = span === 'day' ? [everywhere] : [];
  const places = [...all, ...(data?.locations ?? [])];
  const words = Object.fromEntries(
    places.map((name) => [name, name === everywhere ? say.allLocations : name]),
  );
  return (
    <section class={`section ${css['phases']}`}>
      <div class={css['bar']}>
        <h2>{say.phases}</h2>
        <Choice names={spans} words={say.historySpans} chosen={span} onChoose={setSpan} />
        {places.length > 2 && (
          <Choice
            names={places}
            words={words}
            chosen={places.includes(place) ? place : (places[0] ?? '')}
            onChoose={setPlace}
          />
        )}
      </div>
      <ReadState read={read} rows={0} />
      {data !== undefined && (
        <>
          <Legend history={data} looked={looked} span={span} />
          <Chart history={data} onLook={setLooked} onPick={pick} />
          <p class="hint">{span === 'day' ? say.phasesHint : say.sumsHint}</p>
        </>
      )}
    </section>
  );
}

/** How far back a chart goes. */
type HistorySpan = 'day' | 'week' | 'quarter';

const spanMs = { day: 24 * hourMs, week: 7 * 24 * hourMs, quarter: 90 * 24 * hourMs } as const;
const bucketMs = { day: hourMs / 4, week: hourMs, quarter: 24 * hourMs } as const;
const sizes = { week: 'Hour', quarter: 'Day' } as const;
const pageSize = 100;
/** A check each minute is 15 pages of a day; retries come on top. */
const mostPages = 30;

/** The data of a chart, and the Locations to which it can be narrowed. */
interface History {
  readonly from: number;
  readonly to: number;
  readonly buckets: readonly Bucket[];
  readonly locations: readonly string[];
  /** Of which the buckets are made; none of sums. */
  readonly checks: readonly Check[];
}

/**
 * Reads the times of a device. The day is made of its checks; longer spans of sums by Location.
 */
async function readHistory(
  device_id: string,
  span: HistorySpan,
  location: string | undefined,
): Promise<History> {
  const to = serverNow();
  const from = to - spanMs[span];
  if (span === 'day') {
    const checks = await readChecks(device_id, from);
    const locations = [...new Set(checks.map(({ Location }) => Location))].sort();
    const chosen = checks.filter(({ Location }) => location === undefined || Location === location);
    return { from, to, locations, checks, buckets: bucketsOf(chosen, { from, to, bucketMs: bucketMs.day }) };
  }
  const query = { Bucket: sizes[span], Timestamp1: new Date(from).toISOString(), With: ['Phases' as const] };
  const sums = await take(
    api.GET('/devices/{device_id}/statistics', { params: { path: { device_id }, query } }),
  );
  const locations = [...new Set(sums.map(({ Location }) => Location))].sort();
  // Percentiles of several Locations do not add up to one.
  const shown = sums.filter(({ Location }) => Location === (location ?? locations[0]));
  return { from, to, locations, checks: [], buckets: bucketsOfSums(shown, bucketMs[span]) };
}

async function readChecks(device_id: string, from: number): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const Timestamp1 = new Date(from).toISOString();
  for (let page = 0; page < mostPages; page += 1) {
    const before = checks.at(-1)?.check_id;
    const query = { Limit: pageSize, Timestamp1, ...(before === undefined ? {} : { Before: before }) };
    const found = await take(
      api.GET('/devices/{device_id}/checks', { params: { path: { device_id }, query } }),
    );
    checks.push(...found);
    if (found.length < pageSize) break;
  }
  return checks;
}
