import { downAtOnce, lanesOf } from '../../model/down-at-once.ts';
import { briefly } from '../../model/format.ts';
import { runsOf } from '../../model/timeline.ts';
import { wallTime } from '../../model/zoned.ts';
import { zone } from '../../store/clock.ts';
import type { AccountOutage } from '../../store/read-outages.ts';
import css from './outages.module.css';
import { outagesTexts as say } from './outages-texts.ts';

/** The number of steps of the chart, and of pixels of a lane. */
const parts = 240;
const lanePixels = 600;
const maxLanes = 10;
const height = 60;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The times below a chart. They are local times of the account. */
function Axis({ span, class: className = '' }: { readonly span: Span; readonly class?: string | undefined }) {
  const times = [0, 0.25, 0.5, 0.75, 1].map((part) =>
    wallTime(zone.value, span.from + part * (span.to - span.from))
      .slice(5)
      .replace('T', ' '),
  );
  return (
    <div class={`${css['axis']} ${className}`} aria-hidden="true">
      {times.map((time, at) => (
        <span key={at}>{time}</span>
      ))}
    </div>
  );
}

function AtOnce({ outages, span }: { readonly outages: readonly TimedOutage[]; readonly span: Span }) {
  const counts = downAtOnce(outages, span, parts);
  const most = Math.max(...counts);
  const path = counts.map((each, at) => {
    const y = height - (each / Math.max(1, most)) * (height - 2);
    return `H${at}V${y.toFixed(1)}H${at + 1}`;
  });
  return (
    <figure>
      <figcaption class="label">
        {say.atOnce}, {say.most(most)}
      </figcaption>
      <svg
        class={css['chart']}
        viewBox={`0 0 ${parts} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${say.atOnce}: ${say.most(most)}`}
      >
        <path class={css['line']} d={`M0 ${height / 2}H${parts}`} />
        <path class={css['area']} d={`M0 ${height}${path.join('')}V${height}Z`} />
      </svg>
      <Axis span={span} />
    </figure>
  );
}

interface TimedOutage extends Span {
  readonly device: string;
  readonly start: number;
  readonly end: number;
  readonly outage: AccountOutage;
}

/** The outages of a device on the axis of the span. */
function Lane({
  outages,
  down,
  span,
  href,
}: {
  readonly outages: readonly TimedOutage[];
  readonly down: number;
  readonly span: Span;
  readonly href: string;
}) {
  const [first] = outages;
  const name = first?.outage.FullName ?? first?.outage.ShortName ?? '';
  const runsIn = (isExcluded: boolean) =>
    runsOf(
      outages
        .filter(({ outage }) => outage.Excluded === isExcluded)
        .map(({ start, end }) => ({ start, end, status: 'Down' as const })),
      span,
      lanePixels,
    );
  const facts = `${say.lane(outages.length)}, ${briefly(down / 1_000)}`;
  return (
    <li class={`${css['lane']} tapRow`}>
      <a class={`cut ${css['name']}`} href={href} title={name}>
        <bdi>{name}</bdi>
      </a>
      <svg
        viewBox={`0 0 ${lanePixels} 16`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${facts}`}
      >
        <path class={css['line']} d={`M0 15.5H${lanePixels}`} />
        {[false, true].flatMap((isExcluded) =>
          runsIn(isExcluded).map(({ x, width }) => (
            <rect
              key={`${isExcluded}${x}`}
              class={isExcluded ? css['excluded'] : css['out']}
              x={x}
              y={isExcluded ? 8 : 2}
              width={width}
              height={isExcluded ? 8 : 14}
            />
          )),
        )}
      </svg>
      <span class="mute num">{facts}</span>
    </li>
  );
}

/** The number of devices that were Down at once, and the outages of those with the longest downtime, on one axis. */
export function OutageChart({
  outages,
  span,
  hrefOf,
}: {
  readonly outages: readonly AccountOutage[];
  readonly span: Span;
  /** The address with the outages of a device. */
  readonly hrefOf: (device: string) => string;
}) {
  const timed = outages.map((outage) => {
    const [start, end] = [Date.parse(outage.Start), outage.End === null ? span.to : Date.parse(outage.End)];
    return { device: outage.device_id, start, end, from: start, to: end, outage };
  });
  const lanes = lanesOf(timed, span);
  return (
    <>
      <AtOnce outages={timed} span={span} />
      <section class="section">
        <h2>{say.longest}</h2>
        <ul class={css['lanes']}>
          {lanes.slice(0, maxLanes).map((lane) => (
            <Lane
              key={lane.device}
              outages={lane.outages}
              down={lane.down}
              span={span}
              href={hrefOf(lane.device)}
            />
          ))}
        </ul>
        <Axis span={span} class={css['under']} />
        {lanes.length > maxLanes && <p class="hint">{say.moreDevices(lanes.length - maxLanes)}</p>}
      </section>
    </>
  );
}

/** “12 outages of 3 devices, 1 not over”. */
export function outageSentence(outages: readonly AccountOutage[]): string {
  const devices = new Set(outages.map(({ device_id }) => device_id)).size;
  return say.found(outages.length, devices, outages.filter(({ End }) => End === null).length);
}
