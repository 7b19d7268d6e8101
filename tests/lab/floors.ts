import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { inside, ip } from '../harness/netns.ts';
import { addresses, deviceCount, endProcesses, type Network, openNetwork } from './network.ts';

/** A router behind the router of the site, with devices behind it. */
interface Floor {
  readonly name: string;
  /** The router before it. */
  readonly before: 'router' | 'floor-2';
  readonly host: 'f1' | 'f2' | 'f3';
  readonly number: 1 | 2 | 3;
}

/** The routers of the floors, each after the one before it. */
const floors: readonly Floor[] = [
  { name: 'floor-1', before: 'router', host: 'f1', number: 1 },
  { name: 'floor-2', before: 'router', host: 'f2', number: 2 },
  { name: 'floor-3', before: 'floor-2', host: 'f3', number: 3 },
];

/** Five devices stand behind the router of the site itself, and five behind each floor's. */
const perRouter = 5;
const floorOf = (device: number): Floor | undefined => floors[Math.floor(device / perRouter) - 1];

/** The address of a floor's router by its name, as the routers before it know it. */
export const floorAddresses: ReadonlyMap<string, string> = new Map(
  floors.map(({ name, number }) => [name, `10.216.${number}.2`]),
);

/** The address of device 0 … deviceCount - 1. */
export function floorDevice(device: number): string {
  const floor = floorOf(device);
  return floor === undefined ? addresses.device(device) : `10.215.${floor.number}.${10 + device}`;
}

/** THE table of the topology: the nearest router before each router and device; undefined: none that is a device. */
export const nearestRouter: ReadonlyMap<string, string | undefined> = new Map([
  ['router', undefined],
  ['web', undefined],
  ...floors.map(({ name, before }): [string, string] => [name, before]),
  ...Array.from({ length: deviceCount }, (_, i): [string, string] => [
    `dev-${i}`,
    floorOf(i)?.name ?? 'router',
  ]),
]);

/** A router and everything behind it, by the table. */
export function behind(router: string): readonly string[] {
  const next = [...nearestRouter].flatMap(([name, before]) => (before === router ? [name] : []));
  return [router, ...next.flatMap(behind)];
}

const lans = (floor: Floor) => `10.215.${floor.number}.0/24`;
const links = (floor: Floor) => `10.216.${floor.number}.0/24`;
const hostBefore = ({ before }: Floor) => (before === 'router' ? 'e' : 'f2');
/** A floor's networks, and those of the floors behind it. */
const reachedBy = (floor: Floor) =>
  floors.filter(({ name }) => behind(floor.name).includes(name)).flatMap((one) => [lans(one), links(one)]);

/** Adds the floors to a network that `createNetwork` made. Disposing removes them. */
export function createFloors(tag: string): Disposable {
  const network = openNetwork(tag);
  const all = [...floors.map(({ host }) => host), 'fh' as const].map((host) => network.netns(host));
  const dispose = () => {
    for (const netns of all) {
      endProcesses(netns);
      try {
        ip('netns', 'del', netns);
      } catch {
        // it was not made yet
      }
    }
  };
  try {
    for (const netns of all) {
      ip('netns', 'add', netns);
      ip('-n', netns, 'link', 'set', 'lo', 'up');
    }
    for (const netns of [network.netns('site'), network.netns('fh')])
      set(netns, 'conf/all/promote_secondaries', 1);
    // Each traceroute gets an answer of each router: the kernel gives one host one a second otherwise.
    for (const netns of [network.netns('e'), ...all]) set(netns, 'icmp_ratelimit', 0);
    for (const floor of floors) connectFloor(network, floor);
    for (const part of ['10.215.0.0/16', '10.216.0.0/16'])
      ip('-n', network.netns('core'), 'route', 'add', part, 'via', addresses.router);
  } catch (error) {
    dispose();
    throw error;
  }
  return { [Symbol.dispose]: dispose };
}

function set(netns: string, setting: string, value: number): void {
  execFileSync('ip', inside(netns, 'sh', '-c', `echo ${value} > /proc/sys/net/ipv4/${setting}`));
}

/** Connects a floor's router with the one before it and with its devices, which all have addresses of one host. */
function connectFloor(network: Network, floor: Floor): void {
  const { host, number } = floor;
  const before = network.netns(hostBefore(floor));
  const router = network.netns(host);
  const devices = network.netns('fh');
  set(router, 'ip_forward', 1);
  ip('-n', before, 'link', 'add', host, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', router);
  ip('-n', before, 'addr', 'add', `10.216.${number}.1/24`, 'dev', host);
  ip('-n', before, 'link', 'set', host, 'up');
  ip('-n', router, 'addr', 'add', `10.216.${number}.2/24`, 'dev', 'eth0');
  ip('-n', router, 'link', 'set', 'eth0', 'up');
  ip('-n', router, 'route', 'add', 'default', 'via', `10.216.${number}.1`);
  ip('-n', before, 'route', 'add', lans(floor), 'via', `10.216.${number}.2`);
  if (floor.before !== 'router')
    for (const part of [lans(floor), links(floor)])
      ip('-n', network.netns('e'), 'route', 'add', part, 'via', '10.216.2.2');
  const lan = `lan${number}`;
  ip('-n', router, 'link', 'add', 'lan', 'type', 'veth', 'peer', 'name', lan, 'netns', devices);
  ip('-n', router, 'addr', 'add', `10.215.${number}.1/24`, 'dev', 'lan');
  ip('-n', router, 'link', 'set', 'lan', 'up');
  for (let i = 0; i < deviceCount; i += 1)
    if (floorOf(i) === floor) ip('-n', devices, 'addr', 'add', `${floorDevice(i)}/24`, 'dev', lan);
  ip('-n', devices, 'link', 'set', lan, 'up');
  const table = String(100 + number);
  ip('-n', devices, 'route', 'add', 'default', 'via', `10.215.${number}.1`, 'table', table);
  ip('-n', devices, 'rule', 'add', 'from', lans(floor), 'lookup', table);
}

/** Starts the devices of the floors, and waits until they answer. */
export async function startFloorDevices(network: Network): Promise<Disposable> {
  const script = path.join(import.meta.dirname, 'device-host.ts');
  const all = Array.from({ length: deviceCount - perRouter }, (_, i) => floorDevice(perRouter + i));
  const child = spawn('ip', network.on('fh', process.execPath, script, ...all), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return { [Symbol.dispose]: () => void child.stdin.end() };
}

/** A device loses its address, as one whose cable is pulled, or gets it back. */
export function plug(network: Network, device: number, verb: 'add' | 'del'): void {
  const floor = floorOf(device);
  const [host, link] =
    floor === undefined ? (['site', 'eth0'] as const) : (['fh', `lan${floor.number}`] as const);
  ip('-n', network.netns(host), 'addr', verb, `${floorDevice(device)}/24`, 'dev', link);
}

/** The router before a floor drops everything to it and to what is behind it, or stops to. */
export function cutFloor(network: Network, name: string, verb: 'add' | 'del'): void {
  const floor = floors.find((one) => one.name === name);
  if (floor === undefined) throw new Error(`no floor ${name}`);
  for (const part of reachedBy(floor))
    ip('-n', network.netns(hostBefore(floor)), 'rule', verb, 'to', part, 'pref', '60', 'blackhole');
}
