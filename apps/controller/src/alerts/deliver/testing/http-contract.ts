import { closedPort } from '@vantage/probes/testing';
import { type ReceivedRequest, startFakeReceiver } from '@vantage/testing/fake-receiver';
import type { Channel, Notice } from '../../channels/channel.ts';
import type { AttemptOutcome } from '../notification-state.ts';
import { type Behaviour, type ContractEndpoint, channelContract, fullNotice } from './channel-contract.ts';

/** How the receivers of one channel answer, as their vendor documents it. */
export interface HttpReceiver {
  /** `base` is the receiver's `http://host:port`. */
  readonly channel: (base: string) => Channel;
  /** With a credential, where the type of contact has one in its address. */
  readonly address: (base: string) => string;
  readonly secret: string | null;
  /** Options of the contact. */
  readonly options?: object;
  readonly answers: {
    readonly delivers: HttpAnswer;
    readonly 'refuses the message for now': HttpAnswer;
    /** The answer of `asks to wait an hour`; without it 429 with Retry-After. */
    readonly 'asks to wait an hour'?: HttpAnswer;
    readonly 'is gone': HttpAnswer;
  };
}

/** A status, the body that comes with it, and headers. */
type HttpAnswer = readonly [status: number, body: string, headers?: Readonly<Record<string, string>>];

/** The contract of channels, for one that speaks HTTP. */
export function httpContract(
  name: string,
  { channel, address, secret, options, answers }: HttpReceiver,
): void {
  const known: Partial<Record<Behaviour, HttpAnswer>> = {
    'asks to wait an hour': [429, 'slow down', { 'Retry-After': '3600' }],
    redirects: [302, '', { Location: 'http://127.0.0.1:9/' }],
    ...answers,
  };
  channelContract(name, async (behaviour): Promise<ContractEndpoint> => {
    const receiver = await startFakeReceiver((response) => {
      if (behaviour === 'is silent') return;
      if (behaviour === 'resets the connection') return void response.socket?.resetAndDestroy();
      const [status, body, headers = {}] = known[behaviour] ?? [500, ''];
      response.writeHead(status, headers).end(body);
    });
    const base =
      behaviour === 'refuses connections' ? `http://127.0.0.1:${closedPort}` : baseOf(receiver.url);
    const received = () => receiver.requests.map(({ headers, body }) => `${JSON.stringify(headers)} ${body}`);
    return {
      channel: channel(base),
      address: address(base),
      secret,
      options,
      received,
      [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
    };
  });
}

/** Sends one message to a receiver that accepts it, and returns what arrived. */
export async function requestOf(
  { channel, address, secret, options, answers }: HttpReceiver,
  notices: readonly Notice[] = [fullNotice],
  replyTo: string | null = null,
): Promise<ReceivedRequest & { readonly outcome: AttemptOutcome; readonly json: unknown }> {
  const [status, answer] = answers.delivers;
  await using receiver = await startFakeReceiver((response) => void response.writeHead(status).end(answer));
  const base = baseOf(receiver.url);
  const one = channel(base);
  const to = { name: 'noc', address: address(base), secret, previousSecret: null };
  const sending = {
    id: 'e'.repeat(48),
    message: one.compose(notices, options),
    to,
    nowUs: Date.now() * 1000,
    replyTo,
  };
  const outcome = await one.send(sending, AbortSignal.timeout(9_000));
  const [request] = receiver.requests;
  if (request === undefined) throw new Error(`nothing arrived: ${outcome.text}`);
  return { ...request, outcome, json: jsonIn(request.body) };
}

function jsonIn(text: string): unknown {
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
}

function baseOf(url: string): string {
  return new URL(url).origin;
}
