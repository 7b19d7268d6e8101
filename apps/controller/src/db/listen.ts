import { backoffMs, type Clock, type Logger, messageOf } from '@vantage/kernel';
import pg from 'pg';

/** Told for each notification with its payload, and with undefined after a reconnect: something may have been missed, look again. */
export type NotifyHandler = (payload: string | undefined) => void;

/** One connection that listens for everybody in this process. */
export interface Listener {
  /** Resolves once the channel is listened to; waits through a database that is away. Disposing the answer ends it. */
  listen(channel: string, handler: NotifyHandler): Promise<AsyncDisposable>;
  close(): Promise<void>;
}

/** Makes the listener; it connects at the first `listen` and comes back by itself when the connection breaks. */
export function createListener({
  config,
  clock,
  log,
}: {
  readonly config: pg.ClientConfig;
  readonly clock: Clock;
  readonly log: Logger;
}): Listener {
  const handlers = new Map<string, Set<NotifyHandler>>();
  const ending = new AbortController();
  let current: Promise<pg.Client> | undefined;

  const tell = (set: Iterable<NotifyHandler>, payload: string | undefined) => {
    for (const handler of set) {
      try {
        handler(payload);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'a notification handler failed');
      }
    }
  };

  const connect = async (): Promise<pg.Client> => {
    for (let attempt = 0; ; attempt += 1) {
      ending.signal.throwIfAborted();
      const client = new pg.Client({ ...config, keepAlive: true, application_name: 'vantage listen' });
      client.on('error', () => {});
      try {
        await client.connect();
        client.on('notification', ({ channel, payload }) => tell(handlers.get(channel) ?? [], payload ?? ''));
        for (const channel of handlers.keys())
          await client.query(`listen ${client.escapeIdentifier(channel)}`);
        client.once('end', lost);
        return client;
      } catch (error) {
        await client.end().catch(() => {});
        if (attempt === 0)
          log.warn({ error: messageOf(error) }, 'cannot listen to the database; trying again');
        await clock.sleep(
          200 + backoffMs(attempt, { baseMs: 200, capMs: 5_000 }, Math.random),
          ending.signal,
        );
      }
    }
  };

  const lost = () => {
    if (ending.signal.aborted) return;
    log.warn('the listening connection broke');
    current = connect().then((client) => {
      log.info('listening again');
      for (const set of handlers.values()) tell(set, undefined);
      return client;
    });
    current.catch(() => {});
  };

  return {
    async listen(channel, handler) {
      const set = handlers.get(channel) ?? new Set();
      handlers.set(channel, set);
      set.add(handler);
      current ??= connect();
      // A connection made later listens to every channel that has a handler, so only this moment's needs telling.
      const client = await current;
      await client.query(`listen ${client.escapeIdentifier(channel)}`).catch(() => current);
      return {
        async [Symbol.asyncDispose]() {
          set.delete(handler);
        },
      };
    },
    async close() {
      ending.abort(new Error('the listener is closed'));
      const client = await current?.catch(() => undefined);
      client?.removeAllListeners('end');
      await client?.end().catch(() => {});
    },
  };
}
