import { z } from 'zod';
import { createDocument } from '../../http/document.ts';
import { openRoute, type Route } from '../../http/route.ts';
import { openApiDocument } from './document.ts';

/** Serves the document that describes this very table. */
export function openApiRoutes(tables: () => readonly Route[], version: string): Route[] {
  let made: object | undefined;
  const make = () => {
    made ??= openApiDocument(tables(), version);
    return made;
  };
  const document = createDocument(async () => `${JSON.stringify(make())}\n`);
  return [
    openRoute({
      method: 'GET',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'The OpenAPI 3.1 document of this interface.',
      response: z.looseObject({ openapi: z.string() }),
      names: undefined,
      prepare: () => void make(),
      handler: async () => ({ body: make(), document }),
    }),
  ];
}
