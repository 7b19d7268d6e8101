import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serveSite, type TestSite } from './web-server.ts';

interface DigestSettings {
  /** `MD5`, `SHA-256`, each perhaps with `-sess`; absent: the server names none. */
  readonly algorithm?: string;
  /** Default `auth`; empty: the older form without it. */
  readonly qop?: string;
  /** Requests that one nonce may serve; then it is stale. Default: any number. */
  readonly nonceUses?: number;
  readonly userhash?: boolean;
  readonly user?: string;
  readonly password?: string;
  /** Serves a request with the right login. */
  readonly serve?: RequestListener;
}

/** A server that wants a Digest login (RFC 7616) and checks all of it; `seen` has one word for each request. */
export interface DigestSite extends TestSite {
  readonly seen: readonly string[];
}

/** A web server of a test. It accepts each number of uses of a nonce once, as RFC 7616 section 3.4 wants it. */
export async function serveDigest(settings: DigestSettings = {}): Promise<DigestSite> {
  const { algorithm, qop = 'auth', nonceUses = Number.POSITIVE_INFINITY, userhash = false } = settings;
  const { user = 'Mufasa', password = 'Circle of Life', serve = answerIn } = settings;
  const realm = 'test "realm"';
  const counts = new Map<string, number>();
  const seen: string[] = [];
  const hash = (text: string) =>
    createHash(/^sha-256/i.test(algorithm ?? '') ? 'sha256' : 'md5')
      .update(text)
      .digest('hex');

  const challenge = (response: ServerResponse, word: string) => {
    const nonce = randomBytes(12).toString('base64');
    counts.set(nonce, 0);
    seen.push(word);
    const parts = [
      `realm="${realm.replaceAll('"', '\\"')}"`,
      `nonce="${nonce}"`,
      'opaque="o p"',
      ...(qop === '' ? [] : [`qop="${qop}"`]),
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      ...(word === 'stale' ? ['stale=true'] : []),
      ...(userhash ? ['userhash=true'] : []),
    ];
    response.writeHead(401, { 'WWW-Authenticate': ['Negotiate', `Digest ${parts.join(', ')}`] }).end('who?');
  };

  const judge = (request: IncomingMessage): string => {
    const sent = fieldsOf(request.headers.authorization ?? '');
    const { nonce = '', nc = '', cnonce = '', uri = '', response = '' } = sent;
    const uses = counts.get(nonce);
    if (uses === undefined || sent['realm'] !== realm || uri !== request.url || sent['opaque'] !== 'o p')
      return 'wrong';
    if (sent['username'] !== (userhash ? hash(`${user}:${realm}`) : user)) return 'wrong';
    if (uses >= nonceUses) return 'stale';
    const plain = hash(`${user}:${realm}:${password}`);
    const a1 = /-sess$/i.test(algorithm ?? '') ? hash(`${plain}:${nonce}:${cnonce}`) : plain;
    const a2 = hash(`${request.method}:${uri}`);
    const middle = qop === '' ? nonce : `${nonce}:${nc}:${cnonce}:auth`;
    const isCounted = qop === '' || Number.parseInt(nc, 16) === uses + 1;
    if (!isCounted || response !== hash(`${a1}:${middle}:${a2}`)) return 'wrong';
    counts.set(nonce, uses + 1);
    return 'in';
  };

  const site = await serveSite((request, response) => {
    if (request.headers.authorization === undefined) return challenge(response, 'asked');
    const verdict = judge(request);
    if (verdict !== 'in') return challenge(response, verdict);
    seen.push(verdict);
    return serve(request, response);
  });
  return Object.assign(site, { seen });
}

function answerIn(_request: IncomingMessage, response: ServerResponse): void {
  response.end('in');
}

/** The fields of an Authorization header. This reader knows the exact form that is sent, unlike the probe's. */
function fieldsOf(header: string): Readonly<Record<string, string>> {
  const pairs = [...header.matchAll(/([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))/gi)];
  return Object.fromEntries(
    pairs.map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(.)/g, '$1') ?? bare,
    ]),
  );
}
