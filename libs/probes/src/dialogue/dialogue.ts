import { resultCode } from '@vantage/domain';
import type { Connection, DialContext, TlsRequest } from '../contract/dial.ts';
import { quoteShort } from '../contract/display.ts';
import { Failure } from '../contract/failure.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { createReceiveBuffer, wrongProtocol } from './receive-buffer.ts';
import { createTranscript } from './transcript.ts';

export type DialogueContext = DialContext & Pick<ProbeContext, 'dial'>;

export interface DialogueSettings {
  /**
   * true (default): a line protocol, in which a NUL is code 3. false: any bytes are allowed (TCP, TELNET's options).
   */
  readonly text?: boolean;
  /** Default: the server; `ttfb` then counts from the end of the connect. For the client, it counts from now. */
  readonly speaksFirst?: 'client' | 'server';
}

/** A reply with a code (RFC 5321 section 4.2, RFC 959 section 4.2), as in SMTP, FTP and NNTP. */
export interface CodedReply {
  readonly code: number;
  /** Without the code. */
  readonly lines: readonly string[];
  /** The unparsed last line. */
  readonly text: string;
}

/**
 * An exchange of lines or bytes with a server over a connection, with a transcript as diagnostics. `ttfb` lasts from
 * the end of the connect (or from the creation of the dialogue, if the client speaks first) to the first byte of the
 * answer, then `ttlb` until the check ends. Every read ends with a Failure when the server closes, resets or exceeds
 * the line limit, and with the signal's reason when it aborts. Only one read may run at a time.
 *
 *     using dialogue = openDialogue(context, connection);
 *     const banner = await dialogue.expectReply([220]);        // code 3: expected 220, got "554 go away"
 *     await dialogue.send('EHLO vantage');
 *     await dialogue.send(`PASS ${password}`, 'PASS ***');     // the transcript shows the second form
 *     await dialogue.startTls({ settings: options.TLS });
 */
export interface Dialogue extends Disposable {
  readonly connection: Connection;
  /** Received bytes, before and after STARTTLS. */
  readonly received: number;
  /** Sends a line; CR LF is added. `shown` replaces it in the transcript. */
  send(line: string, shown?: string): Promise<void>;
  write(bytes: Uint8Array, shown?: string): Promise<void>;
  /** The next line without its CR LF or LF, as UTF-8 if it is valid, else as Latin-1. */
  readLine(): Promise<string>;
  /** All waiting bytes, at least one and at most `max`. */
  readSome(max?: number): Promise<Buffer>;
  /** Exactly `count` bytes. */
  readExactly(count: number): Promise<Buffer>;
  /** A line that begins with the text or matches; else Failure 3 `expected …, got "…"`. */
  expectLine(expected: string | RegExp): Promise<string>;
  /** A whole reply with any code. */
  readReply(): Promise<CodedReply>;
  /**
   * A whole reply with one of these codes; else a Failure with `code` (default 3): `expected 220, got "554 go away"`.
   */
  expectReply(codes: readonly number[], code?: 3 | 7 | 8): Promise<CodedReply>;
  /** Upgrades the connection (phase `ssl`). Plain bytes that the server sent too early are code 3. */
  startTls(tls: TlsRequest): Promise<void>;
  /** Adds a remark of the probe to the transcript, as if this agent had sent it. */
  remark(shown: string): void;
}

/** Starts a dialogue on an unread connection. */
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
    // An answer may be waiting although the server has closed. The next read finds it and has the better text.
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
async function readWholeReply(readLine: () => Promise<string>, peer: string): Promise<CodedReply> {
  const lines: string[] = [];
  let code = '';
  while (lines.length < 1000) {
    const line = await readLine();
    const found = /^(\d{3})([ -]|$)(.*)$/.exec(line);
    if (code === '') {
      if (!found?.[1]) throw wrongProtocol(peer, quoteShort(line));
      code = found[1];
    }
    const hasCode = found?.[1] === code;
    lines.push(hasCode ? (found[3] ?? '') : line);
    if (hasCode && found[2] !== '-') return { code: Number(code), lines, text: line };
  }
  throw wrongProtocol(peer, 'a reply of more than 1000 lines');
}

/** UTF-8 if it is valid, else Latin-1, because old servers use any encoding. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
