import type { Socket } from 'node:net';

/** The parser's word for "no HTTP follows", as after CONNECT: what is left of the present read is dropped. */
const nothingFollows = 2;

/**
 * Ends the parsing of a connection, whose present read may hold thousands of requests more: at its next request the
 * parser drops the rest, and later reads are not parsed. The server then emits `clientError`, see `isParserStopped`.
 * Node has no documented way; where its parser looks otherwise, the requests come and must be ignored.
 */
export function stopParser(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null) return;
  if ('onIncoming' in parser) parser.onIncoming = () => nothingFollows;
  if ('pause' in parser && typeof parser.pause === 'function') parser.pause();
}

/** Whether this `clientError` is no error of a client, but says that the connection's parser was stopped. */
export function isParserStopped(error: Error): boolean {
  return 'code' in error && error.code === 'HPE_PAUSED';
}
