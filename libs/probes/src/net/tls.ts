import { createHash, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import {
  connect,
  createSecureContext,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Json } from '@vantage/domain';
import { dayMs, resultCode } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import type { TlsSettings } from '../contract/dial.ts';
import { Failure, systemCode, tlsWords } from '../contract/failure.ts';
import type { ProbeContext } from '../contract/probe.ts';

const maxContexts = 256;
const pemCertificate = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----[^-]*-----END [A-Z0-9 ]*CERTIFICATE-----/g;

const tracked = declareState({
  name: 'tls_contexts',
  entries: maxContexts,
  entryBytes: 131_072,
  filledBy: 'devices with a CA or client certificate',
  atBound: 'the least used is made again',
});

/**
 * Keeps secure contexts: one for all checks without own authorities or client certificate (making one costs more than a
 * handshake), and one for each distinct set of those, the least used thrown out past 256.
 */
export function createSecureContexts(): { of(settings: TlsSettings): SecureContext } {
  const held = tracked(new Map<string, SecureContext>());
  return {
    of({ CA, ClientCert, ClientKey }) {
      const own = CA !== undefined || ClientCert !== undefined || ClientKey !== undefined;
      const key = own
        ? createHash('sha256')
            .update(JSON.stringify([CA, ClientCert, ClientKey]))
            .digest('base64')
        : '';
      const known = held.get(key);
      if (known) {
        held.delete(key);
        held.set(key, known);
        return known;
      }
      const made = makeContext(CA, ClientCert, ClientKey);
      const oldest = held.keys().next().value;
      if (held.size >= maxContexts && oldest !== undefined) held.delete(oldest);
      held.set(key, made);
      return made;
    },
  };
}

function makeContext(
  ca: string | undefined,
  cert: string | undefined,
  key: string | undefined,
): SecureContext {
  const refuse = (what: string, error: unknown) => {
    const why = error instanceof Error ? error.message.replace(/^error:.*::/, '') : String(error);
    return new Failure(resultCode.tls, `the ${what} set for this device cannot be used: ${why}`);
  };
  // OpenSSL passes over authorities that it cannot read, and then trusts nobody.
  if (ca !== undefined) {
    try {
      for (const each of ca.match(pemCertificate) ?? ['']) new X509Certificate(each);
    } catch (error) {
      throw refuse('CA', error);
    }
  }
  if ((cert === undefined) !== (key === undefined)) {
    const [there, missing] = cert === undefined ? ['ClientKey', 'ClientCert'] : ['ClientCert', 'ClientKey'];
    throw refuse(there, `${missing} is missing`);
  }
  try {
    return createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
  } catch (error) {
    throw refuse('ClientCert or ClientKey', error);
  }
}

/** One handshake. */
export interface Handshake {
  readonly context: Pick<
    ProbeContext,
    'signal' | 'stopwatch' | 'addDetail' | 'diagnostics' | 'clock' | 'own'
  >;
  readonly socket: Socket;
  readonly secureContext: SecureContext;
  readonly settings: TlsSettings;
  /** The device's host: requested by SNI and expected in the certificate unless `ServerName` is set. */
  readonly host: string;
  /** `10.0.0.1:443`, for the texts. */
  readonly peer: string;
  readonly alpn?: readonly string[];
  readonly session?: Buffer;
}

/**
 * Upgrades a connected socket: spends the `ssl` phase, notes the facts of TLS and certificate, keeps the chain as
 * diagnostics. Throws Throws Failure 6 with a text for everything that goes wrong.
 */
export async function handshake(request: Handshake): Promise<TLSSocket> {
  const { context, settings, host } = request;
  const name = settings.ServerName ?? host;
  context.stopwatch.enter('ssl');
  const secured = connect({
    socket: request.socket,
    secureContext: request.secureContext,
    rejectUnauthorized: false,
    ...(isIP(name) ? {} : { servername: name }),
    ...(request.alpn ? { ALPNProtocols: [...request.alpn] } : {}),
    ...(request.session ? { session: request.session } : {}),
    checkServerIdentity: () => undefined,
  });
  secured.on('error', () => {});
  // Without this, Node turns the whole chain into objects for a check that `judge` does by itself, for a quarter of a
  // handshake's CPU time.
  secured.getPeerCertificate = noCertificate;
  // Never from inside a TLS callback (a verdict may fall there): Node then reads on in freed memory and dies.
  context.own({ [Symbol.dispose]: () => void setImmediate(() => secured.destroy()) });
  await settled(secured, request);
  Reflect.deleteProperty(secured, 'getPeerCertificate');

  const leaf = secured.getPeerX509Certificate();
  context.addDetail('TLS', { Version: secured.getProtocol(), Cipher: secured.getCipher().standardName });
  if (leaf === undefined) {
    // A resumed session (FTP's data connection) was judged where it began; OpenSSL may not carry its certificate.
    if (request.session && secured.isSessionReused()) return secured;
    throw new Failure(resultCode.tls, `${request.peer} presented no certificate`);
  }
  const nowMs = context.clock.nowUs() / 1000;
  context.addDetail('Certificate', () => certificateFacts(leaf, nowMs));
  context.diagnostics('CertificateChain', () =>
    retrySequenceOf(leaf).map((each) => certificateFacts(each, nowMs)),
  );
  const wrong = judge({ leaf, name, settings, nowMs, error: secured.authorizationError });
  if (wrong !== undefined) throw new Failure(resultCode.tls, wrong);
  return secured;
}

/** Stands in for `getPeerCertificate` during the handshake. */
function noCertificate(): PeerCertificate & DetailedPeerCertificate {
  return Object.create(null);
}

function settled(secured: TLSSocket, { context, peer, settings, host }: Handshake): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal, stopwatch } = context;
    const name = settings.ServerName ?? host;
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      secured.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      then();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    const onSecure = () => {
      stopwatch.pause();
      // This event comes from inside OpenSSL: whoever goes on may destroy the socket, so let OpenSSL return first.
      setImmediate(() => finish(resolve));
    };
    const onError = (error: Error) => finish(() => reject(handshakeFailure(error, peer, name)));
    const onClose = () => finish(() => reject(handshakeFailure(undefined, peer, name)));
    signal.addEventListener('abort', onAbort, { once: true });
    secured.on('secureConnect', onSecure).on('error', onError).on('close', onClose);
  });
}

