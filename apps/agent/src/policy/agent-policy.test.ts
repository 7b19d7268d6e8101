import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { type Method, methods } from '@vantage/domain';
import { createDial, createNames, probeFor } from '@vantage/probes';
import { listen, runTest, serveNames, speakLines } from '@vantage/probes/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oddLocations, oddNames, oddV4, oddV6 } from '../testing/equivalent-addresses.ts';
import type { AgentPolicy } from './agent-policy.ts';
import { loadPolicy } from './policy-file.ts';

/** The one machine that may be touched; all that is forbidden stands on the loopback addresses proper. */
const allowed = '127.0.0.2';

function policyOf(file: object): AgentPolicy {
  const loaded = loadPolicy(JSON.stringify(file));
  if (!loaded.ok) throw new Error(loaded.problems.join('; '));
  return loaded.policy;
}

const strict = policyOf({ Networks: { Deny: ['127.0.0.1', '::1'] } });
const open = policyOf({});

interface Trap extends AsyncDisposable {
  readonly port: number;
  readonly hits: () => number;
}

/** Counts whatever comes to 127.0.0.1 and ::1 at one port, by TCP or UDP. */
async function startTrap(): Promise<Trap> {
  const page = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  const four = await listen((socket) => void socket.end(page));
  const { port } = four;
  const others: AsyncDisposable[] = [four];
  let besides = 0;
  const count = () => {
    besides += 1;
  };
  const six = createServer((socket) => {
    count();
    socket.on('error', () => {}).resume();
    socket.end(page);
  });
  // A machine without IPv6 has no ::1 to be trapped at.
  const hasSix = await new Promise<boolean>((resolve) => {
    six.once('error', () => resolve(false)).listen(port, '::1', () => resolve(true));
  });
  if (hasSix) others.push({ [Symbol.asyncDispose]: () => new Promise((done) => six.close(() => done())) });
  for (const [type, address] of [
    ['udp4', '127.0.0.1'],
    ['udp6', '::1'],
  ] as const) {
    if (type === 'udp6' && !hasSix) continue;
    const socket = createSocket(type).on('message', count);
    await new Promise<void>((resolve) => socket.bind(port, address, resolve));
    others.push({ [Symbol.asyncDispose]: () => new Promise((done) => socket.close(() => done())) });
  }
  return {
    port,
    hits: () => four.hits + besides,
    async [Symbol.asyncDispose]() {
      for (const each of others) await each[Symbol.asyncDispose]();
    },
  };
}

