import { Agent, request } from 'node:https';

/** The answer's status; 0 when no answer came. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** Sends one request on a new connection, from an address of 127.0.0.0/8. Never rejects. */
export function callFrom(
  from: string,
  ask: {
    readonly url: string;
    readonly ca: string;
    readonly method?: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly timeoutMs?: number;
    /** Characters of the answer that are kept; 10,000 unless given. */
    readonly maxText?: number;
  },
): Promise<Outcome> {
  const began = performance.now();
  const url = new URL(ask.url);
  const agent = new Agent({ ca: ask.ca, keepAlive: false });
  return new Promise((resolve) => {
    const done = (status: number, text: string) => resolve({ status, text, ms: performance.now() - began });
    const req = request(
      {
        agent,
        host: '127.0.0.1',
        port: url.port,
        path: `${url.pathname}${url.search}`,
        servername: url.hostname,
        localAddress: from,
        method: ask.method ?? 'GET',
        headers: { Host: url.host, ...ask.headers },
        signal: AbortSignal.timeout(ask.timeoutMs ?? 20_000),
      },
      (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => {
          text = (text + chunk.toString('utf8')).slice(0, ask.maxText ?? 10_000);
        });
        res.on('error', () => done(0, text));
        res.on('end', () => done(res.statusCode ?? 0, text));
      },
    );
    req.on('error', (error) => done(0, error.message));
    req.end(ask.body);
  });
}
