import { backoffMs, type Clock, type Logger, messageOf } from '@vantage/kernel';
import pg from 'pg';
import { answerMs } from '../pool/client-config.ts';
import { cutConnection } from '../pool/connection-cut.ts';
import type { OpenConnection } from '../pool/pool.ts';
import { ownSession, readSession, type Session } from '../pool/session.ts';
import { type BusChannel, type BusPayload, channels, readPayload } from './channels.ts';

/**
 * Called with the payload of each notification, and with undefined when notifications may have been missed (after a
 * reconnect, or when a payload cannot be read). Undefined means that the subscriber must read everything again.
 */
type Subscriber<C extends BusChannel> = (payload: BusPayload<C> | undefined) => void;

/** One connection that listens for all subscribers of this process. */
export interface Listener {
  /**
   * Resolves once the connection listens to the channel; waits while the database is unreachable. Disposing the result
   * ends the subscription.
   */
  subscribe<C extends BusChannel>(channel: C, subscriber: Subscriber<C>): Promise<AsyncDisposable>;
  /** Whether notifications arrive; true before the first subscription. */
  readonly isListening: boolean;
  /** Breaks the connection immediately, if `which` says so of it. */
  cut(which: (connection: OpenConnection) => boolean): void;
  close(): Promise<void>;
}

const listenTo = (channel: string) => `listen ${pg.escapeIdentifier(channel)}`;

/** A connection that only listens sends nothing by itself, so it would never notice that its server is gone. */
const heartbeatMs = 10_000;

/**
 * Creates the listener. It connects at the first subscription, and reconnects when the connection breaks, or when the
 * server does not answer a heartbeat.
 */
export function createListener({
  config,
  clock,
  log,
  times = { heartbeatMs, limitMs: answerMs },
}: {
  readonly config: pg.ClientConfig;
  readonly clock: Clock;
  readonly log: Logger;
  /** The interval of connection tests, and the limit for the answer to a statement, ms. */
  readonly times?: { readonly heartbeatMs: number; readonly limitMs: number };
}): Listener {
  const handlers = new Map<string, Set<(text: string | undefined) => void>>();
  const ending = new AbortController();
  let current: Promise<pg.Client> | undefined;
  let open: { readonly client: pg.Client; readonly connection: OpenConnection } | undefined;
  let isListening = true;
  /** Settles when the previous statement is answered, because the connection accepts one at a time. */
  let statement: Promise<unknown> = Promise.resolve();

  const call = (set: Iterable<(text: string | undefined) => void>, text: string | undefined) => {
    for (const handler of set) {
      try {
        handler(text);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'a notification handler failed');
      }
    }
  };

  /** Breaks the connection when the answer takes too long. */
  const ask = async <Row extends pg.QueryResultRow>(client: pg.Client, text: string) => {
    const late = setTimeout(() => cutConnection(client), times.limitMs);
    try {
      return await client.query<Row>(text);
    } finally {
      clearTimeout(late);
    }
  };
  /**
   * Sends a statement after the ones before it. A connection on which it fails is replaced by one that listens to every
   * channel; the result waits for that.
   */
  const inTurn = (client: pg.Client, text: string) => {
    const sent = statement.then(() => ask(client, text));
    statement = sent.catch(async () => {
      cutConnection(client);
      if (open?.client === client) await new Promise<void>((resolve) => client.once('end', resolve));
      return current;
    });
    return statement;
  };

  const connect = async (): Promise<pg.Client> => {
    isListening = false;
    for (let attempt = 0; ; attempt += 1) {
      ending.signal.throwIfAborted();
      const client = new pg.Client({ ...config, application_name: 'vantage listen' });
      client.on('error', () => {});
      try {
        await client.connect();
        client.on('notification', ({ channel, payload }) => call(handlers.get(channel) ?? [], payload ?? ''));
        const session = readSession(await ask<Session>(client, `select ${ownSession}`));
        for (const channel of handlers.keys()) await ask(client, listenTo(channel));
        const beat = setInterval(() => {
          inTurn(client, 'select 1').catch(() => {});
        }, times.heartbeatMs);
        client.once('end', () => {
          clearInterval(beat);
          open = undefined;
          lost();
        });
        open = { client, connection: { openedMs: performance.now(), session } };
        isListening = true;
        return client;
      } catch (error) {
        cutConnection(client);
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
      // A later connection listens to every channel that has a handler. The current one needs a statement.
      const client = await current;
      await inTurn(client, listenTo(name));
      return {
        async [Symbol.asyncDispose]() {
          set.delete(handler);
        },
      };
    },
    get isListening() {
      return isListening;
    },
    cut(which) {
      if (open !== undefined && which(open.connection)) cutConnection(open.client);
    },
    async close() {
      ending.abort(new Error('the listener is closed'));
      const client = await current?.catch(() => undefined);
      if (client === undefined) return;
      const late = setTimeout(() => cutConnection(client), times.limitMs);
      await client.end().catch(() => {});
      clearTimeout(late);
    },
  };
}
