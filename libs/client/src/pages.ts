import type { components } from './gen/api.ts';

type Problem = components['schemas']['Problem'];

/** A refusal of the API. `code` is undefined if the answer is not the API's own (a proxy's page). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: Problem['code'] | undefined;
  /** The reason for programs: `no_such_device`. */
  readonly reason: Problem['reason'] | undefined;
  readonly fields: NonNullable<Problem['errors']>;

  constructor(status: number, problem: Problem | undefined) {
    super(problem?.message ?? `The server answered with status ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = problem?.code;
    this.reason = problem?.reason;
    this.fields = problem?.errors ?? [];
  }
}

/** A page of a list. A later walk that begins at `next` continues after it. */
export interface Page {
  readonly body: unknown;
  readonly next: string | undefined;
}

/**
 * The pages of the list at `first`, by `Link: rel="next"`; at most `most` of them. They are requested at the address
 * of the first one: a link has the public address of the controller, and the client may use another one.
 */
export async function* pages(
  send: (request: Request) => Promise<Response>,
  first: string,
  options: { readonly most: number; readonly signal?: AbortSignal },
): AsyncGenerator<Page, void, undefined> {
  let url: string | undefined = first;
  for (let count = 0; url !== undefined && count < options.most; count += 1) {
    const request = new Request(url, options.signal === undefined ? {} : { signal: options.signal });
    const answer = await send(request);
    if (!answer.ok) throw new ApiError(answer.status, await problemOf(answer));
    const next = nextOf(answer.headers.get('link'), url);
    yield { body: await answer.json(), next };
    url = next;
  }
}

function nextOf(link: string | null, base: string): string | undefined {
  const target = link?.match(/<([^>]*)>\s*;\s*rel="?next"?/i)?.[1];
  if (target === undefined) return undefined;
  const next = new URL(base);
  next.search = new URL(target, base).search;
  return next.href;
}

/** The problem in a refusal of the API; undefined if the answer is not the API's own. */
export async function problemOf(answer: Response): Promise<Problem | undefined> {
  const body: unknown = await answer.json().catch(() => undefined);
  return isProblem(body) ? body : undefined;
}

function isProblem(body: unknown): body is Problem {
  return body !== null && typeof body === 'object' && 'code' in body && 'message' in body;
}
