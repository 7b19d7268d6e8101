import { readFile } from 'node:fs/promises';
import { parseJson } from '@vantage/kernel';
import { createDocument } from '@vantage/rest-kit/document';
import type { Route } from '@vantage/rest-kit/route';
import { openRoute } from '@vantage/rest-kit/route-factories';
import { z } from 'zod';

/**
 * The document without the version. `npm run gen:api` derives it from the table of routes (document.ts), which
 * takes a fifth of a second: too long for each start, and for the event loop while others wait.
 */
const file = new URL('../../gen/openapi.json', import.meta.url);
const documentShape = z.looseObject({ openapi: z.string() });

/** Serves the document that describes the table of routes. */
export function openApiRoutes(version: string): Route[] {
  const load = async () => {
    const text = await readFile(file, 'utf8');
    return documentShape.parse(parseJson(text.replace('{version}', version)));
  };
  let loaded: ReturnType<typeof load> | undefined;
  const read = () => {
    loaded ??= load().catch((error: unknown) => {
      // The next request reads again.
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  const document = createDocument(async () => `${JSON.stringify(await read())}\n`);
  return [
    openRoute({
      method: 'GET',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'The OpenAPI 3.1 document of this interface.',
      response: documentShape,
      names: undefined,
      handler: async () => ({ body: await read(), document }),
    }),
  ];
}
