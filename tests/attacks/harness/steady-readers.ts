import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** The answers that readers got. */
export interface ReadAnswers {
  readonly sent: number;
  /** The number of answers by HTTP status; 0: no answer. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The bodies that the readers of the last path got, each once. */
  readonly texts: ReadonlySet<string>;
}

const readers = 40;
const tickMs = 10;
/** Requests without an answer; more are not sent until some are answered. */
const maxOpen = 2_000;

/** Reads the paths in turn at a steady rate, over kept connections from forty addresses. Never rejects. */
export async function readSteadily({
  origin,
  ca,
  paths,
  perSecond,
  seconds,
}: {
  readonly origin: string;
  readonly ca: string;
  readonly paths: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}): Promise<ReadAnswers> {
  const { hostname, port, host } = new URL(origin);
  const agents = Array.from({ length: readers }, () => new Agent({ ca, keepAlive: true, maxSockets: 4 }));
  const statuses: Record<number, number> = {};
  const texts = new Set<string>();
  let [sent, open] = [0, 0];
  const read = (at: number) => {
    const path = paths[at % paths.length] ?? '/';
    const done = (status: number, text: string) => {
      open -= 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200 && path === paths.at(-1)) texts.add(text);
    };
    open += 1;
    const from = at % readers;
    const req = request(
      {
        agent: agents[from],
        host: '127.0.0.1',
        port,
        path,
        servername: hostname,
        localAddress: `127.0.0.${100 + from}`,
        headers: { Host: host },
        signal: AbortSignal.timeout(20_000),
      },
      (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('error', () => done(0, ''));
        res.on('end', () => done(res.statusCode ?? 0, Buffer.concat(parts).toString('utf8')));
      },
    );
    req.on('error', () => done(0, ''));
    req.end();
  };
  const fromMs = performance.now();
  const spentMs = () => performance.now() - fromMs;
  while (spentMs() < seconds * 1_000) {
    const due = Math.floor((spentMs() / 1_000) * perSecond);
    for (; sent < due && open < maxOpen; sent += 1) read(sent);
    await delay(tickMs);
  }
  while (open > 0) await delay(tickMs);
  for (const agent of agents) agent.destroy();
  return { sent, statuses, texts };
}
