import { create } from '@bufbuild/protobuf';
import { systemClock } from '@vantage/kernel';
import { specOf } from '@vantage/probes';
import { closedPort, listen } from '@vantage/probes/testing';
import {
  AnchorReport_State,
  type Assignment,
  AssignmentSchema,
  type CheckResult,
  Goodbye_Reason,
  RunRequest_Kind,
} from '@vantage/proto';
import { freePort } from '@vantage/testing/free-port';
import { expect, test, vi } from 'vitest';
import { type FakeController, startFakeController } from './testing/fake-controller.ts';
import { useTestAgents } from './testing/test-agents.ts';

const { certificate, token, newFolder, startTestAgent } = useTestAgents();

function tcp(deviceNo: number, url: string, more: Partial<Assignment> = {}): Assignment {
  const spec = specOf({ method: 'TCP', url, timeoutMs: 2000, options: {} });
  const base = create(AssignmentSchema, {
    deviceNo,
    revision: 1,
    spec,
    intervalMs: 60_000,
    scheduleOffsetMs: 0,
    rotationIndex: 0,
    rotationSize: 1,
    retries: 2,
    retryDelayMs: 100,
    retriesLocally: true,
    changedUs: BigInt(Date.now()) * 1000n,
    runImmediately: true,
  });
  return Object.assign(base, more);
}

function results(controller: FakeController): CheckResult[] {
  return controller.records.flatMap(({ record }) => (record.case === 'result' ? [record.value] : []));
}

test('a new device is checked at once, and its result arrives with revision, attempt and start', async () => {
  await using target = await listen(() => {});
  await using controller = await startFakeController({
    certificate,
    token,
    assignments: [tcp(7, target.target)],
  });
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => results(controller).length > 0);
  const [result] = results(controller);
  expect(result).toMatchObject({ deviceNo: 7, revision: 1, resultCode: 1, attempt: 0, retryId: '' });
  expect(Math.abs(Number(result?.startUs) / 1000 - Date.now())).toBeLessThan(5000);
  expect(JSON.parse(result?.extendedJson ?? '')).toMatchObject({ Address: target.target });
});

test('an error is retried with the same retry sequence until all retries failed', async () => {
  const target = `127.0.0.1:${closedPort}`;
  await using controller = await startFakeController({ certificate, token, assignments: [tcp(1, target)] });
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => results(controller).length >= 3);
  // A regular check that is due meanwhile follows the retry sequence.
  const all = results(controller).slice(0, 3);
  expect(all.map(({ attempt }) => attempt)).toEqual([0, 1, 2]);
  expect(all.map(({ resultCode }) => resultCode)).toEqual([3, 3, 3]);
  expect(new Set(all.map(({ retryId }) => retryId)).size).toBe(1);
  expect(all[0]?.retryId).toMatch(/^[0-9a-f]{48}$/);
});

test('a target that does not answer is traced after its result is written', async () => {
  await using silent = await listen(() => {});
  const options = { Steps: [{ Expect: 'never said' }] };
  const spec = specOf({ method: 'TCP', url: silent.target, timeoutMs: 200, options });
  const device = tcp(3, silent.target, { spec, retries: 0 });
  await using controller = await startFakeController({ certificate, token, assignments: [device] });
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => controller.records.some(({ record }) => record.case === 'diagnostics'));
  const records = controller.records.map(({ record }) => record);
  const [result] = results(controller);
  expect(result).toMatchObject({ deviceNo: 3, resultCode: 2 });
  expect(result?.extendedJson).not.toContain('Traceroute');
  const diagnostics = records.find((record) => record.case === 'diagnostics')?.value;
  expect(diagnostics).toMatchObject({ deviceNo: 3, startUs: result?.startUs });
  const trace = { Traceroute: { Reached: true, Hops: [{ TTL: 1, Address: '127.0.0.1' }] } };
  expect(JSON.parse(diagnostics?.extendedJson ?? '')).toMatchObject(trace);
});

