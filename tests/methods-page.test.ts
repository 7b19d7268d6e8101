import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Method, methods } from '@vantage/domain';
import { registry } from '@vantage/probes';
import { expect, test } from 'vitest';
import { optionSchemas } from '../apps/controller/src/rest/api/openapi/devices.ts';
import { methodExamples } from '../apps/controller/src/rest/api/openapi/examples.ts';
import type { Schema } from '../apps/controller/src/rest/api/openapi/schema.ts';

/** A check of the Method, and when it is good. */
const purposes: Readonly<Record<Method, string>> = {
  HTTP: 'Asks a web server for a page. The check is good when the status and what `Options` expect of headers and body fit.',
  PING: 'Sends ICMP echo requests. The check is good when enough of them are answered in time.',
  SMTP: 'Greets a mail server, and logs in or names a sender and a recipient where `Options` say so. It never sends a message.',
  POP3: 'Greets a POP3 server, and logs in where there is a user.',
  MySQL:
    'Greets a MySQL or MariaDB server, logs in where there is a user, and runs a query where there is one.',
  IMAP4: 'Greets an IMAP server, and logs in and opens a mailbox where `Options` say so.',
  FTP: 'Greets an FTP server, and logs in, lists a directory or reads a file where `Options` say so.',
  TELNET: 'Connects to a Telnet server, and logs in or waits for a prompt where `Options` say so.',
  SSH: 'Reads the version of an SSH server, and compares its host key or logs in where `Options` say so.',
  NNTP: 'Greets a news server, and logs in or selects a group where `Options` say so.',
  TCP: 'Connects to a port, and has a dialogue of texts or bytes where there are `Steps`.',
  DNS: 'Asks a DNS server for records. The check is good when there is an answer and it has what `Options` expect.',
  Script:
    'Runs a JavaScript program at the agent ([how to write one](script/README.md)). The check is good when the program ends without an error.',
};

const head = `# Methods

A device has a Method, a URL and Options. A Method is how an agent checks the device. This page has each Method with the forms of its URL, its Options and an example of a body for \`POST /devices\`.
All Options may be absent. A name that is not listed is refused with the likely one. A password may be the name of a secret (\`\${secret:NAME}\`, [secrets.md](secrets.md)).
[result-codes.md](result-codes.md) says how a check ends, [phases.md](phases.md) how its phases are measured. \`npm run generate:settings\` writes this page from the schemas of the API.
`;

function formsOf(method: Method): string {
  // A URL that no Method accepts is refused with the accepted forms.
  const refused = registry[method].parseTarget('');
  const [, forms = ''] = refused.ok ? [] : refused.message.split('accepted is ');
  return forms;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function typeOf({ type, enum: values, items, anyOf, oneOf, minimum, maximum }: Schema): string {
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  const range =
    typeof minimum === 'number' && typeof maximum === 'number' ? `, ${minimum} to ${maximum}` : '';
  return `${String(type ?? 'any')}${range}`;
}

function rows(schema: Schema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const full = `${prefix}${name}`;
    const inner = option.items?.properties === undefined ? option : option.items;
    const below = rows(inner, option === inner ? `${full}.` : `${full}[].`);
    return [`| \`${full}\` | ${cell(typeOf(option))} | ${cell(option.description ?? '')} |`, ...below];
  });
}

function section(method: Method): string {
  const schema = optionSchemas()[`Options${method}`] ?? {};
  const body = JSON.stringify({ Method: method, ...methodExamples[method], Frequency: 1 }, null, 2);
  return `
## ${method}

${purposes[method]}

URL: ${formsOf(method).replaceAll('<', '&lt;')}.

| option | value | |
|---|---|---|
${rows(schema).join('\n')}

\`\`\`json
${body}
\`\`\`
`;
}

test('docs/methods.md has each Method with its URL, its Options and an example (npm run generate:settings)', async () => {
  await expect(head + methods.map(section).join('')).toMatchFileSnapshot('../docs/methods.md');
});

test.each(methods)(
  '%s: the forms of the URL are known, every option has a text, and the example fits',
  (method) => {
    expect(formsOf(method)).not.toBe('');
    const options = Object.entries(optionSchemas()[`Options${method}`]?.properties ?? {});
    for (const [name, { description }] of options) expect(description ?? '', name).not.toBe('');
    expect(registry[method].parseTarget(methodExamples[method].URL)).toMatchObject({ ok: true });
    expect(registry[method].options.safeParse(methodExamples[method].Options).error).toBeUndefined();
  },
);

test('the page links to documents that exist', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../docs/methods.md'), 'utf8');
  for (const [, link = ''] of text.matchAll(/\]\(([^)#:]+)\)/g))
    expect(() => readFileSync(path.resolve(import.meta.dirname, '../docs', link))).not.toThrow();
});
