import { resultCode } from '@vantage/domain';
import type { Connection, DialContext, TlsRequest } from '../contract/dial.ts';
import { Failure, printable, quoteShort } from '../contract/failure.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { createReceiveBuffer, wrongProtocol } from './receive-buffer.ts';

/** Dependencies of a dialogue; a ProbeContext has them all. */
export type DialogueContext = DialContext & Pick<ProbeContext, 'dial'>;

/** How a dialogue reads. */
export interface DialogueSettings {
  /**
   * true (default): a line protocol, where a NUL is an immediate code 3. false: bytes may be anything (TCP, TELNET's
   * options).
   */
  readonly text?: boolean;
  /** Who begins; default: the server. `ttfb` is then counted from when the connection stood, else from now. */
  readonly speaksFirst?: 'client' | 'server';
}

/** A reply of SMTP's family: its code and its lines without it (RFC 5321 section 4.2, RFC 959 section 4.2). */
export interface Reply {
  readonly code: number;
  readonly lines: readonly string[];
  /** The last line as it came. */
  readonly text: string;
}

/**
 * A talk with a server over a connection: lines or bytes in, text or bytes out, a transcript kept as diagnostics.
 * `ttfb` runs from the connection's standing (or from its creation where the client speaks first) to the first byte of
 * the answer, then `ttlb` until the check ends. Every read ends with a Failure when the server closes, resets or breaks
 * the line limit, and with the signal's reason when it aborts. One read at a time.
 *
 *     using dialogue = openDialogue(context, connection);
 *     const banner = await dialogue.expectReply([220]);        // code 3: expected 220, got "554 go away"
 *     await dialogue.send('EHLO vantage');
 *     await dialogue.send(`PASS ${password}`, 'PASS ***');     // the transcript shows the second form
 *     await dialogue.startTls({ settings: options.TLS });
 */
export interface Dialogue extends Disposable {
  readonly connection: Connection;
  /** Bytes got so far, before and after STARTTLS. */
  readonly received: number;
  /** Sends a line; CR LF is added. `shown` replaces it in the transcript. */
  send(line: string, shown?: string): Promise<void>;
  /** Sends bytes as they are. */
  write(bytes: Uint8Array, shown?: string): Promise<void>;
  /** The next line without its CR LF or LF, as Latin-1 unless it is valid UTF-8. */
  readLine(): Promise<string>;
  /** At least one byte; all that is there, at most `max`. */
  readSome(max?: number): Promise<Buffer>;
  /** Exactly `count` bytes. */
  readExactly(count: number): Promise<Buffer>;
  /** A line that begins with `prefix` or matches; else Failure 3 `expected …, got "…"`. */
  expectLine(expected: string | RegExp): Promise<string>;
  /** A whole reply of SMTP's family, whatever its code. */
  readReply(): Promise<Reply>;
  /**
   * A whole reply with one of these codes; else a Failure with `code` (default 3): `expected 220, got "554 go away"`.
   */
  expectReply(codes: readonly number[], code?: 3 | 7 | 8): Promise<Reply>;
  /**
   * Upgrades the connection (phase `ssl`), then goes on. Bytes that the server sent ahead in clear are refused (code
   * 3).
   */
  startTls(tls: TlsRequest): Promise<void>;
  /** Adds a remark of the probe to the transcript, shown as sent by us. */
  remark(shown: string): void;
}

