import { useEffect, useRef, useState } from 'preact/hooks';
import { type Bucket, phases } from '../../model/buckets.ts';
import { milliseconds } from '../../model/format.ts';
import { percentile } from '../../model/percentile.ts';
import legend from '../../parts/legend.module.css';
import { Failure } from '../../parts/notice.tsx';
import { chosenTheme } from '../../parts/theme.ts';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { zone } from '../../store/clock.ts';
import { texts } from '../../texts/index.ts';
import { Choice } from './choice.tsx';
import css from './device.module.css';
import type { Plot } from './phase-plot.ts';
import type { Check } from './read-detail.ts';
import { type History, type HistorySpan, readHistory } from './read-history.ts';

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
function Legend({ history, looked }: { readonly history: History; readonly looked: Bucket | undefined }) {
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
        {looked === undefined ? say.mediansOf : <Moment at={new Date(looked.at).toISOString()} />}
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
  const { data, problem, again } = useRead(() => readHistory(id, span, location), [id, span, place]);
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
      {problem !== undefined && data === undefined && <Failure problem={problem} retry={again} />}
      {data !== undefined && (
        <>
          <Legend history={data} looked={looked} />
          <Chart history={data} onLook={setLooked} onPick={pick} />
          <p class="hint">{span === 'day' ? say.phasesHint : say.sumsHint}</p>
        </>
      )}
    </section>
  );
}
