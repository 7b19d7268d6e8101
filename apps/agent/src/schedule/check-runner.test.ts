import { Secret, systemClock } from '@vantage/kernel';
import { createDial, specOf } from '@vantage/probes';
import { expect, test } from 'vitest';
import { loadPolicy } from '../policy/policy-file.ts';
import { assignment } from '../testing/measurements.ts';
import { createCheckRunner } from './check-runner.ts';

const { signal } = new AbortController();

/** A runner on a host with this policy file; `secrets` may be replaced. */
function createFixture(policyFile?: string) {
  const loaded = loadPolicy(policyFile);
  if (!loaded.ok) throw new Error(loaded.problems.join());
  const host = { secrets: new Map<string, Secret>() };
  const run = createCheckRunner({
    clock: systemClock,
    dial: createDial(),
    policy: loaded.policy,
    random: Math.random,
    localSecrets: () => host.secrets,
  });
  return { host, run };
}
/** Nobody listens on this port. */
const url = '127.0.0.1:1';

test('a check that the agent does not have, or that the policy of its host forbids, does not run', async () => {
  const phases = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  const without = { phases, dataSize: 0, slow: false, peers: [], extended: {} };
  const { run } = createFixture('{"Methods":["HTTP"]}');
  expect(await run(assignment(1, { spec: undefined }), signal)).toEqual({
    code: 10,
    text: 'the controller sent no check',
    ...without,
  });
  const tcp = assignment(1, { spec: specOf({ method: 'TCP', url, timeoutMs: 2000, options: {} }) });
  expect(await run(tcp, signal)).toEqual({
    code: 9,
    text: "TCP is not allowed by this agent's policy",
    ...without,
  });
  expect(await createFixture().run(tcp, signal)).toMatchObject({ code: 3 });
});

test("the settings are read once for each state of the host's secrets", async () => {
  const { host, run } = createFixture();
  const options = { Steps: [{ Send: `\${local:NAME}`, Expect: 'x' }] };
  const device = assignment(1, { spec: specOf({ method: 'TCP', url, timeoutMs: 2000, options }) });
  expect(await run(device, signal)).toMatchObject({ code: 10 });
  host.secrets.set('NAME', new Secret('value'));
  expect(await run(device, signal)).toMatchObject({ code: 10 });
  host.secrets = new Map(host.secrets);
  expect(await run(device, signal)).toMatchObject({ code: 3 });
});