test('a traceroute follows the check of a run request that asks for one, though the check is good', async () => {
  await using target = await listen(() => {});
  const assignments = [tcp(1, target.target, { runImmediately: false, intervalMs: 3_600_000 })];
  await using controller = await startFakeController({ certificate, token, assignments });
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => controller.received.some((message) => message.case === 'heartbeat'));
  expect(controller.received.find((message) => message.case === 'hello')?.value).toMatchObject({
    tracesOnRequest: true,
  });
  controller.send({
    case: 'runRequest',
    value: {
      runRequestId: 'traced',
      kind: RunRequest_Kind.NOW,
      deviceNo: 1,
      revision: 1,
      traceroute: true,
    },
  });
  await controller.until(() => controller.records.some(({ record }) => record.case === 'diagnostics'));
  const [result] = results(controller);
  expect(result).toMatchObject({ runRequestId: 'traced', resultCode: 1 });
  const diagnostics = controller.records
    .map(({ record }) => record)
    .find(({ case: is }) => is === 'diagnostics');
  expect(diagnostics?.value).toMatchObject({
    deviceNo: 1,
    startUs: result?.startUs,
    extendedJson: expect.stringContaining('"Address":"127.0.0.1"'),
  });
});

test('results from the time without a controller arrive when it is back, each once', async () => {
  await using target = await listen(() => {});
  const dataDir = newFolder();
  const assignments = [tcp(1, target.target, { intervalMs: 50 })];
  // Not one of the kernel's choice: the agent's own connections could take it while nobody listens.
  const port = await freePort();
  const first = await startFakeController({ certificate, token, assignments, port });
  const before: CheckResult[] = [];
  {
    await using _agent = startTestAgent([first.endpoint], dataDir);
    await first.until(() => results(first).length > 0);
    await first[Symbol.asyncDispose]();
    before.push(...results(first));
    const hits = target.hits;
    await new Promise<void>((resolve) => {
      const poll = () => (target.hits >= hits + 10 ? resolve() : void setImmediate(poll));
      poll();
    });
  }
  const hitsWithout = target.hits;
  await using second = await startFakeController({ certificate, token, assignments, port });
  await using _again = startTestAgent([second.endpoint], dataDir);
  await second.until(() => results(second).length >= hitsWithout - before.length);
  const starts = [...before, ...results(second)].map(({ startUs }) => startUs);
  const distinct = new Set(starts).size;
  expect(distinct).toBeGreaterThanOrEqual(hitsWithout - 1);
  expect(distinct).toBeLessThanOrEqual(target.hits);
});

test('a requested check answers its run request', async () => {
  await using target = await listen(() => {});
  const assignments = [tcp(1, target.target, { runImmediately: false, intervalMs: 3_600_000 })];
  await using controller = await startFakeController({ certificate, token, assignments });
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => controller.received.some((message) => message.case === 'heartbeat'));
  controller.send({
    case: 'runRequest',
    value: { runRequestId: 'o1', kind: RunRequest_Kind.NOW, deviceNo: 1, revision: 1 },
  });
  await controller.until(() => results(controller).some(({ runRequestId }) => runRequestId === 'o1'));
});

test('an agent that was never connected ends where its token is refused', async () => {
  await using foreign = await startFakeController({ certificate, token: 'another' });
  const stranger = startTestAgent([foreign.endpoint]);
  await expect(stranger.ended).rejects.toMatchObject({ code: 'enrolment_refused' });
  expect(foreign.streams).toBe(0);
});

test('the agent connects to the other controller when one shuts down', async () => {
  await using one = await startFakeController({ certificate, token });
  await using two = await startFakeController({ certificate, token });
  await using _agent = startTestAgent([one.endpoint, two.endpoint]);
  const anyHello = (controller: FakeController) =>
    controller.received.filter((message) => message.case === 'hello').length;
  await Promise.race([one.until(() => anyHello(one) > 0), two.until(() => anyHello(two) > 0)]);
  const [here, there] = anyHello(one) > 0 ? [one, two] : [two, one];
  here.send({ case: 'goodbye', value: { reason: Goodbye_Reason.SHUTDOWN, text: '' } });
  await there.until(() => anyHello(there) > 0);
});

test('the starts of checks follow the clock of the controller', async () => {
  await using target = await listen(() => {});
  const aheadUs = 3_600_000_000;
  const changedUs = BigInt(Date.now()) * 1000n + BigInt(aheadUs);
  await using controller = await startFakeController({
    certificate,
    token,
    assignments: [tcp(1, target.target, { changedUs, intervalMs: 200 })],
  });
  controller.clockAheadUs = aheadUs;
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => results(controller).length >= 3);
  for (const { startUs } of results(controller)) {
    expect(Math.abs(Number(startUs) - aheadUs - Date.now() * 1000)).toBeLessThan(10_000_000);
  }
  expect(controller.records.some(({ record }) => record.case === 'clock')).toBe(true);
});

