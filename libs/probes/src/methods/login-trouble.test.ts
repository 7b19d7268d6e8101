import { expect, test } from 'vitest';
import type { AnyProbe } from '../contract/probe.ts';
import { listen, runTest, speakLines } from '../testing/index.ts';
import { errorPacket, serveMysql } from '../testing/mysql-server.ts';
import { ftp } from './ftp/ftp.ts';
import { imap4 } from './imap4/imap4.ts';
import { mysql } from './mysql/mysql.ts';
import { packetOf } from './mysql/packets.ts';
import { nntp } from './nntp.ts';
import { pop3 } from './pop3.ts';
import { smtp } from './smtp.ts';

const login = { User: 'me', Password: 'sesame' };
const mail = { EHLO: '250-x\r\n250 AUTH PLAIN' };
const box = { CAPABILITY: 'TAG OK done' };
const news = { MODE: '200 reader' };

/**
 * An answer to a login that the server cannot judge says nothing about the password: 3; all others refuse the login: 8.
 */
test.each<readonly [AnyProbe, string, Readonly<Record<string, string>>, 3 | 8, string]>([
  [
    smtp,
    '220 x',
    { ...mail, AUTH: '454 4.7.0 later' },
    3,
    'the server takes no logins now: "454 4.7.0 later"',
  ],
  [smtp, '220 x', { ...mail, AUTH: '421 bye' }, 3, 'the server takes no logins now: "421 bye"'],
  [smtp, '220 x', { ...mail, AUTH: '535 no' }, 8, 'login refused: "535 no"'],
  [
    pop3,
    '+OK x',
    { USER: '+OK', PASS: '-ERR [IN-USE] busy' },
    3,
    'the server takes no logins now: "-ERR [IN-USE] busy"',
  ],
  [
    pop3,
    '+OK x',
    { USER: '-ERR [SYS/TEMP] sick' },
    3,
    'the server takes no logins now: "-ERR [SYS/TEMP] sick"',
  ],
  [pop3, '+OK x', { USER: '+OK', PASS: '-ERR [AUTH] no' }, 8, 'login refused: "-ERR [AUTH] no"'],
  [
    imap4,
    '* OK x',
    { ...box, LOGIN: 'TAG NO [UNAVAILABLE] sick' },
    3,
    'the server takes no logins now: "NO [UNAVAILABLE] sick"',
  ],
  [imap4, '* OK x', { ...box, LOGIN: 'TAG NO no' }, 8, 'login refused: "NO no"'],
  [
    nntp,
    '200 x',
    { ...news, USER: '381 go', PASS: '400 later' },
    3,
    'the server takes no logins now: "400 later"',
  ],
  [nntp, '200 x', { ...news, USER: '403 sick' }, 3, 'the server takes no logins now: "403 sick"'],
  [nntp, '200 x', { ...news, USER: '481 no' }, 8, 'login refused: "481 no"'],
  [
    nntp,
    '200 x',
    { ...news, USER: '500 what' },
    8,
    'login refused: "500 what"; the server knows no login by user and password',
  ],
  [ftp, '220 x', { USER: '421 too many' }, 3, 'the server takes no logins now: "421 too many"'],
  [ftp, '220 x', { USER: '331 who', PASS: '530 no' }, 8, 'login refused: "530 no"'],
  [
    ftp,
    '220 x',
    { USER: '331 who', PASS: '332 and' },
    8,
    'login refused: "332 and"; the server wants an account (ACCT), which is not known here',
  ],
])('$0.method with %s, %j: %i', async (probe, greeting, table, code, text) => {
  const answers = new Map(Object.entries(table));
  const answer = (line: string) => {
    const [first = '', second = ''] = line.split(' ');
    return (answers.get(first) ?? answers.get(second))?.replace('TAG', first);
  };
  await using server = await listen(speakLines({ greeting, answer }));
  expect(await runTest(probe, server.target, login, { timeoutMs: 10_000 })).toMatchObject({ code, text });
});

test('a database that is not there is an expectation, not a login', async () => {
  const refusal = packetOf(2, errorPacket(1049, "Unknown database 'x'"));
  await using server = await listen((socket) => {
    const write = socket.write.bind(socket);
    let said = 0;
    const replaced = (bytes: Buffer) => {
      said += 1;
      return write(said === 1 ? bytes : refusal);
    };
    Object.assign(socket, { write: replaced });
    serveMysql(socket);
  });
  const wanted = { User: 'probe', Password: 'right', Database: 'x' };
  const text = `the database does not open: error 1049: "Unknown database 'x'"`;
  expect(await runTest(mysql, server.target, wanted)).toMatchObject({ code: 7, text });
});

test('a mailbox without a login says so, unless the server needs none', async () => {
  const serve = (greeting: string) =>
    speakLines({ greeting, answer: (line) => `${line.split(' ')[0]} OK [READ-ONLY] open` });
  await using strict = await listen(serve('* OK x'));
  const text = 'a mailbox needs a login: set User and Password';
  expect(await runTest(imap4, strict.target, { Mailbox: 'INBOX' })).toMatchObject({ code: 8, text });
  await using open = await listen(serve('* PREAUTH x'));
  expect(await runTest(imap4, open.target, { Mailbox: 'INBOX' })).toMatchObject({ code: 1 });
});
