import type { Json } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import type { Notice } from './channel.ts';

/** Seconds as people say them: `45 s`, `24 min`, `3 h 20 min`, `2 days 3 h`. */
export function durationText(seconds: Json | undefined): string {
  if (typeof seconds !== 'number') return 'some time';
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.round(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (whole < 120) return `${whole} s`;
  if (minutes < 120) return `${minutes} min`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** The time at which a message is composed, and the account's zone. */
type ReadAt = Pick<Notice, 'composed' | 'timezone'>;

/**
 * A timestamp as a clock shows it: `08:28:06 CET`, on another day than that of the message
 * `22 Nov 08:28:06 CET`. A text that is no timestamp stays as it is.
 */
export function clockText(timestamp: string, { composed, timezone }: ReadAt): string {
  const [, year, month = '', day = '', time] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(timestamp) ?? [];
  if (time === undefined) return timestamp;
  const clock = `${time} ${zoneName(timezone, timestamp)}`;
  if (composed.startsWith(timestamp.slice(0, 10))) return clock;
  const date = `${Number(day)} ${months[Number(month) - 1] ?? month}`;
  return composed.startsWith(`${year}-`) ? `${date} ${clock}` : `${date} ${year} ${clock}`;
}

/** Seconds from a timestamp to the moment at which the message is composed; undefined: it is no timestamp. */
export function secondsSince(timestamp: Json | undefined, { composed }: ReadAt): number | undefined {
  if (typeof timestamp !== 'string') return undefined;
  const ms = Date.parse(composed) - Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms / 1000);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Each locale has the short names of other zones. */
const locales = ['en-US', 'en-GB', 'en-AU', 'en-IN'];

const maxZoneNames = 1_000;
const tracked = declareState({
  name: 'zone_names',
  entries: maxZoneNames,
  entryBytes: 250,
  filledBy: 'contacts',
  atBound: 'all are forgotten',
});

/** Names by zone and offset from UTC: a group of thousands of messages needs the same few. */
const known = tracked(new Map<string, string>());

/** The zone's name as people there write it (CET, EST), else its offset from UTC (UTC+9). */
function zoneName(timezone: string, timestamp: string): string {
  const at = Date.parse(timestamp);
  const [offset, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)$/.exec(timestamp) ?? [];
  if (Number.isNaN(at)) return timezone;
  const key = `${timezone} ${offset}`;
  const knownName = known.get(key);
  if (knownName !== undefined) return knownName;
  const names = locales.map((locale) => shortName(locale, timezone, at));
  const named = names.find((name) => name !== undefined && !/^GMT[+-]/.test(name));
  const name = named ?? `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
  if (known.size >= maxZoneNames) known.clear();
  known.set(key, name);
  return name;
}

function shortName(locale: string, timeZone: string, at: number): string | undefined {
  try {
    const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }).formatToParts(at);
    return parts.find(({ type }) => type === 'timeZoneName')?.value;
  } catch {
    return undefined;
  }
}
