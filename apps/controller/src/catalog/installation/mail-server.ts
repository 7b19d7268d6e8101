import { z } from 'zod';

/** The kinds of encryption of the connection to the mail server. */
export const mailSecurities = ['TLS', 'STARTTLS', 'Optional', 'None'] as const;

/** The mail server without its password, as it is stored. */
export const storedMailServer = z.object({
  Host: z.string(),
  Port: z.int(),
  Security: z.enum(mailSecurities),
  VerifyCertificate: z.boolean(),
  User: z.string().nullable(),
});

/** A mail server with its password. */
export interface MailServer extends z.output<typeof storedMailServer> {
  /** null: there is no login. */
  readonly Password: string | null;
}

/** The address of a mail server in the form of VANTAGE_SMTP_URL. Pure. */
export function smtpUrlOf({ Host, Port, Security, VerifyCertificate, User, Password }: MailServer): string {
  const login = User === null ? '' : `${encodeURIComponent(User)}:${encodeURIComponent(Password ?? '')}@`;
  const host = Host.includes(':') ? `[${Host}]` : Host;
  const query = new URLSearchParams();
  if (Security === 'STARTTLS') query.set('requireTLS', 'true');
  if (Security === 'None') query.set('ignoreTLS', 'true');
  if (!VerifyCertificate) query.set('tls.rejectUnauthorized', 'false');
  const more = query.size === 0 ? '' : `?${query.toString()}`;
  return `${Security === 'TLS' ? 'smtps' : 'smtp'}://${login}${host}:${Port}${more}`;
}

/** The mail server of an address like VANTAGE_SMTP_URL. Pure. */
export function mailServerOf(smtpUrl: string): MailServer {
  const url = new URL(smtpUrl);
  const isTls = url.protocol === 'smtps:';
  const has = (name: string) => url.searchParams.get(name) === 'true';
  const security = has('requireTLS') ? 'STARTTLS' : has('ignoreTLS') ? 'None' : 'Optional';
  const user = decoded(url.username);
  return {
    Host: url.hostname.replace(/^\[|\]$/g, ''),
    Port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    Security: isTls ? 'TLS' : security,
    VerifyCertificate: url.searchParams.get('tls.rejectUnauthorized') !== 'false',
    User: user === '' ? null : user,
    Password: user === '' ? null : decoded(url.password),
  };
}

/** A text with a `%` that encodes nothing is returned as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
