import type pg from 'pg';

/** Why this process broke a connection: the server, or the way to it, is gone. The statement may be tried again. */
export class ConnectionCut extends Error {
  /** The code of a connection that the kernel gives up for the same reason. */
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('the connection to the database was cut: the server did not answer');
  }
}

/** Breaks a connection without a word to the server, which may be gone. Statements that wait for an answer fail. */
export function cutConnection(client: Pick<pg.Client, 'connection'>): void {
  const { stream } = client.connection;
  // The stream of a client that never connected has no listener.
  stream.on('error', () => {});
  stream.destroy(new ConnectionCut());
}
