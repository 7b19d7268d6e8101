import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, codesOf, operation as op, passTime, resultsOf } from '../../src/testing/batch.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };

describe('POST /batch', () => {
  let one: OneAccount;
  let reader: string;
  let duringCheck: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const checkNow = async () => {
      await duringCheck?.();
      return { kind: 'noAgent', message: 'No agent checks it.' } as const;
    };
    one = await startOneAccount({ checkNow });
    reader = (await one.rest.key(one.accountNo, 'UR')).key;
  });
  afterAll(async () => {
    await one[Symbol.asyncDispose]();
  });

  const send = (Operations: readonly object[], more: object = {}, key = one.key) =>
    one.rest.send('POST', '/batch', { key, body: { Operations, ...more } });
  const tagsNamed = async (name: string) => {
    const rows = await one.rest.db.kysely
      .selectFrom('tags')
      .select('tag_id')
      .where('name', '=', name)
      .execute();
    return rows.length;
  };

  it('does requests of all verbs in their order, and shows what each would be answered with', async () => {
    const name = newId();
    const times = { CreatedAt: expect.any(String), UpdatedAt: expect.any(String) };
    const id = await one.create('/tags', { Name: 'before' });
    const reply = await send([
      op('PUT', `/tags/${id}`, { Name: name }),
      op('GET', `/tags/${id}`),
      op('GET', '/tags?Limit=1&Nonsense=1'),
      op('POST', '/tags', { Name: '' }),
      op('DELETE', `/tags/${id}`),
      op('GET', `/tags/${id}`),
      op('POST', `/tags/${id}`),
      op('GET', '/nowhere'),
      op('GET', '/tags/%zz'),
      op('GET', '/hello'),
    ]);
    expect(reply.status).toBe(200);
    expect(resultsOf(reply)[1]).toEqual({
      Status: 200,
      Body: { tag_id: id, Name: name, ExternalKey: null, Source: null, Devices: [], ...times },
    });
    expect(codesOf(reply)).toEqual([200, 200, 1004, 1004, 200, 1003, 1000, 1000, 1003, 200]);
    expect(resultsOf(reply)[6]?.Body).toMatchObject({
      message: 'POST is not supported here; supported: DELETE, GET, HEAD, PUT.',
    });
    expect(resultsOf(reply)[9]?.Body).toContain('Hello 127.0.0.1');
  });

  it('is open to every key; each operation needs the level of its route', async () => {
    const reply = await send([op('GET', '/tags'), op('POST', '/tags', { Name: 'a' })], {}, reader);
    expect([reply.status, codesOf(reply)]).toEqual([200, [200, 1002]]);
    const revoked = await one.rest.key(one.accountNo, 'UW');
    expect(codeOf((await send([op('GET', '/tags')], {}, 'unknown')).json)).toBe(1001);
    expect(codesOf(await send([op('GET', '/tags')], {}, revoked.key))).toEqual([200]);
  });

  it.each([
    [
      'a batch in a batch',
      op('POST', '/batch', { Operations: [op('GET', '/tags')] }),
      'a batch cannot hold a batch',
    ],
    ['a stream', op('GET', '/events?stream=Y'), 'stream'],
    ['another form', op('GET', '/tags?fmt=csv'), 'fmt must be json here'],
    ['a key of its own', op('GET', '/tags?api_key=x'), 'the key of the batch counts'],
  ])('refuses %s', async (_, operation, text) => {
    const [result] = resultsOf(await send([operation, op('GET', '/tags')]));
    expect([result?.Status, JSON.stringify(result?.Body)]).toEqual([400, expect.stringContaining(text)]);
  });

  it.each([
    ['no operation', { Operations: [] }, 1004, 'Operations'],
    [
      '1,001 operations',
      { Operations: Array.from({ length: 1_001 }, () => op('GET', '/tags')) },
      1004,
      'Operations',
    ],
    ['headers', { Operations: [{ ...op('GET', '/tags'), Headers: { 'If-Match': '*' } }] }, 1004, 'Headers'],
    ['another verb', { Operations: [op('PATCH', '/tags')] }, 1004, 'Operations.0.Method'],
    ['an address', { Operations: [op('GET', 'https://a.example/')] }, 1004, 'for example /devices?Limit=5'],
    [
      'a body that is a list',
      { Operations: [{ ...op('POST', '/tags'), Body: [] }] },
      1004,
      'must be a JSON object',
    ],
    [
      'over 4 MiB',
      { Operations: [op('POST', '/tags', { Name: 'x'.repeat(4_200_000) })] },
      1000,
      '4194304 bytes',
    ],
    [
      'over 100,000 values',
      { Operations: [op('POST', '/tags', { Name: Array(100_001).fill(1) })] },
      1000,
      '100000 values',
    ],
  ])('is refused as a whole with %s', async (_, body, code, text) => {
    const reply = await one.send('POST', '/batch', body);
    expect([reply.status, codeOf(reply.json), reply.text]).toEqual([
      400,
      code,
      expect.stringContaining(text),
    ]);
  });

  it('judges the body of an operation like a body of its own, with the same texts', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`);
    const bodies = [
      { Name: 'x'.repeat(1_100_000) },
      { Name: Array(5_001).fill(1) },
      { Name: deep },
      { Name: 'a\0b' },
      { Name: '\ud800' },
      JSON.parse('{"__proto__": 1}'),
      { name: 'a' },
    ];
    const results = resultsOf(await send(bodies.map((body) => op('POST', '/tags', body))));
    for (const [at, body] of bodies.entries())
      expect(results[at]?.Body).toEqual((await one.send('POST', '/tags', body)).json);
  });

  it('records every change with its caller, and a caller that leaves gets no further operation', async () => {
    one.rest.recorded.length = 0;
    await send([op('POST', '/tags', { Name: 'r1' }), op('POST', '/tags', { Name: 'r2' })]);
    expect(one.rest.recorded.map(({ changes }) => changes.length)).toEqual([1, 1]);
    const id = await one.create('/devices', device);
    const leaving = new AbortController();
    duringCheck = async () => leaving.abort();
    const left = fetch(`${one.rest.baseUrl}/batch`, {
      method: 'POST',
      headers: {
        'X-Forwarded-Proto': 'https',
        'Service-API-Key': one.key,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({
        Operations: [
          op('POST', `/devices/${id}/check`),
          ...Array(50).fill(op('POST', '/tags', { Name: 'left' })),
        ],
      }),
      signal: leaving.signal,
    });
    await expect(left).rejects.toThrow();
    duringCheck = undefined;
    await send([op('GET', '/tags')]); // one batch of an account at a time
    expect(await tagsNamed('left')).toBeLessThan(50);
  });

  it('leaves operations undone after a minute, and says so', async () => {
    const id = await one.create('/devices', device);
    duringCheck = () => passTime([one.rest], 61_000);
    const reply = await send([op('POST', `/devices/${id}/check`), op('POST', '/tags', { Name: 'late' })]);
    duringCheck = undefined;
    expect(codesOf(reply)).toEqual([1005, 1006]);
    expect(resultsOf(reply)[1]).toMatchObject({
      Status: 429,
      Body: { message: expect.stringContaining('60 s') },
    });
    expect(await tagsNamed('late')).toBe(0);
  });

  it('answers about 4 MiB at most, and leaves the operations after that undone', async () => {
    const reply = await send(Array.from({ length: 200 }, () => op('GET', '/openapi.json')));
    const codes = codesOf(reply);
    expect([codes[0], codes.at(-1)]).toEqual([200, 1006]);
    expect(reply.text.length).toBeLessThan(6 * 1024 * 1024);
  });

  it('keeps no other key waiting: their requests are answered between the operations', async () => {
    const neighbour = await one.rest.account(newId());
    const { key } = await one.rest.key(neighbour.accountNo, 'UW');
    let done = false;
    const great = send(Array.from({ length: 1_000 }, () => op('GET', '/account'))).finally(() => {
      done = true;
    });
    let answered = 0;
    while (!done) {
      const reply = await one.rest.send('GET', '/tags', { key });
      expect(reply.status).toBe(200);
      if (!done) answered += 1;
    }
    expect(codesOf(await great)).toHaveLength(1_000);
    expect(answered).toBeGreaterThan(0);
  });
});
