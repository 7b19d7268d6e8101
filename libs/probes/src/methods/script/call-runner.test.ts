import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createSecureContext } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { checkFunctions } from '../../engine/registry.ts';
import { addressOf, listen, makeCertificate, speakLines } from '../../testing/index.ts';
import { createScriptTrial } from '../../testing/script-trial.ts';

const trial = createScriptTrial();
afterAll(() => trial[Symbol.dispose]());

const documents = new URL('../../../../../docs/script/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, documents), 'utf8');

/** Runs an example with its places replaced by those of the test. */
async function runExample(
  name: string,
  places: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
) {
  const text = Object.entries(places).reduce((left, [from, to]) => {
    expect(left).toContain(from);
    return left.replaceAll(from, to);
  }, read(name));
  return trial.run(text, { timeoutMs: 20_000, secrets });
}

async function serveHttp(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${addressOf(server.address()).port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server with a login form; the password is `open&sesame`. */
const shop: RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    const { cookie } = request.headers;
    if (request.url === '/login' && request.method === 'GET') {
      response.setHeader('Set-Cookie', 'sid=1; Path=/');
      response.end('<form><input name="csrf" value="c+1"></form>');
    } else if (request.url === '/login') {
      const form = new URLSearchParams(body);
      const good = cookie === 'sid=1' && form.get('csrf') === 'c+1' && form.get('password') === 'open&sesame';
      response.writeHead(302, { Location: good ? '/account' : '/login?again', 'Set-Cookie': 'sid=2' }).end();
    } else response.end(cookie === 'sid=2' ? 'Sign out' : 'Sign in');
  });
};

test('the login flow logs in, and says so when the password is not taken', async () => {
  await using server = await serveHttp(shop);
  const places = { 'https://shop.example': server.base };
  const good = await runExample('login-flow.js', places, { SHOP_PASSWORD: 'open&sesame' });
  expect(good, good.text).toMatchObject({ code: 1, text: 'the script ended well after 3 calls' });
  const bad = await runExample('login-flow.js', places, { SHOP_PASSWORD: 'wrong' });
  expect(bad).toMatchObject({ code: 4, text: 'the password was not taken' });
});

test('the API chain makes, reads and deletes an order', async () => {
  const orders = new Map<string, string>();
  await using server = await serveHttp((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const id = request.url?.split('/orders/')[1];
      const order = id === undefined ? undefined : orders.get(id);
      if (request.url === '/v2/token') {
        response.end(body === '{"client":"monitor","secret":"s-42"}' ? '{"token":"t"}' : '{}');
      } else if (request.headers.authorization !== 'Bearer t') response.writeHead(401).end();
      else if (request.method === 'POST') {
        orders.set('7', body);
        response.writeHead(201).end('{"id":"7"}');
      } else if (id === undefined || order === undefined) response.writeHead(404).end();
      else if (request.method === 'DELETE') {
        orders.delete(id);
        response.writeHead(204).end();
      } else response.end(order);
    });
  });
  const places = { 'https://api.example': server.base };
  const seen = await runExample('api-chain.js', places, { API_SECRET: 's-42' });
  expect(seen, seen.text).toMatchObject({ code: 1, extended: { Log: ['order 7'] } });
  expect(orders.size).toBe(0);
});

test('the mail round trip sends a mail, waits for it and removes it', async () => {
  const { cert, key } = makeCertificate();
  const secureContext = createSecureContext({ cert, key });
  const mail: string[] = [];
  const searches: string[] = [];
  const commands: string[] = [];
  await using smtp = await listen(
    speakLines({
      greeting: '220 ready',
      tls: { secureContext, startsAfter: /^STARTTLS$/ },
      answer(line, said) {
        if (said.includes('DATA') && !said.includes('.')) {
          mail.push(line);
          return line === '.' ? '250 queued' : undefined;
        }
        if (line.startsWith('EHLO')) return '250-x\r\n250-STARTTLS\r\n250 AUTH PLAIN';
        if (line.startsWith('AUTH')) return '235 ok';
        return line === 'DATA' ? '354 go on' : line === 'STARTTLS' ? '220 go' : '250 ok';
      },
    }),
  );
  await using imap = await listen(
    speakLines({
      greeting: '* OK ready',
      tls: { secureContext },
      answer(line) {
        const tag = line.split(' ')[0] ?? '';
        if (line.includes('SEARCH')) {
          searches.push(line);
          return `* SEARCH${searches.length > 1 ? ' 12' : ''}\r\n${tag} OK`;
        }
        commands.push(line);
        return `${tag} OK`;
      },
    }),
  );
  const places = {
    "host: 'smtp.example', port: 587": `host: '127.0.0.1', port: ${smtp.port}`,
    "mode: 'StartTLS'": "mode: 'StartTLS', verify: false",
    "host: 'imap.example', port: 993": `host: '127.0.0.1', port: ${imap.port}, verify: false`,
  };
  const seen = await runExample('mail-round-trip.js', places, { MAIL_PASSWORD: 'pass "9"' });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  const subject = mail.find((line) => line.startsWith('Subject: '))?.slice(9);
  expect(subject).toMatch(/^vantage-\d+-\d+$/);
  expect(searches).toEqual([`a3 SEARCH SUBJECT "${subject}"`, `a3 SEARCH SUBJECT "${subject}"`]);
  expect(commands).toContain('a1 LOGIN "monitor@mail.example" "pass \\"9\\""');
  expect(commands).toContain('a3 STORE 12 +FLAGS (\\Deleted)');
  expect(JSON.stringify(seen)).not.toContain('pass \\"9');
});

test('the declarations name every function that a script has, and no other', () => {
  const declared = [...read('vantage-script.d.ts').matchAll(/declare function (\w+)/g)].map(
    (each) => each[1],
  );
  const own = ['expect', 'step', 'log', 'value', 'secret', 'sleep'];
  expect(new Set(declared)).toEqual(new Set([...checkFunctions.keys(), ...own]));
});
