import { type MeasuredValue, maskQuerySecrets, resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import { headersOption } from '../../contract/headers.ts';
import {
  ipFamilyOption,
  slowMsOption,
  tlsOptionsWithoutStart,
  tlsSecretOptions,
} from '../../contract/options.ts';
import type { Probe, ProbeContext, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { openDialogue } from '../../dialogue/dialogue.ts';
import { regexProblem } from '../../search/compile-regex.ts';
import { notSearched, searchText, textSearch } from '../../search/text-search.ts';
import { createWebSocketChannel, type WebSocketChannel } from './websocket-frames.ts';
import { upgrade } from './websocket-upgrade.ts';

/** Headers that the upgrade sets. */
const upgradeHeaders = [
  'connection',
  'content-length',
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'transfer-encoding',
  'upgrade',
];
const maxSearchedChars = 64 * 1024;
/** The time of all searches for the pattern, milliseconds. */
const maxSearchMs = 1000;
const pingText = 'vantage';

const options = z
  .strictObject({
    TLS: tlsOptionsWithoutStart,
    Headers: headersOption
      .refine(
        (headers) => Object.keys(headers).every((name) => !upgradeHeaders.includes(name.toLowerCase())),
        `must not name ${upgradeHeaders.join(', ')}: the upgrade sets them`,
      )
      .default({})
      .describe('Request headers of the upgrade; Host names a virtual host.'),
    User: boundedText(256, 1).optional().describe("User for Basic authentication; default: the URL's."),
    Password: boundedText(1024).optional().describe('Password for Basic authentication.'),
    Subprotocol: boundedText(200, 1)
      .regex(
        /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(, ?[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/,
        'must be a name such as graphql-ws',
      )
      .optional()
      .describe('Subprotocol that the server must speak; several, with commas between them: one of them.'),
    Send: boundedText(16_384, 1).optional().describe('Text to send as a message.'),
    ExpectText: boundedText(4096, 1)
      .optional()
      .describe('Text that a message of the server must contain before the Timeout.'),
    ExpectRegex: boundedText(1000, 1)
      .refine((pattern) => regexProblem(pattern) === undefined, 'must be a regular expression such as ^OK')
      .optional()
      .describe('Regular expression that a message of the server must match before the Timeout.'),
    Ping: z
      .boolean()
      .default(true)
      .describe('Send a ping, which the server must answer; not where a message is expected.'),
    SlowMs: slowMsOption,
    IPFamily: ipFamilyOption,
  })
  .refine(({ ExpectText, ExpectRegex }) => ExpectText === undefined || ExpectRegex === undefined, {
    path: ['ExpectRegex'],
    message: 'must not come with ExpectText',
  });

type WebsocketOptions = z.output<typeof options>;

/** WebSocket (RFC 6455): the upgrade, then a ping or messages. Redirects are not followed. */
export const websocket: Probe<'WebSocket', typeof options> = {
  method: 'WebSocket',
  purpose:
    'Opens a WebSocket, and sends a text or waits for a message where `Options` say so; else a ping must be answered.',
  example: {
    URL: 'wss://www.example.com/socket',
    ShortName: 'ws-1',
    Options: { Subprotocol: 'graphql-ws', Send: '{"type":"connection_init"}', ExpectText: 'connection_ack' },
  },
  optionsCase: 'websocket',
  tracePackets: 'tcp',
  options,
  secretOptions: [
    'Password',
    'Headers.Authorization',
    'Headers.Cookie',
    'Headers.Proxy-Authorization',
    'Headers.X-*Key',
    'Headers.X-*Token',
    ...tlsSecretOptions,
  ],
  scriptFunctions: {
    websocket: {
      description: 'Opens a WebSocket, sends a text and waits for a message.',
      target: 'url',
      result: { message: { type: 'string | null', description: 'The message that was waited for.' } },
    },
  },
  parseTarget: (url) => {
    const found = parseTarget(url, {
      schemes: { ws: 80, wss: 443 },
      scheme: 'ws',
      credentials: true,
      path: true,
      accepts:
        'ws://host/path or wss://user:password@host:port/path, for example wss://www.example.org/socket',
    });
    if (!found.ok) return found;
    return { ok: true, target: { ...found.target, display: maskQuerySecrets(found.target.display) } };
  },

  async run(context, target, settings) {
    if (settings.ExpectRegex !== undefined) textSearch.prepare();
    const login = basicOf(context, target, settings);
    const names = Object.keys(settings.Headers).map((name) => name.toLowerCase());
    const isSecure = (settings.TLS.Mode ?? (target.scheme === 'wss' ? 'Implicit' : 'None')) === 'Implicit';
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: isSecure ? { settings: settings.TLS, alpn: ['http/1.1'] } : undefined,
    });
    using dialogue = openDialogue(context, connection, { speaksFirst: 'client' });
    const line = await upgrade(context, dialogue, target, {
      headers: { ...(login !== undefined && { Authorization: login }), ...settings.Headers },
      subprotocol: settings.Subprotocol,
      loggedIn: login !== undefined || names.includes('authorization'),
    });
    const channel = createWebSocketChannel(dialogue);
    const { text, values, message } = await talk(context, channel, settings);
    context.stopwatch.pause();
    await channel.close();
    return {
      code: resultCode.ok,
      text: text === undefined ? line : `${line}, ${text}`,
      dataSize: dialogue.received,
      extended: {},
      values,
      answer: () => ({ message: message ?? null }),
    };
  },
};

/** The value of an Authorization header (RFC 7617), unless `Headers` have one. It is masked in every text. */
function basicOf(context: ProbeContext, target: Target, settings: WebsocketOptions): string | undefined {
  const user = settings.User ?? target.user;
  const password = settings.Password ?? target.password?.reveal();
  const isSet = Object.keys(settings.Headers).some((name) => name.toLowerCase() === 'authorization');
  if (isSet || user === undefined || user === '') {
    if (isSet || password === undefined) return undefined;
    throw new Failure(resultCode.login, 'a password is set but no user name');
  }
  const token = Buffer.from(`${user}:${password ?? ''}`, 'utf8').toString('base64');
  context.redact(token);
  return `Basic ${token}`;
}

interface Talk {
  readonly text?: string;
  readonly values: readonly MeasuredValue[];
  readonly message?: string;
}

/** Sends and waits, as far as the Options say. */
async function talk(
  context: ProbeContext,
  channel: WebSocketChannel,
  { Send, ExpectText, ExpectRegex, Ping }: WebsocketOptions,
): Promise<Talk> {
  const startedMs = context.clock.monoMs();
  const roundTrip = () => [{ Label: 'Round trip', Value: context.clock.monoMs() - startedMs, Unit: 'ms' }];
  if (Send !== undefined) await channel.send('text', Send);
  if (ExpectText !== undefined || ExpectRegex !== undefined) {
    const message = await awaitMessage(context, channel, ExpectText, ExpectRegex ?? '');
    return { text: 'a message as expected', values: Send === undefined ? [] : roundTrip(), message };
  }
  if (!Ping) return { values: [] };
  await channel.send('ping', pingText);
  while (true) {
    const { kind, payload } = await channel.next();
    if (kind === 'pong' && payload.toString('utf8') === pingText)
      return { text: 'ping answered', values: roundTrip() };
  }
}

/** Waits for a message. If the time of the check ends before, that is an expectation that is not met. */
async function awaitMessage(
  context: ProbeContext,
  channel: WebSocketChannel,
  expectText: string | undefined,
  pattern: string,
): Promise<string> {
  const shown = expectText === undefined ? `/${pattern}/` : quoteShort(expectText);
  let last: string | undefined;
  let searchedMs = 0;
  try {
    while (true) {
      const { kind, payload } = await channel.next();
      if (kind === 'pong') continue;
      const message = payload.toString('utf8').slice(0, maxSearchedChars);
      const startedMs = context.clock.monoMs();
      const found =
        expectText === undefined
          ? await textSearch.run({ kind: 'regex', pattern, text: message }, context.signal)
          : await searchText(message, expectText, context.signal);
      if (found.kind === 'match') return message;
      // The first search may wait for its thread to start.
      if (last !== undefined) searchedMs += context.clock.monoMs() - startedMs;
      if (found.kind !== 'none') throw notSearched(found, shown, 'answer');
      // Many messages are searched one by one.
      if (searchedMs > maxSearchMs) throw notSearched({ kind: 'runaway' }, shown, 'answer');
      last = message;
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    const got = last === undefined ? 'no message came' : `the last one was ${quoteShort(last)}`;
    throw notMet(`expected a message with ${shown}, ${got}`);
  }
}
