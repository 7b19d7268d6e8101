import type Koa from 'koa';
import { answerReply, type RestAnswer } from './answer.ts';
import { type createResourceFinder, entityTag, holdsTag, showsList, weakTag } from './entity-tag.ts';
import type { Reply } from './route.ts';

/**
 * Answers with the ETag of the resource or list, where the route has one; with 304 where the caller already has that
 * version.
 */
export function answerTagged(
  context: Koa.Context,
  {
    resource,
    ...parts
  }: Parameters<typeof answerReply>[0] & {
    readonly resource: ReturnType<ReturnType<typeof createResourceFinder>>;
  },
): RestAnswer {
  const { route, reply, form } = parts;
  const answer = answerReply(parts);
  const shown = route.method === 'GET' || route.response === resource?.read.response ? resource : undefined;
  const isWeak = reply.tagged !== undefined || showsList(route);
  if (shown === undefined && !isWeak) return answer;
  const tag =
    isWeak || shown === undefined
      ? listTag(reply, answer)
      : entityTag(reply.body, shown, form.format === 'json' ? jsonOf(answer.body) : undefined);
  // A strong ETag promises the same bytes, so the other forms get a weak one.
  const headers = { ...answer.headers, ETag: isWeak || form.format === 'json' ? tag : `W/${tag}` };
  return route.method === 'GET' && holdsTag(context.get('If-None-Match'), tag)
    ? { status: 304, headers: withoutPages(headers), body: '' }
    : { ...answer, headers };
}

/** The tag of the last answer with a shared reply, and what it was computed of. */
const shared = new WeakMap<
  Reply<unknown>,
  { readonly body: unknown; readonly link: string; readonly tag: string }
>();

/** The weak ETag of a list. */
function listTag(reply: Reply<unknown>, { body, headers }: RestAnswer): string {
  if (reply.tagged !== undefined) return weakTag(reply.tagged);
  const { Link: link = '' } = headers;
  const made = shared.get(reply);
  if (made !== undefined && made.body === body && made.link === link) return made.tag;
  const tag = weakTag([textOf(body), link, `${reply.total}`]);
  if (reply.isShared === true) shared.set(reply, { body, link, tag });
  return tag;
}

/** Bodies of lists are texts or bytes. */
function textOf(body: RestAnswer['body']): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : '';
}

/** The JSON in a body, which ends with a line break. */
function jsonOf(body: RestAnswer['body']): string | undefined {
  return typeof body === 'string' ? body.slice(0, -1) : undefined;
}

/** A 304 leaves out the headers about pages: the client has them with its stored answer. */
function withoutPages({
  'X-Total-Count': _total,
  Link: _link,
  ...headers
}: RestAnswer['headers']): RestAnswer['headers'] {
  return headers;
}
