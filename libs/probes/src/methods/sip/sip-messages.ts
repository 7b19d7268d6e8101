// The messages of SIP (RFC 3261).

/** The maximum size of a response, bytes. */
export const maxResponse = 64 * 1024;
const maxHeaders = 200;

/** The parts of an OPTIONS request. */
export interface SipRequest {
  /** `sip:host`, `sips:user@host:5061`. */
  readonly uri: string;
  readonly transport: 'UDP' | 'TCP' | 'TLS';
  /** `10.0.0.9:40000`: the agent's end. */
  readonly local: string;
  /** `sip:vantage@10.0.0.9` */
  readonly from: string;
  /** Random texts, so that a stranger cannot forge a response. */
  readonly branch: string;
  readonly tag: string;
  readonly callId: string;
}

/** The branch of a request of RFC 3261 begins so. */
const branchStart = 'z9hG4bK';

/** An OPTIONS request (RFC 3261 section 11.1). `rport` requests the answer at the port that sent it (RFC 3581). */
export function optionsRequest(request: SipRequest): string {
  const { uri, transport, local, from, branch, tag, callId } = request;
  const scheme = uri.slice(0, uri.indexOf(':'));
  const lines = [
    `OPTIONS ${uri} SIP/2.0`,
    `Via: SIP/2.0/${transport} ${local};branch=${branchStart}${branch};rport`,
    'Max-Forwards: 70',
    `From: <${from}>;tag=${tag}`,
    `To: <${uri}>`,
    `Call-ID: ${callId}`,
    'CSeq: 1 OPTIONS',
    `Contact: <${scheme}:vantage@${local}${transport === 'UDP' ? '' : ';transport=tcp'}>`,
    'Accept: application/sdp',
    'User-Agent: Vantage',
    'Content-Length: 0',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The head of a response. */
export interface SipResponse {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case and their long form; several headers of a name are joined. */
  readonly headers: Readonly<Record<string, string>>;
}

/** RFC 3261 section 7.3.3, as far as responses have them. */
const longNames: Readonly<Record<string, string>> = {
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  c: 'content-type',
  f: 'from',
  t: 'to',
  v: 'via',
};

/** Reads the head of a response. Throws an Error for lines that are no SIP. */
export function readSipResponse(lines: readonly string[]): SipResponse {
  const [first = '', ...rest] = lines;
  const [, digits, reason = ''] = /^SIP\/2\.0 (\d{3})(?: (.*))?$/i.exec(first) ?? [];
  if (digits === undefined) throw new Error('it does not begin with SIP/2.0 and a status');
  if (rest.length > maxHeaders) throw new Error(`it has more than ${maxHeaders} headers`);
  const headers: Record<string, string> = Object.create(null);
  let last: string | undefined;
  for (const line of rest) {
    if (/^[ \t]/.test(line) && last !== undefined) {
      headers[last] = `${headers[last]} ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon <= 0) throw new Error('it has a line that is no header');
    const short = line.slice(0, colon).trim().toLowerCase();
    const name = Object.hasOwn(longNames, short) ? (longNames[short] ?? short) : short;
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    last = name;
  }
  return { status: Number(digits), reason, headers };
}

/** Reads a response of one datagram; its body is not needed. */
export function readSipDatagram(bytes: Buffer): SipResponse {
  const text = bytes.toString('utf8');
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  return readSipResponse(text.slice(0, end).split(/\r?\n/));
}

/** Whether a response belongs to a request (RFC 3261 section 17.1.3, and the Call-ID). */
export function isResponseTo(
  { headers }: SipResponse,
  request: Pick<SipRequest, 'branch' | 'callId'>,
): boolean {
  const via = headers['via'] ?? '';
  const isSameMethod = /^1\s+OPTIONS$/i.test(headers['cseq'] ?? '');
  return isSameMethod && headers['call-id'] === request.callId && via.includes(branchStart + request.branch);
}
