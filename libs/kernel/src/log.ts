import { type DestinationStream, type Logger, pino } from 'pino';
import { boundedFields, boundedText } from './bounded-fields.ts';
import { createLogDestination } from './log-destination.ts';

export type { Logger } from 'pino';

/** The log levels a setting may name. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Creates the process's logger: JSON lines on stderr, synchronous (a crash loses no line), known secret fields masked,
 * each line of bounded length whatever it is given. A disk that takes no lines loses them, and does not end the
 * process. Tests give another `destination`.
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
      createLogDestination({
        onLost: (lost, error) =>
          log.error({ lost, error }, 'lines of this log were lost: its disk refused them'),
      }),
  );
  return log;
}
