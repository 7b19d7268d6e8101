import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type ConnectResponse, ConnectResponseSchema } from '@vantage/proto';
import type { KnownAgent } from './gateway-store.ts';
import { createPlanParts, type SentPlan } from './plan-parts.ts';
import type { RunRequestFeed } from './run-request-feed.ts';
import { nextStep, type SessionDriver } from './session-state.ts';
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
  readonly plan: SentPlan;
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
          for await (const runRequest of runRequests.next()) yield message(runRequest);
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

function message(value: Message): ConnectResponse {
  return create(ConnectResponseSchema, { message: value });
}
