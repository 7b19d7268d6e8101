export { createAgentPortServices } from './agent-port-services.ts';
export { openAuthorities, sealedAuthorities } from './authorities.ts';
export type { EnrolmentRow } from './decide-enrolment.ts';
export type { AgentEnrolment } from './enrol-agent.ts';
