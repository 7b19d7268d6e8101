import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Says nothing; answers as a web server; greets and ends as a server of NNTP. */
export type WireServerKind = 'silent' | 'web' | 'news';

/** Starts such a server in a process of its own, at as many ports as wanted. Disposing ends it. */
export async function startWireServer(
  host: string,
  firstPort: number,
  ports: number,
  kind: WireServerKind,
): Promise<AsyncDisposable> {
  const script = path.join(import.meta.dirname, 'wire-targets.ts');
  const server = fork(script, [host, `${firstPort}`, `${ports}`, kind]);
  await once(server, 'message');
  return {
    async [Symbol.asyncDispose]() {
      const exit = once(server, 'exit');
      server.disconnect();
      await exit;
    },
  };
}
