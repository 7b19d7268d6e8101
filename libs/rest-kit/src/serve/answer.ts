import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { AnswerForm, Format } from '../forms/answer-form.ts';
import { csvColumns, toCsv } from '../forms/csv.ts';
import { toXml } from '../forms/xml.ts';
import { attachment } from './attachment.ts';
import type { ServedDocument } from './document.ts';
import { preferredEncoding } from './encoding.ts';
import { holdsTag } from './entity-tag.ts';
import type { Problem } from './problem.ts';
import type { NextPage, Reply, Route } from './route.ts';

/** An answer as it is sent. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | Buffer;
  /** The bytes are those of this answer alone, and not of a document that everybody gets. */
  readonly isOwn?: boolean;
}

const always = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
const json = 'application/json; charset=utf-8';
/** Characters; from here on an answer is bytes. */
const longText = 4_096;
const lineBreak = 0x0a;

/**
 * A good answer in the form asked for. `path` is the request's, for the link to the next page; where the public address
 * is set it begins with that.
 */
export function answerReply({
  route,
  reply,
  form,
  path,
  query,
}: {
  readonly route: Route;
  readonly reply: Reply<unknown>;
  readonly form: AnswerForm;
  readonly path: string;
  readonly query: URLSearchParams;
}): RestAnswer {
  const { warnings = [], total, next, replayed = false } = reply;
  const file = form.filename === undefined ? undefined : attachment(form.filename);
  const [type, body] = render(route, reply, form.format);
  return {
    status: 200,
    headers: {
      ...always,
      'Content-Type': type,
      ...(warnings.length === 0 ? {} : { 'Vantage-Warning': warnings.map(headerText).join('; ') }),
      ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}),
      ...(reply.created === undefined ? {} : { 'Vantage-Created': reply.created ? 'Y' : 'N' }),
      ...(total === undefined ? {} : { 'X-Total-Count': String(total) }),
      ...(reply.revision === undefined ? {} : { 'Vantage-Revision': reply.revision }),
      ...(reply.cookie === undefined ? {} : { 'Set-Cookie': reply.cookie }),
      ...(next === undefined ? {} : { Link: `<${nextPage(path, query, next)}>; rel="next"` }),
      ...(file === undefined ? {} : { 'Content-Disposition': file }),
    },
    body,
    isOwn: true,
  };
}

/** A document in the encoding that the caller prefers; 304 where the caller has these very bytes. */
export async function answerDocument(
  context: Context,
  document: ServedDocument,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: RestAnswer['headers'] },
): Promise<RestAnswer> {
  const { bytes, etag, encoding } = await document.as(preferredEncoding(context));
  const sent = { ...headers, ETag: etag, Vary: 'Accept-Encoding' };
  if (status === 200 && holdsTag(context.get('If-None-Match'), etag))
    return { status: 304, headers: sent, body: '' };
  return {
    status,
    headers: encoding === undefined ? sent : { ...sent, 'Content-Encoding': encoding },
    body: bytes,
  };
}

/** The answer with a document that everybody may read, as JSON. */
export function answerJsonDocument(
  context: Context,
  document: ServedDocument,
  { filename }: Pick<AnswerForm, 'filename'>,
): Promise<RestAnswer> {
  const file = filename === undefined ? undefined : attachment(filename);
  const headers = { ...always, 'Content-Type': json };
  return answerDocument(context, document, {
    headers: file === undefined ? headers : { ...headers, 'Content-Disposition': file },
  });
}

/** A stream. Proxies must not buffer it, and its connection serves no further request. */
export function answerStream(body: Readable | '', type = 'text/event-stream'): RestAnswer {
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'X-Accel-Buffering': 'no' };
  return { status: 200, headers: { ...always, ...headers, Connection: 'close' }, body };
}

/** A failure: JSON whatever `fmt` says. */
export function answerProblem(problem: Problem): RestAnswer & { readonly body: string } {
  return {
    status: problem.status,
    headers: { ...always, 'Content-Type': json, ...problem.headers },
    body: jsonText(problem),
  };
}

function render(
  route: Route,
  reply: Reply<unknown>,
  format: Format,
): readonly [type: string, body: string | Buffer] {
  const { body } = reply;
  if (route.mediaType === 'text/plain' && typeof body === 'string')
    return ['text/plain; charset=utf-8', body];
  if (route.names === undefined) return [json, reply.json ?? jsonBody(body)];
  switch (format) {
    case 'json':
      return [json, reply.isShared === true ? sharedJson(reply) : jsonBody(body)];
    case 'xml':
      return ['application/xml; charset=utf-8', toXml(body, route.names)];
    case 'csv':
      return [
        'text/csv; charset=utf-8; header=present',
        toCsv(body, route.names.id, csvColumns(route.fields ?? route.response)),
      ];
  }
}

const shared = new WeakMap<Reply<unknown>, string | Buffer>();

function sharedJson(reply: Reply<unknown>): string | Buffer {
  const made = shared.get(reply) ?? jsonBody(reply.body);
  shared.set(reply, made);
  return made;
}

/** A text with a line break, so that a terminal's prompt stands on a line of its own. */
function jsonText(body: unknown): string {
  return `${JSON.stringify(body)}\n`;
}

/** The same; a long one as bytes, because adding the line break to a long text copies it, and sending it once more. */
function jsonBody(body: unknown): string | Buffer {
  const text = JSON.stringify(body);
  if (text.length < longText) return `${text}\n`;
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length + 1);
  // Without characters of several bytes, both encodings are the same, and this one is written faster.
  bytes.write(text, 0, length === text.length ? 'latin1' : 'utf8');
  bytes[length] = lineBreak;
  return bytes;
}

/** The address of the next page, without the key. */
function nextPage(path: string, query: URLSearchParams, next: NextPage): string {
  const following = new URLSearchParams(query);
  for (const name of ['api_key', 'Offset', 'Before', 'After']) following.delete(name);
  following.set('Limit', String(next.limit));
  if ('offset' in next) following.set('Offset', String(next.offset));
  if ('before' in next) following.set('Before', next.before);
  if ('after' in next) following.set('After', next.after);
  return `${path}?${following.toString()}`;
}

/** A header holds printable ASCII. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}
