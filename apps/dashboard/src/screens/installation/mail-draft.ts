import type { Schemas } from '@vantage/client';

export type InstallationSettings = Schemas['InstallationSettings'];
type MailSecurity = Schemas['MailServer']['Security'];

/** The texts of the form of the mail server. */
export interface MailDraft {
  readonly host: string;
  readonly port: string;
  readonly security: NonNullable<MailSecurity>;
  readonly verify: boolean;
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly isPrivate: boolean;
}

/** The usual port of each kind of encryption. */
const usualPorts = { TLS: '465', STARTTLS: '587', Optional: '587', None: '25' } as const;

/** The draft of the stored settings. Pure. */
export function mailDraft({ MailServer, MailFrom, PrivateWebhooks }: InstallationSettings): MailDraft {
  return {
    host: MailServer?.Host ?? '',
    port: String(MailServer?.Port ?? usualPorts.STARTTLS),
    security: MailServer?.Security ?? 'STARTTLS',
    verify: MailServer?.VerifyCertificate ?? true,
    user: MailServer?.User ?? '',
    password: MailServer?.Password ?? '',
    from: MailFrom,
    isPrivate: PrivateWebhooks,
  };
}

/** Another kind of encryption brings its usual port, unless a person typed another one. Pure. */
export function withSecurity(draft: MailDraft, security: MailDraft['security']): Partial<MailDraft> {
  const isUsual = draft.port === '' || draft.port === usualPorts[draft.security];
  return { security, ...(isUsual && { port: usualPorts[security] }) };
}

/** A change of the server, which needs the password again: the mask is valid for the previous server only. Pure. */
export function withServer(draft: MailDraft, change: Partial<MailDraft>): Partial<MailDraft> {
  return draft.password === '***' && change.password === undefined ? { ...change, password: '' } : change;
}

/** The mail server as the API takes it; null: there is none. Pure. */
export function mailServerBody(draft: MailDraft): Schemas['MailServer'] | null {
  const host = draft.host.trim();
  const user = draft.user.trim();
  if (host === '') return null;
  return {
    Host: host,
    Port: /^\d{1,5}$/.test(draft.port.trim()) ? Number(draft.port) : 0,
    Security: draft.security,
    VerifyCertificate: draft.verify,
    User: user === '' ? null : user,
    Password: user === '' ? null : draft.password === '' ? null : draft.password,
  };
}

/** The settings as the API takes them, without the fields that the environment sets. Pure. */
export function settingsBody(
  draft: MailDraft,
  { SetBy }: Pick<InstallationSettings, 'SetBy'>,
): Schemas['InstallationSettingsUpdate'] {
  return {
    ...(SetBy.MailServer === null && { MailServer: mailServerBody(draft) }),
    ...(SetBy.MailFrom === null && { MailFrom: draft.from.trim() === '' ? null : draft.from.trim() }),
    ...(SetBy.PrivateWebhooks === null && { PrivateWebhooks: draft.isPrivate }),
  };
}
