// One system of `vantage up` from its first start on: devices are checked, then parts of the system are killed, and
// everything goes on. They run in this order.
import './vantage-up/first-run.ts';
import './vantage-up/apply-interrupted.ts';
import './vantage-up/event-restarts.ts';
import './vantage-up/supervision.ts';
