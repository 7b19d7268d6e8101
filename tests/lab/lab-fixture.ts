import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../harness/api.ts';
import { type System, startSystem } from '../harness/system.ts';
import { type Contacts, createContacts, secret } from './contacts.ts';
import {
  createDevices,
  createFloorDevices,
  createHomeDevices,
  eachMinute,
  intervalOf,
  type LabDevice,
  type Rhythm,
} from './devices.ts';
import { type FakeMailServer, startFakeMailServer } from './fake-mail-server.ts';
import { type FakeWebhookReceiver, startFakeWebhookReceiver } from './fake-webhook-receiver.ts';
import { startFloorDevices } from './floors.ts';
import { addresses, deviceCount, type Network, openNetwork } from './network.ts';
import { type Program, startController, startLabAgent, startTargets, type Targets } from './programs.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { connected, statuses } from './rest.ts';
import { type ShadowReceivers, startShadowReceivers } from './shadow-receivers.ts';
import { createTruth, type Truth } from './truth.ts';

/** Dependencies of a scene. */
export interface LabFixtureOptions {
  /** The factor by which the waiting times of the rules pass faster. */
  readonly scale: number;
  readonly controllers: 1 | 2;
  /** Whether the router, the web server and the devices of the site are made; default true. */
  readonly hasSite?: boolean;
  /**
   * Whether the site has the routers of floors.ts, and its devices stand behind them, without masters; default false.
   */
  readonly hasFloors?: boolean;
  /** Whether devices on the host of A's agent are made; default false. */
  readonly hasHomes?: boolean;
  /** Of all devices that the fixture makes; default `eachMinute`. */
  readonly rhythm?: Rhythm;
}

/** The running fixture of a scene. */
export interface LabFixture extends AsyncDisposable {
  readonly scale: number;
  readonly rhythm: Rhythm;
  /** The time between two checks of a device. */
  readonly intervalMs: number;
  /** A minute of the rules, in true time: what is sent by mail within one is grouped. */
  readonly minuteMs: number;
  readonly system: System;
  /** The API of the first controller. */
  readonly api: Api;
  /** The second controller, where the scene has two. */
  readonly second: Program | undefined;
  /** Whether both controllers work; undefined where the scene has one. */
  readonly areBothReady: (() => Promise<boolean>) | undefined;
  readonly agents: { readonly A: Program; readonly B: Program };
  readonly network: Network;
  readonly targets: Targets;
  readonly hooks: FakeWebhookReceiver;
  readonly mail: FakeMailServer;
  /** Its contacts are in shadow: `hooks` and `mail` hold what was recorded, and nothing may arrive. */
  readonly shadow: ShadowReceivers | undefined;
  readonly contacts: Contacts;
  /** The services of the contacts that a scene makes itself. */
  readonly receivers: Receivers;
  /** The type of each of these contacts by its name. */
  readonly serviceTypes: Map<string, string>;
  readonly devices: readonly LabDevice[];
  readonly truth: Truth;
  /** Begin of the time that the verdict is about, milliseconds since 1970. */
  readonly fromMs: number;
  /** Prints a line with the time since the start on standard error. */
  readonly note: (text: string) => void;
}

/** The time in which all programs must have started. */
const startMs = 150_000;

/**
 * Starts a whole installation in the network of `tag`. Runs on the controllers' host of that network. `isShadow`: its
 * contacts are in shadow.
 */
