import { execFileSync } from 'node:child_process';
import { createStar, inside, ip, type Star } from '../harness/netns.ts';

/** The number of devices behind the router of the site. */
export const deviceCount = 20;

/** The hosts of the star: the controllers' host, the agents of A and B, the web server and the router of the site. */
const spokes = ['c', 'a', 'b', 'w', 'e'] as const;

/**
 * A host of the lab. `site` is the host behind the router that has the addresses of all devices; `core` the router in
 * the middle. The others are those of floors.ts.
 */
type Host = (typeof spokes)[number] | 'site' | 'core' | 'f1' | 'f2' | 'f3' | 'fh';

/** Namespaces of the lab, by their names alone, so that two programs can use one network. */
export interface Network {
  /** The namespace of a host. */
  netns(host: Host): string;
  /** `ip` arguments that run a command on a host. */
  on(host: Host, ...command: readonly string[]): string[];
  /** The router of the site drops everything: its own address and all devices behind it do not answer. */
  cutRouter(): void;
  healRouter(): void;
  /** Nothing reaches the host or leaves it. */
  cut(host: 'a' | 'b' | 'w'): void;
  heal(host: 'a' | 'b' | 'w'): void;
  /** Nothing comes back to the host but what the controllers send: its gateway and all behind it do not answer. */
  cutGateway(host: 'a' | 'b'): void;
  healGateway(host: 'a' | 'b'): void;
  /** Packets to a device's address are dropped at the router of the site. */
  silence(device: number): void;
  unsilence(device: number): void;
}

/**
 * Addresses of the lab: the star gives each spoke 10.213.i.2, and the devices of the site have addresses of their own.
 */
export const addresses = {
  controllers: '10.213.0.2',
  web: '10.213.3.2',
  router: '10.213.4.2',
  /** The core, as the agent of a Location reaches it. */
  gateway: (location: 'A' | 'B') => (location === 'A' ? '10.213.1.1' : '10.213.2.1'),
  /** Devices on the agent's own host at A. */
  homes: ['10.213.1.2', '10.213.1.3'],
  /** The address of device 0 … deviceCount - 1. */
  device: (index: number) => `10.214.0.${10 + index}`,
} as const;

/** The hosts behind the router of the site. */
export const siteNetwork = '10.214.0.0/24';
const spokeOf = (host: (typeof spokes)[number]) => spokes.indexOf(host);

/** The network of a tag (at most 4 characters) that `createNetwork` made in this or another process. */
export function openNetwork(tag: string): Network {
  const netns = (host: Host) => `vt${tag}${host === 'core' ? 'r' : host}`;
  const core = netns('core');
  const blackhole = (verb: 'add' | 'del', target: string) =>
    void ip('-n', core, 'route', verb, 'blackhole', target);
  /** A rule for each direction; unlike a blackhole route it stops the host's own packets too. */
  const rules = (verb: 'add' | 'del', host: 'a' | 'b' | 'w') => {
    const spoke = spokeOf(host);
    ip('-n', core, 'rule', verb, 'iif', `v${tag}${spoke}`, 'pref', '50', 'blackhole');
    ip('-n', core, 'rule', verb, 'to', `10.213.${spoke}.2`, 'pref', '51', 'blackhole');
  };
  const gateway = (verb: 'add' | 'del', host: 'a' | 'b') => {
    const to = `10.213.${spokeOf(host)}.2`;
    ip('-n', core, 'rule', verb, 'from', addresses.controllers, 'to', to, 'pref', '48', 'lookup', 'main');
    ip('-n', core, 'rule', verb, 'to', to, 'pref', '49', 'blackhole');
  };
  const site = (verb: 'add' | 'del') => {
    blackhole(verb, `${addresses.router}/32`);
    ip('-n', core, 'rule', verb, 'to', siteNetwork, 'pref', '52', 'blackhole');
  };
  const silent = (verb: 'add' | 'del', device: number) =>
    void ip('-n', netns('e'), 'route', verb, 'blackhole', `${addresses.device(device)}/32`);
  return {
    netns,
    on: (host, ...command) => inside(netns(host), ...command),
    cutRouter: () => site('add'),
    healRouter: () => site('del'),
    cut: (host) => rules('add', host),
    heal: (host) => rules('del', host),
    cutGateway: (host) => gateway('add', host),
    healGateway: (host) => gateway('del', host),
    silence: (device) => silent('add', device),
    unsilence: (device) => silent('del', device),
  };
}

/** Creates the network. Disposing ends every process in it and removes it. */
export function createNetwork(tag: string): Disposable {
  const star: Star = createStar(tag, spokes);
  const network = openNetwork(tag);
  const all = [...spokes.map((name) => network.netns(name)), network.netns('site'), star.router];
  const dispose = () => {
    for (const netns of all) endProcesses(netns);
    try {
      ip('netns', 'del', network.netns('site'));
    } catch {
      // it was not made yet
    }
    star[Symbol.dispose]();
  };
  try {
    connectSite(network, star.router);
  } catch (error) {
    dispose();
    throw error;
  }
  return { [Symbol.dispose]: dispose };
}

/** The site: its router forwards between the star and one host with the addresses of all devices. */
function connectSite(network: Network, core: string): void {
  const [edge, site] = [network.netns('e'), network.netns('site')];
  ip('netns', 'add', site);
  execFileSync('ip', inside(edge, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'));
  ip('-n', edge, 'link', 'add', 'lan', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', site);
  ip('-n', edge, 'addr', 'add', '10.214.0.1/24', 'dev', 'lan');
  ip('-n', edge, 'link', 'set', 'lan', 'up');
  ip('-n', site, 'link', 'set', 'lo', 'up');
  for (let i = 0; i < deviceCount; i += 1)
    ip('-n', site, 'addr', 'add', `${addresses.device(i)}/24`, 'dev', 'eth0');
  ip('-n', site, 'link', 'set', 'eth0', 'up');
  ip('-n', site, 'route', 'add', 'default', 'via', '10.214.0.1');
  ip('-n', core, 'route', 'add', siteNetwork, 'via', addresses.router);
  ip('-n', network.netns('a'), 'addr', 'add', `${addresses.homes[1]}/24`, 'dev', 'eth0');
}

/** Kills what still runs in a namespace of the lab. Only the lab's own programs run there. */
export function endProcesses(netns: string): void {
  for (const pid of processesIn(netns)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended by itself
    }
  }
}

function processesIn(netns: string): number[] {
  try {
    return ip('netns', 'pids', netns).trim().split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
