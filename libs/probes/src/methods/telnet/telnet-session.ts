import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';

/** RFC 854, "TELNET command structure". */
const command = { se: 240, sb: 250, will: 251, wont: 252, do: 253, dont: 254, iac: 255 } as const;

const maxLineLength = 4096;
const maxText = 64 * 1024;
/** Only this many characters at the end of the received text are searched for a prompt. */
const promptWindow = 200;

/** The end of a wait: a text anywhere in the received text, or a pattern at its end. */
export type AwaitedText = string | { readonly shown: string; readonly pattern: RegExp };

/** The text of a TELNET session, in which every option is refused. */
export interface TelnetSession {
  /** The number of refused options. */
  readonly refused: number;
  /** Waits for any text. */
  waitForText(): Promise<void>;
  /**
   * Waits until one of these is received and returns its index. The text so far is dropped, unless `keep`. A session
   * that ends, or pauses until the timeout, after other text is code 7.
   */
  waitFor(awaited: readonly AwaitedText[], after?: 'keep'): Promise<number>;
  /** Sends a line. `shown` replaces it in the transcript. */
  send(line: string, shown?: string): Promise<void>;
  /** The text received since the last `waitFor` without `keep`. */
  received(): string;
  /** The last received line that is not blank. */
  lastLine(): string;
}

/** Creates the session of a dialogue of bytes. */
export function createTelnetSession(dialogue: Dialogue): TelnetSession {
  const options = createOptionFilter(dialogue);
  let text = '';
  let usedLength = 0;

  const receive = async () => {
    const chunk = await options.filter(await dialogue.readSome());
    if (/(?<!\r)\0/.test(chunk)) throw wrongProtocol(dialogue.connection.peer, 'a NUL byte');
    text += chunk.replaceAll('\r\0', '\r');
    if (text.length - text.lastIndexOf('\n') > maxLineLength)
      throw wrongProtocol(dialogue.connection.peer, 'a line over 4 KiB');
  };

  return {
    get refused() {
      return options.refused;
    },
    async waitForText() {
      while (text === '') await receive();
    },
    async waitFor(awaited, after) {
      while (true) {
        const received = text.slice(usedLength);
        const met = awaited.findIndex((wait) => isIn(received, wait));
        if (met >= 0) {
          if (after !== 'keep') usedLength = text.length;
          return met;
        }
        if (text.length > maxText) throw missed(awaited, received);
        try {
          await receive();
        } catch (error) {
          const isFinal = error instanceof Failure && error.reason !== undefined;
          if (received.trim() === '' || isFinal) throw error;
          throw missed(awaited, received);
        }
      }
    },
    async send(line, shown = line) {
      await dialogue.send(line, shown);
    },
    received: () => text.slice(usedLength).trim(),
    lastLine: () =>
      text
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1) ?? '',
  };
}

function isIn(received: string, awaited: AwaitedText): boolean {
  if (typeof awaited === 'string') return received.includes(awaited);
  return awaited.pattern.test(received.slice(-promptWindow));
}

function missed(awaited: readonly AwaitedText[], received: string): Failure {
  const [first = ''] = awaited;
  const shown = typeof first === 'string' ? quoteShort(first) : first.shown;
  return notMet(`expected ${shown}, got ${quoteShort(received.trim().slice(-100))}`);
}

/**
 * Removes commands from the stream and refuses each option once: WONT to DO, DONT to WILL (RFC 854, "general
 * considerations").
 */
function createOptionFilter(dialogue: Dialogue) {
  const refusals = new Set<number>();
  let state: 'text' | 'command' | 'option' | 'sub' | 'sub-command' = 'text';
  let verb = 0;

  /** The answer to an option; undefined if none is needed, or it was sent before. */
  const answerTo = (option: number): number | undefined => {
    const answer = verb === command.do ? command.wont : verb === command.will ? command.dont : undefined;
    const key = answer === undefined ? undefined : answer * 256 + option;
    if (key === undefined || refusals.has(key)) return undefined;
    refusals.add(key);
    return answer;
  };
  const refuse = async (answer: number, option: number) => {
    const word = answer === command.wont ? 'WONT' : 'DONT';
    await dialogue.write(Uint8Array.of(command.iac, answer, option), `IAC ${word} ${option}`);
  };

  return {
    get refused() {
      return refusals.size;
    },
    /** The text in the bytes, as UTF-8 if it is valid, else as Latin-1. */
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
