import { createHash, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { resultCode } from '@vantage/domain';
import { declareState, LRUCache } from '@vantage/kernel';
import type { TlsSettings } from '../contract/dial.ts';
import { Failure } from '../contract/failure.ts';

const maxContexts = 256;
const pemCertificate = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----[^-]*-----END [A-Z0-9 ]*CERTIFICATE-----/g;

const tracked = declareState({
  name: 'tls_contexts',
  entries: maxContexts,
  entryBytes: 131_072,
  filledBy: 'devices with a CA or client certificate',
  atBound: 'the least recently used is created again',
});

/**
 * Caches secure contexts, because creating one costs more than a handshake: one for all checks without a CA or client
 * certificate, and one for each distinct set of these.
 */
export function createSecureContexts(): { of(settings: TlsSettings): SecureContext } {
  const contexts = tracked(new LRUCache<string, SecureContext>({ max: maxContexts }));
  return {
    of({ CA, ClientCert, ClientKey }) {
      const isDefault = CA === undefined && ClientCert === undefined && ClientKey === undefined;
      const key = isDefault
        ? ''
        : createHash('sha256')
            .update(JSON.stringify([CA, ClientCert, ClientKey]))
            .digest('base64');
      const known = contexts.get(key);
      if (known !== undefined) return known;
      const context = createContext(CA, ClientCert, ClientKey);
      contexts.set(key, context);
      return context;
    },
  };
}

function createContext(
  ca: string | undefined,
  cert: string | undefined,
  key: string | undefined,
): SecureContext {
  const refuse = (what: string, error: unknown) => {
    const why = error instanceof Error ? error.message.replace(/^error:.*::/, '') : String(error);
    return new Failure(resultCode.tls, `the ${what} set for this device cannot be used: ${why}`);
  };
  // OpenSSL ignores authorities that it cannot read, and then trusts no certificate.
  if (ca !== undefined) {
    try {
      for (const pem of ca.match(pemCertificate) ?? ['']) new X509Certificate(pem);
    } catch (error) {
      throw refuse('CA', error);
    }
  }
  if ((cert === undefined) !== (key === undefined)) {
    const [present, missing] = cert === undefined ? ['ClientKey', 'ClientCert'] : ['ClientCert', 'ClientKey'];
    throw refuse(present, `${missing} is missing`);
  }
  try {
    return createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
  } catch (error) {
    throw refuse('ClientCert or ClientKey', error);
  }
}