export async function createLabFixture(
  tag: string,
  options: LabFixtureOptions & { readonly isShadow: boolean },
): Promise<LabFixture> {
  await using resources = new AsyncDisposableStack();
  const network = openNetwork(tag);
  const bornMs = Date.now();
  const note = (text: string) =>
    void process.stderr.write(`  ${((Date.now() - bornMs) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
  const hooks = resources.use(await startFakeWebhookReceiver(secret));
  const mail = resources.use(await startFakeMailServer());
  const receivers = resources.use(await startReceivers());
  const env = controllerSettings(options.scale, mail);
  const [targets, system] = await Promise.all([
    startTargets(network),
    startSystem({ env, timeoutMs: startMs }),
  ]);
  resources.use(targets);
  resources.use(system);
  const second = options.controllers === 2 ? await startController(system, env) : undefined;
  if (second !== undefined) resources.use(second.program);
  const agents = await startAgents({ system, network, scale: options.scale, second: second?.endpoint });
  resources.use(agents.A);
  resources.use(agents.B);
  const { api } = system;
  const { rhythm = eachMinute } = options;
  await until(async () => (await connected(api)) >= 3, startMs);
  note('the agents of A and B are connected');
  const contacts = await createContacts(api, hooks.url, options.isShadow);
  const shadow = options.isShadow
    ? resources.use(await startShadowReceivers(system.quickstart().database_url, { hooks, mail }))
    : undefined;
  if (options.hasFloors) resources.use(await startFloorDevices(network));
  const devices = await (options.hasFloors
    ? createFloorDevices({ api, rhythm })
    : devicesOf({ api, rhythm }, options));
  await until(async () => {
    const all = await statuses(api);
    return devices.every(({ name }) => all.get(name) === 'Up');
  }, startMs);
  await delay(1000);
  note(`${devices.length} devices are Up`);
  const messages = { hooks: shadow?.hooks ?? hooks, mail: shadow?.mail ?? mail, shadow };
  const rest = { network, targets, ...messages, contacts, receivers, devices, agents, api, system, note };
  const owned = resources.move();
  return {
    ...rest,
    serviceTypes: new Map(),
    scale: options.scale,
    rhythm,
    intervalMs: intervalOf(rhythm) / options.scale,
    minuteMs: 60_000 / options.scale,
    second: second?.program,
    areBothReady: second?.areBothReady,
    truth: createTruth(() => Date.now()),
    fromMs: Date.now(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function devicesOf(
  place: { readonly api: Api; readonly rhythm: Rhythm },
  { hasSite = true, hasHomes = false }: LabFixtureOptions,
): Promise<readonly LabDevice[]> {
  return [
    ...(hasSite ? await createDevices(place) : []),
    ...(hasHomes ? await createHomeDevices(place) : []),
  ];
}

/** Waits until `holds` answers true; resolves with whether it did within the time. */
export async function until(holds: () => Promise<boolean>, maxMs: number): Promise<boolean> {
  const end = performance.now() + maxMs;
  while (performance.now() < end) {
    if (await holds().catch(() => false)) return true;
    await delay(200);
  }
  return false;
}

function controllerSettings(scale: number, mail: FakeMailServer): Readonly<Record<string, string>> {
  return {
    ...compressed(scale),
    VANTAGE_LISTEN: '0.0.0.0',
    VANTAGE_TLS_NAMES: addresses.controllers,
    VANTAGE_SMTP_URL: mail.url,
    VANTAGE_MAIL_FROM: 'vantage@lab.example',
    VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
  };
}

function compressed(scale: number): Readonly<Record<string, string>> {
  return { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: String(scale) };
}

/** Creates the Locations A and B with an agent each. With two controllers the agents prefer different ones. */
async function startAgents(deps: {
  readonly system: System;
  readonly network: Network;
  readonly scale: number;
  readonly second: string | undefined;
}): Promise<LabFixture['agents']> {
  const { system, network, scale, second } = deps;
  const port = new URL(system.quickstart().agent_endpoint).port;
  const first = `https://${addresses.controllers}:${port}`;
  const env = compressed(scale);
  for (const Name of ['A', 'B']) await system.api.ok('POST', '/locations', { Name });
  const common = { system, network, env };
  const [A, B] = await Promise.all([
    startLabAgent(system, {
      ...common,
      host: 'a',
      location: 'A',
      endpoints: second === undefined ? [first] : [first, second],
    }),
    startLabAgent(system, {
      ...common,
      host: 'b',
      location: 'B',
      endpoints: second === undefined ? [first] : [second, first],
    }),
  ]);
  return { A, B };
}

/** The router dies: it and all devices behind it do not answer. */
export function cutRouter(fixture: LabFixture): void {
  fixture.network.cutRouter();
  fixture.truth.begin('router', 'down', 'self');
  for (const name of siteNames) fixture.truth.begin(name, 'down', 'router');
  fixture.note('the router dies');
}

/** Undoes `cutRouter`. */
export function healRouter(fixture: LabFixture): void {
  fixture.network.healRouter();
  fixture.truth.end('router', 'down', 'self');
  for (const name of siteNames) fixture.truth.end(name, 'down', 'router');
  fixture.note('the router is back');
}

/** The names of the devices behind the router. */
export const siteNames = Array.from({ length: deviceCount }, (_, i) => `dev-${i}`);
