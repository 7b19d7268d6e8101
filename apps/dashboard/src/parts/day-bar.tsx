import { computed } from '@preact/signals';
import { dayParts, dayUntil, partOf, runsOfDay } from '../model/day.ts';
import type { DeviceListRow } from '../store/account-state.ts';
import { now } from '../store/clock.ts';
import { deviceWords } from '../texts/device-words.ts';
import bar from './bar.module.css';

/** Heights in a bar of 16. The height shows the status without colour. */
const heights = { Up: 3, Down: 16, Maint: 8, Unknown: 8 } as const;
const partNow = computed(() => partOf(now.value));

/** The last 24 hours: the worst status of each 20 minutes. */
export function DayBar({ row }: { readonly row: DeviceListRow }) {
  const { letters } = dayUntil(row.day, partNow.value, row.status);
  const since = partOf(row.sinceMs) - (partNow.value - dayParts + 1);
  const runs = row.isEnabled ? runsOfDay(letters, row.status, since) : [];
  const down = runs.reduce((sum, { status, length }) => sum + (status === 'Down' ? length : 0), 0);
  return (
    <svg
      class={bar['day']}
      viewBox={`0 0 ${dayParts} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={deviceWords.dayOf(down)}
    >
      <rect class={bar['none']} y="15" width={dayParts} height="1" />
      {runs.map(({ at, length, status }) => (
        <rect
          key={at}
          class={bar[status]}
          x={at}
          y={16 - heights[status]}
          width={length}
          height={heights[status]}
        />
      ))}
    </svg>
  );
}
