import type { Http2SecureServer } from 'node:http2';
import { createAgentPort, withSafeAuthority } from '../../../server/agent-port.ts';
import { signServer } from '../../../server/authority.ts';
import type { Authorities } from '../../../server/server-certificate.ts';
import type { Gateway } from '../gateway.ts';

/** An agents' port on loopback. Disposing closes it and its gateway. */
export interface ServedAgents extends AsyncDisposable {
  readonly server: Http2SecureServer;
  readonly port: number;
  readonly url: string;
}

/** Serves agents with certificates of these authorities. `handler`: what the port answers, if more than streams. */
export async function serveAgents({
  gateway,
  authorities,
  handler = withSafeAuthority(gateway.handler),
}: {
  readonly gateway: Gateway;
  readonly authorities: Authorities;
  readonly handler?: Parameters<typeof createAgentPort>[0]['handler'];
}): Promise<ServedAgents> {
  const { signing, trusted } = authorities;
  const cert = await signServer(signing, { names: ['localhost'], nowMs: Date.now() });
  const agents = createAgentPort({
    certificate: { cert, key: signing.serverKey },
    authorities: trusted,
    gateway,
    handler,
  });
  await gateway.start();
  const port = await agents.listen(0, '127.0.0.1');
  return {
    server: agents.server,
    port,
    url: `https://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await agents.close();
    },
  };
}
