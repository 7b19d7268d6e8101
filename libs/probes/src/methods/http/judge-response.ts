import { STATUS_CODES } from 'node:http';
import { resultCode } from '@vantage/domain';
import type { Phases } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import { notSearched, searchText, textSearch } from '../../search/text-search.ts';
import { type HttpHead, proxyAdvice } from './http-exchange.ts';
import type { HttpOptions } from './http-options.ts';
import { maxBodyStart, type ResponseBody } from './response-body.ts';

/** `200 OK`: the status with the server's reason phrase, or the standard one if the server sends none. */
export function statusText({ status, reason }: Pick<HttpHead, 'status' | 'reason'>): string {
  return `${status} ${reason === '' ? (STATUS_CODES[status] ?? '') : reason}`.trim();
}

/** The first expectation that an answer does not meet, if any. Rejects with the signal's reason. */
export async function judge(
  answer: HttpHead,
  body: ResponseBody,
  options: HttpOptions,
  facts: {
    readonly phases: Phases;
    /** Why the server answers 401 to the login of the check; undefined: it has none. */
    readonly refusal: string | undefined;
    readonly redirects: number;
    readonly signal: AbortSignal;
  },
): Promise<Failure | undefined> {
  return (
    judgeStatus(answer, options, facts) ??
    judgeHeaders(answer, options) ??
    judgeSize(body, options) ??
    (await judgeBody(answer, body, options, facts.signal)) ??
    judgeTime(facts.phases, options)
  );
}

function judgeStatus(
  answer: HttpHead,
  options: HttpOptions,
  { refusal, redirects }: { readonly refusal: string | undefined; readonly redirects: number },
): Failure | undefined {
  const { status } = answer;
  const shown = statusText(answer);
  const expected = options.ExpectStatus;
  const fits = (range: string) => {
    const [from, to = from] = range.split('-').map(Number);
    return from !== undefined && to !== undefined && status >= from && status <= to;
  };
  if (expected.length === 0 ? status < 400 : expected.some(fits)) return undefined;
  const text =
    expected.length === 0
      ? shown
      : `expected ${expected.join(', ')}, got ${shown}${afterRedirects(redirects)}`;
  if (status === 401 && refusal !== undefined) return new Failure(resultCode.login, `${text}: ${refusal}`);
  if (status === 407 && options.Proxy !== undefined) {
    const loggedIn = new URL(options.Proxy).username !== '';
    return new Failure(resultCode.login, `${text}: ${proxyAdvice(loggedIn)}`);
  }
  return status >= 400 ? new Failure(resultCode.protocol, text) : notMet(text);
}

function afterRedirects(redirects: number): string {
  if (redirects === 0) return '';
  return ` after ${redirects} redirect${redirects === 1 ? '' : 's'} (MaxRedirects 0 judges the redirect itself)`;
}

function judgeHeaders(answer: HttpHead, options: HttpOptions): Failure | undefined {
  for (const [name, part] of Object.entries(options.ExpectHeaders)) {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) return notMet(`header ${name} is missing`);
    if (!value.includes(part))
      return notMet(`expected ${quoteShort(part)} in header ${name}, got ${quoteShort(value)}`);
  }
  return undefined;
}

function judgeSize(body: ResponseBody, options: HttpOptions): Failure | undefined {
  const { MinSize, MaxSize } = options;
  if (MinSize !== undefined && body.size < MinSize && !body.overflow) {
    return notMet(`body has ${body.size} bytes, at least ${MinSize} are expected`);
  }
  return body.overflow ? notMet(`body has more than ${MaxSize} bytes: the rest was not read`) : undefined;
}

async function judgeBody(
  answer: HttpHead,
  body: ResponseBody,
  options: HttpOptions,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { ExpectText, RejectText, ExpectRegex, ExpectJSONPath, ExpectSHA256 } = options;
  if (ExpectSHA256 !== undefined && body.sha256 !== ExpectSHA256.toLowerCase()) {
    return notMet(`SHA-256 of the body is ${body.sha256}, not the one expected`);
  }
  if ([ExpectText, RejectText, ExpectRegex, ExpectJSONPath].every((expected) => expected === undefined))
    return undefined;
  if (body.unknownCoding !== undefined)
    return notMet(`the body comes as ${quoteShort(body.unknownCoding)}, which cannot be read here`);
  const text = textOf(body, answer.headers['content-type']);
  for (const pattern of [ExpectText, RejectText]) {
    if (pattern === undefined) continue;
    const { kind } = await searchText(text, pattern, signal);
    if (kind !== 'match' && kind !== 'none') return notSearched({ kind }, quoteShort(pattern), 'body');
    if (pattern === ExpectText && kind === 'none') return notMet(`${quoteShort(pattern)} is not in the body`);
    if (pattern === RejectText && kind === 'match') return notMet(`${quoteShort(pattern)} is in the body`);
  }
  if (ExpectRegex !== undefined) {
    const fault = await judgePattern(text, ExpectRegex, signal);
    if (fault) return fault;
  }
  return ExpectJSONPath === undefined
    ? undefined
    : judgeJson({ text, size: body.size, path: ExpectJSONPath, value: options.ExpectJSONValue, signal });
}

async function judgePattern(
  text: string,
  pattern: string,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const found = await textSearch.run({ kind: 'regex', pattern, text }, signal);
  if (found.kind === 'match') return undefined;
  if (found.kind === 'none') return notMet(`/${pattern}/ does not match the body`);
  return notSearched(found, `/${pattern}/`, 'body');
}

async function judgeJson({
  text,
  size,
  path,
  value,
  signal,
}: {
  readonly text: string;
  readonly size: number;
  readonly path: string;
  readonly value: string | undefined;
  readonly signal: AbortSignal;
}): Promise<Failure | undefined> {
  if (size > maxBodyStart) return notMet('body is over 1 MiB: too long for a JSONPath');
  const found = await textSearch.run({ kind: 'json-path', path, text, value }, signal);
  switch (found.kind) {
    case 'found':
      if (found.isMet) return undefined;
      return notMet(`${path} is ${quoteShort(found.shown)}, not ${quoteShort(value ?? '')}`);
    case 'none':
      return notMet(`${path} finds nothing in the body`);
    case 'no-json':
      return notMet(`body is no JSON: it begins with ${quoteShort(text, 40)}`);
    case 'no-path':
      return notMet(found.message);
    default:
      return notSearched(found, path, 'body');
  }
}

function judgeTime(phases: Phases, { MaxTimeMs }: HttpOptions): Failure | undefined {
  const tookMs = Object.values(phases).reduce((sum, ms) => sum + ms, 0);
  if (MaxTimeMs === undefined || tookMs <= MaxTimeMs) return undefined;
  return notMet(`took ${Math.round(tookMs)} ms, at most ${MaxTimeMs} ms are expected`);
}

/** The start of a body as text, in the charset that the server names, else in UTF-8. */
export function textOf(body: Pick<ResponseBody, 'start'>, contentType = ''): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body.start);
  } catch {
    return body.start.toString('utf8');
  }
}
