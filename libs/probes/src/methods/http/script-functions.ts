import { isRecord } from '@vantage/kernel';
import type { CallOptions, MethodFunctions, ProbeOutcome } from '../../contract/probe.ts';
import type { HttpHopResult } from './http-hop.ts';
import { textOf } from './judge-response.ts';

/** The part of a body that a script gets, characters. */
const maxScriptBody = 256 * 1024;

/** The answer that a script gets. */
export function scriptAnswer({
  answer,
  body,
}: Pick<HttpHopResult, 'answer' | 'body'>): NonNullable<ProbeOutcome['answer']> {
  return () => ({
    status: answer.status,
    headers: answer.headers,
    body: textOf(body, answer.headers['content-type']).slice(0, maxScriptBody),
  });
}

/** http() of scripts. An object as `body` goes as JSON. */
export const httpFunctions: MethodFunctions = {
  http: {
    description:
      'Asks a web server. A status of 400 or more is a CheckError unless `expectStatus` allows it.',
    target: 'url',
    parameters: {
      body: {
        type: 'string | object',
        description:
          'A text, or an object that goes as JSON (with `Content-Type: application/json` unless you set another).',
      },
    },
    result: {
      status: { type: 'number' },
      headers: { type: 'Readonly<Record<string, string>>', description: 'Names in lower case.' },
      body: { type: 'string', description: 'The first 256 Ki characters.' },
    },
    prepare: withJsonBody,
  },
};

function withJsonBody(options: CallOptions): CallOptions {
  const { body, headers } = options;
  if (typeof body !== 'object' || body === null) return options;
  const headerRecord = isRecord(headers) ? headers : {};
  const hasType = Object.keys(headerRecord).some((key) => key.toLowerCase() === 'content-type');
  return {
    ...options,
    body: JSON.stringify(body),
    headers: hasType ? headerRecord : { ...headerRecord, 'Content-Type': 'application/json' },
  };
}
