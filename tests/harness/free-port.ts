import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const lowest = 10_000;
/** Where the kernel's own choices begin: a port below it is taken only by who asks for it by number. */
const ephemeral = firstEphemeral();
/** Each process begins somewhere else, so that few ask for the same. */
let next = (process.pid * 97) % (ephemeral - lowest);

/**
 * A TCP port of 127.0.0.1 that nobody listens on. No outgoing connection can take it meanwhile, and nobody who asks here
 * is given it again, in this process or beside it, while this process lives. Throws when there is none left.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < ephemeral - lowest; tried += 1) {
    const port = lowest + next;
    next = (next + 1) % (ephemeral - lowest);
    if ((await claim(port)) && (await listens({ port, host: '127.0.0.1', exclusive: true }))) return port;
  }
  throw new Error(`no free port left from ${lowest} to ${ephemeral - 1}`);
}

/** Marks the port as given, for as long as this process lives, by a name in the kernel that one process can hold. */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const holder = createServer().unref();
  return new Promise((resolve) => {
    holder.once('error', () => resolve(false));
    holder.listen({ path: `\0vantage-test-port-${port}` }, () => resolve(true));
  });
}

/** Whether one can listen there; nobody does afterwards. */
function listens(where: {
  readonly port: number;
  readonly host: string;
  readonly exclusive: boolean;
}): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(where, () => server.close(() => resolve(true)));
  });
}

function firstEphemeral(): number {
  try {
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
    return first >= lowest + 1_000 ? first : 32_768;
  } catch {
    return 32_768; // not Linux: IANA's dynamic ports begin later still
  }
}
