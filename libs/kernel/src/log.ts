import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { createLogDestination } from './log-destination.ts';
import { logText, readLogLine } from './log-text.ts';

export type { Logger } from 'pino';

/** The log levels a setting may name. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Creates the process's logger: lines on stderr, text in local time where that is a terminal and JSON elsewhere. They
 * are synchronous (a crash loses no line), known secret fields are masked, and each line is of bounded length whatever
 * it is given. A disk or reader that takes no lines loses them, and neither ends nor stops the process. Tests give
 * another `destination`.
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
              'lines of this log were lost: its disk or its reader did not take them',
            ),
        }),
      ),
  );
  return log;
}

/** On a terminal, people read the lines. */
function forReader(destination: DestinationStream): DestinationStream {
  if (!process.stderr.isTTY) return destination;
  return {
    write(line) {
      const entry = readLogLine(line);
      destination.write(entry === undefined ? line : `${logText(entry)}\n`);
    },
  };
}

/** The most characters that the values of one log line's fields may have. */
const lineChars = 16_000;
const textChars = 2_000;
const maxEntries = 50;
const maxDepth = 5;

/** A text cut to `most` characters, with the number of those that are missing. */
function boundedText(text: string, most = textChars): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

/** A copy of a log line's fields in which texts, lists and depth are bounded, and all of them together. */
function boundedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let left = lineChars;
  const bound = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') {
      const text = boundedText(value, Math.max(0, Math.min(textChars, left)));
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
      const kept: unknown[] = value.slice(0, maxEntries).map((one: unknown) => bound(one, depth + 1));
      return value.length > maxEntries ? [...kept, `… (${value.length - maxEntries} more)`] : kept;
    }
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, maxEntries)
        .map(([name, one]) => {
          left -= name.length;
          return [boundedText(name, 100), bound(one, depth + 1)];
        }),
    );
  };
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, maxEntries)
      .map(([name, value]) => [name, bound(value, 1)]),
  );
}
