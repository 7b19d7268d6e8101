import { type DayName, weekdays } from './week-hours.ts';

/** Null and absent are not set. */
interface ShownHours {
  readonly Days?: readonly DayName[] | null | undefined;
  readonly From?: string | null | undefined;
  readonly To?: string | null | undefined;
}

/** The hours of a step in few words: `Mon–Fri 08:00–18:00`; '' if it has none. */
export function hoursText({ Days: days, From: from, To: to }: ShownHours): string {
  const indexes = (days ?? []).map((day) => weekdays.indexOf(day)).sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const dayRuns = runs.map(([first, last]) =>
    first === last
      ? weekdays[first]
      : `${weekdays[first]}${last === first + 1 ? ', ' : '–'}${weekdays[last]}`,
  );
  const hours = from == null && to == null ? '' : `${from ?? '00:00'}–${to ?? '24:00'}`;
  return [dayRuns.join(', '), hours].filter((part) => part !== '').join(' ');
}
