import { createVantageClient, problemOf, type Schemas } from '@vantage/client';
import { frameTexts } from '../texts/frame-texts.ts';
import { learnServerTime } from './clock.ts';
import { authorize, refuseSession, signedIn } from './credential.ts';
import { signInEnd } from './present-sign-in.ts';

/** A refusal of the API, or an API that cannot be reached (code 0). */
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

/** Whether the API did not find a thing: it was deleted, or the session may not see it. */
export const isNotFound = (problem: unknown): boolean =>
  problem instanceof ApiProblem && problem.code === notFound;

/** Dispatches an event `answer` for each successful answer of the controller. */
export const goodAnswers = new EventTarget();

/** Sends a request with the credential. The end of the sign-in aborts a read, and discards the answer of a change. */
export async function send(request: Request): Promise<Response> {
  // No request is sent with a credential that was refused: the API counts such requests.
  if (signedIn.value === 'ended') throw new ApiProblem(badKey, frameTexts.notSent);
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
    const problem = await problemOf(answer.clone());
    if (problem?.code === badKey) refuseSession();
  }
  return answer;
}

export const api = createVantageClient({ baseUrl: `${location.origin}/v1.1`, fetch: send });

interface ClientAnswer<Data> {
  readonly data?: Data;
  readonly error?: Schemas['Problem'] | undefined;
  readonly response: Response;
}

/** The body of a successful answer. Throws an ApiProblem for any other answer. */
export async function take<Data>(answer: Promise<ClientAnswer<Data>>): Promise<Data> {
  return (await takeAnswer(answer)).data;
}

/** The body of a successful answer, and the facts from its headers. Throws an ApiProblem for any other answer. */
export async function takeAnswer<Data>(answer: Promise<ClientAnswer<Data>>): Promise<{
  readonly data: Data;
  readonly etag: string | undefined;
  /** The revision of a list of states, after which later changes can be read. */
  readonly revision: string | undefined;
  /** Whether another page follows. */
  readonly hasMore: boolean;
  /** The total number of rows; NaN: not given. */
  readonly total: number;
}> {
  const { data, error, response } = await answer;
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

/** Resolves with undefined if the session may not read it: sessions limited to tags do not see facts of the account. */
export function ifMay<Data>(reading: Promise<Data>): Promise<Data | undefined> {
  return reading.catch((problem: unknown) => {
    if (problem instanceof ApiProblem && problem.code === denied) return undefined;
    throw problem;
  });
}
