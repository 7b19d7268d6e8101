export { createHttpApi, type HttpApi, type HttpSettings } from './api.ts';
