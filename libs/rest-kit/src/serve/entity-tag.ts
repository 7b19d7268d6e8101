import { createHash, hash } from 'node:crypto';
import { z } from 'zod';
import { updatedUs } from '../forms/field.ts';
import { conflict, invalid, type Problem } from './problem.ts';
import type { Route } from './route.ts';

/** A route that reads one resource, and the fields of that resource that callers can set. */
interface Resource {
  readonly read: Route;
  readonly settings: ReadonlySet<string>;
}

/** Not settings themselves, or the same settings under another name that only some answers have. */
const notCompared = ['HostData'];

/**
 * Finds the resource that a route reads or changes: of its own path, or of the nearest path above
 * (`/devices/{device_id}` for `/devices/{device_id}/start-maintenance`). undefined: the route is of a list, or its
 * answer is computed for each request. With `answers` also the resource that a PUT of a list returns (`PUT
 * /devices?ExternalKey`). Pure.
 */
export function createResourceFinder(
  routes: readonly Route[],
): (route: Route, scope?: 'answers') => Resource | undefined {
  const resources = new Map(
    routes.filter(isReader).map((read) => {
      const update = routes.find(({ method, path }) => method === 'PUT' && path === read.path);
      const names = Object.keys(update?.body?.shape ?? {}).filter((name) => !notCompared.includes(name));
      return [read.path, { read, settings: new Set([...names, 'UpdatedAt']) }] as const;
    }),
  );
  return ({ path, method, response }, scope) => {
    if (method === 'GET') return resources.get(path);
    for (let above = path; above !== ''; above = above.slice(0, above.lastIndexOf('/'))) {
      const found = resources.get(above);
      if (found !== undefined) return found;
    }
    if (scope === 'answers' && method === 'PUT')
      return [...resources.values()].find(({ read }) => read.response === response);
    return undefined;
  };
}

function isReader({ method, response, mediaType, streams }: Route): boolean {
  return (
    method === 'GET' && mediaType === undefined && streams === undefined && !(response instanceof z.ZodArray)
  );
}

/**
 * The ETag of a resource: `"<settings revision>.<hash>"` (RFC 9110, section 8.8.3). The first part stays while checks,
 * status and maintenance change. `body` is the answer before it gets its form, `json` its JSON if that is made already.
 * Secrets are masked in it; their change shows in `updatedUs`.
 */
export function entityTag(body: unknown, { settings }: Resource, json = JSON.stringify(body)): string {
  const fields: readonly [string, unknown][] =
    typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const updated = typeof body === 'object' && body !== null && updatedUs in body ? [body[updatedUs]] : [];
  const revision = JSON.stringify([...fields.filter(([name]) => settings.has(name)), ...updated]);
  return `"${digest(revision)}.${digest(json)}"`;
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 16);
}

/** Has an answer of this route a weak ETag? Lists have one. */
export function showsList({ method, response, mediaType }: Route): boolean {
  return method === 'GET' && mediaType === undefined && response instanceof z.ZodArray;
}

/** The weak ETag of something that changes with these texts. */
export function weakTag(texts: readonly (string | Buffer)[]): string {
  const [first = '', ...others] = texts;
  // Joining would copy a long text.
  const all = createHash('sha256').update(first);
  for (const text of others) all.update('\0').update(text);
  return `W/"${all.digest('hex').slice(0, 16)}"`;
}

/** Does `If-None-Match` hold this ETag? All of it is compared, whether it is weak or not (RFC 9110, section 13.1.2). */
export function holdsTag(ifNoneMatch: string, tag: string): boolean {
  const [own] = tagsOf(tag);
  return tagsOf(ifNoneMatch).some((each) => each === '*' || each === own);
}

/**
 * The Problem (1005) of a change whose `If-Match` has another settings revision than the ETag of the resource as it is
 * now; undefined: it fits.
 */
export function revisionProblem(ifMatch: string, tag: string): Problem | undefined {
  const now = revisionOf(tag.slice(1, -1));
  const tags = tagsOf(ifMatch);
  if (tags.some((each) => each === '*' || revisionOf(each) === now)) return undefined;
  return conflict(
    'stale_etag',
    `The settings were changed meanwhile: If-Match is ${ifMatch.slice(0, 200)}, and the ETag is ${tag} now. Read the resource again, then repeat the change.`,
  );
}

/** The header If-Match; '' where none was sent. Throws a Problem (1004) for an empty one, which would guard nothing. */
export function readIfMatch(header: string | undefined): string {
  if (header?.trim() === '')
    throw invalid([
      { field: 'If-Match', message: 'is empty; send the ETag that you have read, or leave it out' },
    ]);
  return header ?? '';
}

/** The Problem (1004) of an `If-Match` where there is no resource to compare with. */
export function nothingToMatch(): Problem {
  return invalid([
    {
      field: 'If-Match',
      message: 'cannot be used here, because the path names no single resource; leave it out',
    },
  ]);
}

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((each) => each.trim().replace(/^W\//, '').replaceAll('"', ''));
}

function revisionOf(tag: string): string {
  return tag.split('.', 1)[0] ?? '';
}
