import type { Method } from '@vantage/domain';
import { type Schema, type Schemas, schemaPath } from './schema.ts';

/**
 * Creates an example of a schema from the examples of its parts; `sent`: as a request, without what only answers hold.
 */
export function createExampleMaker(schemas: Schemas) {
  const objectOf = ({ properties = {} }: Schema, sent: boolean): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([, part]) => part['not'] === undefined && !(sent && part['readOnly'] === true))
        .map(([name, part]) => [name, exampleOf(part, sent)]),
    );

  const exampleOf = (schema: Schema, sent: boolean): unknown => {
    const { $ref, examples, anyOf, oneOf, allOf, items, type } = schema;
    if (examples !== undefined) return examples[0];
    if ($ref !== undefined) return exampleOf(schemas[$ref.slice(schemaPath.length)] ?? {}, sent);
    if (schema.enum !== undefined) return schema.enum[0];
    const [choice] = oneOf ?? anyOf ?? [];
    if (choice !== undefined) return exampleOf(choice, sent);
    if (allOf !== undefined) return Object.assign({}, ...allOf.map((part) => exampleOf(part, sent)));
    if (items !== undefined) return [exampleOf(items, sent)];
    if (type === 'boolean') return true;
    if (type === 'string') return 'text';
    if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
    return type === 'object' ? objectOf(schema, sent) : undefined;
  };
  return exampleOf;
}

/** A device of each Method, as a client would create it. */
export const methodExamples: Readonly<
  Record<Method, { readonly URL: string; readonly ShortName: string; readonly Options: object }>
> = {
  HTTP: {
    URL: 'https://www.example.com/',
    ShortName: 'web-1',
    Options: { ExpectText: 'Welcome', MaxTimeMs: 2000, Headers: { 'Accept-Language': 'en' } },
  },
  PING: { URL: '192.0.2.1', ShortName: 'gw-1', Options: { Count: 5, MaxLossPercent: 20 } },
  SMTP: {
    URL: 'smtp://mail.example.com',
    ShortName: 'mx-1',
    Options: { TLS: { Mode: 'StartTLS', MinDaysLeft: 14 } },
  },
  POP3: { URL: 'pop3s://mail.example.com', ShortName: 'pop-1', Options: { ExpectBanner: 'ready' } },
  MySQL: {
    URL: 'mysql://monitor@db.example.com/shop',
    ShortName: 'db-1',
    Options: { Query: 'select count(*) from orders', Password: 'a password' },
  },
  IMAP4: {
    URL: 'imaps://mail.example.com',
    ShortName: 'imap-1',
    Options: { User: 'monitor', Password: 'a password', Mailbox: 'INBOX' },
  },
  FTP: { URL: 'ftp://ftp.example.com', ShortName: 'ftp-1', Options: { Directory: '/pub', List: true } },
  TELNET: { URL: '192.0.2.7:23', ShortName: 'sw-7', Options: { ExpectPrompt: 'login:' } },
  SSH: { URL: 'ssh.example.com', ShortName: 'ssh-1', Options: { ExpectBanner: 'OpenSSH' } },
  NNTP: { URL: 'news.example.com', ShortName: 'news-1', Options: { Group: 'comp.lang.c' } },
  TCP: {
    URL: 'redis.example.com:6379',
    ShortName: 'redis-1',
    Options: { Steps: [{ Send: 'PING\r\n', Expect: '+PONG' }] },
  },
  DNS: {
    URL: 'dns://192.0.2.53/www.example.com?type=A',
    ShortName: 'dns-1',
    Options: { Expect: ['192.0.2.80'] },
  },
  Script: {
    URL: "await http({ url: 'https://www.example.com/' });",
    ShortName: 'shop-1',
    Options: { SlowMs: 5000 },
  },
};
