import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dayMs } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { ownCertificate } from '../endpoint.ts';
import type { Finding } from './finding.ts';

/** A certificate that ends in fewer days is worth a warning. */
const soonDays = 21;

const step = 'certificate';

/**
 * Examines the certificate of the REST port. `served` is the one with which the API answered (PEM); undefined: it did
 * not. The files of VANTAGE_TLS_CERT are examined too, because the next start needs them.
 */
export function examineCertificate(
  settings: Readonly<Record<string, string>>,
  served: string | undefined,
  nowMs: number,
): readonly Finding[] {
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

/** Whether the files of the operator can be used: readable, of one pair, and valid by this machine's clock. */
export function judgeFiles(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  nowMs: number,
): Finding {
  const names = `VANTAGE_TLS_CERT (${certFile}) and VANTAGE_TLS_KEY (${keyFile})`;
  try {
    const pem = readFileSync(certFile, 'utf8');
    if (new X509Certificate(pem).checkPrivateKey(createPrivateKey(readFileSync(keyFile, 'utf8'))))
      return judgeCertificate(pem, nowMs);
    return unusable(`${names}: the key is not the one of the certificate`);
  } catch (error) {
    return unusable(`${names}: ${messageOf(error)}`);
  }
}

function unusable(text: string): Finding {
  const remedy =
    'Correct the files: the certificate first, then its chain, and the key that belongs to it. A controller that runs keeps the certificate from before, and reads the files within a minute; none can start with them.';
  return { level: 'fault', step, text, remedy };
}

/** Whether a certificate of the controller (PEM) is valid by this machine's clock. */
export function judgeCertificate(pem: string, nowMs: number): Finding {
  try {
    const { validToDate, validFromDate } = new X509Certificate(pem);
    const days = Math.floor((validToDate.getTime() - nowMs) / dayMs);
    const until = validToDate.toISOString().slice(0, 10);
    const clock =
      'Compare this clock with another one (`date`). If it is right, restart the controller: it renews its own. One of VANTAGE_TLS_CERT is yours to renew.';
    if (nowMs < validFromDate.getTime())
      return { level: 'fault', step, text: 'it is not valid yet by this clock', remedy: clock };
    if (days < 0) return { level: 'fault', step, text: `it ended on ${until}`, remedy: clock };
    if (days >= soonDays) return { level: 'ok', step, text: `valid until ${until}` };
    const remedy =
      'The controller renews its own certificate by itself. One of VANTAGE_TLS_CERT is yours to renew.';
    return { level: 'warning', step, text: `it ends in ${days} days`, remedy };
  } catch (error) {
    const remedy =
      'Put tls/server.pem and its key back from the backup, or remove both: the controller makes new ones.';
    return { level: 'fault', step, text: `it cannot be read: ${messageOf(error)}`, remedy };
  }
}
