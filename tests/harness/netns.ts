import { execFileSync } from 'node:child_process';

/** The reason why this machine cannot make network namespaces; undefined when it can. */
export function netnsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const name = `vt-probe-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return undefined;
  } catch (error) {
    return `network namespaces cannot be made: ${error instanceof Error ? error.message.split('\n')[0] : ''}`;
  }
}

/** Runs `ip` with these arguments; throws with its stderr. */
export function ip(...args: string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Arguments for `ip` that run a command inside a namespace. */
export function inside(netns: string, ...command: readonly string[]): string[] {
  return ['netns', 'exec', netns, ...command];
}

/**
 * A star of namespaces: a router in the middle and one spoke for each host. Spoke i has the address `10.213.i.2/24`,
 * the router's side is `10.213.i.1`.
 */
export interface Star extends Disposable {
  readonly router: string;
  /** Namespace and address of a host by its name. */
  host(name: string): { readonly netns: string; readonly address: string };
  /**
   * The router drops packets to this host without an answer, which makes a half-open link for every peer of the host.
   */
  blackhole(name: string): void;
  /** Undoes `blackhole`. */
  heal(name: string): void;
}

/** Creates the star. Names are at most 5 characters; `tag` keeps runs on one machine apart (at most 4 characters). */
export function createStar(tag: string, names: readonly string[]): Star {
  const router = `vt${tag}r`;
  const made: string[] = [];
  const netnsOf = (name: string) => `vt${tag}${name}`;
  const dispose = () => {
    for (const netns of made) {
      try {
        ip('netns', 'del', netns);
      } catch {
        // already removed
      }
    }
  };
  const add = (netns: string) => {
    ip('netns', 'add', netns);
    made.push(netns);
    ip('-n', netns, 'link', 'set', 'lo', 'up');
  };
  try {
    add(router);
    execFileSync('ip', ['netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
    names.forEach((name, i) => {
      const netns = netnsOf(name);
      add(netns);
      const outer = `v${tag}${i}`;
      ip('-n', router, 'link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns);
      ip('-n', router, 'addr', 'add', `10.213.${i}.1/24`, 'dev', outer);
      ip('-n', router, 'link', 'set', outer, 'up');
      ip('-n', netns, 'addr', 'add', `10.213.${i}.2/24`, 'dev', 'eth0');
      ip('-n', netns, 'link', 'set', 'eth0', 'up');
      ip('-n', netns, 'route', 'add', 'default', 'via', `10.213.${i}.1`);
    });
  } catch (error) {
    dispose();
    throw error;
  }
  const addressOf = (name: string) => {
    const i = names.indexOf(name);
    if (i < 0) throw new Error(`no host ${name} in this star`);
    return `10.213.${i}.2`;
  };
  return {
    router,
    host: (name) => ({ netns: netnsOf(name), address: addressOf(name) }),
    blackhole: (name) => void ip('-n', router, 'route', 'add', 'blackhole', `${addressOf(name)}/32`),
    heal: (name) => void ip('-n', router, 'route', 'del', 'blackhole', `${addressOf(name)}/32`),
    [Symbol.dispose]: dispose,
  };
}
