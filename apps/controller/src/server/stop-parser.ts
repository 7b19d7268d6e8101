import type { Socket } from 'node:net';

/** The parser's result for "no HTTP follows", as after CONNECT: the rest of the current read is dropped. */
const nothingFollows = 2;

/**
 * Stops the parser of a connection, whose current read may contain thousands of further requests: at the next request
 * the parser drops the rest, and later reads are not parsed. The server then emits `clientError`, see
 * `isParserStopped`. Node documents no way to do this. If the internals of its parser change, the requests arrive and
 * must be ignored.
 */
export function stopParser(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null) return;
  if ('onIncoming' in parser) parser.onIncoming = () => nothingFollows;
  if ('pause' in parser && typeof parser.pause === 'function') parser.pause();
}

/** Whether a `clientError` is no error of the client, but the result of `stopParser`. */
export function isParserStopped(error: Error): boolean {
  return 'code' in error && error.code === 'HPE_PAUSED';
}
