import { resultCode } from '@vantage/domain';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';

/** A string argument of a command, sent quoted or, if it cannot be quoted, as a literal (RFC 3501 section 4.3). */
interface ImapString {
  readonly text: string;
  readonly secret?: boolean;
}

/** The answer to a command. */
interface ImapAnswer {
  readonly status: 'OK' | 'NO' | 'BAD';
  /** The tagged line without its tag: `NO [AUTHENTICATIONFAILED] Authentication failed.` */
  readonly text: string;
  /** The untagged lines before it, without their `* ` and without the bytes of literals. */
  readonly untagged: readonly string[];
}

export interface ImapSession {
  /** Sends a command with a new tag and reads its answer. `proof` answers a continuation (AUTHENTICATE). */
  run(
    words: readonly (string | ImapString)[],
    proof?: { readonly line: string; readonly shown: string },
  ): Promise<ImapAnswer>;
}

const maxLines = 2000;
const maxLiteral = 64 * 1024;

/** Creates the session of a dialogue whose greeting was read. */
export function createImapSession(dialogue: Dialogue): ImapSession {
  let last = 0;

  /** Reads a line and its literals. `""` replaces each literal. */
  const readWholeLine = async (): Promise<string> => {
    let whole = '';
    while (true) {
      const line = await dialogue.readLine();
      const size = /\{(\d{1,10})\}$/.exec(line);
      if (!size) return whole + line;
      const bytes = Number(size[1]);
      if (bytes > maxLiteral) {
        throw new Failure(resultCode.protocol, `the server sent a literal of ${bytes} bytes`);
      }
      if (bytes > 0) await dialogue.readExactly(bytes);
      whole += `${line.slice(0, size.index)}""`;
    }
  };

  /** Reads untagged lines up to a continuation or the tagged line. */
  const readAnswer = async (tag: string, untagged: string[]): Promise<ImapAnswer | 'continue'> => {
    while (untagged.length < maxLines) {
      const line = await readWholeLine();
      if (line.startsWith('+')) return 'continue';
      const end = line.startsWith(`${tag} `) ? /^(OK|NO|BAD)\b/i.exec(line.slice(tag.length + 1)) : null;
      const status = end?.[1]?.toUpperCase();
      if (status === 'OK' || status === 'NO' || status === 'BAD') {
        return { status, text: line.slice(tag.length + 1), untagged };
      }
      if (/^\* BYE\b/i.test(line)) {
        throw new Failure(resultCode.protocol, `the server ended the session: ${quoteShort(line)}`);
      }
      if (!line.startsWith('* ')) {
        throw new Failure(resultCode.protocol, `expected an answer to ${tag}, got ${quoteShort(line)}`);
      }
      untagged.push(line.slice(2));
    }
    throw new Failure(resultCode.protocol, `the server sent more than ${maxLines} lines to one command`);
  };

  return {
    async run(words, proof) {
      last += 1;
      const tag = `a${last}`;
      const untagged: string[] = [];
      let line = tag;
      let shown = tag;
      for (const word of words) {
        if (typeof word === 'string') {
          line += ` ${word}`;
          shown += ` ${word}`;
          continue;
        }
        if (/^[\x20-\x7e]*$/.test(word.text)) {
          const quoted = `"${word.text.replace(/["\\]/g, '\\$&')}"`;
          line += ` ${quoted}`;
          shown += ` ${word.secret ? '***' : quoted}`;
          continue;
        }
        const size = `{${Buffer.byteLength(word.text, 'utf8')}}`;
        await dialogue.send(`${line} ${size}`, `${shown} ${size}`);
        const early = await readAnswer(tag, untagged);
        if (early !== 'continue') return early;
        line = word.text;
        shown = word.secret ? '***' : word.text;
      }
      await dialogue.send(line, shown);
      const answer = await readAnswer(tag, untagged);
      if (answer !== 'continue') return answer;
      if (proof) {
        await dialogue.send(proof.line, proof.shown);
        const end = await readAnswer(tag, untagged);
        if (end !== 'continue') return end;
      }
      throw new Failure(resultCode.protocol, 'the server asked for more, but the command has nothing more');
    },
  };
}

/** A mailbox's name in IMAP's modified UTF-7 (RFC 3501 section 5.1.3): `Entwürfe` is `Entw&APw-rfe`. */
export function imapMailboxName(name: string): string {
  return name.replace(/&|[^\x20-\x7e]+/g, (part) => {
    if (part === '&') return '&-';
    const bytes = Buffer.from(part, 'utf16le').swap16();
    return `&${bytes.toString('base64').replace(/=+$/, '').replaceAll('/', ',')}-`;
  });
}
