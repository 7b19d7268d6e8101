import { randomBytes } from 'node:crypto';
import { type MeasuredValue, resultCode } from '@vantage/domain';
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
import type { Probe, ProbeContext } from '../../contract/probe.ts';
import { openDialogue } from '../../dialogue/dialogue.ts';
import { lineText, loginOf, parseLineTarget, tlsModeOf } from '../../dialogue/line-protocol.ts';
import { type MqttSession, openSession } from './mqtt-session.ts';

const options = z
  .strictObject({
    TLS: tlsOptionsWithoutStart,
    User: lineText(255)
      .optional()
      .describe('User name to log in with; default: the one in the URL, else no login.'),
    Password: lineText(1000).optional().describe('Password to log in with; default: the one in the URL.'),
    ClientId: lineText(128)
      .optional()
      .describe(
        'Name of this client; default: a new one in each check. Servers end an older session of a name.',
      ),
    Version: z.enum(['3.1.1', '5']).default('3.1.1').describe('Version of MQTT.'),
    Topic: lineText(1000).optional().describe('Topic to subscribe to; + and # match any part.'),
    Message: boundedText(16_384, 1)
      .optional()
      .describe('Message to publish on the Topic; it must come back, unless ExpectMessage is set.'),
    ExpectMessage: boundedText(4096, 1)
      .optional()
      .describe('Text that a message on the Topic must contain before the Timeout; a retained one counts.'),
    SlowMs: slowMsOption,
    IPFamily: ipFamilyOption,
  })
  .refine(({ Topic, Message }) => Message === undefined || (Topic !== undefined && !/[+#]/.test(Topic)), {
    path: ['Message'],
    message: 'must come with a Topic without + and #',
  })
  .refine(({ Topic, ExpectMessage }) => ExpectMessage === undefined || Topic !== undefined, {
    path: ['ExpectMessage'],
    message: 'must come with a Topic',
  });

type MqttOptions = z.output<typeof options>;

/** MQTT 3.1.1 and 5: connect with a login, then a subscription, a message and its way back where they are set. */
export const mqtt: Probe<'MQTT', typeof options> = {
  method: 'MQTT',
  purpose:
    'Connects to an MQTT server, logs in where there is a user, subscribes to a topic, and waits for a message or sends one that must come back, where `Options` say so.',
  example: {
    URL: 'mqtts://broker.example.com',
    ShortName: 'mqtt-1',
    Options: { User: 'monitor', Password: 'a password', Topic: 'monitor/vantage', Message: 'hello' },
  },
  optionsCase: 'mqtt',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    mqtt: {
      description: 'Connects to an MQTT server, subscribes to a topic and sends a message.',
      target: 'host and port',
      result: { received: { type: 'string | null', description: 'The message that was waited for.' } },
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { mqtt: 1883, mqtts: 8883 },
      scheme: 'mqtt',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, mqtt://user:password@host:port or mqtts://…, for example broker.example.org',
    }),

  async run(context, target, settings) {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'mqtts', port: 8883 });
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: mode === 'Implicit' ? { settings: settings.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false, speaksFirst: 'client' });
    const session = await openSession(dialogue, {
      version: settings.Version,
      clientId: settings.ClientId ?? `vantage${randomBytes(6).toString('hex')}`,
      user: login?.user,
      password: login?.password,
    }).catch((error: unknown) => {
      // Without a login, the demand for one is an answer, unless a topic needs more than that.
      const isDemand = error instanceof Failure && error.code === resultCode.login;
      if (isDemand && !login && settings.Topic === undefined) return undefined;
      throw error;
    });
    if (!session) {
      return {
        code: resultCode.ok,
        text: 'MQTT answers, and requires a login',
        dataSize: dialogue.received,
        extended: {},
        answer: () => ({ received: null }),
      };
    }
    const { text, values, received } = await useTopic(context, session, settings);
    context.stopwatch.pause();
    await session.disconnect();
    return {
      code: resultCode.ok,
      text,
      dataSize: dialogue.received,
      extended: {},
      values,
      answer: () => ({ received: received ?? null }),
    };
  },
};

interface TopicResult {
  readonly text: string;
  readonly values: readonly MeasuredValue[];
  readonly received?: string;
}

/** Subscribes, publishes and waits, as far as the Options say. */
async function useTopic(
  context: ProbeContext,
  session: MqttSession,
  { Topic, Message, ExpectMessage }: MqttOptions,
): Promise<TopicResult> {
  if (Topic === undefined) return { text: 'connection accepted', values: [] };
  await session.subscribe(Topic);
  if (Message === undefined && ExpectMessage === undefined)
    return { text: `connection accepted, subscribed to ${quoteShort(Topic)}`, values: [] };
  const startedMs = context.clock.monoMs();
  if (Message !== undefined) await session.publish(Topic, Message);
  const isAwaited = (message: string, isRetained: boolean) =>
    ExpectMessage === undefined ? message === Message && !isRetained : message.includes(ExpectMessage);
  const expected = quoteShort(ExpectMessage ?? Message ?? '');
  const received = await awaitMessage(context, session, isAwaited, `expected a message with ${expected}`);
  const tookMs = context.clock.monoMs() - startedMs;
  const values = Message === undefined ? [] : [{ Label: 'Round trip', Value: tookMs, Unit: 'ms' }];
  return {
    text: ExpectMessage === undefined ? 'the message came back' : `a message with ${expected} came`,
    values,
    received,
  };
}

/** Waits for a message. If the time of the check ends before, that is an expectation that is not met. */
async function awaitMessage(
  context: ProbeContext,
  session: MqttSession,
  isAwaited: (message: string, isRetained: boolean) => boolean,
  missed: string,
): Promise<string> {
  let last: string | undefined;
  try {
    while (true) {
      const { payload, isRetained } = await session.nextMessage();
      const message = payload.toString('utf8');
      if (isAwaited(message, isRetained)) return message;
      last = message;
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    throw notMet(`${missed}, ${last === undefined ? 'none came' : `the last one was ${quoteShort(last)}`}`);
  }
}
