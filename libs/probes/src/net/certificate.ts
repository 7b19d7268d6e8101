import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { dayMs, type Json } from '@vantage/domain';
import type { TlsSettings } from '../contract/dial.ts';
import { systemCode } from '../contract/failure.ts';

/** The fault of a certificate; undefined if it is accepted. */
export function certificateFault(found: {
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

export function certificateFacts(certificate: X509Certificate, nowMs: number): Json {
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

export function chainOf(leaf: X509Certificate): readonly X509Certificate[] {
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
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '');
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
