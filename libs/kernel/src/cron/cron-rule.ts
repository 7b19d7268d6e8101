/** The times of a cron line, as sets of numbers in order. */
export interface CronRule {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Both kinds of days are limited, so a day that fits one of them suffices. */
  readonly isEitherDay: boolean;
  /**
   * Minutes or hours begin with `*`: the job repeats through the day. Debian's cron runs it by the clock that goes on,
   * and any other job by the time of day (cron(8), "daylight saving").
   */
  readonly isRepeated: boolean;
}

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of the week', min: 0, max: 7, names: weekdays },
] as const satisfies readonly CronField[];

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const maxLength = 200;

/** Reads the five fields of a crontab line, or a word such as `@daily`; `fault` says what is accepted. */
export function readCron(
  line: string,
): { readonly ok: true; readonly rule: CronRule } | { readonly ok: false; readonly fault: string } {
  const text = line.trim();
  if (text.length > maxLength) return { ok: false, fault: `must have at most ${maxLength} characters` };
  const parts = (macros[text.toLowerCase()] ?? text).split(/\s+/);
  if (parts.length !== fields.length)
    return {
      ok: false,
      fault:
        'must have the five fields of a crontab line (minute, hour, day, month, weekday), such as "30 2 * * *", or be one of @hourly, @daily, @weekly, @monthly, @yearly',
    };
  const sets: (readonly number[])[] = [];
  for (const [i, field] of fields.entries()) {
    const numbers = readField(parts[i] ?? '', field);
    if (numbers === undefined)
      return { ok: false, fault: `has a ${field.name} that is not understood: ${describe(field)}` };
    sets.push(numbers);
  }
  const [minutes = [], hours = [], days = [], monthNumbers = [], dayNumbers = []] = sets;
  const isStar = (i: number) => parts[i]?.startsWith('*') ?? false;
  const rule = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(monthNumbers),
    weekdays: new Set(dayNumbers.map((day) => day % 7)),
    isEitherDay: !isStar(2) && !isStar(4),
    isRepeated: isStar(0) || isStar(1),
  };
  return hasDay(rule) ? { ok: true, rule } : { ok: false, fault: 'names a day that does not exist' };
}

function describe({ min, max, ...field }: CronField): string {
  const names = field.names === undefined ? '' : ` or ${field.names[0]} to ${field.names.at(-1)}`;
  return `numbers from ${min} to ${max}${names}, ranges such as 1-5, steps such as */2, joined by commas`;
}

/** The numbers of a field in order; undefined: it is malformed. */
function readField(text: string, field: CronField): readonly number[] | undefined {
  const found = new Set<number>();
  for (const item of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
    const span = readRange(range, field, step !== undefined);
    const by = step === undefined ? 1 : Number(step);
    if (span === undefined || by < 1) return undefined;
    for (let number = span[0]; number <= span[1]; number += by) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

function readRange(text: string, field: CronField, hasStep: boolean): readonly [number, number] | undefined {
  if (text === '*') return [field.min, field.max];
  const [from, to, ...rest] = text.split('-').map((item) => readNumber(item, field));
  if (from === undefined || rest.length > 0) return undefined;
  if (!text.includes('-')) return [from, hasStep ? field.max : from];
  // Sunday ends a week, too: fri-sun.
  const last = to === 0 && field.max === 7 ? 7 : to;
  return last === undefined || last < from ? undefined : [from, last];
}

function readNumber(text: string, { min, max, names = [] }: CronField): number | undefined {
  const at = names.indexOf(text.toLowerCase());
  if (at >= 0) return at + (min === 1 ? 1 : 0);
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** The most days of each month. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether some year has a day that fits. Every weekday meets every day of a month within 28 years, leap days too. */
function hasDay({ days, months: inMonths, isEitherDay }: CronRule): boolean {
  if (isEitherDay) return true;
  return [...inMonths].some((month) => [...days].some((day) => day <= (monthDays[month - 1] ?? 0)));
}
