import type { Clock, Logger } from '@vantage/kernel';
import type { Tracing } from './contract.ts';

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