describe('what the policy forbids is not touched', () => {
  let trap: Trap;
  let names: Awaited<ReturnType<typeof serveNames>>;
  /** Set by a test: the addresses that `rebind.test` has, one after the other. */
  let rebinding: string[] = [];
  beforeAll(async () => {
    trap = await startTrap();
    names = await serveNames(({ name, type }) => {
      const v4 = (data: string) => (type === 'A' ? [{ type: 'A' as const, name, data }] : []);
      const v6 = (data: string) => (type === 'AAAA' ? [{ type: 'AAAA' as const, name, data }] : []);
      switch (name.toLowerCase()) {
        case 'four.test':
        case 'alias.test':
          return { answers: v4('127.0.0.1') };
        case 'six.test':
          return { answers: v6('::1') };
        case 'mapped.test':
          return { answers: v6('::ffff:127.0.0.1') };
        case 'nat64.test':
          return { answers: v6('64:ff9b::7f00:1') };
        case 'unspecified.test':
          return { answers: [...v4('0.0.0.0'), ...v6('::')] };
        case 'both.test':
          return { answers: [...v4('127.0.0.1'), ...v4(allowed), ...v6('::1')] };
        case 'rebind.test':
          return type === 'A' ? { answers: v4(rebinding.shift() ?? '127.0.0.1') } : { answers: [] };
        default:
          return { rcode: 3 };
      }
    });
  });
  afterAll(async () => {
    await trap[Symbol.asyncDispose]();
    await names[Symbol.asyncDispose]();
  });

  const look = async (
    method: Method,
    url: string,
    policy: AgentPolicy,
    options: unknown = {},
    timeoutMs = 20_000,
  ) => {
    const probe = probeFor(method);
    if (!probe) throw new Error(`no probe for ${method}`);
    if (!probe.parseTarget(url).ok) return undefined;
    const dial = createDial({ names: createNames({ servers: [names.target] }) });
    return runTest(probe, url, options, { policy, dial, timeoutMs });
  };
  const urlOf = (method: Method, where: string) =>
    ({ HTTP: `http://${where}/`, DNS: `dns://${where}/x.example` })[String(method)] ?? where;
  const networked = methods.filter((method) => method !== 'Script' && method !== 'PING');
  const hosts = [...oddV4, ...oddV6.map((each) => `[${each}]`), ...oddNames(allowed)];

  test('by none of 150 spellings and no method', async () => {
    expect(hosts.length).toBeGreaterThanOrEqual(150);
    const before = trap.hits();
    for (const method of networked) {
      const seen = await Promise.all(
        hosts.map((host) => look(method, urlOf(method, `${host}:${trap.port}`), strict)),
      );
      const good = hosts.filter((_host, at) => seen[at]?.code === 1);
      expect(good, method).toEqual([]);
    }
    expect(trap.hits() - before).toBe(0);
  });

  test('the very same spellings reach it where nothing is forbidden', async () => {
    const before = trap.hits();
    const seen = await Promise.all(
      hosts.map((host) => look('HTTP', `http://${host}:${trap.port}/`, open, {}, 10_000)),
    );
    expect(seen.filter((each) => each?.code === 1).length).toBeGreaterThan(100);
    expect(trap.hits() - before).toBeGreaterThan(100);
  });

  test('PING sends nothing to it', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'four.test', '0.0.0.0', '::1', '::ffff:127.0.0.1']) {
      expect(await look('PING', host, strict, { Count: 1 }), host).toMatchObject({ code: 9 });
    }
  });

  test('by no redirect', async () => {
    const locations = [
      ...hosts.map((host) => `http://${host}:${trap.port}/`),
      ...oddLocations(allowed, trap.port),
    ];
    const before = trap.hits();
    const good: string[] = [];
    await Promise.all(
      locations.map(async (location) => {
        const serve = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
        await using site = await listen(
          (socket) => void socket.once('data', () => socket.end(serve)),
          allowed,
        );
        const seen = await look('HTTP', `http://${site.target}/`, strict);
        if (seen?.code === 1) good.push(location);
      }),
    );
    expect(good).toEqual([]);
    expect(trap.hits() - before).toBe(0);
  });

  test('by no name whose address changes: the policy judges each connect by its actual address', async () => {
    const before = trap.hits();
    rebinding = [allowed];
    await using site = await listen(
      (socket) =>
        void socket.once('data', () =>
          socket.end(
            `HTTP/1.1 302 Found\r\nLocation: http://rebind.test:${trap.port}/\r\nContent-Length: 0\r\n\r\n`,
          ),
        ),
      allowed,
    );
    expect(await look('HTTP', `http://rebind.test:${site.port}/`, strict)).toMatchObject({ code: 9 });
    expect(site.hits).toBe(1);
    expect(trap.hits() - before).toBe(0);
  });

  test('where a name has several addresses, only the allowed ones are tried', async () => {
    const before = trap.hits();
    await using site = await listen(() => {}, allowed);
    const seen = await look('TCP', `both.test:${site.port}`, strict);
    expect(seen).toMatchObject({ code: 1, extended: { Address: site.target } });
    expect(await look('TCP', `both.test:${trap.port}`, strict)).toMatchObject({ code: 3 });
    expect(trap.hits() - before).toBe(0);
  });

  test('by no proxy, neither as the proxy nor behind one', async () => {
    const before = trap.hits();
    await using proxy = await listen((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'), allowed);
    for (const url of [`http://${allowed}:1/`, `https://${allowed}:1/`]) {
      const through = { Proxy: `http://localhost:${trap.port}` };
      expect(await look('HTTP', url, strict, through)).toMatchObject({ code: 9 });
    }
    for (const host of ['127.0.0.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const through = { Proxy: `http://${proxy.target}` };
      expect(await look('HTTP', `http://${host}:${trap.port}/`, strict, through), host).toMatchObject({
        code: 9,
      });
      expect(await look('HTTP', `https://${host}:${trap.port}/`, strict, through), host).toMatchObject({
        code: 9,
      });
    }
    expect(proxy.hits).toBe(0);
    expect(trap.hits() - before).toBe(0);
  });

  test('by no address that an FTP server sends', async () => {
    const before = trap.hits();
    const [high, low] = [trap.port >> 8, trap.port & 255];
    for (const passive of [`227 (127,0,0,1,${high},${low})`, '229 (|||%|)'.replace('%', String(trap.port))]) {
      await using server = await listen(
        speakLines({
          greeting: '220 hello',
          answer: (line) =>
            ({
              USER: '331 who',
              PASS: '230 in',
              PASV: passive,
              EPSV: passive.startsWith('229') ? passive : '500 no',
            })[line.split(' ')[0] ?? ''] ?? '500 no',
        }),
        allowed,
      );
      // Nobody listens at the allowed machine's port of that number.
      const seen = await look('FTP', `ftp://${server.target}`, strict, { List: true });
      expect(seen).toMatchObject({ code: 3, text: `connection refused by ${allowed}:${trap.port}` });
    }
    expect(trap.hits() - before).toBe(0);
  });

  test('by no DNS server that a check asks or compares with', async () => {
    const before = trap.hits();
    for (const Transport of ['UDP', 'TCP', 'TLS']) {
      for (const Server of [`127.0.0.1:${trap.port}`, `localhost:${trap.port}`, `[::1]:${trap.port}`]) {
        const seen = await look('DNS', 'x.example', strict, { Server, Transport });
        expect(seen, `${Server} ${Transport}`).toMatchObject({ code: 9 });
      }
    }
    await using honest = await listen((socket) => {
      socket.once('data', (query) => {
        // The same packet as an answer: NOERROR with one SOA, its name a pointer to the question's.
        const answer = Buffer.from(query.subarray(2, query.indexOf(0, 14) + 5));
        answer.writeUInt16BE(0x8180, 2);
        answer.writeUInt16BE(1, 6);
        answer.writeUInt16BE(0, 10);
        const soa = Buffer.concat([Buffer.from('c00c000600010000000000160000', 'hex'), Buffer.alloc(20)]);
        const whole = Buffer.concat([answer, soa]);
        socket.end(Buffer.concat([Buffer.of(whole.length >> 8, whole.length & 255), whole]));
      });
    }, allowed);
    const compare = { Transport: 'TCP', CompareSOAWith: [`127.0.0.1:${trap.port}`] };
    const seen = await look('DNS', `dns://${honest.target}/x.example?type=SOA`, strict, compare);
    expect(seen).toMatchObject({ code: 9 });
    expect(honest.hits).toBe(1);
    expect(trap.hits() - before).toBe(0);
  });

  test('by no script', async () => {
    const before = trap.hits();
    const calls = [
      `http({ url: 'http://localhost:${trap.port}/' })`,
      `tcp({ host: '0.0.0.0', port: ${trap.port} })`,
      `tls({ host: '::ffff:127.0.0.1', port: ${trap.port} })`,
      `smtp({ host: 'four.test', port: ${trap.port} })`,
      `dns({ name: 'x.example', server: '127.0.0.1:${trap.port}' })`,
    ];
    for (const call of calls) {
      const seen = await look('Script', `await ${call}`, strict);
      expect(seen, call).toMatchObject({ code: 9 });
    }
    expect(trap.hits() - before).toBe(0);
  });
});