test('a revoked agent runs no more checks', async () => {
  await using target = await listen(() => {});
  const assignments = [tcp(1, target.target, { intervalMs: 50 })];
  await using controller = await startFakeController({ certificate, token, assignments });
  await using _agent = startTestAgent([controller.endpoint]);
  await controller.until(() => results(controller).length > 2);
  controller.send({ case: 'goodbye', value: { reason: Goodbye_Reason.REVOKED, text: '' } });
  await vi.waitFor(
    async () => {
      const hits = target.hits;
      await systemClock.sleep(300);
      expect(target.hits).toBe(hits);
    },
    { timeout: 60_000 },
  );
});

test('an agent that is asked to end goes on until its devices are handed over and its results acknowledged', async () => {
  await using target = await listen(() => {});
  await using controller = await startFakeController({ certificate, token });
  controller.handsOver = true;
  controller.assignments = [tcp(7, target.target, { intervalMs: 100 })];
  const agent = startTestAgent([controller.endpoint]);
  await controller.until(() => results(controller).length > 2);
  const ended = agent[Symbol.asyncDispose]();
  const isLeaving = () =>
    controller.received.some((message) => message.case === 'heartbeat' && message.value.leaving);
  await controller.until(isLeaving);
  const before = results(controller).length;
  await controller.until(() => results(controller).length > before + 2);
  controller.send({ case: 'assignments', value: { removedDeviceNos: [7] } });
  await ended;
  const last = results(controller).at(-1);
  const covered = controller.records.flatMap(({ record }) =>
    record.case === 'coverage' ? Number(record.value.toUs) : [],
  );
  expect(Math.max(...covered)).toBeGreaterThan(Number(last?.startUs));
});

test.each([
  ['the controller hands nothing over', false],
  ['the controller says goodbye, because no other agent is there, and the next stream opens at once', true],
])('an agent that is asked to end does not wait where %s', async (_title, handsOver) => {
  await using target = await listen(() => {});
  await using controller = await startFakeController({ certificate, token });
  controller.handsOver = handsOver;
  controller.assignments = [tcp(7, target.target)];
  using _noWait = vi.spyOn(Math, 'random').mockReturnValue(0);
  const agent = startTestAgent([controller.endpoint]);
  await controller.until(() => results(controller).length > 0);
  const ended = agent[Symbol.asyncDispose]();
  if (handsOver) {
    await controller.until(() =>
      controller.received.some((message) => message.case === 'heartbeat' && message.value.leaving),
    );
    controller.send({ case: 'goodbye', value: { reason: Goodbye_Reason.UNSPECIFIED, text: 'alone' } });
  }
  const early = await Promise.race([ended.then(() => true), systemClock.sleep(7_000).then(() => false)]);
  await ended;
  expect(early).toBe(true);
});

test('the agent checks the anchors that it is given and reports them; one that its policy refuses is reported as unchecked', async () => {
  await using anchor = await listen(() => {});
  await using controller = await startFakeController({ certificate, token, assignments: [] });
  await using _agent = startTestAgent([controller.endpoint]);
  const reported = () =>
    controller.received
      .flatMap((message) => (message.case === 'heartbeat' ? [message.value.anchors] : []))
      .at(-1)
      ?.map(({ target, state }) => [target, state]);
  await controller.until(() => reported() !== undefined);
  expect(reported()).toEqual([]);
  const [answering, silent] = [anchor.target, `127.0.0.1:${closedPort}`];
  const anchors = [
    { name: 'answers', target: answering, port: Number(answering.split(':')[1]) },
    { name: 'silent', target: silent, port: closedPort },
    { name: 'metadata', target: '169.254.169.254' },
  ];
  controller.send({ case: 'assignments', value: { anchors: { anchors } } });
  const { ANSWERS, SILENT, UNCHECKED } = AnchorReport_State;
  await controller.until(() => reported()?.[1]?.[1] === SILENT);
  expect(reported()).toEqual([
    [answering, ANSWERS],
    [silent, SILENT],
    ['169.254.169.254', UNCHECKED],
  ]);
  controller.send({ case: 'assignments', value: { anchors: { anchors: anchors.slice(0, 1) } } });
  await controller.until(() => reported()?.length === 1);
});
