import { isRecord } from './is-record.ts';
import { parseJson } from './json.ts';

const levelNames: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
/** Fields that the line shows elsewhere, or that people do not need. */
const notShown = ['level', 'time', 'name', 'msg', 'pid', 'hostname'];

export interface LogEntry {
  /** The time of writing, milliseconds since 1970. */
  readonly atMs: number;
  readonly level: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a line of a log; undefined: it has another form (a stack trace, a truncated line). */
export function readLogLine(line: string): LogEntry | undefined {
  const fields = parseJson(line);
  if (!isRecord(fields)) return undefined;
  const { time, level } = fields;
  // Versions before 0.3.0 wrote the milliseconds.
  const atMs = typeof time === 'number' ? time : Date.parse(String(time));
  if (!Number.isFinite(atMs) || typeof level !== 'number') return undefined;
  return { atMs, level, fields };
}

/** `2026-03-01 10:00:00.000 WARN  controller: the text  location="Oslo"`, in the time zone of this process. */
export function logText({ atMs, level, fields }: LogEntry): string {
  const { name, msg } = fields;
  const more = Object.entries(fields)
    .filter(([field]) => !notShown.includes(field))
    .map(([field, value]) => `  ${field}=${JSON.stringify(value)}`);
  const [part, text] = [name, msg].map((value) => (typeof value === 'string' ? value : ''));
  const levelName = levelNames[level] ?? String(level);
  // A text from outside must not move the cursor of a terminal.
  return withoutControls(`${localTime(atMs)} ${levelName.padEnd(5)} ${part}: ${text}${more.join('')}`);
}

/** `2026-03-01 10:00:00.000`, in the time zone of this process. */
export function localTime(atMs: number): string {
  const at = new Date(atMs);
  const [month, day, ...clock] = [
    at.getMonth() + 1,
    at.getDate(),
    at.getHours(),
    at.getMinutes(),
    at.getSeconds(),
  ].map((part) => String(part).padStart(2, '0'));
  const year = String(at.getFullYear()).padStart(4, '0');
  return `${year}-${month}-${day} ${clock.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function withoutControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (sign) =>
    JSON.stringify(sign)
      .slice(1, -1)
      .replace(/^[^\\]/, '�'),
  );
}
