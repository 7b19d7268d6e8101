import { type Json, resultCode } from '@vantage/domain';
import { Failure, notMet } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import type { DnsQuery, DnsReply } from './dns-exchange.ts';
import { compareRecords, showRecord } from './dns-records.ts';

/** Adds the reply to the extended data. */
export function noteReply(context: ProbeContext, { packet, rcode, server }: DnsReply): void {
  const flags = {
    AA: packet.flag_aa,
    TC: packet.flag_tc,
    RD: packet.flag_rd,
    RA: packet.flag_ra,
    AD: packet.flag_ad,
  };
  context.setPeers([server]);
  context.addDetail('Rcode', rcode);
  context.addDetail('Flags', () => Object.entries(flags).flatMap(([name, set]) => (set ? [name] : [])));
  const shown = (list: typeof packet.answers): Json =>
    (list ?? [])
      .filter((record) => record.type !== 'OPT')
      .slice(0, 50)
      .map((record) => ({
        Name: record.name,
        Type: record.type,
        TTL: 'ttl' in record ? (record.ttl ?? 0) : 0,
        Data: showRecord(record),
      }));
  context.addDetail('Answers', () => shown(packet.answers));
  context.diagnostics('Authorities', () => shown(packet.authorities));
}

/** The data of the records of the queried type. */
export function recordsOf({ packet }: DnsReply, query: DnsQuery): readonly string[] {
  return (packet.answers ?? []).filter((answer) => answer.type === query.type).map(showRecord);
}

/** The first expectation that a reply does not meet, if any. */
export function judgeReply(
  { rcode, peer }: DnsReply,
  { name, type }: DnsQuery,
  records: readonly string[],
  settings: { readonly ExpectRcode?: string | undefined; readonly Expect: readonly string[] },
): Failure | undefined {
  const expected = settings.ExpectRcode;
  if (expected !== undefined && rcode !== expected)
    return notMet(`expected ${expected} for ${name}, got ${rcode}`);
  if (expected === undefined) {
    if (rcode === 'NXDOMAIN')
      return new Failure(resultCode.name, `${name} does not exist (NXDOMAIN, says ${peer})`);
    if (rcode === 'SERVFAIL') return new Failure(resultCode.name, `${peer} failed on ${name} (SERVFAIL)`);
    if (rcode !== 'NOERROR') return new Failure(resultCode.protocol, `${peer} answers ${rcode} for ${name}`);
  }
  if (settings.Expect.length > 0) {
    const difference = compareRecords(type, settings.Expect, records);
    return difference === undefined ? undefined : notMet(`${name} ${type}: ${difference}`);
  }
  if (records.length === 0 && expected === undefined) {
    return new Failure(resultCode.name, `${name} has no ${type} record (says ${peer})`);
  }
  return undefined;
}
