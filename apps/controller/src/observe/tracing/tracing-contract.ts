import type { IncomingMessage, RequestListener } from 'node:http';

/** The attributes of a span: counts and short words. None names an account, a device or a person. */
type SpanFacts = Readonly<Record<string, string | number>>;

/** A statement that the database has answered. */
export interface TracedStatement {
  /** With placeholders for all values. */
  readonly sql: string;
  readonly ms: number;
  readonly failed: boolean;
}

/** Measures work as spans of OpenTelemetry. */
export interface Tracing extends AsyncDisposable {
  /**
   * Measures each request of the REST port from its headers to the end of its answer, as a child of its `traceparent`
   * where it has one.
   */
  traceRequests(handler: RequestListener): RequestListener;
  /** Sets the route of a running request, with its placeholders. */
  readonly nameRoute: (request: IncomingMessage, route: string) => void;
  /** Measures each call of a function. */
  traced<Args extends readonly unknown[], Result>(
    name: string,
    run: (...args: Args) => Promise<Result>,
    factsOf: (result: Result, args: Args) => SpanFacts,
  ): (...args: Args) => Promise<Result>;
  /** Receives each statement of the database; undefined: it has no reader. */
  readonly onStatement: ((statement: TracedStatement) => void) | undefined;
}
