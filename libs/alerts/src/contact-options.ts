import { type BodyType, templateFault } from './message-template.ts';

/** The Options of a contact. Each type has some of them (`ContactOptionRule`). None is a secret. */
export interface ContactOptions {
  /** The phone number of an SMS. */
  readonly To?: string | undefined;
  /** The template of the body. */
  readonly Body?: string | undefined;
  readonly ContentType?: BodyType | undefined;
  /** The header for the contact's Secret. Default: Authorization, unless the Body has {{Secret}}. */
  readonly SecretHeader?: string | undefined;
}

export const contactOptionNames = [
  'To',
  'Body',
  'ContentType',
  'SecretHeader',
] as const satisfies readonly (keyof ContactOptions)[];

type ContactOptionName = keyof ContactOptions;

/** The Options of one type of contact. */
export interface ContactOptionRule {
  readonly known: readonly ContactOptionName[];
  readonly required: readonly ContactOptionName[];
}

export const smsOptions: ContactOptionRule = {
  known: ['To', 'Body', 'ContentType', 'SecretHeader'],
  required: ['To'],
};

/** For a webhook whose body is a template. */
export const templateOptions: ContactOptionRule = {
  known: ['Body', 'ContentType', 'SecretHeader'],
  required: ['Body'],
};

/** The default of ContentType. */
export const defaultBodyType: BodyType = 'application/json';

const examples: Readonly<Record<ContactOptionName, string>> = {
  To: 'the phone number with + and the country, for example +4712345678',
  Body: 'the template of the body, for example {"text": "{{Text}}"}',
  ContentType: 'application/json',
  SecretHeader: 'X-Api-Key',
};
/**
 * Headers that Vantage sets, that frame the request or that belong to one connection (RFC 9110 section 7.6.1, RFC 9112,
 * RFC 9113 section 8.2.2).
 */
const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const reservedPrefixes = /^(?:content|webhook)-/i;

export interface OptionFault {
  /** undefined: the fault concerns all Options. */
  readonly option: ContactOptionName | undefined;
  /** The rest of a sentence that begins with the field's name. */
  readonly message: string;
}

/** The faults of a contact's Options by the rule of its type; null: the type has no Options. Pure. */
export function optionFaults(
  rule: ContactOptionRule | null,
  options: ContactOptions | null,
): readonly OptionFault[] {
  if (rule === null)
    return options === null
      ? []
      : [{ option: undefined, message: 'are not used by contacts of this Type; leave them out' }];
  const sent = options ?? {};
  const unused = contactOptionNames
    .filter((name) => sent[name] !== undefined && !rule.known.includes(name))
    .map((option) => ({ option, message: 'is not used by contacts of this Type; leave it out' }));
  const missing = rule.required
    .filter((name) => sent[name] === undefined)
    .map((option) => ({ option, message: `is required: ${examples[option]}` }));
  return [...unused, ...missing, ...valueFaults(sent)];
}

function valueFaults({ To, Body, ContentType, SecretHeader }: ContactOptions): readonly OptionFault[] {
  const faults: OptionFault[] = [];
  if (To !== undefined && !/^\+[1-9]\d{5,14}$/.test(To))
    faults.push({ option: 'To', message: `must be ${examples.To}` });
  const bodyFault = Body === undefined ? null : templateFault(Body, ContentType ?? defaultBodyType);
  if (bodyFault !== null) faults.push({ option: 'Body', message: bodyFault });
  if (
    SecretHeader !== undefined &&
    (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(SecretHeader) ||
      reservedHeaders.has(SecretHeader.toLowerCase()) ||
      reservedPrefixes.test(SecretHeader))
  )
    faults.push({
      option: 'SecretHeader',
      message: `must be the name of a header that Vantage does not set itself, for example ${examples.SecretHeader}`,
    });
  return faults;
}
