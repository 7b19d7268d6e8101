/// <reference path="vantage-script.d.ts" />
// Sends a mail by SMTP, waits until IMAP finds it in the mailbox, and removes it.
const smtpServer = { host: 'smtp.example', port: 587 };
const imapServer = { host: 'imap.example', port: 993 };
const user = 'monitor@mail.example';
const password = secret('MAIL_PASSWORD');
const token = `vantage-${Date.now()}-${Math.floor(Math.random() * 1e9)}`;

await step('send', () =>
  smtp({
    ...smtpServer,
    tls: { mode: 'StartTLS' },
    user,
    password,
    mailFrom: user,
    rcptTo: user,
    message: `From: ${user}\nTo: ${user}\nSubject: ${token}\nDate: ${new Date().toUTCString()}\n\nA mail that tests the mail system.`,
  }),
);

const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const opened = [
  { expect: '* OK' },
  { send: `a1 LOGIN ${quoted(user)} ${quoted(password)}\r\n`, expect: 'a1 OK' },
  { send: 'a2 SELECT INBOX\r\n', expect: 'a2 OK' },
];

const number = await step('arrive', async () => {
  while (true) {
    const found = await tls({
      ...imapServer,
      steps: [...opened, { send: `a3 SEARCH SUBJECT ${quoted(token)}\r\n`, expect: 'a3 OK' }],
    });
    const hit = /\* SEARCH (\d+)/.exec(found.received)?.[1];
    if (hit) return hit;
    await sleep(1000);
  }
});

await step('remove', () =>
  tls({
    ...imapServer,
    steps: [
      ...opened,
      { send: `a3 STORE ${number} +FLAGS (\\Deleted)\r\n`, expect: 'a3 OK' },
      { send: 'a4 EXPUNGE\r\n', expect: 'a4 OK' },
      { send: 'a5 LOGOUT\r\n' },
    ],
  }),
);
