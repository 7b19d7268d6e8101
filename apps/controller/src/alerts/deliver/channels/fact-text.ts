import type { Json } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import type { Notice } from './channel.ts';

/** A fact as one line of text; undefined: it says nothing. */
export function factText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return plain(value.map((each) => factText(each) ?? '').join(', '));
  // A reference to a device, such as its master.
  if (typeof value === 'object' && 'ShortName' in value) return factText(value.ShortName);
  if (typeof value === 'object') return plain(JSON.stringify(value));
  return plain(String(value));
}

/** One line without control characters and marks that change the direction of text. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1_000);
}

/** The text with at most `most` UTF-16 units; one that is cut ends with an ellipsis. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/**
 * The subject of a notice, as people call it; undefined: its facts name nothing. One line of text without control
 * characters.
 */
export function nameIn(data: Notice['data']): string | undefined {
  const name = [data['ShortName'], data['Name'], data['Contact'], data['Agent'], data['Location']].find(
    (each) => typeof each === 'string' && each !== '',
  );
  return typeof name === 'string' ? plain(name) : undefined;
}

/** The text with a capital letter first. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

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

/** The moment that a message is read about: when it is composed, and the zone in which the account reads clocks. */
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

/** Each of them knows the short names of other zones. */
const locales = ['en-US', 'en-GB', 'en-AU', 'en-IN'];

const mostKnown = 1_000;
const tracked = declareState({
  name: 'zone_names',
  entries: mostKnown,
  entryBytes: 250,
  filledBy: 'contacts',
  atBound: 'all are forgotten',
});

/** Names by zone and distance to UTC: a group of thousands asks for the same few. */
const known = tracked(new Map<string, string>());

/** The zone's name as people there write it (CET, EST), else its distance to UTC (UTC+9). */
function zoneName(timezone: string, timestamp: string): string {
  const at = Date.parse(timestamp);
  const [offset, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)$/.exec(timestamp) ?? [];
  if (Number.isNaN(at)) return timezone;
  const key = `${timezone} ${offset}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const names = locales.map((locale) => shortName(locale, timezone, at));
  const named = names.find((name) => name !== undefined && !/^GMT[+-]/.test(name));
  const name = named ?? `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
  if (known.size >= mostKnown) known.clear();
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

/** The controller does not connect to the address. */
export class ForbiddenTargetError extends Error {}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  ESOCKET: 'closed the connection',
  ECONNECTION: 'closed the connection',
  ENOTFOUND: 'is a name that does not exist',
  EDNS: 'is a name that does not exist',
  EAI_AGAIN: 'is a name that could not be resolved',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not answer',
  EPROTO: 'does not speak TLS there',
  HPE_HEADER_OVERFLOW: 'sent a header that is too long',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that nobody trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that nobody trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that nobody trusts',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that nobody trusts',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
};

/**
 * Why a connection to `host` failed, in words. The text of the error itself is left out, because it may contain an
 * address with its credentials.
 */
export function faultText(error: unknown, host: string): string {
  const code = codeOf(error);
  const known = code === undefined ? undefined : texts[code];
  if (known !== undefined) return `${host} ${known}`;
  if (code?.startsWith('HPE_') === true) return `${host} does not speak HTTP there`;
  return `the connection to ${host} failed${code === undefined ? '' : ` (${code})`}`;
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EDNS',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPROTO',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Whether a message may have arrived though its attempt failed with this error. */
export function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof ForbiddenTargetError) && !neverConnected.has(codeOf(error) ?? '');
}

/** The code of an error, or of the error that it wraps. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Nodemailer has a code of its own for all faults of a socket.
  if ('originalCode' in error && typeof error.originalCode === 'string') return error.originalCode;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
