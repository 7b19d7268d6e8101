import { threadCpuMs } from '@vantage/kernel/testing';
import {
  acceptedExamples,
  isBounded,
  pumpedTexts,
  type SchemaText,
  textFields,
} from '@vantage/probes/testing';
import type { Route } from '@vantage/rest-kit/route';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

const maxCpuMs = 50;
/** A request's line and headers end at 16 KiB; percent-encoding takes up to nine characters for one. */
const longestQuery = 14_000;
const textsOfField = 40;
/** A text over the field's limit is judged by its length alone, whatever it is made of: so few show that. */
const textsOverLimit = 4;

/** One place of a request that takes a text. */
interface Place {
  readonly name: string;
  readonly texts: readonly string[];
  readonly send: (text: string) => Promise<unknown>;
}

describe('a text of 20,000 characters', () => {
  let rest: RestFixture;
  let sample: SampleAccount;
  let key: string;
  beforeAll(async () => {
    rest = await createRestFixture({
      checkNow: async () => ({ kind: 'done', checkId: sample.ids['check_id'] ?? '' }),
    });
    const account = await rest.account('one');
    ({ key } = await rest.key(account.accountNo, 'UW'));
    sample = await createSampleAccount(rest, account, key);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const fieldsOf = (schema: Route['body']) => (schema === undefined ? [] : textFields(schema));
  const pathOf = (route: Route, id?: string) =>
    route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => id ?? sample.ids[name] ?? '');
  /** Some of them, spread over all ways to pump. */
  const someOf = (texts: readonly string[], count = textsOfField) => {
    const step = Math.max(1, Math.floor(texts.length / count));
    return texts.filter((_, at) => at % step === 0);
  };
  const textsFor = (field: SchemaText) => {
    const most = field.schema.maxLength ?? 0;
    const all = acceptedExamples(field).flatMap((each) => pumpedTexts(each, most));
    const within = all.filter((text) => text.length <= most);
    const over = all.filter((text) => text.length > most);
    const share = within.length / all.length;
    return [...someOf(within, Math.max(1, textsOfField * share)), ...someOf(over, textsOverLimit)];
  };

  /** The places of all routes; a field that several routes share is tried at the first. */
  const places = (): readonly Place[] => {
    const tried = new Set<unknown>();
    const isNew = (it: unknown) => !tried.has(it) && tried.add(it);
    return rest.routes.flatMap((route) => {
      const { method } = route;
      const named = `${method} ${route.path}`;
      const body = fieldsOf(route.body).filter(({ schema }) => isNew(schema));
      const query = fieldsOf(route.query).filter(({ schema }) => isNew(schema));
      const ids = route.path.includes('{') ? [pumpedTexts('ab'.repeat(24), 48)] : [];
      return [
        ...body.map((field) => ({
          name: `${named} ${field.name}`,
          texts: textsFor(field),
          send: (text: string) => {
            const given = field.put(text);
            const whole = { Method: 'HTTP', URL: 'http://a.example/', ShortName: 'a', ...Object(given) };
            return rest.send(method, pathOf(route), { key, body: route.path === '/devices' ? whole : given });
          },
        })),
        ...query.map((field) => ({
          name: `${named}?${field.name}`,
          texts: textsFor(field),
          send: (text: string) => {
            const given = encodeURIComponent(text.toWellFormed()).slice(0, longestQuery);
            return rest.send(method, `${pathOf(route)}?${field.name}=${given}`, { key });
          },
        })),
        ...ids.map((texts) => ({
          name: `${named} id`,
          texts: someOf(texts).filter((_, at) => at % 8 === 0),
          send: (text: string) =>
            rest.send(method, pathOf(route, encodeURIComponent(text.toWellFormed()).slice(0, longestQuery)), {
              key,
            }),
        })),
      ];
    });
  };

  it('is judged by its length first, in every field of every route', () => {
    const fields = rest.routes.flatMap((route) =>
      [...fieldsOf(route.body), ...fieldsOf(route.query)]
        .filter(({ schema }) => !isBounded(schema))
        .map(({ name }) => `${route.method} ${route.path} ${name}`),
    );
    expect(fields).toEqual([]);
    expect(places().length).toBeGreaterThan(30);
  });

  it('costs no more than 50 ms, in every field of every route', async () => {
    for (const { name, texts, send } of places()) {
      for (const text of texts.slice(0, 3)) await send(text); // until the code is compiled
      for (const text of texts) {
        const cpuMs = await threadCpuMs(maxCpuMs, () => send(text));
        expect(cpuMs, `${name}: ${JSON.stringify(text.slice(0, 80))}`).toBeLessThan(maxCpuMs);
      }
    }
  }, 300_000);
});
