import type { Db } from '@vantage/storage';
import type { z } from 'zod';
import type { Level, Session } from '../auth/session.ts';
import type { IdempotentRequest } from '../batch/idempotency-record-store.ts';
import type { Perform } from '../batch/perform.ts';
import type { XmlNames } from '../forms/xml.ts';
import type { Stay } from '../limits/per-key-semaphore.ts';
import type { ServedDocument } from './document.ts';
import type { NamedThing } from './problem.ts';
import type { BodyLimits } from './request-body.ts';

/**
 * Names for XML and CSV: the element of the whole answer, of a list's rows, and the row's own id, which begins a CSV
 * row.
 */
interface AnswerNames extends XmlNames {
  readonly id?: string;
}

/** The start of the next page: after a number of rows, or next to the row with this id. */
export type NextPage = { readonly limit: number } & (
  | { readonly offset: number }
  | { readonly before: string }
  | { readonly after: string }
);

/** The answer of a route. */
export interface Reply<T> {
  readonly body: T;
  /** `body` as JSON where its bytes are known already: making them again would hold up the requests of others. */
  readonly json?: Buffer;
  /** Several callers get this very reply, so its JSON is made once for all of them. */
  readonly isShared?: true;
  /** Sent as `Vantage-Warning`. */
  readonly warnings?: readonly string[];
  /** Sent as `Vantage-Created`: the request created the thing (Y), or changed the one that was there (N). */
  readonly created?: boolean;
  /** Sent as `X-Total-Count`. */
  readonly total?: number;
  /** The answer of an earlier request with the same Idempotency-Key. Sent as `Idempotency-Replayed: true`. */
  readonly replayed?: boolean;
  /** Sent as `Set-Cookie`. */
  readonly cookie?: string;
  /** Sent as `Vantage-Revision`: what a client sends as `ChangedSince`. */
  readonly revision?: string;
  /** The weak ETag is computed from these texts instead of the whole body. */
  readonly tagged?: readonly string[];
  /** There are more rows: a `Link` to the next page is sent. */
  readonly next?: NextPage | undefined;
  /** The answer is these bytes, which everybody gets; `body` is for an operation of a batch. */
  readonly document?: ServedDocument;
  /** The answer is this text instead of `body`, until the signal aborts: server-sent events, or `streamType`. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string>;
  /** The media type of `stream`, where it is none of server-sent events. */
  readonly streamType?: 'application/jsonl';
}

/**
 * Runs a part of a request inside the caller's limit to tags. A route whose answer waits or streams does so with
 * everything that it reads and writes by what the caller sent, because it cannot run in one transaction.
 */
type Scoped = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** A request as it reaches a route: judged up to the key's level, neither query nor body read yet. */
export interface RouteRequest {
  readonly session: Session | undefined;
  /** The request's access to the database, limited to what the caller may see. */
  readonly db: Db;
  /** The key as it came; for the greeting only. */
  readonly key: string | undefined;
  readonly address: string;
  /** The trusted proxy by which it came, with the e-mail address of whom that signed in. */
  readonly proxy?: { readonly user: string | undefined } | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The header Last-Event-ID, of a reader that comes back to a stream. */
  readonly lastEventId: string | undefined;
  /** The caller as known now, for streams: the account's zone may change while they run. */
  readonly sessionNow: () => Session | undefined;
  /** See `Scoped`; undefined: the caller has no limit, or all of the request runs inside of it. */
  readonly scoped?: Scoped | undefined;
  /** Reads the body as a JSON object, `{}` when there is none. Throws a Problem (1000). */
  readonly body: () => Promise<Readonly<Record<string, unknown>>>;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
  /** The stored request that its answer belongs to; undefined: no Idempotency-Key was sent. */
  readonly kept?: IdempotentRequest;
  /** undefined: the request is an operation of a batch itself. */
  readonly perform?: Perform;
}

