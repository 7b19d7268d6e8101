import createClient, { type Client } from 'openapi-fetch';
import { fillPath } from './fill-path.ts';
import type { components, paths } from './gen/api.ts';

/** The schemas of the OpenAPI document, by name: `Schemas['Device']`. */
export type Schemas = components['schemas'];

/** The REST API as its OpenAPI document describes it: the compiler checks paths, parameters and bodies. */
export type VantageClient = Client<paths>;

/**
 * A client of the API at `baseUrl` (it ends with `/v1.1`). `fetch` sends each request and adds the credential. A
 * request rejects with the RangeError of `fillPath` if a value cannot be part of its path.
 */
export function createVantageClient(options: {
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
}): VantageClient {
  return createClient<paths>({
    ...options,
    pathSerializer: fillPath,
    // The API takes lists in a query separated by commas, and refuses repeated parameters.
    querySerializer: { array: { style: 'form', explode: false } },
  });
}

export { retryDelayMs, type StreamEvent } from './event-lines.ts';
export { maxSilenceMs, readEventStream } from './event-stream.ts';
export { type EventsOptions, events } from './events.ts';
export { ApiError, type Page, pages, problemOf } from './pages.ts';
export { createSender, ifUnchanged, type SenderOptions } from './send.ts';
export { fillPath };
