import { dayMs } from '@vantage/domain/units';
import './phase-plot.css';

import uPlot from 'uplot';
import { type Bucket, phases } from '../../model/buckets.ts';
import { milliseconds } from '../../model/format.ts';

/** Colours of the chart, as the browser resolves the tokens for the present theme. */
interface PlotColours {
  readonly phases: readonly string[];
  readonly band: string;
  readonly grid: string;
  readonly text: string;
  readonly lost: string;
}

/** The data of the chart. */
interface PlotFacts {
  readonly from: number;
  readonly to: number;
  readonly buckets: readonly Bucket[];
  readonly zone: string;
  readonly colours: PlotColours;
}

/** The events of the chart. */
interface PlotEvents {
  /** The pointer is at a bucket; undefined: it left. */
  readonly onLook: (bucket: Bucket | undefined) => void;
  readonly onPick: (bucket: Bucket) => void;
}

/** A chart that is shown. */
export interface Plot {
  readonly resize: () => void;
  readonly end: () => void;
}

const height = 190;
const lossHeight = 62;
const axisSize = 56;

/** Draws the phases, stacked, with the 95th percentile, and the loss below on the same axis of time. */
export function showPlot(place: HTMLElement, facts: PlotFacts, events: PlotEvents): Plot {
  const { buckets } = facts;
  const times = buckets.map(({ at }) => at / 1_000);
  const pick = ({ cursor: { idx } }: uPlot) => {
    const bucket = buckets[idx ?? -1];
    if (bucket !== undefined) events.onPick(bucket);
  };
  const look = ({ cursor: { idx } }: uPlot) => events.onLook(buckets[idx ?? -1]);
  const shared = (tall: number) => ({
    width: place.clientWidth,
    height: tall,
    legend: { show: false },
    cursor: { y: false, sync: { key: 'device' }, drag: { x: false, y: false }, points: { show: false } },
    hooks: {
      setCursor: [look],
      ready: [(plot: uPlot) => plot.over.addEventListener('click', () => pick(plot))],
    },
  });
  const { series, data } = stack(facts);
  const x = { time: true, min: facts.from / 1_000, max: facts.to / 1_000 };
  const scaleX = { time: true, range: (): [number, number] => [x.min, x.max] };
  const top = new uPlot(
    {
      ...shared(height),
      scales: { x: scaleX, y: { range: (_, __, most) => [0, Math.max(0.1, most * 1.08)] } },
      axes: [axisX(facts, false), axisY(facts, (value) => (value === 0 ? '0' : milliseconds(value)))],
      series: [{}, ...series],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), facts.zone),
    },
    [times, ...data],
    place,
  );
  const loss = new uPlot(
    {
      ...shared(lossHeight),
      scales: { x: scaleX, y: { range: [0, 100] } },
      axes: [axisX(facts, true), { ...axisY(facts, (value) => `${value} %`), splits: () => [0, 100] }],
      series: [{}, lossSeries(facts)],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), facts.zone),
    },
    [times, buckets.map((bucket) => bucket.loss)],
    place,
  );
  const resize = () => {
    top.setSize({ width: place.clientWidth, height });
    loss.setSize({ width: place.clientWidth, height: lossHeight });
  };
  return {
    resize,
    end: () => {
      top.destroy();
      loss.destroy();
    },
  };
}

/** A bucket between two empty ones makes no line: it is a point. The first bucket of a new device is one. */
function withoutNeighbours(plot: uPlot, at: number): number[] {
  const values = plot.data[at] ?? [];
  const isEmpty = (index: number) => typeof values[index] !== 'number';
  return Array.from(values, (_, index) => index).filter(
    (index) => !isEmpty(index) && isEmpty(index - 1) && isEmpty(index + 1),
  );
}

/** The 95th percentile, then the sums of the phases from the greatest down, so that each covers the one before. */
function stack({ buckets, colours }: PlotFacts): { series: uPlot.Series[]; data: (number | null)[][] } {
  const line = { points: { show: true, size: 5, filter: withoutNeighbours }, spanGaps: false };
  const p95 = { ...line, stroke: colours.band, width: 1, dash: [4, 3] };
  const hasPhases = buckets.some((bucket) => bucket.phases !== null);
  if (!hasPhases) {
    const median = { ...line, stroke: colours.phases[0] ?? '', width: 1.5 };
    return {
      series: [p95, median],
      data: [buckets.map((bucket) => bucket.p95), buckets.map((bucket) => bucket.median)],
    };
  }
  const sums = phases.map((_, until) =>
    buckets.map(
      ({ phases: parts }) => parts?.slice(0, until + 1).reduce((sum, each) => sum + each, 0) ?? null,
    ),
  );
  const areas = phases.map((_, at) => ({
    ...line,
    fill: colours.phases[at] ?? '',
    stroke: colours.phases[at] ?? '',
    width: 1,
  }));
  return {
    series: [p95, ...areas.reverse()],
    data: [buckets.map((bucket) => bucket.p95), ...sums.reverse()],
  };
}

function lossSeries({ colours }: PlotFacts): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.9, 40, 2], align: 1 });
  const bars = { stroke: colours.lost, fill: colours.lost, width: 0, points: { show: false } };
  return paths === undefined ? bars : { ...bars, paths };
}

const axisOf = ({ colours }: PlotFacts): uPlot.Axis => ({
  stroke: colours.text,
  font: '11px system-ui, sans-serif',
  grid: { stroke: colours.grid, width: 1 },
  ticks: { show: false },
});

function axisX(facts: PlotFacts, isShown: boolean): uPlot.Axis {
  const isDay = facts.to - facts.from < 2 * dayMs;
  const options: Intl.DateTimeFormatOptions = isDay
    ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
    : { day: 'numeric', month: 'short' };
  const words = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: facts.zone });
  const grid = { show: false };
  if (!isShown) return { ...axisOf(facts), grid, size: 6, values: () => [] };
  return {
    ...axisOf(facts),
    grid,
    size: 24,
    values: (_, splits) => splits.map((at) => words.format(at * 1_000)),
  };
}

function axisY(facts: PlotFacts, wordsOf: (value: number) => string): uPlot.Axis {
  return { ...axisOf(facts), size: axisSize, space: 50, values: (_, splits) => splits.map(wordsOf) };
}
