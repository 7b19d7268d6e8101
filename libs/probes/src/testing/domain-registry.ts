import { listen, type TestServer } from './server.ts';

/** A domain as a test registry has it. */
export interface RegisteredDomain {
  readonly expires?: string;
  readonly registrar?: string;
  readonly nameServers?: readonly string[];
  readonly statuses?: readonly string[];
}

/** The body of an RDAP server (RFC 9083). */
export function rdapBody({
  expires,
  registrar,
  nameServers = [],
  statuses = ['active'],
}: RegisteredDomain): string {
  return JSON.stringify({
    objectClassName: 'domain',
    status: statuses,
    events: expires === undefined ? [] : [{ eventAction: 'expiration', eventDate: expires }],
    nameservers: nameServers.map((ldhName) => ({ objectClassName: 'nameserver', ldhName })),
    entities:
      registrar === undefined
        ? []
        : [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', registrar]]] }],
  });
}

export function httpAnswer(status: string, body: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/rdap+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/** A server of whole requests, which notes their first lines. It closes the connection after its answer. */
export async function serveTexts(
  answer: (firstLine: string) => string,
): Promise<TestServer & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = await listen((socket) => {
    socket.once('data', (chunk) => {
      const [line = ''] = chunk.toString('utf8').split('\r\n');
      asked.push(line);
      socket.end(answer(line));
    });
  });
  return Object.assign(server, { asked });
}
