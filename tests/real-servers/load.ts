import { createServer } from 'node:net';
import { systemClock } from '@vantage/kernel';
import { probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '../harness/free-port.ts';

/** Checks that run during a test. */
export interface Load extends AsyncDisposable {
  readonly checks: number;
  /** The rate so far, checks a second. */
  perSecond(): number;
}

/** Runs TCP checks against a server of this process, 500 a second, until disposed. */
export async function startLoad(): Promise<Load> {
  const tcp = probeFor('TCP');
  if (!tcp) throw new Error('no probe for TCP');
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const open = new Set<Promise<unknown>>();
  let checks = 0;
  const startMs = systemClock.monoMs();
  const timer = setInterval(() => {
    const due = ((systemClock.monoMs() - startMs) / 1000) * 500;
    for (; checks < due; checks += 1) {
      const check = runTest(tcp, `127.0.0.1:${port}`).finally(() => open.delete(check));
      open.add(check);
    }
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
