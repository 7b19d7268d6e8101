import { percentOf } from '@vantage/domain/report';
import { inFull, percent } from '../../model/format.ts';
import type { secondsOf } from '../../model/timeline.ts';
import { Icon } from '../../parts/icon.tsx';
import legend from '../../parts/legend.module.css';
import { deviceWords } from '../../texts/device-words.ts';
import { axisTexts as say } from './axis-texts.ts';
import css from './device.module.css';

const shown = ['Up', 'Down', 'Maint', 'Unknown'] as const;

export type StatusSeconds = ReturnType<typeof secondsOf>;

/** Below this share of observation no percentage is stated. */
const leastObserved = 0.01;

/** Seconds and percentage of each status in a range, and the uptime with what it is of. */
export function StatusSums({
  seconds,
  outages,
}: {
  readonly seconds: StatusSeconds;
  readonly outages: number;
}) {
  const uptime = percentOf({ up: seconds.Up, down: seconds.Down });
  const total = Object.values(seconds).reduce((sum, part) => sum + part, 0);
  const observed = seconds.Up + seconds.Down;
  return (
    <ul class={`${legend['legend']} ${css['sums']}`} aria-label={say.sums}>
      {shown
        .filter((status) => seconds[status] >= 1)
        .map((status) => (
          <li key={status}>
            <Icon name={status} /> {deviceWords.states[status]} <b>{inFull(seconds[status])}</b>{' '}
            {percent((seconds[status] / total) * 100)}
            {status === 'Down' && `, ${say.outages(outages)}`}
          </li>
        ))}
      {seconds.Excluded >= 1 && (
        <li>
          {say.excluded} <b>{inFull(seconds.Excluded)}</b>
        </li>
      )}
      {uptime !== null && observed / total >= leastObserved && (
        <li class={css['uptime']}>
          {say.uptime} <b>{percent(uptime)}</b> {say.uptimeOf(inFull(observed))}
        </li>
      )}
    </ul>
  );
}

/** The statuses in words, for screen readers. */
export function statusWords(seconds: StatusSeconds | undefined): string {
  const parts = shown
    .filter((status) => (seconds?.[status] ?? 0) >= 1)
    .map((status) => `${deviceWords.states[status]} ${inFull(seconds?.[status] ?? 0)}`);
  return parts.join(', ');
}
