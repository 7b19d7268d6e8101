import { quoteShort } from '../../contract/display.ts';
import { notMet } from '../../contract/failure.ts';
import { maxTaken, notSearched, textSearch } from '../../search/text-search.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { HttpHopResult } from './http-hop.ts';
import { textOf } from './judge-response.ts';
import { maxBodyStart } from './response-body.ts';
import type { HttpExtract } from './step-options.ts';

interface AnswerOfStep extends Pick<HttpHopResult, 'answer' | 'body'> {
  readonly cookies: CookieJar;
}

/** The values that a step takes from its answer, by name. Throws Failure 7 for one that is missing or too long. */
export async function extractValues(
  wanted: readonly HttpExtract[],
  from: AnswerOfStep,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const extract of wanted) {
    const value = await takeValue(extract, from, signal);
    if (value.length > maxTaken)
      throw notMet(`the value for ${extract.Name} is longer than ${maxTaken} characters`);
    found.set(extract.Name, value);
  }
  return found;
}

async function takeValue(
  { Name, JSONPath, Regex, Header, Cookie }: HttpExtract,
  { answer, body, cookies }: AnswerOfStep,
  signal: AbortSignal,
): Promise<string> {
  const missing = (text: string) => notMet(`no value for ${Name}: ${text}`);
  if (Header !== undefined) {
    const value = answer.headers[Header.toLowerCase()];
    if (value === undefined) throw missing(`header ${Header} is missing`);
    return value;
  }
  if (Cookie !== undefined) {
    const value = cookies.valueOf(Cookie);
    if (value === undefined) throw missing(`cookie ${Cookie} was not set`);
    return value;
  }
  if (body.unknownCoding !== undefined)
    throw missing(`the body comes as ${quoteShort(body.unknownCoding)}, which cannot be read here`);
  const text = textOf(body, answer.headers['content-type']);
  if (JSONPath !== undefined && body.size > maxBodyStart)
    throw missing('body is over 1 MiB: too long for a JSONPath');
  const shown = JSONPath ?? `/${Regex}/`;
  const result = await textSearch.run(
    JSONPath === undefined
      ? { kind: 'take-regex', pattern: Regex ?? '', text }
      : { kind: 'take-json', path: JSONPath, text },
    signal,
  );
  switch (result.kind) {
    case 'taken':
      return result.value;
    case 'none':
      throw missing(
        JSONPath === undefined ? `${shown} does not match the body` : `${shown} finds nothing in the body`,
      );
    case 'no-json':
      throw missing(`body is no JSON: it begins with ${quoteShort(text, 40)}`);
    case 'no-path':
      throw missing(result.message);
    default:
      throw notSearched(result, shown, 'body');
  }
}
