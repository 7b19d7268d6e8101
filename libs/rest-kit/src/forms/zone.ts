import { dayMs, minuteUs, secondUs } from '@vantage/domain';
import { knownZone, zoneOffset } from '@vantage/kernel';

/** Reads and writes timestamps of one account. Times are microseconds since 1970. */
export interface Zone {
  readonly name: string;
  /** `YYYY-MM-DDThh:mm:ss±hh:mm`, whole seconds (cut, not rounded). */
  format(us: number): string;
  /** The same with six digits of a second. */
  formatFine(us: number): string;
  /** Reads a timestamp; without an offset it is local time of this zone. undefined: not one. */
  parse(text: string): number | undefined;
}

/** Seconds whose text a zone keeps. */
const keptTexts = 5_000;
/** The greatest size of a zone in memory. */
export const zoneBytes = 200 * keptTexts;

const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+\- ]\d\d:\d\d)?$/;

/** Creates the zone of an IANA name; UTC for one that is not known. Offsets are cached per quarter of an hour. */
export function createZone(name: string): Zone {
  const offsetMinutes = zoneOffset(name);
  const write = (us: number, fine: boolean): string => {
    const ms = Math.floor(us / 1000);
    const offset = offsetMinutes(ms);
    const local = new Date(ms + offset * 60_000).toISOString();
    const fraction = fine ? `.${String(((us % secondUs) + secondUs) % secondUs).padStart(6, '0')}` : '';
    return `${local.slice(0, local.indexOf('.'))}${fraction}${offset < 0 ? '-' : '+'}${clockFace(Math.abs(offset))}`;
  };
  // Lists show the same timestamps each time that they are read.
  const written = new Map<number, string>();
  const format = (us: number): string => {
    const second = Math.floor(us / secondUs);
    const known = written.get(second);
    if (known !== undefined) return known;
    if (written.size >= keptTexts) written.clear();
    const text = write(us, false);
    written.set(second, text);
    return text;
  };
  return {
    name: knownZone(name),
    format,
    formatFine: (us) => write(Math.floor(us), true),
    parse(text) {
      const parts = readParts(text);
      if (parts === undefined) return undefined;
      if (parts.offsetMinutes !== undefined) return parts.wallUs - parts.offsetMinutes * minuteUs;
      const wallMs = Math.floor(parts.wallUs / 1000);
      return parts.wallUs - localOffset(wallMs, offsetMinutes) * minuteUs;
    },
  };
}

/** Why this text is no timestamp in any zone, as the rest of "must be …"; undefined: it is one. */
export function timestampProblem(text: string): string | undefined {
  if (readParts(text) !== undefined) return undefined;
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (year === undefined || month === undefined)
    return "must be a timestamp as 2026-02-25T22:38:03+01:00, with Z, with an offset, or with none for the account's time zone";
  return `must be a moment that exists${daysText(Number(year), Number(month), Number(day))}, for example 2026-02-25T22:38:03Z`;
}

/** The days of this month, where the fault is that it has no such day. */
function daysText(year: number, month: number, day: number): string {
  if (month < 1 || month > 12) return '';
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0); // the last day of the month
  if (day <= date.getUTCDate()) return '';
  return ` (${year}-${String(month).padStart(2, '0')} has ${date.getUTCDate()} days)`;
}

/**
 * The offset of a local time: the earlier moment where a clock change shows it twice, the offset before the change
 * where it is skipped (as RFC 5545 section 3.3.5 reads such times).
 */
function localOffset(wallMs: number, offsetMinutes: (ms: number) => number): number {
  const before = offsetMinutes(wallMs - dayMs);
  const after = offsetMinutes(wallMs + dayMs);
  const real = [before, after].filter((offset) => offsetMinutes(wallMs - offset * 60_000) === offset);
  return real.length === 0 ? before : Math.max(...real);
}

function readParts(text: string): { wallUs: number; offsetMinutes: number | undefined } | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60)
    return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return undefined; // the 31st of a shorter month
  const wallMs = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
  const offsetMinutes = readSentOffset(match[8]);
  if (offsetMinutes === null) return undefined;
  return { wallUs: wallMs * 1000 + Number((match[7] ?? '').padEnd(6, '0').slice(0, 6)), offsetMinutes };
}

/**
 * Minutes; undefined when none was sent, null when it cannot be one. A blank is an unescaped `+` of a query.
 */
function readSentOffset(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined;
  if (text === 'Z') return 0;
  const [hours = 0, minutes = 0] = text.slice(1).split(':').map(Number);
  if (hours > 23 || minutes > 59) return null;
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

function clockFace(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
