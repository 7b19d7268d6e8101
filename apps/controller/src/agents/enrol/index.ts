export { createAgentPortServices } from './agent-port-handlers.ts';
export { openAuthorities, sealedAuthorities } from './authorities.ts';
export type { AgentEnrolment, EnrolmentRow } from './enrolment.ts';
