import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const lowest = 10_000;
/** The kernel chooses ports from here on. A program gets a port below only when it names the port. */
const ephemeral = firstEphemeral();
/** Each process begins at another port, so that few try the same one. */
let next = (process.pid * 97) % (ephemeral - lowest);

/**
 * A TCP port of 127.0.0.1 on which no program listens. No outgoing connection can use it meanwhile, and while this
 * process lives this function gives it to no other caller, in this process or in another one. Throws when no port is
 * left.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < ephemeral - lowest; tried += 1) {
    const port = lowest + next;
    next = (next + 1) % (ephemeral - lowest);
    if ((await claim(port)) && (await listens({ port, host: '127.0.0.1', exclusive: true }))) return port;
  }
  throw new Error(`no free port left from ${lowest} to ${ephemeral - 1}`);
}

/** Marks the port as given while this process lives, by a name in the kernel that only one process can have. */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const holder = createServer().unref();
  return new Promise((resolve) => {
    holder.once('error', () => resolve(false));
    holder.listen({ path: `\0vantage-test-port-${port}` }, () => resolve(true));
  });
}

/** Whether a program can listen on the port. Closes the port again. */
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
    return 32_768; // not Linux: IANA's dynamic ports begin above
  }
}

/** The first of two free ports that follow each other. */
export async function freePortPair(): Promise<number> {
  while (true) {
    const [first, second] = [await freePort(), await freePort()];
    if (second === first + 1) return first;
  }
}
