import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dayMs } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { ownCertificate } from '../agent-endpoint.ts';
import type { ControllerFinding } from './controller-finding.ts';

/** A certificate that ends sooner is a warning. */
const warningDays = 21;

const step = 'certificate';

/**
 * Examines the certificate of the REST port. `served` is the certificate (PEM) of the API; undefined where it did not
 * answer. Also examines the files of VANTAGE_TLS_CERT, because the next start needs them.
 */
export function examineCertificate(
  settings: Readonly<Record<string, string>>,
  served: string | undefined,
  nowMs: number,
): readonly ControllerFinding[] {
  const certFile = settings['VANTAGE_TLS_CERT'];
  const keyFile = settings['VANTAGE_TLS_KEY'];
  if (certFile === undefined || keyFile === undefined) {
    const pem = served ?? ownCertificate(settings);
    return pem === undefined ? [] : [judgeCertificate(pem, nowMs)];
  }
  const files = judgeFiles({ certFile, keyFile }, nowMs);
  if (files.level === 'fault' || served === undefined) return [files];
  const inUse = judgeCertificate(served, nowMs);
  return inUse.level === 'ok' ? [files] : [inUse];
}

/** Examines the operator's files: readable, a matching pair, and valid by this machine's clock. */
export function judgeFiles(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  nowMs: number,
): ControllerFinding {
  const names = `VANTAGE_TLS_CERT (${certFile}) and VANTAGE_TLS_KEY (${keyFile})`;
  try {
    const pem = readFileSync(certFile, 'utf8');
    if (new X509Certificate(pem).checkPrivateKey(createPrivateKey(readFileSync(keyFile, 'utf8'))))
      return judgeCertificate(pem, nowMs);
    return unusable(`${names}: the key does not belong to the certificate`);
  } catch (error) {
    return unusable(`${names}: ${messageOf(error)}`);
  }
}

function unusable(text: string): ControllerFinding {
  const remedy =
    'Correct the files: the certificate first, then its chain, and the key that belongs to it. A running controller keeps its present certificate and reads the files again within a minute. No controller can start with these files.';
  return { level: 'fault', step, text, remedy };
}

/** Examines whether a certificate (PEM) is valid by this machine's clock. */
export function judgeCertificate(pem: string, nowMs: number): ControllerFinding {
  try {
    const { validToDate, validFromDate } = new X509Certificate(pem);
    const days = Math.floor((validToDate.getTime() - nowMs) / dayMs);
    const until = validToDate.toISOString().slice(0, 10);
    const clock =
      'Compare this clock with another clock (`date`). If it is right, restart the controller: it renews its own certificate. You must renew a certificate of VANTAGE_TLS_CERT.';
    if (nowMs < validFromDate.getTime())
      return { level: 'fault', step, text: 'it is not valid yet by this clock', remedy: clock };
    if (days < 0) return { level: 'fault', step, text: `it ended on ${until}`, remedy: clock };
    if (days >= warningDays) return { level: 'ok', step, text: `valid until ${until}` };
    const remedy =
      'The controller renews its own certificate automatically. You must renew a certificate of VANTAGE_TLS_CERT.';
    return { level: 'warning', step, text: `it ends in ${days} days`, remedy };
  } catch (error) {
    const remedy =
      'Restore tls/server.pem and its key from the backup, or remove both: the controller creates new ones.';
    return { level: 'fault', step, text: `it cannot be read: ${messageOf(error)}`, remedy };
  }
}
