import type { Socket } from 'node:net';

export interface RedisServerSettings {
  readonly user?: string;
  /** Clients must log in with it; absent: no login. */
  readonly password?: string;
  /** The answer to INFO; null: the user may not ask for it. */
  readonly info?: string | null;
  /** The answer to any other command, as bytes of RESP; undefined: an error. */
  readonly answer?: (words: readonly string[]) => string | undefined;
  /** Collects the commands of clients. */
  readonly received?: (readonly string[])[];
}

/** A text with its length, as RESP has it. */
export const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

const masterInfo = [
  '# Server',
  'redis_version:7.2.5',
  '# Clients',
  'connected_clients:3',
  'blocked_clients:0',
  '# Memory',
  'used_memory:1048576',
  'maxmemory:4194304',
  '# Stats',
  'instantaneous_ops_per_sec:12',
  '# Replication',
  'role:master',
  'connected_slaves:1',
  'slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=1',
  '',
].join('\r\n');

/** Serves a connection like a healthy Redis, and checks the login. */
export function serveRedis(socket: Socket, settings: RedisServerSettings = {}): void {
  const { user = 'default', password, info = masterInfo, answer, received } = settings;
  let waiting = '';
  let isIn = password === undefined;
  const reply = (words: readonly string[]): string => {
    const [name = ''] = words;
    if (name === 'AUTH') {
      const [who, secret] = words.length === 3 ? words.slice(1) : ['default', words[1]];
      if (password === undefined)
        return '-ERR AUTH <password> called without any password configured for the default user.\r\n';
      isIn = who === user && secret === password;
      return isIn ? '+OK\r\n' : '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
    }
    if (!isIn) return '-NOAUTH Authentication required.\r\n';
    if (name === 'PING') return '+PONG\r\n';
    if (name === 'SELECT') return Number(words[1]) < 16 ? '+OK\r\n' : '-ERR DB index is out of range\r\n';
    if (name === 'INFO')
      return info === null ? "-NOPERM User x has no permissions to run the 'info' command\r\n" : bulk(info);
    return answer?.(words) ?? `-ERR unknown command '${name}', with args beginning with: \r\n`;
  };
  socket.on('data', (chunk: Buffer) => {
    waiting += chunk.toString('latin1');
    for (let command = readCommand(waiting); command; command = readCommand(waiting)) {
      waiting = waiting.slice(command.length);
      received?.push(command.words);
      socket.write(reply(command.words));
    }
  });
}

/** The first whole command of the bytes (as Latin-1), and its length. */
function readCommand(
  text: string,
): { readonly words: readonly string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return undefined;
  let at = head[0].length;
  const words: string[] = [];
  for (let i = 0; i < Number(head[1]); i += 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (!size) return undefined;
    at += size[0].length;
    const end = at + Number(size[1]);
    if (text.length < end + 2) return undefined;
    words.push(Buffer.from(text.slice(at, end), 'latin1').toString('utf8'));
    at = end + 2;
  }
  return { words, length: at };
}
