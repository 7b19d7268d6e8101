import { Fault } from '@vantage/kernel';

/** A command that cannot be done; a second time would not help. The code is for programs. */
export function drop(code: string, message: string): Fault {
  return new Fault('drop', code, message);
}

/** There is no agent with this id. */
export function noAgent(agentId: string): Fault {
  return drop('no_agent', `there is no agent ${agentId}; "vantage agents list" shows the ids`);
}
