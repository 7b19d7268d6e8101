import { connect } from 'node:http2';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { createLog, newId, systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Database } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { z } from 'zod';
import { agentEnrolment } from '../../../catalog/agents/enrolment-store.ts';
import { agentPresence } from '../../../catalog/agents/presence-store.ts';
import { recordEvents } from '../../../results/events/record-events.ts';
import { withSafeAuthority } from '../../../server/agent-port.ts';
import type { Authorities } from '../../../server/server-certificate.ts';
import { testAuthorities } from '../../../server/testing/test-authorities.ts';
import { createGateway } from '../../gateway/index.ts';
import { serveAgents } from '../../gateway/testing/serve-agents.ts';
import { runRequests } from '../../run-requests/index.ts';
import { createAgentPortHandlers } from '../agent-port-handlers.ts';
import { createEnrolment } from '../enrol-agent.ts';
import { createDownloads } from '../parcels.ts';

const log = createLog('test', 'silent');
const answerShape = z.object({
  agent_id: z.string().optional(),
  Certificate: z.string().optional(),
  CA: z.string().optional(),
  code: z.int().optional(),
  message: z.string().optional(),
});

/** An answer of the agents' port. */
export interface Answer extends z.output<typeof answerShape> {
  readonly status: number;
}

/** A database, and agents' ports on it. */
export function useAgentsPorts() {
  let db: Database;
  let rows: Fixtures;
  let authorities: Authorities;

  useDatabase(async (opened) => {
    db = opened;
    rows = createFixtures(db.kysely);
    authorities = await testAuthorities();
  });

  /** Opens a port. Enrolment and the limits of requests have a clock of their own, which stands still. */
  async function openPort({
    scriptFile = '',
    parcels = '',
  }: {
    readonly scriptFile?: string;
    readonly parcels?: string;
  } = {}) {
    const clock = systemClock;
    const wall = createFakeClock(Date.now() * 1000);
    const gateway = createGateway({
      db,
      clock,
      log,
      recordEvents,
      runRequests,
      agents: agentPresence,
      trusted: () => authorities.trusted,
      sealer: createSealer(new Uint8Array(32)),
      controllerId: 'controller',
      ingest: { accept: async () => ({ inserted: 0, repeated: 0, quarantined: 0 }) },
    });
    const enrolment = createEnrolment({
      kysely: db.kysely,
      agents: agentEnrolment,
      clock: wall,
      log,
      authorities: () => authorities,
    });
    const downloads = createDownloads({
      clock,
      scriptFile,
      parcels,
      ca: () => authorities.trusted.join(''),
      mayDownload: (token) => enrolment.mayDownload(token),
      mayUpgrade: (keyHash) => enrolment.mayUpgrade(keyHash),
      serves: (socket) => gateway.serves(socket),
      peerOf: (connection) => gateway.peerOf(connection),
    });
    const handlers = createAgentPortHandlers({
      clock: wall,
      log,
      enrolment,
      downloads,
      gateway: withSafeAuthority(gateway.handler),
    });
    const served = await serveAgents({ gateway, authorities, handler: handlers.handler });
    const { port, url } = served;
    return {
      url,
      wall,
      gateway,
      /** Sends by HTTP/1.1. */
      send: (method: string, path: string, body?: unknown, headers = {}) =>
        sendHttp1({ port, ca: authorities.trusted.join(''), method, path, body, headers }),
      enrol: (body: { readonly Token?: string; readonly CSR: string }) =>
        withPatience(() =>
          sendHttp1({ port, ca: authorities.trusted.join(''), method: 'POST', path: '/enrol', body }),
        ),
      async [Symbol.asyncDispose]() {
        await served[Symbol.asyncDispose]();
        handlers[Symbol.dispose]();
      },
    };
  }

  /** An agent whose token expires in 15 minutes. */
  async function invited() {
    const accountNo = await rows.account();
    const locationNo = await rows.location(accountNo);
    const agentId = newId();
    return { ...(await rows.agent({ accountNo, locationNo }, { agent_id: agentId })), agentId };
  }

  return {
    get db() {
      return db;
    },
    get rows() {
      return rows;
    },
    get authorities() {
      return authorities;
    },
    openPort,
    invited,
  };
}

/**
 * Sends again what a connection that was cut did not bring, as agents do: on a busy machine a handshake may take longer
 * than the port allows.
 */
async function withPatience<T>(send: () => Promise<T>): Promise<T> {
  for (let left = 5; ; left -= 1)
    try {
      return await send();
    } catch (error) {
      const isCut = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
      if (!isCut || left === 0) throw error;
    }
}

async function sendHttp1(sent: {
  readonly port: number;
  readonly ca: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}): Promise<Answer & { readonly text: string; readonly type: string }> {
  const { port, ca, method, path, body, headers } = sent;
  return new Promise((resolve, reject) => {
    const out = request(
      { host: '127.0.0.1', servername: 'localhost', port, ca, method, path, headers, agent: false },
      (answer) => {
        text(answer).then((found) => {
          const { 'content-type': type = '' } = answer.headers;
          resolve({ status: answer.statusCode ?? 0, type, text: found, ...parse(found) });
        }, reject);
      },
    );
    out.once('error', reject);
    out.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** Sends one request by HTTP/2. */
export async function sendHttp2(
  url: string,
  tls: { readonly ca: string; readonly cert?: string; readonly key?: string },
  { method, path, body = '' }: { readonly method: string; readonly path: string; readonly body?: string },
): Promise<Answer & { readonly text: string; readonly type: string; readonly closed: Promise<void> }> {
  const session = connect(url, tls);
  const closed = new Promise<void>((resolve) => session.once('close', () => resolve()));
  const stream = session.request({ ':method': method, ':path': path }, { endStream: false });
  const head = new Promise<{ readonly status: number; readonly type: string }>((resolve, reject) => {
    stream.once('response', ({ ':status': status = 0, 'content-type': type = '' }) =>
      resolve({ status, type }),
    );
    stream.once('error', reject);
  });
  stream.end(body);
  const [found, { status, type }] = await Promise.all([text(stream), head]);
  if (status === 200) session.close();
  return { status, type, text: found, ...parse(found), closed };
}

function parse(found: string): z.output<typeof answerShape> {
  try {
    return answerShape.parse(JSON.parse(found));
  } catch {
    return {};
  }
}
