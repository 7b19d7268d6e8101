// A proxy in front of the system's PostgreSQL that knows when a controller stores checks and when it has the commit. It
// can keep the bytes of such a moment back without end, so that a test kills the controller exactly there.
import { connect, createServer, type Socket } from 'node:net';

/**
 * A moment of a transaction that stores checks: its rows are about to reach PostgreSQL, or its commit to reach the
 * controller.
 */
export type Moment = 'insert' | 'committed';

/** The statement that brings the rows of checks, into their table or the one that they lie in first. */
const insert = /(?:copy|insert into) check\w* \(/;

/** A proxy on loopback. Disposing it cuts all its connections. */
export interface DatabaseProxy extends AsyncDisposable {
  /** The same database through the proxy. */
  readonly url: string;
}

/**
 * Starts a proxy in front of the database of `url` (a folder of sockets in `host`). It calls `at` at each moment; with
 * `true` as answer it forwards nothing more of that connection.
 */
export async function startDatabaseProxy(
  url: string,
  at: (moment: Moment) => boolean,
): Promise<DatabaseProxy> {
  const folder = decodeURIComponent(/[?&]host=([^&]+)/.exec(url)?.[1] ?? '');
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(`${folder}/.s.PGSQL.5432`);
    let stores = false;
    let isHeld = false;
    const pass = (from: Socket, to: Socket, moment: (chunk: Buffer) => Moment | undefined) => {
      open.add(from);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.on('data', (chunk: Buffer) => {
        const reached = moment(chunk);
        if (reached !== undefined) isHeld = at(reached) || isHeld;
        if (!isHeld) to.write(chunk);
      });
    };
    pass(client, upstream, (chunk) => {
      if (!insert.test(chunk.toString('latin1'))) return undefined;
      stores = true;
      return 'insert';
    });
    pass(upstream, client, (chunk) => {
      if (!stores || !chunk.includes('COMMIT\0')) return undefined;
      stores = false;
      return 'committed';
    });
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const [, login = '', database = ''] = /^postgres(?:ql)?:\/\/([^@]*)@[^/]*\/([^?]*)/.exec(url) ?? [];
  return {
    url: `postgres://${login}@127.0.0.1:${address.port}/${database}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
