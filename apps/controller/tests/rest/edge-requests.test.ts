import { readFileSync } from 'node:fs';
import { methods } from '@vantage/domain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startOneAccount } from '../../src/testing/one-account.ts';
import { device } from '../../src/testing/wrong-requests.ts';

/** A request with its answer, as `testing/edge-requests.txt` has it. */
interface Edge {
  readonly request: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly answer: string;
}

function readEdges(): readonly Edge[] {
  const text = readFileSync(new URL('edge-requests.txt', import.meta.url), 'utf8');
  return text
    .split('\n\n')
    .map((part) => part.split('\n').filter((line) => line !== '' && !line.startsWith('# ')))
    .filter((lines) => lines.length > 0)
    .map(([request = '', ...lines]) => {
      const body = lines.find((line) => line.startsWith('{') || line.startsWith('raw '));
      const headers = lines.filter((line) => line !== body && !line.startsWith('=> '));
      return {
        request,
        headers: Object.fromEntries(
          headers.map((line) => {
            const colon = line.indexOf(':');
            return [line.slice(0, colon), line.slice(colon + 1).trim()];
          }),
        ),
        body: body?.startsWith('raw ') ? z.string().parse(JSON.parse(body.slice(4))) : body,
        answer: lines.at(-1)?.slice('=> '.length) ?? '',
      };
    });
}

test('edge requests have the answers that are written down', async () => {
  await using one = await startOneAccount();
  await one.create('/tags', { Name: 'shop' });
  const id = await one.create('/devices', { ...device, ShortName: 'first', Tags: ['shop'] });
  const none = '0123456789abcdef'.repeat(3);
  const tag = (await one.send('GET', `/devices/${id}`)).headers.get('etag') ?? '';
  const fill = (text: string) =>
    text
      .replaceAll('UPPERID', id.toUpperCase())
      .replaceAll(/\bNONE\b/g, none)
      .replaceAll(/\bID\b/g, id)
      .replaceAll('KEYUP', one.key.toUpperCase())
      .replaceAll(/\bKEY\b/g, one.key)
      .replaceAll(/\bETAG\b/g, tag);
  const quotedMethods = methods.map((method) => `"${method}"`).join(', ');
  const edges = readEdges();
  const answers: Edge[] = [];
  for (const edge of edges) {
    const [method = '', path = ''] = edge.request.split(' ');
    const key = edge.headers['Service-API-Key'] ?? one.key;
    const json = edge.body === undefined ? {} : { 'Content-Type': 'application/json' };
    const headers = Object.entries({ ...json, ...edge.headers }).map(([name, value]) => [name, fill(value)]);
    const {
      status,
      headers: got,
      json: problem,
    } = await one.send(method, fill(path), undefined, {
      key: fill(key),
      headers: Object.fromEntries(headers),
      ...(edge.body === undefined ? {} : { raw: fill(edge.body) }),
    });
    const refusal = z.object({ code: z.int(), message: z.string() }).safeParse(problem).data;
    const form = (got.get('content-type') ?? '').split(';')[0]?.replace('application/json', '') ?? '';
    const good = [status, form, got.get('content-encoding') ?? ''].filter((part) => part !== '').join(' ');
    const answer = refusal === undefined ? good : `${refusal.code} ${refusal.message}`;
    answers.push({
      ...edge,
      answer: answer
        .replaceAll(id, 'ID')
        .replaceAll(none, 'NONE')
        .replaceAll(one.key, 'KEY')
        .replaceAll(/"[0-9a-f]{16}\.[0-9a-f]{16}"/g, 'ETAG')
        .replaceAll(/[0-9a-f]{48}/g, '…')
        .replaceAll(quotedMethods, 'QUOTEDMETHODS')
        .replaceAll(methods.join(', '), 'METHODS'),
    });
  }
  expect(edges.length).toBeGreaterThan(400);
  expect(answers).toEqual(edges);
});
