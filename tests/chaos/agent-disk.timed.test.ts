// The agent on a full, a read-only and a small disk reports exactly the results that it drops. It refuses a data folder
// of another user and one that another agent uses.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, type TestContext, test, vi } from 'vitest';
import { startTarget, type Target } from '../harness/target.ts';
import { openPost, type Post, resultsOf, tcpAssignment } from './lone-agent.ts';

const devices = 60;
/**
 * The most results that are in flight, in a group that is being written, or received without an ack, when an agent ends
 * or is cut off.
 */
const underWay = 40;

/** A scripted controller with an agent and targets that answer. The agent checks each device once a second. */
async function createFixture(folder: string): Promise<{ post: Post; targets: Target[] } & AsyncDisposable> {
  const targets: Target[] = [];
  for (let i = 0; i < devices; i += 1) targets.push(await startTarget());
  const assignments = targets.map(({ port }, i) =>
    tcpAssignment(i + 1, port, { scheduleOffsetMs: Math.floor((i * 1000) / devices) }),
  );
  const post = await openPost(folder, assignments);
  return {
    post,
    targets,
    async [Symbol.asyncDispose]() {
      await post[Symbol.asyncDispose]();
      for (const target of targets) await target.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const hitCount = (targets: readonly Target[]) => targets.reduce((sum, { hits }) => sum + hits.length, 0);
const rowCount = ({ controller }: Post) =>
  new Set(resultsOf(controller).map(({ deviceNo, startUs }) => `${deviceNo}/${startUs}`)).size;
/** A data gap counts once by its id, however often the agent reports it. */
const droppedOf = ({ controller }: Post) => {
  const gaps = controller.records.flatMap(({ record }) => (record.case === 'gap' ? [record.value] : []));
  return [...new Map(gaps.map((gap) => [gap.gapId, gap.droppedResults])).values()].reduce(
    (sum, n) => sum + n,
    0,
  );
};
const sessionsOf = ({ controller }: Post) =>
  controller.received.flatMap((message) => (message.case === 'hello' ? [message.value.sessionCounter] : []));

async function untilHits(targets: readonly Target[], more: number): Promise<void> {
  const wanted = hitCount(targets) + more;
  while (hitCount(targets) < wanted) await delay(50);
}

/** Cuts the stream and refuses batches until `heal`. */
function cutOff({ controller }: Post): { heal: () => void } {
  controller.acks = false;
  controller.cut();
  return {
    heal() {
      controller.acks = true;
      controller.cut();
    },
  };
}

/** Resolves when each check is either a row or reported as dropped, except those in flight. */
async function accounted(post: Post, targets: readonly Target[], slack: number): Promise<void> {
  const hits = hitCount(targets);
  for (let i = 0; i < 600 && rowCount(post) + droppedOf(post) < hits - slack; i += 1) await delay(100);
}

function mountSmall(ctx: TestContext, at: string, size: string): void {
  if (process.getuid?.() !== 0) ctx.skip('a small tmpfs is mounted as root only');
  mkdirSync(at, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at], { stdio: 'pipe' });
  } catch {
    ctx.skip('this machine lets nobody mount a tmpfs');
  }
}

test('with a full disk the agent reports every dropped result, also after a kill', {
  timeout: 300_000,
}, async (ctx) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-full-'));
  const disk = path.join(folder, 'disk');
  mountSmall(ctx, disk, '4m');
  try {
    const env = { VANTAGE_AGENT_DATA: path.join(disk, 'agent') };
    await using scene = await createFixture(mkdtempSync(path.join(tmpdir(), 'vantage-full-post-')));
    const { post, targets } = scene;
    const first = post.start({ env });
    await post.controller.until(() => resultsOf(post.controller).length > devices);
    fillUp(disk);
    const cut = cutOff(post);
    await untilHits(targets, 10 * devices);
    await first.end('SIGKILL');
    const second = post.start({ env });
    await untilHits(targets, 10 * devices);
    const outbox = path.join(disk, 'agent', 'outbox');
    // A file that the disk refuses is empty for a moment, before the agent removes it.
    const left = await vi.waitFor(() => {
      const names = readdirSync(outbox);
      expect(names.filter((name) => statSync(path.join(outbox, name)).size === 0)).toEqual([]);
      return names;
    }, 20_000);
    cut.heal();
    await untilHits(targets, 2 * devices);
    rmSync(path.join(disk, 'ballast'));
    await untilHits(targets, 2 * devices);
    await accounted(post, targets, underWay);
    // The agent reports results as lost that arrived without an ack, because it cannot know that they arrived.
    await delay(2000);
    await second.end('SIGTERM');
    await using third = post.start({ env });
    await accounted(post, targets, underWay);
    await third.end('SIGTERM');
    const [hits, rows, dropped] = [hitCount(targets), rowCount(post), droppedOf(post)];
    process.stdout.write(`full disk: ${JSON.stringify({ hits, rows, dropped, files: left.length })}\n`);
    expect(dropped).toBeGreaterThan(0);
    expect(rows + dropped).toBeLessThanOrEqual(hits + underWay);
    expect(rows + dropped).toBeGreaterThanOrEqual(hits - 3 * underWay);
    const sessions = sessionsOf(post);
    expect(sessions).toEqual([...new Set(sessions)].sort((a, b) => Number(a - b)));
  } finally {
    execFileSync('umount', ['-l', disk]);
    rmSync(folder, { recursive: true, force: true });
  }
});

