/** A line of syslog (RFC 3164 and 5424). */
export interface SyslogLine {
  /** 0: emergency, to 7: debug. */
  readonly severity: number;
  /** Without priority, version and time. */
  readonly text: string;
}

/** The names of the severities (RFC 5424, 6.2.1). */
export const severityNames = [
  'emergency',
  'alert',
  'critical',
  'error',
  'warning',
  'notice',
  'info',
  'debug',
] as const;

const maxBytes = 2_048;
const maxPriority = 191;

/**
 * Reads a datagram of syslog. Devices write many forms of the header, so only the priority must be there. undefined: it
 * has none. Pure.
 */
export function readSyslog(bytes: Buffer): SyslogLine | undefined {
  const text = bytes.subarray(0, maxBytes).toString('utf8');
  const [head, number] = /^<(\d{1,3})>/.exec(text) ?? [];
  const priority = Number(number);
  if (head === undefined || priority > maxPriority) return undefined;
  const line = text
    .slice(head.length)
    // Version, time, host, program, process, id, and structured data that is absent.
    .replace(
      /^1 (?:-|\d{4}-\d\d-\d\dT\S{1,40}) (\S{1,255}) (\S{1,48}) \S{1,128} (\S{1,32}) (?:- )?/,
      '$1 $2 $3 ',
    )
    // The time of RFC 3164, and the forms of Cisco before it.
    .replace(
      /^(?:\d{1,10}: )?[*.]?[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [A-Z]{3,4})?:? /,
      '',
    )
    .replace(/\uFEFF/g, '')
    .trim();
  return { severity: priority % 8, text: line };
}
