import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Document } from './document.ts';
import { holdsTag } from './entity-tag.ts';
import { csvColumns, type Form, type Format, preferredEncoding, toCsv, toXml } from './form.ts';
import type { Problem } from './problem.ts';
import type { NextPage, Reply, Route } from './route.ts';

/** An answer as it goes on the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | Buffer;
  /** The bytes are those of this answer alone, and not of a document that everybody gets. */
  readonly isOwn?: boolean;
}

const always = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
const json = 'application/json; charset=utf-8';

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
  readonly form: Form;
  readonly path: string;
  readonly query: URLSearchParams;
}): Answer {
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
  document: Document,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Answer['headers'] },
): Promise<Answer> {
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
  document: Document,
  { filename }: Pick<Form, 'filename'>,
): Promise<Answer> {
  const file = filename === undefined ? undefined : attachment(filename);
  const headers = { ...always, 'Content-Type': json };
  return answerDocument(context, document, {
    headers: file === undefined ? headers : { ...headers, 'Content-Disposition': file },
  });
}

/** An answer that goes on; a proxy must not keep it back, and its connection serves nothing after it. */
export function answerStream(body: Readable | '', type = 'text/event-stream'): Answer {
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'X-Accel-Buffering': 'no' };
  return { status: 200, headers: { ...always, ...headers, Connection: 'close' }, body };
}

/** A failure: JSON whatever `fmt` says. */
export function answerProblem(problem: Problem): Answer & { readonly body: string } {
  return {
    status: problem.status,
    headers: { ...always, 'Content-Type': json, ...problem.headers },
    body: jsonText(problem),
  };
}

function render(
  route: Route,
  { body, json: bytes }: Reply<unknown>,
  format: Format,
): readonly [type: string, body: string | Buffer] {
  if (route.mediaType === 'text/plain' && typeof body === 'string')
    return ['text/plain; charset=utf-8', body];
  if (route.names === undefined) return [json, bytes ?? jsonText(body)];
  switch (format) {
    case 'json':
      return [json, jsonText(body)];
    case 'xml':
      return ['application/xml; charset=utf-8', toXml(body, route.names)];
    case 'csv':
      return [
        'text/csv; charset=utf-8; header=present',
        toCsv(body, route.names.id, csvColumns(route.fields ?? route.response)),
      ];
  }
}

/** Ends with a line break, so that a terminal's prompt stands on a line of its own. */
function jsonText(body: unknown): string {
  return `${JSON.stringify(body)}\n`;
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

/**
 * The value of Content-Disposition that offers the answer as a file (RFC 6266), whatever the name holds: the plain form
 * in safe ASCII and, where that loses something, the extended form (RFC 8187). Folders are cut off; undefined when
 * nothing is left of the name.
 */
export function attachment(name: string): string | undefined {
  const base = (name.split(/[/\\]/).at(-1) ?? '')
    .toWellFormed()
    .replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, '')
    .trim()
    .slice(0, 200)
    .toWellFormed();
  if (base === '' || base === '.' || base === '..') return undefined;
  const plain = base.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["%;\\]/g, '_');
  const extended = plain === base ? '' : `; filename*=UTF-8''${encode(base)}`;
  return `attachment; filename="${plain}"${extended}`;
}

/** attr-char of RFC 8187 section 3.2.1 stays, all else is percent-encoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
