import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { createLogDestination } from './log-destination.ts';
import { logText, readLogLine } from './log-text.ts';

export type { Logger } from 'pino';

/** The log levels a setting may name. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Creates the logger of the process. It writes to stderr: text in local time on a terminal, else JSON. Writes are
 * synchronous, so a crash loses no line. Known secret fields are masked, and the length of a line is bounded. A disk or
 * reader that accepts no lines loses them, but neither ends nor stops the process. Tests pass another `destination`.
 */
export function createLog(
  name: string,
  level: (typeof logLevels)[number],
  destination?: DestinationStream,
): Logger {
  const log: Logger = pino(
    {
      name,
      level,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: ['password', 'token', 'apiKey', '*.password', '*.token', '*.apiKey'], censor: '***' },
      formatters: { log: boundedFields },
      hooks: {
        logMethod(args, method) {
          const [first, second, ...rest] = args;
          if (typeof first === 'string') return method.apply(this, [boundedText(first)]);
          return method.apply(
            this,
            typeof second === 'string' ? [first, boundedText(second), ...rest] : args,
          );
        },
      },
    },
    destination ??
      forReader(
        createLogDestination({
          onLost: (lost, error) =>
            log.error(
              { lost, error },
              'lines of this log were lost: its disk or its reader did not accept them',
            ),
        }),
      ),
  );
  return log;
}

/** On a terminal, people read the lines: write them as text. */
function forReader(destination: DestinationStream): DestinationStream {
  if (!process.stderr.isTTY) return destination;
  return {
    write(line) {
      const entry = readLogLine(line);
      destination.write(entry === undefined ? line : `${logText(entry)}\n`);
    },
  };
}

/** The maximum of characters in all values of a line. */
const maxLineChars = 16_000;
const maxTextChars = 2_000;
const maxEntries = 50;
const maxDepth = 5;

/** Cuts a text to `max` characters, and adds the number of missing ones. */
function boundedText(text: string, max = maxTextChars): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length - max} more characters)`;
}

/** A copy of the fields with bounded texts, lists, depth and total length. */
function boundedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let left = maxLineChars;
  const bound = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') {
      const text = boundedText(value, Math.max(0, Math.min(maxTextChars, left)));
      left -= text.length;
      return text;
    }
    if (value === null || typeof value !== 'object') {
      left -= 8;
      return typeof value === 'bigint' ? String(value) : value;
    }
    if (value instanceof Date) return value;
    if (value instanceof Error) return bound({ message: value.message, stack: value.stack }, depth);
    if (depth >= maxDepth || left <= 0) return '…';
    if ('toJSON' in value && typeof value.toJSON === 'function') return bound(value.toJSON(), depth + 1);
    if (Array.isArray(value)) {
      const entries: unknown[] = value.slice(0, maxEntries).map((entry: unknown) => bound(entry, depth + 1));
      return value.length > maxEntries ? [...entries, `… (${value.length - maxEntries} more)`] : entries;
    }
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, maxEntries)
        .map(([name, entry]) => {
          left -= name.length;
          return [boundedText(name, 100), bound(entry, depth + 1)];
        }),
    );
  };
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, maxEntries)
      .map(([name, value]) => [name, bound(value, 1)]),
  );
}
