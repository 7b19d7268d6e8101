import type { FieldFault } from '@vantage/kernel';
import type { z } from 'zod';
import { readFields, readQuery, validateFields } from '../forms/field.ts';
import { badKey, missing } from './problem.ts';
import type { Call, Reply, Route, RouteRequest, RouteSpec } from './route.ts';

/** A route whose handler judges the body further, so that all faults are named together. */
interface ValidatingRouteSpec<
  Subject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
> extends Omit<RouteSpec<Subject, Query, Body, Response>, 'handler' | 'body'> {
  readonly body: Body;
  /**
   * `body` holds the fields that were sent well; `faults` what is wrong with the others. The handler ends with 1004
   * when there are any.
   */
  readonly handler: (
    call: Call<Subject, z.output<Query>, Partial<z.output<Body>>> & {
      readonly faults: readonly FieldFault[];
    },
  ) => Promise<Reply<z.input<Response>>>;
}

/** The subject of routes that name nothing. */
export const noSubject = { what: 'thing' as const, find: async () => null };

/**
 * Creates a route of its declaration; the types of subject, query, body and answer are checked here and forgotten in
 * the table.
 */
export function route<
  Subject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
>(spec: RouteSpec<Subject, Query, Body, Response>): Route {
  const { subject, handler, body, ...rest } = spec;
  return {
    ...rest,
    ...(body === undefined ? {} : { body }),
    find: (request) => findSubject(subject, request),
    run: async (request) => {
      const validated = await validate(rest, subject, request);
      return handler({ ...validated, body: readFields(body, validated.sent, rest.readOnly ?? []) });
    },
  };
}

/** Like `route`, for a body that its handler judges further. */
export function validatingRoute<
  Subject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
>(spec: ValidatingRouteSpec<Subject, Query, Body, Response>): Route {
  const { subject, handler, body, ...rest } = spec;
  return {
    ...rest,
    body,
    find: (request) => findSubject(subject, request),
    run: async (request) => {
      const validated = await validate(rest, subject, request);
      const { values, faults } = validateFields(body, validated.sent, rest.readOnly ?? []);
      return handler({ ...validated, body: values, faults });
    },
  };
}

/** Creates a route that works without a key and names nothing. */
export function openRoute(
  spec: Omit<Route, 'level' | 'run' | 'find' | 'query' | 'body'> & {
    readonly handler: (request: RouteRequest) => Promise<Reply<unknown>>;
  },
): Route {
  const { handler, ...rest } = spec;
  return {
    ...rest,
    level: 'none',
    run: async (request) => {
      readQuery(undefined, request.query);
      readFields(undefined, await request.body(), []);
      return handler(request);
    },
  };
}

async function findSubject<Subject>(
  { what, find }: RouteSpec<Subject, z.ZodObject, z.ZodObject, z.ZodType>['subject'],
  { session, params, db }: Pick<RouteRequest, 'session' | 'params' | 'db'>,
): Promise<Subject> {
  if (session === undefined) throw badKey();
  const found = await find(session, params, db);
  if (found === undefined) throw missing(what);
  return found;
}

/** Judges all that comes before the body's fields: query, id, and whether there is a JSON object. */
async function validate<Subject, Query extends z.ZodObject>(
  spec: { readonly query?: Query },
  subject: RouteSpec<Subject, Query, z.ZodObject, z.ZodType>['subject'],
  { session, db, params, query, body, ...rest }: RouteRequest,
) {
  if (session === undefined) throw badKey();
  const parsedQuery = readQuery(spec.query, query);
  const found = await findSubject(subject, { session, params, db });
  const sent = await body();
  const { lastEventId, signal, perform, kept, proxy, scoped = (work) => work(db) } = rest;
  const sessionNow = () => rest.sessionNow() ?? session;
  const passed = { session, db, sessionNow, scoped, signal, lastEventId, perform, kept, proxy };
  return { ...passed, subject: found, query: parsedQuery, sent };
}
