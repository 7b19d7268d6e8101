/** The fields of a check that its course consists of. Times are milliseconds. */
interface CheckCourse {
  readonly ResultCode: number;
  readonly CheckResult: string;
  readonly RequestTime: number;
  readonly DNSTime: number;
  readonly ConnectTime: number;
  readonly SSLTime: number;
  readonly TTFB: number;
  readonly TTLB: number;
  readonly DataSize: number;
}

type Diagnostics = Readonly<Record<string, unknown>>;

/** A line of the course of a check. */
export interface CourseLine {
  /** Since the start of the check; null: not known. */
  readonly offsetMs: number | null;
  readonly words: string;
  readonly side: 'step' | 'sent' | 'received' | 'bad';
}

const isRecord = (value: unknown): value is Diagnostics =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** The course of a check: the steps with their offsets, and the lines of the dialogue. Pure. */
export function courseOf(check: CheckCourse, extended: Diagnostics): readonly CourseLine[] {
  const lines: CourseLine[] = [];
  let atMs = 0;
  const reach = (ms: number, words: string) => {
    if (ms <= 0) return;
    atMs += ms;
    lines.push({ offsetMs: atMs, words, side: 'step' });
  };
  const address = textOf(extended['Address']);
  const tls = isRecord(extended['TLS'])
    ? [extended['TLS']['Version'], extended['TLS']['Cipher']].flatMap((part) => textOf(part) ?? [])
    : [];
  reach(check.DNSTime, 'name resolved');
  reach(check.ConnectTime, address === undefined ? 'connected' : `connected to ${address}`);
  reach(check.SSLTime, tls.length === 0 ? 'TLS' : tls.join(', '));
  const transcript = extended['Transcript'];
  for (const line of Array.isArray(transcript) ? transcript : []) lines.push(saidLine(String(line)));
  const status = [textOf(extended['Version']), textOf(extended['Status'])].filter(
    (part) => part !== undefined,
  );
  reach(check.TTFB, ['first byte', ...(status.length === 0 ? [] : [`of ${status.join(' ')}`])].join(' '));
  reach(check.TTLB, `last byte${check.DataSize > 0 ? `, ${check.DataSize} bytes` : ''}`);
  if (check.ResultCode !== 1)
    lines.push({
      offsetMs: check.RequestTime > 0 ? check.RequestTime : null,
      words: check.CheckResult,
      side: 'bad',
    });
  return lines;
}

function saidLine(line: string): CourseLine {
  const words = line.replace(/^[<>] /, '');
  if (words === line) return { offsetMs: null, words, side: 'step' };
  return { offsetMs: null, words, side: line.startsWith('>') ? 'sent' : 'received' };
}

/** A certificate of a chain. */
export interface ShownCertificate {
  readonly name: string;
  /** Other names that it is for. */
  readonly names: readonly string[];
  readonly issuer: string;
  readonly daysLeft: number;
  readonly ends: string;
}

/** The common name of a subject: `CN=shop.example, O=Example`. */
function commonName(subject: string): string {
  return /(?:^|, ?)(?:CN|O)=([^,]+)/.exec(subject)?.[1] ?? subject;
}

/** The chain of certificates, the server's first; the certificate alone where no chain was kept. Pure. */
export function certificatesOf(extended: Diagnostics): readonly ShownCertificate[] {
  const { CertificateChain: chain, Certificate: leaf } = extended;
  const found = Array.isArray(chain) && chain.length > 0 ? chain : [leaf];
  return found.filter(isRecord).flatMap((certificate) => {
    const { Subject, Issuer, Names, DaysLeft, NotAfter } = certificate;
    if (typeof DaysLeft !== 'number') return [];
    const subject = commonName(textOf(Subject) ?? '');
    const names = Array.isArray(Names) ? Names.map(String) : [];
    const name = subject === '' ? (names[0] ?? '–') : subject;
    return [
      {
        name,
        names: names.filter((each) => each !== name),
        issuer: commonName(textOf(Issuer) ?? ''),
        daysLeft: DaysLeft,
        ends: textOf(NotAfter) ?? '',
      },
    ];
  });
}

/** A record of a DNS answer. */
export interface DnsRecord {
  readonly name: string;
  readonly type: string;
  readonly data: string;
  readonly ttl: number | undefined;
}

/** The records of a DNS answer; empty: it is no check of DNS, or nothing came. Pure. */
export function dnsRecordsOf(extended: Diagnostics): readonly DnsRecord[] {
  const { Answers } = extended;
  return (Array.isArray(Answers) ? Answers : []).filter(isRecord).map(({ Name, Type, TTL, Data }) => ({
    name: textOf(Name) ?? '',
    type: textOf(Type) ?? '',
    data: textOf(Data) ?? '',
    ttl: typeof TTL === 'number' ? TTL : undefined,
  }));
}
