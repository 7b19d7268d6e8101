import { createPrivateKey, createPublicKey } from 'node:crypto';
import { newId } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAgentKey } from '../../src/agents/enrol/testing/agent-key.ts';
import { useAgentsPorts } from '../../src/agents/enrol/testing/agents-port.ts';
import { connectAgent } from '../../src/agents/gateway/testing/agent-stream.ts';
import { revokeAgent } from '../../src/catalog/agents/remove-agent.ts';
import { createCatalog } from '../../src/resources/change.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';
import { signAgent } from '../../src/server/authority.ts';
import { testAuthorities } from '../../src/server/testing/test-authorities.ts';

const bench = useAgentsPorts();
const day = 86_400_000;
let agent: { agentNo: number; token: string; agentId: string };
let port: Awaited<ReturnType<typeof bench.openPort>>;
let identity: { key: string; csr: string; cert: string };

beforeEach(async () => {
  agent = await bench.invited();
  port = await bench.openPort();
  const made = await makeAgentKey();
  const { Certificate } = await port.enrol({ Token: agent.token, CSR: made.csr });
  identity = { ...made, cert: Certificate ?? '' };
});
afterEach(() => port[Symbol.asyncDispose]());

const connect = (
  tls: { cert?: string; key?: string } = identity,
  more: { counter?: number; headers?: Record<string, string> } = {},
) =>
  connectAgent(port.url, {
    ...more,
    tls: {
      ca: bench.authorities.trusted.join(''),
      ...(tls.cert !== undefined && { cert: tls.cert, key: tls.key }),
    },
  });
const spkiOf = (key: string) =>
  createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });

test('the certificate says which agent this is', async () => {
  await using stream = connect();
  expect((await stream.until('welcome')).agentNo).toBe(agent.agentNo);
});

test.each<[what: string, message: RegExp, cert: () => Promise<string>]>([
  [
    'that is over',
    /not accepted: CERT_HAS_EXPIRED/,
    async () =>
      signAgent(bench.authorities.signing, {
        agentId: agent.agentId,
        publicKey: spkiOf(identity.key),
        nowMs: Date.now() - 9 * day,
        toMs: Date.now() - 2 * day,
      }),
  ],
  [
    'of another authority',
    /not accepted/,
    async () =>
      signAgent((await testAuthorities()).signing, {
        agentId: agent.agentId,
        publicKey: spkiOf(identity.key),
        nowMs: Date.now(),
        toMs: Date.now() + day,
      }),
  ],
  [
    'that names another agent than the one of its key',
    /unknown agent/,
    async () =>
      signAgent(bench.authorities.signing, {
        agentId: newId(),
        publicKey: spkiOf(identity.key),
        nowMs: Date.now(),
        toMs: Date.now() + day,
      }),
  ],
])('a certificate %s opens no stream', async (_what, message, make) => {
  await using stream = connect({ cert: await make(), key: identity.key });
  await expect(stream.until('welcome')).rejects.toThrow(message);
});

test('a certificate for this agent with a key that did not enrol opens no stream', async () => {
  const { key } = await makeAgentKey();
  const cert = await signAgent(bench.authorities.signing, {
    agentId: agent.agentId,
    publicKey: spkiOf(key),
    nowMs: Date.now(),
    toMs: Date.now() + day,
  });
  await using stream = connect({ cert, key });
  await expect(stream.until('welcome')).rejects.toThrow(/unknown agent/);
});

test.each(['by its key', 'by its token'])(
  'a certificate that a clock ahead signed is replaced %s',
  async (how) => {
    const { token } = await bench.invited();
    const made = await makeAgentKey();
    const aheadMs = 10 * 60_000;
    port.wall.stepWall(aheadMs);
    const early = await port.enrol({ Token: token, CSR: made.csr });
    port.wall.stepWall(-aheadMs);
    await using refused = connect({ cert: early.Certificate ?? '', key: made.key });
    await expect(refused.until('welcome')).rejects.toThrow(/CERT_NOT_YET_VALID/);
    const next = await port.enrol({ ...(how === 'by its token' && { Token: token }), CSR: made.csr });
    await using stream = connect({ cert: next.Certificate ?? '', key: made.key });
    await stream.until('welcome');
  },
);

test('a token opens no stream, before and after it enrolled', async () => {
  for (const { token } of [await bench.invited(), agent]) {
    await using stream = connect({}, { headers: { authorization: `Bearer ${token}` } });
    await expect(stream.until('welcome')).rejects.toThrow(/must enrol/);
  }
});

test('a revoked agent is cut off, comes in no more and is not renewed', async () => {
  const catalog = createCatalog({ recordChanges: async () => {} });
  await using stream = connect();
  await stream.until('welcome');
  await catalog.change(bench.db, { kind: 'command-line' }, (transaction) =>
    revokeAgent(transaction, { agentId: agent.agentId }, { recordEvents, nowUs: Date.now() * 1000 }),
  );
  expect((await stream.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
  await using again = connect(identity, { counter: 2 });
  expect((await again.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
  port.wall.stepWall(6 * day);
  expect((await port.enrol({ CSR: identity.csr })).status).toBe(403);
});

test('a copy with the same key and certificate is noticed; an agent that connects again is no copy', async () => {
  {
    await using first = connect(identity, { counter: 57 });
    await first.until('welcome');
  }
  {
    await using again = connect(identity, { counter: 58 });
    await again.until('welcome');
  }
  await using copy = connect(identity, { counter: 1_000_000 });
  await copy.until('welcome');
  await using own = connect(identity, { counter: 59 });
  expect((await own.until('goodbye')).reason).toBe(Goodbye_Reason.FENCED);
  expect((await copy.until('goodbye')).reason).toBe(Goodbye_Reason.FENCED);
});
