import type { Socket } from 'node:net';

/**
 * Ends the parsing of the present read of a connection that is cut: up to 3,640 requests would still come of it, and each costs time. Node
 * has no documented way; without the parser's `pause` the rest is parsed and ignored.
 */
export function stopParser(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('pause' in parser)) return;
  if (typeof parser.pause === 'function') parser.pause();
}
