import type { Socket } from 'node:net';

/**
 * Ignores all further requests of a connection, of which the present read may hold thousands: no message is made of them, and later reads
 * are not parsed. The server then emits `clientError`, see `isParserStopped`. Node has no documented way; where its parser looks
 * otherwise, the requests come and must be ignored.
 */
export function stopParser(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null) return;
  if ('onIncoming' in parser) parser.onIncoming = () => 0;
  if ('pause' in parser && typeof parser.pause === 'function') parser.pause();
}

/** Whether this `clientError` is no error of a client, but says that the connection's parser was stopped. */
export function isParserStopped(error: Error): boolean {
  return 'code' in error && error.code === 'HPE_PAUSED';
}
