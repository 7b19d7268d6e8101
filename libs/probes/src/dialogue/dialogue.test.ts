import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { systemClock } from '@vantage/kernel';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Probe, ProbeOutcome } from '../contract/probe.ts';
import { parseTarget } from '../contract/target.ts';
import { listen, makeCertificate, runTest } from '../testing/index.ts';
import { type Dialogue, openDialogue } from './dialogue.ts';

const options = z.strictObject({});

/** A check whose run is a dialogue. */
function talk(speak: (dialogue: Dialogue) => Promise<string>): Probe<'TCP', typeof options> {
  return {
    method: 'TCP',
    purpose: '',
    example: { URL: 'host:1', ShortName: 'test', Options: {} },
    optionsCase: 'tcp',
    tracePackets: 'tcp',
    options,
    secretOptions: [],
    scriptFunctions: {},
    parseTarget: (url) => parseTarget(url, { schemes: { tcp: 0 }, scheme: 'tcp', accepts: 'host:port' }),
    async run(context, target): Promise<ProbeOutcome> {
      using connection = await context.dial.connect(context, { host: target.host, port: target.port });
      using dialogue = openDialogue(context, connection);
      const text = await speak(dialogue);
      return { code: 1, text, dataSize: dialogue.received, extended: {} };
    },
  };
}

async function check(
  serve: (socket: Socket) => void,
  speak: (dialogue: Dialogue) => Promise<string>,
  timeoutMs = 1000,
) {
  await using server = await listen(serve);
  const seen = await runTest(talk(speak), server.target, {}, { timeoutMs });
  await server.idle();
  return { ...seen, text: seen.text.replace(server.target, 'PEER') };
}

const says = (text: string | Buffer) => (socket: Socket) => void socket.write(text);
const line = (dialogue: Dialogue) => dialogue.readLine();

