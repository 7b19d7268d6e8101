import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { invitationMinutes } from '@vantage/domain';
import { problemCode } from '@vantage/rest-kit/problem';
import type { EnrolmentRefusal } from './decide-enrolment.ts';

/** A request to the agents' port, by HTTP/1.1 or HTTP/2. */
export type AgentRequest = IncomingMessage | Http2ServerRequest;
export type AgentResponse = ServerResponse | Http2ServerResponse;

/** A refusal as it is sent. */
export interface RefusedRequest {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** Seconds; the sender may try again then. */
  readonly retryAfter?: number;
}

const again = 'Invite the agent again: ./vantage agents invite --location NAME';

const reasons: Readonly<Record<EnrolmentRefusal, RefusedRequest>> = {
  unknown: refusal(401, 'This token is not known here.'),
  used: refusal(401, 'This token was used already. A token enrols one agent, once.'),
  expired: refusal(401, `This token has expired. A token is good for ${invitationMinutes} minutes.`),
  'unknown-key': refusal(401, 'No agent with this key is known here.'),
  revoked: {
    status: 403,
    code: problemCode.denied,
    message: 'This agent is revoked. It gets no further certificate.',
  },
};

function refusal(status: number, message: string): RefusedRequest {
  return { status, code: problemCode.key, message: `${message} ${again}` };
}

/** The answer to a refused token or key. */
export function refusedFor(reason: EnrolmentRefusal): RefusedRequest {
  return reasons[reason];
}

/** Too much is in work, or the database does not answer. */
export const busy: RefusedRequest = {
  status: 503,
  code: problemCode.unavailable,
  retryAfter: 5,
  message: 'The controller cannot answer now. Try again.',
};

/** A request that the controller cannot read. */
export function malformed(message: string, status = 400): RefusedRequest {
  return { status, code: problemCode.malformed, message };
}

/** Sets the status and the headers of an answer. */
export function setHead(
  response: AgentResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Sends a JSON answer and ends the connection after it: an agent opens another one with its certificate. */
export function sendJson(
  request: AgentRequest,
  response: AgentResponse,
  {
    status,
    body,
    retryAfter,
  }: { readonly status: number; readonly body: object; readonly retryAfter?: number },
): void {
  const text = `${JSON.stringify(body)}\n`;
  setHead(response, status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  });
  const session = 'stream' in request ? request.stream.session : undefined;
  response.end(text, () => session?.close());
}

/** Sends a refusal. */
export function sendRefusal(request: AgentRequest, response: AgentResponse, refused: RefusedRequest): void {
  const { status, code, message, retryAfter } = refused;
  sendJson(request, response, {
    status,
    body: { code, message },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
