import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { secret } from './contacts.ts';
import { startFakeMailServer } from './fake-mail-server.ts';
import { startFakeWebhookReceiver } from './fake-webhook-receiver.ts';
import { leftOutOf, messagesOf, namedIn } from './mail-content.ts';

describe('the fake receiver of webhooks', () => {
  it('keeps signed messages and refuses others', async () => {
    await using receiver = await startFakeWebhookReceiver(secret);
    const body = JSON.stringify({ type: 'device.down', timestamp: 'x', data: { ShortName: 'web' } });
    const send = async (signed: string) => {
      const at = new Date();
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', at, signed),
      };
      return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
    };
    expect(await send(body)).toBe(204);
    expect(await send(`${body} `)).toBe(400);
    expect(receiver.hooks).toMatchObject([{ id: 'msg_1', type: 'device.down', about: 'web' }]);
    expect(receiver.faults).toEqual([expect.stringContaining('No matching signature')]);
  });
});

describe('the fake mail server', () => {
  /** Sends the lines as one session and resolves with the codes of the answers. */
  const converse = async (url: string, lines: readonly string[]) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    const answers: string[] = [];
    createInterface({ input: socket }).on('line', (line) => answers.push(line.slice(0, 3)));
    socket.end(`${lines.join('\r\n')}\r\n`);
    await once(socket, 'close');
    return answers;
  };
  const mail = ['Subject: down', 'Message-ID: <1@lab>', '', 'first', '..second', '.'];
  const session = ['MAIL FROM:<a@lab>', 'RCPT TO:<b@lab>', 'DATA', ...mail, 'QUIT'];

  it('keeps each message with its recipient, and refuses connections while it is stopped', async () => {
    await using receiver = await startFakeMailServer();
    expect(await converse(receiver.url, ['HELO lab', ...session])).toEqual([
      '220',
      '250',
      '250',
      '250',
      '354',
      '250',
      '221',
    ]);
    expect(receiver.mails).toMatchObject([
      { to: 'b@lab', subject: 'down', messageId: '<1@lab>', text: 'first\n.second\n' },
    ]);
    await receiver.stop();
    await expect(converse(receiver.url, session)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await receiver.start();
    await converse(receiver.url, session);
    expect(receiver.mails).toHaveLength(2);
  });
});

describe('the content of an e-mail', () => {
  const mail = { to: 'noc@lab.example', messageId: '<1@lab>', html: '', atMs: 0 };

  it('names its one message, or each line of a grouped one', () => {
    const single = {
      ...mail,
      subject: 'dev-1 is Down: refused',
      text: 'dev-1 is Down: refused. Down for 3 min, since now.\n\nMaster: router is Down',
    };
    expect(messagesOf(single)).toEqual(['device.down dev-1']);
    const grouped = {
      ...mail,
      subject: '3 messages: 1 device.down, 1 device.up, 1 location.offline',
      text: [
        '3 messages: 1 device.down, 1 device.up, 1 location.offline.',
        '',
        'dev-2 is Down: no answer (since 08:00:00 CET)',
        '  Acknowledge: https://lab.example/a',
        'web is Up again (since 08:00:01 CET)',
        'Location B is offline (since 08:00:02 CET)',
      ].join('\n'),
    };
    expect(messagesOf(grouped)).toEqual(['device.down dev-2', 'device.up web', 'location.offline B']);
    expect(namedIn(grouped)).toEqual(['dev-2', 'web', 'B']);
    expect(
      [single, { ...grouped, text: `${grouped.text}\nand 120 more; the page names them: x` }].map(leftOutOf),
    ).toEqual([0, 120]);
    expect(messagesOf({ ...single, text: 'Hello' })).toEqual(['unknown dev-1 is Down: refused']);
  });
});
