import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { boundedFields, boundedText } from './bounded-fields.ts';
import { createLogDestination } from './log-destination.ts';
import { logText, readLogLine } from './log-text.ts';

export type { Logger } from 'pino';

/** The log levels a setting may name. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Creates the process's logger: lines on stderr, text in local time where that is a terminal and JSON elsewhere. They
 * are synchronous (a crash loses no line), known secret fields are masked, and each line is of bounded length whatever
 * it is given. A disk that takes no lines loses them, and does not end the process. Tests give another `destination`.
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
            log.error({ lost, error }, 'lines of this log were lost: its disk refused them'),
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
