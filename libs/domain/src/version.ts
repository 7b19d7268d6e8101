/**
 * The version of everything that is released together: controller, agent, commands, packages. It stands nowhere else.
 * From 0.2.0 on an agent cuts its batches at 1 MiB; the controller accepts longer messages from 0.1.0 only.
 */
export const productVersion = '0.3.0';
