import type { SecureClientSessionOptions } from 'node:http2';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { createMailbox } from '@vantage/kernel';
import { AgentService, type ConnectRequestSchema, type ConnectResponse } from '@vantage/proto';

type Outgoing = NonNullable<MessageInitShape<typeof ConnectRequestSchema>['message']>;

/** An agent's end of a stream; `until` and `firstOf` read on to the next message of a kind. */
export function connectAgent(
  url: string,
  {
    tls,
    counter = 1,
    hello = true,
    headers = {},
  }: {
    /** The authority of the port, and the agent's certificate and key. */
    tls: Pick<SecureClientSessionOptions, 'ca' | 'cert' | 'key'>;
    counter?: number;
    hello?: boolean;
    headers?: Readonly<Record<string, string>>;
  },
) {
  const sessionManager = new Http2SessionManager(url, {}, tls);
  const client = createClient(AgentService, createGrpcTransport({ baseUrl: url, sessionManager }));
  const outgoing = createMailbox<{ message: Outgoing }>(100);
  const ending = new AbortController();
  const incoming = client.connect(outgoing, { headers, signal: ending.signal })[Symbol.asyncIterator]();
  const send = (message: Outgoing) => void outgoing.offer({ message });
  if (hello)
    send({
      case: 'hello',
      value: {
        version: '1',
        bootId: 'boot',
        sessionCounter: BigInt(counter),
        capacity: 500,
        hostName: 'host',
        tracesOnRequest: true,
      },
    });
  type Kind = NonNullable<ConnectResponse['message']['case']>;
  type Message<K extends Kind> = Extract<ConnectResponse['message'], { case: K }>;
  const firstOf = async <K extends Kind>(...kinds: readonly K[]): Promise<Message<K>> => {
    while (true) {
      const next = await incoming.next();
      if (next.done) throw new Error(`the stream ended before ${kinds.join(' or ')}`);
      const { message } = next.value;
      if (kinds.some((kind) => kind === message.case)) return message as Message<K>;
    }
  };
  return {
    send,
    /** Breaks the connection at once. */
    cut: () => sessionManager.abort(),
    firstOf,
    async until<K extends Kind>(kind: K): Promise<Message<K>['value']> {
      const message: ConnectResponse['message'] = await firstOf(kind);
      return message.value as Message<K>['value'];
    },
    async rest(): Promise<string[]> {
      const kinds: string[] = [];
      for (let next = await incoming.next(); !next.done; next = await incoming.next())
        kinds.push(next.value.message.case ?? '');
      return kinds;
    },
    async [Symbol.asyncDispose]() {
      outgoing.close();
      ending.abort();
      await incoming.return?.();
    },
  };
}
