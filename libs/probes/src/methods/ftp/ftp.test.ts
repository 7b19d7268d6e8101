import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { Policy } from '../../contract/dial.ts';
import {
  addressOf,
  listen,
  makeCertificate,
  probeContract,
  runTest,
  speakLines,
} from '../../testing/index.ts';
import { ftp } from './ftp.ts';

const user = 'monitor';
const password = 'sesame-9';
const listing = [
  'total 2',
  '-rw-r--r-- 1 ftp ftp 12 Jan 1 00:00 two words.txt',
  'lrwxrwxrwx 1 ftp ftp 3 Jan 1 00:00 latest -> v1',
  'drwxr-xr-x 2 ftp ftp 4096 Jan 1 00:00 pub',
].join('\r\n');

interface FtpManners {
  /** The answer to PASV for a data port; EPSV is then unknown. */
  readonly pasv?: (port: number) => string;
  readonly list?: string;
  readonly secure?: boolean;
}

/**
 * A file server with one user and one directory; `resumed` says for each data connection whether it resumed the TLS
 * session.
 */
function fileServer({ pasv, list = listing, secure = false }: FtpManners = {}) {
  const certificate = makeCertificate();
  const secureContext = createSecureContext({ cert: certificate.cert, key: certificate.key });
  const resumed: boolean[] = [];
  const serve = (socket: Socket) => {
    const data = createServer((stream) => {
      stream.on('error', () => {});
      if (!secure) return void stream.end(list);
      const upgraded = new TLSSocket(stream, { isServer: true, secureContext });
      upgraded.on('error', () => {});
      upgraded.on('secure', () => {
        resumed.push(upgraded.isSessionReused());
        upgraded.end(list);
      });
    });
    data.listen(0, '127.0.0.1');
    socket.on('close', () => data.close());
    const port = () => (addressOf(data.address()) satisfies AddressInfo).port;
    speakLines({
      greeting: '220-files.example\r\n220 ready',
      ...(secure && { tls: { secureContext, startsAfter: /^AUTH TLS$/ } }),
      answer(line, said) {
        const [verb = '', word = ''] = line.split(' ');
        switch (verb) {
          case 'AUTH':
            return secure ? '234 go' : '502 no';
          case 'USER':
            return word === 'open' ? '230 come in' : '331 password';
          case 'PASS':
            return word === password || said.includes('USER anonymous') ? '230 logged in' : '530 no';
          case 'CWD':
            return word === 'pub' ? '250 moved' : '550 no such directory';
          case 'PBSZ':
          case 'PROT':
            return '200 ok';
          case 'EPSV':
            return pasv ? '500 what?' : `229 Entering Extended Passive Mode (|||${port()}|)`;
          case 'PASV':
            return pasv?.(port()) ?? '500 what?';
          case 'LIST':
            return said.includes('CWD pub') || said.includes('USER anonymous')
              ? '150 here\r\n226 done'
              : '550 no';
          case 'QUIT':
            return '221 bye';
          default:
            return '500 what?';
        }
      },
    })(socket);
  };
  return { serve, certificate, resumed };
}

const login = { User: user, Password: password };
const pasvOf = (address: string) => (port: number) =>
  `227 Entering Passive Mode (${address},${port >> 8},${port & 255})`;

probeContract({
  probe: ftp,
  serve: fileServer().serve,
  url: (port) => `127.0.0.1:${port}`,
  serverFirst: true,
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: { User: 'monitor', Password: secret },
  }),
});

test.each([
  [{}, 1, '220 ready'],
  [{ ExpectBanner: 'files.example' }, 1, '220 ready'],
  [{ ExpectBanner: 'ProFTPD' }, 7, 'expected a banner with "ProFTPD", got "files.example ready"'],
  [login, 1, '230 logged in'],
  [{ User: 'open' }, 1, '230 come in'],
  [{ ...login, Password: 'wrong' }, 8, 'login refused: "530 no"'],
  [{ ...login, Directory: 'pub' }, 1, '250 moved'],
  [{ ...login, Directory: 'gone' }, 7, 'directory "gone" does not open: "550 no such directory"'],
  [{ ...login, List: true }, 7, 'directory cannot be listed: "550 no"'],
  [{ List: true }, 1, '226 done'],
  [{ ExpectEntry: 'two words.txt' }, 1, '226 done'],
  [{ ExpectEntry: 'latest' }, 1, '226 done'],
  [{ ExpectEntry: 'words' }, 7, 'expected an entry "words", the listing has 3 without it'],
])('with %j the code is %i', async (options, code, text) => {
  await using server = await listen(fileServer().serve);
  expect(await runTest(ftp, server.target, options)).toMatchObject({ code, text });
  await server.idle();
});

