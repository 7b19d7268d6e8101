import { type MailServer, mailServerOf, smtpUrlOf } from './mail-server.ts';

/** The settings of the operator's environment; undefined: not set there. */
export interface EnvironmentSettings {
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string | undefined;
  readonly allowPrivateWebhooks: boolean | undefined;
  /** A Bot API other than Telegram's. Only the environment sets it. */
  readonly telegramUrl: string | undefined;
}

/** The settings that people made by the API; null: it was never made. */
export interface StoredSettings {
  readonly mailServer: MailServer | null;
  readonly mailFrom: string | null;
  readonly privateWebhooks: boolean | null;
}

/** The settings that apply. */
export interface InstallationSettings {
  /** As VANTAGE_SMTP_URL; undefined: there is no mail server. */
  readonly smtpUrl: string | undefined;
  readonly mailServer: MailServer | null;
  readonly mailFrom: string;
  /** Messages may go to private addresses, and by plain HTTP. */
  readonly allowPrivate: boolean;
  readonly telegramUrl: string | undefined;
}

/** The fields of the API and the variable by which the operator sets each. */
export const settingVariables = {
  MailServer: 'VANTAGE_SMTP_URL',
  MailFrom: 'VANTAGE_MAIL_FROM',
  PrivateWebhooks: 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS',
} as const;

export const nothingStored: StoredSettings = { mailServer: null, mailFrom: null, privateWebhooks: null };

const defaultMailFrom = 'Vantage <vantage@localhost>';

/** The environment comes first, then what is stored, then the default. Pure. */
export function settingsInForce(
  environment: EnvironmentSettings,
  stored: StoredSettings,
): InstallationSettings {
  const { smtpUrl } = environment;
  const mailServer = smtpUrl === undefined ? stored.mailServer : mailServerOf(smtpUrl);
  return {
    // The operator's address may have parameters that the fields do not show.
    smtpUrl: smtpUrl ?? (mailServer === null ? undefined : smtpUrlOf(mailServer)),
    mailServer,
    mailFrom: environment.mailFrom ?? stored.mailFrom ?? defaultMailFrom,
    allowPrivate: environment.allowPrivateWebhooks ?? stored.privateWebhooks ?? false,
    telegramUrl: environment.telegramUrl,
  };
}

/** The variable by which the operator sets each field; null: the field can be changed. Pure. */
export function variablesOf(environment: EnvironmentSettings) {
  const given = {
    MailServer: environment.smtpUrl,
    MailFrom: environment.mailFrom,
    PrivateWebhooks: environment.allowPrivateWebhooks,
  };
  const nameOf = <Field extends keyof typeof given>(field: Field) =>
    given[field] === undefined ? null : settingVariables[field];
  return {
    MailServer: nameOf('MailServer'),
    MailFrom: nameOf('MailFrom'),
    PrivateWebhooks: nameOf('PrivateWebhooks'),
  };
}
