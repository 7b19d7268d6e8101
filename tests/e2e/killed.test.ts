// Parts of one running system are killed, and everything goes on. They run in this order.
import './killed/apply-interrupted.ts';
import './killed/event-restarts.ts';
import './killed/supervision.ts';
