import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** The log levels a setting may name. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Makes the process's logger: JSON lines on stderr, synchronous (a crash loses no line), known secret fields masked. */
export function createLog(name: string, level: (typeof logLevels)[number]): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: ['password', 'token', 'apiKey', '*.password', '*.token', '*.apiKey'], censor: '***' },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
