import { resultCode } from '@vantage/domain';
import type { Connection } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { closedEarly, Failure, networkFailure } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';

/** The state of the bytes received so far. */
export type SshGreeting =
  | { readonly kind: 'more' }
  /** The version line (`SSH-2.0-OpenSSH_9.2`) and the lines before it. */
  | { readonly kind: 'greeting'; readonly version: string; readonly before: readonly string[] }
  /** No SSH server sends this. */
  | { readonly kind: 'garbage'; readonly what: string };

const maxLineLength = 4096;
const maxLinesBefore = 100;

/**
 * Reads the first bytes of a server (RFC 4253 section 4.2): lines of text may precede its version. A control character,
 * a line over 4 KiB or more than 100 lines are not SSH.
 */
export function readGreeting(bytes: Buffer): SshGreeting {
  const text = bytes.toString('latin1');
  const foreign = /[^\t\r\n\x20-\xff]|\x7f/.exec(text);
  const start = /(^|\n)SSH-/.exec(text);
  const versionAt = start ? start.index + (start[1]?.length ?? 0) : undefined;
  const end = versionAt === undefined ? -1 : text.indexOf('\n', versionAt);
  // Binary packets follow the version line, perhaps in the same segment.
  if (foreign && (end < 0 || foreign.index < end)) {
    const code = foreign[0].charCodeAt(0);
    return {
      kind: 'garbage',
      what: code === 0 ? 'a NUL byte' : `a byte 0x${code.toString(16).padStart(2, '0')}`,
    };
  }
  const lines = (end < 0 ? text : text.slice(0, end)).split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.some((line) => line.length > maxLineLength))
    return { kind: 'garbage', what: 'a line over 4 KiB' };
  if (lines.length > maxLinesBefore) return { kind: 'garbage', what: 'more than 100 lines' };
  if (end < 0) return { kind: 'more' };
  return { kind: 'greeting', version: lines.at(-1) ?? '', before: lines.slice(0, -1) };
}

/**
 * Waits for a server's greeting (phase `ttfb` up to its first byte, then `ttlb`), and puts the bytes back into the
 * socket. Throws Failure 3 as soon as the bytes cannot be SSH 2.
 */
export async function awaitGreeting(
  context: Pick<ProbeContext, 'signal' | 'stopwatch' | 'addDetail' | 'diagnostics'>,
  connection: Connection,
): Promise<string> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  let bytes: Buffer = Buffer.alloc(0);
  context.diagnostics('FirstBytes', () => quoteShort(bytes.toString('latin1', 0, 4096), 4096));
  stopwatch.follow('ttfb');
  return new Promise((resolve, reject) => {
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      then();
    };
    const fail = (failure: unknown) => finish(() => reject(failure));
    const onAbort = () => fail(signal.reason);
    const onError = (error: Error) => fail(networkFailure(error, peer));
    const onEnd = () =>
      fail(
        closedEarly(
          peer,
          bytes.length === 0 ? 'before it said anything' : 'before its greeting was complete',
        ),
      );
    const onData = (chunk: Buffer) => {
      if (bytes.length === 0) stopwatch.enter('ttlb');
      bytes = Buffer.concat([bytes, chunk]);
      const seen = readGreeting(bytes);
      switch (seen.kind) {
        case 'more':
          return;
        case 'garbage':
          fail(notSsh(peer, `it sent ${seen.what} before its version`));
          return;
        case 'greeting':
          context.addDetail('Banner', seen.version);
          if (!/^SSH-(2\.0|1\.99)-/.test(seen.version)) {
            fail(notSsh(peer, `it greets with ${quoteShort(seen.version)}`));
            return;
          }
          finish(() => {
            socket.pause();
            socket.unshift(bytes);
            resolve(seen.version);
          });
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    if (signal.aborted) onAbort();
  });
}

function notSsh(peer: string, why: string): Failure {
  return new Failure(resultCode.protocol, `${peer} does not speak SSH 2: ${why}`);
}
