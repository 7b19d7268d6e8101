/** A SIP server of a test. */
export interface TestSipServer {
  /** Default: `200 OK`. */
  readonly status?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Sent before the answer: `100 Trying`. */
  readonly provisional?: string;
}

/** The responses to a request, as texts; none to what is no OPTIONS request of RFC 3261. */
export function sipResponses(request: string, server: TestSipServer = {}): readonly string[] {
  const [first = '', ...lines] = request.split('\r\n\r\n')[0]?.split('\r\n') ?? [];
  if (!/^OPTIONS sips?:\S+ SIP\/2\.0$/.test(first)) return [];
  const header = (name: string) => lines.find((line) => line.startsWith(`${name}: `)) ?? '';
  const required = ['Via', 'Max-Forwards', 'From', 'To', 'Call-ID', 'CSeq'];
  if (required.some((name) => header(name) === '')) return [];
  const { status = '200 OK', headers = [], body = '', provisional } = server;
  const response = (statusLine: string, content: string) =>
    [
      `SIP/2.0 ${statusLine}`,
      `${header('Via')}=5060`,
      header('From'),
      `${header('To')};tag=abc`,
      header('Call-ID'),
      header('CSeq'),
      'Server: test-sip',
      ...headers,
      `Content-Length: ${Buffer.byteLength(content)}`,
      '',
      content,
    ].join('\r\n');
  const before = provisional === undefined ? [] : [response(provisional, '')];
  return [...before, response(status, body)];
}
