import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Method, methods } from '@vantage/domain';
import { registry } from '@vantage/probes';
import { expect, test } from 'vitest';
import { optionSchemas } from '../apps/controller/src/api/openapi/device-schemas.ts';
import type { OpenApiSchema } from '../apps/controller/src/api/openapi/openapi-schema.ts';

const head = `# Methods

A device has a Method, a URL and Options. The Method determines how an agent checks the device. This page lists each Method with the forms of its URL, its Options and an example of a body for \`POST /devices\`.
All Options may be absent. An unknown name is refused with the likely one. A password may be the name of a secret (\`\${secret:NAME}\`, [secrets.md](secrets.md)).
[result-codes.md](result-codes.md) defines the outcome of a check, [phases.md](phases.md) the measurement of its phases. A check of any Method may return measured values ([rest.md](rest.md), "Values"). \`npm run gen:docs\` generates this page from the schemas of the API.
`;

function formsOf(method: Method): string {
  // Some text is refused with the accepted forms: nothing as a script, a blank as a web address.
  const refused = ['', 'http:// '].map((url) => registry[method].parseTarget(url));
  const forms = refused.map((result) => (result.ok ? undefined : result.message.split('accepted is ')[1]));
  return forms.find((text) => text !== undefined) ?? '';
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function typeOf({ type, enum: values, items, anyOf, oneOf, minimum, maximum }: OpenApiSchema): string {
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  const range =
    typeof minimum === 'number' && typeof maximum === 'number' ? `, ${minimum} to ${maximum}` : '';
  return `${String(type ?? 'any')}${range}`;
}

function rows(schema: OpenApiSchema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const full = `${prefix}${name}`;
    const inner = option.items?.properties === undefined ? option : option.items;
    const below = rows(inner, option === inner ? `${full}.` : `${full}[].`);
    return [`| \`${full}\` | ${cell(typeOf(option))} | ${cell(option.description ?? '')} |`, ...below];
  });
}

function section(method: Method): string {
  const schema = optionSchemas()[`Options${method}`] ?? {};
  const body = JSON.stringify({ Method: method, ...registry[method].example, Frequency: 1 }, null, 2);
  return `
## ${method}

${registry[method].purpose}

URL: ${formsOf(method).replaceAll('<', '&lt;')}.

| option | value | meaning |
|---|---|---|
${rows(schema).join('\n')}

\`\`\`json
${body}
\`\`\`
`;
}

test('docs/methods.md has each Method with its URL, its Options and an example (npm run gen:docs)', async () => {
  await expect(head + methods.map(section).join('')).toMatchFileSnapshot('../docs/methods.md');
});

test.each(methods)(
  '%s: the forms of the URL are known, every option has a text, and the example fits',
  (method) => {
    expect(formsOf(method)).not.toBe('');
    const options = Object.entries(optionSchemas()[`Options${method}`]?.properties ?? {});
    for (const [name, { description }] of options) expect(description ?? '', name).not.toBe('');
    const probe = registry[method];
    expect(probe.parseTarget(probe.example.URL)).toMatchObject({ ok: true });
    expect(probe.options.safeParse(probe.example.Options).error).toBeUndefined();
  },
);

test('the page links to documents that exist', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../docs/methods.md'), 'utf8');
  for (const [, link = ''] of text.matchAll(/\]\(([^)#:]+)\)/g))
    expect(() => readFileSync(path.resolve(import.meta.dirname, '../docs', link))).not.toThrow();
});
