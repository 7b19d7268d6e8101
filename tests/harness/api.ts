import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parseJson } from '@vantage/kernel';

/** One answer of the REST API. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: unknown;
}

/** A client of one controller with one key. */
export interface Api {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Like `call`, but throws with the answer's text when the status is not 200. */
  ok(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): void;
}

/** Creates a client. `baseUrl` ends in /v1.1; `caFile` is the controller's CA certificate (PEM). */
export function createApi(options: {
  readonly baseUrl: string;
  readonly caFile: string;
  readonly key?: string;
  readonly maxSockets?: number;
  /**
   * Sends a request again that found its idle connection ended by the server: a machine under attack sees that late.
   */
  readonly isRepeatedOnIdleEnd?: boolean;
}): Api {
  const agent = new Agent({
    ca: readFileSync(options.caFile),
    keepAlive: true,
    maxSockets: options.maxSockets ?? 16,
  });
  const call: Api['call'] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => {
        const isIdleEnd = req.reusedSocket && error.code === 'ECONNRESET';
        if (options.isRepeatedOnIdleEnd === true && isIdleEnd)
          call(method, path, body, headers).then(resolve, reject);
        else reject(error);
      };
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const req = request(
        `${options.baseUrl}${path}`,
        {
          method,
          agent,
          headers: {
            ...(options.key ? { 'Service-API-Key': options.key } : {}),
            ...(payload === undefined
              ? {}
              : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
            ...headers,
          },
        },
        (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.on('error', reject);
          res.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: res.statusCode ?? 0, headers: res.headers, text, body: parseJson(text) });
          });
        },
      );
      req.on('error', fail);
      req.end(payload);
    });
  return {
    call,
    async ok(method, path, body) {
      const answer = await call(method, path, body);
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    close: () => agent.destroy(),
  };
}
