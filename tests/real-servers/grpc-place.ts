import { readFileSync } from 'node:fs';
import grpc, { type handleUnaryCall, type ServerCredentials } from '@grpc/grpc-js';
import type { CertificateFiles } from '@vantage/testing/certificates';
import type { Place } from './place.ts';
import { login, type ServersFixture } from './servers-fixture.ts';

/** A message of the health service: its bytes. */
const bytes = { serialize: (message: Buffer) => message, deserialize: (message: Buffer) => message };
const check = {
  path: '/grpc.health.v1.Health/Check',
  requestStream: false,
  responseStream: false,
  requestSerialize: bytes.serialize,
  requestDeserialize: bytes.deserialize,
  responseSerialize: bytes.serialize,
  responseDeserialize: bytes.deserialize,
} as const;

/** Field 1 of the answer, by the name of the service. */
const statuses: Readonly<Record<string, number>> = { '': 1, 'shop.Orders': 1, 'shop.Stock': 2 };

/** The health of three services, for callers with the test's password. */
const answerHealth: handleUnaryCall<Buffer, Buffer> = (call, answer) => {
  const [token] = call.metadata.get('authorization');
  if (token !== `Bearer ${login.password}`)
    return answer({ code: grpc.status.UNAUTHENTICATED, details: 'unknown token' });
  const service = call.request.toString('utf8', 2);
  const found = Object.hasOwn(statuses, service) ? statuses[service] : undefined;
  if (found === undefined) return answer({ code: grpc.status.NOT_FOUND, details: 'unknown service' });
  answer(null, Buffer.from([8, found]));
};

/** A server of the library grpc-js in this process, on a port of its own. */
async function startGrpc(credentials: ServerCredentials) {
  const server = new grpc.Server();
  server.addService({ check }, { check: answerHealth });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return { server, port };
}

export async function grpcPlace(
  fixture: ServersFixture,
  name: 'good' | 'expired' | 'wrongName',
): Promise<Place> {
  const files: CertificateFiles = fixture.certificates[name];
  const pair = { private_key: readFileSync(files.key), cert_chain: readFileSync(files.cert) };
  const plain = await startGrpc(grpc.ServerCredentials.createInsecure());
  const secure = await startGrpc(grpc.ServerCredentials.createSsl(null, [pair]));
  const Metadata = { authorization: `Bearer ${login.password}` };
  return {
    port: plain.port,
    url: (port) => `grpc://127.0.0.1:${port}`,
    options: { Metadata, Service: 'shop.Orders' },
    wrongPassword: { Metadata: { authorization: 'Bearer not-it' } },
    wrongExpectation: { Metadata, Service: 'shop.Stock' },
    tls: { port: secure.port, url: (port) => `grpcs://127.0.0.1:${port}`, mode: 'Implicit' },
    again: (certificate) => grpcPlace(fixture, certificate),
    middle: 30,
    async [Symbol.asyncDispose]() {
      for (const { server } of [plain, secure]) server.forceShutdown();
    },
  };
}
