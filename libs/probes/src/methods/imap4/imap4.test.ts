import { expect, test } from 'vitest';
import { listen, probeContract, runTest, speakLines } from '../../testing/index.ts';
import { imap4 } from './imap4.ts';
import { imapMailboxName } from './imap4-session.ts';

const user = 'monitor';
const password = 'sesame-9';

interface ImapManners {
  readonly greeting?: string;
  readonly capabilities?: string;
}

function mailStore({ greeting = '* OK imap.example ready', capabilities = 'AUTH=PLAIN' }: ImapManners = {}) {
  const proof = Buffer.from(`\0${user}\0${password}`).toString('base64');
  return speakLines({
    greeting,
    answer(line, said) {
      const [tag = '', verb = ''] = line.split(' ');
      const waiting = /^(\S+) AUTHENTICATE PLAIN$/.exec(said.at(-1) ?? '')?.[1];
      if (waiting)
        return line === proof ? `${waiting} OK welcome` : `${waiting} NO [AUTHENTICATIONFAILED] no`;
      switch (verb) {
        case 'CAPABILITY':
          return `* CAPABILITY IMAP4rev1 ${capabilities}\r\n${tag} OK done`;
        case 'LOGIN':
          return line.endsWith(` "${user}" "${password}"`)
            ? `* 1 FETCH (BODY {7}\r\na1 NO\r\n)\r\n${tag} OK welcome`
            : `${tag} NO [AUTHENTICATIONFAILED] no`;
        case 'AUTHENTICATE':
          return '+ ';
        case 'EXAMINE':
          return line.endsWith('"INBOX"') || line.endsWith('"Entw&APw-rfe"')
            ? `* 17 EXISTS\r\n* 0 RECENT\r\n${tag} OK [READ-ONLY] opened`
            : `${tag} NO [NONEXISTENT] no such mailbox`;
        case 'LOGOUT':
          return `* BYE\r\n${tag} OK`;
        default:
          return `${tag} BAD what?`;
      }
    },
  });
}

probeContract({
  probe: imap4,
  serve: mailStore(),
  url: (port) => `127.0.0.1:${port}`,
  serverFirst: true,
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: { User: 'monitor', Password: secret },
  }),
});

test.each([
  [{}, 1, 'OK imap.example ready'],
  [{ ExpectBanner: 'imap.example' }, 1, 'OK imap.example ready'],
  [{ ExpectBanner: 'Dovecot' }, 7, 'expected a banner with "Dovecot", got "OK imap.example ready"'],
  [{ User: user, Password: password }, 1, 'OK welcome'],
  [{ User: user, Password: password, Auth: 'PLAIN' }, 1, 'OK welcome'],
  [{ User: user, Password: 'wrong' }, 8, 'login refused: "NO [AUTHENTICATIONFAILED] no"'],
  [{ User: user, Password: 'wrong', Auth: 'PLAIN' }, 8, 'login refused: "NO [AUTHENTICATIONFAILED] no"'],
  [{ User: user, Password: password, Mailbox: 'INBOX' }, 1, 'OK [READ-ONLY] opened'],
  [{ User: user, Password: password, Mailbox: 'Entwürfe' }, 1, 'OK [READ-ONLY] opened'],
  [
    { User: user, Password: password, Mailbox: 'Gone' },
    7,
    'mailbox "Gone" does not open: "NO [NONEXISTENT] no such mailbox"',
  ],
])('with %j the code is %i', async (options, code, text) => {
  await using server = await listen(mailStore());
  expect(await runTest(imap4, server.target, options)).toMatchObject({ code, text });
});

test('the number of messages and the way of the login are kept', async () => {
  await using server = await listen(mailStore());
  const seen = await runTest(imap4, server.target, { User: user, Password: password, Mailbox: 'INBOX' });
  expect(seen.extended).toMatchObject({ Messages: 17, Auth: 'LOGIN' });
});

test('a server that disables LOGIN gets AUTHENTICATE PLAIN, or is 8 with advice', async () => {
  const login = { User: user, Password: password };
  await using plain = await listen(mailStore({ capabilities: 'LOGINDISABLED AUTH=PLAIN' }));
  expect(await runTest(imap4, plain.target, login)).toMatchObject({ code: 1, extended: { Auth: 'PLAIN' } });
  await using none = await listen(mailStore({ capabilities: 'STARTTLS LOGINDISABLED' }));
  const seen = await runTest(imap4, none.target, login);
  expect(seen).toMatchObject({ code: 8 });
  expect(seen.text).toContain('set TLS Mode to StartTLS or Implicit');
});

test('a password that cannot be quoted goes as a literal and stays hidden', async () => {
  const secret = 'größe-9';
  const said: string[] = [];
  await using server = await listen(
    speakLines({
      greeting: '* OK',
      answer(line) {
        said.push(line);
        const tag = line.split(' ')[0] ?? '';
        if (line.endsWith('CAPABILITY')) return `* CAPABILITY IMAP4rev1\r\n${tag} OK`;
        return line.endsWith('{9}') ? '+ go on' : `a2 NO I know ${line}`;
      },
    }),
  );
  const seen = await runTest(imap4, server.target, { User: user, Password: secret });
  expect(said.slice(1)).toEqual([`a2 LOGIN "${user}" {9}`, secret]);
  expect(seen).toMatchObject({ code: 8, text: 'login refused: "NO I know ***"' });
  expect(JSON.stringify(seen)).not.toContain(secret);
});

test.each([
  ['* BYE too busy', 'expected * OK, got "* BYE too busy"'],
  ['220 wrong door', 'expected * OK, got "220 wrong door"'],
])('the greeting %j is 3', async (greeting, text) => {
  await using server = await listen(mailStore({ greeting }));
  expect(await runTest(imap4, server.target)).toMatchObject({ code: 3, text });
});

test('a server that takes leave in the middle is 3 with its words', async () => {
  await using server = await listen(speakLines({ greeting: '* OK', answer: () => '* BYE shutting down' }));
  const seen = await runTest(imap4, server.target, { User: user, Password: password });
  expect(seen).toMatchObject({ code: 3, text: 'the server ended the session: "* BYE shutting down"' });
});

test.each([
  ['INBOX', 'INBOX'],
  ['Entwürfe', 'Entw&APw-rfe'],
  ['A&B', 'A&-B'],
  ['~peter/mail/台北/日本語', '~peter/mail/&U,BTFw-/&ZeVnLIqe-'],
])('the mailbox %s is %s on the wire', (name, wire) => {
  expect(imapMailboxName(name)).toBe(wire);
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
