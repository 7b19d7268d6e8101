import { execFileSync, spawnSync } from 'node:child_process';

/** Undefined: network namespaces can be made here. Else why not. */
export function whyNoNamespaces(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const name = `vt-try-${process.pid}`;
  const made = spawnSync('ip', ['netns', 'add', name]);
  if (made.error) return 'the command ip (Debian: iproute2) is not installed';
  if (made.status !== 0) return `no network namespace can be made here: ${made.stderr.toString().trim()}`;
  spawnSync('ip', ['netns', 'del', name]);
  return undefined;
}

/** A network of three machines: here -- router -- target, each side with IPv4 and IPv6. */
export interface TestNetwork extends Disposable {
  /** Name of the namespace of the client. Run a command there by `ip netns exec`. */
  readonly here: string;
  /** Name of the namespace of the target. */
  readonly targetName: string;
  readonly router: { readonly v4: string; readonly v6: string };
  readonly target: { readonly v4: string; readonly v6: string };
  /** Runs a command in the namespace `here`, `router` or `target`; its output. */
  run(where: 'here' | 'router' | 'target', command: readonly string[]): string;
  /** Writes a kernel setting of that machine: a file below /proc/sys/net. */
  set(where: 'here' | 'router' | 'target', file: string, value: string): void;
}

/** Creates the network; dispose it to remove it. */
export function createTestNetwork(): TestNetwork {
  const tag = `vt${process.pid.toString(36)}`;
  const names = { here: `${tag}h`, router: `${tag}r`, target: `${tag}t` };
  const ip = (...args: string[]) =>
    execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const inside = (where: keyof typeof names, ...args: string[]) => ip('-n', names[where], ...args);
  const run: TestNetwork['run'] = (where, command) => ip('netns', 'exec', names[where], ...command);
  const set: TestNetwork['set'] = (where, file, value) =>
    void run(where, ['sh', '-c', 'echo "$1" > "/proc/sys/net/$0"', file, value]);
  const address = (where: keyof typeof names, device: string, v4: string, v6: string) => {
    inside(where, 'addr', 'add', `${v4}/24`, 'dev', device);
    inside(where, 'addr', 'add', `${v6}/64`, 'dev', device, 'nodad');
    inside(where, 'link', 'set', device, 'up');
  };
  const network: TestNetwork = {
    here: names.here,
    targetName: names.target,
    router: { v4: '10.91.1.1', v6: 'fd91:1::1' },
    target: { v4: '10.91.2.2', v6: 'fd91:2::2' },
    run,
    set,
    [Symbol.dispose]: () => {
      for (const name of Object.values(names)) spawnSync('ip', ['netns', 'del', name]);
    },
  };
  try {
    for (const name of Object.values(names)) ip('netns', 'add', name);
    for (const where of ['here', 'router', 'target'] as const) inside(where, 'link', 'set', 'lo', 'up');
    // Addresses are usable at once, without the second for IPv6's duplicate address detection.
    for (const where of ['here', 'router', 'target'] as const)
      set(where, 'ipv6/conf/default/accept_dad', '0');
    inside('router', 'link', 'add', 'near', 'type', 'veth', 'peer', 'name', 'wire', 'netns', names.here);
    inside('router', 'link', 'add', 'far', 'type', 'veth', 'peer', 'name', 'wire', 'netns', names.target);
    set('router', 'ipv4/ip_forward', '1');
    set('router', 'ipv6/conf/all/forwarding', '1');
    for (const where of ['router', 'target'] as const) {
      // Without it a machine keeps silent after a few errors a second.
      set(where, 'ipv4/icmp_ratelimit', '0');
      set(where, 'ipv6/icmp/ratelimit', '0');
    }
    // The router gives an address that nobody answers for up after 0.3 s instead of 3 s.
    set('router', 'ipv4/neigh/far/retrans_time_ms', '100');
    address('here', 'wire', '10.91.1.2', 'fd91:1::2');
    address('router', 'near', network.router.v4, network.router.v6);
    address('router', 'far', '10.91.2.1', 'fd91:2::1');
    address('target', 'wire', network.target.v4, network.target.v6);
    inside('here', 'route', 'add', 'default', 'via', network.router.v4);
    inside('here', '-6', 'route', 'add', 'default', 'via', network.router.v6);
    inside('target', 'route', 'add', 'default', 'via', '10.91.2.1');
    inside('target', '-6', 'route', 'add', 'default', 'via', 'fd91:2::1');
    return network;
  } catch (error) {
    network[Symbol.dispose]();
    throw error;
  }
}
