import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createDocument } from '@vantage/rest-kit/document';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';

/** Everything comes from this server, and nothing may frame the page or be sent elsewhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Addresses are relative, so that the page also works behind a proxy that serves Vantage under a path of its own. */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Device Monitoring Service API v1.1</title>
<link rel="stylesheet" href="api/swagger-ui.css">
<link rel="stylesheet" href="api/page.css">
<main id="page"><noscript>This page needs JavaScript. The same facts: <a href="../v1.1/openapi.json">openapi.json</a>.</noscript></main>
<script src="api/swagger-ui-bundle.js"></script>
<script src="api/page.js"></script>
</html>
`;

const script = `SwaggerUIBundle({
  url: new URL('../v1.1/openapi.json', document.baseURI).href,
  dom_id: '#page',
  deepLinking: true,
  displayOperationId: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
});
`;

/** The page shows; keys are not entered here. */
const style = `body { margin: 0; background: #fff; }
.swagger-ui .scheme-container, .swagger-ui .authorization__btn { display: none; }
.swagger-ui .info { margin: 24px 0; }
`;

/** Files of the renderer, by their names here. */
const files = {
  '/swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    address: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  },
  '/swagger-ui.css': {
    type: 'text/css; charset=utf-8',
    address: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  },
} as const;

/**
 * The reference page of the API, made in the browser of the OpenAPI document by Swagger UI, which this server holds.
 */
export function docsPageRoutes(): readonly OuterRoute[] {
  const text = (path: string, type: string, body: string) => reply(path, type, async () => body);
  return [
    text('', 'text/html; charset=utf-8', page),
    text('/page.js', 'text/javascript; charset=utf-8', script),
    text('/page.css', 'text/css; charset=utf-8', style),
    ...Object.entries(files).map(([name, { type, address }]) =>
      reply(name, type, () => readFile(fileURLToPath(address), 'utf8')),
    ),
  ];
}

function reply(path: string, type: string, read: () => Promise<string>): OuterRoute {
  const headers = {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'public, max-age=3600',
  };
  const body = createDocument(read);
  return {
    path: `/docs/api${path}`,
    needsKey: false,
    isBounded: true,
    run: async () => ({ status: 200, type, headers, body }),
  };
}