function handshakeFailure(error: Error | undefined, peer: string, name: string): Failure {
  const code = systemCode(error);
  if (error === undefined || code === 'ECONNRESET' || code === 'EPIPE') {
    return new Failure(resultCode.tls, `${peer} ended the connection during the TLS handshake`, {
      cause: error,
    });
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return new Failure(resultCode.tls, `${peer} does not speak TLS on this port`, { cause: error });
  }
  return new Failure(
    resultCode.tls,
    `TLS handshake with ${peer} failed: ${tlsWords({ code, message: error.message }, name)}`,
    {
      cause: error,
    },
  );
}

/** The text of a certificate's fault; undefined for a certificate that is accepted. */
function judge(found: {
  leaf: X509Certificate;
  name: string;
  settings: TlsSettings;
  nowMs: number;
  error: Error | string | undefined | null;
}): string | undefined {
  const { leaf, name, settings, nowMs, error } = found;
  const unauthorized = typeof error === 'string' ? error : error ? systemCode(error) || error.message : '';
  const named = isIP(name) ? leaf.checkIP(name) : leaf.checkHost(name);
  const code = unauthorized === '' && named === undefined ? 'ERR_TLS_CERT_ALTNAME_INVALID' : unauthorized;
  if (settings.Verify && code !== '') return unauthorizedText(code, leaf, name, nowMs);
  const left = (leaf.validToDate.getTime() - nowMs) / dayMs;
  if (settings.MinDaysLeft > 0 && left < settings.MinDaysLeft) {
    const when = left < 0 ? `expired ${showDays(-left)} ago` : `expires in ${showDays(left)}`;
    return `certificate for ${name} ${when}, at least ${settings.MinDaysLeft} days are expected`;
  }
  return undefined;
}

function unauthorizedText(code: string, leaf: X509Certificate, name: string, nowMs: number): string {
  const subject = `certificate for ${name}`;
  switch (code) {
    case 'CERT_HAS_EXPIRED': {
      const ago = (nowMs - leaf.validToDate.getTime()) / dayMs;
      return ago >= 0
        ? `${subject} expired ${showDays(ago)} ago`
        : `${subject} hangs on an expired certificate in its chain`;
    }
    case 'CERT_NOT_YET_VALID': {
      const ahead = (leaf.validFromDate.getTime() - nowMs) / dayMs;
      return `${subject} is not valid before ${leaf.validFromDate.toISOString().slice(0, 10)}${ahead > 0 ? ` (in ${showDays(ahead)})` : ''}`;
    }
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `certificate is for ${namesOf(leaf).slice(0, 5).join(', ') || 'no name'}, not for ${name}`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `${subject} is self-signed`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_GET_ISSUER_CERT':
      return `${subject} is not signed by an authority that this agent trusts`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `${subject} is not signed by an authority that this agent trusts, or the server omits an intermediate certificate`;
    case 'CERT_REVOKED':
      return `${subject} is revoked`;
    default:
      return `${subject} is not acceptable: ${code.replaceAll('_', ' ').toLowerCase()}`;
  }
}

function certificateFacts(certificate: X509Certificate, nowMs: number): Json {
  return {
    Subject: oneLine(certificate.subject),
    Issuer: oneLine(certificate.issuer),
    Names: namesOf(certificate).slice(0, 20),
    NotBefore: certificate.validFromDate.toISOString(),
    NotAfter: certificate.validToDate.toISOString(),
    DaysLeft: Math.floor((certificate.validToDate.getTime() - nowMs) / dayMs),
    Serial: certificate.serialNumber,
    SHA256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

function retrySequenceOf(leaf: X509Certificate): readonly X509Certificate[] {
  const chain = [leaf];
  while (chain.length < 10) {
    const issuer = chain.at(-1)?.issuerCertificate;
    if (issuer === undefined || issuer.fingerprint256 === chain.at(-1)?.fingerprint256) break;
    chain.push(issuer);
  }
  return chain;
}

function namesOf(certificate: X509Certificate): readonly string[] {
  return (certificate.subjectAltName ?? '')
    .split(/, /)
    .map((each) => each.replace(/^(DNS|IP Address):/, ''))
    .filter((each) => each !== '');
}

function oneLine(name: string): string {
  return name.split('\n').join(', ').slice(0, 500);
}

function showDays(days: number): string {
  if (days < 1) {
    const hours = Math.floor(days * 24);
    return hours === 1 ? '1 hour' : `${hours} hours`;
  }
  const whole = Math.floor(days);
  return whole === 1 ? '1 day' : `${whole} days`;
}
