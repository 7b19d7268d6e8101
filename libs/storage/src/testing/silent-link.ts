import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** The fate of connections that are opened while others are silent. */
type Newcomers = 'pass' | 'silent' | 'refused';

/** A way to a PostgreSQL server that may lose everything on it without a word, as when a host loses its power. */
export interface SilentLink extends AsyncDisposable {
  /** The same database over the link. */
  readonly url: string;
  /** Connections that were opened so far. */
  readonly connections: number;
  /** From now on no byte and no end passes on the open connections. They stay silent for good. */
  silence(newcomers: Newcomers): void;
  /** Open connections end, and new ones are refused. */
  refuse(): void;
  /** The next chunk to the server that contains `text` is lost, and so is all that follows on its connection. */
  silenceAt(text: string): void;
  /** New connections pass again. */
  heal(): void;
}

/** Starts a link on loopback to the server of a URL. */
export async function startSilentLink(url: string): Promise<SilentLink> {
  const { host, port: serverPort, user, password, database } = new pg.Client({ connectionString: url });
  const open = new Set<Socket>();
  const passing = new Set<() => void>();
  let newcomers: Newcomers = 'pass';
  let at: string | undefined;
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    open.add(near.on('error', () => near.destroy()));
    if (newcomers === 'refused') return void near.resetAndDestroy();
    if (newcomers === 'silent') return void near.resume();
    const far = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${serverPort}`)
      : connect({ host, port: serverPort });
    open.add(far.on('error', () => far.destroy()));
    let isSilent = false;
    const silence = () => {
      isSilent = true;
    };
    passing.add(silence);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        if (at !== undefined && from === near && bytes.includes(at)) {
          at = undefined;
          silence();
        }
        if (!isSilent) to.write(bytes);
      });
      from.on('close', () => {
        if (!isSilent) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the link has no port');
  const login = [user, password].flatMap((part) => (part ? encodeURIComponent(part) : [])).join(':');
  return {
    url: `postgres://${login}@127.0.0.1:${address.port}/${database}`,
    get connections() {
      return connections;
    },
    silence(next) {
      newcomers = next;
      for (const silence of passing) silence();
      passing.clear();
    },
    refuse() {
      newcomers = 'refused';
      for (const socket of open) socket.destroy();
    },
    silenceAt(text) {
      at = text;
    },
    heal() {
      newcomers = 'pass';
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
