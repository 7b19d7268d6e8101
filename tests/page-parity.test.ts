import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { coverageOf } from './page-parity/coverage.ts';
import { type Exception, exceptions, notYet } from './page-parity/exceptions.ts';
import { type ApiDocument, type Operation, operationsOf } from './page-parity/operations.ts';
import { readPage } from './page-parity/page-program.ts';
import { type PageRequest, requestsOf } from './page-parity/page-requests.ts';

const root = path.resolve(import.meta.dirname, '..');
const document = JSON.parse(
  readFileSync(path.join(root, 'apps/controller/src/gen/openapi.json'), 'utf8'),
) as ApiDocument;
const all: readonly Exception[] = [
  ...exceptions,
  ...Object.entries(notYet).flatMap(([screen, names]) =>
    names.map((of) => ({ of, reason: `not yet (${screen})` })),
  ),
];

let operations: readonly Operation[];
let requests: readonly PageRequest[];
beforeAll(() => {
  operations = operationsOf(document);
  requests = requestsOf(readPage(root), Object.keys(document.paths));
});

test('the page has a control for each operation and each writable field of the API, or a listed reason', () => {
  expect(coverageOf(operations, requests, all).missing).toEqual([]);
});

test('each exception is needed: something would be missing without it', () => {
  expect(coverageOf(operations, requests, all).needless).toEqual([]);
});

test('an operation without a request, and a field that no request carries, are found', () => {
  const isTagChange = ({ operation }: PageRequest) => operation === 'PUT /tags/{tag_id}';
  const isAccountChange = ({ operation }: PageRequest) => operation === 'PUT /account';
  const less = requests
    .filter((request) => !isTagChange(request))
    .map((request) =>
      isAccountChange(request) ? { ...request, fields: new Set(['nschedule_id']) } : request,
    );
  const { missing } = coverageOf(operations, less, exceptions);
  expect(missing).toEqual(
    expect.arrayContaining(['PUT /tags/{tag_id}', 'PUT /account Timezone', 'PUT /account DefaultLocations']),
  );
});

const head = `# What the page can do

Each operation of the API, and where the page uses it. A screen is named by its folder in \`apps/dashboard/src/screens\`; \`parts\` is the frame around all screens. \`npm run gen:docs\` generates this page. \`tests/page-parity.test.ts\` finds the requests in the sources of the page with the TypeScript compiler. It fails for an operation, and for a writable field of a body, that the page does not send and that has no reason here.

A field counts if the page writes it into the body. Fields for which only the types of the API allow a value do not count.
`;
/** More screens than these are a part of the page that every screen needs. */
const maxScreens = 6;

test('docs/page-parity.md has each operation with its screens or its reason (npm run gen:docs)', async () => {
  const { rows } = coverageOf(operations, requests, all);
  const lines = rows.map(({ operation, screens, isSent, excepted, reason }) => {
    const where = screens.length > maxScreens ? 'every screen' : screens.join(', ');
    const reasons = Map.groupBy(excepted, ({ reason: each }) => each);
    const without = [...reasons].map(
      ([why, fields]) => `${fields.map(({ field }) => `\`${field}\``).join(', ')}: ${why}`,
    );
    return `| \`${operation.name}\` | ${isSent ? where : '–'} | ${reason ?? without.join('<br>')} |`;
  });
  const table = [
    '| operation | screens | what the page does not offer, and why |',
    '|---|---|---|',
    ...lines,
  ];
  await expect(`${head}\n${table.join('\n')}\n`).toMatchFileSnapshot('../docs/page-parity.md');
});