/** Starts a dialogue on a fresh connection. */
export function openDialogue(
  context: DialogueContext,
  first: Connection,
  settings: DialogueSettings = {},
): Dialogue {
  const { text = true, speaksFirst = 'server' } = settings;
  const { signal, stopwatch } = context;
  const transcript = createTranscript();
  let connection = first;
  const buffer = createReceiveBuffer({
    signal,
    peer: first.peer,
    onFirstByte: () => stopwatch.enter('ttlb'),
  });
  context.diagnostics('Transcript', () => {
    const rest = buffer.start(256);
    const broken = rest === '' ? [] : [`< ${quoteShort(rest, 256)} (no complete line)`];
    return [...transcript.lines(), ...broken];
  });
  const dispose = () => {
    buffer.close();
    connection[Symbol.dispose]();
  };
  context.own({ [Symbol.dispose]: dispose });
  if (speaksFirst === 'server') stopwatch.follow('ttfb');
  else stopwatch.enter('ttfb');
  buffer.attach(connection.socket);

  const write = async (bytes: Uint8Array | string, shown: string) => {
    if (signal.aborted) throw signal.reason;
    transcript.add('>', shown);
    // An answer may be waiting although the server is gone. The next read finds it and has the better text.
    if (!buffer.ended) connection.socket.write(bytes);
  };
  const shownBytes = (bytes: Buffer) => {
    transcript.add('<', bytes.toString('latin1', 0, 512));
    return bytes;
  };
  const readLine = async () => {
    const line = decode(await buffer.readLine(text)).replace(/\r?\n$/, '');
    transcript.add('<', line);
    return line;
  };
  const readReply = () => readWholeReply(readLine, connection.peer);

  return {
    get connection() {
      return connection;
    },
    get received() {
      return buffer.received;
    },
    send: (line, shown = line) => write(`${line}\r\n`, shown),
    write: (bytes, shown = Buffer.from(bytes).toString('latin1')) => write(bytes, shown),
    remark: (shown) => transcript.add('>', shown),
    readLine,
    readReply,
    readSome: async (max = 64 * 1024) => shownBytes(await buffer.readSome(max)),
    readExactly: async (count) => shownBytes(await buffer.readExactly(count)),
    async expectLine(expected) {
      const line = await readLine();
      const fits = typeof expected === 'string' ? line.startsWith(expected) : expected.test(line);
      if (fits) return line;
      const shown = typeof expected === 'string' ? expected : String(expected);
      throw new Failure(resultCode.protocol, `expected ${shown}, got ${quoteShort(line)}`);
    },
    async expectReply(codes, code = resultCode.protocol) {
      const reply = await readReply();
      if (codes.includes(reply.code)) return reply;
      throw new Failure(code, `expected ${codes.join(' or ')}, got ${quoteShort(reply.text)}`);
    },
    async startTls(tls) {
      buffer.detach(connection.socket);
      connection = await context.dial.secure(context, connection, tls);
      transcript.add('>', '(TLS)');
      stopwatch.follow(buffer.received === 0 ? 'ttfb' : 'ttlb');
      buffer.attach(connection.socket);
    },
    [Symbol.dispose]: dispose,
  };
}

/** Reads lines until one ends the reply (RFC 5321 section 4.2.1, RFC 959 section 4.2). */
async function readWholeReply(readLine: () => Promise<string>, peer: string): Promise<Reply> {
  const lines: string[] = [];
  let code = '';
  while (lines.length < 1000) {
    const line = await readLine();
    const found = /^(\d{3})([ -]|$)(.*)$/.exec(line);
    if (code === '') {
      if (!found?.[1]) throw wrongProtocol(peer, quoteShort(line));
      code = found[1];
    }
    const own = found?.[1] === code;
    lines.push(own ? (found[3] ?? '') : line);
    if (own && found[2] !== '-') return { code: Number(code), lines, text: line };
  }
  throw wrongProtocol(peer, 'a reply of more than 1000 lines');
}

/** UTF-8 where it is valid, else Latin-1: old servers speak in anything. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

/** The lines that both sides sent on a connection, bounded, for the diagnostics of a failure. */
interface Transcript {
  /** A line or bytes that we sent (`shown` with secrets masked) or got. */
  add(side: '>' | '<', shown: string): void;
  /** The lines, `> ` ours and `< ` theirs; a long one lacks its middle and has a mark there. */
  lines(): readonly string[];
}

const maxLines = 200;
const keptAtEnd = 100;
const longestLine = 512;

/** Creates an empty transcript; it never holds more than 200 lines of 512 characters. */
export function createTranscript(): Transcript {
  const head: string[] = [];
  const tail: string[] = [];
  let omitted = 0;
  return {
    add(side, shown) {
      const cut = shown.length > longestLine ? `${shown.slice(0, longestLine)}…` : shown;
      const line = `${side} ${printable(cut)}`;
      if (head.length < maxLines - keptAtEnd) {
        head.push(line);
        return;
      }
      tail.push(line);
      if (tail.length > keptAtEnd) {
        tail.shift();
        omitted += 1;
      }
    },
    lines: () => (omitted === 0 ? [...head, ...tail] : [...head, `… ${omitted} lines left out …`, ...tail]),
  };
}
