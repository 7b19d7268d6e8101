// The bystander: an account that takes no part in the attacks, in a separate process, so that an attack can slow it
// only through the controller. It calls the REST API five times a second, follows its events, and is the target of its
// own devices.
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { openEvents } from './event-reader.ts';
import { putAhead } from './priority.ts';

const orders = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    baseUrl: z.string(),
    ca: z.string(),
    key: z.string(),
    deviceIds: z.array(z.string()),
  }),
  z.object({ kind: z.literal('begin') }),
  z.object({ kind: z.literal('end') }),
]);

const targets = 4;
const callEveryMs = 200;
const callTimeoutMs = 10_000;
const eventWithinMs = 5_000;

interface Call {
  readonly ms: number;
  readonly error: string | undefined;
}

putAhead(process.pid);
const send = (message: object) => void process.send?.(message);
const ports: number[] = [];
for (let i = 0; i < targets; i += 1) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, resolve));
  const address = server.address();
  if (address !== null && typeof address === 'object') ports.push(address.port);
}
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  const order = orders.parse(message);
  switch (order.kind) {
    case 'run':
      void run(order);
      return;
    case 'begin':
      void begin();
      return;
    case 'end':
      void report();
  }
});
send({ kind: 'targets', ports });

let measured: Call[] = [];
/** Events that the bystander's own calls must have caused. */
let expected: { readonly type: string; readonly atMs: number }[] = [];
let events: ReturnType<typeof openEvents>;
let running = 0;
/** A maintenance toggle without its answer: another one could overtake it, and would then change nothing. */
let toggling = false;
let paused = false;

async function run(order: Extract<z.infer<typeof orders>, { kind: 'run' }>): Promise<void> {
  const { baseUrl, ca, key, deviceIds } = order;
  // The bystander's calls change the state of the last device. No event of the other devices is expected.
  const changed = deviceIds.at(-1) ?? '';
  const keptAlive = new Agent({ ca, keepAlive: true, maxSockets: 8 });
  events = openEvents({ url: `${baseUrl}/events?stream`, ca, key, changed });
  await events.opened;
  send({ kind: 'runs' });
  let maintained = false;
  for (let i = 0; ; i += 1) {
    if (paused) {
      await delay(20);
      continue;
    }
    const device = deviceIds[i % (deviceIds.length - 1)] ?? '';
    const [method, path, body] = work(i, { device, changed, maintained, toggling });
    const toggles = path.endsWith('-maintenance');
    if (toggles) {
      maintained = !maintained;
      toggling = true;
    }
    // Every second round uses a new connection, as a new client does.
    const agent = Math.floor(i / 5) % 2 === 0 ? keptAlive : new Agent({ ca, keepAlive: false });
    void call({ url: `${baseUrl}${path}`, method, agent, key, body }).then((done) => {
      measured = [...measured, done];
      if (toggles) toggling = false;
      if (toggles && done.error === undefined)
        expected.push({
          type: path.endsWith('start-maintenance') ? 'MaintStart' : 'MaintEnd',
          atMs: performance.now(),
        });
    });
    await delay(callEveryMs);
  }
}

/** The calls of a user who reads pages and sometimes changes something. */
function work(
  i: number,
  at: { device: string; changed: string; maintained: boolean; toggling: boolean },
): [string, string, object?] {
  switch (at.toggling && i % 5 === 2 ? 0 : i % 5) {
    case 0:
      return ['GET', '/devices?Limit=25'];
    case 1:
      return ['GET', `/devices/${at.device}/checks?Limit=10`];
    case 2:
      return ['PUT', `/devices/${at.changed}/${at.maintained ? 'stop' : 'start'}-maintenance`, {}];
    case 3:
      return ['GET', `/devices/${at.device}/uptime`];
    default:
      return ['PUT', `/devices/${at.changed}`, { ShortName: `b-${i % 100_000}` }];
  }
}

interface Ask {
  readonly url: string;
  readonly method: string;
  readonly agent: Agent;
  readonly key: string;
  readonly body: object | undefined;
}

async function call(ask: Ask): Promise<Call> {
  running += 1;
  try {
    return await attempt(ask, performance.now());
  } finally {
    running -= 1;
  }
}

/** As other clients do, it repeats a call that found its idle connection ended (RFC 9112, section 9.3.1). */
function attempt(ask: Ask, from: number): Promise<Call> {
  return new Promise<Call>((resolve) => {
    const done = (error?: string) => {
      resolve({ ms: performance.now() - from, error });
    };
    const payload = ask.body === undefined ? undefined : JSON.stringify(ask.body);
    const headers = {
      'Service-API-Key': ask.key,
      ...(payload === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
    };
    const options = {
      method: ask.method,
      agent: ask.agent,
      headers,
      signal: AbortSignal.timeout(callTimeoutMs),
    };
    const req = request(ask.url, options, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        text = (text + chunk.toString('utf8')).slice(0, 300);
      });
      res.on('error', (error) => done(`${ask.method} ${ask.url}: ${error.message}`));
      res.on('end', () =>
        done(res.statusCode === 200 ? undefined : `${ask.method} ${ask.url}: ${res.statusCode} ${text}`),
      );
    });
    req.on('error', (error: NodeJS.ErrnoException) => {
      if (req.reusedSocket && error.code === 'ECONNRESET') resolve(attempt(ask, from));
      else done(`${ask.method} ${ask.url}: ${error.message}`);
    });
    req.end(payload);
  });
}

const missing = () => expected.length - events.count(expected.map(({ type }) => type));

/** Waits for the answers of the running calls and for their events. */
async function settle(): Promise<void> {
  const until = performance.now() + callTimeoutMs + 1_000;
  const counted = measured.length + running;
  while (measured.length < counted && performance.now() < until) await delay(20);
  const eventsUntil = performance.now() + eventWithinMs;
  while (missing() > 0 && performance.now() < eventsUntil) await delay(20);
}

/** Begins a measurement. What a call before it causes is not counted: no call is running when it begins. */
async function begin(): Promise<void> {
  paused = true;
  await settle();
  measured = [];
  events.begin();
  expected = [];
  paused = false;
  send({ kind: 'begun' });
}

/** Reports the figures. */
async function report(): Promise<void> {
  await settle();
  send({
    kind: 'measured',
    latenciesMs: measured.map(({ ms }) => ms),
    errors: measured.flatMap(({ error }) => error ?? []),
    missingEvents: Math.max(0, missing()),
    ...events.take(),
  });
}
