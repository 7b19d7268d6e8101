import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type Talk, talkReport } from './delay-talk.ts';

/** A wire from this machine to itself on which every answer takes a known time (delay-wire.py). */
export interface Wire extends AsyncDisposable {
  /** The addresses on which servers listen, and at which probes find them. */
  readonly near: readonly string[];
  readonly far: { readonly v4: string; readonly v6: string };
  /**
   * Sets the delay of answers from now on, or loses them: all (`lost`), or the first to each connect (`lossy`, with a
   * delay of 20 ms).
   */
  delay(ms: number | 'lost' | 'lossy'): Promise<void>;
  /** The next talk with a server at this port that its client ends. Call this before the check. */
  readonly talk: (port: number) => Promise<Talk>;
  /** Calls the listener with every talk that its client ends, until disposed. */
  readonly talks: (listener: (talk: Talk) => void) => Disposable;
  /** Keeps the round-trip times of datagrams to this port (0: pings) from now on until disposed. */
  readonly roundTrips: (port: number) => RoundTrips;
}

/** Round-trip times in the order of their reports. */
interface RoundTrips extends Disposable {
  /** Waits for the first `count` times, milliseconds. */
  take(count: number): Promise<readonly number[]>;
}

const report = z.union([
  z.object({ up: z.literal(true) }),
  z.object({ delay: z.string() }),
  talkReport,
  z.object({ port: z.number(), rttMs: z.number() }),
]);

/** The reason why this machine cannot make such a wire; undefined when it can. */
export function wireMissing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a delayed wire needs Linux and root';
  if (!existsSync('/dev/net/tun')) return 'a delayed wire needs /dev/net/tun';
  if (spawnSync('python3', ['-c', 'import fcntl']).status !== 0) return 'a delayed wire needs python3';
  if (spawnSync('ip', ['-V']).status !== 0) return 'a delayed wire needs ip (iproute2)';
  const probe = spawnSync('ip', ['tuntap', 'add', 'dev', `vtp${process.pid % 100_000}`, 'mode', 'tun']);
  if (probe.status !== 0) return `TUN devices cannot be made here: ${String(probe.stderr).trim()}`;
  spawnSync('ip', ['tuntap', 'del', 'dev', `vtp${process.pid % 100_000}`, 'mode', 'tun']);
  return undefined;
}

/**
 * Creates the wire. Its addresses are of the ranges of RFC 2544 (measurements) and RFC 4193, different in each process.
 * A process that has several gives each its own number, 0 or 1.
 */
export async function startWire(number: 0 | 1 = 0): Promise<Wire> {
  const device = `vtw${process.pid % 100_000}-${number}`;
  const own = [1 + (process.pid % 250), Math.floor(process.pid / 250) % 64];
  const net4 = `198.${18 + number}.${own[0]}`;
  const near4 = `${net4}.${(own[1] ?? 0) * 4 + 1}`;
  const far4 = `${net4}.${(own[1] ?? 0) * 4 + 2}`;
  const net6 = `fd76:616${number}:${process.pid
    .toString(16)
    .padStart(8, '0')
    .slice(-8)
    .replace(/^(.{4})/, '$1:')}`;
  const script = path.join(import.meta.dirname, 'delay-wire.py');
  const child = spawn('python3', [script, device], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.setMaxListeners(100);
  const listeners = new Set<(said: z.infer<typeof report>) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = report.parse(JSON.parse(line));
    for (const each of listeners) each(said);
  });
  /** Resolves with the first result of `pick` over the reports from now on; fails when the wire is gone. */
  const next = <T>(pick: (said: z.infer<typeof report>) => T | undefined) => {
    const picked = new Promise<T>((resolve, reject) => {
      const onExit = () => reject(new Error('the wire is gone'));
      const listener = (said: z.infer<typeof report>) => {
        const found = pick(said);
        if (found === undefined) return;
        listeners.delete(listener);
        child.off('exit', onExit);
        resolve(found);
      };
      listeners.add(listener);
      child.once('exit', onExit);
    });
    // A check that fails leaves its report unread. The wire then ends before anybody waits for it.
    picked.catch(() => {});
    return picked;
  };
  await next((said) => ('up' in said ? true : undefined));
  try {
    const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    ip('addr', 'add', `${near4}/30`, 'dev', device);
    ip('-6', 'addr', 'add', `${net6}::1/64`, 'dev', device, 'nodad');
    ip('link', 'set', device, 'up');
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    near: [near4, `${net6}::1`],
    far: { v4: far4, v6: `${net6}::2` },
    async delay(ms) {
      const inForce = next((said) => ('delay' in said && said.delay === `${ms}` ? true : undefined));
      child.stdin.write(`${ms}\n`);
      await inForce;
    },
    talk: (port) => next((said) => ('said' in said && said.port === port ? said : undefined)),
    talks: (listener) => {
      const each = (said: z.infer<typeof report>) => {
        if ('said' in said) listener(said);
      };
      listeners.add(each);
      return { [Symbol.dispose]: () => void listeners.delete(each) };
    },
    roundTrips: (port) => {
      const ms: number[] = [];
      const listener = (said: z.infer<typeof report>) => {
        if ('rttMs' in said && said.port === port) ms.push(said.rttMs);
      };
      listeners.add(listener);
      return {
        async take(count) {
          while (ms.length < count) await next((said) => ('rttMs' in said ? true : undefined));
          return ms.slice(0, count);
        },
        [Symbol.dispose]: () => void listeners.delete(listener),
      };
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** The kernel removes the network device when its process ends. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
