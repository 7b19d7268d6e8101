import type { Clock, Logger } from '@vantage/kernel';
import type { Tracing } from './tracing-contract.ts';

/** Measures nothing. */
const noTracing: Tracing = {
  traceRequests: (handler) => handler,
  nameRoute: () => {},
  traced: (_name, run) => run,
  onStatement: undefined,
  [Symbol.asyncDispose]: async () => {},
};

/** Starts tracing to the collector at `url` (OTLP over HTTP). Without a `url` no module of OpenTelemetry is loaded. */
export async function openTracing({
  url,
  ...deps
}: {
  readonly url: string | undefined;
  readonly version: string;
  readonly controllerId: string;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<Tracing> {
  if (url === undefined) return noTracing;
  const { startTracing } = await import('./otlp-tracing.ts');
  return startTracing({ url, ...deps });
}

interface TracedBatch {
  readonly inserted: number;
  readonly repeated: number;
  readonly quarantined: number;
}

/** The ingest's function with a span for each batch. */
export function tracedBatches<Args extends readonly unknown[], Outcome extends TracedBatch>(
  tracing: Tracing,
  ingest: { accept(...args: Args): Promise<Outcome> },
): (...args: Args) => Promise<Outcome> {
  const accept = (...args: Args) => ingest.accept(...args);
  return tracing.traced('ingest batch', accept, ({ inserted, repeated, quarantined }) => ({
    'vantage.inserted': inserted,
    'vantage.repeated': repeated,
    'vantage.quarantined': quarantined,
  }));
}

/** The fold with a span for each call. The second argument of the fold is the results. */
export function tracedFold<Args extends readonly [unknown, readonly unknown[], ...unknown[]]>(
  tracing: Tracing,
  health: { fold(...args: Args): Promise<void> },
): (...args: Args) => Promise<void> {
  const fold = (...args: Args) => health.fold(...args);
  return tracing.traced('fold', fold, (_, args) => ({ 'vantage.results': args[1].length }));
}
