import { createVantageClient, type Schemas } from '@vantage/client';
import { texts } from '../texts/index.ts';
import { learnServerTime } from './clock.ts';
import { authorize, refuseSession, signedIn } from './credential.ts';
import { signInEnd } from './present-sign-in.ts';

/** A refusal of the API, or that it cannot be reached (code 0). */
export class ApiProblem extends Error {
  readonly code: number;
  readonly fields: readonly { readonly field: string; readonly message: string }[];

  constructor(code: number, message: string, fields: ApiProblem['fields'] = []) {
    super(message);
    this.name = 'ApiProblem';
    this.code = code;
    this.fields = fields;
  }
}

const badKey = 1001;
const denied = 1002;
const notFound = 1003;

/** Whether the API says that a thing is not there: it was deleted, or the session may not see it. */
export const isNotFound = (problem: unknown): boolean =>
  problem instanceof ApiProblem && problem.code === notFound;

/** Has an event `answer` for each good answer of the controller. */
export const goodAnswers = new EventTarget();

/** Sends a request with the credential. The end of the sign-in aborts a read, and drops the answer of a change. */
export async function send(request: Request): Promise<Response> {
  // Nothing is asked with a credential that was refused: the API counts such requests.
  if (signedIn.value === 'ended') throw new ApiProblem(badKey, texts.signIn.notSent);
  authorize(request);
  const sentMs = Date.now();
  const end = signInEnd();
  let answer: Response;
  try {
    answer = await fetch(
      request,
      request.method === 'GET' ? { signal: AbortSignal.any([request.signal, end]) } : {},
    );
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem(0, 'unreachable');
  }
  end.throwIfAborted();
  learnServerTime(answer, sentMs);
  if (answer.ok) goodAnswers.dispatchEvent(new Event('answer'));
  if (answer.status === 400) {
    const problem: unknown = await answer.clone().json();
    if (problem !== null && typeof problem === 'object' && 'code' in problem && problem.code === badKey)
      refuseSession();
  }
  return answer;
}

/** The REST API, as its OpenAPI document types it. */
export const api = createVantageClient({ baseUrl: `${location.origin}/v1.1`, fetch: send });

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: Schemas['Problem'] | undefined;
  readonly response: Response;
}

/** The body of a good answer; throws an ApiProblem for any other. */
export async function take<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  return (await takeAnswer(asked)).data;
}

/** The body of a good answer, and what its headers say. */
export async function takeAnswer<Data>(asked: Promise<Answer<Data>>): Promise<{
  readonly data: Data;
  readonly etag: string | undefined;
  /** Of states: what later changes are asked by. */
  readonly revision: string | undefined;
  /** Whether another page follows. */
  readonly hasMore: boolean;
  /** How many there are in all; NaN: it is not said. */
  readonly total: number;
}> {
  const { data, error, response } = await asked;
  if (error !== undefined || data === undefined)
    throw new ApiProblem(
      error?.code ?? response.status,
      error?.message ?? response.statusText,
      error?.errors,
    );
  const { headers } = response;
  return {
    data,
    etag: headers.get('ETag') ?? undefined,
    revision: headers.get('Vantage-Revision') ?? undefined,
    hasMore: headers.has('Link'),
    total: Number.parseInt(headers.get('X-Total-Count') ?? '', 10),
  };
}

/** Resolves with undefined where the session may not ask: who is limited to tags does not see what belongs to all. */
export function ifMay<Data>(asked: Promise<Data>): Promise<Data | undefined> {
  return asked.catch((problem: unknown) => {
    if (problem instanceof ApiProblem && problem.code === denied) return undefined;
    throw problem;
  });
}
