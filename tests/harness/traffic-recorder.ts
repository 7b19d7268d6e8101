import { connect, createServer, type Socket } from 'node:net';

/** The bytes of one TCP connection, each way. */
export interface Conversation {
  readonly fromClient: Buffer[];
  readonly fromServer: Buffer[];
}

/** A TCP relay on 127.0.0.1 that keeps every byte. */
export interface TrafficRecorder extends AsyncDisposable {
  readonly port: number;
  /** All connections so far, oldest first. */
  readonly conversations: readonly Conversation[];
}

/** Starts a relay in front of localhost:`upstreamPort`. */
export async function recordTraffic(upstreamPort: number): Promise<TrafficRecorder> {
  const open = new Set<Socket>();
  const conversations: Conversation[] = [];
  const relay = (from: Socket, to: Socket, kept: Buffer[]) => {
    open.add(from);
    from.on('data', (chunk: Buffer) => {
      kept.push(chunk);
      to.write(chunk);
    });
    from.on('end', () => to.end());
    from.on('error', () => from.destroy());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const conversation: Conversation = { fromClient: [], fromServer: [] };
    conversations.push(conversation);
    const upstream = connect(upstreamPort, 'localhost');
    relay(client, upstream, conversation.fromClient);
    relay(upstream, client, conversation.fromServer);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  return {
    port: address.port,
    conversations,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
