import { connect } from 'node:tls';
import { type Clock, messageOf } from '@vantage/kernel';
import { pinOf } from '../../platform/server/authority.ts';

/** The result of checking the address of the agents' port. */
export type AddressCheck =
  /** A controller of this database; `pin` is of its certificate. */
  | { readonly kind: 'reached'; readonly pin: string }
  /** One whose certificate does not have the name. */
  | { readonly kind: 'unnamed' }
  /** Something whose certificate is of another authority. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unreachable'; readonly why: string };

const withinMs = 3_000;

/** Connects to `https://host:port` as an agent does that trusts these authorities (PEM). Never rejects. */
export function checkAddress(
  url: string,
  { trusted, clock }: { readonly trusted: readonly string[]; readonly clock: Pick<Clock, 'timer'> },
): Promise<AddressCheck> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ca: [...trusted],
      ALPNProtocols: ['h2'],
      servername: /[a-z]/i.test(host) && !host.includes(':') ? host : '',
      rejectUnauthorized: false,
    });
    const end = (check: AddressCheck) => {
      late[Symbol.dispose]();
      socket.destroy();
      resolve(check);
    };
    const late = clock.timer(withinMs, () =>
      end({ kind: 'unreachable', why: `no answer within ${withinMs / 1000} s` }),
    );
    socket.once('error', (error) => end({ kind: 'unreachable', why: messageOf(error) }));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      const fault = socket.authorized ? undefined : `${socket.authorizationError}`;
      if (fault === undefined && certificate !== undefined)
        return end({ kind: 'reached', pin: pinOf(certificate.toString()) });
      end({ kind: fault?.includes('ALTNAME') === true ? 'unnamed' : 'foreign' });
    });
  });
}
