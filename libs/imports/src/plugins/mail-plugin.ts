import type { Json, Method } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import { numberOf, orAbsent } from '../values/unknown-values.ts';
import { ipFamily, milliseconds, type PluginArguments } from './plugin-arguments.ts';

/** The plugins of protocols with a greeting: check_smtp, check_imap, check_ftp and so on. */
export function mailPlugin(
  method: Method,
  mode: 'plain' | 'Implicit',
  defaultPort?: number,
): (args: PluginArguments, host: string) => TargetOrReason {
  return (args, host) => {
    const days = numberOf((args.value('D', 'certificate') ?? '').split(',')[0]);
    const tls: Record<string, Json> = {};
    if (mode === 'Implicit') tls['Mode'] = 'Implicit';
    // Only for check_smtp `-S` means STARTTLS; the other plugins connect with TLS.
    else if (args.has('S', 'starttls')) tls['Mode'] = method === 'SMTP' ? 'StartTLS' : 'Implicit';
    if (days !== undefined) tls['MinDaysLeft'] = days;
    const options: FoundOptions = {
      TLS: orAbsent(tls),
      ExpectBanner: args.value('e', 'expect'),
      SlowMs: milliseconds(args.value('w', 'warning')),
      IPFamily: ipFamily(args),
    };
    const lost = args.has('C', 's', 'U', 'P') ? ['its dialogue after the greeting'] : [];
    return { method, url: hostPort(host, numberOf(args.value('p', 'port')) ?? defaultPort), options, lost };
  };
}