test('with a read-only disk the agent keeps results in memory until they are acked, also after a cut, and is not taken for a copy of itself', {
  timeout: 300_000,
}, async (ctx) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-ro-'));
  const disk = path.join(folder, 'disk');
  mountSmall(ctx, disk, '16m');
  try {
    const env = { VANTAGE_AGENT_DATA: path.join(disk, 'agent') };
    await using scene = await createFixture(mkdtempSync(path.join(tmpdir(), 'vantage-ro-post-')));
    const { post, targets } = scene;
    const first = post.start({ env });
    await untilHits(targets, 2 * devices);
    await first.end('SIGTERM');
    execFileSync('mount', ['-o', 'remount,ro', disk], { stdio: 'pipe' });
    const agent = post.start({ env });
    await untilHits(targets, 5 * devices);
    await accounted(post, targets, underWay);
    expect(droppedOf(post)).toBe(0);
    const cut = cutOff(post);
    await untilHits(targets, 5 * devices);
    cut.heal();
    await untilHits(targets, 2 * devices);
    await accounted(post, targets, underWay);
    await agent.end('SIGTERM');
    const [hits, rows, dropped] = [hitCount(targets), rowCount(post), droppedOf(post)];
    process.stdout.write(`read-only disk: ${JSON.stringify({ hits, rows, dropped })}\n`);
    expect(dropped).toBe(0);
    expect(rows + dropped).toBeLessThanOrEqual(hits + underWay);
    expect(rows + dropped).toBeGreaterThanOrEqual(hits - 2 * underWay);
    const sessions = sessionsOf(post);
    expect(sessions).toEqual([...new Set(sessions)].sort((a, b) => Number(a - b)));
  } finally {
    execFileSync('umount', ['-l', disk]);
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the agent refuses another user's data folder, or another user's file in it, with a reason", async (ctx) => {
  if (process.getuid?.() !== 0) ctx.skip('only root can start the agent as another user');
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-owner-'));
  chmodSync(folder, 0o755);
  await using scene = await createFixture(folder);
  chmodSync(scene.post.caFile, 0o644);
  const data = path.join(folder, 'agent');
  const prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  mkdirSync(data, { mode: 0o700 });
  const foreign = scene.post.start({ prefix });
  expect(await foreign.ended).toBe(1);
  expect(foreign.output()).toContain(`may not read and write ${data}, which belongs to user 0`);
  chmodSync(data, 0o777);
  writeFileSync(path.join(data, 'assignments.bin'), '', { mode: 0o600 });
  const mixed = scene.post.start({ prefix });
  expect(await mixed.ended).toBe(1);
  expect(mixed.output()).toContain('assignments.bin, which belongs to user 0');
  expect(scene.post.controller.streams).toBe(0);
});

test('a second agent on the same data folder ends with a reason, and the first one continues', {
  timeout: 120_000,
}, async () => {
  await using scene = await createFixture(mkdtempSync(path.join(tmpdir(), 'vantage-both-')));
  const { post, targets } = scene;
  const first = post.start();
  await untilHits(targets, devices);
  const second = post.start();
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain('another agent uses');
  await untilHits(targets, devices);
  await first.end('SIGTERM');
});

test('with few file descriptors the agent runs all checks, stores and reports them', {
  timeout: 120_000,
}, async (ctx) => {
  if (process.platform !== 'linux') ctx.skip('prlimit is of Linux');
  await using scene = await createFixture(mkdtempSync(path.join(tmpdir(), 'vantage-few-')));
  const { post, targets } = scene;
  const agent = post.start({ prefix: ['prlimit', '--nofile=64:64'] });
  await untilHits(targets, 10 * devices);
  const cut = cutOff(post);
  await untilHits(targets, 5 * devices);
  cut.heal();
  await untilHits(targets, devices);
  await accounted(post, targets, underWay);
  await agent.end('SIGTERM');
  expect(agent.output()).toContain('only 64 files may be open at once');
  expect(agent.output()).not.toContain('EMFILE');
  expect(droppedOf(post)).toBe(0);
  expect(rowCount(post)).toBeGreaterThanOrEqual(hitCount(targets) - 2 * underWay);
  expect(resultsOf(post.controller).every(({ resultCode }) => resultCode === 1)).toBe(true);
});

/** Fills the disk. */
function fillUp(disk: string): void {
  try {
    writeFileSync(path.join(disk, 'ballast'), Buffer.alloc(64 * 1024 * 1024));
  } catch {
    // the disk is full
  }
}