describe('a dialogue', () => {
  test.each([
    ['hello\r\nmore', 'hello'],
    ['hello\nmore', 'hello'],
    ['\r\n', ''],
    ['grüß\r\n', 'grüß'],
    [Buffer.from('gr\xfc\xdf\r\n', 'latin1'), 'grüß'],
    [`${'x'.repeat(4096)}\n`, 'x'.repeat(500).concat('…')],
  ])('reads the line of %j', async (sent, text) => {
    expect(await check(says(sent), line)).toMatchObject({ code: 1, text });
  });

  test('reads a line that comes in pieces', async () => {
    const seen = await check((socket) => {
      socket.write('hel');
      setTimeout(() => socket.write('lo\r'), 20);
      setTimeout(() => socket.write('\n'), 40);
    }, line);
    expect(seen).toMatchObject({ code: 1, text: 'hello' });
  });

  test.each([
    ['a NUL', 'SSH\0', 'PEER sent a NUL byte: this is not the protocol expected'],
    ['a line over 4 KiB', 'x'.repeat(4200), 'PEER sent a line over 4 KiB: this is not the protocol expected'],
    [
      '64 KiB without a line',
      'x'.repeat(65_536),
      'PEER sent a line over 4 KiB: this is not the protocol expected',
    ],
  ])('%s is 3 at once', async (_what, sent, text) => {
    const startedMs = systemClock.monoMs();
    expect(await check(says(sent), line, 60_000)).toMatchObject({ code: 3, text });
    expect(systemClock.monoMs() - startedMs).toBeLessThan(30_000);
  });

  test('the text for a close depends on the bytes before it', async () => {
    const silent = await check((socket) => void socket.end(), line);
    expect(silent).toMatchObject({ code: 3, text: 'PEER closed the connection before it said anything' });
    const half = await check((socket) => void socket.end('half'), line);
    expect(half).toMatchObject({
      code: 3,
      text: 'PEER closed the connection before its answer was complete',
    });
    expect(half.extended['Transcript']).toEqual(['< "half" (no complete line)']);
    const reset = await check((socket) => void socket.resetAndDestroy(), line);
    expect(reset).toMatchObject({ code: 3, text: 'connection reset by PEER' });
  });

  test('what was said before the close is still read', async () => {
    const seen = await check(
      (socket) => void socket.end('one\r\ntwo\r\n'),
      async (dialogue) => {
        const first = await dialogue.readLine();
        return `${first} ${await dialogue.readLine()}`;
      },
    );
    expect(seen).toMatchObject({ code: 1, text: 'one two' });
  });

  test('replies of several lines are read whole, and an unexpected one is quoted', async () => {
    const whole = await check(says('250-mail.example\r\n250-SIZE 1\r\n250 OK\r\n'), async (dialogue) => {
      const reply = await dialogue.expectReply([250]);
      return reply.lines.join('|');
    });
    expect(whole).toMatchObject({ code: 1, text: 'mail.example|SIZE 1|OK' });
    const other = await check(
      says('554 go away\r\n'),
      async (dialogue) => (await dialogue.expectReply([220])).text,
    );
    expect(other).toMatchObject({ code: 3, text: 'expected 220, got "554 go away"' });
    expect(other.extended['Transcript']).toEqual(['< 554 go away']);
    const none = await check(says('hello\r\n'), async (dialogue) => (await dialogue.readReply()).text);
    expect(none).toMatchObject({ code: 3, text: 'PEER sent "hello": this is not the protocol expected' });
  });

  test('the transcript shows both sides, secrets in their masked form', async () => {
    const seen = await check(
      (socket) => {
        socket.write('+OK\r\n');
        socket.on('data', () => socket.write('-ERR no\r\n'));
      },
      async (dialogue) => {
        await dialogue.expectLine('+OK');
        await dialogue.send('PASS sesame', 'PASS ***');
        return dialogue.expectLine(/^\+/);
      },
    );
    expect(seen).toMatchObject({ code: 3, text: 'expected /^\\+/, got "-ERR no"' });
    expect(seen.extended['Transcript']).toEqual(['< +OK', '> PASS ***', '< -ERR no']);
  });

  test('a server that floods is held back, and the rest of the transcript is left out aloud', async () => {
    const seen = await check(
      (socket) => void socket.write('x\r\n'.repeat(300_000)),
      async (dialogue) => {
        for (let i = 0; i < 500; i += 1) await dialogue.readLine();
        await dialogue.expectLine('y');
        return '';
      },
    );
    expect(seen.code).toBe(3);
    expect(seen.extended['Transcript']).toHaveLength(202);
    expect(seen.extended['Transcript']).toContain('… 301 lines left out …');
  });

  test('STARTTLS upgrades in between, and text sent ahead of it is refused', async () => {
    const certificate = makeCertificate();
    const secureContext = createSecureContext({ cert: certificate.cert, key: certificate.key });
    const tls = { settings: { Verify: true, CA: certificate.cert, MinDaysLeft: 0 } };
    const upgrade = async (dialogue: Dialogue) => {
      await dialogue.expectLine('220');
      await dialogue.send('STARTTLS');
      await dialogue.expectLine('220 go');
      await dialogue.startTls(tls);
      await dialogue.send('NOOP');
      return dialogue.readLine();
    };
    const server = (go: string) => (socket: Socket) => {
      socket.write('220 ready\r\n');
      socket.once('data', () => {
        socket.write(go);
        const secured = new TLSSocket(socket, { isServer: true, secureContext });
        secured.on('error', () => {});
        secured.on('data', () => secured.write('250 safe\r\n'));
      });
    };
    const seen = await check(server('220 go\r\n'), upgrade);
    expect(seen, seen.text).toMatchObject({ code: 1, text: '250 safe' });
    expect(seen.phases.ssl).toBeGreaterThan(0);
    const ahead = await check(server('220 go\r\n250 injected\r\n'), upgrade);
    expect(ahead.code).toBe(3);
    expect(ahead.text).toContain('more text after it agreed to STARTTLS');
  });
});
