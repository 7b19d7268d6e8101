import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** Serves connections under TLS from the start, for `listen`. */
export function secureServer(
  certificate: { readonly cert: string; readonly key: string },
  serve: (socket: Socket) => void,
): (socket: Socket) => void {
  const { cert, key } = certificate;
  const secureContext = createSecureContext({ cert, key });
  return (socket) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => {});
    serve(secured);
  };
}
