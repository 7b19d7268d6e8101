import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { agentPortOptions, withSafeAuthority } from '../../../platform/server/agent-port.ts';
import { signServer } from '../../../platform/server/authority.ts';
import type { Authorities } from '../../../platform/server/tls.ts';
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
  readonly handler?: Parameters<typeof createSecureServer>[1];
}): Promise<ServedAgents> {
  const { signing, trusted } = authorities;
  const cert = await signServer(signing, { names: ['localhost'], nowMs: Date.now() });
  const server = createSecureServer(agentPortOptions({ cert, key: signing.serverKey }, trusted), handler);
  gateway.attach(server);
  await gateway.start();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `https://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
