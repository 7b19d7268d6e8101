export { createHttpApi } from './api.ts';
