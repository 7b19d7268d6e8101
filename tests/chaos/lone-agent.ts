// An agent in a separate process with a scripted controller in this one, for faults that need a process:
// kill -9, SIGSTOP, a full disk, few file descriptors.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { specOf } from '@vantage/probes';
import { makeCertificate, type TestCertificate } from '@vantage/probes/testing';
import { type Assignment, AssignmentSchema, type CheckResult } from '@vantage/proto';
import { type FakeController, startFakeController } from '../../apps/agent/src/testing/fake-controller.ts';
import { repositoryRoot } from '../harness/system.ts';

const token = 'a-token-of-a-lone-agent';
const main = path.join(repositoryRoot, 'apps/agent/src/main.ts');

/** The scripted controller, and how to start its agent. */
export interface Post extends AsyncDisposable {
  readonly controller: FakeController;
  readonly certificate: TestCertificate;
  readonly caFile: string;
  /** Starts an agent; `prefix` stands before the command (`prlimit …`). */
  start(options?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly prefix?: readonly string[];
  }): LoneAgent;
}

/** One run of the agent. */
interface LoneAgent extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The log so far. */
  output(): string;
  /** Sends the signal and waits for the end; the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

/** Opens a post in `folder`; agents keep their data below it. */
export async function openPost(folder: string, assignments: readonly Assignment[]): Promise<Post> {
  const certificate = makeCertificate();
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const controller = await startFakeController({ certificate, token, assignments });
  const agents = new Set<LoneAgent>();
  return {
    controller,
    certificate,
    caFile,
    start({ env = {}, prefix = [] } = {}) {
      const argv = [...prefix, process.execPath, main];
      const child = spawn(argv[0] ?? '', argv.slice(1), {
        cwd: repositoryRoot,
        env: {
          PATH: process.env['PATH'],
          VANTAGE_AGENT_ENDPOINTS: controller.endpoint,
          VANTAGE_AGENT_TOKEN: token,
          VANTAGE_CA_FILE: caFile,
          VANTAGE_AGENT_DATA: path.join(folder, 'agent'),
          ...env,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let text = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        text = (text + chunk.toString('utf8')).slice(-200_000);
      });
      const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
      const agent: LoneAgent = {
        process: child,
        pid: child.pid ?? 0,
        output: () => text,
        ended,
        end(signal) {
          child.kill(signal);
          return ended;
        },
        async [Symbol.asyncDispose]() {
          if (child.exitCode === null && child.signalCode === null) {
            child.kill('SIGCONT');
            child.kill('SIGKILL');
          }
          await ended;
        },
      };
      agents.add(agent);
      return agent;
    },
    async [Symbol.asyncDispose]() {
      for (const agent of agents) await agent[Symbol.asyncDispose]();
      await controller[Symbol.asyncDispose]();
    },
  };
}

/** A TCP assignment on loopback, checked each `intervalMs` from `scheduleOffsetMs` on. */
export function tcpAssignment(deviceNo: number, port: number, more: Partial<Assignment> = {}): Assignment {
  const spec = specOf({ method: 'TCP', url: `127.0.0.1:${port}`, timeoutMs: 5000, options: {} });
  const base = create(AssignmentSchema, {
    deviceNo,
    revision: 1,
    spec,
    intervalMs: 1000,
    scheduleOffsetMs: 0,
    rotationIndex: 0,
    rotationSize: 1,
    retries: 2,
    retryDelayMs: 1000,
    retriesLocally: true,
  });
  return Object.assign(base, more);
}

/** The results that the controller acknowledged, in the order of arrival, with repetitions. */
export function resultsOf(controller: FakeController): CheckResult[] {
  return controller.records.flatMap(({ record }) => (record.case === 'result' ? [record.value] : []));
}
