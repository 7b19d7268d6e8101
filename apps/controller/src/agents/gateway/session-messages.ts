import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Assignments, type ConnectResponse, ConnectResponseSchema } from '@vantage/proto';
import type { PlanFeed } from './plan-feed.ts';
import type { RunRequestFeed } from './run-request-feed.ts';
import type { SessionDriver } from './session-driver.ts';
import { nextStep } from './session-state.ts';
import type { KnownAgent } from './store.ts';
import type { UpgradeFeed } from './upgrade-feed.ts';

/** A message before it is built. */
type Message = NonNullable<MessageInitShape<typeof ConnectResponseSchema>['message']>;

/** Creates one answer at the moment when it is sent. */
export type MakeAnswer = () => Message;

interface SessionOutput {
  readonly agent: KnownAgent;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly driver: SessionDriver;
  /** Answers that wait, oldest first; they are taken out. */
  readonly answers: MakeAnswer[];
  readonly batches: { readonly idle: boolean };
  readonly plan: PlanFeed;
  readonly runRequests: RunRequestFeed;
  readonly upgrades: Pick<UpgradeFeed, 'next'>;
}

/** The messages of one session to its agent: Welcome, then whatever `nextStep` decides, until the end. */
export async function* sessionMessages(output: SessionOutput): AsyncGenerator<ConnectResponse> {
  const { agent, sessionId, clock, log, driver, answers, batches, plan, runRequests, upgrades } = output;
  const { agentNo, locationNo, locationName } = agent;
  const parts = createPlanParts({ clock, driver, plan });
  yield message({
    case: 'welcome',
    value: { agentNo, locationNo, locationName, sessionId, handsOver: true },
  });
  while (true) {
    const facts = { hasAnswer: answers.length > 0, isBatchInWork: !batches.idle, nowMs: clock.monoMs() };
    const step = nextStep(driver.state, facts);
    try {
      switch (step.kind) {
        case 'answer': {
          const make = answers.shift();
          if (make) yield message(make());
          break;
        }
        case 'plan': {
          const part = await parts.next();
          if (part) yield message({ case: 'assignments', value: part });
          break;
        }
        case 'runRequests': {
          driver.apply({ kind: 'runRequestsBegan' });
          for (const request of await runRequests.next())
            yield message({ case: 'runRequest', value: request });
          const upgrade = await upgrades.next();
          if (upgrade) yield message({ case: 'upgrade', value: upgrade });
          break;
        }
        case 'goodbye':
          yield message({ case: 'goodbye', value: step.goodbye });
          driver.apply({ kind: 'goodbyeSent' });
          return;
        case 'end':
          return;
        case 'wait':
          await driver.next(step.untilMs);
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the plan or the run requests of an agent cannot be read');
      parts.drop();
      driver.apply({ kind: 'readFailed', nowMs: clock.monoMs() });
    }
  }
}

/** Reads the plan part by part; other messages may go between two parts. */
function createPlanParts({
  clock,
  driver,
  plan,
}: {
  readonly clock: Clock;
  readonly driver: SessionDriver;
  readonly plan: PlanFeed;
}) {
  let parts: AsyncGenerator<Assignments> | undefined;
  let again: Disposable | undefined;
  const readAgainAt = (atUs: number | undefined) => {
    again?.[Symbol.dispose]();
    again = undefined;
    if (atUs === undefined || driver.ended.aborted) return;
    const inMs = Math.max(0, (atUs - clock.nowUs()) / 1000) + 1;
    again = clock.timer(inMs, () => driver.apply({ kind: 'changed', list: 'plan' }));
  };
  driver.ended.addEventListener('abort', () => again?.[Symbol.dispose](), { once: true });
  return {
    /** The next part; undefined when there are no more. */
    async next(): Promise<Assignments | undefined> {
      if (!parts) {
        driver.apply({ kind: 'planBegan', nowMs: clock.monoMs() });
        parts = plan.next();
      }
      const part = await parts.next();
      if (!part.done) return part.value;
      parts = undefined;
      driver.apply({ kind: 'planSent', nowMs: clock.monoMs() });
      readAgainAt(plan.changesAtUs);
      return undefined;
    },
    drop() {
      parts = undefined;
    },
  };
}

function message(value: Message): ConnectResponse {
  return create(ConnectResponseSchema, { message: value });
}