test('a listing counts into the size and its address is kept apart', async () => {
  await using server = await listen(fileServer().serve);
  const seen = await runTest(ftp, server.target, { List: true });
  expect(seen.extended).toMatchObject({ Address: server.target, Entries: 3 });
  expect(seen.extended['DataAddress']).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(seen.dataSize).toBeGreaterThan(listing.length);
});

test('PASV is used where EPSV is unknown, and an address elsewhere is not followed', async () => {
  const asked: string[] = [];
  const policy: Policy = {
    refuse({ address }) {
      asked.push(address);
      return undefined;
    },
  };
  await using server = await listen(fileServer({ pasv: pasvOf('192,0,2,99') }).serve);
  const seen = await runTest(ftp, server.target, { List: true }, { policy });
  expect(seen).toMatchObject({ code: 1, extended: { PasvElsewhere: '192.0.2.99, not followed' } });
  expect(asked).toEqual(['127.0.0.1', '127.0.0.1']);
});

test('the policy is asked about the data connection too', async () => {
  await using server = await listen(fileServer().serve);
  const policy: Policy = {
    refuse: ({ port }) => (port === server.port ? undefined : `port ${port} is not allowed`),
  };
  const seen = await runTest(ftp, server.target, { List: true }, { policy });
  expect(seen).toMatchObject({ code: 9 });
});

test.each(['227 somewhere', '227 (127,0,0,1,0,0)', '227 (127,0,0,1,300,1)'])(
  'the answer %j to PASV is 3',
  async (answer) => {
    await using server = await listen(fileServer({ pasv: () => answer }).serve);
    const seen = await runTest(ftp, server.target, { List: true });
    expect(seen).toMatchObject({ code: 3, text: `expected a port to connect to, got "${answer}"` });
  },
);

test('an endless listing ends at its bound', async () => {
  await using server = await listen(fileServer({ list: 'x'.repeat(2 * 1024 * 1024) }).serve);
  const seen = await runTest(ftp, server.target, { List: true });
  expect(seen).toMatchObject({ code: 7, text: 'the listing is over 1 MiB: set a smaller Directory' });
});

test('under AUTH TLS the listing is secured too, in the session of the control connection', async () => {
  const { serve, certificate, resumed } = fileServer({ secure: true });
  await using server = await listen(serve);
  const TLS = { Mode: 'StartTLS', CA: certificate.cert };
  const seen = await runTest(ftp, server.target, { TLS, List: true });
  expect(seen, seen.text).toMatchObject({ code: 1, text: '226 done', extended: { Entries: 3 } });
  expect(seen.phases.ssl).toBeGreaterThan(0);
  expect(resumed).toEqual([true]);
});

test('a server without AUTH TLS is 6', async () => {
  await using server = await listen(fileServer().serve);
  const seen = await runTest(ftp, server.target, { TLS: { Mode: 'StartTLS' } });
  expect(seen).toMatchObject({ code: 6, text: `${server.target} refused STARTTLS: "502 no"` });
});

test('a server that is not ready yet is waited for', async () => {
  await using server = await listen(
    speakLines({ greeting: '120 in a moment\r\n220 ready', answer: () => '221 bye' }),
  );
  expect(await runTest(ftp, server.target)).toMatchObject({ code: 1, text: '220 ready' });
});

test('no line break gets into a command, ports are the protocol’s', () => {
  for (const key of ['Directory', 'ExpectEntry', 'User', 'Password']) {
    expect(ftp.options.safeParse({ [key]: 'a\r\nDELE b' }).success, key).toBe(false);
  }
  expect(ftp.parseTarget('ftp://a:b%0d%0aDELE@host')).toMatchObject({ ok: false });
  expect(ftp.parseTarget('host')).toMatchObject({ ok: true, target: { port: 21 } });
  expect(ftp.parseTarget('ftps://host')).toMatchObject({ ok: true, target: { port: 990 } });
});
