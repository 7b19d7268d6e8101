export { createAgentPortServices } from './agent-port-services.ts';
export { openAuthorities } from './authorities.ts';
export { sealedAuthorities } from './authority-store.ts';
export type { EnrolmentRow } from './decide-enrolment.ts';
export type { AgentEnrolment } from './enrolment.ts';
export { planInvitation } from './plan-invitation.ts';
