import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Clock, Logger } from '@vantage/kernel';
import { createQuietExporter } from './quiet-exporter.ts';
import type { TracedStatement, Tracing } from './tracing-contract.ts';

/** Spans that wait for the collector; more are dropped. */
const maxWaiting = 2_048;
const everyMs = 2_000;
const timeoutMs = 3_000;
/** The end of the process waits this long for the last spans. */
const endMs = 1_000;

/**
 * Sends spans to an OpenTelemetry collector. No span has a key, an address, a query, a value of a statement or an id of
 * a thing.
 */
export function startTracing({
  url,
  version,
  controllerId,
  clock,
  log,
}: {
  readonly url: string;
  readonly version: string;
  readonly controllerId: string;
  readonly clock: Clock;
  readonly log: Logger;
}): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'vantage-controller',
      'service.version': version,
      'service.instance.id': controllerId,
    }),
    spanLimits: { attributeValueLengthLimit: 200 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createQuietExporter({ url: `${url.replace(/\/+$/, '')}/v1/traces`, log, timeoutMs }),
        maxQueueSize: maxWaiting,
        scheduledDelayMillis: everyMs,
      }),
    ],
  });
  const tracer = provider.getTracer('vantage');
  const active = new AsyncLocalStorage<Context>();
  return {
    ...createRequestTracing(tracer, active),
    traced:
      (name, run, factsOf) =>
      (...args) => {
        const parent = active.getStore() ?? ROOT_CONTEXT;
        const span = tracer.startSpan(name, {}, parent);
        return active.run(trace.setSpan(parent, span), async () => {
          try {
            const result = await run(...args);
            span.setAttributes(factsOf(result, args));
            return result;
          } catch (error) {
            fail(span, error instanceof Error ? error.name : 'error');
            throw error;
          } finally {
            span.end();
          }
        });
      },
    onStatement: (statement) => {
      const parent = active.getStore();
      if (parent !== undefined) recordStatement(tracer, parent, statement, clock.nowUs() / 1000);
    },
    async [Symbol.asyncDispose]() {
      await Promise.race([provider.shutdown().catch(() => {}), clock.sleep(endMs)]);
    },
  };
}

/** Spans of requests: verb, route, status and the request's id. */
function createRequestTracing(
  tracer: Tracer,
  active: AsyncLocalStorage<Context>,
): Pick<Tracing, 'traceRequests' | 'nameRoute'> {
  const routes = new WeakMap<IncomingMessage, string>();
  return {
    nameRoute: (request, route) => void routes.set(request, route),
    traceRequests: (handler) => (request, response) => {
      const method = request.method ?? '';
      const parent = parentOf(request);
      const attributes = { 'http.request.method': method, 'url.scheme': 'https' };
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      response.once('close', () => {
        const route = routes.get(request);
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        endRequest(span, response);
      });
      active.run(trace.setSpan(parent, span), () => handler(request, response));
    },
  };
}

/** The caller's span (W3C Trace Context, section 3.2), so that one trace has both. Its tracestate is not read. */
function parentOf({ headers: { traceparent } }: IncomingMessage): Context {
  const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
}

function endRequest(span: Span, response: ServerResponse): void {
  span.setAttribute('http.response.status_code', response.statusCode);
  const id = response.getHeader('X-Request-Id');
  if (typeof id === 'string') span.setAttribute('vantage.request_id', id);
  if (!response.writableFinished) fail(span, 'aborted');
  else if (response.statusCode >= 500) fail(span, String(response.statusCode));
  span.end();
}

/** A statement is a span only inside of other work. It shows the verb and the first table, not the statement. */
function recordStatement(
  tracer: Tracer,
  parent: Context,
  { sql, ms, failed }: TracedStatement,
  endTime: number,
): void {
  const [, verb = 'other'] = /^\s*([a-z]+)/i.exec(sql) ?? [];
  const [, table] = /\b(?:from|into|update)\s+"?([a-z_]+)\b/i.exec(sql) ?? [];
  const operation = verb.toUpperCase();
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(table === undefined ? {} : { 'db.collection.name': table }),
  };
  const span = tracer.startSpan(
    table === undefined ? operation : `${operation} ${table}`,
    { kind: SpanKind.CLIENT, startTime: endTime - ms, attributes },
    parent,
  );
  if (failed) fail(span, 'database');
  span.end(endTime);
}

/** The text of an error may hold values, so only its kind is recorded. */
function fail(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}
