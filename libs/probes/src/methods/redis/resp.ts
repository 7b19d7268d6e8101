import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';

/** A reply of Redis (RESP 2). A long text has its first 64 KiB. */
export type RespReply =
  | { readonly kind: 'text' | 'error' | 'number'; readonly text: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'list'; readonly items: readonly RespReply[] };

/** The rest of a longer text is read and dropped. */
const maxTextBytes = 64 * 1024;
const maxDepth = 8;
const maxItems = 10_000;
/** Waiting items are read without a pause. After this many, other work runs first. */
const itemsAtOnce = 200;
/** The longest text of Redis. */
const maxLength = 512 * 1024 * 1024;

/** A command with its arguments, as a server reads it. */
export function commandBytes(words: readonly string[]): Buffer {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return Buffer.from(`*${words.length}\r\n${parts.join('')}`);
}

/**
 * Reads one reply. Throws Failure 3 for bytes that are no RESP, and for a reply of more than 10,000 items or nested
 * deeper than 8.
 */
export function readReply(dialogue: Dialogue): Promise<RespReply> {
  const { peer } = dialogue.connection;
  let items = 0;
  const read = async (depth: number): Promise<RespReply> => {
    items += 1;
    if (items > maxItems) throw wrongProtocol(peer, `a reply of more than ${maxItems} items`);
    if (items % itemsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    const line = await dialogue.readLine();
    const rest = line.slice(1);
    switch (line.charAt(0)) {
      case '+':
        return { kind: 'text', text: rest };
      case '-':
        return { kind: 'error', text: rest };
      case ':':
        if (!/^[+-]?\d{1,20}$/.test(rest)) break;
        return { kind: 'number', text: rest };
      case '$': {
        const length = lengthOf(rest);
        if (length === undefined) break;
        return length < 0 ? { kind: 'null' } : { kind: 'text', text: await readText(dialogue, length) };
      }
      case '*': {
        const count = lengthOf(rest);
        if (count === undefined) break;
        if (count < 0) return { kind: 'null' };
        if (depth >= maxDepth) throw wrongProtocol(peer, `a reply nested deeper than ${maxDepth}`);
        if (count > maxItems) throw wrongProtocol(peer, `a reply of more than ${maxItems} items`);
        const list: RespReply[] = [];
        for (let i = 0; i < count; i += 1) list.push(await read(depth + 1));
        return { kind: 'list', items: list };
      }
    }
    throw wrongProtocol(peer, 'no reply of Redis');
  };
  return read(0);
}

/** A length or count; -1 is null. */
function lengthOf(text: string): number | undefined {
  if (text === '-1') return -1;
  const length = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return length !== undefined && length <= maxLength ? length : undefined;
}

async function readText(dialogue: Dialogue, length: number): Promise<string> {
  const start = await dialogue.readExactly(Math.min(length, maxTextBytes));
  const text = start.toString('utf8');
  for (let left = length - start.length; left > 0; ) left -= (await dialogue.readSome(left)).length;
  const end = await dialogue.readExactly(2);
  if (end.toString('latin1') !== '\r\n') throw wrongProtocol(dialogue.connection.peer, 'no reply of Redis');
  return text;
}

/** A reply as one text: the items of a list with tabs between them, a null as NULL. */
export function replyText(reply: RespReply): string {
  switch (reply.kind) {
    case 'null':
      return 'NULL';
    case 'list':
      return reply.items.map(replyText).join('\t');
    default:
      return reply.text;
  }
}
