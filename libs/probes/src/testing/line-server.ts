import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';

/** The lines of a scripted server of a line protocol. */
export interface LineScript {
  /** Its greeting; none when absent. CR LF is added. */
  readonly greeting?: string;
  /**
   * The answer to a line (CR LF is added), 'close' to hang up, undefined for silence. `said` holds all lines before
   * this one.
   */
  readonly answer: (line: string, said: readonly string[]) => string | undefined;
  /** Its certificate; without `startsAfter` it speaks TLS at once, else after having answered such a line. */
  readonly tls?: { readonly secureContext: SecureContext; readonly startsAfter?: RegExp };
}

/** Serves connections by a script; give it to `listen`. */
export function speakLines(script: LineScript): (socket: Socket) => void {
  return (socket) => {
    const { tls, greeting } = script;
    const first = tls && !tls.startsAfter ? secured(socket, tls.secureContext) : socket;
    if (greeting !== undefined) first.write(`${greeting}\r\n`);
    converse(first, script, []);
  };
}

function converse(socket: Socket, script: LineScript, said: string[]): void {
  let held = '';
  const onData = (chunk: Buffer) => {
    held += chunk.toString('utf8');
    for (let end = held.indexOf('\n'); end >= 0; end = held.indexOf('\n')) {
      const line = held.slice(0, end).replace(/\r$/, '');
      held = held.slice(end + 1);
      const answer = script.answer(line, said);
      said.push(line);
      if (answer === 'close') socket.end();
      else if (answer !== undefined) socket.write(`${answer}\r\n`);
      if (script.tls?.startsAfter?.test(line)) {
        socket.off('data', onData);
        converse(secured(socket, script.tls.secureContext), script, said);
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
