import { newId } from '@vantage/kernel';
import { registry } from '@vantage/probes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { type Reply, type Rest, startRest } from './testing/rest.ts';
import { createSampleAccount, type SampleAccount } from './testing/sample-account.ts';

const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema }));
const documentShape = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        requestBody: z.object({ content }).optional(),
        responses: z.record(z.string(), z.object({ content })),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});
type Document = z.output<typeof documentShape>;

const goodBodies: Readonly<Record<string, object>> = {
  'POST /devices': { Method: 'TCP', URL: 'example.org:80', ShortName: 'new' },
  'POST /tags': { Name: 'new' },
  'PUT /tags/{tag_id}': { Name: 'other' },
  'POST /secrets': { Name: 'new', Value: 'v' },
};

describe('the OpenAPI document', () => {
  let rest: Rest;
  let sample: SampleAccount;
  let key: string;
  let document: Document;

  beforeAll(async () => {
    rest = await startRest({
      checkNow: async () => ({ kind: 'done', checkId: sample.ids['check_id'] ?? '' }),
    });
    const account = await rest.account('one');
    key = (await rest.key(account.accountNo, 'UW')).key;
    sample = await createSampleAccount(rest, account, key);
    document = documentShape.parse((await rest.send('GET', '/openapi.json')).json);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const send = (route: Route, query: string, body: unknown, ids: Readonly<Record<string, string>>) =>
    rest.send(
      route.method,
      `${route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? newId())}${query}`,
      { key, ...(body === undefined ? {} : { body }) },
    );
  const operationOf = ({ method, path }: Route) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${method} ${path} is not in the document`);
    return operation;
  };
  /** What in the answer the document does not allow; empty when it agrees. */
  const disagreement = (route: Route, reply: Reply): string => {
    const type = (reply.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const described = operationOf(route).responses[String(reply.status)]?.content[type];
    if (described === undefined)
      return `${route.method} ${route.path}: ${reply.status} ${type} is not described`;
    const result = toZod(described.schema, document).safeParse(
      type === 'application/json' ? reply.json : reply.text,
    );
    return result.success ? '' : `${route.method} ${route.path}: ${result.error.message} in ${reply.text}`;
  };

  it('names every route once, each with an operation id of its own', () => {
    const ids = rest.routes.map((route) => operationOf(route).operationId);
    expect(new Set(ids).size).toBe(rest.routes.length);
    expect(Object.values(document.paths).flatMap((path) => Object.keys(path)).length).toBe(
      rest.routes.length,
    );
  });

  it('describes the Options of every Method', () => {
    expect(document.components.schemas['OptionsTCP']).toMatchObject({ type: 'object' });
    expect(JSON.stringify(document.components.schemas['DeviceCreate'])).toContain(
      '#/components/schemas/OptionsTCP',
    );
    for (const [, target = ''] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(Object.keys(document.components.schemas)).toContain(target);
  });

  it('asks for no Option: each has a default or may be absent', () => {
    for (const method of Object.keys(registry))
      expect([method, document.components.schemas[`Options${method}`]]).toEqual([
        method,
        expect.not.objectContaining({ required: expect.anything() }),
      ]);
  });

  it('agrees with every answer, good and bad', async () => {
    const order = [...rest.routes].sort(
      // What is deleted is not asked for later.
      (a, b) =>
        Number(a.method === 'DELETE') - Number(b.method === 'DELETE') || b.path.length - a.path.length,
    );
    for (const route of order) {
      const unknown = await send(route, '', undefined, {});
      const badForm = await send(route, '?fmt=yaml', undefined, {});
      const badBody = route.body === undefined ? [] : [await send(route, '', { Nonsense: 1 }, sample.ids)];
      const badQuery = await send(
        route,
        '?Limit=0&Timestamp=x&Timestamp1=x&Filter=x&Bucket=x',
        undefined,
        {},
      );
      for (const reply of [unknown, badForm, ...badBody, badQuery])
        expect(disagreement(route, reply)).toBe('');
      const good = await send(route, '', goodBodies[`${route.method} ${route.path}`], sample.ids);
      expect([route.path, good.status, good.text.slice(0, 500)]).toEqual([
        route.path,
        200,
        expect.anything(),
      ]);
      expect(disagreement(route, good)).toBe('');
      expect(() =>
        route.response.parse(route.mediaType === 'text/plain' ? good.text : good.json),
      ).not.toThrow();
    }
  });
});

/** A schema of the document as zod reads it. */
function toZod(part: Record<string, unknown>, document: Document): z.ZodType {
  const whole = { ...part, $defs: document.components.schemas };
  const local = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(local));
}
