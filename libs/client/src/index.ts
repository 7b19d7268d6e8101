import createClient, { type Client } from 'openapi-fetch';
import { fillPath } from './fill-path.ts';
import type { components, paths } from './gen/api.ts';

/** The schemas of the OpenAPI document, by name: `Schemas['Device']`. */
export type Schemas = components['schemas'];

/** The REST API as its OpenAPI document describes it: each path, parameter and body is checked by the compiler. */
export type VantageClient = Client<paths>;

/**
 * A client of the API at `baseUrl` (it ends with `/v1.1`). `fetch` sends each request, with the credential of its
 * owner. A request rejects with the RangeError of `fillPath` where its path would be another one.
 */
export function createVantageClient(options: {
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
}): VantageClient {
  return createClient<paths>({
    ...options,
    pathSerializer: fillPath,
    // Lists in a query are joined by commas, as the document says; repeated parameters are refused.
    querySerializer: { array: { style: 'form', explode: false } },
  });
}

export { createEventReader, retryDelayMs, type StreamEvent } from './event-lines.ts';
export { type EventsOptions, events } from './events.ts';
export { ApiError, type Page, pages } from './pages.ts';
export { createSender, ifUnchanged, type SenderOptions } from './send.ts';
export { fillPath };
