import { Failure, notMet, quoteShort } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';

/** RFC 854, "TELNET command structure". */
const command = { se: 240, sb: 250, will: 251, wont: 252, do: 253, dont: 254, iac: 255 } as const;

const longestLine = 4096;
const maxText = 64 * 1024;
/** A prompt is at the end of the received text. Only so many characters of it are checked. */
const promptWindow = 200;

/** The end of a wait: a text anywhere in the input, or a pattern at its end. */
export type Awaited = string | { readonly shown: string; readonly pattern: RegExp };

/** A TELNET session as text, every option refused. */
export interface TelnetSession {
  /** Options proposed by the server and refused. */
  readonly refused: number;
  /** Waits for some text. */
  some(): Promise<void>;
  /**
   * Waits until one of these is received and returns its index. The text up to there is dropped, unless `keep`. A
   * session that ends or pauses until the timeout after other text is code 7.
   */
  until(awaited: readonly Awaited[], after?: 'keep'): Promise<number>;
  /** Sends a line. `shown` replaces it in the transcript. */
  say(line: string, shown?: string): Promise<void>;
  /** The text received since the last `until`. */
  received(): string;
  /** The last received line that is not blank. */
  lastLine(): string;
}

/** Starts a session on a dialogue of bytes. */
export function createTelnetSession(dialogue: Dialogue): TelnetSession {
  const options = createOptions(dialogue);
  let all = '';
  let mark = 0;

  const receive = async () => {
    const text = await options.filter(await dialogue.readSome());
    if (/(?<!\r)\0/.test(text)) throw wrongProtocol(dialogue.connection.peer, 'a NUL byte');
    all += text.replaceAll('\r\0', '\r');
    if (all.length - all.lastIndexOf('\n') > longestLine)
      throw wrongProtocol(dialogue.connection.peer, 'a line over 4 KiB');
  };

  return {
    get refused() {
      return options.refused;
    },
    async some() {
      while (all === '') await receive();
    },
    async until(awaited, after) {
      while (true) {
        const received = all.slice(mark);
        const met = awaited.findIndex((each) => isIn(received, each));
        if (met >= 0) {
          if (after !== 'keep') mark = all.length;
          return met;
        }
        if (all.length > maxText) throw missed(awaited, received);
        try {
          await receive();
        } catch (error) {
          const isFinal = error instanceof Failure && error.reason !== undefined;
          if (received.trim() === '' || isFinal) throw error;
          throw missed(awaited, received);
        }
      }
    },
    async say(line, shown = line) {
      await dialogue.send(line, shown);
    },
    received: () => all.slice(mark).trim(),
    lastLine: () =>
      all
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1) ?? '',
  };
}

function isIn(received: string, awaited: Awaited): boolean {
  if (typeof awaited === 'string') return received.includes(awaited);
  return awaited.pattern.test(received.slice(-promptWindow));
}

function missed(awaited: readonly Awaited[], received: string): Failure {
  const [first = ''] = awaited;
  const shown = typeof first === 'string' ? quoteShort(first) : first.shown;
  return notMet(`expected ${shown}, got ${quoteShort(received.trim().slice(-100))}`);
}

/**
 * Takes commands out of the stream and refuses each option once: WONT to DO, DONT to WILL (RFC 854, "general
 * considerations").
 */
function createOptions(dialogue: Dialogue) {
  const answered = new Set<number>();
  let state: 'text' | 'command' | 'option' | 'sub' | 'sub-command' = 'text';
  let verb = 0;

  /** The answer to the option just named; undefined: none is needed, or it was sent. */
  const answerTo = (option: number): number | undefined => {
    const answer = verb === command.do ? command.wont : verb === command.will ? command.dont : undefined;
    const key = answer === undefined ? undefined : answer * 256 + option;
    if (key === undefined || answered.has(key)) return undefined;
    answered.add(key);
    return answer;
  };
  const refuse = async (answer: number, option: number) => {
    const word = answer === command.wont ? 'WONT' : 'DONT';
    await dialogue.write(Uint8Array.of(command.iac, answer, option), `IAC ${word} ${option}`);
  };

  return {
    get refused() {
      return answered.size;
    },
    /** The text among the bytes, as UTF-8 where it is valid, else Latin-1. */
    async filter(bytes: Buffer): Promise<string> {
      if (state === 'text' && !bytes.includes(command.iac)) return decode(bytes);
      const text: number[] = [];
      let answer: number | undefined;
      for (const byte of bytes) {
        switch (state) {
          case 'text':
            if (byte === command.iac) state = 'command';
            else text.push(byte);
            break;
          case 'command':
            verb = byte;
            state = byte >= command.will && byte <= command.dont ? 'option' : 'text';
            if (byte === command.sb) state = 'sub';
            if (byte === command.iac) text.push(byte);
            break;
          case 'option':
            state = 'text';
            answer = answerTo(byte);
            if (answer !== undefined) await refuse(answer, byte);
            break;
          case 'sub':
            if (byte === command.iac) state = 'sub-command';
            break;
          case 'sub-command':
            state = byte === command.se ? 'text' : 'sub';
            break;
        }
      }
      return decode(Buffer.from(text));
    },
  };
}

function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
