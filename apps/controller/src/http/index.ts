export type { App } from './app.ts';
export { basePath } from './app.ts';
export { hashPassword, verifyPassword } from './basic.ts';
