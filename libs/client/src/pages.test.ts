import { expect, test } from 'vitest';
import { type Page, pages } from './pages.ts';

const first = 'https://monitor.example.com/v1.1/devices?Limit=1';

/** A list of `total` rows, one for each page. */
async function send(request: Request, total = 3): Promise<Response> {
  request.signal.throwIfAborted();
  const at = Number(new URL(request.url).searchParams.get('After') ?? 0);
  const link = `</v1.1/devices?Limit=1&After=${at + 1}>; rel="next"`;
  return Response.json([at], at + 1 < total ? { headers: { Link: link } } : {});
}

async function walk(from: string, most: number): Promise<Page[]> {
  const walked: Page[] = [];
  for await (const page of pages((request) => send(request), from, { most })) walked.push(page);
  return walked;
}

test('a list comes whole, and a bounded walk is resumed where it ended', async () => {
  expect((await walk(first, 9)).map((page) => page.body)).toEqual([[0], [1], [2]]);
  const begun = await walk(first, 2);
  expect((await walk(begun[1]?.next ?? '', 9)).map((page) => page.body)).toEqual([[2]]);
});

test('a refusal has its code and fields, and a foreign page its status', async () => {
  const problem = {
    code: 1004,
    reason: 'bad_value',
    message: 'Limit',
    errors: [{ field: 'Limit', message: 'must be digits only' }],
  };
  const refused = pages(async () => Response.json(problem, { status: 400 }), first, { most: 1 }).next();
  await expect(refused).rejects.toMatchObject({
    status: 400,
    code: 1004,
    reason: 'bad_value',
    fields: problem.errors,
  });
  const foreign = pages(async () => new Response('<html>', { status: 502 }), first, { most: 1 }).next();
  await expect(foreign).rejects.toMatchObject({ status: 502, code: undefined });
});

test('a link with the public address is followed at the address of the client, and an abort ends the walk', async () => {
  const asked: string[] = [];
  const headers = { Link: '<https://public.example.com/v1.1/devices?Limit=1&After=9>; rel="next"' };
  const behind = async ({ url }: Request) => {
    asked.push(url);
    return Response.json([], asked.length === 1 ? { headers } : {});
  };
  for await (const _ of pages(behind, first, { most: 5 }));
  expect(asked).toEqual([first, `${first}&After=9`]);
  const signal = AbortSignal.abort();
  await expect(pages((request) => send(request), first, { most: 1, signal }).next()).rejects.toThrow('abort');
});
