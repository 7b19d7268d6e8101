import { createHash, randomBytes } from 'node:crypto';
import { type Challenge, readChallenges } from './digest-challenge.ts';

/** The algorithms of RFC 7616 that are known here, and their hash functions. */
const hashes: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256' };
const knownAlgorithms = 'MD5, MD5-sess, SHA-256 and SHA-256-sess';

/** The parts of a request that its login signs. */
export interface DigestRequest {
  readonly method: string;
  /** The path with its query, as it is sent. */
  readonly uri: string;
}

/** The secrets of a Digest login. */
interface DigestIdentity {
  readonly user: string;
  readonly password: string;
  /** Called with every text that proves the password, so that it is masked. */
  readonly redact: (text: string) => void;
  /** The client's nonce; by default 16 random bytes. */
  readonly cnonce?: () => string;
}

/** An accepted challenge. */
interface ActiveChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  /** As the server wrote it. undefined: the server named none, which means MD5. */
  readonly algorithm: string | undefined;
  readonly hash: string;
  /** Whether `qop=auth` is used. Without it the answer has the older form (RFC 2069). */
  readonly hasQop: boolean;
  readonly hashesUser: boolean;
  readonly cnonce: string;
  /** A1 of a session, which stays the same while its nonce is used. */
  readonly a1: string;
}

/*
 *   the answer to a request                         | next
 *   not 401                                         | nothing: it is the answer
 *   401 without a Digest challenge that fits        | nothing; `problem` says why
 *   401, and the request carried no login           | once more with the login
 *   401, stale=true or another realm                | once more with the new nonce
 *   401 with the same realm                         | nothing: user or password are refused
 */

/** The Digest login (RFC 7616) of one check at one origin. A nonce is used for all further requests of the check. */
export class DigestLogin {
  private readonly identity: DigestIdentity;
  private active: ActiveChallenge | undefined;
  private uses = 0;
  private sentRealm: string | undefined;
  /** Why no login was possible, for people. */
  problem: string | undefined;

  constructor(identity: DigestIdentity) {
    this.identity = identity;
  }

  /** The value of Authorization for a request; undefined before the first challenge. */
  authorization(request: DigestRequest): string | undefined {
    const { active } = this;
    this.sentRealm = active?.realm;
    if (active === undefined) return undefined;
    this.uses += 1;
    const count = this.uses.toString(16).padStart(8, '0');
    const { identity } = this;
    const a2 = hashOf(active.hash, `${request.method}:${request.uri}`);
    const middle = active.hasQop ? `${active.nonce}:${count}:${active.cnonce}:auth` : active.nonce;
    const response = hashOf(active.hash, `${active.a1}:${middle}:${a2}`);
    identity.redact(response);
    const { realm, nonce, opaque, algorithm } = active;
    return `Digest ${[
      userParameter(identity.user, active),
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(request.uri)}`,
      `response="${response}"`,
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
      ...(active.hasQop ? ['qop=auth', `nc=${count}`, `cnonce="${active.cnonce}"`] : []),
      ...(active.hashesUser ? ['userhash=true'] : []),
    ].join(', ')}`;
  }

  /** Reads the answer to the last request. True: the request shall be sent once more, with a login that may fit. */
  accepts(answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> }): boolean {
    if (answer.status !== 401) {
      this.followNonce(answer.headers['authentication-info']);
      return false;
    }
    const found = readChallenges(answer.headers['www-authenticate'] ?? '');
    const offered = found.filter(({ scheme }) => scheme === 'digest');
    const challenge = offered.find((each) => isFit(each));
    if (challenge === undefined) {
      this.problem = whyNone(found, offered);
      return false;
    }
    const realm = challenge.parameters.get('realm') ?? '';
    const isStale = challenge.parameters.get('stale')?.toLowerCase() === 'true';
    if (this.sentRealm === realm && !isStale) return false;
    this.use(challenge.parameters);
    return true;
  }

  /** A server may name the nonce of the next request (RFC 7616 section 3.5). */
  private followNonce(header: string | undefined): void {
    if (header === undefined || this.active === undefined) return;
    const [info] = readChallenges(`info ${header}`);
    const nonce = info?.parameters.get('nextnonce');
    if (nonce === undefined) return;
    this.active = { ...this.active, nonce };
    this.uses = 0;
  }

  private use(parameters: ReadonlyMap<string, string>): void {
    const { identity } = this;
    const algorithm = parameters.get('algorithm');
    const { name, isSession } = splitAlgorithm(algorithm);
    const hash = hashes[name] ?? 'md5';
    const realm = parameters.get('realm') ?? '';
    const nonce = parameters.get('nonce') ?? '';
    const cnonce = identity.cnonce?.() ?? randomBytes(16).toString('hex');
    const plain = hashOf(hash, `${identity.user}:`, wireBytes(realm), `:${identity.password}`);
    const a1 = isSession ? hashOf(hash, `${plain}:${nonce}:${cnonce}`) : plain;
    identity.redact(plain);
    this.uses = 0;
    this.active = {
      realm,
      nonce,
      opaque: parameters.get('opaque'),
      algorithm,
      hash,
      hasQop: parameters.has('qop'),
      hashesUser: parameters.get('userhash')?.toLowerCase() === 'true',
      cnonce,
      a1,
    };
  }
}

function splitAlgorithm(algorithm = 'MD5'): { readonly name: string; readonly isSession: boolean } {
  const upper = algorithm.toUpperCase();
  return { name: upper.replace(/-SESS$/, ''), isSession: upper.endsWith('-SESS') };
}

const qopsOf = ({ parameters }: Challenge) =>
  parameters
    .get('qop')
    ?.split(',')
    .map((qop) => qop.trim().toLowerCase());

function isFit(challenge: Challenge): boolean {
  const { parameters } = challenge;
  const isKnown = hashes[splitAlgorithm(parameters.get('algorithm')).name] !== undefined;
  return isKnown && parameters.has('nonce') && (qopsOf(challenge)?.includes('auth') ?? true);
}

function whyNone(found: readonly Challenge[], offered: readonly Challenge[]): string {
  const [first] = offered;
  if (first === undefined) {
    const schemes = [...new Set(found.map(({ scheme }) => scheme))].slice(0, 5).join(', ');
    return `the server offers no Digest login${schemes === '' ? '' : `, but ${schemes}`}`;
  }
  if (!first.parameters.has('nonce')) return 'the Digest challenge of the server has no nonce';
  const algorithm = first.parameters.get('algorithm');
  return hashes[splitAlgorithm(algorithm).name] === undefined
    ? `the server wants Digest with ${algorithm?.slice(0, 40)}; this agent knows ${knownAlgorithms}`
    : `the server wants Digest with qop ${first.parameters.get('qop')?.slice(0, 40)}; this agent knows auth`;
}

function hashOf(hash: string, ...parts: readonly (string | Buffer)[]): string {
  const sum = createHash(hash);
  for (const part of parts) sum.update(part);
  return sum.digest('hex');
}

/** The bytes of a header, which Node reads as Latin-1. */
function wireBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** A text within quotes (RFC 9110 section 5.6.4). Control characters cannot occur in a header that arrived. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The parameter with the user: hashed if the server wants it so, and encoded if it is not ASCII (RFC 8187). */
function userParameter(user: string, { hash, realm, hashesUser }: ActiveChallenge): string {
  if (hashesUser) return `username="${hashOf(hash, `${user}:`, wireBytes(realm))}"`;
  if (/^[\x20-\x7e]*$/.test(user)) return `username=${quote(user)}`;
  const encoded = encodeURIComponent(user.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `username*=UTF-8''${encoded}`;
}