/** One row of the route table: feeds routing, validation and the OpenAPI document. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{placeholders}`. */
  readonly path: string;
  /** The level that a key must have; none: works without a key. */
  readonly level: 'none' | Level;
  /**
   * Whether callers who are limited to tags may use the route. Unless stated they may read (GET) and change nothing.
   * The rows that they reach are those of `Db.inScope`.
   */
  readonly limitedCallers?: 'permitted' | 'refused';
  /** The level that this body needs, where it depends on the body, whose fields are not validated yet. */
  readonly levelOf?: (body: unknown) => Level;
  /** Group in the OpenAPI document. */
  readonly tag: string;
  readonly summary: string;
  /** Facts for the OpenAPI document. */
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Limits of the body; undefined: those of one resource. */
  readonly bodyLimits?: BodyLimits;
  /** Bounds how many requests of the route are under way; `work` is all of one, its body included. */
  readonly admit?: <T>(session: Session, work: () => Promise<T>, stay: Stay) => Promise<T>;
  /** Fields that callers cannot set; ignored when sent back. */
  readonly readOnly?: readonly string[];
  readonly response: z.ZodType;
  /** undefined: the answer exists as JSON only. */
  readonly names: AnswerNames | undefined;
  /** The answer sets a cookie or removes it. */
  readonly setsCookie?: boolean;
  /** With `stream` in the query the answer is a stream of server-sent events or of JSON lines. */
  readonly streams?: 'events' | 'lines';
  /**
   * Its answer waits for what happens after a commit (an agent's check), so it cannot run inside a transaction. A
   * function says so of a body, whose fields were not judged yet.
   */
  readonly waits?: boolean | ((body: unknown) => boolean);
  /** It reads history that may be some seconds old, and decides no write: a replica may answer it. */
  readonly readsHistory?: true;
  /**
   * Its answer may have many megabytes, so few are made at one time. A function says so of a query, whose parameters
   * are not validated yet.
   */
  readonly isWide?: true | ((query: URLSearchParams) => boolean);
  /** The form of an answer whose body is a text; only where no `fmt` was sent. */
  readonly mediaType?: 'text/plain';
  /** The fields of such an answer where `fmt` was sent. */
  readonly fields?: z.ZodObject;
  /** Finds what the path names. Throws a Problem (1003) where there is none. */
  readonly find?: (request: Pick<RouteRequest, 'session' | 'params' | 'db'>) => Promise<unknown>;
  /** Judges query, id and body, in this order, and answers. */
  readonly run: (request: RouteRequest) => Promise<Reply<unknown>>;
}

/** The arguments of a handler. */
export interface Call<Subject, Query, Body> {
  readonly session: Session;
  /** See `RouteRequest`. */
  readonly db: Db;
  readonly subject: Subject;
  readonly query: Query;
  readonly body: Body;
  /** See `RouteRequest`. */
  readonly sessionNow: () => Session;
  readonly scoped: Scoped;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  /** See `RouteRequest`. */
  readonly proxy: RouteRequest['proxy'];
  readonly perform: Perform | undefined;
  readonly kept: IdempotentRequest | undefined;
}

/** A route as a step declares it; see `Route` for what is not explained here. */
export interface RouteSpec<
  Subject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
> extends Omit<Route, 'run' | 'find' | 'query' | 'body' | 'response' | 'level'> {
  readonly level: Level;
  readonly query?: Query;
  readonly body?: Body;
  readonly response: Response;
  /** Finds what the path names, of this account; undefined answers 1003 `No such <what>.` */
  readonly subject: {
    readonly what: NamedThing;
    readonly find: (
      session: Session,
      params: Readonly<Record<string, string>>,
      db: Db,
    ) => Promise<Subject | undefined>;
  };
  readonly handler: (
    call: Call<Subject, z.output<Query>, z.output<Body>>,
  ) => Promise<Reply<z.input<Response>>>;
}
