export { createAgentDoor } from './agent-door.ts';
export { openAuthorities } from './authorities.ts';
export { sealedAuthorities } from './authority-store.ts';
export { createDownloads } from './downloads.ts';
export { createEnrolment } from './enrolment.ts';
