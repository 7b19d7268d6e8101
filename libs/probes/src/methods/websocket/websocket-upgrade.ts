import { createHash, randomBytes } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import type { Connection } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import type { ProbeContext, Target } from '../../contract/probe.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';

const maxHeaders = 100;
/** RFC 6455 section 1.3. */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const standardPorts: Readonly<Record<string, number>> = { ws: 80, wss: 443 };

export interface UpgradeRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly subprotocol: string | undefined;
  /** Whether the headers have a login. */
  readonly loggedIn: boolean;
}

/**
 * Asks for the upgrade to a WebSocket (RFC 6455 section 4). Returns the line of the answer. Throws Failure 8 for a
 * refused login, 7 for another subprotocol, 3 for any other answer.
 */
export async function upgrade(
  context: Pick<ProbeContext, 'addDetail' | 'diagnostics'>,
  dialogue: Dialogue,
  target: Target,
  request: UpgradeRequest,
): Promise<string> {
  const key = randomBytes(16).toString('base64');
  const { peer } = dialogue.connection;
  await sendRequest(dialogue, target, request, key);
  const line = await dialogue.readLine();
  const [, status = '', reason = ''] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(line) ?? [];
  if (status === '') throw wrongProtocol(peer, `no answer of HTTP: ${quoteShort(line, 60)}`);
  const headers = await readHeaders(dialogue);
  context.diagnostics('ResponseHeaders', () => Object.fromEntries(headers));
  if (status !== '101') throw refusal(Number(status), reason, request.loggedIn);
  const has = (name: string, value: string) =>
    (headers.get(name) ?? '').split(',').some((part) => part.trim().toLowerCase() === value);
  if (!has('upgrade', 'websocket') || !has('connection', 'upgrade'))
    throw wrongProtocol(peer, 'an upgrade to something else');
  const accepted = createHash('sha1').update(`${key}${acceptSuffix}`).digest('base64');
  if (headers.get('sec-websocket-accept') !== accepted)
    throw wrongProtocol(peer, 'a wrong Sec-WebSocket-Accept');
  if (headers.has('sec-websocket-extensions')) throw wrongProtocol(peer, 'an extension that was not offered');
  judgeSubprotocol(headers.get('sec-websocket-protocol'), request.subprotocol, peer);
  const chosen = headers.get('sec-websocket-protocol');
  if (chosen !== undefined) context.addDetail('Subprotocol', chosen);
  return `${status} ${reason}`.trim();
}

async function sendRequest(
  dialogue: Dialogue,
  target: Target,
  { headers, subprotocol }: UpgradeRequest,
  key: string,
): Promise<void> {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const lines = [
    `GET ${requestPath(target)} HTTP/1.1`,
    ...(names.includes('host') ? [] : [`Host: ${authorityOf(target, dialogue.connection)}`]),
    ...(names.includes('user-agent') ? [] : ['User-Agent: Vantage']),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    ...(subprotocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${subprotocol}`]),
    '',
    '',
  ];
  // The values of headers are Latin-1 (RFC 9110 section 5.5).
  const text = lines.join('\r\n');
  await dialogue.write(Buffer.from(text, 'latin1'), text.trimEnd());
}

/** The path and query, percent-encoded; `/` if the URL has none. */
function requestPath({ path }: Target): string {
  const { pathname, search } = new URL(path.startsWith('/') ? path : `/${path}`, 'http://host');
  return `${pathname}${search}`;
}

function authorityOf({ host, port, scheme }: Target, connection: Connection): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const isStandard = port === standardPorts[scheme] && connection.secure === (scheme === 'wss');
  return isStandard ? name : `${name}:${port}`;
}

/** Names in lower case; several values joined by `, `. */
async function readHeaders(dialogue: Dialogue): Promise<ReadonlyMap<string, string>> {
  const headers = new Map<string, string>();
  for (let count = 0; count <= maxHeaders; count += 1) {
    const line = await dialogue.readLine();
    if (line === '') return headers;
    const [, name = '', value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === '') throw wrongProtocol(dialogue.connection.peer, `no header: ${quoteShort(line, 60)}`);
    const known = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  throw wrongProtocol(dialogue.connection.peer, `more than ${maxHeaders} headers`);
}

function refusal(status: number, reason: string, loggedIn: boolean): Failure {
  const text = `expected 101 Switching Protocols, got ${status} ${reason}`.trimEnd();
  if (status !== 401) return new Failure(resultCode.protocol, text);
  const why = loggedIn ? 'user or password are refused' : 'set User and Password';
  return new Failure(resultCode.login, `${text}: ${why}`);
}

function judgeSubprotocol(selected: string | undefined, requested: string | undefined, peer: string): void {
  const offered = (requested ?? '').split(',').map((name) => name.trim());
  if (selected === undefined && requested === undefined) return;
  if (selected === undefined)
    throw notMet(`the server does not speak the subprotocol ${quoteShort(requested ?? '')}`);
  if (requested === undefined || !offered.includes(selected))
    throw wrongProtocol(peer, `the subprotocol ${quoteShort(selected)}, which was not offered`);
}
