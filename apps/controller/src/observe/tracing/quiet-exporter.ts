import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '@vantage/kernel';

/**
 * Sends spans by OTLP over HTTP. Spans that the collector does not accept within `timeoutMs` are dropped. The log gets
 * a line when that begins, and one when it ends.
 */
export function createQuietExporter({
  url,
  log,
  timeoutMs,
}: {
  readonly url: string;
  readonly log: Logger;
  readonly timeoutMs: number;
}): SpanExporter {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs, concurrencyLimit: 1 });
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        const failed = code !== 0;
        if (failed && !failing)
          log.warn(
            { error: error?.message },
            'the collector of traces does not accept spans; they are dropped',
          );
        if (!failed && failing) log.info('the collector of traces accepts spans again');
        failing = failed;
        done({ code: 0 });
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
