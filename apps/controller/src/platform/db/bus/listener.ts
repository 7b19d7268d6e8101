import { backoffMs, type Clock, type Logger, messageOf } from '@vantage/kernel';
import pg from 'pg';
import { type Channel, channels, type Payload, readPayload } from './channels.ts';

/**
 * Is called with the payload of each notification. It is called with undefined when notifications may have been missed
 * (after a reconnect, or when a payload cannot be read): then the subscriber reads everything again.
 */
type Subscriber<C extends Channel> = (payload: Payload<C> | undefined) => void;

/** One connection that listens for all subscribers in this process. */
export interface Listener {
  /**
   * Resolves once the connection listens to the channel; waits while the database is unreachable. Disposing the result
   * ends the subscription.
   */
  subscribe<C extends Channel>(channel: C, subscriber: Subscriber<C>): Promise<AsyncDisposable>;
  /** Whether notifications arrive; true as long as nobody subscribed. */
  readonly isListening: boolean;
  close(): Promise<void>;
}

/** Creates the listener. It connects at the first subscription, and again when the connection breaks. */
export function createListener({
  config,
  clock,
  log,
}: {
  readonly config: pg.ClientConfig;
  readonly clock: Clock;
  readonly log: Logger;
}): Listener {
  const handlers = new Map<string, Set<(text: string | undefined) => void>>();
  const ending = new AbortController();
  let current: Promise<pg.Client> | undefined;
  let isListening = true;
  /** Ends when the statements before are answered: the connection takes one at a time. */
  let asked: Promise<unknown> = Promise.resolve();

  const call = (set: Iterable<(text: string | undefined) => void>, text: string | undefined) => {
    for (const handler of set) {
      try {
        handler(text);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'a notification handler failed');
      }
    }
  };

  const connect = async (): Promise<pg.Client> => {
    isListening = false;
    for (let attempt = 0; ; attempt += 1) {
      ending.signal.throwIfAborted();
      const client = new pg.Client({ ...config, keepAlive: true, application_name: 'vantage listen' });
      client.on('error', () => {});
      try {
        await client.connect();
        client.on('notification', ({ channel, payload }) => call(handlers.get(channel) ?? [], payload ?? ''));
        for (const channel of handlers.keys())
          await client.query(`listen ${client.escapeIdentifier(channel)}`);
        client.once('end', lost);
        isListening = true;
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
      for (const set of handlers.values()) call(set, undefined);
      return client;
    });
    current.catch(() => {});
  };

  return {
    async subscribe(channel, subscriber) {
      const { name } = channels[channel];
      const handler = (text: string | undefined) => {
        const payload = text === undefined ? undefined : readPayload(channel, text);
        if (text !== undefined && payload === undefined)
          log.warn({ channel: name }, 'a notification cannot be read');
        subscriber(payload);
      };
      const set = handlers.get(name) ?? new Set();
      handlers.set(name, set);
      set.add(handler);
      current ??= connect();
      // A later connection listens to every channel that has a handler. The current one must be asked.
      const client = await current;
      const listening = asked.then(() => client.query(`listen ${client.escapeIdentifier(name)}`));
      asked = listening.catch(() => current);
      await asked;
      return {
        async [Symbol.asyncDispose]() {
          set.delete(handler);
        },
      };
    },
    get isListening() {
      return isListening;
    },
    async close() {
      ending.abort(new Error('the listener is closed'));
      const client = await current?.catch(() => undefined);
      client?.removeAllListeners('end');
      await client?.end().catch(() => {});
    },
  };
}
