import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import {
  ipFamilyOption,
  slowMsOption,
  tlsOptionsWithoutStart,
  tlsSecretOptions,
} from '../../contract/options.ts';
import type { Probe, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { callGrpc, type GrpcAnswer } from './grpc-call.ts';
import { grpcStatusName, healthRequest, readHealth, type ServingStatus } from './health-messages.ts';

/** Names that HTTP/2 and gRPC set. */
const reserved =
  /^(grpc-.*|.*-bin|connection|content-length|content-type|host|te|transfer-encoding|upgrade)$/i;

const metadata = z
  .record(
    boundedText(100, 1)
      .regex(/^[0-9A-Za-z_.-]+$/, 'must be a name such as x-api-key')
      .refine((name) => !reserved.test(name), 'must be no name that gRPC sets, nor one of bytes (-bin)'),
    boundedText(8192).regex(/^[\x20-\x7e]*$/, 'must be one line of ASCII'),
  )
  .refine((entries) => Object.keys(entries).length <= 50, 'must hold at most 50 entries');

const options = z.strictObject({
  TLS: tlsOptionsWithoutStart,
  Service: boundedText(200)
    .regex(/^[\w./-]*$/, 'must be the name of a service such as shop.v1.Orders')
    .default('')
    .describe('Service to check, such as shop.v1.Orders; default: the whole server.'),
  ExpectStatus: z
    .enum(['SERVING', 'NOT_SERVING', 'UNKNOWN'])
    .default('SERVING')
    .describe('Status that the service must have.'),
  Authority: boundedText(253, 1)
    .regex(/^[\w.:[\]-]+$/, 'must be a name such as api.example.org or api.example.org:443')
    .optional()
    .describe('Virtual host (:authority); default: host and port.'),
  Metadata: metadata.default({}).describe('Entries to send with the call, such as authorization.'),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type GrpcOptions = z.output<typeof options>;

const healthPath = '/grpc.health.v1.Health/Check';
const standardPorts: Readonly<Record<string, number>> = { grpc: 80, grpcs: 443 };

/** gRPC: the status of a service by the health protocol (grpc.health.v1). */
export const grpc: Probe<'gRPC', typeof options> = {
  method: 'gRPC',
  purpose:
    'Asks a gRPC server for the health of a service (grpc.health.v1). The check is good when the service has the expected status.',
  example: {
    URL: 'grpcs://api.example.com:443',
    ShortName: 'grpc-1',
    Options: { Service: 'shop.v1.Orders', Metadata: { authorization: 'Bearer a-token' } },
  },
  optionsCase: 'grpc',
  tracePackets: 'tcp',
  options,
  secretOptions: [
    'Metadata.Authorization',
    'Metadata.Cookie',
    'Metadata.*Key',
    'Metadata.*Token',
    ...tlsSecretOptions,
  ],
  scriptFunctions: {
    grpc: {
      description: 'Asks a gRPC server for the health of a service.',
      target: 'host and port',
      result: { status: { type: 'string', description: 'SERVING, NOT_SERVING or UNKNOWN.' } },
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { grpc: 50_051, grpcs: 443 },
      scheme: 'grpc',
      accepts:
        'host:port, [v6]:port, grpc://host:port or grpcs://host:port, for example grpcs://api.example.org',
    }),

  async run(context, target, settings) {
    const isSecure = (settings.TLS.Mode ?? (target.scheme === 'grpcs' ? 'Implicit' : 'None')) === 'Implicit';
    using connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: isSecure ? { settings: settings.TLS, alpn: ['h2'] } : undefined,
    });
    const answer = await callGrpc(context, connection, {
      path: healthPath,
      authority: settings.Authority ?? authorityOf(target),
      metadata: Object.fromEntries(
        Object.entries(settings.Metadata).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: healthRequest(settings.Service),
    });
    const status = statusOf(answer, settings, connection.peer);
    context.addDetail('Status', status);
    const isExpected = status === settings.ExpectStatus;
    return {
      code: isExpected ? resultCode.ok : resultCode.expectation,
      text: isExpected ? status : `expected ${settings.ExpectStatus}, got ${status}`,
      dataSize: answer.body.length,
      extended: {},
      answer: () => ({ status }),
    };
  },
};

function authorityOf({ host, port, scheme }: Target): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === standardPorts[scheme] ? name : `${name}:${port}`;
}

/** The status of the service. Throws the failure of a call that has none. */
function statusOf(answer: GrpcAnswer, { Service }: GrpcOptions, peer: string): ServingStatus {
  const name = grpcStatusName(answer.status);
  const text = answer.message === '' ? '' : `: ${quoteShort(answer.message, 200)}`;
  switch (name) {
    case 'OK': {
      const status = readHealth(answer.body);
      if (status === undefined)
        throw new Failure(resultCode.protocol, `${peer} sent no answer of the health service`);
      return status;
    }
    case 'NOT_FOUND':
      throw notMet(`the server does not know the service ${quoteShort(Service)}${text}`);
    case 'UNAUTHENTICATED':
    case 'PERMISSION_DENIED':
      throw new Failure(resultCode.login, `login refused: ${name}${text}`);
    case 'UNIMPLEMENTED':
      throw new Failure(resultCode.protocol, `${peer} has no health service (grpc.health.v1.Health)${text}`);
    default:
      throw new Failure(
        resultCode.protocol,
        `${peer} answers with ${name ?? quoteShort(answer.status)}${text}`,
      );
  }
}
