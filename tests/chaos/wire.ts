// A bad line between an agent and its controller: a relay on loopback.
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The effect of the line on bytes. */
interface LineManner {
  /** Milliseconds from one end to the other. */
  readonly latencyMs: number;
  /**
   * The share of pieces (0..1) that are lost once; TCP sends them again after `againMs`, and all that is behind waits.
   */
  readonly loss: number;
  readonly againMs: number;
}

/** A line that is as good as loopback. */
const good: LineManner = { latencyMs: 0, loss: 0, againMs: 0 };

/** The relay. */
export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** No byte passes in either direction, and no end of a connection either. */
  frozen: boolean;
  manner: LineManner;
  /** Pieces that were lost once. */
  readonly lost: number;
  /** Connections so far. */
  readonly connections: number;
}

/** Starts a relay to a port of this machine. */
export async function startWire(upstreamPort: number): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let [frozen, manner, lost, connections] = [false, good, 0, 0];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    connections += 1;
    const far = connect({ port: upstreamPort, host: 'localhost', allowHalfOpen: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    carry(near, far);
    carry(far, near);
    if (frozen) for (const end of pair) end.pause();
  });
  const carry = (from: Socket, to: Socket) => {
    let before: Promise<void> = Promise.resolve();
    /** Does this when the line has carried it, after everything before it. */
    const later = (act: () => void) => {
      if (manner === good) return act();
      const isLost = Math.random() < manner.loss;
      if (isLost) lost += 1;
      const arrives = delay(manner.latencyMs + (isLost ? manner.againMs : 0), undefined, { ref: false });
      before = Promise.all([before, arrives]).then(() => {
        if (!to.destroyed) act();
      });
    };
    from.on('data', (bytes) => {
      if (!frozen) later(() => to.write(bytes));
    });
    from.on('end', () => {
      if (!frozen) later(() => to.end());
    });
    from.on('error', () => {
      if (!frozen) to.destroy();
    });
  };
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    get frozen() {
      return frozen;
    },
    set frozen(value) {
      frozen = value;
      // Connections that were open while frozen lost bytes, so they end now.
      if (!value) for (const pair of pairs) for (const end of pair) end.destroy();
      for (const pair of pairs) for (const end of pair) if (value) end.pause();
    },
    get manner() {
      return manner;
    },
    set manner(value) {
      manner = value;
    },
    get lost() {
      return lost;
    },
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const end of pair) end.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
