import { randomBytes } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort, showPeer } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import {
  ipFamilyOption,
  slowMsOption,
  tlsOptionsWithoutStart,
  tlsSecretOptions,
} from '../../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome, Target, TargetResult } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { type Dialogue, openDialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';
import { malformed } from '../../net/datagrams.ts';
import { firstAnswering, noAnswer } from '../../net/first-answering.ts';
import {
  isResponseTo,
  maxResponse,
  optionsRequest,
  readSipDatagram,
  readSipResponse,
  type SipRequest,
  type SipResponse,
} from './sip-messages.ts';

/** RFC 3261 section 17.1.2.1: T1, doubled up to T2, until 64 × T1. */
const retransmitMs = [500, 1000, 2000, 4000, 4000, 4000, 4000, 4000, 4000, 4000];
/** Responses to other requests, and provisional ones, on a connection. */
const maxOthers = 100;

const uriUser = /^[A-Za-z0-9._~!$&'()*+,;=%/?-]+$/;

const options = z.strictObject({
  Transport: z.enum(['UDP', 'TCP', 'TLS']).optional().describe('Default: TLS for sips://, else UDP.'),
  TLS: tlsOptionsWithoutStart,
  User: boundedText(200, 1)
    .regex(uriUser, 'must be the user of a SIP address, such as 100 or alice')
    .optional()
    .describe('User in the address that is asked, sip:USER@host; default: the server itself.'),
  From: boundedText(300, 1)
    .regex(/^sips?:[!#-;=?-~]+$/i, 'must be a SIP address such as sip:monitor@example.org')
    .optional()
    .describe("Address of the sender; default: sip:vantage at the agent's address."),
  ExpectStatus: z
    .array(
      boundedText(7).regex(
        /^[2-6]\d\d(-[2-6]\d\d)?$/,
        'must be a status such as 200 or a range such as 200-299',
      ),
    )
    .max(50)
    .default([])
    .describe('Statuses that are good; default: 200-299.'),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type SipOptions = z.output<typeof options>;

/** SIP (RFC 3261): an OPTIONS request over UDP, TCP or TLS. */
export const sip: Probe<'SIP', typeof options> = {
  method: 'SIP',
  purpose:
    'Sends OPTIONS to a SIP server or phone. The check is good when the answer has a status of `ExpectStatus`. Over UDP the request is repeated after 0.5, 1, 2, 4, 4 … s.',
  example: {
    URL: 'sip://sip.example.com',
    ShortName: 'sip-1',
    Options: { Transport: 'UDP', ExpectStatus: ['200-299', '404'] },
  },
  optionsCase: 'sip',
  tracePackets: 'udp',
  options,
  secretOptions: tlsSecretOptions,
  scriptFunctions: {
    sip: {
      description: 'Sends OPTIONS to a SIP server.',
      target: 'host and port',
      result: {
        status: { type: 'number' },
        headers: { type: 'Readonly<Record<string, string>>', description: 'Names in lower case.' },
      },
    },
  },
  parseTarget: parseSipTarget,

  async run(context, target, settings) {
    const transport = transportOf(target, settings);
    const { response, received } =
      transport === 'UDP'
        ? await overUdp(context, target, settings)
        : await overStream(context, target, settings, transport);
    noteResponse(context, response);
    const failure = judge(response, settings);
    return {
      code: failure?.code ?? resultCode.ok,
      text: failure?.message ?? statusText(response),
      dataSize: received,
      extended: {},
      answer: () => ({ status: response.status, headers: { ...response.headers } }),
    } satisfies ProbeOutcome;
  },
};

/** A SIP address has no `//`. It is shown as it was written, because it holds no secret. */
function parseSipTarget(url: string): TargetResult {
  const found = parseTarget(/^sips?:(?!\/\/)/i.test(url) ? url.replace(':', '://') : url, {
    schemes: { sip: 5060, sips: 5061 },
    scheme: 'sip',
    accepts: 'host, host:port, [v6]:port, sip:host or sips:host:port, for example sip.example.org',
  });
  return found.ok ? { ok: true, target: { ...found.target, display: url, url } } : found;
}

type Transport = SipRequest['transport'];

function transportOf(target: Target, { Transport, TLS }: SipOptions): Transport {
  if (Transport !== undefined) return Transport;
  return target.scheme === 'sips' || TLS.Mode === 'Implicit' ? 'TLS' : 'UDP';
}

/** The port of sips:// is that of TLS, and a bare host under TLS has it too. */
function portOf(target: Target, transport: Transport): number {
  const hasPort = /^(?:sips?:\/*)?(?:\[[^\]]*\]|[^:/]*):\d+/i.test(target.url);
  if (hasPort) return target.port;
  return transport === 'TLS' ? 5061 : 5060;
}

function requestFrom(
  local: { readonly address: string; readonly port: number },
  target: Target,
  transport: Transport,
  { User, From }: SipOptions,
): SipRequest {
  const port = portOf(target, transport);
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const isUsualPort = port === (transport === 'TLS' ? 5061 : 5060);
  const scheme = target.scheme === 'sips' ? 'sips' : 'sip';
  const own = showPeer(local.address, local.port);
  const ownHost = own.slice(0, own.lastIndexOf(':'));
  return {
    uri: `${scheme}:${User === undefined ? '' : `${User}@`}${host}${isUsualPort ? '' : `:${port}`}`,
    transport,
    local: own,
    from: From ?? `${scheme}:vantage@${ownHost}`,
    branch: randomBytes(12).toString('hex'),
    tag: randomBytes(6).toString('hex'),
    callId: randomBytes(16).toString('hex'),
  };
}

interface SipExchange {
  readonly response: SipResponse;
  readonly received: number;
}

function overUdp(context: ProbeContext, target: Target, settings: SipOptions): Promise<SipExchange> {
  const endpoint = {
    host: target.host,
    port: portOf(target, 'UDP'),
    family: settings.IPFamily,
    waitsMs: retransmitMs,
  };
  return firstAnswering(context, endpoint, async (datagrams, limitMs) => {
    const request = requestFrom(datagrams.local, target, 'UDP', settings);
    const read = (bytes: Buffer) => {
      const response = readSipDatagram(bytes);
      return isResponseTo(response, request) && response.status >= 200 ? response : undefined;
    };
    const response = await datagrams.ask(Buffer.from(optionsRequest(request), 'utf8'), read, limitMs);
    if (response === undefined) throw noAnswer(datagrams);
    return { response, received: datagrams.received };
  });
}

async function overStream(
  context: ProbeContext,
  target: Target,
  settings: SipOptions,
  transport: 'TCP' | 'TLS',
): Promise<SipExchange> {
  const connection = await context.dial.connect(context, {
    host: target.host,
    port: portOf(target, transport),
    family: settings.IPFamily,
    tls: transport === 'TLS' ? { settings: settings.TLS } : undefined,
  });
  const { localAddress = '0.0.0.0', localPort = 0 } = connection.socket;
  const request = requestFrom({ address: localAddress, port: localPort }, target, transport, settings);
  using dialogue = openDialogue(context, connection, { speaksFirst: 'client' });
  const bytes = optionsRequest(request);
  await dialogue.write(Buffer.from(bytes, 'utf8'), bytes);
  for (let others = 0; others <= maxOthers; others += 1) {
    const response = await readStreamed(dialogue);
    if (isResponseTo(response, request) && response.status >= 200)
      return { response, received: dialogue.received };
  }
  throw wrongProtocol(connection.peer, `more than ${maxOthers} answers to other requests`);
}

/** The next response of a connection. Empty lines before it keep the connection open (RFC 5626). */
async function readStreamed(dialogue: Dialogue): Promise<SipResponse> {
  const { peer } = dialogue.connection;
  const lines: string[] = [];
  let size = 0;
  for (let empty = 0; ; ) {
    const line = await dialogue.readLine();
    size += line.length;
    if (size > maxResponse) throw wrongProtocol(peer, 'a response over 64 KiB');
    if (lines.length === 0 && line !== '' && !line.toUpperCase().startsWith('SIP/2.0 '))
      throw wrongProtocol(peer, quoteShort(line));
    if (line !== '') lines.push(line);
    else if (lines.length > 0) break;
    else empty += 1;
    if (empty > maxOthers) throw wrongProtocol(peer, 'nothing but empty lines');
  }
  try {
    const response = readSipResponse(lines);
    const length = Number(response.headers['content-length'] ?? '0');
    if (!Number.isInteger(length) || length < 0 || length > maxResponse)
      throw new Error('its Content-Length is unusable');
    if (length > 0) await dialogue.readExactly(length);
    return response;
  } catch (error) {
    throw malformed(peer, error);
  }
}

function statusText({ status, reason }: SipResponse): string {
  return `${status} ${reason}`.trim();
}

function judge(response: SipResponse, { ExpectStatus }: SipOptions): Failure | undefined {
  const { status } = response;
  const expected = ExpectStatus.length === 0 ? ['200-299'] : ExpectStatus;
  const fits = (range: string) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return status >= from && status <= to;
  };
  if (expected.some(fits)) return undefined;
  const text = `expected ${expected.join(', ')}, got ${quoteShort(statusText(response))}`;
  // As with HTTP: an error of the server stays one, whatever is expected.
  if (status < 400) return notMet(text);
  const isLogin = status === 401 || status === 407;
  const advice = isLogin
    ? `: it demands a login for OPTIONS; if this is right, add ${status} to ExpectStatus`
    : '';
  return new Failure(resultCode.protocol, `${text}${advice}`);
}

function noteResponse(context: ProbeContext, { headers }: SipResponse): void {
  const shown = { Server: headers['server'] ?? headers['user-agent'], Allow: headers['allow'] };
  for (const [name, value] of Object.entries(shown))
    if (value !== undefined) context.addDetail(name, value.slice(0, 500));
  context.diagnostics('Headers', { ...headers });
}
