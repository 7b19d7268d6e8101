import {
  type ContactOptionRule,
  type ContactOptions,
  contactOptionNames,
  type OptionName,
} from './contact-types.ts';
import { type BodyType, templateFault } from './message-template.ts';

/** The type of a body whose ContentType is not set. */
export const defaultBodyType: BodyType = 'application/json';

const examples: Readonly<Record<OptionName, string>> = {
  To: 'the phone number with + and the country, for example +4712345678',
  Body: 'the template of the body, for example {"text": "{{Text}}"}',
  ContentType: 'application/json',
  SecretHeader: 'X-Api-Key',
};
/**
 * Headers that Vantage sets, that frame the request or that belong to one connection (RFC 9110 section 7.6.1, RFC 9112,
 * RFC 9113 section 8.2.2).
 */
const ownHeaders: ReadonlySet<string> = new Set([
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
const ownFamilies = /^(?:content|webhook)-/i;

/** A fault of one option. `option` undefined: of the Options as a whole. */
export interface OptionFault {
  readonly option: OptionName | undefined;
  /** The rest of a sentence that begins with the field's name. */
  readonly message: string;
}

/** The fault of the Options of a contact whose type has this rule (null: it knows none). Pure. */
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
      ownHeaders.has(SecretHeader.toLowerCase()) ||
      ownFamilies.test(SecretHeader))
  )
    faults.push({
      option: 'SecretHeader',
      message: `must be the name of a header that Vantage does not set itself, for example ${examples.SecretHeader}`,
    });
  return faults;
}
