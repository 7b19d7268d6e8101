import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { guessMethod } from '../values/address-method.ts';
import { authorityOf } from '../values/host-port.ts';
import { listOf, recordOf, textOf, truthOf, type UnknownRecord } from '../values/unknown-values.ts';
import { ipFamily, tlsOptions } from './module-settings.ts';

/** Maps a target of the tcp prober. A dialogue with STARTTLS becomes the Method of the port. */
export function tcpModuleTarget(settings: UnknownRecord, target: string): TargetOrReason {
  const lost = settings['source_ip_address'] === undefined ? [] : ['tcp.source_ip_address of its module'];
  const dialogue = listOf(settings['query_response']).map((step) => recordOf(step) ?? {});
  const address = authorityOf(target);
  if (dialogue.some((step) => truthOf(step['starttls']))) {
    const method = guessMethod(address, undefined);
    if (method === 'SMTP' || method === 'IMAP4' || method === 'POP3' || method === 'FTP')
      return {
        method,
        url: address,
        options: { TLS: { Mode: 'StartTLS', ...tlsOptions(settings, lost) } },
        lost,
      };
    return 'changes to TLS in its dialogue, which TCP does not do here';
  }
  const steps = stepsOf(dialogue, lost);
  if (typeof steps === 'string') return steps;
  const usesTls = truthOf(settings['tls']);
  const options: FoundOptions = {
    Steps: steps.length === 0 ? undefined : steps,
    IPFamily: ipFamily(settings),
    TLS: usesTls ? tlsOptions(settings, lost) : undefined,
  };
  return { method: 'TCP', url: `${usesTls ? 'tls' : 'tcp'}://${address}`, options, lost };
}

/** The steps of a dialogue, or the reason why it cannot be imported. */
function stepsOf(dialogue: readonly UnknownRecord[], lost: string[]): Json[] | string {
  const steps: Json[] = [];
  for (const step of dialogue) {
    const expect = textOf(step['expect']);
    const send = step['send'] instanceof Uint8Array ? undefined : textOf(step['send']);
    if (step['expect_bytes'] !== undefined || (step['send'] !== undefined && send === undefined))
      return 'has bytes in its dialogue that are not text; set Options.Steps with SendHex and ExpectHex yourself';
    if (/\$\{\w+\}/.test(send ?? '')) return 'sends parts of an earlier answer; a Script can do that';
    // The exporter expects first, then sends. A step of Options sends first.
    if (expect !== undefined) steps.push({ ExpectRegex: withLineAnchors(expect) });
    if (send !== undefined) steps.push({ Send: `${send}\n` });
    if (step['labels'] !== undefined) lost.push('labels of its dialogue');
  }
  return steps;
}

/** The exporter matches line by line, Options.Steps the whole answer, so `^` and `$` must match at every line. */
function withLineAnchors(pattern: string): string {
  return pattern
    .replace(/^\^\+/, '^\\+')
    .replace(/^\^/, '(?:^|\\n)')
    .replace(/(?<!\\)\$$/, '(?:\\r?\\n|$)');
}
