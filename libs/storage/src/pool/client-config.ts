import type pg from 'pg';

/** The maximum time, ms, for which a stalled process can block others, and for which a login may last. */
export const timeoutMs = 5_000;
/** The time, ms, after which a statement should have an answer: the server's own limit ends it before. */
export const answerMs = timeoutMs + 2_000;
/**
 * The kernel's default is two hours. After this time without a packet it probes the other host once a second, and after
 * ten probes without an answer it breaks the connection.
 */
const keepAliveAfterMs = 10_000;

/** The settings of every connection to PostgreSQL. `name` is the application name that the server shows. */
export function clientConfig(url: string, name: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  };
}
