// Every byte between an agent and its controller, from enrolment on, by way of a relay that records. The agent's key
// log opens the recorded connections, so that the test reads what was sent inside TLS too.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { useOperator } from '../harness/operator.ts';
import { repositoryRoot, type System } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';
import { startTarget } from '../harness/target.ts';
import { type Greeting, isEncrypted, openTraffic, readGreeting } from '../harness/tls-traffic.ts';
import { type Conversation, recordTraffic } from '../harness/traffic-recorder.ts';

const soon = { timeout: 60_000, interval: 300 };
const tls13 = 0x03_04;
const password = 'a-password-of-a-target';
const invitation = z.object({ token: z.string(), agent_id: z.string() });
const listed = z.array(z.object({ agent_id: z.string(), State: z.string() }));

/** The headers of the first request of a client's HTTP/2 bytes, as a server reads them. */
async function firstRequest(bytes: Buffer): Promise<http2.IncomingHttpHeaders> {
  const server = http2.createServer();
  const headers = new Promise<http2.IncomingHttpHeaders>((resolve) =>
    server.once('stream', (stream, found) => {
      stream.on('error', () => {});
      resolve(found);
    }),
  );
  server.on('session', (session) => session.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  try {
    return await headers;
  } finally {
    socket.destroy();
    server.close();
  }
}

/** All ways in which a text may stand in bytes. */
const formsOf = (text: string) => [
  text,
  Buffer.from(text).toString('base64'),
  Buffer.from(text).toString('hex'),
];

const holds = (bytes: Buffer, secret: string) => formsOf(secret).some((form) => bytes.includes(form));

/** A recorded connection, as it went over the wire and as it was inside TLS. */
interface Opened {
  readonly greeting: Greeting;
  readonly raw: Buffer;
  readonly sent: Buffer;
  readonly received: Buffer;
}

function open(conversation: Conversation, keyLog: string): Opened {
  const [client, server] = [Buffer.concat(conversation.fromClient), Buffer.concat(conversation.fromServer)];
  const greeting = readGreeting(client, server);
  return {
    greeting,
    raw: Buffer.concat([client, server]),
    sent: openTraffic(client, { greeting, keyLog, side: 'CLIENT' }),
    received: openTraffic(server, { greeting, keyLog, side: 'SERVER' }),
  };
}

/**
 * Runs the agent of an invitation by way of the relay until its first check, and a second time until it is connected.
 */
async function runTwice(
  system: System,
  agent: {
    readonly token: string;
    readonly agentId: string;
    readonly port: number;
    readonly hits: readonly number[];
  },
): Promise<{ readonly keyLog: string; readonly folder: string }> {
  const keyLogFile = path.join(system.dataDir, 'keys.log');
  const folder = path.join(system.dataDir, 'recorded');
  const program = path.join(repositoryRoot, 'apps/agent/src/main.ts');
  const start = () =>
    spawn(process.execPath, [`--tls-keylog=${keyLogFile}`, program], {
      cwd: repositoryRoot,
      env: {
        ...programEnv(),
        VANTAGE_AGENT_ENDPOINTS: `https://localhost:${agent.port}`,
        VANTAGE_AGENT_TOKEN: agent.token,
        VANTAGE_CA_FILE: system.quickstart().ca_file,
        VANTAGE_AGENT_DATA: folder,
      },
      stdio: 'ignore',
    });
  const end = async (child: ChildProcess) => {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    await ended;
  };
  const hasState = async (state: string) => {
    const all = listed.parse(await system.api.ok('GET', '/agents'));
    expect(all.find((one) => one.agent_id === agent.agentId)?.State).toBe(state);
  };
  const first = start();
  await vi.waitFor(() => expect(agent.hits.length).toBeGreaterThan(0), soon);
  await end(first);
  await vi.waitFor(() => hasState('Away'), soon);
  const again = start();
  await vi.waitFor(() => hasState('Connected'), soon);
  await end(again);
  return { keyLog: readFileSync(keyLogFile, 'latin1'), folder };
}

const operate = useOperator();

test('all traffic of an agent is TLS 1.3; its token goes out once, with its enrolment, and no secret is ever in clear', {
  timeout: 300_000,
}, async () => {
  await using system = await startSystemOnDatabase({ timeoutMs: 180_000 });
  const settings = { VANTAGE_DATA: system.dataDir };
  await operate(settings, 'locations', 'create', 'recorded');
  const { token, agent_id: agentId } = invitation.parse(
    await operate(settings, 'agents', 'invite', '--location', 'recorded'),
  );
  await using recorder = await recordTraffic(Number(new URL(system.quickstart().agent_endpoint).port));
  await using target = await startTarget();
  // The target speaks no HTTP, so the agent also reports a failure with its diagnostics.
  await system.api.ok('POST', '/devices', {
    Method: 'HTTP',
    URL: `http://probe:${password}@127.0.0.1:${target.port}/`,
    ShortName: 'private',
    Frequency: 1,
    Locations: ['recorded'],
  });
  const { port } = recorder;
  const { keyLog, folder } = await runTwice(system, { token, agentId, port, hits: target.hits });

  // On a busy machine an agent may give up a connection whose handshake takes too long.
  const [opened, givenUp] = [true, false].map((expected) =>
    recorder.conversations.filter(({ fromClient }) => isEncrypted(Buffer.concat(fromClient)) === expected),
  );
  for (const { fromClient } of givenUp ?? [])
    for (const secret of [token, password, agentId])
      expect(holds(Buffer.concat(fromClient), secret)).toBe(false);
  const all = (opened ?? []).map((conversation) => open(conversation, keyLog));
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(all.map(({ greeting }) => greeting.version)).toEqual(all.map(() => tls13));
  // Change cipher spec (which TLS 1.3 sends for old middleboxes), alert, handshake and application data; nothing else.
  for (const { greeting } of all) for (const type of greeting.types) expect([20, 21, 22, 23]).toContain(type);
  const requests = await Promise.all(all.map(({ sent }) => firstRequest(sent)));
  const stream = '/vantage.v1.AgentService/Connect';
  expect(requests.map((one) => one[':path'])).toEqual(['/enrol', ...all.slice(1).map(() => stream)]);
  expect(requests.map(({ authorization }) => authorization)).toEqual(all.map(() => undefined));

  expect(all.filter(({ sent, received }) => holds(sent, token) || holds(received, token))).toEqual([all[0]]);
  const key = readFileSync(path.join(folder, 'identity/agent.key'), 'latin1');
  const keyLines = key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  for (const { raw, sent, received } of all) {
    for (const line of keyLines)
      for (const bytes of [sent, received]) {
        expect(bytes.includes(line)).toBe(false);
        expect(bytes.includes(Buffer.from(line, 'base64'))).toBe(false);
      }
    for (const secret of [token, password, agentId, ...keyLines]) expect(holds(raw, secret)).toBe(false);
  }
  // The agent needs the target's password: it comes inside TLS, and is never sent back.
  expect(all.some(({ received }) => received.includes(password))).toBe(true);
  expect(all.some(({ sent }) => sent.includes(password))).toBe(false);
});
