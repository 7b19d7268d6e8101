import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';

/** The script of a server of a line protocol. */
export interface LineScript {
  /** CR LF is added. Default: no greeting. */
  readonly greeting?: string;
  /**
   * The answer to a line (CR LF is added), 'close' to close the connection, or undefined for silence. `earlier` has all
   * lines before this one.
   */
  readonly answer: (line: string, earlier: readonly string[]) => string | undefined;
  /** The server starts TLS after its answer to a line that matches `startsAfter`; by default at once. */
  readonly tls?: { readonly secureContext: SecureContext; readonly startsAfter?: RegExp };
}

/** Serves connections by a script, for `listen`. */
export function speakLines(script: LineScript): (socket: Socket) => void {
  return (socket) => {
    const { tls, greeting } = script;
    const first = tls && !tls.startsAfter ? secured(socket, tls.secureContext) : socket;
    if (greeting !== undefined) first.write(`${greeting}\r\n`);
    serveLines(first, script, []);
  };
}

function serveLines(socket: Socket, script: LineScript, earlier: string[]): void {
  let waiting = '';
  const onData = (chunk: Buffer) => {
    waiting += chunk.toString('utf8');
    for (let end = waiting.indexOf('\n'); end >= 0; end = waiting.indexOf('\n')) {
      const line = waiting.slice(0, end).replace(/\r$/, '');
      waiting = waiting.slice(end + 1);
      const answer = script.answer(line, earlier);
      earlier.push(line);
      if (answer === 'close') socket.end();
      else if (answer !== undefined) socket.write(`${answer}\r\n`);
      if (script.tls?.startsAfter?.test(line)) {
        socket.off('data', onData);
        serveLines(secured(socket, script.tls.secureContext), script, earlier);
        return;
      }
    }
  };
  socket.on('data', onData);
}

function secured(socket: Socket, secureContext: SecureContext): TLSSocket {
  const upgraded = new TLSSocket(socket, { isServer: true, secureContext });
  upgraded.on('error', () => {});
  return upgraded;
}
