import { resultCode } from '@vantage/domain';
import { Failure, quoteShort } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';

/**
 * A string argument of a command. It is sent quoted, or as a literal where it cannot be quoted (RFC 3501 section 4.3).
 */
interface ImapString {
  readonly text: string;
  readonly secret?: boolean;
}

/** The answer to a command. */
interface ImapAnswer {
  readonly status: 'OK' | 'NO' | 'BAD';
  /** The tagged line without its tag: `NO [AUTHENTICATIONFAILED] Authentication failed.` */
  readonly text: string;
  /** The untagged lines before it without their `* `; the bytes of literals are left out. */
  readonly untagged: readonly string[];
}

/** Commands and answers over a dialogue. */
export interface ImapSession {
  /** Sends a command under a fresh tag and reads up to its end. `proof` answers a continuation (AUTHENTICATE). */
  ask(
    words: readonly (string | ImapString)[],
    proof?: { readonly line: string; readonly shown: string },
  ): Promise<ImapAnswer>;
}

const maxLines = 2000;
const maxLiteral = 64 * 1024;

/** Starts talking IMAP after the greeting. */
export function createImapSession(dialogue: Dialogue): ImapSession {
  let last = 0;

  /** A line without the contents of its literals. Each literal is replaced by `""`. */
  const readWhole = async (): Promise<string> => {
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

  /** Untagged lines up to a continuation or the tagged end. */
  const readUntil = async (tag: string, untagged: string[]): Promise<ImapAnswer | 'continue'> => {
    while (untagged.length < maxLines) {
      const line = await readWhole();
      if (line.startsWith('+')) return 'continue';
      const end = line.startsWith(`${tag} `) ? /^(OK|NO|BAD)\b/i.exec(line.slice(tag.length + 1)) : null;
      const status = end?.[1]?.toUpperCase();
      if (status === 'OK' || status === 'NO' || status === 'BAD') {
        return { status, text: line.slice(tag.length + 1), untagged };
      }
      if (/^\* BYE\b/i.test(line)) {
        throw new Failure(resultCode.protocol, `the server took leave: ${quoteShort(line)}`);
      }
      if (!line.startsWith('* ')) {
        throw new Failure(resultCode.protocol, `expected an answer to ${tag}, got ${quoteShort(line)}`);
      }
      untagged.push(line.slice(2));
    }
    throw new Failure(resultCode.protocol, `the server sent more than ${maxLines} lines to one command`);
  };

  return {
    async ask(words, proof) {
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
        const early = await readUntil(tag, untagged);
        if (early !== 'continue') return early;
        line = word.text;
        shown = word.secret ? '***' : word.text;
      }
      await dialogue.send(line, shown);
      const answer = await readUntil(tag, untagged);
      if (answer !== 'continue') return answer;
      if (proof) {
        await dialogue.send(proof.line, proof.shown);
        const end = await readUntil(tag, untagged);
        if (end !== 'continue') return end;
      }
      throw new Failure(resultCode.protocol, 'the server asked for more where nothing was left to say');
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
