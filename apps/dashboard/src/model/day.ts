/** The letters of a day: Up, Down, Maint and Unknown, as `GET /states` writes them. */
type Letter = 'U' | 'D' | 'M' | '?';

/** The length of a letter, milliseconds. */
export const partMs = 20 * 60_000;
/** The number of letters of a day. */
export const dayParts = 72;

/** The worst status of each part of the last day, the last one still open. */
export interface Day {
  readonly letters: string;
  /** The number since 1970 of the last letter's part. */
  readonly part: number;
}

const worstFirst = 'D?MU';
const letterOf = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' } as const;
const statusOf = { U: 'Up', D: 'Down', M: 'Maint', '?': 'Unknown' } as const;
type DayStatus = keyof typeof letterOf;

/** The number of the part that contains a moment. */
export const partOf = (ms: number): number => Math.floor(ms / partMs);

/** The start of the day that ends at `ms`: that of its first letter. */
export const dayStartOf = (ms: number): number => (partOf(ms) - dayParts + 1) * partMs;

/** The day as of a later part, if the status has not changed. It saves reading the day again. */
export function dayUntil(day: Day, part: number, status: DayStatus): Day {
  const later = Math.min(part - day.part, dayParts);
  if (later <= 0) return day;
  return { letters: day.letters.slice(later) + letterOf[status].repeat(later), part };
}

/** The day after a change of status: the part of the change has the worse status of both. */
export function dayAfter(day: Day, change: { at: number; before: DayStatus; status: DayStatus }): Day {
  const until = dayUntil(day, partOf(change.at), change.before);
  const last = until.letters.at(-1) ?? '?';
  const next = letterOf[change.status];
  if (worstFirst.indexOf(last) <= worstFirst.indexOf(next)) return until;
  return { ...until, letters: until.letters.slice(0, -1) + next };
}

/** A run of equal letters. */
export interface DayRun {
  readonly at: number;
  readonly length: number;
  readonly status: DayStatus;
}

/**
 * The letters as runs. `status` is the present status, and `since` the letter in which it began (negative: before the
 * first one). Unknown before the first known status is left out, because the device may not have existed.
 */
export function runsOfDay(letters: string, status: DayStatus, since: number): readonly DayRun[] {
  const all =
    /[^?]/.test(letters) || status === 'Unknown' ? letters : letters.slice(0, -1) + letterOf[status];
  const known = all.search(/[^?]/);
  const first = known < 0 ? Math.min(since, all.length - 1) : known;
  const runs: DayRun[] = [];
  for (const [at, letter] of all.split('').entries()) {
    if (at < first) continue;
    const ofLetter = statusOf[letter as Letter];
    const last = runs.at(-1);
    if (last?.status === ofLetter) runs[runs.length - 1] = { ...last, length: last.length + 1 };
    else runs.push({ at, length: 1, status: ofLetter });
  }
  return runs;
}
