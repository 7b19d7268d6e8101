import { type DestinationStream, type Logger, pino } from 'pino';
import { boundedFields, boundedText } from './bounded-fields.ts';

export type { Logger } from 'pino';

/** The log levels a setting may name. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Makes the process's logger: JSON lines on stderr, synchronous (a crash loses no line), known secret fields masked, each line of
 * bounded length whatever it is given. Tests give another `destination`.
 */
export function createLog(
  name: string,
  level: (typeof logLevels)[number],
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino(
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
    destination,
  );
}
