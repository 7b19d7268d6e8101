import type { Clock, Secret } from '@vantage/kernel';
import { type Connection, hostOf, openConnection } from './connection.ts';
import { openTunnel } from './tunnel.ts';

/** The way to a controller. */
export interface Way {
  /** `https://host:port`. */
  readonly endpoint: string;
  /** `http://[user:password@]host:port` of an HTTP proxy on the way; undefined: there is none. */
  readonly proxy: Secret | undefined;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** The agent's certificate and its key, PEM; undefined: none is shown. */
  readonly proof: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  /** A connection that leaves a ping unanswered is given up. */
  readonly pings: { readonly pingIntervalMs: number; readonly pingTimeoutMs: number };
}

/**
 * Opens a connection to a controller. Rejects when the proxy lets nobody through; a controller that cannot be reached
 * fails its requests.
 */
export async function dial(way: Way, signal: AbortSignal): Promise<Connection> {
  const { proxy, endpoint, pings, ...rest } = way;
  const port = Number(new URL(endpoint).port || 443);
  const tunnel =
    proxy === undefined ? undefined : await openTunnel({ proxy, host: hostOf(endpoint), port, signal });
  return openConnection({ ...rest, endpoint, tunnel, ...pings });
}
