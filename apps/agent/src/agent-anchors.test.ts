import { closedPort, listen } from '@vantage/probes/testing';
import { AnchorReport_State } from '@vantage/proto';
import { expect, test } from 'vitest';
import { startFakeController } from './testing/fake-controller.ts';
import { useTestAgents } from './testing/test-agents.ts';

const { certificate, token, startTestAgent } = useTestAgents();

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
