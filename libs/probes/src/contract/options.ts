import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { dscpPattern } from './dscp.ts';

/** `IPFamily` of every Method. */
export const ipFamilyOption = z
  .enum(['Any', '4', '6'])
  .default('Any')
  .describe('Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6.');

export type IpFamily = z.output<typeof ipFamilyOption>;

/** `SourceAddress` of the Methods that can choose it. */
export const sourceAddressOption = boundedText(64, 1)
  .regex(
    /^[A-Za-z0-9_.:@%][A-Za-z0-9_.:@%-]*$/,
    'must be an address of the agent such as 192.0.2.10, or the name of its interface such as eth1',
  )
  .optional()
  .describe(
    "Address of the agent's host to send from, or the name of its interface; default: the system chooses.",
  );

/** `DSCP` of the Methods that can mark their packets. */
export const dscpOption = boundedText(4, 1)
  .regex(dscpPattern, 'must be a text from 0 to 63, or a name: EF, VA, LE, BE, CS0 to CS7, AF11 to AF43')
  .optional()
  .describe('Mark of the packets for quality of service: 0 to 63, or a name such as EF, AF41 or CS5.');

/** `SlowMs` of every Method. */
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
/** Searches for fixed texts, because a hostile text could make a pattern over all of it slow. */
function holdsCertificate(text: string): boolean {
  const begin = text.search(/-----BEGIN [A-Z0-9 ]{0,30}CERTIFICATE-----/);
  return begin >= 0 && text.indexOf('-----END ', begin) > begin;
}
/** Public parts may be references, which are filled later. Otherwise they must look like certificates. */
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

/** `TLS` for the Methods with STARTTLS. */
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

/** `TLS` for the Methods without STARTTLS. */
export const tlsOptionsWithoutStart = z
  .strictObject({
    Mode: z.enum(['None', 'Implicit']).optional().describe('Whether TLS is spoken; default by the scheme.'),
    ...settings,
  })
  .prefault({})
  .describe('TLS settings.');

export type TlsOptions = z.output<typeof tlsOptions>;

/** The keys of `TLS` except `Mode`. */
export const tlsSettingKeys: readonly string[] = Object.keys(settings);

/** For a probe's `secretOptions`. */
export const tlsSecretOptions = ['TLS.ClientKey'] as const;

export function textOption(max: number) {
  return boundedText(max, 1).optional();
}
