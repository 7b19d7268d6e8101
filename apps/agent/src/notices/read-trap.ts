import { type BerValue, berAt, berInteger, berList, berOid } from './ber-value.ts';

/** A trap or inform as a sentence, without its community. */
export interface ReadTrap {
  readonly text: string;
  /** The answer to an inform of v2c; undefined: the sender waits for none. */
  readonly answer?: Buffer;
}

const v1Trap = 0xa4;
const inform = 0xa6;
const v2Trap = 0xa7;
const response = 0xa2;
const sequence = 0x30;
const integer = 0x02;
const octets = 0x04;
const oid = 0x06;
/** APPLICATION tags of RFC 2578: IpAddress, Counter32, Gauge32, TimeTicks, Opaque, Counter64. */
const ipAddress = 0x40;
const numbers: readonly number[] = [integer, 0x41, 0x42, 0x43, 0x46];

const maxVarbinds = 64;
const shownVarbinds = 8;
const maxValue = 100;
const trapOid = '1.3.6.1.6.3.1.1.4.1.0';

/** Traps of RFC 3418; the generic numbers of v1 are in the same order. */
const genericTraps = [
  'coldStart',
  'warmStart',
  'linkDown',
  'linkUp',
  'authenticationFailure',
  'egpNeighborLoss',
] as const;
const genericPrefix = '1.3.6.1.6.3.1.1.5.';

/** Objects of traps that people know by name. */
const objectNames: ReadonlyMap<string, string> = new Map([
  ['1.3.6.1.2.1.2.2.1.1', 'ifIndex'],
  ['1.3.6.1.2.1.2.2.1.2', 'ifDescr'],
  ['1.3.6.1.2.1.2.2.1.7', 'ifAdminStatus'],
  ['1.3.6.1.2.1.2.2.1.8', 'ifOperStatus'],
  ['1.3.6.1.2.1.31.1.1.1.1', 'ifName'],
  ['1.3.6.1.2.1.31.1.1.1.18', 'ifAlias'],
]);

/** Objects that say nothing (sysUpTime, the trap itself), or a secret (snmpTrapCommunity). */
const leftOut = ['1.3.6.1.2.1.1.3.', '1.3.6.1.6.3.1.1.4.', '1.3.6.1.6.3.18.1.'];

/**
 * Reads a trap of v1 or v2c, or an inform of v2c. A message of v3 is secured with keys that this agent does not have,
 * so only its arrival counts. undefined: it is none of them, or malformed. Pure.
 */
export function readTrap(bytes: Buffer): ReadTrap | undefined {
  const message = berAt(bytes, 0);
  const parts = message?.tag === sequence ? berList(message.content, 8) : undefined;
  const [version, community, pdu] = parts ?? [];
  if (version?.tag !== integer || community === undefined) return undefined;
  if (berInteger(version) === 3) return { text: 'SNMP v3 notification, whose content is not read' };
  if (community.tag !== octets || pdu === undefined) return undefined;
  const fields = berList(pdu.content, 8);
  if (fields === undefined) return undefined;
  if (pdu.tag === v1Trap) return readV1(fields);
  if (pdu.tag !== v2Trap && pdu.tag !== inform) return undefined;
  const read = readV2(fields);
  return read === undefined || pdu.tag === v2Trap ? read : { ...read, answer: answerTo(bytes, pdu) };
}

function readV1([enterprise, , generic, specific, , list]: readonly BerValue[]): ReadTrap | undefined {
  if (enterprise?.tag !== oid || generic === undefined || specific === undefined || list === undefined)
    return undefined;
  const name =
    genericTraps[berInteger(generic) ?? -1] ??
    `${berOid(enterprise) ?? '?'}.0.${berInteger(specific) ?? '?'}`;
  const varbinds = varbindsOf(list);
  return varbinds === undefined ? undefined : { text: sentence(name, varbinds) };
}

function readV2([, , , list]: readonly BerValue[]): ReadTrap | undefined {
  const varbinds = list === undefined ? undefined : varbindsOf(list);
  const trap = varbinds?.find(([name]) => name === trapOid)?.[1];
  if (varbinds === undefined || trap === undefined) return undefined;
  const generic = trap.startsWith(genericPrefix)
    ? genericTraps[Number(trap.slice(genericPrefix.length)) - 1]
    : undefined;
  return { text: sentence(generic ?? trap, varbinds) };
}

type Varbind = readonly [name: string, value: string];

function varbindsOf(list: BerValue): readonly Varbind[] | undefined {
  const entries = list.tag === sequence ? berList(list.content, maxVarbinds) : undefined;
  const varbinds = entries?.map((entry) => {
    const [name, value] = berList(entry.content, 2) ?? [];
    const text = name?.tag === oid ? berOid(name) : undefined;
    return text === undefined || value === undefined ? undefined : ([text, valueText(value)] as const);
  });
  return varbinds?.every((each) => each !== undefined) === true ? varbinds : undefined;
}

function valueText(value: BerValue): string {
  const { tag, content } = value;
  if (tag === oid) return berOid(value) ?? '?';
  if (tag === ipAddress && content.length === 4) return content.join('.');
  if (numbers.includes(tag)) return `${berInteger(value) ?? '?'}`;
  if (tag !== octets) return content.length === 0 ? '' : `${content.length} bytes`;
  const text = content.subarray(0, maxValue + 4).toString('utf8');
  if (/\uFFFD|[^\P{Cc}\t\r\n]/u.test(text.slice(0, maxValue)))
    return content
      .subarray(0, maxValue / 4)
      .toString('hex')
      .replace(/(..)(?=.)/g, '$1:');
  return text.length > maxValue ? `${text.slice(0, maxValue).toWellFormed()}…` : text.trim();
}

/** `linkDown: ifIndex 10101, ifDescr Gi1/0/1`. */
function sentence(name: string, varbinds: readonly Varbind[]): string {
  const shown = varbinds
    .filter(([each]) => !leftOut.some((prefix) => each.startsWith(prefix)))
    .map(([each, value]) => {
      const known = objectNames.get(each.replace(/\.\d+$/, ''));
      return `${known ?? each} ${value}`;
    });
  const more = shown.length > shownVarbinds ? [`${shown.length - shownVarbinds} more`] : [];
  const details = [...shown.slice(0, shownVarbinds), ...more].join(', ');
  return details === '' ? name : `${name}: ${details}`;
}

/** The same message as a response (RFC 3416, 4.2.7): only the tag of the PDU differs. */
function answerTo(bytes: Buffer, { content, headBytes }: BerValue): Buffer {
  const answer = Buffer.from(bytes);
  answer[content.byteOffset - bytes.byteOffset - headBytes] = response;
  return answer;
}
