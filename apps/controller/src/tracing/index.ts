export { openTracing, type Tracing } from './tracing.ts';
