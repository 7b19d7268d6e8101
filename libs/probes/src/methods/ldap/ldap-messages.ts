import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';
import { malformed } from '../../net/datagrams.ts';
import {
  berBoolean,
  berInteger,
  berTag,
  berText,
  type Element,
  element,
  integerOf,
  maxLengthBytes,
  readElements,
} from './ber.ts';

// The messages of LDAP (RFC 4511 section 4).

/** The maximum length of a server's message, bytes. */
const maxMessage = 256 * 1024;
const maxValues = 100;

const operation = {
  bindRequest: 0x60,
  bindResponse: 0x61,
  unbindRequest: 0x42,
  searchRequest: 0x63,
  searchEntry: 0x64,
  searchDone: 0x65,
  searchReference: 0x73,
  extendedRequest: 0x77,
  extendedResponse: 0x78,
  intermediateResponse: 0x79,
} as const;

const startTlsName = '1.3.6.1.4.1.1466.20037';

/** The end of an operation. */
export interface LdapResult {
  readonly kind: 'bind' | 'extended' | 'search';
  readonly code: number;
  /** `invalidCredentials (49)`, with the server's text if there is one. */
  readonly text: string;
}

export interface LdapEntry {
  readonly kind: 'entry';
  readonly name: string;
  /** Names in lower case. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

/** A message of a server. `other`: it says nothing that a check needs. */
export type LdapMessage = {
  readonly id: number;
  readonly body: LdapResult | LdapEntry | { readonly kind: 'other' };
};

export interface SearchSettings {
  readonly base: string;
  readonly scope: 'Base' | 'One' | 'Sub';
  readonly filter: Uint8Array;
  readonly sizeLimit: number;
  readonly timeLimitSeconds: number;
  readonly attributes: readonly string[];
}

function message(id: number, body: Uint8Array): Buffer {
  return element(berTag.sequence, berInteger(id), body);
}

/** A simple bind; without user and password it is anonymous. */
export function bindRequest(id: number, user: string, password: string): Buffer {
  return message(id, element(operation.bindRequest, berInteger(3), berText(user), berText(password, 0x80)));
}

export function unbindRequest(id: number): Buffer {
  return message(id, element(operation.unbindRequest));
}

export function startTlsRequest(id: number): Buffer {
  return message(id, element(operation.extendedRequest, berText(startTlsName, 0x80)));
}

const scopes = { Base: 0, One: 1, Sub: 2 } as const;

export function searchRequest(id: number, search: SearchSettings): Buffer {
  return message(
    id,
    element(
      operation.searchRequest,
      berText(search.base),
      berInteger(scopes[search.scope], berTag.enumerated),
      berInteger(0, berTag.enumerated),
      berInteger(search.sizeLimit),
      berInteger(search.timeLimitSeconds),
      berBoolean(false),
      search.filter,
      element(berTag.sequence, ...search.attributes.map((name) => berText(name))),
    ),
  );
}

/** Reads the next message. Throws a Failure for bytes that are no LDAP. */
export async function readMessage(dialogue: Dialogue): Promise<LdapMessage> {
  const { peer } = dialogue.connection;
  const head = await dialogue.readExactly(2);
  if (head.readUInt8(0) !== berTag.sequence) throw wrongProtocol(peer, 'no LDAP message');
  let length = head.readUInt8(1);
  if (length > 0x7f) {
    const count = length & 0x7f;
    if (count === 0 || count > maxLengthBytes) throw wrongProtocol(peer, 'no LDAP message');
    length = (await dialogue.readExactly(count)).readUIntBE(0, count);
  }
  if (length > maxMessage) throw wrongProtocol(peer, `a message of ${length} bytes`);
  const bytes = length === 0 ? Buffer.alloc(0) : await dialogue.readExactly(length);
  try {
    const parts = readElements(bytes);
    return { id: integerOf(parts.next(berTag.integer)), body: bodyOf(parts.next()) };
  } catch (error) {
    throw malformed(peer, error);
  }
}

function bodyOf(body: Element): LdapMessage['body'] {
  switch (body.tag) {
    case operation.bindResponse:
      return resultOf('bind', body);
    case operation.extendedResponse:
      return resultOf('extended', body);
    case operation.searchDone:
      return resultOf('search', body);
    case operation.searchEntry:
      return entryOf(body);
    case operation.searchReference:
    case operation.intermediateResponse:
      return { kind: 'other' };
    default:
      throw new Error(`it is no answer (tag ${body.tag.toString(16)})`);
  }
}

function resultOf(kind: LdapResult['kind'], { content }: Element): LdapResult {
  const parts = readElements(content);
  const code = integerOf(parts.next(berTag.enumerated));
  parts.next(berTag.text);
  const said = textOf(parts.next(berTag.text)).trim();
  const name = resultNames[code];
  const shown = name === undefined ? `result ${code}` : `${name} (${code})`;
  return { kind, code, text: said === '' ? shown : `${shown}: ${said.slice(0, 300)}` };
}

function entryOf({ content }: Element): LdapEntry {
  const parts = readElements(content);
  const name = textOf(parts.next(berTag.text));
  const list = readElements(parts.next(berTag.sequence).content);
  const attributes = new Map<string, readonly string[]>();
  while (!list.isAtEnd) {
    const attribute = readElements(list.next(berTag.sequence).content);
    const key = textOf(attribute.next(berTag.text)).toLowerCase();
    const values = readElements(attribute.next(berTag.set).content);
    const texts: string[] = [];
    while (!values.isAtEnd && texts.length < maxValues) texts.push(textOf(values.next(berTag.text)));
    attributes.set(key, texts);
  }
  return { kind: 'entry', name, attributes };
}

function textOf({ content }: Element): string {
  return content.toString('utf8');
}

/** RFC 4511 section 4.1.9. */
export const ldapCode = {
  success: 0,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  strongerAuthRequired: 8,
  confidentialityRequired: 13,
  noSuchObject: 32,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  unwillingToPerform: 53,
} as const;

const resultNames: Readonly<Record<number, string>> = {
  1: 'operationsError',
  2: 'protocolError',
  3: 'timeLimitExceeded',
  4: 'sizeLimitExceeded',
  7: 'authMethodNotSupported',
  8: 'strongerAuthRequired',
  10: 'referral',
  11: 'adminLimitExceeded',
  13: 'confidentialityRequired',
  18: 'inappropriateMatching',
  32: 'noSuchObject',
  34: 'invalidDNSyntax',
  48: 'inappropriateAuthentication',
  49: 'invalidCredentials',
  50: 'insufficientAccessRights',
  51: 'busy',
  52: 'unavailable',
  53: 'unwillingToPerform',
  80: 'other',
};
