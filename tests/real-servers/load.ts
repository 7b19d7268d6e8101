import { createServer } from 'node:net';
import { systemClock } from '@vantage/kernel';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';

/** Checks that run during a test. */
export interface Load extends AsyncDisposable {
  readonly checks: number;
  /** The rate so far, checks a second. */
  perSecond(): number;
}

/** More checks at a time mean that this machine cannot run 500 a second; what is due then is left out. */
const maxOpen = 250;

/**
 * Runs TCP checks against a server of this process, 500 a second, until disposed. Checks that a pause of the machine
 * left due do not run later: they would come all at once, make the next ones later still, and use up the sockets.
 */
export async function startLoad(): Promise<Load> {
  const tcp = probeFor('TCP');
  if (!tcp) throw new Error('no probe for TCP');
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const open = new Set<Promise<unknown>>();
  let [checks, leftOut] = [0, 0];
  const startMs = systemClock.monoMs();
  const timer = setInterval(() => {
    const due = ((systemClock.monoMs() - startMs) / 1000) * 500;
    for (; checks + leftOut < due && open.size < maxOpen; checks += 1) {
      const check = runTest(tcp, `127.0.0.1:${port}`).finally(() => open.delete(check));
      open.add(check);
    }
    leftOut = Math.max(leftOut, Math.floor(due) - checks);
  }, 2);
  return {
    get checks() {
      return checks;
    },
    perSecond: () => (checks / (systemClock.monoMs() - startMs)) * 1000,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(open);
      server.close();
    },
  };
}
