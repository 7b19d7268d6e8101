import { boundedText } from '@vantage/kernel';
import { z } from 'zod';

/** `IPFamily`, the same for every method. */
export const ipFamilyOption = z
  .enum(['Any', '4', '6'])
  .default('Any')
  .describe('Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6.');

/** Which addresses may be used. */
export type IpFamily = z.output<typeof ipFamilyOption>;

/** `SlowMs`, the same for every method. */
export const slowMsOption = z
  .int()
  .min(1)
  .max(120_000)
  .optional()
  .describe('A good check that takes longer than this many milliseconds is Slow.');

const pem = (what: string) =>
  boundedText(64 * 1024)
    .optional()
    .describe(`${what}, PEM.`);
/** Searches for fixed texts, because a text could be made so that a pattern over all of it takes long. */
function holdsCertificate(text: string): boolean {
  const begin = text.search(/-----BEGIN [A-Z0-9 ]{0,30}CERTIFICATE-----/);
  return begin >= 0 && text.indexOf('-----END ', begin) > begin;
}
/** Public parts may be references, filled in later; else they must at least look like certificates. */
const certificates = (what: string) =>
  pem(what).refine(
    (text) => text === undefined || text.includes('${') || holdsCertificate(text),
    'must be a certificate in PEM form (-----BEGIN CERTIFICATE----- …)',
  );
const settings = {
  Verify: z.boolean().default(true).describe("Refuse a certificate that is not valid for the server's name."),
  CA: certificates("Authorities to trust instead of the system's"),
  ClientCert: certificates('Client certificate with its chain'),
  ClientKey: pem('Private key of the client certificate'),
  ServerName: boundedText(253, 1)
    .optional()
    .describe('Name asked for (SNI) and expected in the certificate; default: the host.'),
  MinDaysLeft: z
    .int()
    .min(0)
    .max(3650)
    .default(0)
    .describe('The certificate must be valid for at least this many days.'),
};

/**
 * `TLS` for the methods that choose between none, STARTTLS and implicit by `Mode` (default by the URL's scheme and
 * port).
 */
export const tlsOptions = z
  .strictObject({
    Mode: z
      .enum(['None', 'StartTLS', 'Implicit'])
      .optional()
      .describe("When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None."),
    ...settings,
  })
  .prefault({})
  .describe('TLS settings.');

/** `TLS` for the methods without STARTTLS. */
export const tlsOptionsWithoutStart = z
  .strictObject({
    Mode: z.enum(['None', 'Implicit']).optional().describe('Whether TLS is spoken; default by the scheme.'),
    ...settings,
  })
  .prefault({})
  .describe('TLS settings.');

/** The parsed `TLS` Options. */
export type TlsOptions = z.output<typeof tlsOptions>;

/** Keys of `TLS` that say how TLS is spoken, not when. */
export const tlsSettingKeys: readonly string[] = Object.keys(settings);

/** Keys of `TLS` that are secret, for a probe's `secretOptions`. */
export const tlsSecretOptions = ['TLS.ClientKey'] as const;

/** A text that must not be empty, up to `max` characters. */
export function textOption(max: number) {
  return boundedText(max, 1).optional();
}
