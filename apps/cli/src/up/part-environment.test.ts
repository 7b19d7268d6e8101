import { expect, test } from 'vitest';
import { agentPreflightEnvironment, controllerEnvironment } from './part-environment.ts';

test('the agent beside the controller has the next port for its series; without the setting neither has one', () => {
  const from = { given: { VANTAGE_METRICS_PORT: '9600' }, env: {} };
  expect(controllerEnvironment(from, '/data')['VANTAGE_METRICS_PORT']).toBe('9600');
  expect(agentPreflightEnvironment(from)['VANTAGE_METRICS_PORT']).toBe('9601');
  expect(agentPreflightEnvironment({ given: {}, env: {} })['VANTAGE_METRICS_PORT']).toBeUndefined();
});
