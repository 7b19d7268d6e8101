import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import {
  type Clock,
  clientNetwork,
  createLogSummary,
  declareShare,
  type Logger,
  messageOf,
  parseJson,
} from '@vantage/kernel';
import { problemCode } from '@vantage/rest-kit/problem';
import { z } from 'zod';
import { createRateLimiter } from '../../server/rate-limiter.ts';
import { stopParser } from '../../server/stop-parser.ts';
import type { AgentEnrolments } from './enrol-agent.ts';
import type { Downloads } from './parcels.ts';
import {
  type AgentRequest,
  type AgentResponse,
  busy,
  malformed,
  refusedFor,
  sendJson,
  sendRefusal,
} from './reply.ts';

declareShare({
  name: 'requests_for_certificates',
  limit: '200 in a row and then 20 a second for each address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});

/** Everything that the agents' port answers. */
export interface AgentPortHandlers extends Disposable {
  /** For a server that speaks HTTP/1.1 and HTTP/2. */
  readonly handler: (request: AgentRequest, response: AgentResponse) => void;
}

/** Bytes of a request for a certificate. */
const maxBody = 16 * 1024;

/** A request must have come in whole within this time, milliseconds. */
const bodyWithinMs = 10_000;

/** Requests of one network. All agents of a site may enrol at the same time. */
const perNetwork = { burst: 200, perSecond: 20, maxKeys: 100_000 };

const ask = z.strictObject({ Token: z.string().min(1).max(200).optional(), CSR: z.string().min(1) });

const shape =
  'The body must be JSON: {"Token": "…", "CSR": "-----BEGIN CERTIFICATE REQUEST-----…"}; a renewal has no Token';

/** Creates the handlers: enrolment and downloads, and the gateway for all else. */
export function createAgentPortHandlers(deps: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly enrolment: AgentEnrolments;
  readonly downloads: Downloads;
  /** Streams of agents. */
  readonly gateway: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
}): AgentPortHandlers {
  const { clock, log, enrolment, downloads } = deps;
  const limiter = createRateLimiter<string>(perNetwork);
  const refusals = createLogSummary({ clock, log });

  const enrol = async (request: AgentRequest, response: AgentResponse) => {
    const body = await readBody(request, clock);
    if (body === 'too-long')
      return sendRefusal(request, response, malformed(`The body is longer than ${maxBody} bytes.`, 413));
    if (body === undefined) return void request.destroy();
    const sent = ask.safeParse(parseJson(body.toString('utf8')));
    if (!sent.success) return sendRefusal(request, response, malformed(`${shape}.`));
    const done = await enrolment.enrol(sent.data.Token, sent.data.CSR);
    switch (done.kind) {
      case 'enrolled': {
        const { agentId, certificate, ca } = done;
        const answer = { agent_id: agentId, Certificate: certificate, CA: ca };
        return sendJson(request, response, { status: 200, body: answer });
      }
      case 'refused':
        refusals.count('agents are refused a certificate', {
          address: request.socket.remoteAddress,
          reason: done.reason,
        });
        return sendRefusal(request, response, refusedFor(done.reason));
      case 'malformed':
        return sendRefusal(request, response, {
          ...malformed(`${done.message}.`),
          code: problemCode.invalid,
        });
      case 'busy':
        return sendRefusal(request, response, busy);
    }
  };

  const serve = async (request: AgentRequest, response: AgentResponse, path: string) => {
    if (!limiter.allow(clientNetwork(request.socket.remoteAddress ?? ''), clock.monoMs())) {
      const message = 'Too many requests of this address. Try again.';
      return sendRefusal(request, response, {
        status: 429,
        code: problemCode.tooMany,
        message,
        retryAfter: 5,
      });
    }
    if (path === '/enrol') return enrol(request, response);
    return downloads.serve(request, response, path);
  };

  /**
   * HTTP/1.1 connections serve one request. A client that pipelines requests would otherwise queue thousands of answers
   * here.
   */
  const answered = new WeakSet<AgentRequest['socket']>();
  const isFirst = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { socket } = request;
    if (answered.has(socket)) {
      stopParser(socket);
      socket.destroy();
      return false;
    }
    answered.add(socket);
    response.setHeader('connection', 'close');
    return true;
  };

  const handler: AgentPortHandlers['handler'] = (request, response) => {
    if (!('stream' in request) && !('stream' in response) && !isFirst(request, response)) return;
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const method = path === '/enrol' ? 'POST' : downloads.has(path) ? 'GET' : undefined;
    if (method !== undefined) {
      if (request.method !== method)
        return sendRefusal(request, response, malformed(`${path} takes ${method} only.`, 405));
      response.on('error', () => {}); // the client went away
      serve(request, response, path).catch((error: unknown) => {
        log.warn({ error: messageOf(error), path }, 'a request to the agents port cannot be answered');
        if (!response.headersSent) sendRefusal(request, response, busy);
      });
      return;
    }
    if ('stream' in request && 'stream' in response) return deps.gateway(request, response);
    sendRefusal(request, response, malformed('There is nothing here.', 404));
  };
  return { handler, [Symbol.dispose]: () => refusals[Symbol.dispose]() };
}

/** The body; undefined when it does not come in time or breaks. */
async function readBody(request: AgentRequest, clock: Clock): Promise<Buffer | 'too-long' | undefined> {
  const deadline = clock.timer(bodyWithinMs, () => request.destroy());
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.length;
      if (size > maxBody) return 'too-long';
      chunks.push(Buffer.from(chunk));
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  } finally {
    deadline[Symbol.dispose]();
  }
}
