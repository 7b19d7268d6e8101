import { milliseconds } from '../../model/format.ts';
import { percentile } from '../../model/percentile.ts';
import { texts } from '../../texts.ts';
import css from './device.module.css';
import type { Check } from './read-detail.ts';

const say = texts.device;
const phases = [
  ['dns', 'DNSTime'],
  ['connect', 'ConnectTime'],
  ['tls', 'SSLTime'],
  ['first', 'TTFB'],
  ['transfer', 'TTLB'],
] as const;
const height = 160;
const lossHeight = 14;
const column = 8;

const isGood = ({ ResultCode }: Check) => ResultCode === 1;

/** A scale whose top is 1, 2 or 5 times a power of ten. */
function topOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 0.1)));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most) ?? most;
}

function Column({ check, x, top }: { readonly check: Check; readonly x: number; readonly top: number }) {
  let y = height;
  return (
    <g>
      {phases.map(([name, field]) => {
        const tall = (check[field] / top) * height;
        y -= tall;
        return tall < 0.2 ? null : (
          <rect key={name} class={css[name]} x={x} y={y} width={column - 1} height={tall} />
        );
      })}
    </g>
  );
}

function Legend({ checks }: { readonly checks: readonly Check[] }) {
  const used = phases.filter(([, field]) => checks.some((check) => check[field] > 0));
  return (
    <ul class={css['legend']}>
      {used.map(([name, field]) => (
        <li key={name}>
          <i class={css[`${name}Key`]} /> {say.phaseNames[name]}{' '}
          <b>
            {milliseconds(
              percentile(
                checks.filter(isGood).map((check) => check[field]),
                0.5,
              ),
            )}
          </b>
        </li>
      ))}
      {checks.some((check) => !isGood(check)) && (
        <li>
          <i class={css['lostKey']} /> {say.bad}
        </li>
      )}
    </ul>
  );
}

/** The phases of each of the last checks, stacked, the oldest first; a failed one is a gap with a mark below, never a zero. */
export function Phases({ checks }: { readonly checks: readonly Check[] }) {
  const oldest = [...checks].reverse();
  const good = oldest.filter(isGood).map(({ RequestTime }) => RequestTime);
  if (oldest.length === 0) return null;
  const top = topOf(Math.max(...good, 0.1));
  const width = Math.max(100, oldest.length) * column;
  // The newest reaches the right edge.
  const begin = width - oldest.length * column;
  const p50 = milliseconds(percentile(good, 0.5));
  const p95 = percentile(good, 0.95);
  const line = height - ((p95 ?? 0) / top) * height;
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.phases}</h2>
        <span class="hint">
          {say.lastChecks(oldest.length)} · {say.percentiles(p50, milliseconds(p95))}
        </span>
      </div>
      <div class={css['chart']}>
        <span class={css['top']}>{milliseconds(top)}</span>
        <svg
          viewBox={`0 0 ${width} ${height + lossHeight + 4}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${say.phases}: ${say.percentiles(p50, milliseconds(p95))}`}
        >
          {[0, height / 2, height].map((y) => (
            <line key={y} class={css['grid']} x1="0" x2={width} y1={y} y2={y} />
          ))}
          {oldest.map((check, at) =>
            isGood(check) ? (
              <Column key={check.check_id} check={check} x={begin + at * column} top={top} />
            ) : (
              <rect
                key={check.check_id}
                class={css['lost']}
                x={begin + at * column}
                y={height + 4}
                width={column - 1}
                height={lossHeight}
              />
            ),
          )}
          {p95 !== undefined && <line class={css['p95']} x1="0" x2={width} y1={line} y2={line} />}
        </svg>
      </div>
      <Legend checks={oldest} />
    </section>
  );
}
