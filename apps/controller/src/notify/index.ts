export { createNotify } from './notify.ts';
